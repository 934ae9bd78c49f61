"""Connections, queries, batches, transactions, inserters."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import decimal
import os
import threading
import types
from pathlib import Path
from typing import Any

import pytest
from conftest import Place, until

import inrush
import inrush.aio

TYPES = """CREATE TABLE types (
    i TINYINT, u BIGINT UNSIGNED, d DECIMAL(20,5), f FLOAT, g DOUBLE, b BIT(3), y YEAR, s VARCHAR(9), x VARBINARY(9), t TEXT,
    da DATE, dt DATETIME(6), ts TIMESTAMP NULL, ti TIME(3), e ENUM('a','b'), st SET('x','y'), j JSON)"""


def test_every_type(place: Place) -> None:
    place.sql(
        TYPES,
        "INSERT INTO types VALUES (-128, 18446744073709551615, 123456789012345.12345, 0.1, 0.1, b'101', 2026, 'ü', x'ff00', 'text', "
        "'2026-02-03', '2026-02-03 04:05:06.000007', '2026-02-03 04:05:06', '-838:59:58.125', 'b', 'x,y', '[1]')",
        "INSERT INTO types (i) VALUES (1)",
    )
    first, second = place.rows("SELECT * FROM types ORDER BY i")
    assert first[:8] == (-128, 2**64 - 1, decimal.Decimal("123456789012345.12345"), 0.1, 0.1, 5, 2026, "ü")
    assert first[8:14] == (
        b"\xff\x00",
        "text",
        datetime.date(2026, 2, 3),
        datetime.datetime(2026, 2, 3, 4, 5, 6, 7),
        datetime.datetime(2026, 2, 3, 4, 5, 6),
        -datetime.timedelta(hours=838, minutes=59, seconds=58, milliseconds=125),
    )
    assert first[14:] == ("b", "x,y", "[1]")
    assert second[1:] == (None,) * 16


def test_zero_dates(each: Place) -> None:
    each.sql("CREATE TABLE z (d DATE)")
    with inrush.connect(each.url) as connection:
        connection.execute("SET SESSION sql_mode = ''")
        connection.execute("INSERT INTO z VALUES ('0000-00-00')")
        with pytest.raises(inrush.DataError, match="column `d`"):
            connection.query("SELECT d FROM z").rows()
        assert connection.query("SELECT d FROM z", invalid_dates="null").rows() == [(None,)]
        assert connection.query("SELECT d FROM z", invalid_dates="text").rows() == [("0000-00-00",)]


def test_values(place: Place) -> None:
    with inrush.connect(place.url) as connection:
        assert connection.query("SELECT ? + 1, ?", [1, "x"]).rows()[0][1] == "x"
        assert connection.query("SELECT :b, :a, :b", {"a": "1", "b": "2"}).rows() == [("2", "1", "2")]
        assert connection.query("SELECT ?", [None]).rows() == [(None,)]
        for params, says in [([], "placeholder|value"), ([1, 2], "value"), ([object()], "value 1.*object")]:
            with pytest.raises(inrush.Error, match=says):
                connection.query("SELECT ?", params)
        # It is usable after each of them.
        assert connection.query("SELECT 1").rows() == [(1,)]


def test_a_result_streams_and_is_there_once(each: Place) -> None:
    with inrush.connect(each.url) as connection:
        result = connection.query(
            "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n",
            batch_rows=100,
        )
        rows = iter(result)
        assert [next(rows) for _ in range(3)] == [(1,), (2,), (3,)]
        with pytest.raises(inrush.InterfaceError, match="being read"):
            connection.execute("DO 1")
        assert len(list(rows)) == 897 and result.rows() == []
        assert connection.execute("DO 1").affected == 0
        half = connection.query("SELECT 1 UNION SELECT 2")
        half.close()
        assert half.rows() == []
        assert connection.query("SELECT 3 AS three").dicts() == [{"three": 3}]


def test_an_error_keeps_the_connection_and_its_transaction(place: Place) -> None:
    place.sql("CREATE TABLE t (id INT PRIMARY KEY)")
    with inrush.connect(place.url) as connection:
        with connection.transaction():
            connection.execute("INSERT INTO t VALUES (1)")
            with pytest.raises(inrush.ProgrammingError) as raised:
                connection.query("SELEKT 1")
            assert (raised.value.code, raised.value.sqlstate) == (1064, "42000")
            with pytest.raises(inrush.IntegrityError):
                connection.execute("INSERT INTO t VALUES (1)")
            assert connection.in_transaction
        assert place.rows("SELECT * FROM t") == [(1,)]
        with pytest.raises(KeyError), connection.transaction():
            connection.execute("INSERT INTO t VALUES (2)")
            raise KeyError
        assert place.rows("SELECT * FROM t") == [(1,)]


def test_a_batch(place: Place) -> None:
    place.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5))")
    with inrush.connect(place.url) as connection:
        done = connection.executemany("INSERT INTO t VALUES (?, ?)", ((n, "x") for n in range(5000)))
        assert (done.rows, done.affected, done.bad_rows) == (5000, 5000, [])
        with pytest.raises(inrush.IntegrityError) as raised:
            connection.executemany("INSERT INTO t VALUES (?, ?)", [(9000, "x"), (1, "x")])
        assert raised.value.row == 1
        done = connection.executemany(
            "INSERT INTO t VALUES (?, ?)", [(9001, "x"), (1, "x"), (9002, "toolong")], bad_rows="skip"
        )
        assert (done.rows, [bad.row for bad in done.bad_rows]) == (1, [1, 2])
    assert place.rows("SELECT COUNT(*) FROM t") == [(5001,)]


VALUES_WITHOUT_ORDER: list[Any] = ["ab", b"ab", bytearray(b"ab"), {"a", "b"}, frozenset("ab"), {"a": 1, "b": 2}]


@pytest.mark.parametrize("values", VALUES_WITHOUT_ORDER, ids=repr)
def test_values_go_by_their_places(each: Place, values: Any) -> None:
    """A dict would give its keys, a text its characters, a set no order."""
    each.sql("CREATE TABLE t (a VARCHAR(9), b VARCHAR(9))")
    with inrush.connect(each.url) as connection, inrush.Inserter("t", each.url) as inserter:
        with pytest.raises(inrush.DataError, match="tuple or a list") as raised:
            connection.executemany("INSERT INTO t VALUES (?, ?)", [("x", "y"), values])
        assert raised.value.row == 1
        if not isinstance(values, dict):
            with pytest.raises(inrush.DataError, match="tuple or a list"):
                connection.execute("INSERT INTO t VALUES (?, ?)", values)
            with pytest.raises(inrush.DataError, match="tuple or a list"):
                inserter.insert(values)
    assert each.rows("SELECT COUNT(*) FROM t") == [(0,)]


def test_any_mapping_goes_by_names(each: Place) -> None:
    with inrush.connect(each.url) as connection:
        named = types.MappingProxyType({"b": "2", "a": "1"})
        assert connection.query("SELECT :a, :b", named).rows() == [("1", "2")]


def test_read_in_parts(place: Place) -> None:
    place.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
    inrush.load([(n, n % 7) for n in range(10_000)], "t", place.url)
    whole = inrush.read("t", place.url).rows()
    assert sorted(whole) == [(n, n % 7) for n in range(10_000)]
    for parts in (1, 2, 7):
        assert sorted(inrush.read("t", place.url, partition_on="id", partitions=parts).rows()) == sorted(whole)
    assert sorted(inrush.read("t", place.url, ["v"], "id", 3).rows()) == sorted((v,) for _, v in whole)
    # Given up half-way, no connection stays.
    for _ in range(5):
        inrush.read("t", place.url, partition_on="id", partitions=4, batch_rows=10).close()
    left = f"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{place.database}'"
    until("the end of the other connections", lambda: place.rows(left) == [(1,)])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"partitions": 2}, "partition_on"),
        ({"partitions": 0, "partition_on": "id"}, "partitions"),
        ({"partition_on": "name", "partitions": 2}, "whole numbers"),
        ({"partition_on": "nix", "partitions": 2}, "nix"),
        ({"columns": ["nix"]}, "nix"),
        ({"invalid_dates": "maybe"}, "invalid_dates"),
    ],
)
def test_what_read_refuses(each: Place, arguments: dict[str, Any], says: str) -> None:
    each.sql("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9))", "INSERT INTO t VALUES (1, 'x')")
    with pytest.raises(inrush.Error, match=says):
        inrush.read("t", each.url, **arguments)


def test_a_fork_is_told(each: Place) -> None:
    with inrush.connect(each.url) as connection:
        result = connection.query("SELECT 1 UNION SELECT 2")
        inserter = inrush.Inserter("t", each.url)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            said = []
            for use in (lambda: connection.execute("DO 1"), result.rows, lambda: inserter.insert([1])):
                try:
                    use()
                    said.append("worked")
                except inrush.InterfaceError as error:
                    said.append("forked" if "fork" in str(error) else str(error))
            with inrush.connect(each.url) as own:
                said.append(str(own.query("SELECT 5").rows()[0][0]))
            del result, connection
            os.write(writer, ",".join(said).encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(reader, 1000) == b"forked,forked,forked,5"
        os.close(reader)
        os.close(writer)
        # The child's copies have not ended the parent's.
        assert result.rows() == [(1,), (2,)]
        assert connection.query("SELECT 3").rows() == [(3,)]


def test_threads_share_no_connection(each: Place) -> None:
    with inrush.connect(each.url) as connection:
        (number,) = connection.query("SELECT CONNECTION_ID()").rows()[0]

        def sleep() -> None:
            # MariaDB ends a statement that is killed with an error, MySQL its SLEEP well.
            with contextlib.suppress(inrush.Error):
                connection.query("SELECT SLEEP(600)").rows()

        slow = threading.Thread(target=sleep)
        slow.start()
        each.until_asleep()
        with pytest.raises(inrush.InterfaceError, match="another thread"):
            connection.execute("DO 1")
        each.sql(f"KILL QUERY {number}")
        slow.join()
        connection.execute("DO 1")


def test_a_killed_connection(each: Place) -> None:
    with inrush.connect(each.url) as connection:
        each.sql(f"KILL {connection.connection_id}")
        with pytest.raises(inrush.OperationalError):
            connection.execute("DO 1")


def test_an_inserter_of_threads(place: Place) -> None:
    place.sql("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(5) NOT NULL)")
    ids: list[int | None] = []
    with inrush.Inserter("t", place.url, columns=["v"], exactly_once=True) as inserter:

        def some() -> None:
            for _ in range(50):
                ids.append(inserter.insert(["x"]))

        threads = [threading.Thread(target=some) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with pytest.raises(inrush.DataError):
            inserter.insert(["toolong"])
        with pytest.raises(inrush.Error):
            inserter.insert({"v": None})
        inserter.flush()
        assert (inserter.status().stored, inserter.status().unknown) == (400, 0)
    assert len(set(ids)) == 400
    assert place.rows("SELECT COUNT(*) FROM t") == [(400,)]
    with pytest.raises(inrush.Error):
        inserter.insert(["x"])


def test_asyncio(place: Place) -> None:
    place.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)")

    async def work() -> None:
        async with inrush.aio.Inserter("t", place.url, columns=["id", "v"], lanes=1) as inserter:
            await asyncio.gather(*(inserter.insert([n, n]) for n in range(500)))
            with pytest.raises(inrush.IntegrityError):
                await inserter.insert([1, 1])
            with pytest.raises(inrush.DataError, match="value 2.*object"):
                await inserter.insert([1, object()])
            assert inserter.status().stored == 500
        with pytest.raises(inrush.Error):
            await inserter.insert([1, 1])
        async with await inrush.aio.connect(place.url) as connection:
            assert await connection.query("SELECT COUNT(*) FROM t") == [(500,)]
            async with connection.transaction():
                await connection.execute("DELETE FROM t")
            await connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, 1), (2, 2)])
            with pytest.raises(KeyError):
                async with connection.transaction():
                    await connection.execute("DELETE FROM t")
                    raise KeyError
            assert await connection.query("SELECT COUNT(*) FROM t") == [(2,)]
            report = await connection.load([(n, n) for n in range(20, 30)], "t", batch=5)
            assert (report.stored, report.chunks) == (10, 2)
            assert (await inrush.aio.load([(n, n) for n in range(30, 40)], "t", connection)).stored == 10
        report = await inrush.aio.load([(n, n) for n in range(10, 20)], "t", place.url)
        assert report.stored == 10

    asyncio.run(work())


def test_a_cancelled_load_stops(place: Place) -> None:
    place.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)")

    def rows() -> Any:
        for n in range(100_000_000):
            yield n, n

    async def work() -> None:
        task = asyncio.create_task(inrush.aio.load(rows(), "t", place.url, job="cancelled"))
        while not place.rows("SELECT COUNT(*) FROM t")[0][0]:
            await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    (job,) = inrush.status(place.url)
    assert (job.state, job.run) == ("unfinished", "ended")
    assert place.rows("SELECT COUNT(*) FROM t") == [(job.rows,)]


def test_tables_are_compared(place: Place, tmp_path: Path) -> None:
    place.sql(
        "CREATE TABLE one (id INT PRIMARY KEY, `a``b` VARCHAR(9), n INT)",
        "INSERT INTO one VALUES (1, 'x', 1), (2, NULL, 2), (3, 'z', 3)",
        "CREATE TABLE two LIKE one",
        "INSERT INTO two SELECT * FROM one",
    )
    same = inrush.verify("one", "two", place.url)
    assert same == inrush.Verified(
        rows=3, other_rows=3, missing=0, extra=0, different=0, key=["id"], columns=["id", "a`b", "n"]
    )
    assert same.is_equal
    place.sql(
        "UPDATE two SET `a``b` = 'y' WHERE id = 1", "DELETE FROM two WHERE id = 3", "INSERT INTO two VALUES (4, 'q', 4)"
    )
    with inrush.connect(place.url) as connection:
        found = inrush.verify("one", "two", connection, other=connection)
    assert (found.missing, found.extra, found.different, found.is_equal) == (1, 1, 1, False)
    by_kind = {difference.kind: difference for difference in found.differences}
    assert by_kind["different"] == inrush.Difference("different", 1, {"id": "1"}, {"a`b": ("'x'", "'y'")})
    assert by_kind["missing"].key == {"id": "3"}
    assert inrush.verify("one", "two", place.url, columns="n", where="id < 3").is_equal
    assert inrush.verify("one", "two", place.url, where="id > 3", subset=True).is_equal
    file = tmp_path / "checkpoint"
    assert inrush.verify("one", "one", place.url, other=place.url, rate=1000, checkpoint=file).is_equal
    assert not file.exists()
    few = inrush.verify("one", "two", place.url, differences=1)
    assert (len(few.differences), few.extra) == (1, 1)


def test_tables_that_cannot_be_compared(each: Place) -> None:
    each.sql("CREATE TABLE one (id INT PRIMARY KEY)")
    for wrong, says in [
        ({}, "a table is compared with itself"),
        ({"other_table": "none"}, "none"),
        ({"other_table": "two", "lanes": 0}, "`lanes` takes 1 to 256, not 0"),
        ({"other_table": "one", "other": 7}, "is a URL"),
        ({"other": each.url, "columns": ["nothing"]}, "nothing"),
    ]:
        arguments: Any = wrong
        with pytest.raises(inrush.Error, match=says):
            inrush.verify("one", to=each.url, **arguments)
