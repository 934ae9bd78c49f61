"""Connections: statements, batches, transactions, results."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from . import _inrush
from ._load import LoadOptions, load
from ._result import Result

if TYPE_CHECKING:
    from ._report import Report, Verified

Params = Sequence[Any] | Mapping[str, Any]


class Outcome(NamedTuple):
    """What a statement did."""

    affected: int
    """Rows changed, as the server counts for this kind of statement."""
    last_insert_id: int | None
    """The first id that the server made, if it made one."""
    warnings: int
    info: str
    """What the server says beside, for people."""


class BadRow(NamedTuple):
    """A row of a batch that was left out."""

    row: int
    """Counted from 0."""
    reason: str


class BatchOutcome(NamedTuple):
    """What a batch did."""

    rows: int
    """Rows that were stored or changed something."""
    affected: int
    bad_rows: list[BadRow]


class Connection:
    """A connection. Use it in one thread at a time; after a fork connect anew.

    >>> with inrush.connect(url) as connection:
    ...     _ = connection.execute("CREATE TABLE IF NOT EXISTS fruit (name VARCHAR(20) PRIMARY KEY, n INT)")
    ...     outcome = connection.executemany("REPLACE INTO fruit VALUES (?, ?)", [("apple", 3), ("pear", 1)])
    ...     connection.query("SELECT SUM(n) FROM fruit").rows()
    [(Decimal('4'),)]
    """

    def __init__(self, to: str | None = None) -> None:
        self._connection = _inrush.Connection(to)

    def execute(self, sql: str, params: Params = ()) -> Outcome:
        """Runs a statement; values stand for its `?`, or by name for its `:name`."""
        return Outcome(*self._connection.execute(sql, params))

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]] | Any, *, bad_rows: str = "stop") -> BatchOutcome:
        """Runs a statement for every row: a batch, by the fastest method that the server has; each row once or not at all.

        Args:
            rows: sequences of values, or anything with Arrow data.
            bad_rows: "stop" at one; or "skip" and tell.
        """
        done, affected, bad = self._connection.execute_batch(sql, rows, bad_rows == "skip")
        return BatchOutcome(done, affected, [BadRow(*row) for row in bad])

    def query(
        self, sql: str, params: Params = (), *, batch_rows: int | None = None, invalid_dates: str = "error"
    ) -> Result:
        """Runs a statement and streams its rows. Until they are read, or the result is closed, the connection is busy.

        Args:
            batch_rows: the most rows of an Arrow batch.
            invalid_dates: what becomes of `0000-00-00` and the like: "error", "null", or "text" for all dates.
        """
        return Result(self._connection.query(sql, params, batch_rows, invalid_dates))

    @contextmanager
    def transaction(self) -> Generator[Connection]:
        """A transaction: committed at the end of the block, rolled back at an exception."""
        self.execute("START TRANSACTION")
        try:
            yield self
        except BaseException:
            # A lost connection has rolled back by itself.
            if not self._connection.is_closed and self._connection.in_transaction:
                self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def load(self, data: Any, table: str, **options: Unpack[LoadOptions]) -> Report:
        """`inrush.load` to this connection's server, over connections of its own, with all of its options."""
        return load(data, table, self, **options)

    @property
    def server_version(self) -> str | None:
        """As the server says it."""
        return self._connection.server_version

    @property
    def connection_id(self) -> int | None:
        """The server's number of it; None while a result is read."""
        return self._connection.connection_id

    @property
    def is_closed(self) -> bool:
        return self._connection.is_closed

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a connection cannot be pickled: send the URL, and connect there")

    def __repr__(self) -> str:
        return repr(self._connection)


def connect(to: str | None = None) -> Connection:
    """Connects: `mysql://user@host/database`; None: INRUSH_URL, or the option files.

    The password is best in INRUSH_PASSWORD or an option file; in a URL it is shown by whoever prints the URL.
    """
    return Connection(to)


def query(
    sql: str, params: Params = (), *, to: str | None = None, batch_rows: int | None = None, invalid_dates: str = "error"
) -> Result:
    """Runs a query over a connection of its own, which is closed when the result is.

    >>> inrush.query("SELECT 1 + ? AS sum", [2], to=url).dicts()
    [{'sum': 3}]
    """
    return Connection(to).query(sql, params, batch_rows=batch_rows, invalid_dates=invalid_dates)


def read(
    table: str,
    to: str | None = None,
    columns: Sequence[str] | None = None,
    partition_on: str | None = None,
    partitions: int = 1,
    *,
    batch_rows: int | None = None,
    invalid_dates: str = "error",
) -> Result:
    """Reads a table.

    Args:
        partition_on: a column of whole numbers, best the primary key: its range is cut into parts that are read side by side, over a
            connection each. Their rows come as they are read, in no order, and are of one moment only if nobody writes.
        partitions: how many.

    >>> inrush.read("people", url, ["name"]).rows()
    [('Ann',), (None,)]
    """
    return Result(
        _inrush.read(
            table, to, None if columns is None else list(columns), partition_on, partitions, batch_rows, invalid_dates
        )
    )


def verify(
    table: str,
    other_table: str | None = None,
    to: str | Connection | None = None,
    *,
    other: str | Connection | None = None,
    columns: Sequence[str] | str = (),
    where: str | None = None,
    lanes: int = 2,
    subset: bool = False,
    differences: int = 20,
    rate: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    snapshot: bool = False,
) -> Verified:
    """Compares two tables row by row, as `inrush verify` does. The servers compute digests, and only rows that differ travel.

    Args:
        table: the table that is right: `table` or `database.table`.
        other_table: the table that is compared with it; None: the one of the same name on the server of `other`.
        to: the server, as for `inrush.load`.
        other: the other table's server, if it is another one: a URL, whose password may be in INRUSH_OTHER_PASSWORD, or a connection.
        columns: only these, besides those of the key; without them all that are not generated.
        where: only rows that fulfil this condition of SQL, in both tables.
        lanes: pairs of connections that compare side by side, where the key's ranges can be compared.
        subset: whether rows that only the other table has are no differences.
        differences: how many of them the result has with their values.
        rate: at most so many rows a second are read of each table.
        checkpoint: a file that notes which ranges were equal, so that the same call continues after an interruption; removed at the end.
        snapshot: whether one state of both tables is compared (of each, on two servers), seen under a lock for milliseconds.

    Raises:
        Error: the tables could not be compared. Tables that differ are a result, not an error.

    >>> inrush.verify("people", "people", url, other=url).is_equal
    True
    """
    if other_table is None:
        other_table = table
    return _inrush.verify(
        table,
        other_table,
        getattr(to, "_connection", to),
        getattr(other, "_connection", other),
        [columns] if isinstance(columns, str) else list(columns),
        where,
        lanes,
        subset,
        differences,
        rate,
        None if checkpoint is None else fspath(checkpoint),
        snapshot,
    )


def status(to: str | None = None, database: str | None = None) -> list[Any]:
    """The jobs of a database's ledger, the newest last: what is loaded, and what is unfinished."""
    return _inrush.status(getattr(to, "_connection", to), database)


def forget(job: str, to: str | None = None, database: str | None = None, *, force: bool = False) -> Any:
    """Forgets a job, so that its data may be loaded once more. `job` is its id, or the beginning of it."""
    return _inrush.forget(job, getattr(to, "_connection", to), database, force)
