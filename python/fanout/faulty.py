"""The data source with tasks that fail after their rows are committed, as an executor does that dies before its answer is heard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

import inrush.spark


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


class FaultyDataSource(inrush.spark.InrushDataSource):
    @classmethod
    def name(cls) -> str:
        return "faulty"

    def writer(self, schema: Any, overwrite: bool) -> FaultyWriter:
        return FaultyWriter(super().writer(schema, overwrite).options)
