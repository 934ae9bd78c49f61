"""What Python's peers share: the protocol (docs/schema/peers-1.md), the rows, the clock.

A peer makes a `Client` of itself and calls `serve`.
"""

import json
import os
import resource
import sys
import time
from datetime import datetime


class Client:
    """A connection. `start` and `end` are those of a transaction; `insert` writes rows by one statement (or what counts as one)."""

    def connect(self, server, password):
        raise NotImplementedError

    def set_up(self, run):
        """Before the clock starts."""

    def start(self):
        raise NotImplementedError

    def insert(self, run, rows):
        raise NotImplementedError

    def end(self):
        raise NotImplementedError

    def used(self):
        """Processor time so far, in seconds."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime


class Run:
    """One case."""

    def __init__(self, message):
        self.subject, self.table = message["subject"], message["table"]
        self.is_once = message["commits"] == "once"
        self.first, self.n_rows, self.statement_rows = message["first"], message["rows"], message["statement_rows"]
        self.cap = message["cap"]
        # With a blank behind VALUES: what the libraries' executemany looks for.
        self.sql = f"INSERT INTO {self.table} (id, name, age, email, score, created) VALUES (%s, %s, %s, %s, %s, %s)"


def serve(client, peer, version, cases, read=None):
    """Says what it is and does what it is told, until the input ends. `cases` are (subject, commits, needs)."""
    offers = [{"subject": subject, "commits": commits, "needs": needs} for subject, commits, needs in cases]
    say({"protocol": 1, "peer": peer, "version": version, "routes": ["tcp", "tls", "socket"], "cases": offers})
    rows = []
    for line in sys.stdin:
        try:
            message = json.loads(line)
            if message["op"] == "prepare":
                rows = (read or read_rows)(message["file"])
                client.connect(message["server"], os.environ.get("INRUSH_PASSWORD", ""))
                say({"ready": len(rows)})
            elif message["op"] == "run":
                say(run(client, Run(message), rows))
            else:
                say({"error": f"an op that is not known: {message['op']}"})
        except Exception as error:  # Whatever a library raises is an answer.
            say({"error": f"{type(error).__name__}: {error}"})


def run(client, case, rows):
    rows = rows[case.first - 1 : case.first - 1 + case.n_rows]
    if len(rows) < case.n_rows:
        raise ValueError("more rows than the file has")
    client.set_up(case)
    stored, used, start = 0, client.used(), time.perf_counter()
    if case.is_once:
        client.start()
    while stored < len(rows) and time.perf_counter() - start < case.cap:
        part = rows[stored : stored + case.statement_rows]
        client.insert(case, part)
        stored += len(part)
    if case.is_once:
        client.end()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "rows": stored, "cut": stored < len(rows), "client_cpu": client.used() - used}


def read_rows(path):
    """Values as a program has them: numbers as numbers, moments as moments."""
    with open(path, encoding="utf-8", newline="\n") as file:
        return [values(line.rstrip("\n").split("\t")) for line in file]


def values(cells):
    number, name, age, email, score, created = cells
    email = None if email == "\\N" else email
    return int(number), name, int(age), email, float(score), datetime.fromisoformat(created)


def say(message):
    print(json.dumps(message), flush=True)
