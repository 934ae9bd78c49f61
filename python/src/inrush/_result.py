"""A result: rows that stream, as Arrow data or as tuples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from . import _inrush


class Result:
    """Rows of a query, which stream: they are there once, and memory holds a batch of them.

    Whatever takes Arrow data takes it as it is (`__arrow_c_stream__`): `pyarrow.table(result)`, `polars.DataFrame(result)`, DuckDB,
    `inrush.load(result, ..)`. An iteration gives tuples.
    """

    def __init__(self, result: _inrush.Result) -> None:
        self._result = result

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self._result.columns]

    @property
    def types(self) -> list[str]:
        """Their Arrow types."""
        return [ty for _, ty in self._result.columns]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._result.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._result.__arrow_c_schema__()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        while (rows := self._result.next_rows()) is not None:
            yield from rows

    def rows(self) -> list[tuple[Any, ...]]:
        """All rows that were not read yet, as tuples: `int`, `float`, `Decimal`, `str`, `bytes`, `datetime`; a TIME is a `timedelta`."""
        return list(self)

    def dicts(self) -> list[dict[str, Any]]:
        """The same as dicts."""
        names = self.columns
        return [dict(zip(names, row, strict=True)) for row in self]

    def arrow(self) -> pyarrow.Table:  # pyright: ignore[reportUnknownParameterType] (it has no stubs)
        """All rows as a table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def polars(self) -> polars.DataFrame:
        """All rows as a DataFrame of polars."""
        import polars

        return polars.DataFrame(self)

    def pandas(self, **options: Any) -> pandas.DataFrame:
        """All rows as a DataFrame of pandas, by pyarrow's `Table.to_pandas`, which takes the options."""
        return self.arrow().to_pandas(**options)

    def close(self) -> None:
        """Gives the rest up, and the connection back."""
        self._result.close()

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<inrush result: {', '.join(f'{name} {ty}' for name, ty in self._result.columns)}>"
