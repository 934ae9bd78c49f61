"""mysqlclient: a peer of `inrush bench`.

`executemany` is its way of writing many rows (its documentation: "This method improves performance on multiple-row INSERT and REPLACE"). Its limit for a statement, 64 KiB, is the attribute `max_stmt_length`, which the maintainers' discussion 717 has users raise:
here to what --statement-rows asks for, so that a statement has as many rows as everybody's.
"""

from importlib.metadata import version

import MySQLdb

from peer import Client, serve


class Mysqlclient(Client):
    def connect(self, server, password):
        where = {"unix_socket": server["socket"]} if server["socket"] else {"host": server["host"], "port": server["port"]}
        # `localhost` would be a socket.
        encrypted = {"ssl_mode": "REQUIRED"} if server["tls"] else {"ssl_mode": "DISABLED"}
        account = {"user": server["user"], "password": password, "database": server["database"]}
        self.connection = MySQLdb.connect(**where, **account, **encrypted, charset="utf8mb4", autocommit=True)
        self.cursor = self.connection.cursor()
        self.cursor.max_stmt_length = 1 << 30

    def start(self):
        self.cursor.execute("START TRANSACTION")

    def insert(self, run, rows):
        self.cursor.executemany(run.sql, rows)

    def end(self):
        self.connection.commit()


serve(Mysqlclient(), "mysqlclient", version("mysqlclient"), [("mysqlclient executemany", ["each", "once"], [])])
