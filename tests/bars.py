"""Records how far bars are moved, without a terminal."""

from __future__ import annotations

from biomlbench.runtime import progress_bars


class Recorded(progress_bars.Bar):
    """A bar that keeps in `found`, by its words, how far it came and how far it was to go."""

    found: dict[str, list[float | None]]

    def __init__(self, display, words, total, unit):
        self.words = words
        self.found[words] = [0, total]

    def advance(self, step=1):
        self.found[self.words][0] += step

    def reach(self, done):
        self.found[self.words][0] = done

    def expect(self, total):
        self.found[self.words][1] = total


def recorded(monkeypatch):
    """Put the recorder in place of bars; return the function that tells of one bar's end."""
    Recorded.found = {}
    monkeypatch.setattr(progress_bars, "Bar", Recorded)

    def came_to_its_end(words):
        done, total = Recorded.found[words]
        return total is not None and done == total > 0

    return came_to_its_end
