"""Prepare a prediction task's data: raw files, public and private folders, checksums.

The prepared folder appears whole or not at all, however often and by however many processes
it is asked for; when it is there and in order, nothing is done again.

Files that are there already and that this module did not write, or that were changed since, are
adopted: taken as they are, with their hashes recorded outside the folder, which is not touched.
Nothing is deleted or overwritten unless that is asked for.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import NotPreparedError, TaskError, folder_remedy, words_of
from biomlbench.parameter_order import contradiction, parameter_names
from biomlbench.runtime.apart import LostCallError, call_apart
from biomlbench.runtime.author_traceback import author_traceback
from biomlbench.runtime.json_lines import write_json
from biomlbench.task import toolbox
from biomlbench.task.adopted_data import (
    MANIFEST,
    PENDING,
    adopt,
    differing,
    digest_of,
    file_hashes,
    manifests_of,
    refuse_part,
    some_of,
)
from biomlbench.task.input_files import input_files, raw_changed, raw_state
from biomlbench.task.installed_data import recorded_reads, write_record
from biomlbench.task.loading import import_libraries, is_built_in, load_function
from biomlbench.task.sources.archives import locked
from biomlbench.task.sources.data_source import DataSourceError, place, sources_of
from biomlbench.task.task_files import description_file
from biomlbench.task.toolbox import write_csv
from biomlbench.task.version import file_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.task.submission_columns import SubmissionSchema
    from biomlbench.task.task import Task

__all__ = [
    "DataSourceError",
    "PreparedTask",
    "TaskError",
    "cannot_write",
    "file_hashes",
    "has_other_raw_files",
    "is_out_of_date",
    "prepare_task",
]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class PreparedTask:
    """What preparing a task gave.

    Attributes
    ----------
    task_id : str
    folder : Path
        ``<data_dir>/<task id>/prepared``.
    files : dict of str to str
        Path relative to `folder` to the SHA-256 of the file, sorted by path.
    sha256 : str
        Hash over all of `files`.
    fresh : bool
        Whether the files were made by this call.
    adopted : bool
        Whether they were there already and are not what this project made.
    changed : tuple of str
        Of adopted files, those that are not, or not so, among what this project made there.
    """

    task_id: str
    folder: Path
    files: dict[str, str]
    sha256: str
    fresh: bool
    adopted: bool = False
    changed: tuple[str, ...] = ()


def prepare_task(task: Task, *, force: bool = False) -> PreparedTask:
    """Place the raw files of a prediction task and run its preparer.

    Parameters
    ----------
    task : Task
        From the registry; its data folder decides where the files go.
    force : bool
        Make the files anew even if they are in order, or somebody else's.

    Returns
    -------
    PreparedTask

    Raises
    ------
    DataSourceError
        If a raw file cannot be had (infrastructure; the message holds the remedy).
    TaskError
        If the preparer fails, leaves out a file, or gives other files than the task's
        ``checksums.yaml`` says; or if the folder holds some of the files and would have to be
        overwritten.

    Notes
    -----
    Answers and a sample submission that are there already, and not as this function made them,
    are adopted. Where the task's folder or its raw files were changed since, the data are made
    anew, and a folder whose files come out otherwise is kept beside the new one.
    """
    if task.published is not None:
        from biomlbench.suites.data import prepare_published

        before = task.answers.is_file()
        files = prepare_published(task, force=force)
        return _summary(task, task.private_dir.parent, files, fresh=force or not before)
    home = Path(task.raw_dir).parent
    recipe = _recipe_hash(task)
    if not force and (done := _there(task, home, recipe)) is not None:
        return done
    try:
        home.mkdir(parents=True, exist_ok=True)
        return _make(task, home, recipe, force=force)
    except OSError as error:
        raise cannot_write(task, home, error) from error


def cannot_write(task: Task, home: Path, error: OSError) -> DataSourceError:
    """Return the error that says why a task's data cannot be put into a folder."""
    return DataSourceError(
        f"{task.id}: its data cannot be put into {home} ({error.strerror or error}); "
        f"{folder_remedy(home, error.errno or 0)}; or choose another folder of data with "
        "--data-dir, or `data_dir` in the config"
    )


def _make(task: Task, home: Path, recipe: str, *, force: bool) -> PreparedTask:
    raw, config = Path(task.raw_dir), task.config
    with locked(home / ".lock"):
        # Another process may have made them meanwhile.
        if not force and (done := _there(task, home, recipe)) is not None:
            return done
        if not force:
            refuse_part(task, home)
        sources = sources_of(config, f"{task.folder}/config.yaml")
        raw.mkdir(exist_ok=True)
        for origin in sorted({source.origin for source in sources}):
            logger.info("%s: raw data from %s", task.id, origin)
        place(sources, raw, task.id)
        for leftover in home.glob(".prepare-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=".prepare-", dir=home) as scratch:
            made = Path(scratch) / "prepared"
            read = _run_apart(task, config, raw, made)
            files = file_hashes(made)
            _check_against(task.folder, files)
            write_record(home, read)
            return _publish(task, home, made, files, recipe, force=force)


def _recipe_hash(task: Task) -> str:
    """Hash what the prepared files depend on: sources, the preparer's files and description."""
    folder, config = task.folder, task.config
    digest = hashlib.sha256()
    parts = {key: config.get(key) for key in ("source", "preparer", "submission")}
    if config.get("source") is None and config.get("data_source") is not None:
        parts["data_source"] = config["data_source"]
    digest.update(json.dumps(parts, sort_keys=True, default=str).encode())
    shared = [*(Path(__file__).parents[1] / "tasks").glob("*.py"), Path(toolbox.__file__)]
    own = [*input_files(task), description_file(folder, config)]
    for root, paths in ((folder, own), (None, sorted(shared))):
        for path in paths:
            if path.is_file():
                name = path.name if root is None else path.relative_to(root).as_posix()
                digest.update(os.fsencode(f"{name}\0{file_hash(path)}\0"))
    return digest.hexdigest()


def _there(task: Task, home: Path, recipe: str) -> PreparedTask | None:
    """Return the task's data if they are there and to be taken; None if they are to be made."""
    # First of all: once it is so, whoever made the files has left a manifest.
    complete = task.is_prepared()
    prepared, manifests = home / "prepared", manifests_of(home)
    if not manifests:
        return _adopted(task) if complete else None
    files = file_hashes(prepared)
    for manifest in manifests:
        if manifest["files"] == files:
            in_order = manifest.get("recipe") == recipe and not _has_other_raw_files(home, manifest)
            return _summary(task, prepared, files, fresh=False) if in_order else None
    expected = manifests[-1]["files"]
    if not complete or files.items() <= expected.items():
        return None  # nothing but missing: what is made anew overwrites nothing
    changed = sorted(name for name in files if expected.get(name) != files[name])
    found = _adopted(task, f"; changed since it was prepared: {some_of(changed)}")
    return replace(found, changed=tuple(changed))


def has_other_raw_files(task: Task) -> bool:
    """Tell whether raw files of a task are other ones than those that its data were made from.

    Parameters
    ----------
    task : Task
        Of the kind ``predictions``; nothing is known of the raw files of a published one.
    """
    home = Path(task.raw_dir).parent
    return any(_has_other_raw_files(home, manifest) for manifest in manifests_of(home)[-1:])


def is_out_of_date(task: Task) -> bool:
    """Tell whether a task's data were made here, and its folder has been changed since.

    Parameters
    ----------
    task : Task
        Of the kind ``predictions``.
    """
    manifests = manifests_of(Path(task.raw_dir).parent)
    return bool(manifests) and manifests[-1].get("recipe") != _recipe_hash(task)


def _has_other_raw_files(home: Path, manifest: JsonObject) -> bool:
    known = manifest.get("raw")
    return isinstance(known, dict) and raw_changed(home / "raw", known)


def _adopted(task: Task, note: str = "") -> PreparedTask:
    files = adopt(task, note)
    return _summary(task, task.public_dir.parent, files, fresh=False, adopted=True)


def _run_apart(task: Task, config: Mapping[str, Any], raw: Path, made: Path) -> set[str]:
    """Run the preparer, that of an own task apart, and return which installed data it read."""

    def run() -> set[str]:
        with recorded_reads() as read:
            _run_preparer(task, config, raw, made)
        return read

    preparer = config.get("preparer")
    if is_built_in(task.folder) or not isinstance(preparer, str):
        return run()
    import_libraries(preparer, task.folder)
    try:
        return call_apart(run, tries=1)
    except LostCallError as error:
        raise TaskError(
            f"{task.id}: the preparer {preparer} did not come to its end: {error}; it must return "
            f"or raise; correct it in {task.folder}"
        ) from error


def _run_preparer(task: Task, config: Mapping[str, Any], raw: Path, made: Path) -> None:
    public, private = made / "public", made / "private"
    public.mkdir(parents=True)
    private.mkdir()
    preparer = config.get("preparer")
    if not isinstance(preparer, str):
        raise TaskError(f"{task.folder}/config.yaml: `preparer` must name a function")
    function = load_function(preparer, task.folder)
    if told := contradiction(parameter_names(function), ("raw", "public", "private")):
        raise TaskError(
            f"{task.folder}/config.yaml: `preparer` {preparer}: {told}; write them in this order"
        )
    try:
        with contextlib.chdir("."):  # which ends here again, wherever the preparer goes
            function(*(folder.absolute() for folder in (raw, public, private)))
    except (DataSourceError, TaskError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if told := author_traceback(error):
            logger.error("%s: the preparer failed\n%s", task.id, told)
        # What the system refuses may work the next time, or on another machine.
        kind = NotPreparedError if isinstance(error, (OSError, MemoryError)) else TaskError
        raise kind(
            f"{task.id}: the preparer failed: {words_of(error)}; "
            f"check the raw files in {raw} and {task.folder}"
        ) from error
    description = task.own_description
    if description and not (public / "description.md").exists():
        shutil.copyfile(description, public / "description.md")
    layout = {
        "answers": "private/answers.csv",
        "sample_submission": "public/sample_submission.csv",
        "gold_submission": "private/gold_submission.csv",
    }
    dataset = config.get("dataset") or {}
    placed = {
        key: str(dataset.get(key) or usual).rsplit("prepared/", 1)[-1]
        for key, usual in layout.items()
    }
    gold = placed.pop("gold_submission")
    for relative in placed.values():
        if not (made / relative).is_file():
            raise TaskError(f"{task.id}: the preparer did not write {relative}")
    if not (made / gold).exists() and task.submission.targets:
        if not gold.endswith(".csv"):
            raise TaskError(
                f"{task.id}: the preparer did not write {gold}; write it, or let "
                "`dataset: {gold_submission: ...}` name a .csv file, which is written by itself"
            )
        grader = config.get("grader")
        options = grader.get("options") if isinstance(grader, dict) else None
        positive = options.get("pos_label") if isinstance(options, dict) else None
        _write_gold(task.id, task.submission, made / placed["answers"], made / gold, positive)


def _write_gold(
    task_id: str, schema: SubmissionSchema, answers_file: Path, place: Path, positive: object
) -> None:
    """Write the submission that repeats the answers: numbers for classes, if one is positive."""
    ids, targets, predictions = map(list, (schema.ids, schema.targets, schema.predictions))
    if len(predictions) != len(targets):
        raise TaskError(
            f"{task_id}: the preparer did not write private/{place.name}, the best "
            "submission there is; it is written by itself only where the predictions repeat the "
            f"targets, and here {', '.join(map(repr, predictions))} cannot repeat "
            f"{', '.join(map(repr, targets))}: write it with the columns of the sample submission"
        )
    # late: whoever only reads tasks needs no reader of tables
    from biomlbench.submission.own_tables import columns_hint, own_format, own_table

    try:
        own_format(answers_file)
    except TaskError:
        return  # of a format that is refused by name when the answers are first read
    try:
        answers = own_table(answers_file).to_pandas()
    except TaskError as error:
        told = error.message.removeprefix(f"{answers_file}: ").removeprefix("cannot be read: ")
        raise TaskError(
            f"{task_id}: the preparer wrote {answers_file.parent.name}/{answers_file.name}, which "
            f"cannot be read as a table: {told}"
        ) from error
    if missing := [name for name in (*ids, *targets) if name not in answers.columns]:
        found = list(answers.columns)
        raise TaskError(
            f"{task_id}: {answers_file.name}: the preparer wrote no column "
            f"{', '.join(map(repr, missing))}, which the config's `submission` declares; "
            f"it wrote {', '.join(map(repr, found[:20]))}"
            f"{columns_hint(answers_file, found, (*ids, *targets))}"
        )
    gold = answers[[*ids, *targets]].set_axis([*ids, *predictions], axis=1)
    for target, name in zip(targets, predictions, strict=True):
        spec = schema.columns.get(name)
        if spec is None or not spec.numeric or _holds_numbers(gold[name]):
            continue
        if positive is None:
            logger.warning(
                "%s: the preparer did not write private/%s, and it is not written by itself, as "
                "%r is a number and %r is text; let the preparer write the best submission",
                *(task_id, place.name, name, target),
            )
            return
        gold[name] = (gold[name].astype(str) == str(positive)).astype(float)
    write_csv(gold, place)


def _holds_numbers(column: pd.Series[Any]) -> bool:
    """Tell whether a column has numbers or booleans, as such or as text, and maybe missing ones."""
    import pandas as pd

    texts = column.dropna().astype(str).str.strip().str.lower()
    numbers = pd.to_numeric(texts, errors="coerce").notna()
    return bool((numbers | texts.isin(["true", "false", ""])).all())


def _check_against(folder: Path, files: dict[str, str]) -> None:
    if wrong := differing(folder, files):
        raise TaskError(
            f"{Path(folder) / 'checksums.yaml'}: the prepared {', '.join(wrong)} differ from the "
            "recorded checksum; either a raw file or library gives other data than the task was "
            "made with, or the preparer was changed on purpose (then record the new checksums with "
            "`python tools/make_leaderboard.py TASK --checksums`)"
        )


def _publish(
    task: Task, home: Path, made: Path, files: dict[str, str], recipe: str, *, force: bool
) -> PreparedTask:
    """Put the complete folder in its place; a reader sees the old one, none, or the new."""
    prepared, pending = home / "prepared", home / PENDING
    write_json(pending, {"recipe": recipe, "files": files, "raw": raw_state(home / "raw")})
    old = {} if force else file_hashes(prepared)
    if prepared.exists():
        lost = sorted(name for name, digest in old.items() if files.get(name) != digest)
        retired = _kept(home, old) if lost else made.parent / "retired"
        os.replace(prepared, retired)
        if lost:
            logger.warning(
                "%s: prepared anew, as the task or its raw files were changed; the earlier data, "
                "of which %s differ, are kept in %s",
                *(task.id, some_of(lost), retired),
            )
    os.replace(made, prepared)
    os.replace(pending, home / MANIFEST)
    return _summary(task, prepared, files, fresh=True)


def _kept(home: Path, files: Mapping[str, str]) -> Path:
    """Return the folder for data that give way to new ones: one for each state of them."""
    place = home / f"prepared-{digest_of(files)[:8]}"
    number = 1
    while place.exists():
        number += 1
        place = home / f"prepared-{digest_of(files)[:8]}-{number}"
    return place


def _summary(
    task: Task, prepared: Path, files: dict[str, str], *, fresh: bool, adopted: bool = False
) -> PreparedTask:
    return PreparedTask(task.id, prepared, files, digest_of(files), fresh, adopted)
