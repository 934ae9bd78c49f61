"""asyncmy: a peer of `inrush bench`.

`executemany` is its way of writing many rows, that of PyMySQL (which it is made of) in Cython: statements of many rows. One connection,
so one task. `max_stmt_length` is raised as for PyMySQL.
"""

import asyncio
import ssl
from importlib.metadata import version

import asyncmy

from peer import Client, serve


class Asyncmy(Client):
    def __init__(self):
        self.loop = asyncio.new_event_loop()

    def connect(self, server, password):
        where = {"unix_socket": server["socket"]} if server["socket"] else {"host": server["host"], "port": server["port"]}
        account = {"user": server["user"], "password": password, "database": server["database"]}
        encrypted = {"ssl": any_certificate()} if server["tls"] else {}
        self.connection = self.wait(asyncmy.connect(**where, **account, **encrypted, charset="utf8mb4", autocommit=True))
        self.cursor = self.connection.cursor()
        self.cursor.max_stmt_length = 1 << 30

    def wait(self, task):
        async def done():
            return await task

        return self.loop.run_until_complete(done())

    def start(self):
        self.wait(self.connection.begin())

    def insert(self, run, rows):
        self.wait(self.cursor.executemany(run.sql, rows))

    def end(self):
        self.wait(self.connection.commit())


def any_certificate():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


serve(Asyncmy(), "asyncmy", version("asyncmy"), [("asyncmy executemany", ["each", "once"], [])])
