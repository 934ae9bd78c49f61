"""The same, awaitable: each call waits in a thread, so that the event loop goes on.

A task that is cancelled stops its load after the chunks on their way, and waits for that: nothing is half-done when the cancellation
arrives. Cancelled once more, it stops at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from . import _connection, _inrush, _inserter, _load

if TYPE_CHECKING:
    from ._connection import BatchOutcome, Outcome
    from ._report import Report
    from ._result import Result

T = TypeVar("T")


async def load(
    data: Any,
    table: str,
    to: str | Connection | _connection.Connection | None = None,
    **options: Unpack[_load.LoadOptions],
) -> Report:
    """As `inrush.load`, with all of its options. An iterator is asked in another thread."""
    control = options.get("control") or _inrush.Control()
    options["control"] = control
    to = to._sync if isinstance(to, Connection) else to
    call = asyncio.ensure_future(asyncio.to_thread(_load.load, data, table, to, **options))
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        control.stop()
        await _ended(call, control)
        raise


async def _ended(call: asyncio.Future[Any], control: _inrush.Control) -> None:
    """Waits for a load that was stopped, whatever comes of it."""
    while not call.done():
        try:
            await asyncio.shield(asyncio.wait([call]))
        except asyncio.CancelledError:
            control.stop()
    # It is known: the cancellation is what the caller hears of.
    if not call.cancelled():
        call.exception()


async def query(
    sql: str,
    params: _connection.Params = (),
    *,
    to: str | None = None,
    batch_rows: int | None = None,
    invalid_dates: str = "error",
) -> Result:
    """As `inrush.query`; rows are read by `await rows(result)`, or in a thread."""
    return await _whole(_connection.query, sql, params, to=to, batch_rows=batch_rows, invalid_dates=invalid_dates)


async def rows(result: Result) -> list[tuple[Any, ...]]:
    """All rows that were not read yet."""
    return await _whole(result.rows)


class Connection:
    """As `inrush.Connection`. One call at a time: a second one waits for the first."""

    def __init__(self, connection: _connection.Connection) -> None:
        self._sync = connection
        self._turn = asyncio.Lock()

    async def execute(self, sql: str, params: _connection.Params = ()) -> Outcome:
        async with self._turn:
            return await _whole(self._sync.execute, sql, params)

    async def executemany(
        self, sql: str, rows: Iterable[Sequence[Any]] | Any, *, bad_rows: str = "stop"
    ) -> BatchOutcome:
        async with self._turn:
            return await _whole(self._sync.executemany, sql, rows, bad_rows=bad_rows)

    async def query(
        self,
        sql: str,
        params: _connection.Params = (),
        *,
        batch_rows: int | None = None,
        invalid_dates: str = "error",
    ) -> list[tuple[Any, ...]]:
        """Runs a query and returns all its rows."""
        async with self._turn:
            return await _whole(
                lambda: self._sync.query(sql, params, batch_rows=batch_rows, invalid_dates=invalid_dates).rows()
            )

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """Committed at the end of the block, rolled back at an exception or a cancellation."""
        await self.execute("START TRANSACTION")
        try:
            yield self
        except BaseException:
            if not self._sync.is_closed and self._sync.in_transaction:
                await asyncio.shield(self.execute("ROLLBACK"))
            raise
        await self.execute("COMMIT")

    async def load(self, data: Any, table: str, **options: Unpack[_load.LoadOptions]) -> Report:
        """`load` to this connection's server, over connections of its own."""
        return await load(data, table, self, **options)

    async def close(self) -> None:
        async with self._turn:
            await _whole(self._sync.close)

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def connect(to: str | None = None) -> Connection:
    """As `inrush.connect`."""
    return Connection(await _whole(_connection.connect, to))


class Inserter:
    """As `inrush.Inserter`, for tasks: `await inserter.insert(row)` returns once the row is stored.

    No thread waits for a row: what became of many is heard of at once. A task that is cancelled leaves its row in the queue.

    >>> import asyncio
    >>> async def visit():
    ...     async with inrush.aio.Inserter("visits", url, columns=["page", "n"]) as visits:
    ...         await asyncio.gather(*(visits.insert(["/about", n]) for n in range(100)))
    ...         return visits.status().stored
    >>> asyncio.run(visit())
    100
    """

    def __init__(self, table: str, to: Any = None, **options: Unpack[_inserter.InserterOptions]) -> None:
        to = to._sync if isinstance(to, Connection) else to
        self._inserter = _inrush.AsyncInserter(getattr(to, "_connection", to), table, dict(options))
        self._waiting: dict[int, asyncio.Future[int | None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._brought = 0

    async def insert(self, row: _inserter.Row) -> int | None:
        """Stores a row, and returns once it is stored for good: the id that the server made, if it tells."""
        number, answer = self._expect()
        try:
            self._inserter.bring(number, row)
        except BaseException:
            del self._waiting[number]
            raise
        return await answer

    async def flush(self) -> None:
        """Waits until every row that was brought before has its answer."""
        await self._flush(False)

    async def close(self) -> None:
        """Takes no more rows, writes those that are there, and waits for that."""
        try:
            await self._flush(True)
        finally:
            self._inserter.shutdown()
            if self._loop is not None:
                self._loop.remove_reader(self._inserter.fileno())
                self._loop = None

    def status(self) -> _inserter.InserterStatus:
        """What waits, and what became of the rows so far."""
        return _inserter.InserterStatus(*self._inserter.status())

    async def __aenter__(self) -> Inserter:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _flush(self, close: bool) -> None:
        number, answer = self._expect()
        self._inserter.flush(number, close)
        await answer

    def _expect(self) -> tuple[int, asyncio.Future[int | None]]:
        """A number, and what waits for the answer to it."""
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
            loop.add_reader(self._inserter.fileno(), self._hear)
        elif self._loop is not loop:
            raise RuntimeError("this inserter belongs to another event loop")
        self._brought += 1
        self._waiting[self._brought] = answer = loop.create_future()
        return self._brought, answer

    def _hear(self) -> None:
        for number, id, error in self._inserter.answers():
            answer = self._waiting.pop(number)
            # Whoever waited may be cancelled.
            if answer.done():
                continue
            if error is None:
                answer.set_result(id)
            else:
                answer.set_exception(error)


async def _whole(call: Callable[..., T], *args: Any, **options: Any) -> T:
    """A call is waited for to its end even if the task is cancelled: a statement on its way is not taken back by nobody listening."""
    running = asyncio.ensure_future(asyncio.to_thread(call, *args, **options))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            try:
                await asyncio.shield(asyncio.wait([running]))
            except asyncio.CancelledError:
                continue
        if not running.cancelled():
            running.exception()
        raise
