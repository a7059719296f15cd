"""Rich's console for data: what is printed comes out as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["data_console"]


def data_console(**options: Any) -> Console:
    """Return a console that takes no text for markup, emoji or something to be coloured.

    Parameters
    ----------
    options
        As for `rich.console.Console`.
    """
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, **options)
