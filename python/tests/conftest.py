"""Servers for the tests: each test that takes `place` runs on all of them, in a database of its own."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

import inrush

SERVERS: list[dict[str, Any]] = json.loads(os.environ["INRUSH_TEST_SERVERS"])

# The longest wait of a test, in seconds, as in the tests in Rust: no test decides by the clock.
PATIENCE = 60 * int(os.environ.get("INRUSH_TEST_PATIENCE") or 1)


def until(what: str, check: Callable[[], object]) -> None:
    """Waits until `check` returns something true."""
    deadline = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < deadline, f"waited {PATIENCE} s in vain for {what}"
        time.sleep(0.02)


@dataclass
class Place:
    """A server and a database on it."""

    server: dict[str, Any]
    database: str

    @property
    def url(self) -> str:
        s = self.server
        return f"mysql://{quote(s['user'])}:{quote(s['password'])}@{s['host']}:{s['port']}/{self.database}"

    @property
    def is_mysql(self) -> bool:
        return self.server["vendor"] == "mysql"

    def sql(self, *statements: str) -> None:
        with inrush.connect(self.url) as connection:
            for statement in statements:
                connection.execute(statement)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return inrush.query(sql, to=self.url).rows()

    def until_asleep(self) -> None:
        """Waits until a statement in this database sleeps."""
        asleep = f"SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '{self.database}' AND STATE = 'User sleep'"
        until("a statement that sleeps", lambda: self.rows(asleep))


@pytest.fixture(params=SERVERS, ids=lambda server: server["instance"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    yield from _place(request.param)


@pytest.fixture(
    params=[next(s for s in SERVERS if s["vendor"] == vendor and s["local_infile"]) for vendor in ("mysql", "mariadb")],
    ids=lambda server: server["name"],
)
def each(request: pytest.FixtureRequest) -> Iterator[Place]:
    """One server of each vendor, for what does not depend on versions."""
    yield from _place(request.param)


def _place(server: dict[str, Any]) -> Iterator[Place]:
    name = f"python_{os.getpid()}_{random.getrandbits(40):x}"
    bare = Place(server, "")
    bare.sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    try:
        yield Place(server, name)
    finally:
        bare.sql(f"DROP DATABASE {name}")


def friend(name: str) -> Any:
    """Another package. It is missing only where INRUSH_TEST_WITHOUT says so: then the module's tests are of another environment."""
    if name in os.environ.get("INRUSH_TEST_WITHOUT", "").split(","):
        pytest.skip(f"this environment is without {name}", allow_module_level=True)
    return __import__(name)
