"""Several hosts on one machine: network namespaces behind a bridge."""

import os
import stat
import subprocess
import unittest
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from job import kill
from support import environment, needs, needs_root

SUBNET = "10.77.0"
AGENT = """#!/bin/sh
# Stands in for ssh: drops options, takes the address, runs the rest inside that host's namespace.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1; shift
exec ip netns exec "PREFIX${host##*.}" unshare --uts /bin/sh -c "hostname host${host##*.}; $*"
"""


def needs_hosts() -> None:
    needs_root()
    needs("ip")
    name = f"lr{os.getpid()}probe"
    probe = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True,
                           check=False)
    if probe.returncode != 0:
        raise unittest.SkipTest(f"no network namespaces here: {probe.stderr.strip()}")
    subprocess.run(["ip", "netns", "del", name], check=False)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass(frozen=True)
class Host:
    namespace: str
    address: str
    cable: str  # its end at the switch

    def command(self, *words: str) -> list[str]:
        name = f"host{self.address.rsplit('.', 1)[1]}"
        return ["ip", "netns", "exec", self.namespace, "unshare", "--uts", "/bin/sh", "-c",
                f'hostname {name}; exec "$@"', "sh", *words]

    def cut_off(self) -> None:
        """From now on nothing reaches this host or comes from it, as if its power were gone."""
        ip("-n", f"{self.namespace[:-1]}sw", "link", "set", self.cable, "down")


def add_host(prefix: str, number: int) -> Host:
    namespace, address = f"{prefix}{number}", f"{SUBNET}.{number}"
    ip("netns", "add", namespace)
    inside, outside = f"{prefix}e{number}", f"{prefix}p{number}"
    ip("link", "add", inside, "type", "veth", "peer", "name", outside)
    ip("link", "set", inside, "netns", namespace)
    ip("link", "set", outside, "netns", f"{prefix}sw")
    ip("-n", f"{prefix}sw", "link", "set", outside, "master", "br0", "up")
    ip("-n", namespace, "addr", "add", f"{address}/24", "dev", inside)
    ip("-n", namespace, "link", "set", inside, "up")
    ip("-n", namespace, "link", "set", "lo", "up")
    return Host(namespace, address, outside)


def remove(namespace: str) -> None:
    """With whatever still runs in it, as on a host that was cut off."""
    found = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True,
                           check=False)
    for pid in found.stdout.split():
        kill(int(pid))
    subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)


@contextmanager
def hosts(count: int):
    """`count` hosts that reach each other, each with an address, a hostname and a loopback."""
    prefix = f"lr{os.getpid()}"
    try:
        ip("netns", "add", f"{prefix}sw")
        ip("-n", f"{prefix}sw", "link", "add", "br0", "type", "bridge")
        ip("-n", f"{prefix}sw", "link", "set", "br0", "up")
        yield [add_host(prefix, number) for number in range(1, count + 1)]
    finally:
        for name in (f"{prefix}sw", *(f"{prefix}{n}" for n in range(1, count + 1))):
            remove(name)


def rsh_agent(folder: Path, first: Host) -> Path:
    """An executable for mpirun's plm_rsh_agent that starts daemons in the hosts' namespaces."""
    path = folder / "agent.sh"
    path.write_text(AGENT.replace("PREFIX", first.namespace[:-1]))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def env_job(both: list[Host], port: int, *words: str) -> list[subprocess.Popen]:
    """A process on each host, joined by RANK and WORLD_SIZE."""
    jobs = []
    for rank, host in enumerate(both):
        variables = environment(RANK=str(rank), WORLD_SIZE=str(len(both)), LOCAL_RANK="0",
                                MASTER_ADDR=both[0].address, MASTER_PORT=str(port))
        jobs.append(subprocess.Popen(host.command(*words), env=variables, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     stdin=subprocess.DEVNULL))
    return jobs
