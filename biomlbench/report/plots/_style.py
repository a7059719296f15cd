"""Colours, sizes and the few helpers that all figures share."""

from __future__ import annotations

import io
import unicodedata
import warnings
from collections import Counter
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from biomlbench.plain_text import plain
from biomlbench.report.agent_order import by_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg

    from biomlbench.report.inputs import Tables

__all__ = [
    "AGENT_COLOURS",
    "FAULT_COLOURS",
    "GRID",
    "INK",
    "MEDAL_COLOURS",
    "MUTED",
    "VERDICT_COLOURS",
    "bare",
    "canvas",
    "check_labels",
    "clip",
    "clips",
    "drawing_at",
    "joined",
    "labels",
    "largest",
    "legend_above",
    "letters",
    "log_axis",
    "note",
    "panel_width",
    "percent_axis",
    "ranked",
    "task_label",
    "task_labels",
    "title",
    "width_of",
    "without",
]

INK, MUTED, GRID = "#1f2933", "#616e7c", "#e4e7eb"
# Okabe & Ito (2008), "Color Universal Design", in the order used for unordered groups
AGENT_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7A5195")
VERDICT_COLOURS = {"pass": "#0072B2", "partial": "#F0C75E", "fail": "#C8502B"}
FAULT_COLOURS = {
    "submission": "#C8502B",
    "task": "#4B2E83",
    "grader": "#E6A100",
    "infrastructure": "#9AA5B1",
    "run_table": "#5B7083",
    "none": "#56B4E9",
}
MEDAL_COLOURS = {"gold": "#D9A514", "silver": "#A3ABB5", "bronze": "#B0703C"}
WIDTH = 9.0
MAX_BARS = 40
_FEWEST_TICKS = 3
_WIDE = 1e4
"""From largest to smallest value of a logarithmic axis; beyond, its ticks are powers of ten."""


_EM = 10.0
_LETTER = 0.7
"""Width that a label has for each letter that it may have, in em: what most letters take."""
_HIGHEST = 1.7
"""Height of a label, in em; a row has two."""
_MOST_MARKS = (2, 1, 0)
_SHARE_OF_AXES = 0.88
"""Of the width of their place, what axes with short labels at the left take."""
_BESIDE_LABEL = 0.45
"""Width of what a legend has beside each label, in inches."""


_place: ContextVar[SubFigure | None] = ContextVar("_place", default=None)


class _Shown(Figure):
    """A figure that notebooks show without pyplot."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()


def canvas(height: float, width: float = WIDTH) -> Figure:
    """Return an empty figure of a size in inches, laid out so that nothing overlaps.

    Within :func:`drawing_at` it is the place that was chosen, whatever its size.
    """
    if (place := _place.get()) is not None:
        return cast("Figure", place)  # all that figures' modules use of one, it has
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)
    return _Shown(figsize=(width, height), layout=layout, facecolor="white")


@contextmanager
def drawing_at(axes: Axes) -> Iterator[Figure]:
    """Draw the next figure where axes are, which are taken away; yield the whole figure.

    Raises
    ------
    ValueError
        If the axes are not of a grid.
    """
    grid, parent = axes.get_subplotspec(), axes.get_figure()
    if grid is None or parent is None:
        raise ValueError("the axes are not of a grid; make them with `subplots`")
    axes.remove()
    token = _place.set(parent.add_subfigure(grid))
    try:
        yield parent if isinstance(parent, Figure) else parent.get_figure(root=True)
    finally:
        _place.reset(token)


def title(figure: Figure, text: str, subtitle: str = "") -> None:
    """Put a title at the left of a figure, with a subtitle in grey below it."""
    heading = f"{text}\n" if subtitle else text
    figure.suptitle(heading, x=0.012, ha="left", fontsize=13, fontweight="bold", color=INK)
    if subtitle:
        # a second line of the same block, so that the layout keeps room for both
        height = figure.bbox.height / figure.get_dpi()
        figure.text(0.012, 1 - 0.42 / height, subtitle, ha="left", va="center", fontsize=9.5,
                    color=MUTED)  # fmt: skip


def note(name: str, reason: str) -> Figure:
    """Return a small figure that says why there is nothing to draw."""
    figure = canvas(1.9)
    axes = figure.subplots()
    axes.set_axis_off()
    title(figure, name)
    axes.text(0.5, 0.5, reason, ha="center", va="center", color=MUTED, fontsize=11)
    return figure


def without(left_out: int, total: int, what: str, noun: str = "runs") -> str:
    """Return how many of all a figure leaves out and why; nothing where it has all.

    Examples
    --------
    >>> without(15, 21, "without a date")
    'left out: 15 of 21 runs, without a date'
    >>> without(0, 21, "without a date")
    ''
    """
    return f"left out: {left_out:,} of {total:,} {noun}, {what}" if left_out else ""


def joined(*parts: str) -> str:
    """Join what a subtitle says, leaving out what is empty."""
    return "; ".join(filter(None, parts))


def bare(axes: Axes, grid: Literal["x", "y"] | None = "x") -> Axes:
    """Take the clutter from axes: no box, grey ticks, a light grid along one direction."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, colors=MUTED, labelsize=9)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(axis=grid, color=GRID, linewidth=0.8)
    axes.xaxis.label.set(color=MUTED, fontsize=9.5)
    axes.yaxis.label.set(color=MUTED, fontsize=9.5)
    return axes


def percent_axis(axes: Axes, which: str = "x") -> None:
    """Label an axis that runs over shares from 0 to 1 in percent."""
    from matplotlib.ticker import PercentFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def log_axis(axes: Axes, which: str = "x") -> None:
    """Make an axis logarithmic, with ticks also where it covers less than a power of ten.

    For axes that have their data; one on which fewer than three ticks at 1, 2 and 5 times powers
    of ten lie gets those of an even axis.
    """
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    steps = (1,) if high / low > _WIDE else (1, 2, 5)
    ticks = LogLocator(10, steps, numticks=8)
    within = [tick for tick in ticks.tick_values(low, high) if low <= tick <= high]
    axis.set_major_locator(ticks if len(within) >= _FEWEST_TICKS else MaxNLocator(5))
    axis.set_minor_locator(NullLocator())


def legend_above(axes: Axes, handles: Sequence[Any] | None = None, columns: int = 6) -> None:
    """Put a frameless legend above the axes, at the left, in as many columns as have room."""
    more = {"handles": handles} if handles is not None else {}
    shown = handles if handles is not None else axes.get_legend_handles_labels()[0]
    widest = max((width_of(str(one.get_label()), 9) for one in shown), default=0.0)
    room = panel_width(axes) * _SHARE_OF_AXES
    columns = max(1, min(columns, int(room / (widest + _BESIDE_LABEL))))
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=columns,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        borderaxespad=0.2,
        handlelength=1.2,
        columnspacing=1.4,
        **more,
    )


def panel_width(axes: Axes) -> float:
    """Return how wide the place of axes and of their labels is, in inches."""
    figure, grid = axes.figure, axes.get_gridspec()
    across = grid.ncols if grid is not None else 1
    return float(figure.bbox.width / figure.dpi / across)


def width_of(text: str, size: float) -> float:
    """Return how wide a text of a size in points is drawn, in inches."""
    return _extent(text)[0] * size / 72


def letters(width: float, size: float) -> int:
    """Return for how many letters of a size in points there is room, as :func:`clip` counts."""
    return max(1, int(width * 72 / size / _LETTER))


def labels(axes: Axes, texts: Sequence[str], width: int = 34) -> None:
    """Name the rows of a horizontal chart, first row on top; for `width` see :func:`clip`."""
    axes.set_yticks(range(len(texts)), clips(texts, width), color=INK)
    axes.set_ylim(len(texts) - 0.5, -0.5)


def clip(text: str, width: int = 34) -> str:
    r"""Shorten a label and keep matplotlib from reading it as mathematics.

    A long one keeps its end, by which names of one family differ. It has at most `width` letters,
    fewer where they are wide, and no more marks above each other than its row has room for.

    Examples
    --------
    >>> clip("a" * 50, 8)
    'aaaaa…aa'
    >>> print(clip("cost in $"))
    cost in \$
    """
    text = _low(plain(text, mark="·", one_line=True))
    room = width * _LETTER
    shown = _cut(text, width)
    while (needed := _extent(shown)[0]) > room and width > 1:
        width = min(width - 1, int(len(shown) * room / needed))
        shown = _cut(text, width)
    return shown.replace("$", "\\$")


def _cut(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    end = width // 3
    return f"{text[: width - end - 1]}…{text[len(text) - end :]}"


def _low(text: str) -> str:
    """Take marks from letters that have more than a row has room for."""
    if text.isascii():
        return text
    for most in _MOST_MARKS:
        if _extent(text)[1] <= _HIGHEST:
            break
        text = _with_marks(text, most)
    return text


def _with_marks(text: str, most: int) -> str:
    kept, found = [], 0
    for sign in unicodedata.normalize("NFD", text):
        found = found + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        kept += [sign] if found <= most else []
    return unicodedata.normalize("NFC", "".join(kept))


@lru_cache(maxsize=4096)
def _extent(text: str) -> tuple[float, float]:
    """Return width and height of a text as it is drawn, in em."""
    from matplotlib.font_manager import FontProperties

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        found = _renderer().get_text_width_height_descent(  # type: ignore[no-untyped-call]
            text, FontProperties(size=_EM), False
        )
    width, height, _ = found
    return width / _EM, height / _EM


@cache
def _renderer() -> RendererAgg:
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, 72)  # type: ignore[no-untyped-call]


def clips(texts: Iterable[str], width: int = 34) -> list[str]:
    """Shorten the labels of a figure; different ones stay different.

    Examples
    --------
    >>> clips(["a" * 20 + "b" * 9, "a" * 9 + "b" * 9, "a"], 10)
    ['aaaaaa…bbb', 'aaaaaa…bbb #2', 'a']
    """
    texts = list(texts)
    found: dict[str, str] = {}
    used: set[str] = set()
    for text in sorted(set(texts)):
        label, number = clip(text, width), 1
        while label in used:
            number += 1
            label = f"{clip(text, width)} #{number}"
        found[text] = label
        used.add(label)
    return [found[text] for text in texts]


def task_label(task_id: str) -> str:
    """Return a task's name without its domain.

    Examples
    --------
    >>> task_label("clinical/diabetes-progression")
    'diabetes-progression'
    """
    return str(task_id).rsplit("/", 1)[-1]


def check_labels(task_ids: Iterable[str], checks: Iterable[str]) -> list[str]:
    """Return names of checks with those of their tasks.

    Examples
    --------
    >>> check_labels(["clinical/age", "imaging/age"], ["a", "a"])
    ['clinical/age · a', 'imaging/age · a']
    """
    both = zip(task_labels(task_ids), checks, strict=True)
    return [f"{task} · {check}" for task, check in both]


def task_labels(task_ids: Iterable[str]) -> list[str]:
    """Return names of tasks, with the domain where two domains have one of that name.

    Examples
    --------
    >>> task_labels(["clinical/age", "imaging/age", "imaging/cells"])
    ['clinical/age', 'imaging/age', 'cells']
    """
    ids = list(task_ids)
    times = Counter(map(task_label, set(ids)))
    return [task if times[task_label(task)] > 1 else task_label(task) for task in ids]


def largest(counts: pd.Series, most: int = MAX_BARS) -> tuple[pd.Series, str]:
    """Keep the largest rows, ties by name; the text says what was left out, if anything."""
    ordered = counts.sort_index(kind="stable").sort_values(ascending=False, kind="stable")
    left_out = len(ordered) - most
    return ordered.head(most), f"first {most} of {len(ordered)}" if left_out > 0 else ""


def ranked(tables: Tables, agents: Iterable[str], most: int = MAX_BARS) -> tuple[list[str], str]:
    """Keep the first agents of the ranking, in its order; the text says what was left out."""
    ordered = by_place(tables, agents)
    left_out = len(ordered) - most
    return ordered[:most], f"first {most} of {len(ordered)}" if left_out > 0 else ""
