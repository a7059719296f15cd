"""What goes into an archive of a benchmark, and what cannot."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.contracts import QUERIED, read_table
from biomlbench.errors import InvalidSubmissionError, UserError
from biomlbench.export._private_copies import private_copies, private_files, tasks_of
from biomlbench.export._submissions import add_submissions
from biomlbench.plain_text import markdown_line
from biomlbench.reproduce.inputs import (
    APART,
    DATA,
    environments,
    inside,
    links_in_tasks,
    task_trees,
    tree,
)
from biomlbench.reproduce.layout import CONFIG
from biomlbench.stages import STAGES
from biomlbench.stages.provenance import file_hash
from biomlbench.submission.submitted_file import MAX_BYTES, read_bytes
from biomlbench.summary.grading_report import GRADING_REPORT
from biomlbench.summary.history import kept_in
from biomlbench.workflow.pair_tables import PairTables
from biomlbench.workflow.runs import is_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.reproduce.inputs import Inputs
    from biomlbench.task.task import Task

__all__ = [
    *("CRATE", "MANIFEST", "NOTE", "MAX_FILES", "MAX_FILE_BYTES", "MAX_TOTAL_BYTES"),
    *("ArchiveError", "Contents", "collect"),
]

MANIFEST = "manifest.json"
"""Hash of every file of the archive but itself."""
NOTE = "ARCHIVE.md"
CRATE = "ro-crate-metadata.json"
_RESULTS = "results"
_OWN = (MANIFEST, NOTE, CRATE, APART, _RESULTS, DATA)
"""Where a reader of the archive looks for what the archive itself says."""
MAX_FILE_BYTES = MAX_BYTES
"""Largest file of an archive, as the largest submission that is graded."""
MAX_TOTAL_BYTES = 16 * 2**30
"""Largest archive, unpacked."""
MAX_FILES = 2_000_000
"""Files of an archive at most: what 300,000 pairs have."""
_ENVIRONMENT = ("envs/requirements.lock", "envs/workflow.yaml")


class ArchiveError(UserError, RuntimeError):
    """An archive cannot be made or unpacked; the message says why."""


@dataclass
class Contents:
    """Files of an archive.

    Attributes
    ----------
    base : Path
        Folder that the files are read from; nothing below it is read through a link.
    files : dict of str to (Path or bytes)
        By the name in the archive: a path relative to `base`, another file of the workflow's
        own, or the content.
    described : dict of str to str
        What single files are.
    folders : dict of str to str
        What folders hold.
    left_out : list of str
        What could not be taken along, and why.
    refused : list of str
        What is not taken along since grading did not take it either, or since only a list names
        it, which may be an agent's own; and why.
    private : list of str
        Files of tasks' own folders that are copies of private files, unless answers are asked for.
    to_make : list of str
        Virtual environments of tasks, which are to be made again.
    own : set of str
        Files and folders that no submission is put among.
    listed_bytes : int
        Size of the submissions that only lists of runs name, which may be agents' own.
    """

    base: Path
    files: dict[str, Path | bytes] = field(default_factory=dict)
    described: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)
    to_make: list[str] = field(default_factory=list)
    listed_bytes: int = 0
    own: set[str] = field(default_factory=lambda: set(_OWN))
    _above: set[str] = field(default_factory=set)

    def add(self, name: str, content: Path | bytes, description: str = "") -> None:
        """Add a file.

        Raises
        ------
        ArchiveError
            If another file has the name.
        """
        if self.files.setdefault(name, content) != content:
            raise ArchiveError(f"{name}: two files of the benchmark would have this name")
        self._above.update(_folders_of(name))
        if description:
            self.described[name] = description

    def is_free(self, name: str) -> bool:
        """Tell whether a submission may have a name: it is none of another file or folder."""
        if name in self.files or name in self._above or name in self.own:
            return False
        return not any(one in self.files or one in self.own for one in _folders_of(name))

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises
        ------
        ArchiveError
            If it cannot be read, is a link, or is too large.
        """
        content = self.files[name]
        if isinstance(content, bytes):
            return content
        try:
            root = None if content.is_absolute() else self.base
            return read_bytes(content, MAX_FILE_BYTES, root)
        except InvalidSubmissionError as error:
            raise ArchiveError(f"{name}: {error}") from error


def collect(
    inputs: Inputs, *, with_answers: bool = False, workflow: str | Path | None = None
) -> Contents:
    """Return what goes into the archive of a benchmark.

    Parameters
    ----------
    inputs : Inputs
    with_answers : bool
        Whether raw data and prepared answers of the tasks come along.
    workflow : path, optional
        Folder of the workflow, whose lock file describes the environment.

    Returns
    -------
    Contents
    """
    contents = Contents(inputs.base)
    contents.own.add(_place_of_data(inputs))
    _config(contents, inputs)
    _own_tasks(contents, inputs)
    _results(contents, inputs)
    if with_answers:
        _answers(contents, inputs)
    _environment(contents, inputs, workflow)
    private = private_files(inputs)
    if not with_answers:
        contents.private = private_copies(contents, private)
        contents.left_out += [
            f"the data of {task.id}: no preparer makes them again; --with-answers adds them"
            for task in tasks_of(inputs)
            if task.id in inputs.record["tasks"] and not _is_made_again(task)
        ]
    # Last: whatever they are called, no other file of the archive gives way to them.
    add_submissions(contents, inputs, private)
    note = _note(inputs, contents, with_answers=with_answers)
    contents.add(NOTE, note.encode(), "What this archive holds, and how to run it again.")
    return contents


def _is_made_again(task: Task) -> bool:
    return bool(task.config.get("preparer")) or task.is_card or task.published is not None


def _config(contents: Contents, inputs: Inputs) -> None:
    import yaml

    text = yaml.safe_dump(inputs.config, sort_keys=False, allow_unicode=True)
    contents.add(CONFIG, text.encode(), "Config of the benchmark.")
    for path, table in inputs.record["run_tables"].items():
        if (name := inside(path)) is None:
            contents.left_out.append(f"run table {path}: lies outside the benchmark's folder")
        elif table is None:
            told = contents.refused if is_list(path) else contents.left_out
            told.append(f"run table {path}: could not be read")
        else:
            data = table.encode("utf-8", "surrogateescape")
            contents.add(name, data, "Run table: who submitted what for which task.")
    for path in inputs.files():
        if (name := inside(path)) is None or not (inputs.base / name).is_file():
            contents.left_out.append(f"{path}: is gone, or lies outside the benchmark's folder")
        else:
            contents.add(name, Path(name), "Changed leaderboard, or labels given by a person.")


def _folders_of(name: str) -> Iterator[str]:
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def _own_tasks(contents: Contents, inputs: Inputs) -> None:
    for given in inputs.tasks_dirs():
        name = inside(given)
        if name is None or not (inputs.base / name).is_dir():
            contents.left_out.append(f"tasks in {given}: gone, or outside the benchmark's folder")
            continue
        contents.folders[name] = "Tasks that are not built in."
        links = [f"{name}/{link}" for link in links_in_tasks(inputs.base / name)]
        contents.left_out += [f"{link!a}: is a link" for link in links]
        for place, _ in environments(inputs.base / name):
            contents.to_make.append(ascii(f"{name}/{place.as_posix()}"))
        for place, real in task_trees(inputs.base / name):
            _add_tasks(contents, f"{name}/{place.as_posix()}", real)


def _add_tasks(contents: Contents, name: str, folder: Path) -> None:
    """Add a folder of tasks that may have another name, but lies in the benchmark's folder."""
    name, base = os.path.normpath(name), contents.base.resolve()
    if not folder.is_relative_to(base):
        contents.left_out.append(f"{name!a}: is a link that leads out of the benchmark's folder")
        return
    for path in tree(folder):
        place = Path(name, path.relative_to(folder))
        if inside(place) is None:
            contents.left_out.append(f"{str(place)!a}: has an odd name")
        else:
            contents.add(place.as_posix(), path.relative_to(base))


def _results(contents: Contents, inputs: Inputs) -> None:
    results = inputs.results.absolute()
    for name in (*(f"{table}.parquet" for table in QUERIED), GRADING_REPORT):
        _add_if_there(contents, results / name, f"results/{name}", "Results.")
    _add_if_there(contents, results / "report.html", "results/report.html", "The report.")
    words = "What the results were made from."
    _add_if_there(contents, results / "provenance.json", "results/provenance.json", words)
    words = "Which pairs shared a job."
    _add_if_there(contents, results / "batches.json", "results/batches.json", words)
    contents.folders[_RESULTS] = "Tables of each stage and pair, figures, calibration."
    tables = PairTables(results)
    paths = {
        tables.path(stage, task, run, kind)
        for task, run, kind in _pairs(inputs)
        for stage in STAGES
    }
    paths |= {results / "tasks" / task / "prepare.parquet" for task in inputs.record["tasks"]}
    paths |= {*results.glob("plots/*"), *inputs.calibration()}
    paths |= {path for kept in kept_in(results) for path in kept.folder.glob("*.parquet")}
    for path in sorted(paths):
        name = path.absolute().relative_to(results).as_posix()
        _add_if_there(contents, path.absolute(), f"results/{name}", "")


def _pairs(inputs: Inputs) -> list[tuple[str, str, str]]:
    columns = ["task_id", "run_id", "kind"]
    rows = read_table("pairs", inputs.results / "pairs.parquet", columns).to_pylist()
    return [(row["task_id"], row["run_id"], row["kind"]) for row in rows if row["kind"]]


def _answers(contents: Contents, inputs: Inputs) -> None:
    place = _place_of_data(inputs)
    for task in inputs.record["tasks"]:
        folder = inputs.data() / task
        for path in tree(folder) if folder.is_dir() else ():
            if not path.name.startswith("."):
                name = f"{place}/{task}/{path.relative_to(folder).as_posix()}"
                contents.add(name, path.absolute())
    contents.folders[place] = "Raw data and prepared answers of the tasks."


def _place_of_data(inputs: Inputs) -> str:
    return inside(inputs.config.get("data_dir") or DATA) or DATA


def _environment(contents: Contents, inputs: Inputs, workflow: str | Path | None) -> None:
    text = json.dumps(inputs.record["environment"], indent=1, sort_keys=True) + "\n"
    words = "Versions of Python and of the packages that the results were made with."
    contents.add("environment/environment.json", text.encode(), words)
    lock = inputs.record["lock_sha256"]
    root = Path(workflow) if workflow else None
    if root is None or file_hash(root / _ENVIRONMENT[0]) != lock:
        return
    for name in _ENVIRONMENT:
        words = "Pinned environment of the workflow."
        source = (root / name).absolute()
        _add_if_there(contents, source, f"environment/{Path(name).name}", words)


def _add_if_there(contents: Contents, path: Path, name: str, words: str) -> None:
    if path.is_file() and not path.is_symlink():
        contents.add(name, path, words)


def _note(inputs: Inputs, contents: Contents, *, with_answers: bool) -> str:
    answers = _of_answers(contents, with_answers=with_answers) + _OF_RESULTS
    to_make = "".join(f"- {markdown_line(line)}\n" for line in contents.to_make)
    absent = (*contents.left_out, *contents.refused)
    left_out = "".join(f"- {markdown_line(line)}\n" for line in absent)
    lines: JsonObject = {
        "title": markdown_line(inputs.config["title"]),
        "version": inputs.record["biomlbench"],
        "answers": answers,
        "to_make": f"\nVirtual environments to be made again:\n\n{to_make}" if to_make else "",
        "left_out": f"\n{_LEFT_OUT}\n\n{left_out}" if left_out else "",
    }
    return _NOTE.format(**lines)


def _of_answers(contents: Contents, *, with_answers: bool) -> str:
    keep = "keep this archive from those whose submissions are still to be graded."
    if with_answers:
        return f"Raw data and prepared answers of the tasks are included: {keep}"
    prepared = "they are prepared again from their source. The code of tasks that are not built in"
    if not contents.private:
        return (
            f"The tasks' answers are not included; {prepared} is, and answers may be made from it."
        )
    copies = "".join(f"- {markdown_line(name)}\n" for name in contents.private)
    return (
        f"Prepared answers of the tasks are not included; {prepared} is, and these files "
        f"of such tasks hold what private files hold: {keep}\n\n{copies}"
    )


_LEFT_OUT = "Left out; a rerun of this archive lacks it, and the runs of it:"
_OF_RESULTS = """
Tables of single runs hold margins, times and outputs of hidden cases, too, from which what these
cases are may be told: they are not for those whose submissions are still to be graded."""
_NOTE = """# {title}

A benchmark that was run with biomlbench-workflow {version}: config, run tables, submissions, tasks
that are not built in, results, environment. `ro-crate-metadata.json` describes it, `manifest.json`
has the hash of every file.

To run it again and compare every table with the one in `results/`, with that version of
biomlbench-workflow installed:

    biomlbench reproduce THIS-ARCHIVE.crate.zip --into again

That runs the submissions in the sandbox, and the tasks' own code outside of it: do so with archives
that you trust.

{answers}
{to_make}{left_out}"""
