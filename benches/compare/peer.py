"""The tools that people load files with, each as its documentation shows it for a file and a table that exists: `peer.py TOOL FILE TABLE`.

COMPARE_{HOST,PORT,USER,PASSWORD,DATABASE} name the server. Each runs in a process of its own, in the environment that `run` makes.
"""

import os
import subprocess
import sys

HOST, PORT, USER, PASSWORD, DATABASE = (os.environ[f"COMPARE_{name}"] for name in ("HOST", "PORT", "USER", "PASSWORD", "DATABASE"))


def pandas(file, table):
    import pandas
    import sqlalchemy

    engine = sqlalchemy.create_engine(url("mysql+pymysql"))
    pandas.read_csv(file).to_sql(table, engine, if_exists="append", index=False, method="multi", chunksize=1000)


def polars(file, table):
    import polars

    frame = polars.read_csv(file, try_parse_dates=True)
    frame.write_database(table, url("mysql+pymysql"), if_table_exists="append", engine="sqlalchemy")


def duckdb(file, table):
    import duckdb
    import duckdb_extension_mysql_scanner

    folder = os.path.dirname(duckdb_extension_mysql_scanner.__file__)
    found = next(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if name.endswith(".duckdb_extension"))
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{found}'")
    os.environ |= {"MYSQL_HOST": HOST, "MYSQL_TCP_PORT": PORT, "MYSQL_USER": USER, "MYSQL_PWD": PASSWORD, "MYSQL_DATABASE": DATABASE}
    connection.execute("ATTACH '' AS target (TYPE mysql)")
    connection.execute(f"INSERT INTO target.{table} SELECT * FROM read_csv('{file}')")


def dlt(file, table):
    import csv

    import dlt

    @dlt.resource(name=table, write_disposition="append")
    def rows():
        with open(file, newline="", encoding="utf-8") as text:
            yield from csv.DictReader(text)

    destination = dlt.destinations.sqlalchemy(url("mysql+pymysql"))
    # Its state is in a folder; run again, it finds there what it has begun.
    folder = os.path.join(os.path.dirname(file), "dlt")
    dlt.pipeline("compare", destination=destination, dataset_name=DATABASE, pipelines_dir=folder).run(rows())


def sling(file, table):
    import sling_linux_amd64

    program = os.path.join(os.path.dirname(sling_linux_amd64.__file__), "bin/sling-linux-amd64")
    os.chmod(program, 0o755)
    environment = {**os.environ, "TARGET": url("mysql"), "SLING_HOME_DIR": os.path.join(os.path.dirname(file), "sling")}
    # Without a key in its options the mode adds all rows to what is there.
    command = [program, "run", "--src-stream", f"file://{file}", "--tgt-conn", "TARGET", "--tgt-object", f"{DATABASE}.{table}"]
    sys.exit(subprocess.call([*command, "--mode", "snapshot"], env=environment))


def url(scheme):
    return f"{scheme}://{USER}:{PASSWORD}@{HOST}:{PORT}/{DATABASE}"


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
