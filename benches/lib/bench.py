"""Rounds of shuffled runs: each run starts with an empty table, is timed, and is checked row for row afterwards.

A subject is a name and a function that stores the rows and returns a `Sample`. Subjects of a group run right after one another, in
a new order each round, because a machine's speed drifts: ratios are taken within a round, then their median is shown.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Sample:
    """One run: seconds on the clock, what the client process used (nothing where the server did it all), the server, and what
    the client printed. `user` is the part of `cpu` outside the kernel, `idle` what all cores together had nothing to do."""

    wall: float
    cpu: float = 0.0
    rss_mib: float = 0.0
    server_cpu: float = 0.0
    user: float = 0.0
    idle: float = 0.0
    output: str = ""


@dataclass
class Subject:
    """What is run; `against` names the subject of the same group that it is measured against."""

    name: str
    run: object
    against: str = ""


def built_inrush():
    """The path of the command, built from this tree."""
    root = Path(__file__).resolve().parents[2]
    subprocess.check_call(["cargo", "build", "--release", "-q", "-p", "inrush-cli"], cwd=root)
    return str(Path(os.environ.get("CARGO_TARGET_DIR", root / "target")) / "release/inrush")


def run_client(command, env=None, stdin=None):
    """Runs a client program to its end. Its output is shown only if it fails."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as report:
        launch = [sys.executable, "-I", "-S", Path(__file__).with_name("launch.py"), str(report.fileno()), *command]
        env = {**os.environ, **(env or {})}
        code = subprocess.call(launch, env=env, stdin=stdin, stdout=output, stderr=output, pass_fds=[report.fileno()])
        output.seek(0)
        said = output.read().decode(errors="replace")
        if code != 0:
            raise SystemExit(f"{' '.join(map(str, command))}\nfailed: {said}")
        report.seek(0)
        wall, cpu, user, rss_kib = map(float, report.read().split())
    return Sample(wall, cpu, rss_kib / 1024, user=user, output=said)


def measure(groups, rounds, seed, server_pid, empty, check):
    """Runs all groups that often. `empty` and `check` run outside the clock. Returns the samples by subject, a list by round."""
    order = random.Random(seed)
    samples = {subject.name: [] for group in groups for subject in group}
    for number in range(rounds):
        for group in order.sample(groups, len(groups)):
            for subject in order.sample(group, len(group)):
                empty()
                before, idle = cpu_of(server_pid), idle_cores()
                sample = subject.run()
                sample.server_cpu, sample.idle = cpu_of(server_pid) - before, idle_cores() - idle
                check(subject.name)
                samples[subject.name].append(sample)
                print(f"  round {number + 1}: {subject.name}: {sample.wall:.3g} s, cores idle {sample.idle:.3g} s", flush=True)
    return samples


def table(groups, samples, rows):
    """The results as a Markdown table."""
    names = "what", "wall s: median (min-max)", "rows/s", "client CPU s", "peak RSS MiB", "server CPU s"
    lines = ["| " + " | ".join(names + ("wall, times", "client CPU, times", "server CPU, times")) + " |"]
    lines.append("|---" * 9 + "|")
    for subject in (subject for group in groups for subject in group):
        mine = samples[subject.name]
        wall = statistics.median(sample.wall for sample in mine)
        cells = [subject.name, spread([sample.wall for sample in mine], "{:.2f}"), f"{rows / wall / 1000:.0f} k"]
        has_client = any(sample.cpu for sample in mine)
        cells.append(spread([sample.cpu for sample in mine], "{:.2f}") if has_client else "-")
        cells.append(f"{max(sample.rss_mib for sample in mine):.0f}" if has_client else "-")
        cells.append(spread([sample.server_cpu for sample in mine], "{:.2f}"))
        base = samples.get(subject.against, [])
        for measured in ("wall", "cpu", "server_cpu"):
            pairs = [(getattr(a, measured), getattr(b, measured)) for a, b in zip(mine, base)]
            has_ratio = pairs and all(b for _, b in pairs)
            cells.append(spread([a / b for a, b in pairs], "{:.2f}") if has_ratio else "-")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cpu_of(pid):
    """Seconds of processor time a process has used. It is not drawn out by other work on the machine, as the clock is."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle_cores():
    """Seconds that all cores together had nothing to do or waited for a disk, since the machine was started."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")


def spread(values, form):
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{form.format(middle)} ({form.format(low)}-{form.format(high)})"


def load_average():
    """What else the machine was doing; part of every result."""
    return f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}, page size {resource.getpagesize()}"
