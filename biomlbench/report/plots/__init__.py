"""The figures: one module a figure, found by its file.

A module `plots/<name>.py` declares `NAME` (its own file name), `TITLE`, `CAPTION` (prose, the
same as in `workflow/report/<name>.rst`), `CATEGORY` (where reports list it) and
`figure(tables) -> matplotlib.figure.Figure`, which must cope with empty, one-row and large
tables. One that most benchmarks have no data for may declare `has_data(tables) -> bool`: the page
then leaves it out where there are none. Or it declares `lacks(tables) -> str`, why there is
nothing to show: the page then has this line in its place. Modules whose name begins with an
underscore are helpers.
"""

from __future__ import annotations

import importlib
import logging
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

__all__ = [
    "FORMATS",
    "Plot",
    "categories",
    "draw",
    "has_data",
    "lacks",
    "load",
    "names",
    "priority",
    "render",
]

FORMATS = ("png", "svg")
PNG_DPI = 130
HASH_SALT = "biomlbench"
_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
_log = logging.getLogger(__name__)


class Plot(Protocol):
    """What a figure's module declares."""

    NAME: str
    TITLE: str
    CAPTION: str
    CATEGORY: str

    @staticmethod
    def figure(tables: Tables) -> Figure:
        """Draw the figure from the tables of a results folder."""


def names() -> list[str]:
    """Return the names of all figures, sorted, without importing any.

    Examples
    --------
    >>> "verdict_shares" in names()
    True
    """
    here = Path(__file__).parent
    return sorted(path.stem for path in here.glob("*.py") if not path.stem.startswith("_"))


def categories() -> dict[str, str]:
    """Return name and category of every figure, without importing what draws them.

    Examples
    --------
    >>> categories()["leaderboards"]
    'Tasks'
    """
    found = {}
    for name in names():
        text = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        category = re.search(r'^CATEGORY = "(.+)"$', text, re.MULTILINE)
        assert category is not None, f"{name}.py names no CATEGORY"
        found[name] = category[1]
    return found


def priority(name: str) -> int:
    """Return how early a figure is to be drawn, without importing what draws it.

    One that takes as long as all others together says so in a line ``PRIORITY = 1``, as it would
    else be drawn alone at the end.

    Examples
    --------
    >>> priority("leaderboards"), priority("medals")
    (1, 0)
    """
    text = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    said = re.search(r"^PRIORITY = (\d+)$", text, re.MULTILINE)
    return int(said[1]) if said else 0


def load(name: str) -> Plot:
    """Import one figure's module.

    Raises
    ------
    KeyError
        If there is no such figure.
    """
    if name not in names():
        raise KeyError(f"no figure `{name}`; there are: {', '.join(names())}")
    return cast("Plot", importlib.import_module(f"{__name__}.{name}"))


def has_data(name: str, tables: Tables) -> bool:
    """Tell whether a figure has anything to show; one that does not say has."""
    module = load(name)
    return bool(getattr(module, "has_data", lambda _: True)(tables))


def lacks(name: str, tables: Tables) -> str:
    """Return why a figure has nothing to show; empty where it has, or does not say."""
    return str(getattr(load(name), "lacks", lambda _: "")(tables))


def draw(name: str, tables: Tables, axes: Axes | None = None) -> Figure:
    """Draw one figure, on its own or in the place of axes.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    tables : Tables
    axes : matplotlib.axes.Axes, optional
        Taken away: the figure, which may have several panels, is drawn where they were. They must
        be of a grid, as those of ``plt.subplots(layout="constrained")`` are.

    Returns
    -------
    matplotlib.figure.Figure
        The whole figure, with `axes` the one that they were of.
    """
    module = load(name)
    if axes is None:
        return module.figure(tables)
    from biomlbench.report.plots._style import drawing_at

    with drawing_at(axes) as whole:
        module.figure(tables)
    return whole


def render(name: str, tables: Tables, outdir: Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Draw one figure into `outdir/<name>.<format>`.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    tables : Tables
    outdir : path
        Made if it is not there.
    formats : iterable of str
        `png` or `svg`.

    Returns
    -------
    list of path
        The files written. Equal tables give equal files with the same matplotlib.
    """
    import matplotlib as mpl

    outdir = Path(outdir)
    outdir.mkdir(parents=True, exist_ok=True)
    figure = load(name).figure(tables)
    written = []
    with (
        mpl.rc_context({"svg.hashsalt": HASH_SALT, "svg.fonttype": "none"}),
        warnings.catch_warnings(),
    ):
        # An agent's name may hold any character; one that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        # Once, as texts are as wide in every format; `savefig` would draw all of it to lay it out.
        figure.set_dpi(PNG_DPI)
        if engine := figure.get_layout_engine():
            engine.execute(figure)
            figure.set_layout_engine(None)
        for suffix in formats:
            path = outdir / f"{name}.{suffix}"
            figure.savefig(path, format=suffix, dpi=PNG_DPI, metadata=_METADATA[suffix])
            written.append(path)
    _log.debug("drew %s", name)
    return written
