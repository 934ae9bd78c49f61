"""The data source with tasks that fail after their rows are committed, as an executor does that dies before its answer is heard.

Its streams also have a driver that fails, or waits to be killed, before or after it has moved a micro-batch into the table.
Each fault happens once: a file in the folder `path` marks it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import inrush.spark

KILLS = ("before-1", "after-2")
"""Where a driver is killed: before it moves a micro-batch into the table, and after that, before Spark notes it."""


class FaultyWriter(inrush.spark.Writer):
    def write(self, iterator: Iterator[pa.RecordBatch]) -> inrush.spark.Stored:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context
        stored = super().write(iterator)
        # Its first two attempts, of every second partition.
        if context.partitionId() % 2 == 0 and context.attemptNumber() < 2:
            raise RuntimeError("lost after the COMMIT")
        return stored


class FaultyOverwriteWriter(inrush.spark.OverwriteWriter):
    def write(self, iterator: Iterator[pa.RecordBatch]) -> inrush.spark.Staged:
        return fail_at_first(super().write(iterator))


class FaultyStreamWriter(inrush.spark.StreamWriter):
    marks: Path
    is_killed: bool

    def write(self, iterator: Iterator[pa.RecordBatch]) -> inrush.spark.Staged:
        return fail_at_first(super().write(iterator))

    def commit(self, messages: list[inrush.spark.Staged | None], batchId: int) -> None:
        if batchId % 3 == 1:
            self.end(f"before-{batchId}")
        super().commit(messages, batchId)
        if batchId % 3 == 2:
            self.end(f"after-{batchId}")

    def end(self, name: str) -> None:
        mark = self.marks / name
        if mark.exists() or (self.is_killed and name not in KILLS):
            return
        mark.touch()
        if not self.is_killed:
            raise RuntimeError(f"the driver fails: {name}")
        # The test kills the driver now, which is the parent of this process or of its parent.
        parent = os.getppid()
        while os.getppid() == parent:
            time.sleep(0.1)
        os._exit(1)


def fail_at_first(staged: inrush.spark.Staged) -> inrush.spark.Staged:
    """Fails the first attempt of every second task, when its rows are in its stage."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context
    if context.partitionId() % 2 == 0 and context.attemptNumber() == 0:
        raise RuntimeError("lost after the COMMIT")
    return staged


class FaultyDataSource(inrush.spark.InrushDataSource):
    @classmethod
    def name(cls) -> str:
        return "faulty"

    def writer(self, schema: Any, overwrite: bool) -> Any:
        writer = super().writer(schema, overwrite)
        if isinstance(writer, inrush.spark.OverwriteWriter):
            return FaultyOverwriteWriter(writer.options, writer.target)
        return FaultyWriter(writer.options)

    def streamWriter(self, schema: Any, overwrite: bool) -> FaultyStreamWriter:
        writer = super().streamWriter(schema, overwrite)
        faulty = FaultyStreamWriter(writer.options, writer.target)
        faulty.marks = Path(self.options["path"])
        faulty.is_killed = (faulty.marks / "killed").exists()
        return faulty
