"""Run a program again on changed inputs; keep what it wrote for the stage that judges it.

Only the execute stage runs code, and only the verify stage judges. So here the reruns that the
checks ask for are carried out and recorded under a hash of the changed files, and verify plays
them back.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason, sentence
from biomlbench.submission.reading import read_table
from biomlbench.submission.sample import sample_of
from biomlbench.submission.validation import inspect_submission
from biomlbench.verify import reruns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from biomlbench.contracts.rows import CaseRow
    from biomlbench.sandbox import ProgramResult
    from biomlbench.task.registry import Task
    from biomlbench.verify import CheckOutcome

__all__ = ["RERUN", "judge_recorded", "run_recorded"]

RERUN = "rerun-"
"""How the case id of a rerun begins; a hash of the changed files follows."""
MADE_NS = 1_577_836_800_000_000_000
"""The time that copied inputs bear: the beginning of 2020, in nanoseconds."""


def run_recorded(
    task: Task, name: str, run: Callable[[Path], ProgramResult], again: bool
) -> tuple[ProgramResult, dict[str, ProgramResult]]:
    """Run a program, and once more for each of the changed inputs that its checks ask for.

    Every run, the first one too, gets a copy of the public files made in the same way: neither
    their paths nor their times, links or owners tell a rerun from the first run.

    Parameters
    ----------
    task : Task
    name : str
        Name of the file of predictions.
    run : callable
        Runs the program on a folder of public inputs.
    again : bool
        Whether there are reruns at all.

    Returns
    -------
    first : ProgramResult
    reruns : dict of str to ProgramResult
        By case id; empty where the first run's predictions are invalid.
    """
    wanted = reruns.wanted(task) if again else []
    changing = frozenset(name for files in wanted for name in files)
    with _inputs(task.public_dir, {}, changing) as folder:
        first = run(folder)
    if first.status != Reason.OK or not again:
        return first, {}
    if inspect_submission(first.output or b"", task, name=name).first_failure:
        return first, {}
    recorded = {}
    for files in wanted:
        with _inputs(task.public_dir, files, changing) as folder:
            recorded[_case_id(files)] = run(folder)
    return first, recorded


def judge_recorded(
    task: Task, output: str | bytes, name: str, rows: list[CaseRow]
) -> list[CheckOutcome]:
    """Judge a program by its recorded reruns.

    Parameters
    ----------
    task : Task
    output : bytes or str
        The first run's predictions, or where they are.
    name : str
        Their file's name.
    rows : list of dict
        The pair's rows of the ``execute`` table.

    Returns
    -------
    list of CheckOutcome
        Empty where no rerun was recorded.
    """
    recorded = {row["case_id"]: row for row in rows if row["case_id"].startswith(RERUN)}
    if not recorded:
        return []

    def rerun(files: Mapping[str, bytes]) -> pa.Table:
        row = recorded.get(_case_id(files))
        if row is None:
            raise reruns.RerunFailed("it was not carried out")
        if row["status"] != Reason.OK:
            raise reruns.RerunFailed(sentence(row["status"]))
        try:
            sample = sample_of(task)
            return read_table(
                cast("bytes", row["output"]),
                sample.columns,
                name=name,
                most_rows=sample.most_rows,
                most_bytes=sample.most_bytes,
            )
        except InvalidSubmissionError as error:
            # not the error's own message, which quotes what the program wrote
            raise reruns.RerunFailed(sentence(error.reason)) from error

    return reruns.judge(task, inspect_submission(output, task, name=name).table, rerun)


def _case_id(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return RERUN + digest.hexdigest()[:12]


@contextlib.contextmanager
def _inputs(public: Path, files: Mapping[str, bytes], changing: frozenset[str]) -> Iterator[Path]:
    """Make a copy of the public folder with some files replaced, for as long as it is needed.

    Files that no run changes are linked, since they are the same ones in every run.
    """
    with tempfile.TemporaryDirectory(prefix="biomlbench-") as scratch:
        folder = Path(scratch) / "public"
        folder.mkdir()
        made = [Path(scratch), folder]
        for source in sorted(public.rglob("*")):
            name = str(source.relative_to(public))
            path = folder / name
            if source.is_dir():
                path.mkdir()
            elif name in files:
                path.write_bytes(files[name])
            elif name in changing or not _linked(source, path):
                shutil.copyfile(source, path)
            else:
                continue  # the task's own file: its mode and times are not ours to change
            made.append(path)
        for path in reversed(made):
            path.chmod(0o755 if path.is_dir() else 0o644)  # the sandbox may read as another user
            os.utime(path, ns=(MADE_NS, MADE_NS))
        yield folder


def _linked(source: Path, path: Path) -> bool:
    try:
        os.link(source, path)
    except OSError:
        return False
    return True
