"""The report over the tables of one results folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["write_report"]


def write_report(
    results: str | Path,
    title: str,
    track: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> Path:
    """Write the self-contained report, of at most 15 MB.

    Parameters
    ----------
    results : path
        Folder of the aggregated tables.
    title : str
    track : callable, optional
        Goes through the names of the figures while they are drawn, to show how far it is.

    Returns
    -------
    pathlib.Path
        ``report.html`` in that folder.
    """
    from biomlbench.report import html

    out = Path(results) / "report.html"
    html.render(Path(results), out, title=title, track=track)
    return out
