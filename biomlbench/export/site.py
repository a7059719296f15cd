"""Results as a static site: pages, the whole report, downloads; nothing that only you may have."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from biomlbench.contracts import provenance
from biomlbench.errors import UserError
from biomlbench.export import NO_LICENCE, load_tables
from biomlbench.export.forms import About, all_forms
from biomlbench.export.owner_only import FIGURES
from biomlbench.export.public_tables import public_tables
from biomlbench.export.site_feed import feed
from biomlbench.export.site_pages import FEED, Pages
from biomlbench.report.html import drawn_figures, render_tables
from biomlbench.report.inputs import Tables
from biomlbench.report.page import write_whole
from biomlbench.runtime.progress_bars import track
from biomlbench.summary.made_tables import require
from biomlbench.workflow.record import RECORD, RecordError, read_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["MARK", "SiteError", "publish"]

MARK = ".biomlbench-site.json"
"""Lists what a site is made of: what is not in it, is not ours to overwrite or delete."""
_DOWNLOADS = ("csv", "croissant", "ro-crate")


class SiteError(UserError):
    """A folder holds what was not published here."""


def publish(
    results: str | Path,
    to: str | Path,
    *,
    title: str = "Benchmark results",
    date: str = "",
    licence: str = NO_LICENCE,
) -> list[Path]:
    """Write a site of a results folder.

    Parameters
    ----------
    results : path
        Holds the tables over all pairs.
    to : path
        Folder of the site: new, empty, or one that this function made, whose files are replaced.
        Other files in it stay.
    title, date, licence : str
        See :func:`biomlbench.export.export`; the day is shown on the pages.

    Returns
    -------
    list of Path
        The files, in the site's order.

    Raises
    ------
    SiteError
        If the folder is not empty and was not made here, or holds a file of a page's name.
    biomlbench.contracts.ContractError
        If a table is missing or cannot be read.

    Notes
    -----
    The tables are those of :func:`biomlbench.export.public_tables.public_tables`; what submissions
    printed is left out. Links are relative, so that the site works from the disk, at the root of a
    server and below a sub-path.
    """
    results, to = Path(results), Path(to)
    before = _made_before(to)
    require(results)
    arrow = public_tables(load_tables(results), _places(results))
    whole = Tables.load(results)
    shown = Tables(
        **{name: table.to_pandas() for name, table in arrow.items()},
        **{name: getattr(whole, name) for name in ("rates", "kills", "flakes", "history")},
    )
    sizes = {name: len(table) for name, table in arrow.items()}
    made_from = _made_from(results)
    of_site = Pages(shown, made_from, sizes, title, date)
    pages = dict(track(of_site.texts(), "writing pages", of_site.count))
    pages["report.html"] = render_tables(
        shown,
        title=title,
        drawn=drawn_figures(results),
        without=FIGURES,
        track=lambda names: track(names, "drawing"),
    )
    if len(shown.history):
        pages[FEED] = feed(shown.history, title)
    pages[f"data/{RECORD}"] = json.dumps(made_from, indent=1, sort_keys=True) + "\n"
    downloads = [f"data/{name}" for name in _names_of_downloads(arrow)]
    _refuse_foreign(to, [*pages, *downloads], before)
    for name in before:
        (to / name).unlink(missing_ok=True)
    for name, text in pages.items():
        write_whole(text, to / name)
    about = About(title, date, licence)
    for form in _DOWNLOADS:
        all_forms()[form].write(arrow, to / "data", about)
    names = [*pages, *downloads]
    write_whole(json.dumps({"files": sorted(names)}, indent=1) + "\n", to / MARK)
    return [to / name for name in names]


def _places(results: Path) -> list[str]:
    """Return folders that messages may name, the inner ones first; none is the root."""
    folders = {results.resolve(), results.resolve().parent, Path.cwd(), Path.home()}
    found = [f"{folder}/" for folder in folders if len(folder.parts) > 1]
    return sorted(found, key=lambda place: (-len(place), place))


def _names_of_downloads(tables: dict[str, pa.Table]) -> list[str]:
    files = [f"{name}.{suffix}" for name in tables for suffix in ("csv", "parquet")]
    return [*files, "croissant.json", "ro-crate-metadata.json"]


def _made_before(to: Path) -> list[str]:
    """Return the files of the site that is there; refuse a folder of another kind."""
    try:
        listed = json.loads((to / MARK).read_text(encoding="utf-8"))["files"]
        names = [str(name) for name in listed]
    except FileNotFoundError:
        if to.is_dir() and not any(to.iterdir()):
            return []
        if os.path.lexists(to):
            raise SiteError(
                f"{to}: is not empty and was not made by `biomlbench publish`; name a folder that "
                "is not there yet"
            ) from None
        return []
    except (ValueError, TypeError, KeyError) as error:
        raise SiteError(f"{to / MARK}: cannot be read ({error}); name another folder") from error
    for name in names:
        path = PurePosixPath(name)
        inside = (to / name).parent.resolve().is_relative_to(to.resolve())
        if path.is_absolute() or ".." in path.parts or not inside or (to / name).is_dir():
            raise SiteError(f"{to / MARK}: names {name!a}, no file of a site; name another folder")
    return names


def _refuse_foreign(to: Path, names: Iterable[str], before: Iterable[str]) -> None:
    ours = set(before)
    for name in names:
        if name not in ours and os.path.lexists(to / name):
            raise SiteError(
                f"{to / name}: was not made by `biomlbench publish`; move it away, or name another "
                "folder"
            )


def _made_from(results: Path) -> dict[str, JsonObject]:
    """Return what of the provenance concerns others: hashes and versions, no places."""
    tables = {
        name: value
        for name, value in provenance(results / "pairs.parquet").items()
        if isinstance(value, str)
    }
    found: dict[str, JsonObject] = {"tables": tables}
    try:
        record = read_record(results)
    except RecordError:
        return found
    environment = record["environment"]
    found["code"] = record["code"]
    found["tasks"] = {name: task.get("version") for name, task in record["tasks"].items()}
    found["environment"] = {
        "python": environment.get("python"),
        **environment.get("packages", {}),
    }
    return found
