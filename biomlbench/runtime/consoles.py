"""Rich's console for data: what is printed comes out as it is."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, NoReturn

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

    class DataConsole(Console):
        def on_broken_pipe(self) -> NoReturn:
            # Rich would end the process with 1, which says that the answer is no.
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return DataConsole(markup=False, emoji=False, highlight=False, **options)
