"""The package in its process: Ctrl-C, the end of the interpreter, threads, memory, what an import needs."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest
from conftest import PATIENCE, Place, until

import inrush

TABLE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)"

LOAD = """
import inrush, sys
def rows():
    for n in range(100_000_000):
        yield n, n
inrush.load(rows(), "t", sys.argv[1], job="endless")
"""

QUERY = """
import inrush, sys
print("begun", flush=True)
with inrush.connect(sys.argv[1]) as connection:
    connection.query("SELECT SLEEP(600)").rows()
"""

# What wakes up again and again while the interpreter ends.
AT_EXIT = """
import inrush, sys, threading, time
def rows():
    for n in range(100_000_000):
        yield n, n
def ask():
    with inrush.connect(sys.argv[1]) as connection:
        while True:
            connection.query("SELECT 1").rows()
for each in [lambda: inrush.load(rows(), "t", sys.argv[1], mode="ignore")] * 2 + [ask] * 2:
    threading.Thread(target=each, daemon=True).start()
time.sleep(1)
print("leaving", flush=True)
"""

BLOCKED = """
import inrush, sys, time
def rows():
    for n in range(5000):
        yield n, n
    print("waits", flush=True)
    time.sleep(600)
inrush.load(rows(), "t", sys.argv[1], job="endless")
"""


def start(code: str, place: Place) -> subprocess.Popen[str]:
    command = [sys.executable, "-X", "dev", "-c", code, place.url]
    # A shell has its background jobs ignore Ctrl-C, which a child inherits.
    with_ctrl_c = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, preexec_fn=with_ctrl_c)


def await_rows(place: Place) -> None:
    until("rows in the table", lambda: place.rows("SELECT COUNT(*) FROM t")[0][0])


def test_ctrl_c_stops_a_load(place: Place) -> None:
    place.sql(TABLE)
    child = start(LOAD, place)
    await_rows(place)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == -signal.SIGINT and said.rstrip().endswith("KeyboardInterrupt"), said
    (job,) = inrush.status(place.url)
    assert (job.state, job.run) == ("unfinished", "ended")
    assert place.rows("SELECT COUNT(*) FROM t") == [(job.rows,)]


def test_ctrl_c_stops_what_gives_no_rows(each: Place) -> None:
    each.sql(TABLE)
    child = start(BLOCKED, each)
    assert child.stdout is not None and child.stdout.readline() == "waits\n"
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == -signal.SIGINT and "KeyboardInterrupt" in said, said


def test_ctrl_c_ends_a_query(each: Place) -> None:
    child = start(QUERY, each)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    each.until_asleep()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == -signal.SIGINT and "KeyboardInterrupt" in said, said


def test_an_interpreter_that_exits_in_the_middle(place: Place) -> None:
    place.sql(TABLE)
    # It was one process of several that was aborted.
    children = [start(AT_EXIT, place) for _ in range(4)]
    for child in children:
        out, said = child.communicate(timeout=PATIENCE)
        assert (child.returncode, out) == (0, "leaving\n"), said


def test_a_sink_travels_to_other_processes(each: Place) -> None:
    """What Dask, Ray and multiprocessing send to their workers: `partial(inrush.load, ..)`."""
    each.sql(TABLE)
    sink = partial(inrush.load, table="t", to=each.url, mode="ignore", key="id")
    # As those start their workers: nothing is inherited.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as workers:
        parts = [[(part * 1000 + n, part) for n in range(1000)] for part in range(4)]
        reports = list(workers.map(sink, parts, timeout=PATIENCE))
    assert [report.stored for report in reports] == [1000] * 4
    assert each.rows("SELECT COUNT(*), COUNT(DISTINCT v) FROM t") == [(4000, 4)]


def test_what_holds_a_connection_says_that_it_stays(each: Place) -> None:
    each.sql(TABLE)
    with inrush.connect(each.url) as connection, inrush.Inserter("t", each.url) as inserter:
        for held in (
            connection,
            inserter,
            connection.query("SELECT 1"),
            partial(inrush.load, table="t", to=connection),
        ):
            with pytest.raises(TypeError, match="cannot be pickled|cannot pickle"):
                pickle.dumps(held)


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_200_loads_leave_nothing_behind(each: Place) -> None:
    each.sql(TABLE)

    def load(n: int) -> None:
        inrush.load([(n * 100 + at, at) for at in range(100)], "t", each.url)
        with pytest.raises(inrush.LoadError):
            inrush.load([(n * 100, 0)], "t", each.url)
        assert inrush.query("SELECT 1", to=each.url).rows() == [(1,)]

    for n in range(20):
        load(n)
    n_threads, memory = threads(), resident()
    for n in range(20, 200):
        load(n)
    until("the end of their threads", lambda: threads() <= n_threads)
    assert resident() - memory < 20 << 20
    assert each.rows("SELECT COUNT(*) FROM t") == [(20_000,)]


def test_an_import_needs_nothing() -> None:
    heavy = {"pyarrow", "pandas", "polars", "numpy", "asyncio", "tqdm"}
    code = f"import sys, inrush; print(sorted({{m.partition('.')[0] for m in sys.modules}} & {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_examples_in_docstrings(each: Place) -> None:
    import doctest

    import inrush._connection
    import inrush._inserter
    import inrush._load
    import inrush.aio

    each.sql("CREATE TABLE visits (page VARCHAR(20), n INT)")
    modules = [inrush, inrush._load, inrush._connection, inrush._inserter, inrush.aio]
    # In the order in which they stand: some read what others have stored.
    tried = 0
    for module in modules:
        each.sql("DELETE FROM visits")
        results = doctest.testmod(module, extraglobs={"url": each.url, "inrush": inrush}, optionflags=doctest.ELLIPSIS)
        assert results.failed == 0, module
        tried += results.attempted
    assert tried > 10
