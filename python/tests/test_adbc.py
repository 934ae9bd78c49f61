"""The ADBC driver, by the manager's PEP 249, polars and pandas."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import Place, friend, until

import inrush

pa = friend("pyarrow")
pd = friend("pandas")
pl = friend("polars")
manager = friend("adbc_driver_manager")

import inrush.dbapi as dbapi  # noqa: E402 (it needs the manager)

TABLE = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), v DOUBLE)"
ARROW = pa.table({"id": [1, 2, 3], "name": ["Ann", "Bob", None], "v": [1.5, None, -0.25]})
ROWS = [(1, "Ann", 1.5), (2, "Bob", None), (3, None, -0.25)]


def test_pep_249(place: Place) -> None:
    assert (dbapi.apilevel, dbapi.paramstyle) == ("2.0", "qmark")
    place.sql(TABLE)
    with dbapi.connect(place.url) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO t VALUES (?, ?, ?)", (1, "Ann", 1.5))
        cursor.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS[1:])
        assert place.rows("SELECT COUNT(*) FROM t") == [(0,)]
        connection.commit()
        assert place.rows("SELECT * FROM t ORDER BY id") == ROWS
        cursor.execute("DELETE FROM t")
        connection.rollback()
        cursor.execute("SELECT * FROM t WHERE id > ? ORDER BY id", (1,))
        assert [column[0] for column in cursor.description] == ["id", "name", "v"]
        assert cursor.fetchall() == ROWS[1:]
        with pytest.raises(dbapi.ProgrammingError, match="1064|syntax"):
            cursor.execute("SELEKT 1")
        with pytest.raises(dbapi.IntegrityError, match="Duplicate"):
            cursor.execute("INSERT INTO t VALUES (1, 'x', 1)")
        cursor.execute("SELECT COUNT(*) FROM t")
        assert cursor.fetchone() == (3,)
        connection.rollback()


def test_ingestion(place: Place) -> None:
    with dbapi.connect(place.url, autocommit=True) as connection, connection.cursor() as cursor:
        assert cursor.adbc_ingest("made", ARROW, mode="create") == 3
        assert place.rows("SELECT * FROM made ORDER BY id") == ROWS
        with pytest.raises(dbapi.Error, match="there already"):
            cursor.adbc_ingest("made", ARROW, mode="create")
        with pytest.raises(dbapi.Error, match="no table"):
            cursor.adbc_ingest("nix", ARROW, mode="append")
        # By the names of columns, whatever their order.
        assert cursor.adbc_ingest("made", ARROW.select(["v", "name", "id"]), mode="append") == 3
        assert place.rows("SELECT COUNT(*), SUM(id) FROM made")[0][0] == 6
        assert cursor.adbc_ingest("made", ARROW.slice(0, 1), mode="replace") == 1
        assert place.rows("SELECT * FROM made") == ROWS[:1]
        assert cursor.adbc_ingest("other", ARROW.to_reader(), mode="create_append") == 3
        assert cursor.adbc_ingest("other", ARROW, mode="create_append") == 3


def test_ingestion_in_a_transaction(place: Place) -> None:
    place.sql(TABLE)
    with dbapi.connect(place.url) as connection, connection.cursor() as cursor:
        assert cursor.adbc_ingest("t", ARROW, mode="append") == 3
        assert place.rows("SELECT COUNT(*) FROM t") == [(0,)]
        connection.rollback()
        assert cursor.adbc_ingest("t", ARROW, mode="append") == 3
        connection.commit()
        assert place.rows("SELECT * FROM t ORDER BY id") == ROWS
        with pytest.raises(dbapi.IntegrityError, match="Duplicate"):
            cursor.adbc_ingest("t", ARROW, mode="append")
        connection.rollback()
        with pytest.raises(dbapi.Error, match="nix"):
            cursor.adbc_ingest("t", ARROW.rename_columns(["id", "nix", "v"]), mode="append")
        connection.rollback()


def test_options_of_ingestion(place: Place) -> None:
    place.sql(TABLE)
    with dbapi.connect(place.url, autocommit=True) as connection, connection.cursor() as cursor:
        statement = cursor.adbc_statement
        cursor.adbc_ingest("t", ARROW, mode="append")
        statement.set_options(
            **{"inrush.ingest.mode": "upsert", "inrush.ingest.job": "once", "inrush.ingest.lanes": "1"}
        )
        cursor.adbc_ingest("t", ARROW, mode="append")
        report = statement.get_option("inrush.ingest.report")
        assert json.loads(report)["rows"]["stored"] == 3, report
        with pytest.raises(dbapi.Error, match="lanes"):
            statement.set_options(**{"inrush.ingest.lanes": "0"})
        with pytest.raises(dbapi.Error, match="nix"):
            statement.set_options(**{"inrush.ingest.nix": "0"})
    assert place.rows("SELECT * FROM t ORDER BY id") == ROWS
    (job,) = [job for job in inrush.status(place.url) if job.source.startswith("once,")]
    assert job.state == "done"


def test_statistics(place: Place) -> None:
    place.sql(
        "CREATE TABLE t (id INT PRIMARY KEY, kind INT, KEY k (kind, id), KEY l (kind))",
        "CREATE TABLE bare (n INT)",
        "CREATE VIEW seen AS SELECT * FROM t",
    )
    with inrush.connect(place.url) as connection:
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, n % 10) for n in range(1000)])
        connection.query("ANALYZE TABLE t, bare").rows()
    with dbapi.connect(place.url) as connection:
        reader = connection.adbc_get_statistics(catalog_filter=place.database)
        ((_, (of_schema,)),) = [row.values() for row in reader.read_all().to_pylist()]
        found = {
            (one["table_name"], one["column_name"]): (one["statistic_key"], one["statistic_value"])
            for one in of_schema["db_schema_statistics"]
        }
        assert all(one["statistic_is_approximate"] for one in of_schema["db_schema_statistics"])
        # 6 is the number of rows, 1 that of distinct values.
        assert {name: key for name, (key, _) in found.items()} == {
            ("bare", None): 6,
            ("t", None): 6,
            ("t", "id"): 1,
            ("t", "kind"): 1,
        }
        assert found[("t", None)][1] == pytest.approx(1000, rel=0.2)
        # A sample of pages: a server may be off by a factor.
        assert 1 <= found[("t", "kind")][1] <= 100
        only = connection.adbc_get_statistics(catalog_filter=place.database, table_name_filter="bare").read_all()
        assert len(only.to_pylist()[0]["catalog_db_schemas"][0]["db_schema_statistics"]) == 1
        assert connection.adbc_get_statistics(catalog_filter="nosuch").read_all().num_rows == 0
        assert connection.adbc_get_statistic_names().read_all().num_rows == 0


def test_objects(place: Place) -> None:
    place.sql(
        TABLE,
        "CREATE TABLE child (id INT PRIMARY KEY, t_id INT NOT NULL, UNIQUE KEY u (t_id), FOREIGN KEY f (t_id) REFERENCES t (id))",
        "CREATE VIEW seen AS SELECT * FROM t",
    )
    with dbapi.connect(place.url) as connection:
        info = connection.adbc_get_info()
        assert info["driver_name"] == "inrush" and info["vendor_name"] == ("MySQL" if place.is_mysql else "MariaDB")
        assert connection.adbc_current_catalog == place.database
        assert "VIEW" in connection.adbc_get_table_types()
        schema = connection.adbc_get_table_schema("t")
        assert schema.names == ["id", "name", "v"] and schema.field("id").type == pa.int32()
        objects = connection.adbc_get_objects(depth="all", catalog_filter=place.database).read_all().to_pylist()
        (catalog,) = objects
        assert catalog["catalog_name"] == place.database
        tables = {table["table_name"]: table for table in catalog["catalog_db_schemas"][0]["db_schema_tables"]}
        assert set(tables) == {"t", "child", "seen"}
        assert [column["column_name"] for column in tables["t"]["table_columns"]] == ["id", "name", "v"]
        kinds = {one["constraint_type"]: one for one in tables["child"]["table_constraints"]}
        assert set(kinds) == {"PRIMARY KEY", "UNIQUE", "FOREIGN KEY"}
        (usage,) = kinds["FOREIGN KEY"]["constraint_column_usage"]
        assert (usage["fk_table"], usage["fk_column_name"]) == ("t", "id")
        only = connection.adbc_get_objects(depth="tables", table_name_filter="chi%", catalog_filter=place.database)
        (catalog,) = only.read_all().to_pylist()
        assert [t["table_name"] for t in catalog["catalog_db_schemas"][0]["db_schema_tables"]] == ["child"]


def test_bound_rows_are_one_batch(place: Place) -> None:
    """Also with autocommit, and where they come in several batches of Arrow."""
    place.sql(TABLE)
    twice = pa.table({"id": [1, 2, 3, 1], "name": ["x"] * 4, "v": [0.5] * 4}).to_reader(max_chunksize=2)
    with dbapi.connect(place.url, autocommit=True) as connection, connection.cursor() as cursor:
        with pytest.raises(dbapi.IntegrityError, match="Duplicate"):
            cursor.executemany("INSERT INTO t (id, name, v) VALUES (?, ?, ?)", twice)
        assert place.rows("SELECT COUNT(*) FROM t") == [(0,)]


def test_partitions(place: Place) -> None:
    place.sql(TABLE)
    inrush.load([(n, "x", n / 2) for n in range(1000)], "t", place.url)
    with dbapi.connect(place.url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**{"inrush.partition.column": "id", "inrush.partition.count": "3"})
        partitions, schema = cursor.adbc_execute_partitions("SELECT id, v FROM t")
        assert len(partitions) == 3 and schema.names == ["id", "v"]
        ids: list[int] = []
        for partition in partitions:
            cursor.adbc_read_partition(partition)
            ids += cursor.fetch_arrow_table()["id"].to_pylist()
        assert sorted(ids) == list(range(1000))


def test_prepared_and_schema(each: Place) -> None:
    with dbapi.connect(each.url) as connection, connection.cursor() as cursor:
        assert len(cursor.adbc_prepare("SELECT ? + 1")) == 1
        cursor.execute("SELECT ? + 1", (2,))
        assert float(cursor.fetchone()[0]) == 3
        assert cursor.adbc_execute_schema("SELECT 1 AS one, 'x' AS x").names == ["one", "x"]


@pytest.mark.parametrize("by", ["statement", "connection"])
def test_cancelled_by_another_thread(each: Place, by: str) -> None:
    """A query is killed; a load is aborted, and what is stored stays and is told."""
    each.sql(TABLE)
    raised: list[BaseException] = []

    def endless() -> Iterator[Any]:
        for n in range(10**9):
            yield pa.record_batch({"id": range(n * 1000, n * 1000 + 1000), "name": ["x"] * 1000, "v": [0.5] * 1000})

    with dbapi.connect(each.url, autocommit=True) as connection, connection.cursor() as cursor:

        def work(call: Callable[[], object]) -> threading.Thread:
            def catch() -> None:
                try:
                    call()
                except BaseException as error:
                    raised.append(error)

            thread = threading.Thread(target=catch)
            thread.start()
            return thread

        cancel = cursor.adbc_cancel if by == "statement" else connection.adbc_cancel
        slow = work(lambda: cursor.execute("SELECT SLEEP(600)"))
        each.until_asleep()
        cancel()
        slow.join()
        raised.clear()
        reader = pa.RecordBatchReader.from_batches(ARROW.schema, endless())
        load = work(lambda: cursor.adbc_ingest("t", reader, mode="append"))
        until("rows in the table", lambda: each.rows("SELECT COUNT(*) FROM t")[0][0])
        progress = connection.adbc_connection.get_option_float
        until("progress", lambda: progress("adbc.statement.exec.progress") > 0)
        cancel()
        load.join()
        (error,) = raised
        assert isinstance(error, dbapi.Error), error
        rows = json.loads(cursor.adbc_statement.get_option("inrush.ingest.report"))["rows"]
        # A COMMIT may have been in flight.
        assert rows["stored"] <= each.rows("SELECT COUNT(*) FROM t")[0][0] <= rows["stored"] + rows["unknown"], rows
        cursor.execute("SELECT 5")
        assert cursor.fetchone() == (5,)


def test_isolation_and_read_only(each: Place) -> None:
    each.sql(TABLE)
    with dbapi.connect(each.url, autocommit=True) as connection:
        connection.adbc_connection.set_options(
            **{"adbc.connection.transaction.isolation_level": "adbc.connection.transaction.isolation.serializable"}
        )
        variable = "@@transaction_isolation" if each.is_mysql else "@@tx_isolation"
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {variable}")
            assert cursor.fetchone() == ("SERIALIZABLE",)
            connection.adbc_connection.set_options(**{"adbc.connection.readonly": "true"})
            with pytest.raises(dbapi.Error, match="READ ONLY"):
                cursor.execute("INSERT INTO t VALUES (1, 'x', 1)")


def test_a_transaction_whose_connection_is_lost_is_told(place: Place) -> None:
    place.sql(TABLE)
    with dbapi.connect(place.url) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO t VALUES (1, 'x', 1)")
        cursor.execute("SELECT CONNECTION_ID()")
        (number,) = cursor.fetchone()
        place.sql(f"KILL {number}")
        with pytest.raises(dbapi.Error):
            cursor.execute("INSERT INTO t VALUES (2, 'x', 1)")
        # Nothing begins another transaction behind the application's back.
        with pytest.raises(dbapi.Error, match="lost"):
            cursor.execute("INSERT INTO t VALUES (3, 'x', 1)")
        with pytest.raises(dbapi.Error, match="lost"):
            connection.commit()
        cursor.execute("INSERT INTO t VALUES (4, 'x', 1)")
        connection.commit()
    assert place.rows("SELECT id FROM t") == [(4,)]


def test_polars(place: Place) -> None:
    uri = place.url.replace("mysql://", "inrush://")
    frame = pl.DataFrame({"id": [1, 2], "name": ["a", None]})
    assert frame.write_database("p", uri, engine="adbc", if_table_exists="fail") == 2
    assert frame.write_database("p", uri, engine="adbc", if_table_exists="append") == 2
    assert frame.write_database("p", uri, engine="adbc", if_table_exists="replace") == 2
    found = pl.read_database_uri("SELECT * FROM p ORDER BY id", uri, engine="adbc")
    assert found.rows() == [(1, "a"), (2, None)]
    with dbapi.connect(place.url) as connection:
        assert pl.read_database("SELECT COUNT(*) AS n FROM p", connection).rows() == [(2,)]


def test_pandas(place: Place) -> None:
    frame = pd.DataFrame({"id": [1, 2], "name": ["a", "b"]})
    with dbapi.connect(place.url, ansi_quotes=True) as connection:
        assert frame.to_sql("q", connection, index=False) == 2
        assert frame.to_sql("q", connection, index=False, if_exists="append") == 2
        with pytest.raises(ValueError, match="exists"):
            frame.to_sql("q", connection, index=False, if_exists="fail")
        assert len(pd.read_sql("SELECT * FROM q", connection)) == 4
        assert frame.to_sql("q", connection, index=False, if_exists="replace") == 2
        connection.commit()
    assert place.rows("SELECT COUNT(*) FROM q") == [(2,)]


def test_secrets_stay_secret(each: Place) -> None:
    wrong = each.url.replace(each.server["password"], "Wrong-Secret1")
    with pytest.raises(dbapi.Error) as raised:
        dbapi.connect(wrong)
    assert "denied" in str(raised.value) and "Wrong-Secret1" not in str(raised.value)


def test_the_manifest(each: Place, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "adbc_driver_inrush"], capture_output=True, text=True, check=True
    ).stdout
    assert "AdbcDriverInrushInit" in said
    (tmp_path / "inrush.toml").write_text(said)
    monkeypatch.setenv("ADBC_DRIVER_PATH", str(tmp_path))
    import adbc_driver_manager.dbapi as any_driver

    with any_driver.connect(driver="inrush", db_kwargs={"uri": each.url}) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 5")
        assert cursor.fetchone() == (5,)
