"""`inrush.load`: what is given, as the extension takes it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from . import _inrush
from ._errors import InterfaceError

if TYPE_CHECKING:
    from ._connection import Connection
    from ._report import Progress, Report


class FileOptions(TypedDict, total=False):
    """How files are read: the options of `inrush load`, with underscores. What is not given is found out, or is an error that says so."""

    format: Literal["auto", "csv", "tsv", "jsonl", "json", "parquet", "arrow", "xlsx", "sql"]
    """By the content and the name of each file; one that is given is read as its standard says."""
    json_path: str
    """Where the array of rows is in a JSON document: `data.rows`; `.` is the document itself."""
    delimiter: str
    """One ASCII character."""
    quote: str
    """One ASCII character; the empty text: quotes are text."""
    escape: str
    """Inside quotes, the character behind it is plain text; with `quote=""` it works as in MySQL's own files."""
    comment: str
    """What a line begins with that is skipped wherever it stands; a field in quotes does not begin with it."""
    header: bool
    """Whether the first line has the names of the columns."""
    header_names: Literal["auto", "keep"]
    """"keep" leaves the names of a header as they are."""
    null: str | Sequence[str]
    """Whole unquoted fields that mean NULL, such as "NA"."""
    encoding: str
    """`latin1`, `utf-16le`, ..; "auto" guesses it."""
    decimal: str
    """The character before the fraction of a number."""
    thousands: str
    """The character between groups of three digits."""
    currency: str | Sequence[str]
    """Signs or words that may stand before or behind numbers."""
    percent: Literal["strip", "share"]
    """What `12.5 %` is: 12.5 or 0.125."""
    true: str | Sequence[str]
    """Words that mean 1 in columns of whole numbers and bits."""
    false: str | Sequence[str]
    """Words that mean 0 there."""
    date_format: str | Sequence[str] | Mapping[str, str]
    """How dates and times are written, as for strptime; a dict has those of single fields."""
    widths: str | Sequence[int]
    """Fields without a delimiter: how many characters each has."""
    extra_fields: Literal["error", "ignore"]
    """What becomes of fields behind those of the header, and of names in JSON that are no columns."""
    missing_fields: Literal["error", "null"]
    """What fields are that a record lacks at its end."""
    formulas: Literal["error", "stored"]
    """What a formula of a workbook is whose result is not in the file; "stored": NULL, or 0 if that is there."""
    skip: int | Literal["auto"]
    """Lines of each file to pass over, before its header; "auto": all that stand before its table."""
    limit: int
    """The most records of each file."""


class LoadOptions(FileOptions, total=False):
    """The options of `inrush.load`, for what hands them on. Each is explained there."""

    method: str | None
    batch: int | str | None
    mode: str
    new_columns: str
    missing_columns: str
    key: Sequence[str] | str
    memory: int | str
    lanes: int | str | None
    guarantee: str
    rate: int | str | None
    throttle: Sequence[str] | str
    unreadable_signals: str
    max_lag: float | str | None
    replica: Sequence[str] | str
    unreadable_replicas: str
    max_bad: int | str | None
    min_rows: int | str | None
    keep_old: float | str | None
    allow_empty: bool
    before: Sequence[str] | str
    after: Sequence[str] | str
    defer_indexes: bool
    retry_for: float | str
    dry_run: bool
    again: bool
    trust_source: bool
    truncate: bool
    sort: str
    atomic: bool
    unchecked: Sequence[str] | str
    replace_table: bool
    create: bool | str | None
    columns: str | Sequence[str]
    job: str | None
    part: str | int | None
    parts: int | None
    bad_rows: str
    nan: str
    nanoseconds: str
    time_zone: str
    index: bool
    sample: int | str | None
    tight: bool
    type: Mapping[str, str] | Sequence[str] | str
    set: Sequence[str] | str
    force: bool
    if_loaded: str
    temp_dir: str | os.PathLike[str] | None
    tuning_trace: str | os.PathLike[str] | None
    progress: bool | Callable[[Progress], object] | None
    events: str | os.PathLike[str] | Callable[[dict[str, Any]], object] | None
    control: _inrush.Control | None


def load(
    data: Any,
    table: str,
    to: str | Connection | None = None,
    *,
    method: str | None = None,
    batch: int | str | None = None,
    mode: str = "insert",
    new_columns: str = "error",
    missing_columns: str = "default",
    key: Sequence[str] | str = (),
    memory: int | str = "256MiB",
    lanes: int | str | None = None,
    guarantee: str = "exactly-once",
    rate: int | str | None = None,
    throttle: Sequence[str] | str = (),
    unreadable_signals: str = "stop",
    max_lag: float | str | None = None,
    replica: Sequence[str] | str = (),
    unreadable_replicas: str = "stop",
    max_bad: int | str | None = None,
    min_rows: int | str | None = None,
    keep_old: float | str | None = None,
    allow_empty: bool = False,
    before: Sequence[str] | str = (),
    after: Sequence[str] | str = (),
    defer_indexes: bool = False,
    retry_for: float | str = 600,
    dry_run: bool = False,
    again: bool = False,
    trust_source: bool = False,
    truncate: bool = False,
    sort: str = "auto",
    atomic: bool = False,
    unchecked: Sequence[str] | str = (),
    replace_table: bool = False,
    create: bool | str | None = None,
    columns: str | Sequence[str] = "name",
    job: str | None = None,
    part: str | int | None = None,
    parts: int | None = None,
    bad_rows: str = "stop",
    nan: str = "error",
    nanoseconds: str = "error",
    time_zone: str = "+00:00",
    index: bool = False,
    sample: int | str | None = None,
    tight: bool = False,
    type: Mapping[str, str] | Sequence[str] | str = (),
    set: Sequence[str] | str = (),
    force: bool = False,
    if_loaded: str = "error",
    temp_dir: str | os.PathLike[str] | None = None,
    tuning_trace: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    events: str | os.PathLike[str] | Callable[[dict[str, Any]], object] | None = None,
    control: _inrush.Control | None = None,
    **files: Unpack[FileOptions],
) -> Report:
    """Loads rows into a table, each exactly once.

    Args:
        data: a path or several (CSV, JSON Lines, Parquet and all else that the command reads; folders, and patterns such as
            "part-*.csv"); anything with Arrow data (a DataFrame of
            polars or pandas, a table of pyarrow, a relation of DuckDB), or an iterable of such; an iterable of rows: tuples, dicts,
            dataclasses. An iterator is asked in the thread that calls, so that its exceptions come out of this call.
        table: `table` or `database.table`.
        to: a URL, `mysql://user@host/database`; or a connection, whose URL is used; None: INRUSH_URL, or the option files.
        method: how rows are written: `auto`, `load-data`, `bulk` (MariaDB), `multi-row-prepared` or `multi-row`.
        batch: rows or bytes of a chunk, which is one transaction: `64000`, `4MiB`; `auto` adapts it.
        mode: `insert`, `ignore`, `replace`, `upsert`, `update` or `delete`: what happens to a row whose key exists, or
            does not; `undo` deletes what a load has inserted.
        new_columns: what happens to fields that the table has no column for: `error`, `ignore`, or `add` (one ALTER
            TABLE before the first row, types as for `create=True`).
        missing_columns: what columns of the table get that the files have no field for: `default`, `null`, or `error`:
            the load is refused.
        key: the columns of the unique key that the mode goes by, without it the primary key; of a new table its primary
            key.
        memory: the memory limit for rows in progress, in bytes: `256MiB`, `1GiB`.
        lanes: connections side by side: `auto` measures how many pay off.
        guarantee: `exactly-once` needs a table with transactions, `at-least-once` takes any.
        rate: the most rows a second: `5000`, `50k`; without it as fast as it goes.
        throttle: wait while the server has too much to do: `threads-running`, `commit-latency` (beside that before the
            load), `history` (undo logs), `checkpoint-age` (redo), `flow-control` (Galera), `group-queue` (Group
            Replication), each with its limit.
        unreadable_signals: what happens if a signal of `throttle` cannot be read: `stop` (do not begin; later wait for
            it, for `retry_for`) or `ignore`.
        max_lag: wait while a replica is further behind than this, by heartbeats that the load writes into its database:
            `5s`.
        replica: a replica for `max_lag`, with the login of the connection as far as the URL has none:
            `mysql://db2:3306`; without it those that the server lists.
        unreadable_replicas: what happens if `max_lag` cannot read a replica: `stop` (do not begin; later wait for it,
            for `retry_for`) or `ignore`.
        max_bad: stop after more than N bad rows, or P% of the rows.
        min_rows: with `replace_table` and `atomic`: keep the table as it is if fewer rows are stored, or fewer than P%
            of those that it holds.
        keep_old: with `replace_table` and `atomic`: keep the table that is replaced for so long; `inrush undo` puts it
            back: `24h`.
        allow_empty: with `truncate` and `replace_table`: empty the table also for files without a row.
        before: run this SQL once before the first row.
        after: run this SQL once after the last row is stored.
        defer_indexes: drop the indexes that are not unique first, and rebuild them all at once at the end.
        retry_for: how long a chunk is retried after a deadlock, a lost connection or the like: `30s`, `10m`; `0` is
            never.
        dry_run: check every row against the table and send nothing.
        again: load finished files once more.
        trust_source: skip re-verifying data that is already loaded: trust that the files are unchanged.
        truncate: empty the table first (TRUNCATE: cannot be undone).
        sort: sort the rows by the table's clustered key before they are sent: `auto`, `key` or `none`; or have the
            `server` do it.
        atomic: all or nothing: fill a copy of the table, which replaces it at the end.
        unchecked: have the server check less, at your risk: `unique`, `foreign-keys`, `zero-dates` (0000-00-00).
        replace_table: a new table with these rows takes the place of the one that is there when the last row is stored;
            it has the same definition, with `create=True` the one inferred from the data.
        create: True or "append": the table is made if it is missing; "replace": a new one takes the old one's place at the end, and until
            then, and after a failure, the old one is as it was. Its definition is that of the data.
        columns: "name", "position", or the table's columns for the data's in their order.
        job: a name by which a later call knows the same rows: it goes on where an earlier one stopped, and loads nothing twice. Files
            need none. Without one, data in memory are stored once by this call, and once more by the next.
        part: which part of the job this is, for tasks that load a job side by side: a number or a name. Files take part in it, too. A part
            that is loaded is not loaded again by any task, wherever its rows come from; two tasks that load it at the same time store it
            once. Data in memory are compared by their content, for which all of them are read first; with if_loaded="skip" they are
            not compared, and only what was stored in part must come in the same order.
        parts: how many parts the job has; each of its calls must give the same number, or none.
        if_loaded: what becomes of a job that an earlier call has finished: "error", since rows that begin in the same way may still be
            others; or "skip", where the name stands for these rows and no others, as in a task that is run again.
        bad_rows: "stop", "skip", or "divert:FILE".
        nan: "error", or "null" to store NULL in the place of NaN.
        nanoseconds: "error" where digits behind microseconds would be lost, or "truncate".
        time_zone: what times without an offset mean.
        index: whether pandas' index is loaded too.
        sample: from how many rows of each file the types of a new table are inferred, or "all", which are read first.
        tight: whether the columns of a new table are as narrow as the sample.
        type: types for columns of a new table: {"zip": "CHAR(5)"}.
        set: columns that are computed, by SQL in which `@name` is a field of the data: "total=@price * @n".
        force: whether an unfinished job of another user is taken over; their run of it stops.
        temp_dir: where sorted rows lie until they are sent; None: $TMPDIR, else /var/tmp.
        tuning_trace: a file that tells what the tuner saw and decided.
        progress: True for a bar (tqdm or rich, if there), or what is called with a `Progress` about ten times a second.
        events: a file to which what happens is appended, a JSON object a line, as `--events` does it; or what is called with each as a
            dict.
        control: stops the load from another thread.
        files: how files are read: `FileOptions`.

    Returns:
        A report, with the counts of all rows.

    Raises:
        LoadError: it stopped; `.report` tells what is stored.
        Error: nothing was begun.
        KeyboardInterrupt: Ctrl-C, after the chunks on their way; pressed twice, at once. Its `.report` tells what is stored.

    >>> import inrush
    >>> report = inrush.load([{"id": 1, "name": "Ann"}, {"id": 2, "name": None}], "people", url, create=True, key="id")
    >>> report.stored
    2
    """
    sources, has_names = _sources(data, columns, partial(_arrow, index=index, keeps_nan=nan != "null"))
    options: dict[str, Any] = {
        "method": method,
        "batch": batch,
        "mode": mode,
        "new_columns": new_columns,
        "missing_columns": missing_columns,
        "key": _texts(key),
        "memory": memory,
        "lanes": lanes,
        "guarantee": guarantee,
        "rate": rate,
        "throttle": _texts(throttle),
        "unreadable_signals": unreadable_signals,
        "max_lag": max_lag,
        "replica": _texts(replica),
        "unreadable_replicas": unreadable_replicas,
        "max_bad": max_bad,
        "min_rows": min_rows,
        "keep_old": keep_old,
        "allow_empty": allow_empty,
        "before": _texts(before),
        "after": _texts(after),
        "defer_indexes": defer_indexes,
        "retry_for": retry_for,
        "dry_run": dry_run,
        "again": again,
        "trust_source": trust_source,
        "truncate": truncate,
        "sort": sort,
        "atomic": atomic,
        "unchecked": _texts(unchecked),
        "replace_table": replace_table,
        "create": create,
        "columns": columns if isinstance(columns, str) else list(columns),
        "has_names": has_names,
        "job": job,
        "part": part,
        "parts": parts,
        "bad_rows": bad_rows,
        "nan": nan,
        "time_zone": time_zone,
        "set": _texts(set),
        "if_loaded": if_loaded,
        "nanoseconds": nanoseconds,
        "sample": None if sample is None else str(sample),
        "tight": tight,
        "type": _pairs(type),
        "force": force,
        "temp_dir": None if temp_dir is None else os.fspath(temp_dir),
        "tuning_trace": None if tuning_trace is None else os.fspath(tuning_trace),
    }
    told = None
    if callable(events):
        told = _told(events)
    elif events is not None:
        options["events"] = os.fspath(events)
    options.update(_files(files, any(kind == "paths" for kind, *_ in sources)))
    show, end = _progress(progress)
    try:
        return _inrush.load(sources, table, _server(to), options, show, _logger(), told, control)
    finally:
        end()


def _told(take: Callable[[dict[str, Any]], object]) -> Callable[[str], object]:
    """What hands events on as dicts."""
    from json import loads

    return lambda line: take(loads(line))


def _server(to: str | Connection | None) -> Any:
    """What the extension connects by."""
    return getattr(to, "_connection", to)


def _texts(given: Sequence[str] | str) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _pairs(given: Mapping[str, str] | Sequence[str] | str) -> list[str]:
    """A dict as texts such as `name=value`."""
    return [f"{name}={value}" for name, value in given.items()] if isinstance(given, Mapping) else _texts(given)


def _files(given: Mapping[str, Any], are_files: bool) -> dict[str, Any]:
    """The options of files, as the extension takes them."""
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in FileOptions.__annotations__:
            raise TypeError(f"load() got an unexpected keyword argument {name!r}{_meant(name)}")
        if value is None:
            continue
        if not are_files:
            raise InterfaceError(f"`{name}` is about files, and `data` are rows", kind="config")
        if name in ("null", "currency", "true", "false", "date_format"):
            value = _pairs(value)
        elif name in ("skip", "widths"):
            value = str(value) if isinstance(value, (int, str)) else ",".join(map(str, value))
        options[name] = value
    return options


def _meant(name: str) -> str:
    """What a name that nothing has may have been meant to be."""
    from difflib import get_close_matches
    from inspect import signature

    near = get_close_matches(name, [*signature(load).parameters, *FileOptions.__annotations__], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _sources(
    data: Any, columns: str | Sequence[str], arrow: Callable[[Any], Any]
) -> tuple[list[tuple[Any, ...]], bool]:
    """The data as what the extension takes, and whether it has names of columns."""
    if isinstance(data, (str, os.PathLike)):
        return [("paths", [os.fspath(data)])], True
    if isinstance(data, (bytes, bytearray, memoryview)):
        raise InterfaceError("`data` is bytes: pass a path, a table, or rows", kind="config")
    whole = arrow(data)
    if whole is not None:
        return [whole], True
    if isinstance(data, Mapping):
        raise InterfaceError("`data` is one dict: pass a list of dicts, one for each row", kind="config")
    try:
        iterator = iter(data)
    except TypeError:
        raise InterfaceError(
            f"`data` is a {type(data).__name__}: it takes paths, Arrow data (a DataFrame, a table), or an iterable of rows",
            kind="config",
        ) from None
    first = next(iterator, _END)
    if first is _END:
        return [], True
    if isinstance(first, str) and hasattr(data, "columns"):
        # Its iterator gives the names of columns, which are no paths.
        raise InterfaceError(
            f"`data` is a {type(data).__module__}.{type(data).__name__} without Arrow data: load its parts",
            kind="config",
        )
    if isinstance(first, (str, os.PathLike)):
        return [("paths", [os.fspath(path) for path in chain([first], iterator)])], True
    if arrow(first) is not None:
        return [("batches", (_part(one, arrow) for one in chain([first], iterator)))], True
    return _rows(first, iterator, columns)


_END: Any = object()


def _arrow(data: Any, *, index: bool, keeps_nan: bool) -> Any:
    """The data as something with Arrow data; None if it has none."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _pandas(data, index, keeps_nan)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return ("arrow", data, _count(data))
    # A LazyFrame of polars, an expression of ibis.
    for name in ("collect", "to_pyarrow"):
        if type(data).__module__.partition(".")[0] in ("polars", "ibis") and hasattr(data, name):
            whole = getattr(data, name)()
            return ("arrow", whole, _count(whole))
    return None


def _count(data: Any) -> int | None:
    """How many rows there are, if the data know."""
    count = getattr(data, "num_rows", None)
    if isinstance(count, int):
        return count
    return len(data) if hasattr(data, "__len__") else None


def _part(data: Any, arrow: Callable[[Any], Any]) -> Any:
    found = arrow(data)
    if found is None or found[0] != "arrow":
        raise InterfaceError(
            f"an iterable of Arrow data gave a {type(data).__name__}, which has no Arrow data", kind="data"
        )
    return found[1]


def _pandas(frame: Any, index: bool, keeps_nan: bool) -> tuple[Any, ...]:
    """pandas hands its rows out by pyarrow, and its index with them."""
    names = [name for name in frame.columns if not isinstance(name, str)]
    if names:
        raise InterfaceError(
            f"a column of the DataFrame is named {names[0]!r}, which is no text: rename it", kind="config"
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InterfaceError(f"two columns of the DataFrame are named {twice!r}: rename one", kind="config")
    if index:
        frame = frame.reset_index()
    if not _has("pyarrow"):
        return ("rows", zip(*(_plain(frame[name]) for name in frame.columns)), list(frame.columns))
    import pyarrow

    frame, documents = _documents(frame)
    try:
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
        raise InterfaceError(f"a column of the DataFrame has values of several types: {error}", kind="data") from error
    except (TypeError, ValueError, NotImplementedError) as error:
        raise InterfaceError(f"a column of the DataFrame has no Arrow type: {error}", kind="data") from error
    for name in documents:
        at, texts = table.column_names.index(name), table.column(name)
        table = table.set_column(at, pyarrow.field(name, texts.type, metadata=_JSON), texts)
    for at, name in enumerate(table.column_names if keeps_nan else ()):
        # There NaN has become NULL, which the caller has not said.
        if _is_float(frame[name]) and table.column(at).null_count:
            table = table.set_column(at, name, pyarrow.array(frame[name].to_numpy(), from_pandas=False))
    return ("arrow", table, len(frame))


_JSON = {"ARROW:extension:name": "arrow.json"}


def _documents(frame: Any) -> tuple[Any, list[str]]:
    """The frame with dicts and lists as JSON texts, and which columns had them. As Arrow's structs all of a column would have all keys."""
    from json import dumps

    of_column: dict[str, Any] = {}
    for name in frame.columns:
        column = frame[name]
        there = column.dtype == object and column.notna().to_numpy()
        if there is False or not there.any() or not isinstance(column.array[there.argmax()], (dict, list, tuple)):
            continue

        def text(value: Any, name: str = name) -> Any:
            if not isinstance(value, (dict, list, tuple)):
                return value
            try:
                return dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
            except (TypeError, ValueError) as error:
                raise InterfaceError(
                    f"column {name!r} of the DataFrame has a value that is no JSON: {error}", kind="data"
                ) from error

        of_column[name] = column.map(text)
    return frame.assign(**of_column) if of_column else frame, list(of_column)


def _is_float(column: Any) -> bool:
    """Whether a column of pandas holds floats, of which NaN is one; in others it marks a missing value."""
    return type(column.dtype).__module__.partition(".")[0] == "numpy" and column.dtype.kind == "f"


def _plain(column: Any) -> Any:
    """The values of a column of pandas, without Arrow."""
    return column if _is_float(column) else column.astype(object).where(column.notna(), None)


def _has(module: str) -> bool:
    from importlib.util import find_spec

    return module in sys.modules or find_spec(module) is not None


def _rows(first: Any, rest: Iterator[Any], columns: str | Sequence[str]) -> tuple[list[tuple[Any, ...]], bool]:
    """Rows as sequences of values, each in the order of the names. A row that is another kind of thing than the first one would give
    something else than its values: a dict its keys, a text its characters."""

    def unlike(number: int, row: Any) -> InterfaceError:
        return InterfaceError(
            f"row {number} is a {type(row).__name__}, and the first one is a {type(first).__name__}", kind="data"
        )

    rows = chain([first], rest)
    if isinstance(first, Mapping):
        # Of the first rows, some may lack what others have. They are copied: a generator may fill one dict again and again.
        head: list[Any] = [dict(row) if isinstance(row, Mapping) else row for _, row in zip(range(1000), rows)]
        names = list(dict.fromkeys(name for row in head if isinstance(row, Mapping) for name in row))
        wrong = next((name for name in names if not isinstance(name, str)), None)
        if wrong is not None:
            raise InterfaceError(f"a row has a key {wrong!r}, which is no text", kind="data")
        known = frozenset(names)

        def of_mapping(number: int, row: Any) -> list[Any]:
            if not isinstance(row, Mapping):
                raise unlike(number, row)
            if not row.keys() <= known:
                extra = next(name for name in row if name not in known)
                raise InterfaceError(
                    f"row {number} has a key {extra!r} that none of the first 1,000 rows has", kind="data"
                )
            return [row.get(name) for name in names]

        return [("rows", map(of_mapping, count(1), chain(head, rows)), names)], True
    if hasattr(first, "__dataclass_fields__"):
        names = list(first.__dataclass_fields__)

        def of_dataclass(number: int, row: Any) -> list[Any]:
            if type(row) is not type(first) and list(getattr(row, "__dataclass_fields__", ())) != names:
                raise unlike(number, row)
            return [getattr(row, name) for name in names]

        return [("rows", map(of_dataclass, count(1), rows), names)], True
    if isinstance(first, _NO_SEQUENCE) or not hasattr(first, "__len__"):
        raise InterfaceError(
            f"the first row is a {type(first).__name__}: a row is a tuple, a list, a dict or a dataclass", kind="config"
        )
    fields: Any = getattr(first, "_fields", None)

    def of_sequence(number: int, row: Any) -> Sequence[Any]:
        if type(row) is tuple:
            return row
        if isinstance(row, _NO_SEQUENCE) or not hasattr(row, "__len__"):
            raise unlike(number, row)
        if fields is not None and getattr(row, "_fields", fields) != fields:
            raise InterfaceError(
                f"row {number} has the fields {', '.join(row._fields)}, the first one {', '.join(fields)}", kind="data"
            )
        return list(row)

    listed = None if isinstance(columns, str) else list(columns)
    if fields is not None:
        names = list(fields)
    else:
        # In errors they have the names of the columns that they go into.
        names = listed if listed is not None and len(listed) == len(first) else [f"c{n + 1}" for n in range(len(first))]
    return [("rows", map(of_sequence, count(1), rows), names)], fields is not None


# What has no order of values, or is one value.
_NO_SEQUENCE = (str, bytes, bytearray, Mapping, Set)


def _logger() -> Callable[[int, str], None]:
    import logging

    return logging.getLogger("inrush").log


def _progress(
    progress: bool | Callable[[Progress], object] | None,
) -> tuple[Callable[[Progress], object] | None, Callable[[], None]]:
    """What shows progress, and what ends it."""
    if not progress:
        return None, lambda: None
    if progress is not True:
        return progress, lambda: None
    from ._progress import bar

    return bar()
