"""TCP ports for the servers of one test, which no other test of this machine takes meanwhile."""

import functools
import itertools
import socket
from collections.abc import Iterator

BLOCKS, PORTS = 200, 50  # of the ports from 20000 on: the kernel gives away those from 32768 on


def _own_block() -> tuple[socket.socket, range]:
    """And what reserves it: a name that no other process can bind as long as this one lives."""
    for block in range(BLOCKS):
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(f"\0linerate-test-ports-{block}")
        except OSError:
            lock.close()
        else:
            return lock, range(20000 + block * PORTS, 20000 + (block + 1) * PORTS)
    raise RuntimeError("all blocks of ports are in use")


@functools.cache
def _ports() -> tuple[socket.socket, Iterator[int]]:
    lock, block = _own_block()
    return lock, itertools.cycle(block)


def free_port() -> int:
    for port in itertools.islice(_ports()[1], PORTS):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no port is free")
