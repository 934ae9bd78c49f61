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


def test_filters_are_evaluated_by_the_server(spark: Any, each: Place) -> None:
    each.sql(
        "CREATE TABLE orders (id INT PRIMARY KEY, big BIGINT UNSIGNED, name VARCHAR(20), code CHAR(4), day DATE, price DECIMAL(10,2), share"
        " DOUBLE, note JSON)"
    )
    rows = [
        """(1, 18446744073709551615, 'a', 'a', '2024-01-01', 1.25, 0.5, '{"a": 1}')""",
        """(2, 2, 'A', 'A', '2024-02-29', -1.25, 0.1, NULL)""",
        """(3, NULL, 'a ', 'a', NULL, NULL, NULL, '"a"')""",
        """(4, 0, NULL, NULL, '0001-01-01', 99999999.99, -0.0, 'null')""",
        """(5, 5, '\u00e4', 'b', '9999-12-31', 0, 1e300, '[]')""",
    ]
    each.sql("INSERT INTO orders VALUES " + ", ".join(rows))
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    given = {"url": each.url, "table": "orders"}
    plain = spark.read.format("inrush").options(**given).load()
    for partitions in ({}, {"partition_on": "big", "partitions": "3"}):
        pushed = spark.read.format("inrush").options(**given, **partitions, push_filters="true").load()
        for condition in (
            *(
                "id = 3",
                "id > 1 AND id <= 4",
                "id IN (1, 5, 7)",
                "NOT id = 3",
                "id <=> 3",
                "big = 18446744073709551615",
                "big IS NULL",
            ),
            *(
                "name = 'a'",
                "name IN ('a', 'x')",
                "name > 'a'",
                "name != 'a'",
                "name IS NOT NULL",
                "name LIKE 'a%'",
                "name = 'a '",
            ),
            *(
                "code = 'a'",
                "day = DATE'2024-02-29'",
                "day < DATE'2024-02-01'",
                "day IS NULL",
                "price >= 0",
                "price = 1.25",
                "price < -1",
            ),
            *(
                "share = 0.1",
                "share <= 0",
                "note = '{\"a\": 1}'",
                "note IS NULL",
                "id > 1 AND name = 'A' AND day IS NOT NULL",
            ),
        ):
            want = sorted(row["id"] for row in plain.where(condition).collect())
            assert sorted(row["id"] for row in pushed.where(condition).collect()) == want, condition
    with pytest.raises(Exception, match="`push_filters` is true or false"):
        spark.read.format("inrush").options(**given, push_filters="yes").load().collect()


def test_conditions() -> None:
    from pyspark.sql import datasource as of

    from inrush import _filters

    types = {
        "id": "int",
        "name": "varchar utf8mb4",
        "old": "text latin1",
        "day": "date",
        "price": "decimal",
        "share": "double",
        "code": "char utf8mb4",
    }
    for filter, want in (
        (of.EqualTo(("ID",), 3), ("`ID` = ?", [3])),
        (of.GreaterThanOrEqual(("price",), 3), ("`price` >= ?", [3])),
        (of.In(("name",), ("a", "b")), ("`name` IN (?, ?)", ["a", "b"])),
        (of.EqualTo(("name",), "\u00e4"), ("`name` = ?", ["\u00e4"])),
        (of.EqualTo(("old",), "a"), ("`old` = ?", ["a"])),
        (of.EqualTo(("old",), "\u00e4"), None),
        (of.IsNull(("old",)), ("`old` IS NULL", [])),
        (of.In(("id",), tuple(range(10_001))), None),
        (of.EqualNullSafe(("name",), None), ("`name` IS NULL", [])),
        (of.IsNotNull(("day",)), ("`day` IS NOT NULL", [])),
        (of.IsNull(("day",)), None),
        (of.LessThan(("name",), "a"), None),
        (of.Not(of.EqualTo(("name",), "a")), None),
        (of.EqualTo(("share",), 0.5), None),
        (of.EqualTo(("code",), "a"), None),
        (of.EqualTo(("id",), "3"), None),
        (of.EqualTo(("id", "x"), 3), None),
        (of.EqualTo(("gone",), 3), None),
    ):
        assert _filters.condition_of(filter, types) == want, filter
    assert _filters.condition([of.EqualTo(("id",), 3), of.LessThan(("id",), 5)], types) == (
        "`id` = ? AND `id` < ?",
        [3, 5],
    )


def test_names_of_tables() -> None:
    from inrush import _ranges

    for table, want in (
        ("orders", "`orders`"),
        ("shop.orders", "`shop`.`orders`"),
        ("`shop`.`a.b`", "`shop`.`a.b`"),
        ("shop.`a``b`", "`shop`.`a``b`"),
    ):
        assert _ranges.table_of(table) == want
