# pyright: basic, reportMissingImports=false
"""Filters of Spark as conditions of SQL, for those that leave out no row that Spark would keep. Spark evaluates all of them again.

So nothing is here that the server decides in another way. Texts are equal by their collation there, which finds more than equal bytes; but
their order is another one, and fewer of them are unequal. Floats, times with a zone, JSON and CHAR (whose padding is a matter of the
session's mode) stay with Spark.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from pyspark.sql import datasource as spark

import inrush

from ._ranges import names_of, quoted

WHOLE = ("tinyint", "smallint", "mediumint", "int", "bigint")
TEXT = ("varchar", "tinytext", "text", "mediumtext", "longtext", "enum")

# A statement takes 65,535.
MOST_VALUES = 10_000

# Filters are there since Spark 4.1.
COMPARED = {
    getattr(spark, name, None): operator
    for name, operator in (
        ("EqualTo", "="),
        ("EqualNullSafe", "="),
        ("GreaterThan", ">"),
        ("GreaterThanOrEqual", ">="),
        ("LessThan", "<"),
        ("LessThanOrEqual", "<="),
    )
}


def types_of(to: str | None, table: str) -> dict[str, str]:
    """The type of each column, as `varchar utf8mb4`, by its name in lower case."""
    *schema, name = names_of(table)
    rows = inrush.query(
        "SELECT LOWER(COLUMN_NAME), LOWER(CONCAT_WS(' ', DATA_TYPE, CHARACTER_SET_NAME)) FROM information_schema.COLUMNS"
        " WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?",
        [schema[0] if schema else None, name],
        to=to,
    ).rows()
    return {str(column): str(kind) for column, kind in rows}


def condition(filters: Sequence[Any], types: Mapping[str, str]) -> tuple[str, list[Any]]:
    """What of the filters the server can say as well, all of it together, and its values; empty if that is nothing."""
    said = [one for one in (condition_of(filter, types) for filter in filters) if one]
    return " AND ".join(sql for sql, _ in said), [value for _, values in said for value in values]


def condition_of(filter: Any, types: Mapping[str, str]) -> tuple[str, list[Any]] | None:
    path = getattr(filter, "attribute", None)
    if path is None or len(path) != 1 or path[0].lower() not in types:
        return None
    column, kind, of = quoted(path[0]), types[path[0].lower()], type(filter)
    value: Any = getattr(filter, "value", None)
    is_null = of.__name__ == "EqualNullSafe" and value is None
    if of.__name__ == "IsNotNull":
        return f"{column} IS NOT NULL", []
    if of.__name__ == "IsNull" or is_null:
        # A date of zeros is none of Spark's, and becomes NULL.
        return (f"{column} IS NULL", []) if kind.partition(" ")[0] in (*WHOLE, "decimal", *TEXT) else None
    if of.__name__ == "In":
        values: list[Any] = list(value or ())
        if not 0 < len(values) <= MOST_VALUES or not all(fits(one, kind, "=") for one in values):
            return None
        return f"{column} IN ({', '.join('?' * len(values))})", values
    operator = COMPARED.get(of)
    if operator is None or not fits(value, kind, operator):
        return None
    return f"{column} {operator} ?", [value]


def fits(value: Any, kind: str, operator: str) -> bool:
    """Whether the server compares a column of this type with the value as Spark does, or finds more."""
    if kind in WHOLE or kind == "decimal":
        return isinstance(value, int | Decimal) and not isinstance(value, bool)
    if kind == "date":
        return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    kind, _, charset = kind.partition(" ")
    # What the column cannot hold would end the query.
    return kind in TEXT and operator == "=" and isinstance(value, str) and (value.isascii() or charset == "utf8mb4")
