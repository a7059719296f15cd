"""What every HTML page is made with: templates that escape, the style sheet, whole files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.runtime.shown_numbers import fixed
from biomlbench.runtime.words import counted
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

__all__ = ["ASSETS", "environment", "style", "write_whole"]

_HERE = Path(__file__).parent
ASSETS = _HERE / "assets"


def environment() -> jinja2.Environment:
    """Return the templates' environment: all that is put into a page is escaped."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"ticks": _ticks, "counted": counted, "fixed": fixed}
    return made


def _ticks(text: str) -> Markup:
    """Set what stands between backticks as code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def style() -> str:
    """Return the style sheet."""
    return (ASSETS / "report.css").read_text(encoding="utf-8").strip()


def write_whole(text: str, out: Path) -> None:
    """Write a page that appears only when it is complete."""
    with whole_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
