"""Leaderboards as Kaggle exports them, made into a task's ``leaderboard.csv``."""

from __future__ import annotations

import csv
from pathlib import Path

from biomlbench.errors import LeaderboardError
from biomlbench.importers import ImportRefusedError
from biomlbench.importers.groups import read_text
from biomlbench.scoring.leaderboard import leaderboard_of_columns, score_columns
from biomlbench.whole_files import named_output

__all__ = ["import_leaderboard"]


def import_leaderboard(
    source: str | Path, to: str | Path, direction: str
) -> tuple[int, tuple[str, ...]]:
    """Write a task's leaderboard from an export.

    Parameters
    ----------
    source : path
        CSV with a column of scores, as :func:`biomlbench.scoring.leaderboard.read_leaderboard`
        takes it. Names of teams and people are not taken over.
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
    text = read_text(source)
    if not text.strip():
        raise ImportRefusedError(f"{source}: is empty")
    try:
        board = leaderboard_of_columns(source, score_columns(source, text), direction)
    except LeaderboardError as error:
        raise ImportRefusedError(str(error)) from None
    scores = board.ascending.tolist()
    if direction == "maximize":
        scores.reverse()
    ranks: dict[float, int] = {}
    rows = [[ranks.setdefault(score, rank), repr(score)] for rank, score in enumerate(scores, 1)]
    with (
        named_output(to) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["rank", "score"])
        writer.writerows(rows)
    return len(scores), board.notes
