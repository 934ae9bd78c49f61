"""What a load tells in the end and under way: plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple


class Retry(NamedTuple):
    """Why chunks were tried again, and how often."""

    code: int
    """The server's error code; 0 where the network failed."""
    message: str
    times: int


class Job(NamedTuple):
    """A source, as the ledger knows it."""

    id: str
    """For `inrush.forget`."""
    source: str
    state: str
    """done, unfinished, already-loaded, forgotten (nobody can read the source again), taken-over."""
    loaded_on: str | None
    """When an earlier run had finished it, in UTC."""


class Reject(NamedTuple):
    """A row that was left out."""

    source: str
    line: int
    """The line of a text, or the number of the row; counted from 1."""
    column: str | None
    code: int
    """The server's error code; 0 if it was refused before it was sent."""
    reason: str


class Records(NamedTuple):
    """A stretch of records of a source, both ends included, counted from 1."""

    source: str
    first: int
    last: int


class JobStatus(NamedTuple):
    """A job of the ledger."""

    id: str
    table: str
    source: str
    owner: str
    """The account whose job it is."""
    state: str
    """done or unfinished."""
    run: str
    """Of an unfinished one: active, ended (in order), gone (killed, or lost the server); none if that is not known."""
    why: str | None
    """Why the last run ended, if it ended in order."""
    rows: int
    """Rows that are stored."""
    rejected: int
    started: str
    """In UTC."""
    finished: str | None
    job: str | None = None
    """The name of the job that it is a part of; `part` is None for the line of the whole job, which has no rows."""
    part: str | None = None
    parts: int | None = None
    """The number of all parts, in the line of the whole job."""


class Progress(NamedTuple):
    """How far a load is."""

    read: int
    """Rows read."""
    stored: int
    """Rows committed."""
    skipped: int
    rejected: int
    bytes: int
    """Of text, or of values as text."""
    left: int | None
    """About so many bytes are still to be read, if that is known."""
    chunks: int
    """Transactions committed."""
    lanes: int
    """Connections in use."""
    seconds: float
    is_over: bool


class Difference(NamedTuple):
    """A row in which two tables differ. Values are literals of SQL, as the server writes them."""

    kind: str
    """missing (the other table lacks it), extra (only the other one has it) or different."""
    times: int
    """How often: more than once only for rows without a key."""
    key: dict[str, str]
    """The columns of the key; empty without one."""
    values: dict[str, tuple[str | None, str | None]]
    """The columns that differ, or all of a row that one table lacks, each with its value in the first table and in the other one."""


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What `inrush.verify` found."""

    rows: int
    """Rows of the first table."""
    other_rows: int
    missing: int
    """Rows that the other table lacks."""
    extra: int
    """Rows that only the other table has."""
    different: int
    """Rows whose key both tables have, with other values."""
    key: list[str]
    """The columns by which rows are found again; without one, rows are compared as a whole."""
    columns: list[str]
    """The columns that were compared."""
    differences: list[Difference] = field(default_factory=list)
    """The first ones."""

    @property
    def is_equal(self) -> bool:
        """Whether both tables have the same rows."""
        return not (self.missing or self.extra or self.different)


class Waits(NamedTuple):
    """What a load waited for, in seconds: its connections, all of them together, and its reader."""

    commit_seconds: float
    """Connections, for the answer to COMMIT and to the lines of the ledger."""
    rows_seconds: float
    """Connections, for rows to be sent and for the server's answer to them."""
    retries_seconds: float
    """Connections, in chunks that took more than one attempt."""
    chunks_seconds: float
    """Connections, for their next chunk."""
    source_seconds: float
    """The reader, for the source's rows."""
    rate_seconds: float
    """The reader, because of `rate`."""
    slow_for: str | None
    """What most of the time of a slow load went into: commit, rows, retries, source, rate, throttle or client (this program parsed, checked
    and encoded). None for a load of less than ten seconds, one of more than 100,000 rows a second, and one without such a wait."""
    slow_share: float | None
    """The share of its connections' time, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What became of the rows: `read == stored + skipped + rejected + not_loaded + unknown`."""

    table: str
    server: str
    """The server's version text."""
    host: str | None
    """The address of the server that was taken of several hosts; None if only one was named."""
    mode: str
    method: str
    method_reason: str
    lanes: int
    time_zone: str
    dry_run: bool
    read: int
    """Rows read."""
    stored: int
    """Rows that are in the table (updated or deleted in these modes), those of earlier runs of the job among them."""
    skipped: int
    """Rows that the mode left out: their key was there, or was not."""
    changed: int | None
    """Rows of the table that have other values now (upsert, update, replace), if the server tells."""
    rejected: int
    """Bad rows that were left out on request."""
    not_loaded: int
    """Rows that are not in the table for certain, because the load stopped first."""
    unknown: int
    """Rows whose COMMIT got no answer: in the table, or not. The same load goes on and finds out."""
    resumed: int
    """Rows that earlier runs had stored; part of `stored`."""
    chunks: int
    replays: int
    bytes: int
    seconds: float
    yielded_seconds: float
    """The part of `seconds` in which the load waited because of `throttle`."""
    waits: Waits
    """What it waited for."""
    sorted_by: list[str] | None
    sort_reason: str
    pending: list[str] = field(default_factory=list[str])
    retries: list[Retry] = field(default_factory=list[Retry])
    jobs: list[Job] = field(default_factory=list[Job])
    rejects: list[Reject] = field(default_factory=list[Reject])
    """The first bad rows."""
    stored_records: list[Records] = field(default_factory=list[Records])
    unknown_records: list[Records] = field(default_factory=list[Records])

    @property
    def stored_by_this_run(self) -> int:
        """Rows that this call stored; the others were stored by earlier runs of the same job."""
        return self.stored - self.resumed

    @property
    def already_loaded(self) -> bool:
        """Whether earlier runs had loaded everything, so that nothing was read."""
        return bool(self.jobs) and all(job.state == "already-loaded" for job in self.jobs)

    def __str__(self) -> str:
        if self.already_loaded:
            return f"{self.table}: loaded on {self.jobs[0].loaded_on} UTC already, {self.stored:,} rows"
        fates = [
            (self.skipped, "skipped"),
            (self.rejected, "rejected"),
            (self.not_loaded, "not loaded"),
            (self.unknown, "of unknown fate"),
        ]
        parts = [f"{self.stored:,} {'checked' if self.dry_run else 'stored'}"]
        parts += [f"{count:,} {fate}" for count, fate in fates if count]
        speed = self.stored_by_this_run / max(self.seconds, 0.001)
        return (
            f"{self.table}: {self.read:,} read = {' + '.join(parts)}; {speed:,.0f} rows/s over {self.lanes} "
            f"{'lane' if self.lanes == 1 else 'lanes'} by {self.method}, {self.seconds:.1f} s"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("table", f"{self.table} on {self.server}"),
            ("read", f"{self.read:,}"),
            ("stored", f"{self.stored:,}"),
            *(
                (name, f"{count:,}")
                for name, count in (("skipped", self.skipped), ("rejected", self.rejected))
                if count
            ),
            *(
                (name, f"{count:,}")
                for name, count in (("not loaded", self.not_loaded), ("unknown", self.unknown))
                if count
            ),
            ("method", f"{self.method}: {self.method_reason}"),
            ("time", f"{self.seconds:.1f} s over {self.lanes} lanes"),
            *((f"rejected, line {reject.line}", reject.reason) for reject in self.rejects[:5]),
        ]
        cells = "".join(f"<tr><th style='text-align:left'>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows)
        return f"<table>{cells}</table>"
