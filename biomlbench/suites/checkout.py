"""A suite's files on this machine: taken out of a git repository, and nothing of it run.

Objects are fetched into a bare repository in a temporary folder, with git's own configuration
shut out, and written file by file from here: no hook, filter, submodule or large-file storage has
a part in it, and no link is made.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from biomlbench.task.sources.archives import locked

from .suite import SuiteError, find_suite, list_suites, selection, suites_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .suite import Suite

__all__ = ["Checkout", "checkouts", "get_suite_files", "is_pointer", "tasks_of"]

MANIFEST = "suite.json"
TREE, BOARDS = "tree", "boards"
BOARD = "leaderboard.csv"
TIMEOUT_S = 1800
MAX_FILE = 64 << 20
"""Larger files of a repository are left out; no task's code is so large."""
_LFS = b"version https://git-lfs.github.com/spec/v1"
_LFS_POINTER_BYTES = 1024
_OID = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)
# The sandbox's user is another one than ours.
_READABLE, _SEARCHABLE = 0o644, 0o755
_FILE, _PROGRAM, _LINK, _MODULE = "100644", "100755", "120000", "160000"


@dataclass(frozen=True)
class Checkout:
    """A suite's files.

    Attributes
    ----------
    suite : Suite
    folder : Path
    commit : str
        What was taken; another one than the suite's where the suite has moved on.
    python : Path or None
        Virtual environment for the suite's graders.
    """

    suite: Suite
    folder: Path
    commit: str
    python: Path | None = None

    @property
    def tree(self) -> Path:
        """The repository's files."""
        return self.folder / TREE

    def tasks(self) -> Iterator[tuple[str, Path]]:
        """Yield id and folder of every task, sorted."""
        root = self.tree / self.suite.tasks
        found = []
        for config in (*root.glob("*/config.yaml"), *root.glob("*/*/config.yaml")):
            path = config.parent.relative_to(root).as_posix()
            found.append((self.suite.full_id(path), config.parent))
        yield from sorted(found)

    def board(self, task_id: str) -> Path | None:
        """Return a task's leaderboard, or None."""
        path = self.suite.published_id(task_id)
        for place in (self.tree / self.suite.tasks, self.folder / BOARDS):
            board = place / path / BOARD
            if board.is_file() and not is_pointer(board):
                return board
        return None

    def board_is_pointer(self, task_id: str) -> bool:
        """Tell whether the leaderboard lies in large-file storage and was not fetched."""
        board = self.tree / self.suite.tasks / self.suite.published_id(task_id) / BOARD
        return board.is_file() and is_pointer(board)


def is_pointer(path: Path) -> bool:
    """Tell whether a file only names one in Git's large-file storage."""
    if path.stat().st_size > _LFS_POINTER_BYTES:
        return False
    return path.read_bytes().startswith(_LFS)


def checkouts() -> list[Checkout]:
    """Return the suites whose files are here, by name."""
    found = []
    for suite in list_suites(skip_wrong=True):
        folder = suites_home() / suite.name
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            python = manifest.get("python")
            found.append(
                Checkout(suite, folder, str(manifest["commit"]), Path(python) if python else None)
            )
        except (OSError, ValueError, KeyError, AttributeError):
            continue
    return found


def tasks_of(name: str) -> tuple[str, ...]:
    """Return the ids of the tasks of a suite or a selection whose files are here.

    Parameters
    ----------
    name : str

    Raises
    ------
    SuiteError
        If there is no such suite, its files are not here, or they lack a task.
    """
    suite = find_suite(name)
    here = next((one for one in checkouts() if one.suite.name == suite.name), None)
    if here is None:
        raise SuiteError(
            f"the suite {suite.name} is not here; run: biomlbench suite get {suite.name}"
        )
    known = [task_id for task_id, _ in here.tasks()]
    wanted = selection(name)
    if wanted is None:
        return tuple(known)
    if lost := sorted(set(wanted) - set(known)):
        raise SuiteError(f"{name}: the files of {suite.name} lack {', '.join(lost)}")
    return wanted


def get_suite_files(
    suite: Suite, source: str | Path | None = None, python: str | Path | None = None
) -> Checkout:
    """Fetch a suite's files at its commits.

    Parameters
    ----------
    suite : Suite
    source : path, optional
        A clone or mirror on this machine, instead of the suite's address. Files of large-file
        storage are taken from it where it has them.
    python : path, optional
        Virtual environment whose interpreter is to run the suite's graders; without it what was
        said before stays.

    Returns
    -------
    Checkout

    Raises
    ------
    SuiteError
        If the commit cannot be had, or there is no git.
    """
    home = suites_home()
    home.mkdir(parents=True, exist_ok=True)
    target = home / suite.name
    if python is not None and not (Path(python) / "pyvenv.cfg").is_file():
        raise SuiteError(
            f"{python}: is no virtual environment; make one with: python3 -m venv {python}"
        )
    with locked(home / f".{suite.name}.lock"), tempfile.TemporaryDirectory(dir=home) as scratch:
        made = Path(scratch) / "suite"
        made.mkdir()
        repository = _Repository(Path(scratch), suite.address, source)
        left_out: list[str] = []
        repository.fetch(suite.commit)
        # The code that grades: the suite's package alone, not the agents and runs beside it.
        repository.write(suite.commit, suite.package, made / TREE, left_out)
        if not (made / TREE / suite.tasks).is_dir():
            repository.write(suite.commit, suite.tasks, made / TREE, left_out)
        for boards in suite.boards:
            repository.fetch(boards.commit)
            repository.write_boards(boards.commit, boards.tasks, made / BOARDS)
        before = next((c.python for c in checkouts() if c.suite.name == suite.name), None)
        chosen = Path(python).absolute() if python is not None else before
        manifest: dict[str, Any] = {
            "suite": suite.name,
            "commit": suite.commit,
            "boards": [boards.commit for boards in suite.boards],
            "python": str(chosen) if chosen else None,
            "left_out": sorted(left_out),
        }
        (made / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        for folder, _, _ in os.walk(made):
            Path(folder).chmod(_SEARCHABLE)
        if target.exists():
            target.rename(Path(scratch) / "old")
        made.rename(target)
    return Checkout(suite, target, suite.commit, chosen)


class _Repository:
    """A bare repository that holds what was fetched, read object by object."""

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

    def _git(self, *words: str) -> bytes:
        env = {
            **{k: v for k, v in os.environ.items() if k[:4] != "GIT_" or k[:8] == "GIT_SSL_"},
            "GIT_CONFIG_GLOBAL": str(self._config),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "LC_ALL": "C.UTF-8",
        }
        command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"]
        try:
            done = subprocess.run(
                [*command, *words], env=env, capture_output=True, timeout=TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise SuiteError(f"git gave no answer within {TIMEOUT_S} s; try again") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()[-500:]
            name = words[2] if words[0] == "--git-dir" else words[0]
            raise SuiteError(f"git {name} failed: {said or 'it said nothing'}")
        return done.stdout

    def _in(self, *words: str) -> bytes:
        return self._git("--git-dir", str(self._folder), *words)

    def fetch(self, commit: str) -> None:
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        try:
            self._in("fetch", *options, "--depth=1", "--", self._from, commit)
        except SuiteError as first:
            # An old or careful server gives no single commit: take all its branches.
            try:
                self._in("fetch", *options, "--", self._from, "+refs/*:refs/fetched/*")
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
        for (_, path, name), data in zip(wanted, self._blobs([w[0] for w in wanted]), strict=True):
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
        if self._source is None or not data.startswith(_LFS) or len(data) > _LFS_POINTER_BYTES:
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


def _is_safe(name: str) -> bool:
    parts = PurePosixPath(name).parts
    plain = all(part not in ("..", ".git") and max(part) < "\udc80" for part in parts)
    return bool(parts) and parts[0] != "/" and plain
