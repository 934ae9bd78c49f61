"""`inrush.load`: what it takes, what it refuses, and what it promises."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import logging
import pickle
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import Place

import inrush

PEOPLE = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, born DATE)"


class Person(NamedTuple):
    id: int
    name: str
    born: str | None


@dataclass
class Guest:
    id: int
    name: str
    born: datetime.date | None = None


ROWS: dict[str, Any] = {
    "tuples": [(1, "Ann", "1990-01-02"), (2, "Bob", None)],
    "lists": [[1, "Ann", datetime.date(1990, 1, 2)], [2, "Bob", None]],
    "dicts": [{"name": "Ann", "id": 1, "born": "1990-01-02"}, {"id": 2, "name": "Bob"}],
    "named tuples": [Person(1, "Ann", "1990-01-02"), Person(2, "Bob", None)],
    "dataclasses": [Guest(1, "Ann", datetime.date(1990, 1, 2)), Guest(2, "Bob")],
    "a generator": lambda: (row for row in [(1, "Ann", "1990-01-02"), (2, "Bob", None)]),
    "a dict's values": {"a": (1, "Ann", "1990-01-02"), "b": (2, "Bob", None)}.values(),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_rows_of_every_kind(place: Place, rows: Any) -> None:
    place.sql(PEOPLE)
    report = inrush.load(rows() if callable(rows) else rows, "people", place.url)
    assert (report.read, report.stored) == (2, 2)
    assert place.rows("SELECT * FROM people ORDER BY id") == [(1, "Ann", datetime.date(1990, 1, 2)), (2, "Bob", None)]


def test_what_a_load_waited_for(each: Place) -> None:
    each.sql(PEOPLE)
    waits = inrush.load([(1, "Ann", None)], "people", each.url).waits
    assert waits.rows_seconds > 0 and waits.commit_seconds > 0, waits
    assert (waits.rate_seconds, waits.slow_for is None) == (0, waits.slow_share is None), waits


def test_files(place: Place, tmp_path: Path) -> None:
    place.sql(PEOPLE)
    (tmp_path / "a.csv").write_text("id,name\n1,Ann\n")
    (tmp_path / "b.jsonl").write_text('{"id": 2, "name": "Bob", "born": "1999-12-31"}\n')
    report = inrush.load([tmp_path / "a.csv", str(tmp_path / "b.jsonl")], "people", place.url)
    assert report.stored == 2
    again = inrush.load(tmp_path / "a.csv", "people", place.url)
    assert again.already_loaded, again


def test_a_file_that_is_not_there(each: Place, tmp_path: Path) -> None:
    each.sql(PEOPLE)
    with pytest.raises(inrush.Error, match="missing.csv") as raised:
        inrush.load(tmp_path / "missing.csv", "people", each.url)
    assert raised.value.kind == "config"


class Colour(enum.Enum):
    RED = "red"


VALUES: list[tuple[str, Any, Any]] = [
    ("BIGINT UNSIGNED", 2**64 - 1, 2**64 - 1),
    ("BIGINT", -(2**63), -(2**63)),
    ("DECIMAL(65,30)", decimal.Decimal("12345678901234567890.000000000000000000000000000001"), None),
    ("DECIMAL(10,2)", decimal.Decimal("1E+3"), decimal.Decimal("1000.00")),
    ("DOUBLE", 0.1, 0.1),
    ("DOUBLE", 5e-324, 5e-324),
    ("FLOAT", 1.5, 1.5),
    ("TINYINT(1)", True, 1),
    ("VARCHAR(20)", "zwölf 🦀", "zwölf 🦀"),
    ("VARCHAR(20)", "", ""),
    ("VARCHAR(20)", "a\tb\\c\nd\0e", "a\tb\\c\nd\0e"),
    ("VARBINARY(300)", bytes(range(256)), bytes(range(256))),
    ("VARBINARY(9)", bytearray(b"\xff\x00"), b"\xff\x00"),
    ("VARBINARY(9)", memoryview(b"\xff\x00"), b"\xff\x00"),
    ("DATE", datetime.date(1, 1, 1), datetime.date(1, 1, 1)),
    ("DATETIME(6)", datetime.datetime(9999, 12, 31, 23, 59, 59, 999999), None),
    (
        "DATETIME",
        datetime.datetime(2026, 3, 4, 5, 6, 7, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        datetime.datetime(2026, 3, 4, 3, 6, 7),
    ),
    ("TIME(6)", datetime.time(1, 2, 3, 4), datetime.timedelta(hours=1, minutes=2, seconds=3, microseconds=4)),
    ("TIME(6)", datetime.timedelta(days=-2, microseconds=1), None),
    # More digits than the shortest text of the float has.
    ("BIGINT", float(2**60), 2**60),
    ("BIGINT", float(-(2**62) - 2**20), -(2**62) - 2**20),
    ("BIGINT UNSIGNED", float(2**63 + 2048), 2**63 + 2048),
    ("DOUBLE", 1.5e300, 1.5e300),
    ("CHAR(36)", uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    ("VARCHAR(9)", Colour.RED, "red"),
    ("INT", None, None),
]


@pytest.mark.parametrize(("ty", "value", "want"), VALUES, ids=[f"{v[0]} {v[1]!r}"[:40] for v in VALUES])
def test_values_come_back(each: Place, ty: str, value: Any, want: Any) -> None:
    each.sql(f"CREATE TABLE t (id INT PRIMARY KEY, v {ty})")
    inrush.load([(1, value)], "t", each.url)
    with inrush.connect(each.url) as connection:
        if getattr(value, "tzinfo", None) and not each.is_mysql:
            # MariaDB has no literals with an offset; it says so.
            with pytest.raises(inrush.DataError):
                connection.execute("INSERT INTO t VALUES (?, ?)", (2, value))
            value = want
        connection.execute("INSERT INTO t VALUES (?, ?)", (2, value))
    want = value if want is None else want
    assert each.rows("SELECT v FROM t ORDER BY id") == [(want,), (want,)]


def test_json(place: Place) -> None:
    place.sql("CREATE TABLE t (v JSON)")
    inrush.load([({"a": [1, "ü", None, True]},), ([1.5],)], "t", place.url)
    found = place.rows("SELECT JSON_UNQUOTE(JSON_EXTRACT(v, '$.a[1]')), JSON_LENGTH(v) FROM t ORDER BY 1")
    assert found == [(None, 1), ("ü", 1)]


CIRCLE: dict[str, Any] = {}
CIRCLE["self"] = CIRCLE

# What is refused: the rows, and what the error says.
BAD: dict[str, tuple[list[Any], str]] = {
    "NaN": ([(1, 2.5), (2, float("nan"))], "NaN.*row 2, column `v`"),
    "a NaN of decimals": ([(1, decimal.Decimal("NaN"))], "NaN.*row 1, column `v`"),
    "infinity": ([(1, float("inf"))], "row 1, column `v`"),
    "an object": ([(1, 2.5), (2, 2.5), (3, object())], "object.*row 3, column `v`"),
    "half a character": ([(1, "\ud800")], "row 1, column `v`"),
    "bytes among numbers": ([(1, 2.5), (2, b"x")], "row 2, column `v`"),
    "a row too short": ([(1, 2.5), (2,)], "row 2 has 1 values, the first one 2"),
    "a complex number": ([(1, 1j)], "row 1, column `v`"),
    "two keys that are one": ([(1, {"a": [{1: "x", "1": "y"}]})], "two keys.*`1`.*row 1, column `v`"),
    "a dict in itself": ([(1, CIRCLE)], "Circular.*row 1, column `v`"),
    "a time with a zone": ([(1, datetime.time(1, tzinfo=datetime.UTC))], "row 1, column `v`"),
}


@pytest.mark.parametrize(("rows", "says"), BAD.values(), ids=BAD.keys())
def test_bad_values(each: Place, rows: list[Any], says: str) -> None:
    each.sql("CREATE TABLE t (id INT PRIMARY KEY, v DOUBLE)")
    with pytest.raises(inrush.DatabaseError, match=says) as raised:
        inrush.load(rows, "t", each.url, columns=["id", "v"])
    assert raised.value.kind == "data"
    assert each.rows("SELECT COUNT(*) FROM t") == [(0,)]


class Swapped(NamedTuple):
    name: str
    id: int


@dataclass
class Other:
    id: int


# Rows that are unlike the first one, and what the error says: none of them may be taken for a sequence of values.
UNLIKE: dict[str, tuple[list[Any], str]] = {
    "a dict among tuples": ([("1", "Ann"), {"name": "Bob", "id": "2"}], "row 2 is a dict.*first one is a tuple"),
    "a text among tuples": ([("1", "Ann"), "ab"], "row 2 is a str"),
    "bytes among tuples": ([("1", "Ann"), b"ab"], "row 2 is a bytes"),
    "a set among lists": ([["1", "Ann"], {"2", "Bob"}], "row 2 is a set"),
    "a set": ([{"1", "Ann"}], "first row is a set"),
    "a number among tuples": ([("1", "Ann"), 5], "row 2 is a int"),
    "a tuple among dicts": ([{"id": "1", "name": "Ann"}, ("2", "Bob")], "row 2 is a tuple"),
    "a tuple behind many dicts": ([{"id": str(n), "name": "x"} for n in range(1500)] + [("2", "Bob")], "row 1501 is"),
    "a key of the 1,001st row": ([{"id": str(n)} for n in range(1000)] + [{"name": "x"}], "row 1001 has a key 'name'"),
    "a key that is no text": ([{"id": "1", 5: "x"}], "key 5"),
    "a tuple among dataclasses": ([Guest(1, "Ann"), (2, "Bob", None)], "row 2 is a tuple"),
    "another dataclass": ([Guest(1, "Ann"), Other(2)], "row 2 is a Other"),
    "other fields": ([Person(1, "Ann", None), Swapped("Bob", 2)], "row 2 has the fields name, id, the first one id"),
    "a dict among named tuples": ([Person(1, "Ann", None), {"id": 2}], "row 2 is a dict"),
}


@pytest.mark.parametrize(("rows", "says"), UNLIKE.values(), ids=UNLIKE.keys())
def test_rows_unlike_the_first(each: Place, rows: list[Any], says: str) -> None:
    each.sql("CREATE TABLE t (id VARCHAR(20), name VARCHAR(20), born VARCHAR(20))")
    with pytest.raises(inrush.Error, match=says) as raised:
        by_place = type(rows[0]) in (tuple, list)
        inrush.load(rows, "t", each.url, columns=["id", "name"] if by_place else "name")
    assert raised.value.kind in ("data", "config")
    report = getattr(raised.value, "report", None)
    assert each.rows("SELECT COUNT(*) FROM t") == [(report.stored if report else 0,)]


def test_what_is_filled_again_and_again(each: Place) -> None:
    """A generator may reuse its row, and a buffer in it: each row is read before the next is asked for."""
    each.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARBINARY(9), j JSON)")

    def dicts() -> Iterator[dict[str, Any]]:
        row: dict[str, Any] = {}
        for n in range(3):
            row["id"] = n
            yield row

    def lists() -> Iterator[list[Any]]:
        buffer, document, row = bytearray(1), {"n": 0}, [0, b"", {}]
        for n in range(10, 13):
            buffer[0] = document["n"] = row[0] = n
            row[1:] = buffer, document
            yield row

    inrush.load(dicts(), "t", each.url)
    inrush.load(lists(), "t", each.url)
    want = [(n, None, None) for n in range(3)] + [(n, bytes([n]), str(n)) for n in range(10, 13)]
    assert each.rows("SELECT id, v, JSON_EXTRACT(j, '$.n') FROM t ORDER BY id") == want


def test_nan_as_null(each: Place) -> None:
    each.sql("CREATE TABLE t (id INT PRIMARY KEY, v DOUBLE)")
    inrush.load([(1, float("nan"))], "t", each.url, nan="null")
    assert each.rows("SELECT v FROM t") == [(None,)]


def test_columns_that_the_table_lacks_are_left_out_or_added(each: Place) -> None:
    each.sql(PEOPLE)
    inrush.load([{"id": 1, "name": "Ann", "shoe": 42}], "people", each.url, new_columns="ignore")
    assert each.rows("SELECT id, name FROM people") == [(1, "Ann")]
    inrush.load([{"id": 2, "name": "Bob", "shoe": 43}], "people", each.url, new_columns="add")
    assert each.rows("SELECT id, shoe FROM people ORDER BY id") == [(1, None), (2, 43)]


def test_a_column_that_the_table_lacks(each: Place) -> None:
    each.sql(PEOPLE)
    with pytest.raises(inrush.ProgrammingError, match="shoe") as raised:
        inrush.load([{"id": 1, "name": "Ann", "shoe": 42}], "people", each.url)
    assert raised.value.kind == "config"
    # Rows have no line that could be a header.
    assert raised.value.hint == (
        '`columns=["a", "b", "@skip"]` names the column of each field in order; `new_columns="ignore"` leaves such fields out, '
        '`new_columns="add"` adds columns for them'
    )
    assert each.rows("SELECT COUNT(*) FROM people") == [(0,)]


def test_a_bad_row_stops_or_is_told(place: Place, tmp_path: Path) -> None:
    place.sql(PEOPLE)
    rows = [(1, "Ann", None), (2, None, None), (3, "Cid", "1999-02-30"), (4, "Dan", None)]
    with pytest.raises(inrush.LoadError) as raised:
        inrush.load(rows, "people", place.url)
    error = raised.value
    assert error.place is not None and (error.place.line, error.place.column) == (2, "name"), error
    assert error.report.stored == 0 and "row 2" in str(error) and "bad_rows=" in str(error)
    kept = tmp_path / "bad.csv"
    report = inrush.load(rows, "people", place.url, bad_rows=f"divert:{kept}")
    assert (report.stored, report.rejected, [r.line for r in report.rejects]) == (2, 2, [2, 3])
    assert kept.read_text().splitlines()[0].startswith("2,")
    assert "rejected" in report._repr_html_() and "2 rejected" in str(report)


def test_modes(each: Place) -> None:
    each.sql(PEOPLE)
    inrush.load([(1, "Ann", None)], "people", each.url)
    inrush.load([(1, "Eve", None), (2, "Bob", None)], "people", each.url, mode="upsert")
    inrush.load([(2, "Eve", None), (3, "Cid", None)], "people", each.url, mode="ignore")
    assert each.rows("SELECT id, name FROM people ORDER BY id") == [(1, "Eve"), (2, "Bob"), (3, "Cid")]


def test_a_new_table(place: Place) -> None:
    rows = [
        {
            "id": 1,
            "name": "Ann",
            "price": decimal.Decimal("1.50"),
            "at": datetime.datetime(2026, 1, 2, 3, 4, 5),
            "raw": b"\xff",
        },
        {"id": 2, "name": "B" * 300, "price": None, "at": None, "raw": None},
    ]
    assert inrush.load(rows, "made", place.url, create=True, key="id").stored == 2
    types = dict(
        place.rows(
            "SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'made' AND TABLE_SCHEMA = DATABASE()"
        )
    )
    assert (types["id"], types["name"], types["price"], types["at"]) == ("bigint", "varchar", "decimal", "datetime")
    assert place.rows("SELECT id, price, at, raw FROM made WHERE id = 1") == [
        (1, decimal.Decimal("1.50"), datetime.datetime(2026, 1, 2, 3, 4, 5), b"\xff")
    ]


def test_replace_keeps_the_old_table_at_a_failure(place: Place) -> None:
    inrush.load([(1, "old")], "t", place.url, create=True, columns=["id", "v"], key="id")
    with pytest.raises(inrush.LoadError):
        inrush.load([(1, "new"), (1, "twice")], "t", place.url, create="replace", columns=["id", "v"], key="id")
    assert place.rows("SELECT * FROM t") == [(1, "old")]
    inrush.load([(2, "new")], "t", place.url, create="replace", columns=["id", "v"], key="id")
    assert place.rows("SELECT * FROM t") == [(2, "new")]


def test_an_iterator_that_raises(place: Place) -> None:
    place.sql(PEOPLE)

    def rows() -> Iterator[tuple[int, str, None]]:
        for n in range(50_000):
            yield n, f"guest {n}", None
        raise RuntimeError("the source is gone")

    with pytest.raises(inrush.LoadError) as raised:
        inrush.load(rows(), "people", place.url, job="guests")
    assert isinstance(raised.value.__cause__, RuntimeError)
    report = raised.value.report
    assert place.rows("SELECT COUNT(*) FROM people") == [(report.stored,)]
    # The same job goes on where this one stopped.
    done = inrush.load(((n, f"guest {n}", None) for n in range(60_000)), "people", place.url, job="guests")
    assert (done.stored, done.resumed) == (60_000, report.stored)
    assert done.stored_by_this_run == 60_000 - report.stored
    assert place.rows("SELECT COUNT(*), SUM(id) FROM people") == [(60_000, decimal.Decimal(60_000 * 59_999 // 2))]


def test_a_part_is_loaded_once_from_wherever(place: Place, tmp_path: Path) -> None:
    place.sql("CREATE TABLE people (id INT, name VARCHAR(20))")
    rows = [(n, f"p{n}") for n in range(5000)]
    for part in (rows, iter(rows)):
        report = inrush.load(part, "people", place.url, job="people", part=1, parts=2, batch=500)
        assert report.stored == 5000
    with pytest.raises(inrush.Error, match="part 1 of job people was loaded on .* with another content"):
        inrush.load([*rows[:-1], (4999, "other")], "people", place.url, job="people", part=1, parts=2)
    inrush.load([(7, "x")], "people", place.url, job="people", part="1", parts=2, if_loaded="skip")
    with pytest.raises(inrush.Error, match="begun with 2 parts"):
        inrush.load(rows, "people", place.url, job="people", part=2)
    (tmp_path / "a.csv").write_text("id,name\n5000,Ann\n")
    inrush.load(tmp_path / "a.csv", "people", place.url, job="people", part=2, parts=2)
    (tmp_path / "a.csv").rename(tmp_path / "b.csv")
    inrush.load(tmp_path / "b.csv", "people", place.url, job="people", part=2, parts=2)
    assert place.rows("SELECT COUNT(*), COUNT(DISTINCT id) FROM people") == [(5001, 5001)]
    listed = [(job.job, job.part, job.parts, job.rows) for job in inrush.status(place.url)]
    assert sorted(listed, key=str) == [("people", "1", None, 5000), ("people", "2", None, 1), ("people", None, 2, 0)]
    for given in ({"part": 1}, {"job": "x", "parts": 2}):
        with pytest.raises(inrush.InterfaceError):
            inrush.load(rows, "people", place.url, **given)


SECRET_URLS = {
    "no scheme": "db2:3306 admin:s3cret",
    "another scheme": "postgres://admin:s3cret@db2",
    "a bad port": "mysql://admin:s3cret@db2:port",
    "an unescaped question mark": "mysql://admin:s3?cret@db2",
    "an unknown parameter": "mysql://admin:s3cret@db2?lag=5",
}


@pytest.mark.parametrize("url", SECRET_URLS.values(), ids=SECRET_URLS.keys())
@pytest.mark.parametrize("as_list", [False, True], ids=["a text", "a list"])
def test_the_password_of_a_replica_is_not_shown(url: str, as_list: bool) -> None:
    """The options are read before the load connects: no server is needed."""
    with pytest.raises(inrush.Error, match="replica") as raised:
        inrush.load([(1, "Ann")], "people", "mysql://me@localhost/shop", replica=[url] if as_list else url)
    assert raised.value.kind == "config"
    for word in ("s3", "cret", "admin"):
        assert word not in f"{raised.value!r} {raised.value} {raised.value.hint}"


def test_a_job_is_loaded_once(place: Place) -> None:
    place.sql(PEOPLE)
    rows = [(n, "x", None) for n in range(10)]
    assert inrush.load(rows, "people", place.url, job="ten").stored == 10
    with pytest.raises(inrush.IntegrityError, match="may be the same"):
        inrush.load(rows, "people", place.url, job="ten")
    assert inrush.load(rows, "people", place.url, job="ten", if_loaded="skip").already_loaded
    (job,) = inrush.status(place.url)
    assert (job.source.partition(",")[0], job.state, job.rows) == ("ten", "done", 10)
    inrush.forget(job.id, place.url)
    assert inrush.status(place.url) == []


def test_progress_and_logging(each: Place, caplog: pytest.LogCaptureFixture) -> None:
    each.sql(PEOPLE)
    seen: list[inrush.Progress] = []
    with caplog.at_level(logging.DEBUG, "inrush"):
        inrush.load([(n, "x", None) for n in range(1000)], "people", each.url, progress=seen.append)
    assert seen[-1].is_over and seen[-1].stored == 1000
    assert any("method" in record.message for record in caplog.records)


def test_progress_that_raises_stops(each: Place) -> None:
    each.sql(PEOPLE)

    def show(now: inrush.Progress) -> None:
        # Before anything is stored the exception itself comes out.
        if now.stored:
            raise ValueError("no room")

    with pytest.raises(inrush.LoadError) as raised:
        inrush.load(((n, "x", None) for n in range(10_000_000)), "people", each.url, progress=show)
    assert isinstance(raised.value.__cause__, ValueError)
    assert each.rows("SELECT COUNT(*) FROM people") == [(raised.value.report.stored,)]


def test_events(each: Place, tmp_path: Path) -> None:
    each.sql(PEOPLE)
    rows = [(n, "x" if n else None, None) for n in range(100)]
    told: list[dict[str, Any]] = []
    report = inrush.load(rows, "people", each.url, bad_rows="skip", events=told.append)
    assert told[0]["event"] == "start"
    assert sum(event["rows"] for event in told if event["event"] == "chunk") == report.stored == 99
    assert [event["line"] for event in told if event["event"] == "reject"] == [1]
    assert told[-1]["event"] == "summary" and told[-1]["rows"]["stored"] == 99
    file = tmp_path / "events"
    for table in ("people", "nosuch"):
        with pytest.raises(inrush.Error):
            inrush.load(rows, table, each.url, events=file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["event"] for line in lines if line["event"] in ("start", "summary", "failure")] == [
        "start",
        "summary",
        "start",
        "failure",
    ]
    with pytest.raises(inrush.Error, match="nosuch"):
        inrush.load(rows, "people", each.url, events=tmp_path / "nosuch" / "events")


def test_events_that_raise_stop(each: Place) -> None:
    each.sql(PEOPLE)

    def take(event: dict[str, Any]) -> None:
        if event["event"] == "chunk":
            raise ValueError("no room")

    with pytest.raises(inrush.LoadError) as raised:
        inrush.load(((n, "x", None) for n in range(10_000_000)), "people", each.url, events=take)
    assert isinstance(raised.value.__cause__, ValueError)
    assert each.rows("SELECT COUNT(*) FROM people") == [(raised.value.report.stored,)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"mode": "merge"}, "merge"),
        ({"memory": "much"}, "memory"),
        ({"nan": "zero"}, "nan"),
        ({"sort": "quick"}, "sort"),
        ({"create": "maybe"}, "create"),
        ({"lanes": 0}, "lanes"),
        ({"bad_rows": "keep"}, "bad_rows"),
        ({"guarantee": "maybe"}, "guarantee"),
        ({"rate": 0}, "rate"),
        ({"memory": 5}, "memory"),
        ({"max_bad": 3}, "max_bad"),
        ({"if_loaded": "maybe"}, "if_loaded"),
        ({"columns": "id"}, "columns"),
        ({"nanoseconds": "round"}, "nanoseconds"),
        ({"time_zone": "Mars/Crater"}, "Mars"),
    ],
)
def test_arguments_are_named(each: Place, arguments: dict[str, Any], says: str) -> None:
    each.sql(PEOPLE)
    with pytest.raises(inrush.Error, match=says):
        inrush.load([(1, "Ann", None)], "people", each.url, **arguments)
    assert each.rows("SELECT COUNT(*) FROM people") == [(0,)]


def test_urls(each: Place) -> None:
    for url, says in [
        ("postgres://a@b/c", "scheme"),
        ("mysql://127.0.0.1:1/x", "127.0.0.1"),
        ("nothing", "nothing|URL"),
    ]:
        with pytest.raises(inrush.Error, match=says):
            inrush.load([(1,)], "t", url)
    with pytest.raises(inrush.InterfaceError, match="`to`"):
        inrush.load([(1,)], "t", 5)  # type: ignore[arg-type]
    wrong = each.url.replace(each.server["password"], "Wrong-Secret1")
    with pytest.raises(inrush.OperationalError, match="denied") as raised:
        inrush.load([(1,)], "t", wrong)
    assert "Wrong-Secret1" not in repr(raised.value) + str(raised.value)


def test_the_host_that_was_taken(each: Place) -> None:
    each.sql(PEOPLE)
    address = f"{each.server['host']}:{each.server['port']}"
    several = each.url.replace(f"@{address}", f"@127.0.0.1:1,{address}")
    assert inrush.load([(1, "Ann", None)], "people", several).host == address
    assert inrush.load([(2, "Bob", None)], "people", each.url).host is None


def test_the_server_is_found_as_the_command_finds_it(
    each: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = each.server
    without = f"mysql://{s['host']}:{s['port']}/{each.database}"
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("INRUSH_URL", "INRUSH_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(inrush.Error, match="no server is named"):
        inrush.connect()
    # Of an option file what the URL does not say.
    (tmp_path / ".my.cnf").write_text(
        f"[client]\nuser={s['user']}\npassword={s['password']}\nsocket=/nosuch.sock\nport=1\n"
    )
    assert inrush.query("SELECT 1", to=without).rows() == [(1,)]
    monkeypatch.setenv("INRUSH_URL", without)
    assert inrush.query("SELECT DATABASE()").rows() == [(each.database,)]
    monkeypatch.setenv("INRUSH_PASSWORD", "Wrong-Secret1")
    with pytest.raises(inrush.OperationalError, match="denied"):
        inrush.connect()
    assert inrush.query("SELECT 1", to=each.url).rows() == [(1,)]


@pytest.mark.parametrize("data", [5, b"x", {"id": 1}, "", [5], [None], object()])
def test_data_of_no_kind(each: Place, data: Any) -> None:
    each.sql(PEOPLE)
    with pytest.raises(inrush.Error):
        inrush.load(data, "people", each.url)


def test_nothing_is_nothing(each: Place) -> None:
    each.sql(PEOPLE)
    assert inrush.load([], "people", each.url).read == 0
    with pytest.raises(inrush.Error, match="needs a first row"):
        inrush.load([], "made", each.url, create=True)


def test_errors_travel(each: Place) -> None:
    each.sql(PEOPLE)
    with pytest.raises(inrush.LoadError) as raised:
        inrush.load([(1, "Ann", None), (1, "Bob", None)], "people", each.url)
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (copy.code, copy.place, copy.report) == (1062, raised.value.place, raised.value.report)
    assert isinstance(raised.value, inrush.DatabaseError)


def test_a_table_that_vanishes(each: Place) -> None:
    each.sql(PEOPLE)

    def rows() -> Iterator[tuple[int, str, None]]:
        for n in range(200_000):
            if n == 100_000:
                each.sql("DROP TABLE people")
            yield n, "x", None

    with pytest.raises(inrush.LoadError) as raised:
        inrush.load(rows(), "people", each.url, retry_for=2)
    assert raised.value.code == 1146, raised.value
