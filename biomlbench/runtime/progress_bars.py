"""Bars with the time left, on a terminal's standard error; silent everywhere else.

A library says nothing unless it is asked to: :func:`track` and :func:`bar` show something only
after a command line has called :func:`show_bars`, in its own process, on a terminal.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from biomlbench.plain_text import plain
from biomlbench.runtime.consoles import data_console

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Bar", "bar", "clock", "show_bars", "track"]

_Item = TypeVar("_Item")

_announced_by: int | None = None
"""Process that shows bars. A child that was forked holds a copy of the display, and no thread that
draws it."""
_display: Any = None
"""What is on the screen: one for all bars, since a terminal's last lines can be written by one."""


def show_bars() -> None:
    """Show bars from now on, where standard error is a terminal; for command lines."""
    global _announced_by
    _announced_by = os.getpid()


class Bar:
    """A bar that is moved on; without a display it does nothing.

    Parameters
    ----------
    display : rich.progress.Progress, optional
    words : str
    total : float, optional
    unit : str
        ``"bytes"``, ``"%"``, or empty for a number of things.
    """

    def __init__(self, display: Any, words: str, total: float | None, unit: str) -> None:
        self._display = display
        if display is not None:
            self._task = display.add_task(plain(words), total=total, unit=unit)

    def advance(self, step: float = 1) -> None:
        """Move on by a number of things."""
        if self._display is not None:
            self._display.advance(self._task, step)

    def reach(self, done: float) -> None:
        """Say how much is done in all."""
        if self._display is not None:
            self._display.update(self._task, completed=done)

    def expect(self, total: float | None) -> None:
        """Say how much there is to do, once it is known."""
        if self._display is not None:
            self._display.update(self._task, total=total)

    def _remove(self) -> None:
        if self._display is not None:
            self._display.remove_task(self._task)


@contextmanager
def bar(
    words: str, total: float | None = None, *, unit: str = "", shown: bool | None = None
) -> Iterator[Bar]:
    """Show a bar until the end of the block; below another one where there is one.

    Parameters
    ----------
    words : str
        What is being done.
    total : float, optional
        How much there is to do; without it the time that has passed is shown.
    unit : str
        ``"bytes"``, ``"%"``, or empty for a number of things.
    shown : bool, optional
        By default what :func:`show_bars` and the terminal say.

    Yields
    ------
    Bar

    Examples
    --------
    >>> with bar("reading", 3) as reading:  # no terminal: nothing is shown
    ...     reading.advance()
    """
    global _display
    if shown is None:
        shown = _announced_by == os.getpid() and sys.stderr.isatty()
    if not shown:
        yield Bar(None, words, total, unit)
        return
    if _display is not None:
        inner = Bar(_display, words, total, unit)
        try:
            yield inner
        finally:
            inner._remove()
        return
    with _new_display() as _display:
        try:
            yield Bar(_display, words, total, unit)
        finally:
            _display = None


def track(items: Iterable[_Item], words: str, total: int | None = None) -> Iterator[_Item]:
    """Go through items under a bar.

    Parameters
    ----------
    items : iterable
    words : str
        What is being done.
    total : int, optional
        How many items there are, where they come one by one.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(track("abc", "counting"))
    ['a', 'b', 'c']
    """
    known = list(items) if total is None else items
    with bar(words, len(known) if isinstance(known, list) else total) as shown:
        for item in known:
            yield item
            shown.advance()


def clock(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> clock(65.2), clock(3725)
    ('1:05', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _new_display() -> Any:
    from rich.filesize import decimal
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            unit = task.fields["unit"]

            def told(number: float) -> str:
                return decimal(int(number)) if unit == "bytes" else f"{number:,.0f}{unit}"

            alone = task.total is None or unit == "%"
            done = told(task.completed)
            return Text(done if alone else f"{done} of {told(task.total or 0)}")

    class Time(ProgressColumn):
        def render(self, task: Task) -> Text:
            if (left := task.time_remaining) is not None:
                return Text(f"{clock(left)} left")
            return Text(f"for {clock(task.elapsed or 0)}")

    console = data_console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Amount(),
        Time(),
        console=console,
        transient=console.is_terminal,  # who asks for a bar elsewhere gets its end as a line
        # The display sends what is printed meanwhile to its own stream, above the bar: right for a
        # terminal, but lines for a file or a pipe must arrive there.
        redirect_stdout=sys.stdout.isatty(),
    )
