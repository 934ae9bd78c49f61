"""Exceptions: the tree of PEP 249, each with what is known of the fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ._report import Report


class Place(NamedTuple):
    """Where in the data a fault lies."""

    source: str
    """The file or the job, as it was given."""
    line: int | None
    """The line of a text on which the record begins, or the number of the row; counted from 1."""
    column: str | None
    """The column's name, if the fault lies in one value."""


class Warning(Exception):
    """PEP 249 has it; nothing raises it: warnings are in results and reports."""


class Error(Exception):
    """Whatever went wrong."""

    def __init__(
        self,
        message: str = "",
        *,
        kind: str = "application",
        code: int = 0,
        sqlstate: str | None = None,
        place: Place | None = None,
        hint: str | None = None,
        row: int | None = None,
        is_retryable: bool = False,
        is_outcome_unknown: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        """One word for who must act: io, protocol, server, data, config, guarantee, interrupted, application."""
        self.code = code
        """The server's error code; 0 if the server did not say it."""
        self.sqlstate = sqlstate
        """Five characters of the SQL standard, with a code."""
        self.place = place
        """Where in the data it lies, if it does."""
        self.hint = hint
        """What to do about it."""
        self.row = row
        """The row of a batch, counted from 0."""
        self.is_retryable = is_retryable
        """Whether the same may succeed if it is tried again: a deadlock, a lost connection."""
        self.is_outcome_unknown = is_outcome_unknown
        """Whether nobody knows if the statement was carried out: its answer was lost."""

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\nhint: {self.hint}" if self.hint else message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (type(self), super().__str__(), self.__dict__))


class InterfaceError(Error):
    """The package was used in a way that cannot work."""


class DatabaseError(Error):
    """The database, or the data for it, is at fault."""


class DataError(DatabaseError):
    """A value cannot be stored, or a file cannot be read."""


class OperationalError(DatabaseError):
    """The server, the network or the disk failed."""


class IntegrityError(DatabaseError):
    """A key, a CHECK or a foreign key refused a row; or a promise about rows could not be kept, so nothing was done."""


class InternalError(DatabaseError):
    """The server sent what the protocol does not allow."""


class ProgrammingError(DatabaseError):
    """The request is wrong: its SQL, an argument, a URL, columns that do not fit."""


class NotSupportedError(DatabaseError):
    """The server has no such thing."""


class LoadError(DatabaseError):
    """A load stopped before its end. `report` tells which rows are stored."""

    report: Report

    def __init__(self, message: str = "", *, report: Report | None = None, **known: object) -> None:
        super().__init__(message, **known)  # type: ignore[arg-type]
        if report is not None:
            self.report = report


def _rebuilt(cls: type[Error], message: str, known: dict[str, object]) -> Error:
    error = cls(message)
    error.__dict__.update(known)
    return error
