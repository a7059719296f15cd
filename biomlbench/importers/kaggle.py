"""Leaderboards as Kaggle exports them, made into a task's ``leaderboard.csv``."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import LeaderboardError
from biomlbench.importers import ImportRefusedError
from biomlbench.importers.groups import read_text
from biomlbench.scoring.leaderboard import read_leaderboard
from biomlbench.workflow.table_rows import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["import_leaderboard"]

NAMES = {
    "score": "score",
    "privatescore": "score",
    "teamid": "teamId",
    "hasscore": "hasScore",
    "rank": "rank",
}
"""Columns that count, by their names without spaces, underscores and capitals."""


def import_leaderboard(
    source: str | Path, to: str | Path, direction: str
) -> tuple[int, tuple[str, ...]]:
    """Write a task's leaderboard from an export.

    Parameters
    ----------
    source : path
        CSV with a column of scores (``score``, ``Score``, ``Private Score``). Names of teams
        and people are not taken over.
    to : path
        The ``leaderboard.csv`` to write: columns ``rank`` and ``score``, best first. Equal
        scores share a rank.
    direction : {"maximize", "minimize"}
        Which way is better; never guessed.

    Returns
    -------
    teams : int
    notes : tuple of str
        What was left out.

    Raises
    ------
    ImportRefusedError
        If the file is no CSV, has no column of scores, or contradicts the direction.
    """
    source = Path(source)
    if source.suffix.lower() == ".zip":
        raise ImportRefusedError(f"{source}: unpack it, and name the CSV inside")
    try:
        lines = [line for line in csv.reader(io.StringIO(read_text(source))) if line]
    except csv.Error as error:
        raise ImportRefusedError(f"{source}: is no CSV ({error}); export it anew") from None
    if not lines:
        raise ImportRefusedError(f"{source}: is empty")
    plain = [name.strip().replace(" ", "").replace("_", "").lower() for name in lines[0]]
    columns = {NAMES[name]: number for number, name in enumerate(plain) if name in NAMES}
    if "score" not in columns:
        raise ImportRefusedError(
            f"{source}: no column of scores (`score`, `Private Score`) among "
            f"{shown(lines[0][:20], 300)}; name one so"
        )
    for number, line in enumerate(lines[1:], 1):
        if len(line) != len(plain):
            raise ImportRefusedError(
                f"{source}: row {number} has {len(line)} cells where the header has {len(plain)}"
            )
    with tempfile.TemporaryDirectory(prefix="biomlbench-") as folder:
        known = Path(folder) / source.name
        _write(known, list(columns), [[line[i] for i in columns.values()] for line in lines[1:]])
        try:
            board = read_leaderboard(known, direction)
        except LeaderboardError as error:
            raise ImportRefusedError(str(error).replace(str(known), str(source))) from None
    scores = board.ascending.tolist()
    if direction == "maximize":
        scores.reverse()
    ranks: dict[float, int] = {}
    rows = [[ranks.setdefault(score, rank), repr(score)] for rank, score in enumerate(scores, 1)]
    to = Path(to)
    to.parent.mkdir(parents=True, exist_ok=True)
    _write(to, ["rank", "score"], rows)
    return len(scores), board.notes


def _write(path: Path, header: list[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
