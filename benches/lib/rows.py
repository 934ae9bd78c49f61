"""The rows that are loaded: seeded, the same on every machine, as a CSV whose every line is what the server will say of it.

T1 `bench_users` is the table of E1 (six columns, 70 bytes a line); T2 `sbtest1` is sysbench's (two wide ones, a secondary
index). `lineitem` is TPC-H's largest, made by the generator that benches/load/peers
fetches. A checksum of the lines is computed here, so that what a run stored can be compared with what it was given.
"""

import random
import string
import subprocess
import zlib
from pathlib import Path


class Table:
    """A table, and how its rows are made. `line` makes the line of row number n, line end included."""

    # What texts may be enclosed by in its file; nothing is.
    quote = ""

    def __init__(self, name, columns, ddl, line):
        self.name = name
        self.columns = columns
        self.ddl = ddl
        self.line = line

    def write(self, path, first, last):
        """Writes rows first..=last with a header; returns the sum of the lines' CRC-32. Holds one line in memory."""
        total = 0
        with open(path, "w", encoding="ascii", newline="") as file:
            file.write(",".join(self.columns) + "\n")
            for number in range(first, last + 1):
                line = self.line(number)
                total += zlib.crc32(line[:-1].encode())
                file.write(line)
        Path(path).chmod(0o644)
        return total

    def write_again(self, path, base, n_rows, times):
        """Writes the rows 1 to n_rows of file `base` so many times, each time with ids that are larger by n_rows: `checksum_sql` with that
        modulus sums them up to so many times what `write` returned. A hundred times faster than new rows."""
        with open(base, "rb") as file:
            header = file.readline()
            rests = [line[line.index(b",") :] for line in file]
        with open(path, "wb") as file:
            file.write(header)
            for first in range(1, times * n_rows, n_rows):
                file.writelines(b"%d%s" % numbered for numbered in enumerate(rests, first))
        Path(path).chmod(0o644)

    def checksum(self, first, last):
        """What `write` returns for these rows."""
        return sum(zlib.crc32(self.line(number)[:-1].encode()) for number in range(first, last + 1))

    def checksum_sql(self, modulus=None):
        """Count and sum as the server sees them, to be compared with what `write` returned. With a modulus: of rows that were written
        several times, each time with ids that are larger by so much."""
        first = f"({self.columns[0]} - 1) MOD {modulus} + 1" if modulus else self.columns[0]
        columns = ",".join((first,) + tuple(self.columns[1:]))
        return f"SELECT COUNT(*), SUM(CRC32(CONCAT_WS(',', {columns}))) FROM {self.name}"

    def load_sql(self, path, charset="utf8mb4"):
        """The server's own way, the same for all servers."""
        return (
            f"LOAD DATA INFILE '{path}' INTO TABLE {self.name} CHARACTER SET {charset} "
            f"FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '{self.quote}' LINES TERMINATED BY '\\n' "
            f"IGNORE 1 LINES ({','.join(self.columns)})"
        )


class Lineitem(Table):
    """TPC-H's lineitem. Scale factor 1 has 6,001,215 rows."""

    quote = '"'

    def __init__(self):
        super().__init__("lineitem", [column.split()[0] for column in LINEITEM], ", ".join(LINEITEM + LINEITEM_KEY), None)
        # The generator's rows depend on how many there are in all: a part is one of the most that were ever asked for.
        self.most = 0

    def write(self, path, first, last):
        total = 0
        self.most = max(self.most, last)
        source = subprocess.Popen(self.generator("csv", self.most), stdout=subprocess.PIPE, text=True)
        with open(path, "w", encoding="ascii", newline="") as file:
            file.write(source.stdout.readline())
            for number, line in enumerate(source.stdout, 1):
                if number > last:
                    break
                if number >= first:
                    total += zlib.crc32(self.as_stored(line).encode())
                    file.write(line)
        # It is asked for no more than this: it would complain of a pipe that nobody reads.
        source.kill()
        source.wait()
        source.stdout.close()
        Path(path).chmod(0o644)
        return total

    def as_stored(self, line):
        """A line of the generator as the server has it: quantities with two digits behind the point, the comment, its last field, without quotes."""
        fields = line.rstrip("\n").split(",", len(LINEITEM) - 1)
        whole, _, part = fields[4].partition(".")
        fields[4] = f"{whole}.{part:0<2}"
        if fields[-1].startswith('"'):
            fields[-1] = fields[-1][1:-1].replace('""', '"')
        return ",".join(fields)

    def generator(self, form, rows):
        """The command that prints so many rows in a format, and a few more where they are not those of scale factor 1."""
        scale = "1" if rows == LINEITEM_ROWS else f"{rows / LINEITEM_ROWS * 1.01:.6f}"
        return [str(TPCHGEN), form, "--quiet", "--stdout", "--scale-factor", scale, "--tables", "lineitem"]

    def checksum_sql(self, modulus=None):
        return f"SELECT COUNT(*), SUM(CRC32(CONCAT_WS(',', {','.join(self.columns)}))) FROM {self.name}"


def t1_line(number):
    pick = random.Random(number)
    name = f"{pick.choice(FIRST)} {pick.choice(LAST)}"
    age = pick.randrange(18, 95)
    email = f"{name.lower().replace(' ', '.')}{number % 9973}@example.com"
    # %g leaves no trailing zero: the server prints a DOUBLE the same way.
    score = f"{pick.randrange(0, 100000) / 100:g}"
    day, clock = pick.randrange(0, 28 * 12), pick.randrange(0, 86400)
    created = f"20{number % 25:02}-{day // 28 + 1:02}-{day % 28 + 1:02}"
    created += f" {clock // 3600:02}:{clock // 60 % 60:02}:{clock % 60:02}"
    return f"{number},{name},{age},{email},{score},{created}\n"


def t2_line(number):
    pick = random.Random(number)
    groups = ["".join(pick.choices(string.digits, k=11)) for _ in range(15)]
    return f"{number},{pick.randrange(1, 1000000)},{'-'.join(groups[:10])},{'-'.join(groups[10:])}\n"


FIRST = ("Ann Bea Cem Dora Emil Fay Gus Hana Ivo Jun Kim Lea Max Nia Olga Per Quin Rosa Sam Tia Uma Vic Wim Xia Yan Zoe").split()
LAST = ("Abel Berg Costa Diaz Ekman Fox Gruber Hill Ito Jones Klein Lopez Moser Novak Olsen Park Quist Rossi Sato Toth").split()
T1 = Table(
    "bench_users",
    ("id", "name", "age", "email", "score", "created"),
    "id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL, age INT NOT NULL, email VARCHAR(128), "
    "score DOUBLE, created DATETIME NOT NULL",
    t1_line,
)
T2 = Table(
    "sbtest1",
    ("id", "k", "c", "pad"),
    "id INT NOT NULL PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', "
    "pad CHAR(60) NOT NULL DEFAULT '', KEY k_1 (k)",
    t2_line,
)
TPCHGEN = Path(__file__).resolve().parents[1] / "load/target/tpchgen-cli"
# Of scale factor 1.
LINEITEM_ROWS = 6_001_215
LINEITEM = (
    "l_orderkey BIGINT NOT NULL",
    "l_partkey BIGINT NOT NULL",
    "l_suppkey BIGINT NOT NULL",
    "l_linenumber INT NOT NULL",
    "l_quantity DECIMAL(15,2) NOT NULL",
    "l_extendedprice DECIMAL(15,2) NOT NULL",
    "l_discount DECIMAL(15,2) NOT NULL",
    "l_tax DECIMAL(15,2) NOT NULL",
    "l_returnflag CHAR(1) NOT NULL",
    "l_linestatus CHAR(1) NOT NULL",
    "l_shipdate DATE NOT NULL",
    "l_commitdate DATE NOT NULL",
    "l_receiptdate DATE NOT NULL",
    "l_shipinstruct CHAR(25) NOT NULL",
    "l_shipmode CHAR(10) NOT NULL",
    "l_comment VARCHAR(44) NOT NULL",
)
LINEITEM_KEY = ("PRIMARY KEY (l_orderkey, l_linenumber)",)
TABLES = {"t1": T1, "t2": T2, "lineitem": Lineitem()}
