"""PEP 249, by ADBC: cursors, transactions, `executemany`, and Arrow data in and out.

Needs `adbc-driver-manager` and `pyarrow` (`pip install "inrush[dbapi]"`). Exceptions are those of this module, which are the manager's; the
message has the hint.

>>> import inrush.dbapi
>>> with inrush.dbapi.connect(url) as connection, connection.cursor() as cursor:
...     cursor.execute("SELECT 1 + ?", [2])
...     cursor.fetchone()
(3,)
"""

from __future__ import annotations

from typing import Any

from adbc_driver_manager.dbapi import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Connection,
    Cursor,
    DatabaseError,
    DataError,
    Date,
    DateFromTicks,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    Warning,
    apilevel,
    threadsafety,
)
from adbc_driver_manager.dbapi import connect as _connect

from ._driver import ENTRY_POINT, database_options, library

__all__ = [
    "BINARY",
    "Binary",
    "Connection",
    "Cursor",
    "DATETIME",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NUMBER",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "ROWID",
    "STRING",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]

paramstyle = "qmark"

# PEP 249 wants a constructor for them; `bytes` is what goes in.
Binary = bytes


def connect(
    uri: str | None = None,
    *,
    autocommit: bool = False,
    ansi_quotes: bool = False,
    db_kwargs: dict[str, str] | None = None,
    conn_kwargs: dict[str, str] | None = None,
) -> Connection:
    """Connects: `mysql://user@host/database`; None: INRUSH_URL, or the option files.

    Args:
        autocommit: PEP 249 begins a transaction by itself unless this is on. With it `cursor.adbc_ingest` is a load over several
            connections, with the ledger; without it, rows of the connection's one transaction.
        ansi_quotes: names in double quotes are names: for pandas' `to_sql`, which writes them so.
        db_kwargs: options of the ADBC database: see docs/adbc.md.
        conn_kwargs: options of the ADBC connection.
    """
    options = dict(conn_kwargs or {})
    if ansi_quotes:
        options.setdefault("inrush.connection.ansi_quotes", "true")
    given: dict[str, Any] = database_options(uri, db_kwargs)
    return _connect(
        driver=library(), entrypoint=ENTRY_POINT, db_kwargs=given, conn_kwargs=options, autocommit=autocommit
    )
