"""Arrow data in and out: pyarrow, pandas, polars, DuckDB."""

from __future__ import annotations

import datetime
import decimal
import json
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Place, friend

import inrush
import inrush._load

pa = friend("pyarrow")
np = friend("numpy")
pd = friend("pandas")
pl = friend("polars")
duckdb = friend("duckdb")

ROWS = [(1, "Ann", 1.5), (2, "Bob", None), (3, None, -0.25)]
TABLE = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), v DOUBLE)"
ARROW = pa.table({"id": [1, 2, 3], "name": ["Ann", "Bob", None], "v": [1.5, None, -0.25]})

SOURCES: dict[str, Any] = {
    "a table": lambda: ARROW,
    "a batch": lambda: ARROW.to_batches()[0],
    "a reader": lambda: ARROW.to_reader(),
    "batches": lambda: iter(ARROW.to_batches(max_chunksize=1)),
    "tables": lambda: [ARROW.slice(0, 1), ARROW.slice(1)],
    "polars": lambda: pl.from_arrow(ARROW),
    "polars, lazy": lambda: pl.from_arrow(ARROW).lazy(),
    "DuckDB": lambda: duckdb.arrow(ARROW).filter("id > 0"),
    "dictionaries": lambda: ARROW.set_column(1, "name", ARROW["name"].dictionary_encode()),
    "large strings": lambda: ARROW.set_column(1, "name", ARROW["name"].cast(pa.large_string())),
    "views": lambda: ARROW.set_column(1, "name", ARROW["name"].cast(pa.string_view())),
    "another order": lambda: ARROW.select(["v", "id", "name"]),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_sources(place: Place, source: Any) -> None:
    place.sql(TABLE)
    assert inrush.load(source(), "t", place.url).stored == 3
    assert place.rows("SELECT * FROM t ORDER BY id") == ROWS


def test_pandas(place: Place) -> None:
    frame = pd.DataFrame({"id": [1, 2], "name": pd.Categorical(["a", None]), "v": [1.5, 2.5]}, index=[7, 8])
    place.sql(TABLE, "CREATE TABLE with_index (`index` INT, id INT, name VARCHAR(9), v DOUBLE)")
    inrush.load(frame, "t", place.url)
    assert place.rows("SELECT * FROM t ORDER BY id") == [(1, "a", 1.5), (2, None, 2.5)]
    inrush.load(frame, "with_index", place.url, index=True)
    assert place.rows("SELECT `index` FROM with_index ORDER BY 1") == [(7,), (8,)]


def test_pandas_that_is_mixed(each: Place) -> None:
    each.sql(TABLE)
    for frame, says in [
        (pd.DataFrame({"id": [1, 2], "name": ["x", 5]}), "name"),
        (pd.DataFrame({"id": [1, 2], 5: ["x", "y"]}), "5"),
        (pd.DataFrame({"id": [1, 2], "shoe": [1, 2]}), "shoe"),
        (pd.DataFrame([[1, 2]], columns=["id", "id"]), "two columns.*'id'"),
        (pd.DataFrame({"v": pd.arrays.SparseArray([0.0, 1.0])}), "Sparse"),
    ]:
        with pytest.raises(inrush.Error, match=says):
            inrush.load(frame, "t", each.url)
    assert each.rows("SELECT COUNT(*) FROM t") == [(0,)]


@pytest.mark.parametrize("without", ["", "pyarrow"])
def test_nan_of_pandas(each: Place, without: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A float column of pandas has NaN, which the caller must say is NULL; elsewhere it marks a missing value. With pyarrow or without."""
    monkeypatch.setattr(inrush._load, "_has", lambda module: module != without)
    each.sql(TABLE, "CREATE TABLE o (name VARCHAR(20), at DATETIME, n INT)")
    frame = pd.DataFrame({"id": [1, 2, 3], "v": [1.0, float("nan"), None]})
    with pytest.raises(inrush.DatabaseError, match="NaN.*row 2, column `v`"):
        inrush.load(frame, "t", each.url)
    with pytest.raises(inrush.DatabaseError, match="NaN.*row 2, column `v`"):
        inrush.load(iter([frame.astype({"v": "float32"})]) if not without else frame, "t", each.url)
    assert each.rows("SELECT COUNT(*) FROM t") == [(0,)]
    inrush.load(frame, "t", each.url, nan="null")
    assert each.rows("SELECT v FROM t ORDER BY id") == [(1.0,), (None,), (None,)]
    missing = pd.DataFrame(
        {
            "name": pd.Series(["x", float("nan"), None], dtype=object),
            "at": pd.to_datetime(["2026-01-02", None, None]),
            "n": pd.array([1, None, 3], dtype="Int64"),
        }
    )
    inrush.load(missing, "o", each.url)
    assert each.rows("SELECT name, DATE_FORMAT(at, '%Y'), n FROM o ORDER BY n IS NULL, n") == [
        ("x", "2026", 1),
        (None, None, 3),
        (None, None, None),
    ]


def test_nan(place: Place) -> None:
    place.sql(TABLE)
    frame = pl.DataFrame({"id": [1, 2, 3], "v": [1.0, float("nan"), None]})
    with pytest.raises(inrush.LoadError, match="row 2.*column `v`") as raised:
        inrush.load(frame, "t", place.url)
    assert raised.value.place is not None and raised.value.place.column == "v"
    assert "nan=" in (raised.value.hint or "")
    inrush.load(frame, "t", place.url, nan="null", mode="upsert")
    assert place.rows("SELECT v FROM t ORDER BY id") == [(1.0,), (None,), (None,)]


def test_nanoseconds(place: Place) -> None:
    place.sql("CREATE TABLE n (at DATETIME(6))")
    exact = pa.table({"at": pa.array([1_700_000_000_000_001_000], pa.timestamp("ns"))})
    inrush.load(exact, "n", place.url)
    lossy = pa.table({"at": pa.array([None, 1_700_000_000_000_001_999], pa.timestamp("ns"))})
    with pytest.raises(inrush.LoadError, match="row 2.*column `at`"):
        inrush.load(lossy, "n", place.url)
    inrush.load(lossy, "n", place.url, nanoseconds="truncate")
    want = datetime.datetime(2023, 11, 14, 22, 13, 20, 1)
    assert place.rows("SELECT at FROM n WHERE at IS NOT NULL") == [(want,), (want,)]


def test_values_of_numpy_and_pandas(each: Place) -> None:
    each.sql("CREATE TABLE m (id INT PRIMARY KEY, at DATETIME(6), p TIME(6))", "CREATE TABLE y (v INT)")
    moment, span = pd.Timestamp("2020-01-02 03:04:05.123456789"), pd.Timedelta(-1500, "ns")
    zoned = pd.Timestamp("2020-01-02 04:04:05.123456789", tz="Europe/Berlin")
    rows = [
        (1, moment, span),
        (2, zoned, -span),
        (3, moment.to_datetime64(), None),
        (4, np.datetime64("2020-01-02T03"), None),
        (5, np.datetime64("2020-01"), None),
        (6, np.datetime64("2020-01-02T03:04:05.120000000"), pd.NaT),
    ]
    for row in rows[:3]:
        with pytest.raises(inrush.DatabaseError, match="row 1, column") as raised:
            inrush.load([row], "m", each.url)
        assert "nanoseconds=" in (raised.value.hint or "")
    inrush.load(rows, "m", each.url, nanoseconds="truncate")
    at = datetime.datetime(2020, 1, 2, 3, 4, 5, 123456)
    micro = datetime.timedelta(microseconds=1)
    assert each.rows("SELECT at, p FROM m ORDER BY id") == [
        (at, -micro),
        (at, micro),
        (at, None),
        (datetime.datetime(2020, 1, 2, 3), None),
        (datetime.datetime(2020, 1, 1), None),
        (datetime.datetime(2020, 1, 2, 3, 4, 5, 120000), None),
    ]
    # A year is a date of that year, and no number.
    with pytest.raises(inrush.DatabaseError, match="2020-01-01"):
        inrush.load([(np.datetime64("2020"),)], "y", each.url)


def test_documents_of_pandas(place: Place) -> None:
    """Each has the keys that it has, and the numbers that it has."""
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "v": [None, {"a": 1}, {"b": [1, 2.5]}, [{"c": "ü"}, None]]})
    place.sql("CREATE TABLE t (id INT PRIMARY KEY, v JSON)")
    inrush.load(frame, "t", place.url)
    inrush.load(frame, "made", place.url, create=True)
    want = [None, {"a": 1}, {"b": [1, 2.5]}, [{"c": "ü"}, None]]
    for table in ("t", "made"):
        found = place.rows(f"SELECT v FROM {table} ORDER BY id")
        assert [None if text is None else json.loads(text) for (text,) in found] == want
    assert list(frame["v"][1:2]) == [{"a": 1}]
    with pytest.raises(inrush.InterfaceError, match="'v'.*Decimal"):
        inrush.load(pd.DataFrame({"v": [{"a": decimal.Decimal(1)}]}), "t", place.url)


def test_periods_of_pandas_are_refused(each: Place) -> None:
    """Arrow has them as numbers: months since 1970."""
    each.sql("CREATE TABLE t (v INT)")
    frame = pd.DataFrame({"v": pd.period_range("2020-01", periods=1, freq="M")})
    with pytest.raises(inrush.DataError, match="`v` has periods"):
        inrush.load(frame, "t", each.url)
    with inrush.connect(each.url) as connection, pytest.raises(inrush.DataError, match="`v` has periods"):
        connection.executemany("INSERT INTO t VALUES (?)", pa.Table.from_pandas(frame))
    assert each.rows("SELECT COUNT(*) FROM t") == [(0,)]


def test_types(place: Place) -> None:
    table = pa.table(
        {
            "u": pa.array([2**64 - 1], pa.uint64()),
            "d": pa.array([decimal.Decimal("1234567890123456789012345678901234567890.5")], pa.decimal256(50, 3)),
            "z": pa.array([datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC)], pa.timestamp("us", "Europe/Berlin")),
            "p": pa.array([datetime.timedelta(hours=-30, microseconds=5)], pa.duration("us")),
            "t": pa.array([datetime.time(1, 2, 3)], pa.time64("us")),
            "l": pa.array([[1, None, 3]], pa.list_(pa.int64())),
            "s": pa.array([{"a": 1, "b": ["x"]}], pa.struct({"a": pa.int32(), "b": pa.list_(pa.string())})),
            "b": pa.array([b"\x00\xff"], pa.binary()),
            "h": pa.array([0.5], pa.float16()),
            "o": pa.array([True]),
        }
    )
    place.sql(
        "CREATE TABLE k (u BIGINT UNSIGNED, d DECIMAL(50,3), z DATETIME, p TIME(6), t TIME, l JSON, s JSON, "
        "b VARBINARY(9), h DOUBLE, o BOOL)"
    )
    assert inrush.load(table, "k", place.url).stored == 1
    (row,) = place.rows(
        "SELECT u, d, z, p, t, JSON_EXTRACT(l, '$[2]'), JSON_UNQUOTE(JSON_EXTRACT(s, '$.b[0]')), b, h, o FROM k"
    )
    assert row == (
        2**64 - 1,
        decimal.Decimal("1234567890123456789012345678901234567890.500"),
        datetime.datetime(2026, 1, 2, 3),
        datetime.timedelta(hours=-30, microseconds=5),
        datetime.timedelta(hours=1, minutes=2, seconds=3),
        "3",
        "x",
        b"\x00\xff",
        0.5,
        1,
    )
    inrush.load(table, "made", place.url, create=True)
    assert place.rows("SELECT u, d, z FROM made") == [row[:3]]


def test_results(place: Place) -> None:
    place.sql(TABLE)
    inrush.load(ARROW, "t", place.url)

    def query() -> inrush.Result:
        return inrush.query("SELECT id, name, v FROM t ORDER BY id", to=place.url)

    assert query().arrow().to_pydict() == ARROW.to_pydict()
    assert query().polars().rows() == ROWS
    assert list(query().pandas()["id"]) == [1, 2, 3]
    assert pa.table(query()).num_rows == 3
    assert pa.schema(query()).names == ["id", "name", "v"]
    assert pl.DataFrame(query()).shape == (3, 3)
    reader = pa.RecordBatchReader.from_stream(query())  # noqa: F841 (DuckDB finds it by its name)
    assert duckdb.sql("SELECT SUM(id) FROM reader").fetchall() == [(6,)]
    empty = inrush.query("SELECT id FROM t WHERE id = 9", to=place.url).arrow()
    assert (empty.num_rows, empty.column_names) == (0, ["id"])
    result = query()
    result.arrow()
    with pytest.raises(inrush.InterfaceError, match="already"):
        result.arrow()
    # From one table into another, without all of it in memory.
    place.sql("CREATE TABLE copy LIKE t")
    assert inrush.load(query(), "copy", place.url).stored == 3


def test_a_stream_that_raises(place: Place) -> None:
    place.sql(TABLE)

    def batches() -> Iterator[Any]:
        yield ARROW.to_batches()[0]
        raise RuntimeError("the source is gone")

    with pytest.raises(inrush.LoadError) as raised:
        inrush.load(batches(), "t", place.url)
    assert isinstance(raised.value.__cause__, RuntimeError)
    reader = pa.RecordBatchReader.from_batches(ARROW.schema, batches())
    with pytest.raises(inrush.LoadError, match="gone"):
        inrush.load(reader, "t", place.url, mode="upsert")


def test_parts_that_differ(each: Place) -> None:
    each.sql(TABLE)
    with pytest.raises(inrush.LoadError, match="other columns"):
        inrush.load([ARROW, ARROW.select(["id", "name"])], "t", each.url)
    with pytest.raises(Exception, match="str"):
        inrush.load(iter([ARROW, "x"]), "t", each.url, mode="upsert")


def test_a_batch_of_arrow_data(each: Place) -> None:
    each.sql(TABLE)
    with inrush.connect(each.url) as connection:
        assert connection.executemany("INSERT INTO t (id, name, v) VALUES (?, ?, ?)", ARROW).rows == 3
    assert each.rows("SELECT * FROM t ORDER BY id") == ROWS


def test_a_batch_of_arrow_data_is_stored_whole_or_not(place: Place) -> None:
    place.sql(TABLE)
    twice = pa.table({"id": [1, 2, 3, 1], "name": ["x"] * 4, "v": [0.5] * 4}).to_batches(max_chunksize=2)
    insert = "INSERT INTO t (id, name, v) VALUES (?, ?, ?)"
    with inrush.connect(place.url) as connection:
        with pytest.raises(inrush.IntegrityError) as raised:
            connection.executemany(insert, pa.Table.from_batches(twice))
        assert raised.value.row == 3
        assert place.rows("SELECT COUNT(*) FROM t") == [(0,)] and not connection.in_transaction
        with connection.transaction():
            connection.execute("INSERT INTO t VALUES (9, 'x', 1)")
            with pytest.raises(inrush.IntegrityError):
                connection.executemany(insert, pa.Table.from_batches(twice))
            assert connection.in_transaction
            connection.executemany(insert, pa.Table.from_batches(twice[:1]))
        assert place.rows("SELECT id FROM t ORDER BY id") == [(1,), (2,), (9,)]


def test_a_lone_array_is_refused(each: Place) -> None:
    each.sql(TABLE)
    for lone in (pa.array([1, 2]), pa.chunked_array([[1, 2]]), pd.Series([1, 2]), pl.Series([1, 2])):
        with pytest.raises(inrush.DataError, match="Arrow"):
            inrush.load(lone, "t", each.url)


def test_a_frame_without_arrow_data(each: Place) -> None:
    """Iterated, it gives the names of its columns, as frames of Dask do."""

    class Frame(list[str]):
        columns = ("id", "name")

    each.sql(TABLE)
    with pytest.raises(inrush.InterfaceError, match="Frame without Arrow data: load its parts"):
        inrush.load(Frame(["id", "name"]), "t", each.url)


def test_arrow_types_that_are_not_known(each: Place) -> None:
    each.sql(TABLE)
    with pytest.raises(inrush.DataError, match="DataFrame.*cannot be read"):
        inrush.load(pl.DataFrame({"id": pl.Series([1], dtype=pl.Int128)}), "t", each.url)
