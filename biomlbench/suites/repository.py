"""Files out of a git repository at one commit, read object by object; nothing of it is run.

Objects are fetched into a bare repository in a temporary folder, with git's own configuration
shut out, and written file by file from here: no hook, filter, submodule or large-file storage has
a part in it, and no link is made.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from biomlbench.runtime.progress_bars import bar, track

from .suite import SuiteError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BOARD", "LFS", "LFS_POINTER_BYTES", "Repository"]

BOARD = "leaderboard.csv"
TIMEOUT_S = 1800
MAX_FILE = 64 << 20
"""Larger files of a repository are left out; no task's code is so large."""
LFS = b"version https://git-lfs.github.com/spec/v1"
"""How a file begins that only names one in Git's large-file storage."""
LFS_POINTER_BYTES = 1024
_OID = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)
_READABLE = 0o644
_FILE, _PROGRAM, _LINK, _MODULE = "100644", "100755", "120000", "160000"
_PERCENT = re.compile(r"(?:remote: )?(?P<what>[A-Z][a-z]+ [a-z]+): +(?P<percent>\d+)% ")
_RECEIVING = "Receiving objects"
"""What git is at for most of the time."""
_GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never")
_NO_ANSWER = f"git gave no answer within {TIMEOUT_S} s; try again"


class Repository:
    """A bare repository that holds what was fetched, read object by object.

    Parameters
    ----------
    scratch : Path
        Folder for it.
    address : str
        Where commits are fetched from.
    source : path, optional
        A clone or mirror on this machine, instead of the address.

    Raises
    ------
    SuiteError
        If there is no git, or no such folder.
    """

    def __init__(self, scratch: Path, address: str, source: str | Path | None) -> None:
        if shutil.which("git") is None:
            raise SuiteError("there is no git; install it (Debian: apt install git)")
        self._folder = scratch / "repository.git"
        self._config = scratch / "gitconfig"
        self._source = Path(source).absolute() if source is not None else None
        self._from = address
        if self._source is not None:
            if not self._source.is_dir():
                raise SuiteError(f"{source}: there is no such folder; name a clone or a mirror")
            self._from = str(self._source)
        # Nothing of the user's or the machine's settings; the named clone may be somebody else's.
        self._config.write_text("[safe]\n\tdirectory = *\n", encoding="utf-8")
        self._git("init", "--quiet", "--bare", "--template=", str(self._folder))

    def _env(self) -> dict[str, str]:
        return {
            **{k: v for k, v in os.environ.items() if k[:4] != "GIT_" or k[:8] == "GIT_SSL_"},
            "GIT_CONFIG_GLOBAL": str(self._config),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "LC_ALL": "C.UTF-8",
        }

    def _git(self, *words: str) -> bytes:
        try:
            done = subprocess.run(
                [*_GIT, *words],
                env=self._env(),
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise SuiteError(_NO_ANSWER) from error
        if done.returncode:
            name = words[2] if words[0] == "--git-dir" else words[0]
            raise _failed(name, done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def _in(self, *words: str) -> bytes:
        return self._git("--git-dir", str(self._folder), *words)

    def _fetch(self, *words: str) -> None:
        """Fetch under a bar, from the percentages that git tells."""
        options = ("--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        # Into a pack, however few objects: of that git tells the percentage at once.
        call = ("-c", "fetch.unpackLimit=1", "--git-dir", str(self._folder), "fetch")
        command = [*_GIT, *call, *options, *words]
        said, late = [], threading.Event()
        with (
            bar("fetching", unit="%") as fetched,
            subprocess.Popen(
                command,
                env=self._env(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            ) as git,
        ):

            def end() -> None:
                late.set()
                git.kill()

            watch = threading.Timer(TIMEOUT_S, end)
            watch.daemon = True
            watch.start()
            try:
                for line in git.stderr or ():  # a carriage return ends a line, too
                    if (percent := _PERCENT.match(line)) is None:
                        said.append(line)
                    elif percent["what"] == _RECEIVING:
                        fetched.expect(100)
                        fetched.reach(int(percent["percent"]))
            finally:
                watch.cancel()
        if late.is_set():
            raise SuiteError(_NO_ANSWER)
        if git.returncode:
            raise _failed("fetch", "".join(said))

    def fetch(self, commit: str) -> None:
        """Fetch a commit.

        Raises
        ------
        SuiteError
            If it cannot be had.
        """
        try:
            self._fetch("--depth=1", "--", self._from, commit)
        except SuiteError as first:
            # An old or careful server gives no single commit: take all its branches.
            try:
                self._fetch("--", self._from, "+refs/*:refs/fetched/*")
                self._in("cat-file", "-e", f"{commit}^{{commit}}")
            except SuiteError as error:
                raise SuiteError(
                    f"the commit {commit} cannot be had from {self._from}: {first}; without "
                    "internet name a clone or mirror with --from"
                ) from error

    def _files(self, commit: str, folder: str) -> Iterator[tuple[str, str, str]]:
        listed = self._in("ls-tree", "-r", "-z", "--full-tree", commit, "--", f"{folder}/")
        for entry in filter(None, listed.split(b"\0")):
            facts, _, name = entry.partition(b"\t")
            mode, _, digest = facts.decode().split()
            yield mode, digest, name.decode("utf-8", "surrogateescape")

    def write(self, commit: str, folder: str, target: Path, left_out: list[str]) -> None:
        """Write the plain files of a folder; name what is left out."""
        wanted = []
        for mode, digest, name in self._files(commit, folder):
            if mode in (_FILE, _PROGRAM) and _is_safe(name):
                wanted.append((digest, target / name, name))
            else:
                kind = {_LINK: "link", _MODULE: "submodule"}.get(mode, "unsafe name")
                left_out.append(f"{name!r} ({kind})")
        self._write_all(wanted, left_out)

    def write_boards(self, commit: str, folder: str, target: Path) -> None:
        """Write the leaderboards of a folder of tasks."""
        wanted = [
            (digest, target / PurePosixPath(name).relative_to(folder), name)
            for mode, digest, name in self._files(commit, folder)
            if mode in (_FILE, _PROGRAM) and _is_safe(name) and PurePosixPath(name).name == BOARD
        ]
        self._write_all(wanted, [])

    def _write_all(self, wanted: list[tuple[str, Path, str]], left_out: list[str]) -> None:
        blobs = track(self._blobs([w[0] for w in wanted]), "writing files", len(wanted))
        for (_, path, name), data in zip(wanted, blobs, strict=True):
            if data is None:
                left_out.append(f"{name!r} (larger than {MAX_FILE} bytes)")
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._from_storage(data) or data)
            path.chmod(_READABLE)

    def _blobs(self, digests: list[str]) -> Iterator[bytes | None]:
        command = ["git", "--git-dir", str(self._folder), "cat-file", "--batch"]
        env = {"GIT_CONFIG_GLOBAL": str(self._config), "GIT_CONFIG_NOSYSTEM": "1"}
        env["PATH"] = os.environ.get("PATH", os.defpath)
        with subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as git:
            if git.stdin is None or git.stdout is None:
                raise SuiteError("git cannot be talked to")
            for digest in digests:
                git.stdin.write(digest.encode() + b"\n")
                git.stdin.flush()
                head = git.stdout.readline().split()
                if len(head) != 3 or head[1] != b"blob":
                    raise SuiteError(f"the repository lacks the object {digest}")
                size = int(head[2])
                data = None
                if size <= MAX_FILE:
                    data = git.stdout.read(size)
                else:
                    left = size
                    while left:
                        left -= len(git.stdout.read(min(left, 1 << 20)))
                git.stdout.read(1)
                yield data
            git.stdin.close()

    def _from_storage(self, data: bytes) -> bytes | None:
        """Return what a pointer into large-file storage stands for, where the clone has it."""
        if self._source is None or not data.startswith(LFS) or len(data) > LFS_POINTER_BYTES:
            return None
        found = _OID.search(data)
        if found is None:
            return None
        oid = found[1].decode()
        for base in (self._source / ".git", self._source):
            path = base / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
            if path.is_file() and path.stat().st_size <= MAX_FILE:
                content = path.read_bytes()
                if hashlib.sha256(content).hexdigest() == oid:
                    return content
        return None


def _failed(name: str, said: str) -> SuiteError:
    return SuiteError(f"git {name} failed: {said.strip()[-500:] or 'it said nothing'}")


def _is_safe(name: str) -> bool:
    parts = PurePosixPath(name).parts
    plain = all(part not in ("..", ".git") and max(part) < "\udc80" for part in parts)
    return bool(parts) and parts[0] != "/" and plain
