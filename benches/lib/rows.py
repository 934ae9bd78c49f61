"""The rows that are loaded: seeded, the same on every machine, as a CSV whose every line is what the server will say of it.

T1 `bench_users` is the table of E1 (six columns, 70 bytes a line); T2 `sbtest1` is sysbench's (two wide ones, a secondary
index). A checksum of the lines is computed here, so that what a run stored can be compared with what it was given.
"""

import random
import string
import zlib
from pathlib import Path


class Table:
    """A table, and how its rows are made. `line` makes the line of row number n, line end included."""

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

    def checksum(self, first, last):
        """What `write` returns for these rows."""
        return sum(zlib.crc32(self.line(number)[:-1].encode()) for number in range(first, last + 1))

    def checksum_sql(self, modulus=None):
        """Count and sum as the server sees them, to be compared with what `write` returned. With a modulus: of rows that were written
        several times, each time with ids that are larger by so much."""
        first = f"({self.columns[0]} - 1) MOD {modulus} + 1" if modulus else self.columns[0]
        columns = ",".join((first,) + tuple(self.columns[1:]))
        return f"SELECT COUNT(*), SUM(CRC32(CONCAT_WS(',', {columns}))) FROM {self.name}"

    def load_sql(self, path):
        """The server's own way, the same for all servers."""
        return (
            f"LOAD DATA INFILE '{path}' INTO TABLE {self.name} CHARACTER SET utf8mb4 "
            f"FIELDS TERMINATED BY ',' LINES TERMINATED BY '\\n' IGNORE 1 LINES ({','.join(self.columns)})"
        )


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
TABLES = {"t1": T1, "t2": T2}
