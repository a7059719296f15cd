"""What preparing a task does, for tasks with data and for problem cards."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.outcomes import Reason
from biomlbench.runtime.hashing import file_sha256

if TYPE_CHECKING:
    from biomlbench.contracts.rows import PrepareRow
    from biomlbench.task.prepare import PreparedTask
    from biomlbench.task.registry import Task

__all__ = [
    *("ADOPTED", "CHANGED", "Prepared"),
    *("data_digest", "data_files", "data_note", "files_hash", "prepare_card", "prepare_data"),
]

_CHUNK = 1 << 20
CHANGED = "prepared data changed since it was prepared"
ADOPTED = "the data were there already and are not what this project made; taken as they are"


class Prepared(NamedTuple):
    """What preparing a task found or made.

    Attributes
    ----------
    digest : str
        Hash over what the task's results depend on; empty where nothing could be prepared.
    message : str
        What is to be known of the data: that they were adopted, or are not the published ones.
    fault : TaskError or None
        Why no submission can be held against the data, or why there are none.
    """

    digest: str
    message: str = ""
    fault: TaskError | None = None


def prepare_data(task: Task, *, force: bool = False) -> Prepared:
    """Fetch and split a task's data; look whether submissions can be held against them."""
    from biomlbench.submission.answers import answers_of
    from biomlbench.submission.sample import has_rows, sample_of
    from biomlbench.task.prepare import prepare_task

    made = prepare_task(task, force=force)
    fault = None
    try:
        if has_rows(task):
            # the grader itself is not asked for: what is prepared does not depend on metrics
            sample_of(task) if task.may_grade_apart else answers_of(task)
    except NotPreparedError:
        raise
    except TaskError as error:
        fault = error
    if task.published is not None:
        from biomlbench.suites.data import differing_files

        other = differing_files(task)
        told = f"not the published files: {', '.join(other)}" if other else ""
        return Prepared(made.sha256, told, fault)
    return Prepared(data_digest(task), _told(made), fault)


def _told(made: PreparedTask) -> str:
    from biomlbench.task.adopted_data import some_of

    if made.changed:
        return f"{CHANGED}: {some_of(list(made.changed))}"
    return ADOPTED if made.adopted else ""


def data_digest(task: Task) -> str:
    """Return the hash over what a task's results depend on of its prepared data, as they are.

    Parameters
    ----------
    task : Task
        Of the kind ``predictions``, prepared.

    Returns
    -------
    str
        64 hexadecimal digits.

    Notes
    -----
    The description that competitors read is left out: another wording changes no score.
    """
    if task.published is not None:
        from biomlbench.suites.data import prepared_files
        from biomlbench.task.adopted_data import digest_of

        return digest_of({name: file_sha256(path) for name, path in prepared_files(task)})
    digest = files_hash(task.public_dir, task.private_dir, but=_description(task))
    if (board := _board(task)) is not None:
        digest = hashlib.sha256(f"{digest} {file_sha256(board)}".encode()).hexdigest()
    return digest


def data_files(task: Task) -> list[Path]:
    """Return the files that :func:`data_digest` reads, sorted."""
    if task.published is not None:
        from biomlbench.suites.data import prepared_files

        return [path for _, path in prepared_files(task)]
    folders = (task.public_dir, task.private_dir)
    found = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    if (board := _board(task)) is not None:
        found.add(board)
    return sorted(found - {_description(task)})


def _description(task: Task) -> Path:
    return task.public_dir / "description.md"


def _board(task: Task) -> Path | None:
    """Return the leaderboard that lies beside both folders, where scores are ranked against it."""
    board = task.prepared_dir / "leaderboard.csv"
    return board if board.is_file() and task.leaderboard == board else None


def data_note(row: PrepareRow) -> str:
    """Return what is to be known of a task's data, of its row of ``prepare``; else nothing."""
    return row["message"] if row["reason"] == Reason.OK else ""


def prepare_card(task: Task, *, force: bool = False) -> Prepared:
    """Compute a card's oracle, unless it is there, and put its statement where solvers look."""
    from biomlbench.stages.cards import load_card, oracle_path
    from biomlbench.task.prepare import cannot_write
    from biomlbench.verify import card, oracle

    if not force:
        # What fails here is not prepared yet, or was for another state of the card.
        with suppress(TaskError):
            found = Prepared(load_card(task).oracle.fingerprint)
            # Data that somebody else prepared may not be ours to write.
            with suppress(OSError):
                _publish_statement(task)
            return found
    made = oracle.compute(card.load(task.folder), draws=True)
    path = oracle_path(task)
    try:
        made.save(path)
        _publish_statement(task)
    except OSError as error:
        raise cannot_write(task, path.parent, error) from error
    return Prepared(made.fingerprint)


def _publish_statement(task: Task) -> None:
    public = task.public_dir / "description.md"
    statement = task.description.encode()
    if not public.is_file() or public.read_bytes() != statement:
        public.parent.mkdir(parents=True, exist_ok=True)
        public.write_bytes(statement)


def files_hash(*folders: Path, but: Path | None = None) -> str:
    """Return a hash over the names and contents of all files in some folders.

    Parameters
    ----------
    *folders : pathlib.Path
    but : pathlib.Path, optional
        One of the files, that does not count.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    TaskError
        If the name of a file is no UTF-8.
    """
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path != but and path.is_file():
                name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
                try:
                    digest.update(f"{name}\0".encode())
                except UnicodeEncodeError as error:
                    raise TaskError(
                        f"{folder.parent}: the name of the file {name!a} is no UTF-8; have the "
                        "preparer write it under another name"
                    ) from error
                with path.open("rb") as file:
                    while chunk := file.read(_CHUNK):
                        digest.update(chunk)
    return digest.hexdigest()
