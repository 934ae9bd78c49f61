"""The programs `mariadb-import` and `mariadb`: peers of `inrush bench`, for what people do from a shell.

    clients.py mariadb-import|mariadb PROGRAM

mariadb-import: a process for each run, as it is used; starting and connecting are within the clock, since nobody can leave them out. It
sends a LOAD DATA (MySQL's manual says so of its twin, mysqlimport); --local, and the file with the rows lies ready.

mariadb: a statement file as a dump has it (INSERTs of many rows) goes into a session that is open, as `mariadb < FILE` sends it. The file's
text is made before the clock runs.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

# Where `peer.py` lies in the repository; a built one has it beside itself.
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from peer import Client, serve


class Program(Client):
    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory(prefix="inrush-peer-")
        self.arguments, self.env = [], {}

    def connect(self, server, password):
        where = [f"--socket={server['socket']}"] if server["socket"] else ["--protocol=tcp", f"--host={server['host']}", f"--port={server['port']}"]
        encrypted = ["--ssl"] if server["tls"] else ["--skip-ssl"]
        self.arguments = ["--no-defaults", *where, *encrypted, f"--user={server['user']}", "--default-character-set=utf8mb4"]
        self.env = {**os.environ, "MYSQL_PWD": password}
        self.database = server["database"]

    def file(self, name):
        return Path(self.folder.name) / name


class Import(Program):
    def set_up(self, run):
        # It takes the table's name from the file's. All rows are one statement.
        self.rows_file = self.file(f"{run.table}.tsv")
        self.rows_file.write_text("".join(self.lines[run.first - 1 : run.first - 1 + run.n_rows]), encoding="utf-8")
        run.statement_rows = run.n_rows

    def read(self, path):
        self.lines = lines(path)
        return self.lines

    def start(self):
        """LOAD DATA is a transaction."""

    def insert(self, run, rows):
        command = [self.program, *self.arguments, "--local", "--silent", self.database, str(self.rows_file)]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")

    def end(self):
        pass

    def used(self):
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime


class Session(Program):
    def connect(self, server, password):
        super().connect(server, password)
        command = [self.program, *self.arguments, "--batch", "--skip-column-names", "--unbuffered", self.database]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=self.env, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT)
        self.send(b"")

    def read(self, path):
        self.lines = lines(path)
        return self.lines

    def set_up(self, run):
        self.statements = {}
        for first in range(run.first - 1, run.first - 1 + run.n_rows, run.statement_rows):
            part = self.lines[first : min(first + run.statement_rows, run.first - 1 + run.n_rows)]
            values = ",".join(f"({','.join(literals(line))})" for line in part)
            self.statements[part[0]] = f"INSERT INTO {run.table} (id,name,age,email,score,created) VALUES {values};\n".encode()

    def start(self):
        self.send(b"START TRANSACTION;\n")

    def insert(self, run, rows):
        self.send(self.statements[rows[0]])

    def end(self):
        self.send(b"COMMIT;\n")

    def send(self, statements):
        """Returns once the server has answered."""
        self.process.stdin.write(statements + b"SELECT 'it is done';\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line != b"it is done\n":
            raise RuntimeError(line.decode(errors="replace").strip() or "the program ended")

    def used(self):
        # In nanoseconds, of its one thread.
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return list(file)


def literals(line):
    for i, cell in enumerate(line.rstrip("\n").split("\t")):
        if cell == "\\N":
            yield "NULL"
        elif i in (0, 2, 4):
            yield cell
        else:
            quoted = cell.replace("\\", "\\\\").replace("'", "\\'")
            yield f"'{quoted}'"


def main():
    name, program = sys.argv[1:]
    version = subprocess.check_output([program, "--no-defaults", "--version"], text=True).strip()
    version = version.split("Ver ")[-1].split(",")[0].replace(" Distrib", "")
    if name == "mariadb-import":
        client, case = Import(program), ("mariadb-import", ["once"], ["local-infile"])
    else:
        client, case = Session(program), ("mariadb client", ["each", "once"], [])
    serve(client, name, version, [case], client.read)


main()
