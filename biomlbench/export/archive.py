"""A whole benchmark in one file, from which it can be run again on another machine.

The archive is a zip file that unpacks to the folder that the benchmark was run in: config, run
tables, submissions, tasks of your own, results, environment, and a description as RO-Crate. The
same benchmark gives the same bytes: names are sorted, times fixed, nothing says where or when it
was made. The answers stay out unless they are asked for; they are prepared again from their
source. Archives are as hostile as what they hold: names, sizes, links and hashes are checked
before anything is unpacked.
"""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.contracts import read_table
from biomlbench.export import NO_LICENCE
from biomlbench.export._contents import (
    CRATE,
    MANIFEST,
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    NOTE,
    ArchiveError,
    Contents,
    collect,
)
from biomlbench.export._words import MEDIA_TYPE, table_description
from biomlbench.export.rocrate import Part, describe_parts
from biomlbench.reproduce.inputs import Inputs, inside
from biomlbench.runtime.bounded_json import check_json
from biomlbench.runtime.packed_files import BROKEN, PackedError, PackedLimits, checked_members
from biomlbench.runtime.progress_bars import track
from biomlbench.summary.grading_report import GRADING_REPORT
from biomlbench.task.adopted_data import MANIFEST as DATA_MANIFEST
from biomlbench.task.adopted_data import PENDING
from biomlbench.whole_files import named_output
from biomlbench.workflow.record import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["ArchiveError", "archive", "unpack"]

NO_DATE = "1980-01-01"
"""Day of publication where no run has a time: the first that a zip file can name."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MEDIA = {
    ".html": "text/html",
    ".json": "application/json",
    ".lock": "text/plain",
    ".md": "text/markdown",
    ".parquet": MEDIA_TYPE,
    ".yaml": "application/yaml",
}
_CHUNK = 1 << 20
_NAMED, _LETTERS = 5, 100
"""Files that a message names, and how much of a name that others gave."""
_PATH_MAX, _NAME_MAX = 4095, 255
"""Linux: a path, and a file's name, in bytes."""
_MANIFEST_BYTES = (4096, 100)
"""Of a manifest at most, beside the files' names: in all, and for each file."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def archive(
    results: str | Path,
    out: str | Path,
    *,
    with_answers: bool = False,
    partial: bool = False,
    date: str = "",
    licence: str = NO_LICENCE,
    workflow: str | Path | None = None,
    note: Callable[[str], None] | None = None,
) -> list[str]:
    """Write a benchmark into one file.

    Parameters
    ----------
    results : path
        Results of the benchmark, with their provenance; its inputs lie beside them.
    out : path
        The archive, replaced as a whole; a pipe or a device is written to.
    with_answers : bool
        Take along raw data and prepared answers of the tasks.
    partial : bool
        Leave out what cannot be taken along, naming it, instead of refusing. Submissions that
        grading refused as private files or for their format are left out in any case.
    date : str
        Day of publication, ISO 8601; by default that of the latest run.
    licence : str
        Address of the results' licence.
    workflow : path, optional
        Folder of the workflow, whose lock file describes the environment.
    note : callable, optional
        Told which files of tasks' own folders come along and hold what private files hold.

    Returns
    -------
    list of str
        What was left out, and why.

    Raises
    ------
    ArchiveError
        If something of the benchmark is gone, has changed, lies outside its folder or is too
        large, and not `partial`.
    biomlbench.contracts.ContractError
        If the results have no provenance, or cannot be read.
    """
    results, out = Path(results), Path(out)
    inputs = Inputs(read_record(results), results)
    contents = collect(inputs, with_answers=with_answers, workflow=workflow)
    if contents.left_out and not partial:
        raise ArchiveError(
            "the archive would not be whole:\n  "
            + "\n  ".join(contents.left_out)
            + f"\nLooked for in {inputs.base.absolute()}. Correct that and run the workflow again, "
            "or leave them out with --partial"
        )
    with (
        named_output(out) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file,
    ):
        hashes = _write(file, contents)
        crate = _crate(inputs, contents, hashes, date or _latest(inputs), licence)
        hashes[CRATE] = _add(file, CRATE, _json(crate))
        _add(file, MANIFEST, _json({"sha256": dict(sorted(hashes.items()))}))
    if contents.private and note is not None:
        note(_of_copies(contents.private))
    return contents.left_out + contents.refused


def _of_copies(names: list[str]) -> str:
    more = len(names) - _NAMED
    rest = f" and {more} more, which {NOTE} names" if more > 0 else ""
    return (
        f"the archive holds what private files of tasks hold: {', '.join(names[:_NAMED])}{rest}. "
        "They stay, since tasks may be made from them; keep the archive from those whose "
        "submissions are still to be graded"
    )


def _write(file: zipfile.ZipFile, contents: Contents) -> dict[str, str]:
    total, hashes = 0, {}
    if len(contents.files) > MAX_FILES:
        raise ArchiveError(f"{len(contents.files)} files; an archive has at most {MAX_FILES}")
    for name in track(sorted(contents.files), "packing"):
        data = contents.read(name)
        total += len(data)
        if total > MAX_TOTAL_BYTES:
            raise ArchiveError(
                f"more than {MAX_TOTAL_BYTES / 2**30:.0f} GiB, reached at {name}; archive fewer "
                "runs, or export the tables alone with `biomlbench export`"
            )
        hashes[name] = _add(file, name, data)
    return hashes


def _add(file: zipfile.ZipFile, name: str, data: bytes) -> str:
    if name in file.NameToInfo:
        raise ArchiveError(f"{name}: two files of the archive would have this name")
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, wherever it is made
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    file.writestr(info, data)
    return hashlib.sha256(data).hexdigest()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _latest(inputs: Inputs) -> str:
    times = read_table("pairs", inputs.results / "pairs.parquet", ["time"]).column("time")
    return max((time[:10] for time in times.to_pylist() if time), default=NO_DATE)


def _crate(
    inputs: Inputs, contents: Contents, hashes: Mapping[str, str], date: str, licence: str
) -> JsonObject:
    parts = []
    for name, words in sorted(contents.described.items()):
        path = Path(name)
        is_table = path.parent.name == "results" and path.suffix == ".parquet"
        size = len(contents.read(name))
        media = _MEDIA.get(path.suffix, "application/octet-stream")
        text = table_description(path.stem) if is_table else words
        parts.append(Part(name, size, hashes[name], text, media, path.stem if is_table else ""))
    return describe_parts(
        parts,
        contents.folders,
        inputs.config["title"],
        date,
        licence,
        inputs.record["biomlbench"],
    )


def unpack(path: str | Path, to: str | Path) -> Path:
    """Unpack an archive, checking every name, size and hash.

    Parameters
    ----------
    path : path
    to : path
        Folder for the benchmark; absent or empty.

    Returns
    -------
    Path
        The folder, with ``results`` in it.

    Raises
    ------
    ArchiveError
        If it is no archive of a benchmark, or one that cannot be trusted.
    """
    path, to = Path(path), Path(to)
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise ArchiveError(f"{to}: is not empty; name a folder that is not there yet")
    try:
        limits = PackedLimits(MAX_FILES, MAX_FILE_BYTES, MAX_TOTAL_BYTES)
        members = checked_members(path, limits, _is_unpacked, _METHODS)
        with zipfile.ZipFile(path) as file:
            manifest = _manifest(path, file, members)
            for name, info in track(members.items(), "unpacking"):
                if name != MANIFEST:
                    _unpack_one(path, file, info, to / name, manifest.get(name))
                if _is_read(name):
                    _check_json(path, to / name, info)
    except PackedError as error:
        raise ArchiveError(f"{path}: {error}") from None
    except BROKEN as error:
        raise ArchiveError(
            f"{path}: no readable archive ({error}); name a results folder, or what `biomlbench "
            "archive` wrote"
        ) from error
    except MemoryError:
        raise ArchiveError(f"{path}: takes more memory than there is") from None
    except OSError as error:
        why = error.strerror or error
        raise ArchiveError(
            f"{path}: cannot be unpacked into {to} ({why}); name another folder with --into"
        ) from error
    if missing := sorted(set(manifest) - set(members)):
        named = ", ".join(name[:_LETTERS] for name in missing[:3])
        raise ArchiveError(f"{path}: lacks {named}, which its manifest names")
    return to


def _is_unpacked(name: str) -> bool:
    is_short = len(name.encode()) <= _PATH_MAX
    return is_short and inside(name) == name and max(map(_length, name.split("/"))) <= _NAME_MAX


def _length(part: str) -> int:
    return len(part.encode())


def _manifest(
    path: Path, file: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo]
) -> dict[str, str]:
    in_all, of_each = _MANIFEST_BYTES
    # a quotation mark in a name takes two characters
    most = in_all + sum(of_each + 2 * len(name.encode()) for name in members)
    try:
        info = members[MANIFEST]
        if info.file_size > most:
            raise ArchiveError(f"{path}: too large, at {MANIFEST}")
        check_json(path, info.file_size, MANIFEST)
        with file.open(info) as member:
            manifest = json.loads(member.read(info.file_size))["sha256"]
            return {str(name): str(digest) for name, digest in manifest.items()}
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ArchiveError(f"{path}: no archive of a benchmark; it has no {MANIFEST}") from error


def _is_read(name: str) -> bool:
    """Tell whether a rerun reads a file as JSON; the grading report may be of any size."""
    parts = name.split("/")
    ours = parts[0] == "results" and name.endswith(".json") and parts[-1] != GRADING_REPORT
    return ours or parts[-1] in (DATA_MANIFEST, PENDING)


def _check_json(path: Path, file: Path, info: zipfile.ZipInfo) -> None:
    try:
        check_json(file, info.file_size)
    except ValueError as error:
        raise ArchiveError(f"{path}: {info.filename[:_LETTERS]!a} is not used: {error}") from error


def _unpack_one(
    path: Path, file: zipfile.ZipFile, info: zipfile.ZipInfo, to: Path, expected: str | None
) -> None:
    digest, left = hashlib.sha256(), info.file_size
    to.parent.mkdir(parents=True, exist_ok=True)
    with file.open(info) as member, to.open("xb") as target:
        while chunk := member.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise ArchiveError(f"{path}: {info.filename[:_LETTERS]!a} is larger than it says")
            digest.update(chunk)
            target.write(chunk)
    if digest.hexdigest() != expected:
        to.unlink()
        raise ArchiveError(f"{path}: {info.filename[:_LETTERS]!a} is not what the manifest says")
