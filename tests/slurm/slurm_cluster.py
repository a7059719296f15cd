"""A Slurm of two nodes on this machine, for the tests: munge, slurmctld, two slurmd on loopback.

Needs root and Debian's slurm-wlm and munge; no systemd, no database, no accounting. By hand:
``python -m tests.slurm.slurm_cluster FOLDER`` brings it up and takes it down again on the interrupt
key.

Each node has a name, a port and a spool folder of its own, and its slurmd stays the ancestor of all
that it runs, so that a node can be lost with everything on it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.sandbox.accounting import tree
from tests.waiting import HANG_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

# The plugin's own srun and sbatch find the config nowhere else: it drops SLURM_CONF.
CONFIG_PATH = Path("/etc/slurm/slurm.conf")
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
LOCK_PATH = Path("/run/lock/slurm-on-loopback.lock")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel")
CONFIG = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=1,sched_interval=5,sched_min_interval=100000
ReturnToService=2
MinJobAge=600
KillWait=2
# Seconds without an answer until a node is given up, and until a job of it may start elsewhere.
SlurmdTimeout=15
AuthInfo=cred_expire=15
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
# Each has the cores and the memory of the machine: jobs of the tests use little of what they ask.
NODE = """\
NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} \
RealMemory={memory_mb} State=UNKNOWN
"""


def missing() -> str:
    """Say what is missing for a Slurm of one's own, or nothing."""
    if os.geteuid() != 0:
        return "starting a Slurm needs root"
    if CONFIG_PATH.exists() and not CONFIG_PATH.is_symlink():
        return f"this machine has a Slurm already ({CONFIG_PATH})"
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    absent = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    return f"not installed: {', '.join(absent)} (tools/system-packages.sh)" if absent else ""


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _keep_descendants() -> None:
    """Let orphans below this process become its children, and not those of the first process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


@dataclass
class SlurmCluster:
    """Daemons of a Slurm on this machine, and the environment in which its commands work."""

    folder: Path
    names: tuple[str, ...] = ("left", "right")
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    nodes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
        return {**os.environ, "PATH": path}

    def start(self) -> SlurmCluster:
        (self.folder / "state").mkdir(parents=True, exist_ok=True)
        host = socket.gethostname().split(".")[0]
        text = CONFIG.format(host=host, folder=self.folder, ctld_port=_free_port())
        memory_mb = _memory_mb() - 100
        for name in self.names:
            text += NODE.format(
                name=name, host=host, port=_free_port(), cpus=os.cpu_count(), memory_mb=memory_mb
            )
        (self.folder / "slurm.conf").write_text(text)
        self._lock = LOCK_PATH.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)  # one at a time on one machine
        CONFIG_PATH.parent.mkdir(exist_ok=True)
        CONFIG_PATH.unlink(missing_ok=True)
        CONFIG_PATH.symlink_to(self.folder / "slurm.conf")
        self._start_munge()
        self.processes.append(self._start("slurmctld", "-D"))
        for name in self.names:
            self.start_node(name)
        return self

    def start_node(self, name: str) -> None:
        """Start a node, or start it again, and wait until it takes jobs."""
        self.nodes[name] = self._start(
            "slurmd", "-D", "-N", name, log=name, preexec_fn=_keep_descendants
        )
        self._wait(lambda: self.state_of(name) == "idle")

    def lose_node(self, name: str) -> None:
        """Let a node and all that it runs end at once, as when its power fails."""
        node = self.nodes.pop(name)
        # Slurm's own processes come first in it: none lives to tell how a job ended.
        for pid in tree(node.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        node.wait()

    def state_of(self, name: str) -> str:
        """State of a node; one that does not answer has an asterisk."""
        return self.command("sinfo", "-h", "-n", name, "-o", "%T").stdout.strip()

    def _start_munge(self) -> None:
        if self.command("munge", "-n").returncode == 0:
            return
        for name in ("/run/munge", "/var/log/munge", "/var/lib/munge"):
            Path(name).mkdir(exist_ok=True)
            shutil.chown(name, "munge", "munge")
        Path("/run/munge").chmod(0o755)
        self.processes.append(self._start("munged", "--foreground", user="munge", group="munge"))
        self._wait(lambda: self.command("munge", "-n").returncode == 0)

    def _start(
        self, program: str, *arguments: str, log: str = "", **how: Any
    ) -> subprocess.Popen[bytes]:
        out = (self.folder / f"{log or program}.out").open("a")
        program = shutil.which(program, path=self.env["PATH"]) or program
        return subprocess.Popen([program, *arguments], env=self.env, stdout=out, stderr=out, **how)

    def _wait(self, condition: Callable[[], bool], seconds: float = HANG_S) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = [p.read_text()[-2000:] for p in sorted(self.folder.glob("*.out"))]
                raise TimeoutError("Slurm did not come up:\n" + "\n".join(logs))
            time.sleep(0.1)

    def command(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run one of Slurm's commands."""
        return subprocess.run(command, env=self.env, capture_output=True, text=True)

    def jobs(self) -> dict[str, str]:
        """States of the jobs in the queue, by id."""
        lines = self.command("squeue", "-h", "-t", "all", "-o", "%i %T").stdout.splitlines()
        return dict(line.split() for line in lines)

    def nodes_of_jobs(self) -> dict[str, str]:
        """Nodes on which the jobs in the queue ran or run, by id."""
        lines = self.command("squeue", "-h", "-t", "all", "-o", "%i %N").stdout.splitlines()
        return dict(line.split() for line in lines if " " in line.strip())

    def stop(self) -> None:
        """End all jobs and daemons."""
        self.command("scancel", "--full", "--user", "root")
        wait_until(lambda: not {"RUNNING", "COMPLETING"} & set(self.jobs().values()))
        for process in (*self.nodes.values(), *reversed(self.processes)):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=HANG_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()
        self.nodes.clear()
        CONFIG_PATH.unlink(missing_ok=True)
        self._lock.close()


if __name__ == "__main__":
    if problem := missing():
        sys.exit(problem)
    cluster = SlurmCluster(Path(sys.argv[1]).resolve()).start()
    print("up", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        cluster.stop()
