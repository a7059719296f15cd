"""Task folders in the published form: where their code, leaderboard and human baselines are."""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.contracts.mappings import Config

    from .checkout import Checkout

__all__ = ["Native", "Published", "known_graders", "main_metric", "native_grader"]

NATIVE = Path(__file__).parent / "native.yaml"
_PACKAGE = Path(__file__).absolute().parents[1]
# Names that are those of programs rather than of people, as far as a name tells.
_PROGRAMS = re.compile(
    r"\b(?:bot|api|script|auto|test|dummy|baseline)\b|^(?:[a-z]|\d+|[a-z0-9]{20,})$", re.IGNORECASE
)
_NAMES = ("team_name", "teamName")


@dataclass(frozen=True)
class Published:
    """Where a task in the published form comes from.

    Attributes
    ----------
    suite : str
        Name of the suite; empty for a folder of the user's own clone.
    commit : str
        Of the suite; empty for a clone.
    tree : Path
        Folder that the suite's package lies in.
    package : str
    path : str
        The task's id as the suite has it, and its folder below the data folder.
    board : Path or None
        Leaderboard that is not in the task's own folder.
    contestants : str
        Who stands on the leaderboard; empty where that is not known.
    humans : bool
        Whether human baselines are derived from the leaderboard.
    python : Path or None
        Virtual environment for the grader.
    """

    suite: str
    commit: str
    tree: Path
    package: str
    path: str
    board: Path | None = None
    contestants: str = ""
    humans: bool = False
    python: Path | None = None

    @property
    def of_kaggle(self) -> bool:
        """Whether a folder that names no source of data is a competition of Kaggle's."""
        return self.package == "mlebench"

    @property
    def identity(self) -> tuple[str, ...]:
        """What a grade depends on; no place on this machine."""
        return self.suite, self.commit, self.package, self.path, self.contestants, str(self.humans)

    @classmethod
    def of_checkout(cls, checkout: Checkout, task_id: str) -> Published:
        """Return what a suite's files say of a task."""
        suite = checkout.suite
        domain = task_id.partition("/")[0]
        return cls(
            suite.name,
            checkout.commit,
            checkout.tree,
            suite.package,
            suite.published_id(task_id),
            checkout.board(task_id),
            suite.contestants.get(domain, ""),
            domain in suite.humans,
            checkout.python,
        )

    @classmethod
    def of_folder(cls, folder: Path, config: Mapping[str, Any]) -> Published | None:
        """Return what the place of a folder says, if it lies in a suite's package.

        A grader ``package.x.y.task.grade:grade`` whose folder ends in ``package/x/y/task`` is
        part of that package, and not of another one of the same name.
        """
        grader = config.get("grader")
        reference = str(grader.get("grade_fn") or "") if isinstance(grader, dict) else ""
        parts = reference.partition(":")[0].split(".")[:-1]
        here = folder.resolve()
        if not parts or list(here.parts[-len(parts) :]) != parts:
            return None
        tree = here.parents[len(parts) - 1]
        package = tree / parts[0]
        if package == _PACKAGE or not (package / "__init__.py").is_file():
            return None
        return cls("", "", tree, parts[0], str(config.get("id") or folder.name))


@dataclass(frozen=True)
class Native:
    """How a published grader's score is computed by our own metrics.

    Attributes
    ----------
    commit : str
        Commit of the suite at which both were compared.
    metric : str or None
        None: only what else is said here is known of the grader.
    options : Mapping
    submission : Mapping
        As the section of a task's config.
    direction : str or None
    skips_missing_truth : bool
        Rows whose true value is missing are left out.
    notes : tuple of str
        Where the published grader differs from its task's description.
    """

    commit: str
    metric: str | None
    options: Mapping[str, Any]
    submission: Mapping[str, Any]
    direction: str | None
    skips_missing_truth: bool
    notes: tuple[str, ...]


@functools.cache
def _table() -> Config:
    import yaml

    table: Config = yaml.safe_load(NATIVE.read_text(encoding="utf-8"))
    return table


def native_grader(published: Published, folder: Path) -> Native | None:
    """Return what is known of a task's published grader.

    Parameters
    ----------
    published : Published
    folder : Path
        The task's.

    Returns
    -------
    Native or None
        None for a grader that is not in the table, or whose code is not the one that was
        compared.
    """
    for suite in _table().values():
        entry = suite["graders"].get(published.path)
        if entry is None or suite["package"] != published.package:
            continue
        root = published.tree / suite["tasks"]
        files = [folder / "grade.py", *(root / name for name in entry.get("with", ()))]
        if code_hash(files) != entry["sha256"]:
            continue
        return _native(suite, published.path)
    return None


def known_graders() -> list[tuple[str, str, list[tuple[str, Native]]]]:
    """Return name, commit, and ids with what is known of their graders, of each built-in suite."""
    return [
        (name, suite["commit"], [(path, _native(suite, path)) for path in suite["graders"]])
        for name, suite in _table().items()
    ]


def _native(suite: Mapping[str, Any], path: str) -> Native:
    entry = suite["graders"][path]
    return Native(
        suite["commit"],
        entry.get("metric"),
        entry.get("options") or {},
        entry.get("submission") or {},
        entry.get("direction"),
        bool(entry.get("skips_missing_truth")),
        tuple(
            line
            for note in suite.get("notes", ())
            if path in note["tasks"]
            for line in note["says"]
        ),
    )


def code_hash(files: list[Path]) -> str:
    """Return a hash over the contents of some files; empty where one is not there."""
    found = hashlib.sha256()
    for path in files:
        try:
            data = read_regular(path)
        except (OSError, TooLargeError):
            return ""
        found.update(b"%d\0" % len(data) + data)
    return found.hexdigest()[:32]


def main_metric(config: Mapping[str, Any]) -> str | None:
    """Return the metric that a published config declares for its data, in its own word."""
    section = config.get("biomedical_metadata")
    if not isinstance(section, dict):
        return None
    for key in ("polaris_main_metric", "proteingym_main_metric"):
        if section.get(key):
            return str(section[key])
    return None


def derived_humans(published: Published, board: Path) -> Path:
    """Return a file of human baselines that is derived from a leaderboard.

    Teams whose names are those of programs are left out, as the suites' own preparation does it;
    a leaderboard without names is taken whole. The file is made once for each state of the
    leaderboard, beside the suite's files.

    Raises
    ------
    TaskError
        If the leaderboard cannot be read, or the file cannot be written.
    """
    try:
        data = read_regular(board)
        name = f"{hashlib.sha256(data).hexdigest()[:32]}.csv"
        path = published.tree.parent / "humans" / name
        if path.is_file():
            return path
        rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
        column = next((c for c in _NAMES if rows and c in rows[0]), None)
        if column is not None:
            rows = [row for row in rows if not _PROGRAMS.search(row[column] or "")]
        with (
            whole_file(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file)
            writer.writerow(["score"])
            writer.writerows([row.get("score") or ""] for row in rows)
    except (OSError, TooLargeError, UnicodeDecodeError, csv.Error) as error:
        raise TaskError(f"{board}: human baselines cannot be derived from it: {error}") from error
    return path
