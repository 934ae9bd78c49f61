"""PyMySQL: a peer of `inrush bench`.

`executemany` is its way of writing many rows (its documentation: "This method improves performance on multiple-row INSERT and
REPLACE"). `Cursor.max_stmt_length`, 1 MiB by default, is raised, so that --statement-rows decides how many rows a statement
has.
"""

import pymysql

from peer import Client, serve


class Pymysql(Client):
    def connect(self, server, password):
        where = {"unix_socket": server["socket"]} if server["socket"] else {"host": server["host"], "port": server["port"]}
        # Encrypted, with whatever certificate.
        encrypted = {"ssl": {"check_hostname": False, "verify_mode": False}} if server["tls"] else {"ssl_disabled": True}
        account = {"user": server["user"], "password": password, "database": server["database"]}
        self.connection = pymysql.connect(**where, **account, **encrypted, charset="utf8mb4", autocommit=True)
        self.cursor = self.connection.cursor()
        self.cursor.max_stmt_length = 1 << 30

    def start(self):
        self.connection.begin()

    def insert(self, run, rows):
        self.cursor.executemany(run.sql, rows)

    def end(self):
        self.connection.commit()


serve(Pymysql(), "PyMySQL", pymysql.__version__, [("PyMySQL executemany", ["each", "once"], [])])
