"""Runs a command to its end and writes what it used to a file descriptor: seconds on the clock, of the processor, outside the kernel; KiB.

    launch.py FD COMMAND..

A program of its own, because a child's peak memory begins with that of the process which started it, and a benchmark in Python is larger
than many a client.
"""

import os
import sys
import time


def main():
    report, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    start = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, used = os.wait4(pid, 0)
    wall = time.monotonic() - start
    os.write(report, f"{wall} {used.ru_utime + used.ru_stime} {used.ru_utime} {used.ru_maxrss}".encode())
    sys.exit(os.waitstatus_to_exitcode(status))


main()
