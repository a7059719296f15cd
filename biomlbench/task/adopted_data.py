"""Prepared data that somebody else put in place: recognised, hashed, taken as they are.

Their folder is never written to. What was adopted is recorded in the cache folder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.outcomes import Reason
from biomlbench.runtime.bounded_yaml import read_yaml
from biomlbench.runtime.hashing import file_sha256
from biomlbench.runtime.json_lines import write_json
from biomlbench.task.registry import cache_dir, prepare_command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.task.task import Task

__all__ = [
    *("ADOPTED", "MANIFEST", "PENDING"),
    *("adopt", "differing", "digest_of", "file_hashes", "manifests_of", "own_files"),
    *("refuse_part", "some_of"),
]

logger = logging.getLogger(__name__)

#: Written beside ``prepared`` when it is complete: what it was made from, and its hashes.
MANIFEST = "prepared.json"
#: The same while `prepared` is being put in its place: a process that dies leaves one of the two.
PENDING = ".prepared.json.new"
#: Below the cache folder: a manifest for each adopted folder.
ADOPTED = "adopted"


def own_files(task: Task) -> list[Path]:
    """Return the files that a task is graded by, where :func:`prepare_task` did not make them.

    Parameters
    ----------
    task : Task

    Returns
    -------
    list of Path
        Empty where it made them, or where there are none yet. One that is newer than the record
        of what was made is compared by content, as a copy of the folder has any times.
    """
    if task.kind != "predictions" or not task.is_prepared():
        return []
    found = [task.answers, task.sample_submission]
    home = Path(task.raw_dir).parent
    with suppress(OSError):
        made = (home / MANIFEST).stat().st_mtime_ns
        newer = [path for path in found if path.stat().st_mtime_ns > made]
        if all(_is_as_made(path, home) for path in newer):
            return []
    for name in ("leaderboard", "human_baselines"):
        with suppress(TaskError):  # one that is named and not there is told where it is read
            path = getattr(task, name)
            found += [path] if path and not path.is_relative_to(task.folder) else []
    return found


def _is_as_made(path: Path, home: Path) -> bool:
    prepared = home / "prepared"
    if not path.is_relative_to(prepared):
        return False
    name, digest = path.relative_to(prepared).as_posix(), file_sha256(path)
    return any(manifest["files"].get(name) == digest for manifest in manifests_of(home))


def manifests_of(home: Path) -> list[JsonObject]:
    """Return what is recorded of the files that were made in a folder: one manifest, rarely two."""
    found = []
    # In this order: the pending one becomes the other while somebody reads.
    for name in (PENDING, MANIFEST):
        with suppress(OSError, ValueError):
            manifest = json.loads((home / name).read_text(encoding="utf-8"))
            if isinstance(manifest, dict) and isinstance(manifest.get("files"), dict):
                found.append(manifest)
    return found


def adopt(task: Task, note: str = "") -> dict[str, str]:
    """Take a task's data as they are: record their hashes, and say so once for each state.

    Parameters
    ----------
    task : Task
        Whose answers and sample submission are there.
    note : str
        Added to what is said.

    Returns
    -------
    dict of str to str
        SHA-256 by path: those of the public and of the private folder.
    """
    folders = (task.public_dir, task.private_dir)
    files = {
        f"{folder.name}/{name}": digest
        for folder in folders
        for name, digest in file_hashes(folder).items()
    }
    with suppress(OSError):
        files["leaderboard.csv"] = file_sha256(task.prepared_dir / "leaderboard.csv")
    if differing(task.folder, files):
        note += "; they differ from the task's checksums, so that scores compare with no others"
    place = task.public_dir.parent
    key = hashlib.sha256(os.fsencode(task.public_dir.absolute())).hexdigest()[:32]
    record = cache_dir() / ADOPTED / f"{key}.json"
    manifest = {"task": task.id, "folder": str(place), "files": files}
    with suppress(OSError, ValueError):
        if json.loads(record.read_text(encoding="utf-8")) == manifest:
            return files
    remedy = f". To replace them: {prepare_command(task)} --force"
    logger.warning(
        "%s: the data in %s are not what `biomlbench prepare` made%s; they are taken as they are "
        "and stay as they are (%d files, SHA-256 %s)%s",
        *(task.id, place, note, len(files), digest_of(files)[:12]),
        remedy if task.config.get("preparer") else "",
    )
    with suppress(OSError):  # a cache that cannot be written only means that it is said again
        write_json(record, manifest)
    return files


def differing(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Return the files that are not as the task's checksums say, if it has any."""
    import yaml

    path = Path(folder) / "checksums.yaml"
    if not path.is_file():
        return []
    try:
        expected = read_yaml(path)
        if not expected:
            raise TaskError(
                f"{path}: is empty; record the checksums of the prepared files with `python "
                "tools/make_leaderboard.py TASK --checksums`, or delete the file"
            )
        return sorted(n for n in expected.keys() | files.keys() if expected.get(n) != files.get(n))
    except (yaml.YAMLError, UnicodeDecodeError, OSError, AttributeError) as error:
        raise TaskError(f"{path}: is no mapping of files to checksums: {error}") from error


def refuse_part(task: Task, home: Path) -> None:
    """Refuse to make data where somebody has begun to put some of their own."""
    if manifests_of(home) or task.is_prepared():
        return
    wanted = (task.answers, task.sample_submission)
    folders = dict.fromkeys((home / "prepared", *(path.parent for path in wanted)))
    there = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    if there:
        missing = " and ".join(str(path) for path in wanted if not path.is_file())
        raise TaskError(
            f"{task.id}: {missing} {'is' if ' and ' not in missing else 'are'} missing, and "
            f"{there[0].parent} holds files that `biomlbench prepare` did not make, so nothing is "
            "written there. Add what is missing to use these data, or replace all of them with: "
            f"{prepare_command(task)} --force",
            Reason.NOT_PREPARED,
        )


def file_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder, keyed by relative path, sorted."""
    hashes = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            hashes[path.relative_to(folder).as_posix()] = file_sha256(path)
    return dict(sorted(hashes.items()))


def digest_of(files: Mapping[str, str]) -> str:
    """Return one hash over the hashes of files."""
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()


def some_of(names: list[str]) -> str:
    """Return the first few of some names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
