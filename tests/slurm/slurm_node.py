"""A Slurm of one node on this machine, for the tests: munge, slurmctld and slurmd on loopback.

Needs root and Debian's slurm-wlm and munge; no systemd, no database, no accounting. By hand:
``python tests/slurm/slurm_node.py FOLDER`` brings it up and takes it down again on the interrupt
key.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.waiting import HANG_S, wait_until

# The plugin's own srun and sbatch find the config nowhere else: it drops SLURM_CONF.
CONFIG_PATH = Path("/etc/slurm/slurm.conf")
LOCK_PATH = Path("/run/lock/one-node-slurm.lock")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel")
CONFIG = """\
ClusterName=onenode
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={slurmd_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
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
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mb} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
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
        return found.getsockname()[1]


def _memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


@dataclass
class SlurmNode:
    """Daemons of a one-node Slurm, and the environment in which its commands work."""

    folder: Path
    processes: list[subprocess.Popen] = field(default_factory=list)

    @property
    def env(self) -> dict[str, str]:
        path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
        return {**os.environ, "PATH": path}

    def start(self) -> SlurmNode:
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        text = CONFIG.format(
            host=socket.gethostname().split(".")[0],
            folder=self.folder,
            ctld_port=_free_port(),
            slurmd_port=_free_port(),
            cpus=os.cpu_count(),
            memory_mb=_memory_mb() - 100,
        )
        (self.folder / "slurm.conf").write_text(text)
        self._lock = LOCK_PATH.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)  # one at a time on one machine
        CONFIG_PATH.parent.mkdir(exist_ok=True)
        CONFIG_PATH.unlink(missing_ok=True)
        CONFIG_PATH.symlink_to(self.folder / "slurm.conf")
        self._start_munge()
        self._start("slurmctld", "-D")
        self._start("slurmd", "-D")
        self._wait(lambda: " idle" in self.command("sinfo", "-h", "-o", "%n %T").stdout)
        return self

    def _start_munge(self) -> None:
        if self.command("munge", "-n").returncode == 0:
            return
        for name in ("/run/munge", "/var/log/munge", "/var/lib/munge"):
            Path(name).mkdir(exist_ok=True)
            shutil.chown(name, "munge", "munge")
        Path("/run/munge").chmod(0o755)
        self._start("munged", "--foreground", user="munge", group="munge")
        self._wait(lambda: self.command("munge", "-n").returncode == 0)

    def _start(self, program: str, *arguments: str, **how: str) -> None:
        log = (self.folder / f"{program}.out").open("w")
        program = shutil.which(program, path=self.env["PATH"]) or program
        self.processes.append(
            subprocess.Popen([program, *arguments], env=self.env, stdout=log, stderr=log, **how)
        )

    def _wait(self, condition, seconds: float = HANG_S) -> None:
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

    def stop(self) -> None:
        """End all jobs and daemons."""
        self.command("scancel", "--full", "--user", "root")
        wait_until(lambda: not {"RUNNING", "COMPLETING"} & set(self.jobs().values()))
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=HANG_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()
        CONFIG_PATH.unlink(missing_ok=True)
        self._lock.close()


if __name__ == "__main__":
    if problem := missing():
        sys.exit(problem)
    node = SlurmNode(Path(sys.argv[1]).resolve()).start()
    print("up", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        node.stop()
