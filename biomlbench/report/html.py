"""One self-contained HTML report: no network, no clock, equal bytes for equal tables."""

from __future__ import annotations

import base64
import hashlib
import logging
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from biomlbench import __version__
from biomlbench.errors import UserError
from biomlbench.report import plots
from biomlbench.report.embedding import embedded
from biomlbench.report.feedback import ShownCase, of_runs, visible_feedback
from biomlbench.report.feedback import provenance as read_provenance
from biomlbench.report.inputs import Tables
from biomlbench.report.overview import build as build_overview
from biomlbench.report.page import ASSETS, environment, style, write_whole
from biomlbench.report.payload_budget import OfRuns, payload_within
from biomlbench.report.predicted_rows import PredictedRows, predicted_rows
from biomlbench.report.shown import printable
from biomlbench.report.table_budgets import FIGURE_BYTES, PAGE_BYTES
from biomlbench.run_command import run_command
from biomlbench.summary.made_tables import require
from biomlbench.workflow.record import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

__all__ = ["Figure", "drawn_figures", "figures", "render", "render_tables"]

SCRIPTS = (
    *("vendor/datatables.min.js", "core.js", "table.js", "strip.js"),
    *("pages.js", "agents.js", "versus.js", "history.js", "trust.js", "run.js", "app.js"),
)
CATEGORIES = ("Agents", "Tasks", "Trust", "Telemetry")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Figure:
    """A figure as the report embeds it."""

    name: str
    title: str
    caption: str
    category: str
    source: str  # data URI
    dark: str  # the same for a dark page
    width: int
    height: int
    lacks: str = ""  # why there is nothing to show; then there are no images


def figures(
    tables: Tables,
    drawn: dict[str, Path] | None = None,
    track: Callable[[Iterable[str]], Iterable[str]] = iter,
    without: Collection[str] = (),
) -> list[Figure]:
    """Return all figures that have something to show, ready to be embedded.

    Parameters
    ----------
    tables : Tables
    drawn : dict of str to path, optional
        PNG files of figures by name; one that is not there is drawn.
    track : callable, optional
        Goes through the names.
    without : collection of str
        Names of figures that are not wanted.

    Returns
    -------
    list of Figure
        Sorted by name.
    """
    # Pillow lets other threads run while it reads and writes.
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as threads:
        found, waiting = {}, []
        for name in track(plots.names()):
            if name in without or not plots.has_data(name, tables):
                continue
            if reason := plots.lacks(name, tables):
                found[name] = _figure(name, b"", b"", (0, 0), reason)
                continue
            path = (drawn or {}).get(name)
            if path is None:
                (path,) = plots.render(name, tables, Path(scratch), ("png",))
            waiting.append((name, threads.submit(embedded, path)))
        found |= {name: _figure(name, *waited.result()) for name, waited in waiting}
        return [found[name] for name in sorted(found)]


def _figure(
    name: str, light: bytes, dark: bytes, size: tuple[int, int], reason: str = ""
) -> Figure:
    module = plots.load(name)
    told = (name, module.TITLE, module.CAPTION, module.CATEGORY)
    return Figure(*told, _uri(light), _uri(dark), *size, reason)


def drawn_figures(results: Path) -> dict[str, Path]:
    """Return the figures that the workflow drew, by name; those older than a table are left out."""
    tables = [*results.glob("*.parquet"), *results.glob("calibration/*.parquet")]
    newest = max((path.stat().st_mtime_ns for path in tables), default=0)
    return {
        path.stem: path
        for path in results.glob("plots/*.png")
        if path.stat().st_mtime_ns > newest and path.stem in plots.names()
    }


def _uri(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def render(
    results: str | Path,
    out: str | Path,
    *,
    title: str = "Benchmark report",
    track: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> None:
    """Write the report of a results folder.

    Parameters
    ----------
    results : path
        As :meth:`biomlbench.report.inputs.Tables.load` reads it. Figures in its folder `plots`
        are used where they are newer than every table, else drawn anew.
    out : path
        The HTML file; it appears only when complete.
    title : str
        Heading of the report.
    track : callable, optional
        Goes through the names of the figures while they are drawn.

    Raises
    ------
    biomlbench.contracts.ContractError
        If a table is missing or cannot be read.
    """
    require(results)
    tables = Tables.load(results)
    results = Path(results)
    text = render_tables(
        tables,
        title=title,
        drawn=drawn_figures(results),
        feedback=visible_feedback(results, tables.pairs),
        provenance=read_provenance(results, tables.pairs),
        rows=predicted_rows(results, tables),
        place=_place(results),
        track=track,
    )
    out = Path(out)
    write_whole(text, out)
    _log.info("wrote %s, %.1f MB", out, len(text) / 1e6)


def _place(results: Path) -> str:
    """Return how commands name a results folder that are given in its benchmark's folder.

    What is not below that folder has its last part alone: a report names no place of a machine.
    """
    here = results.absolute()
    try:
        named = Path(read_record(results)["config"]["results_dir"])
    except (UserError, KeyError, TypeError):
        return here.name
    beside = named.is_absolute() or ".." in named.parts
    is_there = named.parts and here.parts[-len(named.parts) :] == named.parts
    return named.as_posix() if is_there and not beside else here.name


def _agent_link(agent: str) -> str:
    return f"#agent={quote(printable(agent), safe='')}"


def render_tables(
    tables: Tables,
    *,
    title: str = "Benchmark report",
    drawn: dict[str, Path] | None = None,
    feedback: dict[int, list[ShownCase]] | None = None,
    provenance: dict[int, dict[str, str]] | None = None,
    rows: dict[str, PredictedRows] | None = None,
    place: str = "",
    track: Callable[[Iterable[str]], Iterable[str]] = iter,
    without: Collection[str] = (),
) -> str:
    """Return the report as text of at most :data:`PAGE_BYTES` bytes; see :func:`render`.

    Figures that do not fit :data:`FIGURE_BYTES` are left out, the largest first, and named; the
    data has what the rest of the page leaves, see :func:`payload_budget.payload_within`.
    """
    scripts = [(ASSETS / name).read_text(encoding="utf-8").strip() for name in SCRIPTS]
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    drawings = figures(tables, drawn, track, without)
    shown = _that_fit(drawings)

    page = environment().get_template("report.html.j2")
    parts = {
        "title": printable(title),
        "version": __version__,
        "overview": build_overview(tables),
        "agent_link": _agent_link,
        "run_command": run_command(),
        "calibrated": not (tables.rates.empty and tables.kills.empty),
        "figures": {c: [f for f in shown if f.category == c] for c in CATEGORIES},
        "left_out": [f for f in drawings if f not in shown],
        "scripts": scripts,
        "hashes": hashes,
        "style": style(),
    }
    room = PAGE_BYTES - len(page.render(data="", **parts).encode("utf-8"))
    there = {} if feedback is None else of_runs(tables.pairs)
    told = OfRuns(feedback or {}, provenance or {}, rows, there)
    return page.render(data=payload_within(tables, room, told, place), **parts)


def _that_fit(drawings: list[Figure]) -> list[Figure]:
    """Return the figures without the largest ones, as far as they are too large together."""
    size = {figure.name: 2 * len(figure.source) + len(figure.dark) for figure in drawings}
    shown = list(drawings)
    while sum(size[figure.name] for figure in shown) > FIGURE_BYTES:
        shown.remove(max(shown, key=lambda figure: size[figure.name]))
    return shown
