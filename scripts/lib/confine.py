"""Runs a program that listens on every interface in a network of its own, and forwards a port of the loopback address to it.

    confine.py --port-file FILE --user NAME [--in PORT=SOCKET].. INNER-PORT COMMAND..

The port here is any free one; FILE has its number. The program's network has the loopback interface and one more with an address.
Each `--in` makes a Unix socket of this machine a port of that network. Ends with the program; SIGTERM ends it.
"""

import argparse
import asyncio
import os
import pwd
import signal
import socket
import subprocess
import sys

ADDRESS = "198.18.0.1/30"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--listener", type=int)
    parser.add_argument("inner", type=int)
    parser.add_argument("--in", dest="inward", action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if arguments.listener is None:
        enter(arguments)
    else:
        sys.exit(asyncio.run(serve(arguments)))


def enter(arguments):
    """Binds the port in the network of this machine, and goes on in another one: the listening socket stays where it was bound."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.set_inheritable(True)
    with open(arguments.port_file + ".new", "w", encoding="ascii") as file:
        file.write(f"{listener.getsockname()[1]}\n")
    os.rename(arguments.port_file + ".new", arguments.port_file)
    mine = [sys.executable, os.path.abspath(__file__), "--listener", str(listener.fileno())]
    os.execvp("unshare", ["unshare", "--net", "--", *mine, *sys.argv[1:]])


async def serve(arguments):
    for line in ("link set lo up", "link add net0 type bridge", f"address add {ADDRESS} dev net0", "link set net0 up"):
        subprocess.run(["ip", *line.split()], check=True)
    outward = socket.socket(fileno=arguments.listener)
    await asyncio.start_server(to_port(arguments.inner), sock=outward)
    for pair in arguments.inward:
        port, _, path = pair.partition("=")
        await asyncio.start_server(to_socket(path), "127.0.0.1", int(port))
    user = pwd.getpwnam(arguments.user)
    program = await asyncio.create_subprocess_exec(*arguments.command, user=user.pw_uid, group=user.pw_gid, extra_groups=[])
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, program.terminate)
    return await program.wait()


def to_port(port):
    async def forward(reader, writer):
        await pump_both(reader, writer, asyncio.open_connection("127.0.0.1", port))

    return forward


def to_socket(path):
    async def forward(reader, writer):
        await pump_both(reader, writer, asyncio.open_unix_connection(path))

    return forward


async def pump_both(reader, writer, connecting):
    try:
        other_reader, other_writer = await connecting
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, other_writer), pump(other_reader, writer))


async def pump(reader, writer):
    """Copies until one side ends or breaks; then the other side sees the end."""
    try:
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    writer.close()


if __name__ == "__main__":
    main()
