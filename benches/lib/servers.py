"""The tuned servers, reached through their own client program: one long-lived session, so that no clock sees a login.

The servers come as JSON in the file INRUSH_BENCH_SERVERS (scripts/bench), or from `scripts/servers env --bench`.
"""

import json
import os
import subprocess
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "inrush_bench"


def all_servers():
    """Every tuned server, as `scripts/servers` describes it; or those of a file, but for the ones that refuse LOAD DATA LOCAL."""
    file = os.environ.get("INRUSH_BENCH_SERVERS")
    if file:
        return [server for server in json.loads(Path(file).read_text()) if server.get("local_infile", True)]
    return json.loads(subprocess.check_output([ROOT / "scripts/servers", "env", "--bench"]))


def peer_env(server, table):
    """Where a benchmark's own program finds the server and its table."""
    address = {"HOST": server["host"], "PORT": str(server["port"]), "USER": server["user"], "PASSWORD": server["password"]}
    address |= {"DATABASE": DATABASE, "TABLE": table.name}
    return {f"PEER_{name}": value for name, value in address.items()}


class Shell:
    """A session of the server's client program: statements in, lines out."""

    def __init__(self, server, database=DATABASE):
        command = [server["client"], "--no-defaults", "--batch", "--skip-column-names", "--unbuffered"]
        command += ["--default-character-set=utf8mb4", f"--socket={server['socket']}", f"--user={server['user']}"]
        env = dict(os.environ, MYSQL_PWD=server["password"])
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        if database:
            self.run(f"CREATE DATABASE IF NOT EXISTS {database}; USE {database}")

    def start(self, sql):
        """Sends a statement without waiting for its end."""
        self.process.stdin.write(f"{sql}; SELECT '{END}';\n")
        self.process.stdin.flush()

    def finish(self):
        """Waits for the end of what was started; returns its rows, each a list of texts."""
        rows = []
        for line in self.process.stdout:
            if line.rstrip("\n") == END:
                return rows
            rows.append(line.rstrip("\n").split("\t"))
        raise SystemExit("the server's client program ended: see its message above")

    def run(self, sql):
        self.start(sql)
        return self.finish()

    def numbers(self, sql):
        """The first row, whole numbers all of it, however large: sums of many rows are more than a float can tell apart."""
        return tuple(int(Decimal(cell)) for cell in self.run(sql)[0])

    def new_table(self, table):
        """Makes the table anew, with nothing in it."""
        self.run(f"DROP TABLE IF EXISTS {table.name}; CREATE TABLE {table.name} ({table.ddl}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4")

    def forget_loads(self):
        """Clears the ledger, so that inrush does not go by what an earlier round has loaded."""
        for (ledger,) in self.run("SHOW TABLES LIKE 'inrush\\_%'"):
            self.run(f"DELETE FROM {ledger}")

    def verify(self, table, rows, checksum, subject, modulus=None):
        """Ends the benchmark unless the table holds so many rows with this sum (see Table.checksum_sql)."""
        found = self.numbers(table.checksum_sql(modulus))
        if found != (rows, checksum):
            raise SystemExit(f"{subject}: stored (rows, checksum) {found}, expected {(rows, checksum)}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def settings(shell):
    """The settings that decide how fast a server takes rows, as one line."""
    names = ",".join(f"'{name}'" for name in SETTINGS)
    rows = shell.run(f"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({names})")
    return ", ".join(f"{row[0]}={row[1]}" for row in sorted(rows))


END = "-- end of statement --"
SETTINGS = (
    "version",
    "innodb_flush_log_at_trx_commit",
    "sync_binlog",
    "log_bin",
    "binlog_format",
    "binlog_row_image",
    "innodb_buffer_pool_size",
    "innodb_doublewrite",
    "innodb_flush_method",
    "innodb_redo_log_capacity",
    "innodb_log_file_size",
    "innodb_autoinc_lock_mode",
    "innodb_change_buffering",
    "max_allowed_packet",
    "local_infile",
    "performance_schema",
)
