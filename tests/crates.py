"""The validator of RO-Crates, in an environment of its own."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

from tests.waiting import HANG_S

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "envs" / "requirements-crate.lock"


def validator() -> Path:
    """Return the Python that has the validator, made once for each version of its lock file."""
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    home = Path(sys.prefix) / f"crate-{digest}"
    python = home / "bin" / "python"
    with (Path(sys.prefix) / "crate.lock").open("a") as held:  # other workers of pytest wait
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (home / "ready").exists():
            _run(sys.executable, "-m", "venv", "--clear", home)
            _run(python, "-m", "pip", "install", "-q", "--require-hashes", "-r", LOCK)
            (home / "ready").touch()
    return python


def problems(crate: Path) -> list[str]:
    """Return what RO-Crate 1.1 requires and a crate has not."""
    done = subprocess.run(
        [validator(), ROOT / "tools" / "validate_crate.py", crate],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == bool(lines), done.stderr
    return lines


def _run(*words: object) -> None:
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
