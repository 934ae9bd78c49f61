# pyright: basic, reportMissingImports=false
"""Stages: tables that task attempts fill, and the one transaction that moves the rows of chosen attempts into the table.

Rows in a stage are not in the table yet. What is stored twice, or by an attempt that nobody chose, is dropped with its stage.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import inrush

from . import _ranges
from ._connection import Connection

MODES = {
    "insert": "INSERT INTO",
    "ignore": "INSERT IGNORE INTO",
    "replace": "REPLACE INTO",
    "upsert": "INSERT INTO",
}
"""Modes of a load that a stage can be moved by, and the verb of each."""

LEDGER = "inrush_stream"
"""The table that has the last batch of each streaming query, beside the rows."""

MARK = "__inrush_stage_"


@dataclass(frozen=True)
class Target:
    """The table that stages are moved into."""

    to: str | None
    table: str
    columns: tuple[str, ...]
    """The loaded columns, as the table has them."""
    mode: str
    key: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        return _ranges.names_of(self.table)

    def beside(self, name: str) -> str:
        """Another table of the same database, as SQL has it."""
        return ".".join(map(_ranges.quoted, [*self.names[:-1], name]))


def columns_of(to: str | None, table: str, given: Sequence[str]) -> tuple[str, ...]:
    """The given columns as the table names them. Letters of either case are the same, as for the server."""
    there = {name.lower(): name for name in _ranges.schema_of(to, table).names}
    wrong = [name for name in given if name.lower() not in there]
    if wrong:
        raise inrush.InterfaceError(
            f"table `{table}` has no column {', '.join(f'`{name}`' for name in wrong)}: a stage needs the names that the table has",
            kind="config",
        )
    return tuple(there[name.lower()] for name in given)


def prefix(table: str, owner: str | None = None) -> str:
    """What the names of a table's stages begin with, or those of one owner. A whole name has 64 characters at most."""
    name = _ranges.names_of(table)[-1]
    begin = f"{name[:24]}{MARK}{_digest(name.lower(), 6)}"
    return begin if owner is None else f"{begin}{_digest(owner, 8)}_"


def _digest(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def make(target: Target, owner: str) -> str:
    """Makes an empty stage for one attempt, and returns its name."""
    name = prefix(target.table, owner) + uuid.uuid4().hex[:10]
    with inrush.connect(target.to) as connection:
        connection.execute(f"CREATE TABLE {target.beside(name)} LIKE {_ranges.table_of(target.table)}")
    return name


def stages(table: str, to: str | None = None, owner: str | None = None) -> list[str]:
    """The stages of a table, or those of one owner."""
    database = _ranges.names_of(table)[:-1]
    begin = prefix(table, owner)
    schema = "?" if database else "DATABASE()"
    sql = f"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {schema} AND LEFT(TABLE_NAME, ?) = ? ORDER BY 1"
    found = inrush.query(sql, [*database, len(begin), begin], to=to).rows()
    return [name for (name,) in found]


def drop(target: Target, names: Sequence[str], dead: bool) -> None:
    """Drops stages; of `dead` ones, whose loads may not have ended, the ledger's lines as well."""
    with inrush.connect(target.to) as connection:
        for name in names:
            connection.execute(f"DROP TABLE IF EXISTS {target.beside(name)}")
    if dead and names:
        database = target.names[0] if len(target.names) > 1 else None
        for job in inrush.status(target.to, database):
            if job.table.rstrip("`").endswith(tuple(names)):
                inrush.forget(job.id, target.to, database, force=True)


def sweep(target: Target, owner: str, moved: Sequence[str]) -> None:
    """Drops all stages of an owner: those that were moved, and those of attempts that nobody chose."""
    there = stages(target.table, target.to, owner)
    drop(target, [name for name in there if name in moved], dead=False)
    drop(target, [name for name in there if name not in moved], dead=True)


def publish_batch(target: Target, query: str, batch: int, chosen: Sequence[str], retry_for: float = 600) -> int | None:
    """Moves the chosen stages into the table, and notes the batch of the streaming query, in one transaction.

    Returns how many rows it changed, as the server counts them, or `None` if the batch was stored before.
    """
    ledger = target.beside(LEDGER)
    table = target.names[-1]

    def prepare(connection: Connection) -> None:
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {ledger} (`query` CHAR(36) NOT NULL, `target` VARCHAR(64) NOT NULL, `batch` BIGINT NOT NULL,"
            " `n_rows` BIGINT NOT NULL, `published` DATETIME(6) NOT NULL, PRIMARY KEY (`query`, `target`)) ENGINE=InnoDB"
            " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='the last batch of each streaming query that inrush has stored'"
        )
        # The line is there before the transaction begins, so that a twin waits for it and does not meet a duplicate key.
        connection.execute(
            f"INSERT IGNORE INTO {ledger} VALUES (?, ?, -1, 0, UTC_TIMESTAMP(6))",
            [query, table],
        )

    def publish(connection: Connection) -> int | None:
        last = connection.query(
            f"SELECT `batch` FROM {ledger} WHERE `query` = ? AND `target` = ? FOR UPDATE", [query, table]
        ).rows()
        if not last:
            raise inrush.IntegrityError(f"the line of query `{query}` in table `{LEDGER}` is gone", kind="guarantee")
        if last[0][0] >= batch:
            return None
        rows = _move(connection, target, chosen)
        connection.execute(
            f"UPDATE {ledger} SET `batch` = ?, `n_rows` = `n_rows` + ?, `published` = UTC_TIMESTAMP(6)"
            " WHERE `query` = ? AND `target` = ?",
            [batch, rows, query, table],
        )
        return rows

    return _retried(target, prepare, publish, retry_for)


def publish_anew(target: Target, chosen: Sequence[str], retry_for: float = 600) -> int | None:
    """Replaces the table's rows by those of the chosen stages, in one transaction. To do it twice is to do it once."""

    def publish(connection: Connection) -> int:
        connection.execute(f"DELETE FROM {_ranges.table_of(target.table)}")
        return _move(connection, target, chosen)

    return _retried(target, lambda _: None, publish, retry_for)


def _move(connection: Connection, target: Target, chosen: Sequence[str]) -> int:
    """Copies the rows of stages. Columns that were not loaded get what an INSERT without them gives them."""
    columns = ", ".join(map(_ranges.quoted, target.columns))
    verb, end = MODES[target.mode], ""
    if target.mode == "upsert":
        key = {name.lower() for name in target.key}
        changed = [name for name in target.columns if name.lower() not in key] or list(target.columns)
        # VALUES(..) is the form that both vendors know.
        end = " ON DUPLICATE KEY UPDATE " + ", ".join(f"{q} = VALUES({q})" for q in map(_ranges.quoted, changed))
    rows = 0
    for name in chosen:
        sql = f"{verb} {_ranges.table_of(target.table)} ({columns}) SELECT {columns} FROM {target.beside(name)}{end}"
        rows += connection.execute(sql).affected
    return rows


def _retried(
    target: Target,
    prepare: Callable[[Connection], None],
    publish: Callable[[Connection], int | None],
    retry_for: float,
) -> int | None:
    """Runs a transaction until its outcome is known. Both callers may run again after a COMMIT whose answer was lost."""
    deadline, pause = time.monotonic() + retry_for, 0.1
    while True:
        try:
            with inrush.connect(target.to) as connection:
                # As the stage was loaded: a 0 in a column that counts is a 0, and times mean what they meant.
                connection.execute(
                    "SET sql_mode = 'STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00'"
                )
                prepare(connection)
                with connection.transaction():
                    return publish(connection)
        except inrush.Error as error:
            # 1020: MariaDB with innodb_snapshot_isolation, where another session was first.
            passes = error.is_retryable or error.is_outcome_unknown or error.kind == "io" or error.code == 1020
            if not passes or time.monotonic() + pause > deadline:
                raise
        time.sleep(pause)
        pause = min(2 * pause, 5.0)
