# pyright: basic, reportMissingImports=false
"""`inrush.spark`: a data source for Spark 4, whose tasks store every row once.

Of an append each partition is a part of a named job: a task that is run again, or twice at the same time, finds what its twin has
stored. Of an overwrite and of a stream each attempt fills a stage, and the driver moves the stages of the attempts that Spark names into
the table, in one transaction. It needs `inrush`, `pyspark` and `pyarrow` on the driver and on every executor.

>>> import inrush.spark
>>> inrush.spark.register(spark)
>>> frame.write.format("inrush").mode("append").options(url=url, table="orders", job="orders of 2026-11-24", parts="24").save()
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa
import pyspark.sql.datasource
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

from . import _filters, _ranges, _stages

# Spark has it from 4.1 on; `streamWriter` says so.
DataSourceStreamArrowWriter: Any = getattr(pyspark.sql.datasource, "DataSourceStreamArrowWriter", object)

LOAD_OPTIONS = (
    "method",
    "batch",
    "mode",
    "key",
    "memory",
    "lanes",
    "rate",
    "throttle",
    "unreadable_signals",
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

OWN_OPTIONS = ("url", "table", "job", "parts", "partition_on", "partitions", "push_filters")

SPARK_OPTIONS = ("path", "checkpointlocation", "queryname")
"""Options of Spark itself, which it hands on."""


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
        return from_arrow_schema(for_spark(_ranges.schema_of(options.url, options.table)))

    def reader(self, schema: StructType) -> DataSourceReader:
        options = Options.read(self.options)
        return FilteringReader(options, schema) if options.push_filters else Reader(options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        options = Options.read(self.options)
        if overwrite:
            return OverwriteWriter(options, options.target(schema, 'mode("overwrite")'))
        options.check(to_arrow_schema(schema))
        return Writer(options)

    def streamWriter(self, schema: StructType, overwrite: bool) -> Any:
        options = Options.read(self.options)
        if DataSourceStreamArrowWriter is object:
            raise inrush.NotSupportedError("streams need Spark 4.1 or later", kind="config")
        if overwrite:
            raise inrush.InterfaceError(
                'outputMode("complete") is not supported: use outputMode("update") with `mode` upsert, or outputMode("append")',
                kind="config",
            )
        return StreamWriter(options, options.target(schema, "a stream"))


def stages(table: str, to: str | None = None) -> list[str]:
    """The stages of a table: those of attempts at work, and those that a killed driver or executor has left."""
    return _stages.stages(table, to)


def sweep(table: str, to: str | None = None) -> list[str]:
    """Drops all stages of a table, and returns their names. Use it while no stream and no overwrite writes to the table."""
    names = _stages.stages(table, to)
    _stages.drop(_stages.Target(to, table, (), "insert"), names, dead=True)
    return names


@dataclass
class Options:
    """What `.option(..)` has given."""

    url: str | None
    table: str
    job: str | None
    parts: int | None
    partition_on: str | None
    partitions: int
    push_filters: bool
    load: dict[str, Any]

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Options:
        """Every mistake at once."""
        # Spark hands them over in lower case, or as they were written.
        given = {name.lower(): value for name, value in given.items()}
        wrong = [
            f"`{name}` is no option" for name in given if name not in (*LOAD_OPTIONS, *OWN_OPTIONS, *SPARK_OPTIONS)
        ]
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
        if given.get("push_filters", "false").lower() not in ("true", "false"):
            wrong.append(f"`push_filters` is true or false, and not `{given['push_filters']}`")
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
        push_filters = given.get("push_filters", "false").lower() == "true"
        return cls(url, given["table"], job, parts, on, partitions, push_filters, load)

    def check(self, schema: pa.Schema) -> None:
        """Compares the columns with the table's, before a task starts."""
        inrush.load(schema.empty_table(), self.table, self.url, dry_run=True, **self.load)

    def target(self, schema: StructType, what: str) -> _stages.Target:
        """What stages are moved into, after all checks."""
        wrong = []
        if self.job is not None:
            wrong.append(f"`job` and `parts` are options of an append, and not of {what}, which needs no name")
        mode = self.load.get("mode", "insert")
        if mode not in _stages.MODES:
            wrong.append(f"`mode` of {what} is {', '.join(_stages.MODES)}, and not `{mode}`")
        if self.load.get("columns") == "position":
            wrong.append(f"`columns` of {what} are `name` or a list of names, and not `position`")
        if wrong:
            raise inrush.InterfaceError("; ".join(wrong), kind="config")
        self.check(to_arrow_schema(schema))
        given = self.load.get("columns", "name")
        names = schema.names if given == "name" else given
        columns = _stages.columns_of(self.url, self.table, names)
        return _stages.Target(self.url, self.table, columns, mode, tuple(self.load.get("key", ())))

    @property
    def retry_for(self) -> float:
        """In seconds. `check` has seen that the load takes it."""
        found = re.fullmatch(r"([0-9.]+) *(ms|s|m|h|)", str(self.load.get("retry_for", 600)))
        return float(found[1]) * {"ms": 0.001, "m": 60, "h": 3600}.get(found[2], 1) if found else 600


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
class Staged(WriterCommitMessage):
    """What an attempt has written: no row of it is in the table yet."""

    owner: str
    stage: str | None
    rows: int


def stage(options: Options, target: _stages.Target, owner: str, batches: Iterator[pa.RecordBatch]) -> Staged:
    """Writes an attempt's rows into a stage of its own."""
    first = next(batches, None)
    if first is None:
        return Staged(owner, None, 0)
    name = _stages.make(target, owner)
    given = {"lanes": 1, **options.load}
    report = inrush.load(chain([first], batches), target.beside(name), options.url, **given)
    return Staged(owner, name, report.stored)


def chosen(messages: list[Staged | None]) -> list[str]:
    """The stages of the attempts that Spark names."""
    if None in messages:
        raise inrush.IntegrityError(
            "Spark commits a write, and names no attempt for one of its tasks: nothing is stored", kind="guarantee"
        )
    return [message.stage for message in messages if message is not None and message.stage is not None]


class OverwriteWriter(DataSourceArrowWriter):
    """Replaces the rows of a table at one moment."""

    def __init__(self, options: Options, target: _stages.Target) -> None:
        self.options = options
        self.target = target
        self.owner = str(uuid.uuid4())

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        return stage(self.options, self.target, self.owner, iterator)

    def commit(self, messages: list[Staged | None]) -> None:
        names = chosen(messages)
        _stages.publish_anew(self.target, names, self.options.retry_for)
        _stages.sweep(self.target, self.owner, names)

    def abort(self, messages: list[Staged | None]) -> None:
        _stages.sweep(self.target, self.owner, ())


class StreamWriter(DataSourceStreamArrowWriter):
    """Stores each micro-batch of a streaming query once. The query's id, which is in its checkpoint, is its name."""

    def __init__(self, options: Options, target: _stages.Target) -> None:
        self.options = options
        self.target = target

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        from pyspark import TaskContext

        context = TaskContext.get()
        query = context.getLocalProperty("sql.streaming.queryId") if context else None
        if not query:
            raise inrush.NotSupportedError(
                "this version of Spark gives its tasks no `sql.streaming.queryId`", kind="config"
            )
        return stage(self.options, self.target, query, iterator)

    def commit(self, messages: list[Staged | None], batchId: int) -> None:
        names = chosen(messages)
        owners = {message.owner for message in messages if message is not None}
        if names:
            (query,) = owners
            _stages.publish_batch(self.target, query, batchId, names, self.options.retry_for)
        for owner in owners:
            _stages.sweep(self.target, owner, names)

    def abort(self, messages: list[Staged | None], batchId: int) -> None:
        # Where no attempt is known, neither is the query: its next commit drops what is left.
        for owner in {message.owner for message in messages if message is not None}:
            _stages.sweep(self.target, owner, ())


@dataclass
class Partition(InputPartition):
    """What a task reads."""

    of: _ranges.Range


class Reader(DataSourceReader):
    """Reads a table, whole or by ranges of a key."""

    def __init__(self, options: Options, schema: StructType) -> None:
        self.options = options
        self.schema = to_arrow_schema(schema)
        # What the server leaves out.
        self.condition: tuple[str, list[Any]] = ("", [])

    def partitions(self) -> list[InputPartition]:
        options = self.options
        ranges = _ranges.ranges(options.url, options.table, options.partition_on, options.partitions)
        return [Partition(of) for of in ranges]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Partition)
        options, schema = self.options, self.schema
        key, of = options.partition_on, partition.of
        return _ranges.batches(options.url, options.table, schema.names, key, of, schema, self.condition)


class FilteringReader(Reader):
    """The same, for sessions with `spark.sql.python.filterPushdown.enabled`: Spark takes no reader with this method in others."""

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        self.condition = _filters.condition(filters, _filters.types_of(self.options.url, self.options.table))
        return filters


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
