"""Public files of test rows, and what the file system and image headers say of each."""

from __future__ import annotations

import warnings
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from biomlbench.plain_text import plain

from .public_tables import public_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from PIL.Image import Image

    from biomlbench.task.task import Task

__all__ = ["LEAST_ROWS", "NUMBERS", "RowFiles", "row_files"]

MAX_FILES = 20_000
"""Files beyond so many are not looked at."""
LEAST_ROWS = 20
"""With files of fewer rows, what they tell may be chance."""
WHOLE = 0.9
"""Share of the rows from which on files of one folder are a set of their own."""
MAX_ENTRIES = 30
"""Entries of metadata whose values are compared, those of most files."""
MAX_TEXT = 200
"""Characters of a value of metadata that are compared."""
NUMBERS = ("bytes", "modification time", "width", "height")
"""Columns of numbers; all others are text."""
# Formats whose headers Pillow reads by itself; none that another program decodes.
_FORMATS = ("PNG", "JPEG", "MPO", "GIF", "BMP", "TIFF", "WEBP", "PPM", "JPEG2000")


class RowFiles(NamedTuple):
    """A file for each of some test rows.

    Attributes
    ----------
    name : str
        Where they are, and how many.
    rows : ndarray of int, shape (n,)
        The test rows, in the order of the sample submission.
    frame : DataFrame
        A row a file: :data:`NUMBERS`, NaN where it is no image, and as text its folder, the ending
        of its name, and of images mode, dimensions, names of entries of metadata, and the values of
        entries that most files have.
    """

    name: str
    rows: np.ndarray
    frame: pd.DataFrame


def row_files(task: Task, keys: Iterable[Sequence[str]]) -> Iterator[RowFiles]:
    """Yield the sets of public files that belong to test rows.

    A file belongs to a row if a key is its path below the public folder, its name, or one of both
    without what follows the last point. A folder that has files of nearly all rows is a set of its
    own, by their endings; the other files are one set, of the rows that have a single one.

    Parameters
    ----------
    task : Task
    keys : iterable of sequence of str
        Ids of the test rows, or another column of a public table: one key for each row.
    """
    columns = [[_plain_key(key) for key in column] for column in keys]
    known = _index(task, {key for column in columns for key in column} - {""})
    seen, left = set[tuple[str, ...]](), MAX_FILES
    for column in columns:
        found = [known.get(key, []) for key in column]
        for files in _sets(found, task.public_dir):
            names = tuple(path.as_posix() for path in files.values())
            if names in seen or 2 * len(set(names)) < max(2 * LEAST_ROWS, len(names)) or left <= 0:
                continue
            seen.add(names)
            chosen = dict(list(files.items())[:left])
            left -= len(chosen)
            where = _where(list(chosen.values()), task.public_dir)
            frame = _measured(list(chosen.values()), task.public_dir)
            yield RowFiles(where, np.array(list(chosen), int), frame)


def _plain_key(key: str) -> str:
    text = str(key).strip().replace("\\", "/").removesuffix(".0")
    return text.removeprefix("./").lstrip("/")


def _index(task: Task, wanted: set[str]) -> dict[str, list[Path]]:
    """Return the files by those of the wanted keys that they have."""
    found: dict[str, list[Path]] = {}
    names: dict[str, list[str]] = {}
    for key in wanted:
        names.setdefault(PurePosixPath(key).name, []).append(key)
    for path in public_files(task):
        if path == task.sample_submission:
            continue
        below = path.relative_to(task.public_dir).as_posix()
        name = path.name
        for short in {name, path.stem, PurePosixPath(name.removesuffix(".gz")).stem}:
            for key in names.get(short, ()):
                # folders that a key names and the public folder has not may be those of the author
                if "/" not in key or below.startswith(key) or not _is_there(task, key):
                    found.setdefault(key, []).append(path)
    return found


def _is_there(task: Task, key: str) -> bool:
    try:
        return (task.public_dir / key).is_file()
    except (OSError, ValueError):
        return False


def _sets(found: list[list[Path]], public: Path) -> Iterator[dict[int, Path]]:
    rows = sum(map(bool, found))
    if rows < LEAST_ROWS:
        return
    groups: dict[tuple[str, str], dict[int, Path]] = {}
    for row, paths in enumerate(found):
        for path in paths:
            groups.setdefault((path.parent.as_posix(), path.suffix.lower()), {})[row] = path
    rest: dict[int, list[Path]] = {}
    for files in groups.values():
        if len(files) >= WHOLE * rows:
            yield files
        else:
            for row, path in files.items():
                rest.setdefault(row, []).append(path)
    single = {row: paths[0] for row, paths in sorted(rest.items()) if len(paths) == 1}
    if len(single) >= LEAST_ROWS:
        yield single


def _where(paths: list[Path], public: Path) -> str:
    folders = {path.parent.relative_to(public).as_posix() for path in paths}
    endings = sorted({path.suffix.lower() for path in paths})
    place = folders.pop() if len(folders) == 1 else f"{len(folders)} folders"
    kinds = f" ({', '.join(endings[:3])})" if any(endings) else ""
    return plain(f"{len(paths)} files of test rows in {place}{kinds}", one_line=True)


def _measured(paths: list[Path], public: Path) -> pd.DataFrame:
    states = [path.stat() for path in paths]
    # less the first, as nanoseconds since 1970 are more than a float tells apart
    first = min(state.st_mtime_ns for state in states)
    headers = _headers(paths)
    frame = pd.DataFrame({
        "bytes": [float(state.st_size) for state in states],
        "modification time": [float(state.st_mtime_ns - first) for state in states],
        "width": [one.width for one in headers],
        "height": [one.height for one in headers],
        "mode": [one.mode for one in headers],
        "dimensions": [f"{one.width:g} x {one.height:g}" for one in headers],
        "names of metadata": [" ".join(sorted(one.entries)) for one in headers],
        "folder": [path.parent.relative_to(public).as_posix() for path in paths],
        "ending": [path.suffix for path in paths],
    })  # fmt: skip
    counts = pd.Series([name for one in headers for name in one.entries], dtype=object)
    for name in counts.value_counts().index[:MAX_ENTRIES]:
        frame[f"metadata {name}"] = [one.entries.get(name, "") for one in headers]
    return frame


class _Header(NamedTuple):
    width: float = np.nan
    height: float = np.nan
    mode: str = ""
    entries: dict[str, str] = {}  # noqa: RUF012 - never changed


def _headers(paths: list[Path]) -> list[_Header]:
    from PIL import Image

    headers = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of metadata that is damaged
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        for path in paths:
            try:
                with Image.open(path, formats=_FORMATS) as image:
                    headers.append(_Header(*image.size, image.mode, _entries(image)))
            # What broken images raise in readers of ten formats is written down nowhere.
            except Exception:
                headers.append(_Header())
    return headers


def _entries(image: Image) -> dict[str, str]:
    """Return the entries of an image's metadata, as text where they are short; no pixels read."""
    from PIL import ExifTags
    from PIL.Image import Image as Plain

    found: dict[Any, Any] = {str(name): value for name, value in image.info.items()}
    # The method of the class for PNG decodes the image first.
    for tag, value in Plain.getexif(image).items():
        found[f"EXIF {ExifTags.TAGS.get(tag, tag)}"] = value
    return {plain(name[:MAX_TEXT], one_line=True): _short(value) for name, value in found.items()}


def _short(value: Any) -> str:
    if isinstance(value, (bytes, str)):
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    else:
        text = repr(value)
    return text[:MAX_TEXT]
