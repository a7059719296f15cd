"""Where a task's raw files come from: its list of sources, and the published ``data_source``.

What types of sources there are is found by the files of this folder (:mod:`.base`).
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import DataSource, all_sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["DataSource", "DataSourceError", "parse_sources", "place", "sources_of"]


def sources_of(config: Mapping[str, Any], where: str = "config.yaml") -> list[DataSource]:
    """Return where a task's raw files come from.

    Parameters
    ----------
    config : mapping
        The task's config. `source` is this project's list; `data_source` is the published key,
        which counts where there is no `source`.
    where : str
        File name for messages.

    Returns
    -------
    list of DataSource
        Empty where the preparer needs no raw files, or fetches them itself.

    Raises
    ------
    TaskError
        If a key is missing, unknown or malformed, or there is no such type.
    """
    stated = config.get("data_source")
    if config.get("source") is not None or stated is None:
        return parse_sources(config.get("source"), where)
    if not isinstance(stated, dict) or not isinstance(stated.get("type"), str):
        raise TaskError(f"{where}: `data_source` must be a mapping with a `type`")
    types = {name: kind for kind in all_sources().values() for name in (kind.KEY, *kind.PUBLISHED)}
    if (kind := types.get(stated["type"])) is None:
        raise TaskError(
            f"{where}: data_source: there is no type {stated['type']!r}; there are: "
            + ", ".join(sorted(types))
        )
    entry = kind.from_published(stated)
    return [] if entry is None else _all_of(kind, entry, f"{where}: data_source")


def parse_sources(
    entries: Sequence[Mapping[str, Any]] | None, where: str = "config.yaml"
) -> list[DataSource]:
    """Check the `source` list of a task's config.

    Parameters
    ----------
    entries : sequence of mapping or None
        Each has the key that names its type, and the others of that type; instead of ``member``
        and ``to``, a list ``members`` of files that keep their names.
    where : str
        File name for messages.

    Returns
    -------
    list of DataSource

    Raises
    ------
    TaskError
        If a key is missing, unknown or malformed.

    Examples
    --------
    >>> parse_sources([{"manual": "raw.csv", "instructions": "ask the authors"}])
    [ManualFile(to='raw.csv', instructions='ask the authors', checksum=None)]
    """
    if entries is None:
        return []
    if isinstance(entries, str | bytes) or not all(isinstance(e, dict) for e in entries):
        raise TaskError(f"{where}: `source` must be a list of mappings")
    found: list[DataSource] = []
    for number, entry in enumerate(entries):
        place = f"{where}: source[{number}]"
        known = [kind for key, kind in all_sources().items() if key in entry]
        if len(known) != 1:
            keys = ", ".join(sorted(all_sources()))
            raise TaskError(f"{place}: must have one of these keys, which says its type: {keys}")
        found += _all_of(known[0], entry, place)
    return found


def _all_of(kind: type[DataSource], entry: Mapping[str, Any], where: str) -> list[DataSource]:
    """Return one source for each of an entry's `members`."""
    if "members" not in entry:
        return [kind.parse(entry, where)]
    shared = {key: value for key, value in entry.items() if key != "members"}
    members = entry["members"]
    if not isinstance(members, list) or not members or {"member", "to"} & shared.keys():
        raise TaskError(f"{where}: `members` must be a list, without `member` and `to`")
    return [
        kind.parse({**shared, "member": str(m), "to": PurePosixPath(str(m)).name}, where)
        for m in members
    ]


def place(sources: Sequence[DataSource], raw: Path, task_id: str = "") -> list[Path]:
    """Put a task's raw files in their places.

    Parameters
    ----------
    sources : sequence of DataSource
    raw : Path
        The task's ``raw`` folder.
    task_id : str
        For messages.

    Returns
    -------
    list of Path
        The files in `raw`, in the order of `sources`; not those of archives that are unpacked
        whole.

    Raises
    ------
    DataSourceError
        If a file cannot be downloaded, or a manual one is not there.
    TaskError
        If an archive lacks a file, or two sources have the same place.
    """
    names = [name for source in sources for name in source.places]
    if len(set(names)) < len(names):
        raise TaskError(f"{task_id or 'task'}: two of its sources have the same place in raw/")
    # What only the user can do is asked for before anything is downloaded.
    for kind in sorted({type(s) for s in sources}, key=_manual_first):
        kind.place([s for s in sources if type(s) is kind], raw, task_id)
    return [raw / name for name in names]


def _manual_first(kind: type[DataSource]) -> tuple[bool, str]:
    return kind.KEY != "manual", kind.KEY
