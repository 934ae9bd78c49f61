# pyright: basic, reportMissingImports=false
"""`inrush.ray`: a Dataset of Ray into a table, each row once, and a table as a Dataset.

Each write task is a part of a named job: a task that is run again finds what its earlier attempt has stored. It needs `inrush`, `ray[data]`
and `pyarrow` on every node.

>>> import inrush.ray
>>> inrush.ray.write(dataset, "orders", url, job="orders of 2026-11-24")
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import pyarrow as pa
import ray.data
from ray.data.block import BlockAccessor, BlockMetadata
from ray.data.datasource import ReadTask

import inrush

from . import _ranges


def write(
    dataset: ray.data.Dataset,
    table: str,
    to: str | None = None,
    *,
    job: str | None = None,
    concurrency: int | None = None,
    **options: Any,
) -> list[Stored]:
    """Loads a Dataset, each row once: tasks that Ray runs again store nothing twice.

    Args:
        dataset: its blocks are loaded by Ray's tasks, which need `inrush`.
        table: `table` or `database.table`.
        to: a URL; None: INRUSH_URL of each worker, or its option files.
        job: a name by which a later call knows the same rows: it loads what is missing. The Dataset must then give the same blocks in the
            same order; where it does not, the call fails, and stores nothing twice. Without a name, rows are stored once by this call, and
            once more by the next.
        concurrency: the most tasks that load at the same time.
        options: as of `inrush.load`; of them `rate` is that of each task.

    Returns:
        What each task has stored, in the order of the tasks.

    Raises:
        Error: what does not fit the table, before a task starts.
        ray.exceptions.RayTaskError: what a task raised; the parts that are stored stay.
    """
    sink = Datasink(table, to, job=job, **options)
    execution = dataset.context.execution_options
    kept = execution.preserve_order
    # Blocks in the order of the source, so that each has the number that it had in an earlier call.
    execution.preserve_order = kept or job is not None
    try:
        dataset.write_datasink(sink, concurrency=concurrency)
    finally:
        execution.preserve_order = kept
    return sink.stored


def read(
    table: str,
    to: str | None = None,
    columns: Sequence[str] | None = None,
    *,
    partition_on: str | None = None,
    partitions: int | None = None,
    concurrency: int | None = None,
) -> ray.data.Dataset:
    """A table as a Dataset.

    Args:
        table: `table` or `database.table`.
        to: a URL; None: INRUSH_URL of each worker, or its option files.
        columns: those that are read; None: all.
        partition_on: a column of whole numbers, by whose ranges tasks read side by side, each in a transaction of its own.
        partitions: how many ranges; None: as many as Ray suggests.
        concurrency: the most tasks that read at the same time.
    """
    source = Datasource(table, to, columns, partition_on=partition_on)
    blocks = partitions if partition_on is not None else 1
    return ray.data.read_datasource(source, concurrency=concurrency, override_num_blocks=blocks)


@dataclass(frozen=True)
class Stored:
    """What a task has done."""

    part: int
    rows: int
    already_loaded: bool


class Datasink(ray.data.Datasink):
    """Where `Dataset.write_datasink` writes: see `write`, which also keeps the blocks of a named job in their order."""

    def __init__(self, table: str, to: str | None = None, *, job: str | None = None, **options: Any) -> None:
        self.table, self.to, self.options = table, to, options
        self.stored: list[Stored] = []
        # Attempts of a task get the same blocks, so within one run the name alone is compared. Another run may bring other blocks under the
        # same number: then their content decides.
        self.job = job or f"ray {uuid.uuid4()}"
        self.names_decide = job is None

    def on_write_start(self, schema: Any = None) -> None:
        """Compares the columns with the table's, before a task starts."""
        if isinstance(schema, pa.Schema):
            inrush.load(schema.empty_table(), self.table, self.to, dry_run=True, **self.options)

    def write(self, blocks: Iterable[Any], ctx: Any) -> Stored:
        rows = batches(blocks)
        first = next(rows, None)
        if first is None:
            return Stored(ctx.task_idx, 0, False)
        given = {"lanes": 1, "batch": "64MiB", **self.options}
        if self.names_decide:
            given["if_loaded"] = "skip"
        report = inrush.load(chain([first], rows), self.table, self.to, job=self.job, part=ctx.task_idx, **given)
        return Stored(ctx.task_idx, report.stored, report.already_loaded)

    def on_write_complete(self, write_result: Any) -> None:
        self.stored = sorted(write_result.write_returns, key=lambda stored: stored.part)

    def get_name(self) -> str:
        return "inrush"


class Datasource(ray.data.Datasource):
    """What `ray.data.read_datasource` reads: see `read`."""

    def __init__(
        self,
        table: str,
        to: str | None = None,
        columns: Sequence[str] | None = None,
        *,
        partition_on: str | None = None,
    ) -> None:
        super().__init__()
        self.table, self.to, self.partition_on = table, to, partition_on
        self.schema = _ranges.schema_of(to, table)
        self._projection_map = None
        if columns is not None:
            missing = [name for name in columns if name not in self.schema.names]
            if missing:
                raise inrush.InterfaceError(
                    f"`{table}` has no column {', '.join(f'`{name}`' for name in missing)}", kind="config"
                )
            self._projection_map = {name: name for name in columns}

    def supports_projection_pushdown(self) -> bool:
        return True

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        names = self.schema.names if self._projection_map is None else list(self._projection_map)
        schema = pa.schema([self.schema.field(name) for name in names])
        tasks = []
        for of in _ranges.ranges(self.to, self.table, self.partition_on, parallelism):
            read_fn = partial(tables, self.to, self.table, names, self.partition_on, of)
            metadata = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
            tasks.append(ReadTask(read_fn, metadata, schema=schema, per_task_row_limit=per_task_row_limit))
        return tasks

    def get_name(self) -> str:
        return "inrush"


def batches(blocks: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    """The rows of blocks of any kind."""
    for block in blocks:
        for batch in BlockAccessor.for_block(block).to_arrow().to_batches():
            if batch.num_rows:
                yield batch


def tables(to: str | None, table: str, columns: Sequence[str], on: str | None, of: _ranges.Range) -> Iterator[pa.Table]:
    """The rows of a range as Ray takes them."""
    for batch in _ranges.batches(to, table, columns, on, of):
        yield pa.Table.from_batches([batch])
