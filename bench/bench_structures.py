"""How fast TM-score plus GDT-TS of two pairs is, against Debian's TMscore (package tm-align).

Both read the two files and score them. TMscore is a program of its own, so its time holds the
start of a process (about a millisecond); ours is measured in a running Python, as a grading
job has it. Runs of the two alternate, and the medians are compared.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.structures import compare_structures

if TYPE_CHECKING:
    from collections.abc import Callable

#: How many times as fast as TMscore ours has to be.
TARGET = 1.0
PAIRS = {"dockq_native_A": 374, "afm_complex_1316": 1316}
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "structures"
REPEATS, QUICK_REPEATS = 9, 3


def ours(model: Path, native: Path) -> tuple[float, float]:
    """Return TM-score and GDT-TS."""
    result = compare_structures(model, native, measures=("tm_score", "gdt_ts"))
    return result.tm_score, result.gdt_ts


def tmscore(model: Path, native: Path) -> tuple[float, float]:
    """Return TM-score and GDT-TS by the program."""
    # Short names in the working directory: the program cuts long ones.
    output = subprocess.run(
        ["TMscore", model.name, native.name],
        cwd=model.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    tm = re.search(r"^TM-score\s*=\s*([0-9.]+)", output, re.MULTILINE)
    gdt = re.search(r"^GDT-TS-score=\s*([0-9.]+)", output, re.MULTILINE)
    if tm is None or gdt is None:
        raise RuntimeError(f"TMscore printed no score: {output[-1000:]}")
    return float(tm[1]), float(gdt[1])


def seconds(function: Callable[..., Any], *args: Any) -> float:
    """Return the wall time of a call."""
    start = time.perf_counter()
    function(*args)
    return time.perf_counter() - start


def run(quick: bool = False, data: Path = DATA) -> list[dict[str, Any]]:
    """Measure both ways on the same files.

    Parameters
    ----------
    quick : bool
        Fewer repeats.
    data : Path
        Folder of the structures.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` and ``peer`` (seconds), ``ratio``, ``target`` and ``ok``; empty
        where TMscore or the structures are not there.
    """
    if shutil.which("TMscore") is None or not data.is_dir():
        return []
    rows = []
    for pair, n_residues in PAIRS.items():
        files = data / f"{pair}_model.pdb", data / f"{pair}_native.pdb"
        scores, expected = ours(*files), tmscore(*files)
        if any(own < theirs - 0.005 for own, theirs in zip(scores, expected, strict=True)):
            raise AssertionError(f"the two ways disagree: {scores} and {expected}")
        times = [
            (seconds(ours, *files), seconds(tmscore, *files))
            for _ in range(QUICK_REPEATS if quick else REPEATS)
        ]
        own, peer = (statistics.median(column) for column in zip(*times, strict=True))
        rows.append(
            {
                "figure": f"TM-score and GDT-TS of {n_residues} residues, against TMscore",
                "ours": own,
                "peer": peer,
                "ratio": peer / own,
                "target": TARGET,
                "ok": peer / own >= TARGET,
            }
        )
    return rows


if __name__ == "__main__":
    measured = run()
    if not measured:
        print(f"nothing to compare: TMscore (package tm-align) or {DATA} is not there")
    for row in measured:
        print(
            f"{row['figure']}: {row['ours'] * 1e3:.1f} ms, {row['peer'] * 1e3:.1f} ms: "
            f"{row['ratio']:.1f}x (target {row['target']:g}x)"
        )
