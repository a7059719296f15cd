"""What changed between two results folders, in words and as one HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench import __version__
from biomlbench.plain_text import is_web_address
from biomlbench.report.page import environment, style
from biomlbench.report.shown import printable, shown_name
from biomlbench.runtime.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.reproduce.standings import Entry, Standings

__all__ = ["as_page", "as_words", "in_a_sentence"]

_OF_PLACES = ("meta log", "meta other")
"""What a run table says that may be a path of its author's machine."""
MOST_ROWS = 2000
"""Changed runs that a page shows; a browser is slow with more."""


def in_a_sentence(found: Standings) -> str:
    """Say how much changed."""
    if found.equal:
        return f"Nothing changed in {counted(found.same, 'run')}.{_anew(found)}"
    parts = [
        f"{counted(sum(row['state'] == state for row in rows), noun)} {state}"
        for noun, rows in (("run", found.pairs), ("task", found.tasks), ("agent", found.agents))
        for state in ("changed", "new", "gone")
        if any(row["state"] == state for row in rows)
    ]
    return f"{', '.join(parts)}; {counted(found.same, 'run')} the same.{_anew(found)}"


def _anew(found: Standings) -> str:
    if not found.anew:
        return ""
    runs = counted(found.anew, "unchanged run")
    verb = "was" if found.anew == 1 else "were"
    told = ", ".join(
        word if count == found.anew else f"{word} (of {count:,})"
        for word, count in found.anew_why.items()
    )
    return f" {runs} {verb} made from something else, with the same result: {told}."


def as_words(row: Entry) -> AnyRow:
    """Return a row of :class:`Standings` with its changes and reasons as text.

    Parameters
    ----------
    row : mapping

    Returns
    -------
    dict
        ``told``, a list of names and what they were and are as text, and ``why`` as one text.
    """
    changed = row["state"] == "changed"
    told = [
        {"name": name.replace("_", " "), "text": _ends(name, **both, both=changed)}
        for name, both in row["changes"].items()
        if changed or name != "agent"
    ]
    return {**row, "told": told, "why": ", ".join(row["why"])}


def _shared(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for others to read, who are told that a place has changed, and not which."""
    told = [
        one | {"text": "changed"} if one["name"] in _OF_PLACES and not _is_web(one["text"]) else one
        for one in row["told"]
    ]
    return {**row, "told": told}


def _is_web(text: str) -> bool:
    ends = text.split(" → ")
    return all(end == "none" or is_web_address(end) for end in ends)


def _ends(name: str, old: Any, new: Any, *, both: bool) -> str:
    if both:
        return f"{_text(name, old)} → {_text(name, new)}"
    return _text(name, old if new is None else new)


def _text(name: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{100 * value:.1f} %" if name.endswith("_rate") else f"{value:.6g}"
    return printable(value, 80)


def as_page(found: Standings, old: str, new: str) -> str:
    """Return the comparison as a self-contained HTML page.

    Parameters
    ----------
    found : Standings
    old, new : str
        How the two are called.

    Returns
    -------
    str
    """

    def shown(rows: Sequence[Entry], *names: str) -> list[AnyRow]:
        told = [_shared(as_words(row)) for row in rows]
        return [row | {"names": [shown_name(row[name], 200) for name in names]} for row in told]

    return (
        environment()
        .get_template("standings.html.j2")
        .render(
            title=printable(f"{old} → {new}"),
            lede=in_a_sentence(found),
            agents=shown(found.agents, "agent"),
            tasks=shown(found.tasks, "task_id"),
            pairs=shown(found.pairs[:MOST_ROWS], "task_id", "run_id", "agent"),
            left_out=max(len(found.pairs) - MOST_ROWS, 0),
            version=__version__,
            style=style(),
        )
    )
