"""What a program does, counted: system calls by strace, instructions by valgrind. The same on a busy machine as on an idle one.

Each function takes `run`, which gets the words to put before the command and returns a `Sample`. Two runs of different length make it
possible to leave out what happens once.
"""

import re
import tempfile

CALLS = {
    "writes": ("sendto", "sendmsg", "write", "writev"),
    "reads": ("recvfrom", "recvmsg", "read", "readv"),
    "waits": ("epoll_wait", "epoll_pwait", "poll", "ppoll"),
}


def traced(run):
    """How often a run made each system call."""
    with tempfile.NamedTemporaryFile("r") as file:
        run(["strace", "-f", "-c", "-o", file.name])
        rows = [line.split() for line in file.read().splitlines()]
    # % time, seconds, usecs/call, calls, (errors), name
    return {row[-1]: int(row[3]) for row in rows if len(row) in (5, 6) and row[3].isdigit() and row[-1] != "total"}


def by_kind(few, many):
    """How many more calls of each kind the longer run made; the last number is that of all other calls."""
    more = {name: many.get(name, 0) - few.get(name, 0) for name in few | many}
    kinds = [sum(more.pop(name, 0) for name in names) for names in CALLS.values()]
    return [*kinds, sum(more.values())]


def instructions(run):
    """What a run took outside the kernel, all threads together."""
    said = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]).output
    return int(re.search(r"Collected : (\d+)", said).group(1))
