"""The examples of the guides and of the README, each statement as it stands there."""

from __future__ import annotations

import ast
import asyncio
import glob
import inspect
import logging
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Place, friend

import inrush

pd = friend("pandas")
pl = friend("polars")
duckdb = friend("duckdb")
dask = friend("dask")
friend("adbc_driver_manager")

ROOT = Path(__file__).parent.parent.parent
GUIDES = ["docs/python.md", "docs/adbc.md"]

TABLES = [
    "CREATE TABLE orders (id INT NOT NULL, name VARCHAR(20), day DATE, total DOUBLE, KEY (id))",
    "INSERT INTO orders VALUES (7, 'Zoe', '2026-02-02', 3)",
    "CREATE TABLE archive LIKE orders",
    "INSERT INTO archive SELECT * FROM orders",
    "CREATE TABLE squares (n INT, square BIGINT)",
    "CREATE TABLE log (id INT, line VARCHAR(9))",
    "CREATE TABLE stock (id INT, n INT)",
    "CREATE TABLE a (id INT)",
    "CREATE TABLE b (id INT)",
    "CREATE TABLE visits (page VARCHAR(20), user INT)",
]

# What an example abbreviates, and what stands for it here.
WRITTEN_OUT = {"10**7": "10**4", "SELECT ..": "SELECT * FROM orders"}


def examples(guide: str) -> list[str]:
    """The statements of a guide's blocks of Python."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / guide).read_text(), re.MULTILINE | re.DOTALL)
    statements = [ast.get_source_segment(block, node) or "" for block in blocks for node in ast.parse(block).body]
    return [statement for statement in statements if not statement.startswith("url = ")]


def names(place: Place) -> dict[str, Any]:
    """What the examples take for granted."""
    frame = pd.DataFrame(
        {"id": [1, 2], "name": ["Ann", "Bob"], "day": ["2026-01-02", "2026-01-03"], "total": [1.5, 2.5]}
    )

    def task(**_: Any) -> Callable[[Any], Any]:
        return lambda function: function

    return {
        "url": place.url,
        "URL": place.url,
        "here": place.url,
        "there": place.url,
        "frame": frame,
        "polars_frame": pl.from_pandas(frame),
        "parts": SimpleNamespace(to_delayed=lambda: [dask.delayed(frame), dask.delayed(frame)]),
        "rows": [(1, "x")],
        "day": "2026-11-27",
        "extract": lambda _: frame,
        "task": task,
        "log": logging.getLogger("example"),
        "polars": pl,
        "duckdb": duckdb,
        "glob": glob,
    }


@pytest.mark.parametrize("guide", GUIDES)
def test_examples(each: Place, guide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("id,name\n1,Ann\n")
    (tmp_path / "sales.csv").write_text("id;day;total\n1;01.02.2026;1,50\n")
    pl.DataFrame({"id": [2]}).write_parquet("b.parquet")
    known = names(each)

    async def run() -> int:
        done = 0
        for statement in examples(guide):
            for short, written in WRITTEN_OUT.items():
                statement = statement.replace(short, written)
            statement = statement.replace("inrush://app@db/shop", each.url.replace("mysql://", "inrush://"))
            there = [name for (name,) in each.rows("SHOW TABLES")]
            each.sql(*(f"DROP TABLE `{name}`" for name in there), *TABLES)
            known["result"] = inrush.query("SELECT day, total FROM orders", to=each.url)
            given = eval(compile(statement, guide, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), known)
            if inspect.isawaitable(given):
                await given
            done += 1
        if "load_orders" in known:
            known["load_orders"]("2026-11-27")
        if "visits" in known:
            await known["visits"].close()
        return done

    assert asyncio.run(run()) > 4
