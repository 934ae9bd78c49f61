#!/usr/bin/env python3
"""A relay that delays bytes without slowing them: half a round trip each way, whatever is under way.

    benches/lib/delay.py SERVER_PORT MILLISECONDS      prints the port it listens on, and ends with its standard input
"""

import asyncio
import sys


async def serve(server_port, delay):
    async def accept(reader, writer):
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", server_port, limit=LIMIT)
        try:
            await asyncio.gather(pass_on(reader, up_writer, delay), pass_on(up_reader, writer, delay))
        except asyncio.CancelledError:
            # The relay ends before a connection does.
            pass

    server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=LIMIT)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


async def pass_on(reader, writer, delay):
    """Bytes leave `delay` seconds after they came; as much as 4 MiB is under way."""
    queue = asyncio.Queue(maxsize=64)
    clock = asyncio.get_running_loop().time

    async def read():
        while data := await reader.read(64 << 10):
            await queue.put((clock() + delay, data))
        await queue.put((0, b""))

    async def write():
        while True:
            due, data = await queue.get()
            if not data:
                return writer.close()
            if (wait := due - clock()) > 0:
                await asyncio.sleep(wait)
            writer.write(data)
            await writer.drain()

    try:
        await asyncio.gather(read(), write())
    except ConnectionError:
        writer.close()


LIMIT = 1 << 20

if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]) / 2000))
