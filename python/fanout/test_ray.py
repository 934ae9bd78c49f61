"""`inrush.ray`: every row once, whatever becomes of Ray's tasks and workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from servers import Place

# A cluster of this machine alone, for this user alone.
os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}

import ray
import ray.data

import inrush
import inrush.ray

# Those of Ray itself.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{kind}") for kind in ("DeprecationWarning", "FutureWarning", "ResourceWarning")
]
TABLE = "CREATE TABLE orders (id BIGINT NOT NULL, name VARCHAR(20))"
ROWS = 20_000


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def orders(blocks: int, rows: int = ROWS) -> ray.data.Dataset:
    def named(batch: dict[str, Any]) -> dict[str, Any]:
        return {"id": batch["id"], "name": [f"n{n}" for n in batch["id"]]}

    return ray.data.range(rows, override_num_blocks=blocks).map_batches(named)


def check(place: Place, rows: int = ROWS) -> None:
    found = place.rows(
        "SELECT COUNT(*), COUNT(DISTINCT id), COALESCE(SUM(id), 0), SUM(name <> CONCAT('n', id)) FROM orders"
    )
    assert [int(value or 0) for value in found[0]] == [rows, rows, rows * (rows - 1) // 2, 0]


class Faulty(inrush.ray.Datasink):
    """The first two attempts of every second task end after their rows are committed: by an exception, or with their worker."""

    def __init__(self, marks: Path, is_killed: bool, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.marks, self.is_killed = marks, is_killed

    def write(self, blocks: Iterable[Any], ctx: Any) -> inrush.ray.Stored:
        stored = super().write(blocks, ctx)
        if ctx.task_idx % 2 == 0:
            for attempt in range(2):
                mark = self.marks / f"{ctx.task_idx}-{attempt}"
                if not mark.exists():
                    mark.touch()
                    if self.is_killed:
                        os.kill(os.getpid(), signal.SIGKILL)
                    raise OSError("lost after the COMMIT")
        return stored


@pytest.mark.parametrize("is_killed", [False, True], ids=["exception", "killed"])
def test_tasks_that_end_after_their_commit_store_nothing_twice(each: Place, tmp_path: Path, is_killed: bool) -> None:
    each.sql(TABLE)
    context = ray.data.DataContext.get_current()
    # Ray runs a task again whose worker is gone, and one that raises if it is told to.
    context.retried_map_errors, context.max_map_retries = ["lost after the COMMIT"], 2
    try:
        orders(5).write_datasink(Faulty(tmp_path, is_killed, "orders", each.url))
    finally:
        context.retried_map_errors, context.max_map_retries = False, 0
    check(each)
    assert len(list(tmp_path.iterdir())) == 6


def test_the_same_job_again_stores_nothing(each: Place) -> None:
    each.sql(TABLE)
    for is_loaded in (False, True):
        stored = inrush.ray.write(orders(4), "orders", each.url, job="orders")
        assert [(task.part, task.rows, task.already_loaded) for task in stored] == [
            (part, ROWS // 4, is_loaded) for part in range(4)
        ]
        check(each)
    # Another number of blocks: other rows under the same number, which are refused.
    with pytest.raises(Exception, match="another content"):
        inrush.ray.write(orders(5), "orders", each.url, job="orders")
    check(each)


def test_a_run_that_failed_is_continued(each: Place) -> None:
    each.sql(TABLE, "INSERT INTO orders VALUES (0, 'n0')", "ALTER TABLE orders ADD PRIMARY KEY (id)")
    with pytest.raises(Exception, match="Duplicate entry"):
        inrush.ray.write(orders(4), "orders", each.url, job="orders")
    each.sql("DELETE FROM orders WHERE id = 0")
    inrush.ray.write(orders(4), "orders", each.url, job="orders")
    check(each)


def test_mistakes_are_found_before_a_task_starts(each: Place) -> None:
    each.sql(TABLE)
    for dataset, says in ((orders(2).rename_columns({"name": "nam"}), "nam"), (orders(2).drop_columns(["id"]), "`id`")):
        with pytest.raises(Exception, match=says):
            inrush.ray.write(dataset, "orders", each.url)
    with pytest.raises(Exception, match="nothing"):
        inrush.ray.write(orders(2), "nothing", each.url)
    check(each, 0)


def test_upsert(each: Place) -> None:
    each.sql(TABLE.replace("NOT NULL,", "PRIMARY KEY,", 1), "INSERT INTO orders VALUES (7, 'old')")
    inrush.ray.write(orders(3), "orders", each.url, mode="upsert", key=["id"])
    check(each)


def test_reading(each: Place) -> None:
    each.sql("CREATE TABLE orders (id INT UNSIGNED PRIMARY KEY, n BIGINT UNSIGNED, name VARCHAR(20), at TIME)")
    each.sql("INSERT INTO orders VALUES " + ", ".join(f"({n}, {n}, 'n{n}', NULL)" for n in range(1000)))
    for options, blocks in (({}, 1), ({"partition_on": "id", "partitions": 4}, 4)):
        read = inrush.ray.read("orders", each.url, **options)
        assert read.columns() == ["id", "n", "name", "at"]
        read = read.materialize()
        assert (read.num_blocks(), read.count(), read.sum("n")) == (blocks, 1000, 499_500)
    # Columns that nobody asks for are not read.
    names = inrush.ray.read("orders", each.url, ["id", "name"], partition_on="id", partitions=3).select_columns(
        ["name"]
    )
    assert sorted(row["name"] for row in names.take_all()) == sorted(f"n{n}" for n in range(1000))
    with pytest.raises(inrush.Error, match="no column `nam`"):
        inrush.ray.read("orders", each.url, ["nam"])
