"""Audit the tasks of `tests/audit/zoo.py`, flawed and sound; prints a Markdown table.

python tools/audit_zoo.py [NAME ...]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from biomlbench.audit import audit_task
from biomlbench.calibrate.intervals import wilson
from tests.audit.zoo import FLAWED, SOUND


def main() -> None:
    """Print a row a task and the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    wanted = parser.parse_args().names
    makers = {name: make for name, (_, make) in FLAWED.items()} | SOUND
    print("| task | planted | as it should be | found | tried | CPU, s |")
    print("|---|---|---|---|---|---|")
    right = {True: 0, False: 0}
    for name in wanted or makers:
        start = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            audit = audit_task(makers[name]().write(Path(folder)))
        found = {one.name: one.severity for one in audit.findings}
        planted = FLAWED[name][0] if name in FLAWED else ""
        told = {one for one, severity in found.items() if severity != "note"}
        good = planted in told if planted else audit.clean and not told
        right[bool(planted)] += good
        words = ", ".join(f"{one} ({severity})" for one, severity in found.items())
        mark = "yes" if good else "NO"
        spent = time.process_time() - start
        print(f"| {name} | {planted} | {mark} | {words} | {audit.tried} | {spent:.1f} |")
    if not wanted:
        print("\n| tasks | | of | share | 95 % interval |")
        print("|---|---|---|---|---|")
        print(shown("planted flaws found", right[True], len(FLAWED)))
        print(shown("sound tasks with a false alarm", len(SOUND) - right[False], len(SOUND)))


def shown(what: str, count: int, of: int) -> str:
    """Return a row with a share and its interval."""
    share = wilson(count, of)
    return f"| {what} | {count} | {of} | {count / of:.0%} | {share.low:.0%} to {share.high:.0%} |"


if __name__ == "__main__":
    main()
