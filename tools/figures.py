"""Draw the figures of the documentation's gallery.

`python tools/figures.py docs/assets/figures` draws every figure of the report, of tables that are
made up and always the same, so that each has something to show. The pictures have few colours, so
that they stay small.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.report import fixtures
from tools.pictures import shrink

PAIRS = 240
WEEKS = 8
AGENTS = {"heron": 0.9, "magpie": 0.6, "plover": 0.2, "siskin": -0.3, "wren": -1.5}
"""Invented agents, and their skill: nothing is said of real ones."""
COSTS = {"heron": 4.1, "magpie": 1.3, "plover": 2.2, "siskin": 0.4, "wren": 0.1}


def made_up(results: Path) -> None:
    """Write tables that are always the same, in which every figure has something to show."""
    fixtures.write(results, PAIRS, hostile=False, agents=AGENTS, costs=COSTS, weeks=WEEKS)


def draw(results: Path, out: Path) -> list[Path]:
    """Draw every figure of a results folder into `<out>/<name>.png`."""
    from biomlbench.report import plots
    from biomlbench.report.inputs import Tables

    out.mkdir(parents=True, exist_ok=True)
    tables = Tables.load(results)
    made = []
    for name in plots.names():
        made += plots.render(name, tables, out, ("png",))
        shrink(made[-1])
    return made


def main() -> None:
    """Draw all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--results", type=Path, help="by default tables that are made up")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        results = options.results
        if results is None:
            results = Path(scratch)
            made_up(results)
        for path in draw(results, options.out):
            print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
