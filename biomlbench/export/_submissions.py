"""The submissions of an archive: what grading took as such, and nothing that a row merely names.

Anybody who writes a run table can name any file of the benchmark's folder. Grading refuses
answers, and files of no format that it reads; they are not handed out in an archive either.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.contracts import read_table
from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Fault, Reason
from biomlbench.reproduce.inputs import APART, inside, place_apart
from biomlbench.runtime.once import one_look
from biomlbench.runtime.progress_bars import track
from biomlbench.stages.kinds import all_kinds, get_kind
from biomlbench.submission.reading import FORMATS
from biomlbench.submission.submitted_file import MAX_BYTES, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.export._contents import Contents
    from biomlbench.reproduce.inputs import Inputs, Submission
    from biomlbench.submission.private_files import PrivateFiles

__all__ = ["add_submissions"]

_READ = (Fault.NONE, Fault.SUBMISSION)
"""Faults of runs whose submission was looked at."""


class _Graded(NamedTuple):
    """What grading made of a submission in one of its runs."""

    kind: str
    fault: str
    reason: str


def add_submissions(contents: Contents, inputs: Inputs, private: PrivateFiles) -> None:
    """Add the submissions of a benchmark, and say which are left out.

    Parameters
    ----------
    contents : Contents
        With all other files, whose names are not free.
    inputs : Inputs
    private : PrivateFiles
        What no submission is.
    """
    graded = _graded(inputs)
    with one_look():
        for submission in track(inputs.submissions(), "checking the submissions"):
            if submission.was != "file":
                continue
            shown = f"submission {submission.path!a}"
            if why := _refused(submission.path, graded.get(submission.path, ())):
                contents.refused.append(f"{shown}: {why}")
            else:
                _add(contents, inputs, submission, private)


def _add(contents: Contents, inputs: Inputs, submission: Submission, private: PrivateFiles) -> None:
    shown, name = f"submission {submission.path!a}", inside(submission.path)
    if name is None:
        why = "lies outside the benchmark's folder, or has an odd name"
        if Path(submission.path).is_absolute():
            why = "has an absolute path; name it from the benchmark's folder in the run table"
        contents.left_out.append(f"{shown}: {why}")
        return
    source = inputs.place_of(submission, name)
    try:
        data = read_bytes(source, MAX_BYTES, inputs.base, private)
    except InvalidSubmissionError as error:
        told = contents.refused if error.reason == Reason.PRIVATE_FILE else contents.left_out
        told.append(f"{shown}: {error}")
        return
    if submission.sha256 not in (None, hashlib.sha256(data).hexdigest()):
        contents.left_out.append(f"{shown}: has changed since it was graded")
        return
    if name in contents.files and contents.read(name) == data:
        return
    if contents.is_free(name):
        top, is_in_folder, _ = name.partition("/")
        contents.add(name, Path(source), "" if is_in_folder else "A submission.")
        if is_in_folder:
            contents.folders.setdefault(top, "Submissions.")
    elif (place := place_apart(name)) not in contents.files:
        contents.add(place, Path(source))
        words = "Submissions whose names the archive needs itself, by the SHA-256 of their paths."
        contents.folders.setdefault(APART, words)


def _graded(inputs: Inputs) -> dict[str, list[_Graded]]:
    columns = ["submission", "kind", "fault", "reason"]
    found: dict[str, list[_Graded]] = {}
    for row in read_table("pairs", inputs.results / "pairs.parquet", columns).to_pylist():
        if row["kind"]:  # none: a bad line of a run table
            one = _Graded(row["kind"], row["fault"], row["reason"])
            found.setdefault(row["submission"], []).append(one)
    return found


def _refused(path: str, graded: Iterable[_Graded]) -> str:
    """Say why a submission is none for grading; empty for one that it read in some run."""
    graded = tuple(graded)
    if any(one.reason == Reason.PRIVATE_FILE for one in graded):
        return "is a private file of a task, as grading found"
    if graded and any(_is_read(path, one) for one in graded):
        return ""
    if not graded and path.lower().endswith((*FORMATS, *_endings())):
        return ""
    return "is no file of a format that grading reads"


def _is_read(path: str, graded: _Graded) -> bool:
    kind = get_kind(graded.kind)
    if kind.IS_CODE:
        return path.lower().endswith(kind.SUFFIX)
    if graded.reason == Reason.WRONG_FORMAT:
        return False
    # A task may read other formats, too.
    return graded.fault in _READ or path.lower().endswith(FORMATS)


def _endings() -> Iterator[str]:
    return (kind.SUFFIX for kind in all_kinds().values() if kind.IS_CODE)
