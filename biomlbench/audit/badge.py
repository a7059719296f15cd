"""A badge that says what the audit of a task came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Gravity

if TYPE_CHECKING:
    from .findings import Audit

__all__ = ["badge", "verdict"]

_COLOURS: dict[str, str] = {
    Gravity.SEVERE: "#b3261e",
    Gravity.MODERATE: "#a15c00",
    Gravity.MINOR: "#6b6200",
}
_CLEAN, _UNKNOWN = "#1b6e3c", "#5f6670"
_LABEL = "audit"
_WIDTH, _PADDING, _HEIGHT = 6.6, 12, 20
"""Of a letter at 11 px, of both sides of a text, and of the badge, in px."""


def verdict(audit: Audit) -> tuple[str, str]:
    """Return what a badge says, and its colour.

    Returns
    -------
    str, str
        The worst open finding and how many more of that severity; ``clean``; or that not all
        could be looked at.
    """
    if worst := audit.worst:
        number = sum(one.counts and one.severity == worst for one in audit.findings)
        return f"{number} {worst}", _COLOURS[worst]
    if not audit.clean:
        return "not in full", _UNKNOWN
    waived = sum(bool(one.waived) for one in audit.findings)
    return (f"clean, {waived} waived" if waived else "clean"), _CLEAN


def badge(audit: Audit) -> str:
    """Return the badge of an audit as SVG: no fonts, scripts or links of others."""
    said, colour = verdict(audit)
    left, right = (_WIDTH * len(text) + _PADDING for text in (_LABEL, said))
    width, middle = left + right, _HEIGHT - 6
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{_HEIGHT}" '
        f'role="img" aria-label="{_LABEL}: {said}">\n'
        f"<title>{_LABEL}: {said}</title>\n"
        f'<rect width="{width:.0f}" height="{_HEIGHT}" rx="3" fill="{colour}"/>\n'
        f'<path d="M3 0h{left - 3:.0f}v{_HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        'text-anchor="middle">\n'
        f'<text x="{left / 2:.0f}" y="{middle}">{_LABEL}</text>\n'
        f'<text x="{left + right / 2:.0f}" y="{middle}">{said}</text>\n'
        "</g>\n</svg>\n"
    )
