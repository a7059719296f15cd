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
from biomlbench.reproduce.inputs import APART, ODD_NAME, inside, leads_out, place_apart
from biomlbench.runtime.once import one_look
from biomlbench.runtime.progress_bars import track
from biomlbench.stages.kinds import all_kinds, get_kind
from biomlbench.submission.reading import FORMATS
from biomlbench.submission.submitted_file import MAX_BYTES, read_bytes
from biomlbench.workflow.runs import is_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.export._contents import Contents
    from biomlbench.reproduce.inputs import Inputs, Submission
    from biomlbench.submission.private_files import PrivateFiles

__all__ = ["add_submissions"]

MAX_LISTED_BYTES = 8 * 2**30
"""Of files that only a ``submission.jsonl`` names, in all: half of what an archive may hold."""
_FULL = f"such lists have more than {MAX_LISTED_BYTES >> 30} GiB of files; name it in a run table"
_LONGEST_NAME = 1000
"""Bytes of a name that can be unpacked into most folders; a file's whole path has at most 4,095."""
_READ = (Fault.NONE, Fault.SUBMISSION)
"""Faults of runs whose submission was looked at."""


class _Graded(NamedTuple):
    """What grading made of a submission in one of its runs."""

    kind: str
    fault: str
    reason: str
    source: str

    @property
    def is_listed(self) -> bool:
        """Whether a ``submission.jsonl`` names the run, which may be an agent's own."""
        return is_list(self.source.rpartition(":")[0])


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
            shown = f"submission {submission.path!a}"
            if submission.was != "file":
                if leads_out(submission.path):
                    contents.refused.append(f"{shown}: {_why_not_inside(submission.path)}")
                continue
            runs = graded.get(submission.path, ())
            if why := _refused(submission.path, runs):
                contents.refused.append(f"{shown}: {why}")
            else:
                is_listed = bool(runs) and all(run.is_listed for run in runs)
                _add(contents, inputs, submission, private, is_listed=is_listed)


def _add(
    contents: Contents,
    inputs: Inputs,
    submission: Submission,
    private: PrivateFiles,
    *,
    is_listed: bool,
) -> None:
    shown, name = f"submission {submission.path!a}", inside(submission.path)
    # What a list names, which may be an agent's own, never stops the archive of the others.
    told = contents.refused if is_listed else contents.left_out
    if name is None:
        told.append(f"{shown}: {_why_not_inside(submission.path)}")
        return
    source = inputs.place_of(submission, name)
    try:
        data = read_bytes(source, MAX_BYTES, inputs.base, private)
    except InvalidSubmissionError as error:
        told = contents.refused if error.reason == Reason.PRIVATE_FILE else told
        told.append(f"{shown}: {error}")
        return
    if submission.sha256 not in (None, hashlib.sha256(data).hexdigest()):
        told.append(f"{shown}: has changed since it was graded")
        return
    if name in contents.files and contents.read(name) == data:
        return
    if is_listed and contents.listed_bytes + len(data) > MAX_LISTED_BYTES:
        told.append(f"{shown}: {_FULL}")
        return
    contents.listed_bytes += len(data) * is_listed
    if len(name.encode()) <= _LONGEST_NAME and contents.is_free(name):
        top, is_in_folder, _ = name.partition("/")
        contents.add(name, Path(source), "" if is_in_folder else "A submission.")
        if is_in_folder:
            contents.folders.setdefault(top, "Submissions.")
    elif (place := place_apart(name)) not in contents.files:
        contents.add(place, Path(source))
        words = "Submissions whose names are not free or too long, by the SHA-256 of their paths."
        contents.folders.setdefault(APART, words)


def _why_not_inside(path: str) -> str:
    if Path(path).is_absolute():
        return "has an absolute path; name it from the benchmark's folder in the run table"
    return "lies outside the benchmark's folder" if leads_out(path) else ODD_NAME


def _graded(inputs: Inputs) -> dict[str, list[_Graded]]:
    columns = ["submission", "kind", "fault", "reason", "source"]
    found: dict[str, list[_Graded]] = {}
    for row in read_table("pairs", inputs.results / "pairs.parquet", columns).to_pylist():
        if row["kind"]:  # none: a bad line of a run table
            one = _Graded(row["kind"], row["fault"], row["reason"], row["source"])
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
