"""The peers of benches/peers, told what to do ahead of time: their whole input is a file (the protocol: docs/schema/peers-1.md).

So a run of one is a process like any other, which `bench.run_client` can time, trace or count.
"""

import json
import subprocess
import tempfile

from bench import run_client
from servers import DATABASE, ROOT

FOLDER = ROOT / "benches/peers/target"


def build(*names):
    """Builds the peers of some languages, where that is not done yet."""
    subprocess.check_call([ROOT / "benches/peers/build", *names])


def version(program):
    """`go-sql-driver 1.10.1`, as the peer says itself."""
    said = subprocess.run([FOLDER / program], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    hello = json.loads(said.splitlines()[0])
    return f"{hello['peer']} {hello['version']}"


def write_rows(path, source, blocks):
    """Writes a peer's file from the CSV `source`: for each of `blocks` the first so many rows, with ids that are larger by so much."""
    with open(path, "w", encoding="utf-8") as file:
        for n_rows, shift in blocks:
            with open(source, encoding="utf-8") as rows:
                next(rows)
                for _, line in zip(range(n_rows), rows):
                    number, rest = line.split(",", 1)
                    file.write(f"{int(number) + shift}\t{rest.replace(',', chr(9))}")


def run(program, server, table, file, n_rows, runs, wrapper=()):
    """Has a peer do `runs`, (subject, first, rows, statement_rows) each, a transaction each. Returns the process and the answers."""
    where = {"host": server["host"], "port": server["port"], "socket": None, "tls": False}
    where |= {"user": server["user"], "database": DATABASE, "vendor": server["vendor"]}
    lines = [{"op": "prepare", "server": where, "table": table, "file": str(file), "rows": n_rows}]
    for subject, first, rows, statement_rows in runs:
        one = {"subject": subject, "commits": "once", "first": first, "rows": rows, "statement_rows": statement_rows}
        lines.append({"op": "run", "table": table, "cap": 86400.0, **one})
    with tempfile.TemporaryFile("w+") as script:
        script.writelines(json.dumps(line) + "\n" for line in lines)
        script.flush()
        script.seek(0)
        process = run_client([*wrapper, str(FOLDER / program)], {"INRUSH_PASSWORD": server["password"]}, script.fileno())
    said = [json.loads(line) for line in process.output.splitlines() if line.startswith("{")]
    wrong = [answer["error"] for answer in said if "error" in answer]
    if wrong or len(said) != len(lines) + 1:
        raise SystemExit(f"{program}: {wrong or process.output}")
    return process, said[2:]
