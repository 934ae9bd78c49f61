# pyright: basic, reportMissingImports=false
"""Ranges of a key: what tasks that read one table side by side read, each its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import inrush

NAME = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")


@dataclass(frozen=True)
class Range:
    """Keys from `first` to before `end`; None is without a bound. Rows without a key are in the range without a first one."""

    first: int | None
    end: int | None


def ranges(to: str | None, table: str, on: str | None, count: int) -> list[Range]:
    """At most so many ranges of the column `on`, of equal width, which have every row of the table once; one without `on`."""
    if on is None:
        return [Range(None, None)]
    key = quoted(on)
    least, most = inrush.query(f"SELECT MIN({key}), MAX({key}) FROM {table_of(table)}", to=to).rows()[0]
    if least is None:
        return [Range(None, None)]
    if not isinstance(least, int):
        raise inrush.InterfaceError(
            f"`partition_on` needs a column of whole numbers, and `{on}` is none", kind="config"
        )
    count = min(count, most - least + 1)
    borders = [least + (most - least + 1) * n // count for n in range(1, count)]
    return [Range(first, end) for first, end in zip([None, *borders], [*borders, None], strict=True)]


def batches(
    to: str | None,
    table: str,
    columns: Sequence[str],
    on: str | None,
    of: Range,
    schema: pa.Schema | None = None,
    condition: tuple[str, list[Any]] = ("", []),
) -> Iterator[pa.RecordBatch]:
    """The rows of a range that meet a condition, in the types of `schema` if one is given."""
    sql, values = f"SELECT {', '.join(map(quoted, columns))} FROM {table_of(table)}", list(condition[1])
    conditions = [condition[0]] if condition[0] else []
    if on is not None:
        key, bounds = quoted(on), []
        if of.first is not None:
            bounds.append(f"{key} >= ?")
            values.append(of.first)
        if of.end is not None:
            bounds.append(f"{key} < ?")
            values.append(of.end)
        if bounds:
            conditions.append(f"({' AND '.join(bounds)}" + (f" OR {key} IS NULL)" if of.first is None else ")"))
    if conditions:
        sql += f" WHERE {' AND '.join(conditions)}"
    with inrush.query(sql, values, to=to) as rows:
        for batch in pa.RecordBatchReader.from_stream(rows):
            if schema is None:
                yield batch
            else:
                cells = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(cells, schema=schema)


def schema_of(to: str | None, table: str) -> pa.Schema:
    """The columns of a table, in Arrow's types."""
    return inrush.query(f"SELECT * FROM {table_of(table)} LIMIT 0", to=to).arrow().schema


def table_of(table: str) -> str:
    """A table as SQL has it."""
    return ".".join(map(quoted, names_of(table)))


def names_of(table: str) -> list[str]:
    """The names in `table` or `database.table`; one in backticks may have dots, and a backtick twice."""
    return [name.replace("``", "`") if name else plain for name, plain in NAME.findall(table)]


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return "`" + name.replace("`", "``") + "`"
