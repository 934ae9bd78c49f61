"""`inrush.spark`: every row once, whatever Spark does with its tasks."""

from __future__ import annotations

from typing import Any

import pytest
from faulty import FaultyDataSource
from servers import Place

import inrush.spark

TABLE = "CREATE TABLE orders (id BIGINT NOT NULL, name VARCHAR(20), price DECIMAL(10,2))"
ROWS = 20_000


def frame(spark: Any, partitions: int) -> Any:
    of = spark.range(0, ROWS, 1, partitions)
    return of.selectExpr("id", "concat('n', id) AS name", "CAST(id AS DECIMAL(10,2)) / 4 AS price").selectExpr(
        "id", "name", "CAST(price AS DECIMAL(10,2)) AS price"
    )


def write(frame: Any, place: Place, source: str = "inrush", **options: str) -> None:
    given = {"url": place.url, "table": "orders", **options}
    frame.write.format(source).mode("append").options(**given).save()


def check(place: Place, rows: int = ROWS) -> None:
    found = place.rows(
        "SELECT COUNT(*), COUNT(DISTINCT id), COALESCE(SUM(id), 0), SUM(name <> CONCAT('n', id)) FROM orders"
    )
    assert [int(value or 0) for value in found[0]] == [rows, rows, rows * (rows - 1) // 2, 0]


@pytest.fixture(autouse=True)
def sources(spark: Any) -> None:
    inrush.spark.register(spark)
    spark.dataSource.register(FaultyDataSource)


def test_tasks_that_fail_after_their_commit_store_nothing_twice(spark: Any, each: Place) -> None:
    each.sql(TABLE)
    write(frame(spark, 5), each, "faulty")
    check(each)


def test_the_same_job_again_stores_nothing(spark: Any, each: Place) -> None:
    each.sql(TABLE)
    for source in ("inrush", "faulty"):
        write(frame(spark, 4), each, source, job="orders", parts="4")
        check(each)
    with pytest.raises(Exception, match="begun with 4 parts"):
        write(frame(spark, 3), each, job="orders", parts="3")
    with pytest.raises(Exception, match="one more than `parts`"):
        write(frame(spark, 6), each, job="orders", parts="4")
    check(each)


def test_mistakes_are_found_before_a_task_starts(spark: Any, each: Place) -> None:
    each.sql(TABLE)
    for changed, says in (
        (frame(spark, 2).withColumnRenamed("price", "prize"), "prize"),
        (frame(spark, 2).drop("id"), "`id`"),
    ):
        with pytest.raises(Exception, match=says):
            write(changed, each)
    for options, says in (
        ({"job": "x"}, "`job` and `parts` belong together"),
        ({"batches": "7"}, "`batches` is no option"),
        ({"table": "nothing"}, "nothing"),
    ):
        with pytest.raises(Exception, match=says):
            write(frame(spark, 2), each, **options)
    with pytest.raises(Exception, match="overwrite"):
        frame(spark, 2).write.format("inrush").mode("overwrite").options(url=each.url, table="orders").save()
    check(each, 0)


def test_upsert(spark: Any, each: Place) -> None:
    each.sql(TABLE.replace("NOT NULL,", "PRIMARY KEY,", 1), "INSERT INTO orders VALUES (7, 'old', 0)")
    write(frame(spark, 3), each, mode="upsert", key="id")
    check(each)


def test_reading(spark: Any, each: Place) -> None:
    each.sql("CREATE TABLE orders (id INT UNSIGNED PRIMARY KEY, n BIGINT UNSIGNED, name VARCHAR(20), at TIME)")
    each.sql("INSERT INTO orders VALUES " + ", ".join(f"({n}, {n}, 'n{n}', NULL)" for n in range(1000)))
    for options in ({}, {"partition_on": "id", "partitions": "4"}):
        read = spark.read.format("inrush").options(url=each.url, table="orders", **options).load()
        assert read.rdd.getNumPartitions() == int(options.get("partitions", "1"))
        row = read.selectExpr("count(*)", "sum(id)", "sum(n)", "max(name)").collect()[0]
        assert [int(value) for value in row[:3]] == [1000, 499_500, 499_500] and row[3] == "n999"
