"""Find out by attack, once per host, whether a provider holds; remember the answer."""

from __future__ import annotations

import contextlib
import logging
import os
import pwd
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.sandbox import functions, interpreter
from biomlbench.sandbox import probe_answers as answers
from biomlbench.sandbox.canaries import CANARIES, SOURCE
from biomlbench.sandbox.diagnosis import remedy_for_start, temporary_folder
from biomlbench.sandbox.model import (
    Case,
    Limits,
    Refusal,
    SandboxFault,
    SandboxUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.sandbox.model import CaseResult
    from biomlbench.sandbox.providers.base import Provider

__all__ = ["Finding", "attack", "failure", "judge", "refusal_of"]

_log = logging.getLogger(__name__)

STOPPED = "stopped"
LIMITS = Limits(wall_s=60.0, memory_mb=256, processes=16, file_mb=4, output_mb=1)
_SHARED = ("/tmp", "/dev/shm")
_ENVIRONMENT_MARK = "BIOMLBENCH_CANARY"


@dataclass(frozen=True)
class Finding:
    """What came of one canary.

    Attributes
    ----------
    canary : str
    title : str
    stopped : bool
    needed : bool
        Whether the provider is refused without.
    detail : str
    """

    canary: str
    title: str
    stopped: bool
    needed: bool
    detail: str


def attack(provider: Provider) -> list[Finding]:
    """Run every canary in a provider's sandbox.

    Parameters
    ----------
    provider : Provider

    Returns
    -------
    list of Finding

    Raises
    ------
    SandboxFault
        If the sandbox does not start.
    SandboxUnavailable
        If there is no room for the attack itself.
    """
    mark = secrets.token_hex(16)
    name = f".biomlbench-canary-{mark}"
    with contextlib.ExitStack() as planted:
        folder = planted.enter_context(_temporary_folder())
        secret = Path(folder) / "secret"
        secret.write_text(mark)
        homes = _homes()
        for path, _, _ in homes:
            _plant(planted, Path(path) / name)
        # What a provider without a file system of its own lets a canary leave on the host.
        for path in _SHARED:
            planted.callback(_remove, Path(path) / name)
        # A process of the host that carries a secret in its environment, to be found or not.
        witness = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            env={_ENVIRONMENT_MARK: mark},
        )
        planted.callback(witness.communicate)
        planted.callback(witness.kill)
        fields = Path(f"/proc/{witness.pid}/stat").read_text().rpartition(")")[2].split()
        persist = (name, (".", *_SHARED))
        arguments: dict[str, tuple[object, ...]] = {
            "read_secret": (str(secret),),
            "list_home": (homes, name),
            "read_library": (str(Path(__file__).absolute().parents[1] / "tasks"),),
            "write_root": (name,),
            "parent_environment": (mark,),
            "see_host_process": (witness.pid, fields[19]),
            "processes": (LIMITS.processes + 16,),
            "file_size": ((LIMITS.file_mb + 1) << 20,),
            "address_space": (8 << 30,),
            "persist": persist,
        }
        cases = [Case(c.name, c.name, arguments.get(c.name, ())) for c in CANARIES]
        cases += [Case(f"persist-{i}", "persist", persist) for i in range(2)]
        done = functions.execute(SOURCE, cases, provider=provider, limits=LIMITS, preload=())
    if done.load_status != "ok":
        raise SandboxFault(f"the canaries do not load: {done.load_message}")
    results = {result.id: result for result in done.cases}
    findings = []
    for canary in CANARIES:
        names = [canary.name]
        if canary.name == "persist":
            names += ["persist-0", "persist-1"]
        details = []
        for name in names:
            result = results[name]
            # A canary that the kernel killed for trying was stopped as well.
            killed = result.status in ("sandbox_violation", "memory_limit", "process_limit")
            details.append(STOPPED if killed else _said(result))
        worst = next((detail for detail in details if detail != STOPPED), STOPPED)
        findings.append(
            Finding(
                canary.name,
                canary.title,
                worst == STOPPED,
                provider.level in canary.needed_for,
                worst,
            )
        )
    return findings


def _said(result: CaseResult) -> str:
    return str(result.value()) if result.status == "ok" else f"{result.status}: {result.message}"


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="biomlbench-canary-")
    except OSError as error:
        wanted = os.environ.get("TMPDIR", "not set")
        raise SandboxUnavailable(
            f"temporary files cannot be made (TMPDIR is {wanted}): {error.strerror}",
            "set TMPDIR to a folder of yours that can be written and has room",
        ) from error


def _homes() -> list[tuple[str, int, int]]:
    """Return path, device and inode of the home folders that this user may have.

    ``sudo -u`` hands on another user's HOME; a container's user may have none.
    """
    homes = {}
    found = [os.environ.get("HOME", "")]
    with contextlib.suppress(KeyError):
        found.append(pwd.getpwuid(os.geteuid()).pw_dir)
    for path in map(os.path.abspath, filter(None, found)):
        with contextlib.suppress(OSError):
            info = os.stat(path)
            homes[path] = (path, info.st_dev, info.st_ino)
    return list(homes.values())


def _plant(planted: contextlib.ExitStack, path: Path) -> None:
    """Make a file for as long as the attack lasts, where that is allowed."""
    with contextlib.suppress(OSError):
        path.touch(mode=0o600, exist_ok=False)
        planted.callback(_remove, path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def failure(provider: Provider) -> Refusal | None:
    """Return why a provider does not hold on this host, or None; attacks it at most once."""
    path = answers.file(provider)
    if path is not None and answers.holds(path):
        return None
    try:
        refusal = judge(attack(provider))
    except SandboxUnavailable as error:
        return error.refusal
    except SandboxFault as error:
        return refusal_of(error)
    if refusal is None and (path is None or not answers.remember(path)):
        _log.warning(
            "no folder to remember the sandbox's check in, so that each job makes it anew; set "
            "BIOMLBENCH_CACHE_DIR to a folder of yours"
        )
    return refusal


def refusal_of(fault: SandboxFault) -> Refusal:
    """Return what a sandbox that does not start amounts to."""
    return Refusal(str(fault).rstrip("."), remedy_for_start(str(fault), sys.executable))


def judge(findings: Iterable[Finding]) -> Refusal | None:
    """Return why a provider with these findings is refused, or None."""
    lost = [finding for finding in findings if finding.needed and not finding.stopped]
    if not lost:
        return None
    tried = "; ".join(f"{finding.title} ({finding.detail})" for finding in lost)
    remedies = dict.fromkeys(_remedy(finding) for finding in lost)
    return Refusal(f"it does not stop a candidate that tries to {tried}", "; ".join(remedies))


def _remedy(finding: Finding) -> str:
    """Return what helps against one attack that came through, or came to no end."""
    if finding.detail.startswith("time_limit"):
        return "try again when this machine is less busy"
    shown = [
        os.path.realpath(path) for path in (*interpreter.SYSTEM_PATHS, *interpreter.current().paths)
    ]
    places = [("list_home", "HOME", path) for path, _, _ in _homes()]
    places.append(("read_secret", "TMPDIR", temporary_folder() or ""))
    for name, variable, place in places:
        if name == finding.canary and place and interpreter.covered(os.path.realpath(place), shown):
            return (
                f"{place} lies in a folder that every program has to see; set {variable} to "
                "another folder"
            )
    return (
        "nothing on this machine is known to cause it: use a newer bubblewrap or kernel, and "
        "report it with the output of `biomlbench sandbox check --json`"
    )
