"""Reads a table by another library and writes one file: peer.py duckdb|connectorx csv|parquet SOCKET HOST PORT USER DATABASE TABLE FILE LANES.
The password is in MYSQL_PWD."""

import os
import sys
from pathlib import Path
from urllib.parse import quote


def main():
    library, form, socket, host, port, user, database, table, path, lanes = sys.argv[1:]
    if library == "duckdb":
        import duckdb
        import duckdb_ext

        [extension] = Path(duckdb_ext.__path__[0]).glob("extensions/*/*/mysql_scanner.duckdb_extension")
        connection = duckdb.connect()
        connection.execute(f"SET threads = {int(lanes)}")
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"ATTACH 'socket={socket} user={user} database={database}' AS server (TYPE mysql, READ_ONLY)")
        how = "FORMAT csv, HEADER" if form == "csv" else "FORMAT parquet, COMPRESSION zstd"
        connection.execute(f"COPY (FROM server.{database}.{table}) TO '{path}' ({how})")
        return
    import connectorx
    from pyarrow import csv, parquet

    url = f"mysql://{user}:{quote(os.environ['MYSQL_PWD'])}@{host}:{port}/{database}"
    [key] = [name for name in ("id", "l_orderkey") if name in os.environ["COLUMNS_OF_TABLE"].split(",")]
    parts = {"partition_on": key, "partition_num": int(lanes)} if int(lanes) > 1 else {}
    rows = connectorx.read_sql(url, f"SELECT * FROM {table}", return_type="arrow", **parts)
    if form == "csv":
        csv.write_csv(rows, path)
    else:
        parquet.write_table(rows, path, compression="zstd")


main()
