# pyright: basic, reportMissingImports=false
"""`inrush.spark`: a data source for Spark 4, whose tasks store every row once.

Each partition is a part of a named job: a task that is run again, or twice at the same time, finds what its twin has stored. It needs
`inrush`, `pyspark` and `pyarrow` on the driver and on every executor.

>>> import inrush.spark
>>> inrush.spark.register(spark)
>>> frame.write.format("inrush").mode("append").options(url=url, table="orders", job="orders of 2026-11-24", parts="24").save()
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

import inrush

LOAD_OPTIONS = (
    "method",
    "batch",
    "mode",
    "key",
    "memory",
    "lanes",
    "rate",
    "throttle",
    "max_lag",
    "replica",
    "unreadable_replicas",
    "max_bad",
    "retry_for",
    "sort",
    "columns",
    "bad_rows",
    "nan",
    "time_zone",
)
"""Options that are those of `inrush.load`."""

OWN_OPTIONS = ("url", "table", "job", "parts", "partition_on", "partitions")


def register(spark: Any) -> None:
    """Makes `format("inrush")` known to a session."""
    spark.dataSource.register(InrushDataSource)


class InrushDataSource(DataSource):
    """Tables of MySQL and MariaDB, under the name `inrush`."""

    @classmethod
    def name(cls) -> str:
        return "inrush"

    def schema(self) -> StructType:
        """The columns of the table, in types that Spark has."""
        options = Options.read(self.options)
        rows = inrush.query(f"SELECT * FROM {options.quoted()} LIMIT 0", to=options.url).arrow()
        return from_arrow_schema(for_spark(rows.schema))

    def reader(self, schema: StructType) -> DataSourceReader:
        return Reader(Options.read(self.options), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        options = Options.read(self.options)
        if overwrite:
            raise inrush.InterfaceError(
                'mode("overwrite") is not there: its tasks would not replace the table at one moment; empty the table first, and use'
                ' mode("append")',
                kind="config",
            )
        options.check(to_arrow_schema(schema))
        return Writer(options)


@dataclass
class Options:
    """What `.option(..)` has given."""

    url: str | None
    table: str
    job: str | None
    parts: int | None
    partition_on: str | None
    partitions: int
    load: dict[str, Any]

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Options:
        """Every mistake at once."""
        # Spark hands them over in lower case, or as they were written.
        given = {name.lower(): value for name, value in given.items()}
        wrong = [f"`{name}` is no option" for name in given if name not in (*LOAD_OPTIONS, *OWN_OPTIONS, "path")]
        if not given.get("table"):
            wrong.append("`table` is missing")
        for name in ("parts", "partitions"):
            if name in given and not (given[name].isdigit() and int(given[name]) > 0):
                wrong.append(f"`{name}` is not a number from 1 on: `{given[name]}`")
        if ("job" in given) != ("parts" in given):
            wrong.append(
                "`job` and `parts` belong together: parts is the number of partitions, by which rows are divided"
            )
        if ("partition_on" in given) != ("partitions" in given):
            wrong.append("`partition_on` and `partitions` belong together")
        if wrong:
            raise inrush.InterfaceError("; ".join(wrong), kind="config")
        load: dict[str, Any] = {name: given[name] for name in LOAD_OPTIONS if name in given}
        load = {name: int(value) if value.isdigit() else value for name, value in load.items()}
        if "key" in load:
            load["key"] = [name.strip() for name in given["key"].split(",")]
        if given.get("columns") not in (None, "name", "position"):
            load["columns"] = [name.strip() for name in given["columns"].split(",")]
        parts = int(given["parts"]) if "parts" in given else None
        partitions = int(given.get("partitions", "1"))
        url, job, on = given.get("url"), given.get("job"), given.get("partition_on")
        return cls(url, given["table"], job, parts, on, partitions, load)

    def quoted(self) -> str:
        return ".".join(quoted(name) for name in self.table.split("."))

    def check(self, schema: pa.Schema) -> None:
        """Compares the columns with the table's, before a task starts."""
        inrush.load(schema.empty_table(), self.table, self.url, dry_run=True, **self.load)


@dataclass
class Stored(WriterCommitMessage):
    """What a task has done."""

    partition: int
    rows: int
    already_loaded: bool


class Writer(DataSourceArrowWriter):
    """Appends partitions, each as a part."""

    def __init__(self, options: Options) -> None:
        self.options = options
        # Known to no later run: then nothing is stored twice within this one.
        self.job = options.job or f"spark {uuid.uuid4()}"

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Stored:
        from pyspark import TaskContext

        context = TaskContext.get()
        partition = context.partitionId() if context else 0
        options = self.options
        if options.parts is not None and partition >= options.parts:
            raise inrush.InterfaceError(
                f"partition {partition} is one more than `parts`, which is {options.parts}: repartition({options.parts}) makes so many",
                kind="config",
            )
        first = next(iterator, None)
        if first is None:
            return Stored(partition, 0, False)
        given = {"lanes": 1, "batch": "64MiB", **options.load}
        report = inrush.load(
            chain([first], iterator),
            options.table,
            options.url,
            job=self.job,
            part=partition,
            parts=options.parts,
            if_loaded="skip",
            **given,
        )
        return Stored(partition, report.stored, report.already_loaded)

    def commit(self, messages: list[Stored | None]) -> None:
        parts = self.options.parts
        if parts is not None and len(messages) != parts:
            raise inrush.InterfaceError(
                f"`parts` is {parts}, and the DataFrame has {len(messages)} partitions, all of which are stored: give the right number from"
                f" the next job on, or use repartition({parts})",
                kind="config",
            )

    def abort(self, messages: list[Stored | None]) -> None:
        """What is stored stays: the same job goes on there."""


@dataclass
class Range(InputPartition):
    """Keys from `first` to before `end`; None is without a bound."""

    first: int | None
    end: int | None


class Reader(DataSourceReader):
    """Reads a table, whole or by ranges of a key."""

    def __init__(self, options: Options, schema: StructType) -> None:
        self.options = options
        self.schema = to_arrow_schema(schema)

    def partitions(self) -> list[InputPartition]:
        options = self.options
        if options.partition_on is None:
            return [Range(None, None)]
        key = quoted(options.partition_on)
        least, most = inrush.query(f"SELECT MIN({key}), MAX({key}) FROM {options.quoted()}", to=options.url).rows()[0]
        if least is None:
            return [Range(None, None)]
        if not isinstance(least, int):
            raise inrush.InterfaceError(
                f"`partition_on` needs a column of whole numbers, and `{options.partition_on}` is none", kind="config"
            )
        count = min(options.partitions, most - least + 1)
        borders = [least + (most - least + 1) * n // count for n in range(1, count)]
        return [Range(first, end) for first, end in zip([None, *borders], [*borders, None], strict=True)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Range)
        columns = ", ".join(quoted(name) for name in self.schema.names)
        sql, values = f"SELECT {columns} FROM {self.options.quoted()}", []
        if self.options.partition_on is not None:
            key = quoted(self.options.partition_on)
            bounds = []
            if partition.first is not None:
                bounds.append(f"{key} >= ?")
                values.append(partition.first)
            if partition.end is not None:
                bounds.append(f"{key} < ?")
                values.append(partition.end)
            if bounds:
                # Rows without a key are in the first range.
                sql += f" WHERE {' AND '.join(bounds)}" + (f" OR {key} IS NULL" if partition.first is None else "")
        with inrush.query(sql, values, to=self.options.url) as rows:
            for batch in pa.RecordBatchReader.from_stream(rows):
                yield pa.RecordBatch.from_arrays(
                    [column.cast(field.type) for column, field in zip(batch.columns, self.schema, strict=True)],
                    schema=self.schema,
                )


def for_spark(schema: pa.Schema) -> pa.Schema:
    """The same with types that Spark has: numbers without a sign become the next larger ones, times of day texts."""
    types = {
        pa.uint8(): pa.int16(),
        pa.uint16(): pa.int32(),
        pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
    }

    def known(field: pa.Field) -> pa.Field:
        if pa.types.is_time(field.type) or pa.types.is_duration(field.type) or pa.types.is_null(field.type):
            return field.with_type(pa.string())
        if pa.types.is_dictionary(field.type):
            return field.with_type(field.type.value_type)
        return field.with_type(types.get(field.type, field.type))

    return pa.schema([known(field) for field in schema])


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return "`" + name.replace("`", "``") + "`"
