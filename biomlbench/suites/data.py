"""Data of published tasks: taken as another benchmark prepared it, or prepared by its own code."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.grading.process import INSIDE
from biomlbench.runtime.bounded_yaml import read_yaml
from biomlbench.runtime.hashing import file_sha256
from biomlbench.sandbox.interpreter import current, of_environment
from biomlbench.task.sources.archives import DataSourceError, locked
from biomlbench.task.sources.data_source import place, sources_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from biomlbench.task.task import Task

__all__ = ["differing_files", "prepare_published", "prepared_files"]

logger = logging.getLogger(__name__)

#: Kinds of files that a published ``checksums.yaml`` speaks of.
CHECKED = frozenset((".csv", ".json", ".jsonl", ".parquet", ".bson", ".h5ad"))
_CHUNK = 1 << 20
_SAID = 1000


def prepared_files(task: Task) -> Iterator[tuple[str, Path]]:
    """Yield the files that a task's preparation is known by, and their names, sorted.

    All private ones, and the public ones that lie in no folder of their own: images come by the
    hundred thousand.
    """
    private, public = task.private_dir, task.public_dir
    for path in sorted(private.rglob("*")):
        if path.is_file():
            yield f"private/{path.relative_to(private).as_posix()}", path
    for path in sorted(public.glob("*")):
        if path.is_file():
            yield f"public/{path.name}", path


def prepare_published(task: Task, *, force: bool = False) -> dict[str, str]:
    """See that the data of a published task are there.

    Parameters
    ----------
    task : Task
    force : bool
        Prepare anew from the raw files even where prepared ones are there.

    Returns
    -------
    dict of str to str
        The files of :func:`prepared_files` and their SHA-256.

    Raises
    ------
    DataSourceError
        If they are not, and neither are raw files to prepare them from; the message says what
        to do.
    TaskError
        If the published preparer fails, or leaves out a file.
    """
    there = task.answers.is_file() and task.sample_submission.is_file()
    if force or not there:
        _run_preparer(task)
    if other := differing_files(task):
        logger.warning("%s: not the published files: %s", task.id, ", ".join(other))
    return {name: file_sha256(path) for name, path in prepared_files(task)}


def differing_files(task: Task) -> list[str]:
    """Return the prepared files whose checksum is not the published one, and those that lack.

    Parameters
    ----------
    task : Task
        With a ``checksums.yaml`` of MD5 or SHA-256, by folder (``public``, ``private``) or flat.

    Raises
    ------
    TaskError
        If that file is not of this form.
    """
    path = task.folder / "checksums.yaml"
    if not path.is_file():
        return []
    import yaml

    try:
        # Everything stays text: a checksum of digits alone is no number.
        declared = read_yaml(path, as_text=True) or {}
        expected = dict(_flat(declared))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        raise TaskError(f"{path}: cannot be read: {error}") from error
    folders = {"public": task.public_dir, "private": task.private_dir}
    wrong = []
    for name, digest in sorted(expected.items()):
        top, _, rest = name.partition("/")
        if top not in folders or Path(rest).suffix not in CHECKED:
            continue  # the archive that was downloaded, for instance
        file = folders[top] / rest
        if not file.is_file() or not _has_digest(file, digest):
            wrong.append(name)
    return wrong


def _flat(declared: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in declared.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}/")
        elif isinstance(value, str) and len(value) in _HASHES:
            yield f"{prefix}{name}", value.lower()
        else:
            raise ValueError(f"`{prefix}{name}` is neither an MD5 nor a SHA-256")


_HASHES = {32: "md5", 64: "sha256"}


def _has_digest(path: Path, digest: str) -> bool:
    found = hashlib.new(_HASHES[len(digest)], usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest() == digest


def _run_preparer(task: Task) -> None:
    """Prepare from raw files by the published code, in a process of its own."""
    home = task.home
    raw = home / "raw"
    reference = task.config.get("preparer")
    if not reference:
        raise TaskError(f"{task.folder}/config.yaml: there is no `preparer`")
    if not _holds_files(raw):
        _fetch(task, raw)
    with (
        locked(home / ".lock"),
        tempfile.TemporaryDirectory(prefix=".prepare-", dir=home) as scratch,
    ):
        made = Path(scratch) / "prepared"
        for name in ("public", "private"):
            (made / name).mkdir(parents=True)
        _call(task, str(reference), raw, made, Path(scratch))
        description, shown = task.own_description, "description.md"
        if description and not (made / "public" / shown).exists():
            shutil.copyfile(description, made / "public" / shown)
        prepared = home / "prepared"
        for path in (task.answers, task.sample_submission):
            if path.is_relative_to(prepared) and not (made / path.relative_to(prepared)).is_file():
                raise TaskError(f"{task.id}: the preparer did not write {path.name}")
        if prepared.exists():
            prepared.rename(Path(scratch) / "retired")
        made.rename(prepared)


def _holds_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _fetch(task: Task, raw: Path) -> None:
    """Fetch raw files from where the task's config, or what it is a task of, says they are."""
    config = dict(task.config)
    if "data_source" not in config and task.published is not None and task.published.of_kaggle:
        config["data_source"] = {"type": "kaggle", "benchmark_id": task.folder.name}
    sources = sources_of(config, f"{task.folder}/config.yaml")
    try:
        if sources:
            raw.mkdir(parents=True, exist_ok=True)
            place(sources, raw, task.id)
    except DataSourceError as error:
        with suppress(OSError):  # it is not empty
            raw.rmdir()
        raise DataSourceError(f"{_what_to_do(task)}. {error}") from error
    if not _holds_files(raw):
        raise DataSourceError(_what_to_do(task))


def _call(task: Task, reference: str, raw: Path, made: Path, scratch: Path) -> None:
    published = task.published
    if published is None:
        raise ValueError(f"{task.id} is not in the published form")
    python = current() if published.python is None else of_environment(published.python)
    config = {
        "tree": str(published.tree),
        "package": published.package,
        "folder": str(task.folder),
        "function": reference,
        "hubs": "",
        "fallbacks": str(INSIDE / "fallbacks"),
        "box": str(scratch),
        "folders": {
            "raw": str(raw.absolute()),
            "public": str((made / "public").absolute()),
            "private": str((made / "private").absolute()),
        },
    }
    done = subprocess.run(
        [python.executable, "-s", "-P", "-B", str(INSIDE / "worker.py"), "prepare"],
        input=json.dumps(config).encode(),
        capture_output=True,
        cwd=scratch,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[-_SAID:]
        raise TaskError(f"{task.id}: the published preparer failed; check {raw}. It said: {said}")


def _what_to_do(task: Task) -> str:
    source = task.config.get("data_source")
    kind = source.get("type") if isinstance(source, dict) else None
    said = f" (published source: {kind})" if kind else ""
    suite = task.published.suite if task.published else ""
    whose = f"{suite}'s own" if suite else "the benchmark's own"
    return (
        f"{task.id}: its data are not there{said}; prepare them with {whose} command and name its "
        f"folder of data as `data_dir`, or put the raw files into {task.home / 'raw'}, or the "
        f"prepared ones into {task.home / 'prepared'}"
    )
