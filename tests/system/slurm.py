"""A real slurmctld and two slurmd on this machine, with everything they write in one folder."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from ports import free_port

START_LIMIT_S = 30
CONF = """
ClusterName=linerate
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin={task_plugin}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/ctld.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/spool-%n
SlurmdLogFile={folder}/%n.log
TmpFS={folder}/tmp-%n
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{nodes}] CPUs=4
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
"""


def start_munge() -> subprocess.Popen | None:
    """munged as its own user, unless one runs."""
    if subprocess.run(["munge", "-n"], capture_output=True, check=False).returncode == 0:
        return None
    Path("/run/munge").mkdir(exist_ok=True)
    shutil.chown("/run/munge", "munge", "munge")
    return subprocess.Popen(["runuser", "-u", "munge", "--", "munged", "--foreground"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_conf(folder: Path, task_plugin: str) -> Path:
    for name in ("state", "spool-n1", "spool-n2", "tmp-n1", "tmp-n2"):
        (folder / name).mkdir()
    conf = folder / "slurm.conf"
    conf.write_text(CONF.format(host=socket.gethostname(), folder=folder, port=free_port(),
                                nodes=f"{free_port()},{free_port()}", task_plugin=task_plugin))
    return conf


def wait_for_nodes(variables: dict[str, str]) -> None:
    end = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end:
        state = subprocess.run(["sinfo", "-h", "-o", "%t"], env=variables, capture_output=True,
                               text=True, check=False)
        if state.returncode == 0 and set(state.stdout.split()) == {"idle"}:
            return
        time.sleep(0.2)
    raise RuntimeError(f"the test cluster did not start: {state.stdout} {state.stderr}")


def stacks_of(*names: str) -> str:
    """Every thread's stack of the processes whose command line has one of `names`, where gdb is."""
    found = subprocess.run(["pgrep", "-f", "|".join(names)], capture_output=True, text=True,
                           check=False).stdout.split()
    if not shutil.which("gdb"):
        return f"processes {found}; their stacks want gdb"
    return "\n".join(subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt 12"],
                                    capture_output=True, text=True, check=False).stdout
                     for pid in found if int(pid) != os.getpid())


@contextmanager
def cluster(folder: Path, variables: dict[str, str], task_plugin: str = "task/none"):
    """Yields the environment for srun; takes the daemons down again, whatever happens."""
    conf = write_conf(folder, task_plugin)
    variables = variables | {"SLURM_CONF": str(conf)}
    daemons = [munge] if (munge := start_munge()) else []
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": variables}
    try:
        time.sleep(0.5)
        daemons.append(subprocess.Popen(["slurmctld", "-D", "-f", str(conf)], **quiet))
        for node in ("n1", "n2"):
            daemons.append(subprocess.Popen(["slurmd", "-D", "-f", str(conf), "-N", node], **quiet))
        wait_for_nodes(variables)
        yield variables
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
