"""What the results hold of pairs that the config does not name any more."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.runtime.files import workflow_root
from biomlbench.stages import STAGES
from biomlbench.workflow.assignment import batch_folder
from biomlbench.workflow.plan import Benchmark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Leftover", "leftovers", "remove"]


class Leftover(NamedTuple):
    """A folder or file that no configured pair needs, or only some of it."""

    path: Path
    bytes: int
    why: str
    needed: bool = False


def leftovers(
    config: Mapping[str, Any], folder: str | Path, files: Iterable[str | Path] = ()
) -> list[Leftover]:
    """Return what is left over in the results of a benchmark.

    Parameters
    ----------
    config : mapping
        As read from the config file.
    folder : path
        The working directory, which the config's paths are relative to.
    files : iterable of path
        Files that the config was read from, for messages.

    Returns
    -------
    list of Leftover
        Sorted by path. A batch is left over when all its pairs are; a pair that left it alone
        is listed with no bytes, for its rows go when the batch does.
    """
    benchmark = Benchmark(config, workflow_root(), files=files)
    results = Path(folder) / benchmark.results
    places = {benchmark.place(*key) for key in benchmark.runs}
    found = []
    for place, path in _places(results):
        if place not in places:
            found.append(Leftover(path, _size(path), "no configured pair has its files here"))
    for stage in STAGES:
        for path in sorted(results.glob(f"logs/{stage}/*/*/*.log")):
            task = path.parent.relative_to(results / "logs" / stage).as_posix()
            if f"pairs/{task}/{path.stem}" not in places:
                found.append(Leftover(path, _size(path), "log of a pair that left"))
    for (task, batch), members in benchmark.assignment.batches.items():
        place = batch_folder(task, batch)
        gone = [r for r in sorted(members) if not benchmark.is_in_batch(task, r)]
        if gone and place in places:
            why = f"holds rows of {', '.join(gone)}, which left; kept for the others"
            found.append(Leftover(results / place, 0, why, needed=True))
    return sorted(found)


def remove(found: Iterable[Leftover]) -> None:
    """Delete what is left over; what other pairs still need stays.

    Parameters
    ----------
    found : iterable of Leftover
        As :func:`leftovers` returned them.
    """
    for item in found:
        if item.needed:
            continue
        if item.path.is_dir() and not item.path.is_symlink():
            shutil.rmtree(item.path)
        else:
            item.path.unlink(missing_ok=True)


def _places(results: Path) -> Iterator[tuple[str, Path]]:
    for root in (results, results / "benchmarks", results / "logs"):
        for kind in ("pairs", "batches"):
            for path in sorted(root.glob(f"{kind}/*/*/*")):
                if path.is_dir():
                    yield path.relative_to(root).as_posix(), path


def _size(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.lstat().st_size for file in files if not file.is_dir())
