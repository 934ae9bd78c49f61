"""An inserter: single rows of many threads that travel together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from . import _inrush

if TYPE_CHECKING:
    from ._connection import Connection

Row = Sequence[Any] | Mapping[str, Any]


class InserterStatus(NamedTuple):
    """An inserter at one moment."""

    stored: int
    """Rows that are stored for good."""
    failed: int
    """Rows that were refused; none of them is stored."""
    unknown: int
    """Rows of which nobody knows: the answer to their COMMIT was lost. None with `exactly_once`."""
    waiting: int
    """Rows that have no answer yet."""
    batches: int


class InserterOptions(TypedDict, total=False):
    """How an inserter behaves."""

    columns: Sequence[str]
    """Of each row, in the order of its values. Without: the names of the first row, or all that take a value."""
    lanes: int
    """Batches that are written at the same time, each over a connection; 2. Between them there is no order."""
    batch_rows: int
    """The most rows of one batch; 4096."""
    queue_rows: int
    """The most rows that wait; whoever brings more waits for room. 65,536."""
    exactly_once: bool
    """Also where the answer to a COMMIT is lost: by a line in the table `inrush_inserter`, an UPDATE a batch."""
    on_duplicate: str | Sequence[str]
    """Of a row whose key is there: "fail"; "keep" what is there; "update" all columns; or the columns to update."""
    retry_for: float
    """For how many seconds a batch is tried again after a deadlock or a lost connection; 30."""


class Inserter:
    """Stores single rows of many threads together: while one batch is on its way, the rows that come form the next.

    For web services whose every request stores a row: each call returns once its row is stored, and many of them share a
    transaction. Any number of threads may use it.

    >>> with inrush.Inserter("visits", url, columns=["page", "n"]) as visits:
    ...     _ = visits.insert(["/home", 1])
    ...     visits.status().stored
    1
    """

    def __init__(self, table: str, to: str | Connection | None = None, **options: Unpack[InserterOptions]) -> None:
        """
        Args:
            table: `table` or `database.table`; it is looked at when the first row comes.
            to: a URL, or a connection, whose URL is used; None: INRUSH_URL, or the option files.
            options: see `InserterOptions`.
        """
        self._inserter = _inrush.Inserter(getattr(to, "_connection", to), table, dict(options))

    def insert(self, row: Row) -> int | None:
        """Stores a row, and returns once it is stored for good: the id that the server made, if it tells.

        Raises:
            Error: of this row alone; it is not stored then, unless `is_outcome_unknown`.
        """
        return self._inserter.insert(row)

    def flush(self) -> None:
        """Waits until every row that was brought before has its answer."""
        self._inserter.flush()

    def close(self) -> None:
        """Takes no more rows, writes those that are there, and waits for that."""
        self._inserter.close()

    def status(self) -> InserterStatus:
        """What waits, and what became of the rows so far."""
        return InserterStatus(*self._inserter.status())

    def __enter__(self) -> Inserter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("an inserter cannot be pickled: send the URL, and make one there")
