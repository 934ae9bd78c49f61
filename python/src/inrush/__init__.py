"""The fastest safe way to get rows into MySQL and MariaDB, and out of them.

>>> import inrush
>>> report = inrush.load([(1, "Ann"), (2, "Bob")], "guests", url, create=True, columns=["id", "name"], key="id")
>>> inrush.query("SELECT name FROM guests ORDER BY id", to=url).rows()
[('Ann',), ('Bob',)]
"""

from typing import TYPE_CHECKING

from ._connection import BadRow, BatchOutcome, Connection, Outcome, connect, forget, query, read, status, verify
from ._errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    LoadError,
    NotSupportedError,
    OperationalError,
    Place,
    ProgrammingError,
    Warning,
)
from ._inrush import VERSION as __version__
from ._inrush import Control
from ._inserter import Inserter, InserterOptions, InserterStatus
from ._load import FileOptions, LoadOptions, load
from ._report import Difference, Job, JobStatus, Progress, Records, Reject, Report, Retry, Verified, Waits
from ._result import Result

if TYPE_CHECKING:
    from . import aio as aio
    from . import dbapi as dbapi
else:

    def __getattr__(name: str) -> object:
        """`inrush.aio` and `inrush.dbapi` are imported when they are used: they need more than the rest."""
        if name in ("aio", "dbapi"):
            from importlib import import_module

            return import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "BadRow",
    "BatchOutcome",
    "Connection",
    "Control",
    "DataError",
    "DatabaseError",
    "Difference",
    "Error",
    "FileOptions",
    "Inserter",
    "InserterOptions",
    "InserterStatus",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Job",
    "JobStatus",
    "LoadError",
    "LoadOptions",
    "NotSupportedError",
    "OperationalError",
    "Outcome",
    "Place",
    "ProgrammingError",
    "Progress",
    "Records",
    "Reject",
    "Report",
    "Result",
    "Retry",
    "Verified",
    "Waits",
    "Warning",
    "__version__",
    "connect",
    "forget",
    "load",
    "query",
    "read",
    "status",
    "verify",
]
