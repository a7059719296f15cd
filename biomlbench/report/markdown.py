"""A task's description as HTML, which may come from anybody: no markup of its own, no pictures."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from biomlbench.plain_text import is_web_address, plain

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["as_html"]

MAX_CHARACTERS = 20_000
"""A longer description is cut; those of published tasks have up to 15,000."""
MAX_HTML = 10 * MAX_CHARACTERS
"""What becomes longer is shown as it was written: one address may stand in thousands of links,
one row make thousands of cells. Those of published tasks become two to four times as long."""
_BELOW = 2
"""Levels by which headings are lowered, so that the page keeps one outline."""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # what a picture shows would be loaded from elsewhere
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def as_html(text: str) -> str:
    r"""Render Markdown.

    Parameters
    ----------
    text : str
        The first heading is left out: a page has the task's name already.

    Returns
    -------
    str
        HTML in which all markup of the text is escaped, and links lead to web addresses alone;
        of at most :data:`MAX_HTML` characters.

    Examples
    --------
    >>> as_html("# Name\n\nSee *this* <b>&</b>.").strip()
    '<p>See <em>this</em> &lt;b&gt;&amp;&lt;/b&gt;.</p>'
    """
    cut = plain(text[:MAX_CHARACTERS])[:MAX_CHARACTERS]
    lines = cut.lstrip().split("\n")
    if lines[0].startswith("# "):
        lines = lines[1:]
    tokens = _parser().parse("\n".join(lines))
    for token in tokens:
        if token.tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            token.tag = f"h{min(6, int(token.tag[1]) + _BELOW - 1)}"
        for child in token.children or ():
            if child.type == "link_open" and not is_web_address(str(child.attrGet("href") or "")):
                child.attrs = {}
    every = [one for token in tokens for one in (token, *(token.children or ()))]
    # Before it is rendered, too, which would take the memory for all of it.
    if sum(map(_least, every)) <= MAX_HTML:
        rendered: str = _parser().renderer.render(tokens, _parser().options, {})
        if len(rendered) <= MAX_HTML:
            return rendered
    return f"<pre><code>{escape(cut)}</code></pre>\n"


def _least(token: Token) -> int:
    """Return how long a token is at least as HTML."""
    attributes = sum(len(str(value)) for value in token.attrs.values())
    return attributes + (len(token.tag) + 2 if token.tag else len(token.content))
