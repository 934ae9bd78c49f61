"""`inrush.spark`: overwrites and streams, whose rows go by stages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import stream
from faulty import KILLS, FaultyDataSource
from servers import Place

import inrush.spark
from inrush import _stages

TABLE = "CREATE TABLE orders (seq INT AUTO_INCREMENT PRIMARY KEY, id BIGINT NOT NULL, name VARCHAR(20) NOT NULL)"
ROWS = 600
FILES = 6


@pytest.fixture(autouse=True)
def sources(spark: Any) -> None:
    inrush.spark.register(spark)
    spark.dataSource.register(FaultyDataSource)


def check(place: Place, rows: int = ROWS) -> None:
    """The rows are those of the source, each once, and nothing is left over."""
    found = place.rows(
        "SELECT COUNT(*), COUNT(DISTINCT id), COALESCE(SUM(id), 0), SUM(name <> CONCAT('n', id)) FROM orders"
    )
    assert [int(value or 0) for value in found[0]] == [rows, rows, rows * (rows - 1) // 2, 0]
    assert inrush.spark.stages("orders", place.url) == []


def files(folder: Path) -> None:
    """A source of some files, each of which is a micro-batch."""
    (folder / "in").mkdir()
    (folder / "marks").mkdir()
    each = ROWS // FILES
    for n in range(FILES):
        rows = "".join(f"{id},n{id}\n" for id in range(n * each, (n + 1) * each))
        (folder / "in" / f"{n}.csv").write_text("id,name\n" + rows)


def frame(spark: Any, rows: int = ROWS, partitions: int = 4) -> Any:
    return spark.range(0, rows, 1, partitions).selectExpr("id", "concat('n', id) AS name")


def overwrite(frame: Any, place: Place, source: str = "inrush", **options: str) -> None:
    frame.write.format(source).mode("overwrite").options(url=place.url, table="orders", **options).save()


def test_an_overwrite_replaces_all_rows(spark: Any, each: Place) -> None:
    each.sql(TABLE, "INSERT INTO orders (id, name) VALUES (7, 'old'), (7, 'old')")
    for source in ("inrush", "faulty"):
        overwrite(frame(spark), each, source)
        check(each)
    overwrite(frame(spark, 0), each)
    check(each, 0)


def test_an_overwrite_that_fails_leaves_the_old_rows(spark: Any, each: Place) -> None:
    each.sql(TABLE, "INSERT INTO orders (id, name) VALUES (0, 'n0')")
    # Each task's rows are right, and those of two tasks have the same key.
    each.sql("ALTER TABLE orders ADD UNIQUE KEY (id)")
    twice = frame(spark, 10, 1).union(frame(spark, 10, 1))
    with pytest.raises(Exception, match="Duplicate entry"):
        overwrite(twice, each)
    check(each, 1)
    overwrite(twice, each, mode="ignore")
    check(each, 10)
    overwrite(twice, each, mode="upsert", key="id")
    check(each, 10)


def test_mistakes_are_found_before_a_task_starts(spark: Any, each: Place) -> None:
    each.sql(TABLE, "INSERT INTO orders (id, name) VALUES (0, 'n0')")
    for options, says in (
        ({"job": "x", "parts": "4"}, "options of an append"),
        ({"mode": "delete"}, "and not `delete`"),
        ({"columns": "position"}, "and not `position`"),
    ):
        with pytest.raises(Exception, match=says):
            overwrite(frame(spark), each, **options)
    with pytest.raises(Exception, match="nam"):
        overwrite(frame(spark).withColumnRenamed("name", "nam"), each)
    check(each, 1)


def test_a_stream_whose_tasks_and_driver_fail(spark: Any, each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    files(tmp_path)
    faults = 0
    while True:
        query = stream.start(spark, tmp_path, each.url, "faulty")
        try:
            query.awaitTermination()
            break
        except Exception as error:
            assert "the driver fails" in str(error)
            faults += 1
    assert faults == 4
    check(each)
    assert each.rows("SELECT batch, n_rows FROM inrush_stream") == [(FILES - 1, ROWS)]
    # The same checkpoint again has nothing to do; another one is another query, which stores the rows once more.
    stream.start(spark, tmp_path, each.url, "inrush").awaitTermination()
    check(each)
    each.sql("ALTER TABLE orders ADD UNIQUE KEY (id)")
    (tmp_path / "checkpoint").rename(tmp_path / "old")
    stream.start(spark, tmp_path, each.url, "inrush", mode="upsert", key="id").awaitTermination()
    check(each)
    assert each.rows("SELECT COUNT(*) FROM inrush_stream") == [(2,)]


@pytest.mark.timeout(1800)
def test_a_stream_whose_driver_is_killed(each: Place, tmp_path: Path) -> None:
    each.sql(TABLE)
    files(tmp_path)
    marks, said = tmp_path / "marks", tmp_path / "said"
    (marks / "killed").touch()
    command = [sys.executable, str(Path(stream.__file__)), str(tmp_path), each.url]
    for fault in (*KILLS, None):
        # Spark starts a process of Java, so a group of its own is killed.
        with said.open("w") as out, subprocess.Popen(command, start_new_session=True, stderr=out, stdout=out) as driver:
            try:
                while driver.poll() is None and not (fault and (marks / fault).exists()):
                    time.sleep(0.05)
                assert driver.returncode == (None if fault else 0), said.read_text()
            finally:
                if driver.poll() is None:
                    os.killpg(driver.pid, signal.SIGKILL)
    check(each)
    assert each.rows("SELECT batch, n_rows FROM inrush_stream") == [(FILES - 1, ROWS)]


def test_stages_that_a_killed_driver_left_are_listed_and_dropped(each: Place) -> None:
    each.sql(TABLE)
    target = _stages.Target(each.url, "orders", ("id", "name"), "insert")
    one, other = _stages.make(target, "a"), _stages.make(target, "b")
    assert inrush.spark.stages("orders", each.url) == sorted([one, other])
    assert _stages.stages(f"{each.database}.orders", each.url, "a") == [one]
    assert inrush.spark.sweep(f"{each.database}.orders", each.url) == sorted([one, other])
    check(each, 0)


def test_stages_of_tables_with_long_names_are_their_own(each: Place) -> None:
    names = ["a" * 24 + "b" * 40, "a" * 24 + "c" * 40]
    each.sql(*(TABLE.replace("orders", name) for name in names))
    made = [_stages.make(_stages.Target(each.url, name, ("id",), "insert"), "a") for name in names]
    assert [len(name) for name in made] == [64, 64]
    assert [inrush.spark.sweep(name, each.url) for name in names] == [[name] for name in made]


def test_a_batch_is_moved_once(each: Place) -> None:
    each.sql(TABLE)
    target = _stages.Target(each.url, "orders", ("id", "name"), "insert")

    def staged(id: int) -> str:
        name = _stages.make(target, "q")
        inrush.load([{"id": id, "name": f"n{id}"}], name, each.url)
        return name

    first, second, twin = staged(0), staged(1), staged(0)
    assert _stages.publish_batch(target, "q", 0, [first]) == 1
    assert _stages.publish_batch(target, "q", 0, [twin]) is None
    # A stage that is gone: nothing of the batch is stored.
    with pytest.raises(inrush.Error, match="gone"):
        _stages.publish_batch(target, "q", 1, [second, "orders__gone"])
    assert _stages.publish_batch(target, "q", 1, [second]) == 1
    _stages.sweep(target, "q", [second])
    check(each, 2)
    # Another query, and another table, have batches of their own.
    assert _stages.publish_batch(target, "other", 0, []) == 0
