"""Leaderboards: reading them as they were exported, and refusing the ones that cannot be right."""

from __future__ import annotations

import csv
import io
import logging
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import LeaderboardError
from biomlbench.frames import as_frame
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.scoring.score_cells import parse_scores
from biomlbench.submission.csv_hints import cells_hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np

    from biomlbench.scoring.medals import Thresholds

__all__ = [
    "Leaderboard",
    "as_leaderboard",
    "direction_of_file",
    "lower_is_better",
    "read_leaderboard",
]

logger = logging.getLogger(__name__)

# Columns are known by their names without spaces, underscores, hyphens and capitals.
#: Column by which an export tells teams apart.
TEAM_ID_COLUMNS = ("teamid",)
#: Columns that name teams, the best one first; an id comes before them.
TEAM_NAME_COLUMNS = ("teamname", "team")
#: Column with which an export says whether a team has a score.
HAS_SCORE_COLUMNS = ("hasscore",)
#: Columns that state a position, 1 for the best.
RANK_COLUMNS = ("rank", "position")
#: Columns of scores, the best one first.
SCORE_COLUMNS = ("score", "privatescore")
#: Marks that part columns; the first one counts that parts a column of scores from the others.
DELIMITERS = ",;\t"
#: Rows from which a file in exactly the wrong order counts as a contradiction: with fewer, a
#: shuffled file may look like that by chance (five different scores: 1 in 120).
CONTRADICTION_ROWS = 5
#: Largest file, MiB: a million teams with their names and dates.
MAX_MB = 128


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Scores to be ranked against.

    Attributes
    ----------
    ascending : ndarray of float, shape (n,)
        Finite scores, sorted.
    notes : tuple of str
        What was done to the file on reading it.
    name : str
        File, for messages.
    """

    ascending: np.ndarray
    notes: tuple[str, ...] = ()
    name: str = "leaderboard"
    _thresholds: dict[str, Thresholds] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.ascending)

    def _repr_html_(self) -> str:
        """Return size, range and median as a table, for notebooks."""
        import numpy as np

        from biomlbench.notebook import html_fields

        return html_fields(
            {
                "leaderboard": self.name,
                "teams": len(self),
                "lowest": float(self.ascending[0]),
                "median": float(np.median(self.ascending)),
                "highest": float(self.ascending[-1]),
                "notes": "; ".join(self.notes),
            }
        )


def as_leaderboard(
    scores: Any, name: str = "leaderboard", direction: str | None = None
) -> Leaderboard:
    """Return a leaderboard of scores in any order.

    Parameters
    ----------
    scores : Leaderboard, DataFrame or Table with a ``score`` column, or array_like of float
        The columns may be called what a file's may be, and rows count as in a file: of a team
        that occurs more than once the best score does.
    name : str
        Name for messages.
    direction : {"maximize", "minimize"}, optional
        Which score of a repeated team is its best.

    Raises
    ------
    LeaderboardError
        If there is no score, or one that is missing, NaN, infinite or no number; or a repeated
        team without a direction.

    Examples
    --------
    >>> as_leaderboard([0.5, 0.9, 0.7]).ascending.tolist()
    [0.5, 0.7, 0.9]
    """
    if isinstance(scores, Leaderboard):
        return scores
    columns = in_memory(scores, name)
    values = parse_scores(name, columns["score"])
    rows, notes = _counted(name, columns, values, direction)
    return _of_scores(values[rows], name, notes)


def in_memory(scores: Any, name: str) -> dict[str, Any]:
    """Return the columns of a table by their names, that of scores as ``score``.

    What is no table is a column of scores.
    """
    import numpy as np

    names = getattr(scores, "column_names", None)
    if names is not None:  # an Arrow table needs no pandas
        columns = [column.to_pylist() for column in scores.columns]
    else:
        scores = as_frame(scores)
        if (names := getattr(scores, "columns", None)) is None:
            if hasattr(scores, "to_numpy"):
                scores = scores.to_numpy()
            if not isinstance(scores, np.ndarray):  # of several types it would be made one
                scores = np.array(scores, dtype=object)
            return {"score": scores.ravel()}
        columns = [scores.iloc[:, place].to_numpy() for place in range(len(names))]
    names = [str(column).strip() for column in names]
    names[score_place(names, name)] = "score"
    return dict(zip(names, columns, strict=True))


def _of_scores(scores: np.ndarray, name: str, notes: Iterable[str] = ()) -> Leaderboard:
    import numpy as np

    if not len(scores):
        raise LeaderboardError(f"{name}: there are no scores; leave the leaderboard out instead")
    if np.isnan(scores).any():
        bad = np.flatnonzero(np.isnan(scores))
        raise LeaderboardError(
            f"{name}: {len(bad)} score(s) are missing, NaN or infinite, first in row {bad[0] + 1}"
        )
    return Leaderboard(np.sort(scores), tuple(notes), name)


_cache: dict[tuple[str, str | None, bool], tuple[tuple[int, int], Leaderboard]] = {}


def read_leaderboard(
    path: str | Path,
    direction: str | None = None,
    score_range: tuple[float, float] | None = None,
    *,
    team_names: bool = True,
) -> Leaderboard:
    """Read a leaderboard file and refuse one that contradicts the declared direction.

    Parameters
    ----------
    path : path
        CSV with a column ``score`` (or ``Private Score``), parted by commas, semicolons or tabs;
        all other columns are free, and capitals, spaces and underscores in their names do not
        matter. The rows may come in any order. Where a column tells teams apart (``teamId``, else
        ``TeamName``, else ``team``), rows without a score are left out, and of a team that occurs
        more than once the best score counts; ``notes`` says so. An empty name is no team's.
    direction : {"maximize", "minimize"}, optional
        Declared direction of the metric.
    score_range : tuple of float, optional
        Lowest and highest value that the metric can have.
    team_names : bool, optional
        Whether a name tells teams apart where there is no id. Published graders count every row,
        and published boards have several models of one name.

    Returns
    -------
    Leaderboard

    Raises
    ------
    LeaderboardError
        If the file cannot be read, has no score, or holds one that is missing, NaN, infinite
        or outside the range; or if it contradicts the direction: a ``rank`` column runs the
        other way, or all of at least five rows are in exactly the wrong order, worst first.

    Notes
    -----
    The file is read once for each state of it.
    """
    path = Path(path)
    try:
        state = path.stat()
    except OSError as error:
        raise LeaderboardError(f"{path}: cannot be read ({error.strerror})") from error
    key, stamp = (os.fspath(path), direction, team_names), (state.st_mtime_ns, state.st_size)
    cached = _cache.get(key)
    if cached is None or cached[0] != stamp:
        columns = read_score_columns(path)
        cached = _cache[key] = (stamp, leaderboard_of_columns(path, columns, direction, team_names))
    if score_range:
        board = cached[1]
        check_range(board.ascending, score_range, board.name, "the leaderboard is")
    return cached[1]


def leaderboard_of_columns(
    path: Path, columns: dict[str, list[str]], direction: str | None, team_names: bool = True
) -> Leaderboard:
    """Return the leaderboard that the columns of a file hold; see :func:`read_leaderboard`."""
    scores = parse_scores(path, columns["score"])
    rows, notes = _counted(path, columns, scores, direction, team_names=team_names)
    if direction is not None:
        rank = _known(columns, RANK_COLUMNS)
        ranks = [columns[rank][row] for row in rows] if rank else None
        _check_order(path, ranks, scores[rows], direction)
    for note in notes:
        logger.info("%s: %s", path, note)
    return _of_scores(scores[rows], str(path), notes)


def _counted(
    name: str | Path,
    columns: Mapping[str, Any],
    scores: np.ndarray,
    direction: str | None,
    *,
    team_names: bool = True,
) -> tuple[np.ndarray, list[str]]:
    """Return the rows that count, in their order, and what is to be said of the others.

    Where a column tells teams apart, they are those of each team's best score.
    """
    import numpy as np

    rows, notes = np.arange(len(scores)), []
    if team := _known(columns, TEAM_ID_COLUMNS + TEAM_NAME_COLUMNS * team_names):
        scored = ~np.isnan(scores)
        if has_score := _known(columns, HAS_SCORE_COLUMNS):
            scored &= np.array([str(cell).lower() != "false" for cell in columns[has_score]])
        if dropped := int((~scored).sum()):
            notes.append(f"{dropped} team(s) without a score left out")
        teams = ["" if cell is None or cell != cell else str(cell) for cell in columns[team]]
        rows = _best_of_each(name, teams, scores, rows[scored], team, direction, notes)
    return rows, notes


def _best_of_each(
    path: str | Path,
    teams: list[str],
    scores: np.ndarray,
    rows: np.ndarray,
    column: str,
    direction: str | None,
    notes: list[str],
) -> np.ndarray:
    """Return the rows with each team's best score, in the order of the file."""
    best: dict[str | int, int] = {}
    for row in rows.tolist():
        team = teams[row] or row
        held = best.get(team)
        if held is None:
            best[team] = row
        elif direction is None:
            raise LeaderboardError(
                f"{path}: row {row + 1} repeats a `{column}`, and which row is the best is "
                "unknown without a declared direction"
            )
        elif scores[row] < scores[held] if direction == "minimize" else scores[row] > scores[held]:
            best[team] = row
    if repeated := len(rows) - len(best):
        notes.append(f"{repeated} more row(s) of teams that are there already left out")
    import numpy as np

    return np.array(sorted(best.values()), dtype=np.intp)


def _known(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    """Return the name among a file's columns that is the first of those wanted."""
    plain: dict[str, str] = {}
    for name in sorted(names, key=lambda name: name not in wanted):
        plain.setdefault(re.sub(r"[\s_-]", "", name).lower(), name)
    return next((plain[name] for name in wanted if name in plain), None)


def read_score_columns(path: Path) -> dict[str, list[str]]:
    try:
        text = read_regular(path, MAX_MB).decode("utf-8-sig")
    except TooLargeError as error:
        raise LeaderboardError(
            f"{path}: larger than {MAX_MB} MiB; leave out columns other than the scores"
        ) from error
    except UnicodeDecodeError as error:
        raise LeaderboardError(
            f"{path}: is no text in UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    except OSError as error:
        raise LeaderboardError(f"{path}: cannot be read as CSV: {error.strerror}") from error
    return score_columns(path, text)


def score_columns(path: Path, text: str) -> dict[str, list[str]]:
    """Return the columns of a CSV by their names, that of scores as ``score``."""
    first = io.StringIO(text.lstrip("\r\n"), newline="").readline()
    try:
        headers = {mark: next(csv.reader([first], delimiter=mark), []) for mark in DELIMITERS}
        mark = next((mark for mark in DELIMITERS if _known(headers[mark], SCORE_COLUMNS)), ",")
        table = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=mark)
        header, *body = [line for line in table if line] or [[]]
    except csv.Error as error:
        raise LeaderboardError(f"{path}: cannot be read as CSV: {error}") from error
    names = [name.strip() for name in header]
    names[score_place(names, path)] = "score"
    for number, line in enumerate(body, 1):
        if len(line) != len(names):
            raise LeaderboardError(
                f"{path}: row {number} has {len(line)} cells where the header has {len(names)}"
                f"{cells_hint(len(line), len(names))}"
            )
    return {name: [line[i].strip() for line in body] for i, name in enumerate(names)}


def score_place(columns: Iterable[Any], where: str | Path) -> int:
    """Return which column of a file or of a table in memory holds the scores.

    Raises
    ------
    LeaderboardError
        If none does, or several do.
    """
    names = [str(name).strip() for name in columns]
    score = _known(names, SCORE_COLUMNS)
    if score is None:
        shown = str(names)[:300]
        raise LeaderboardError(
            f"{where}: there is no column `score` or `Private Score`, only {shown}"
        )
    if names.count(score) != 1:
        raise LeaderboardError(
            f"{where}: there is more than one column `{score}`; keep one of them"
        )
    return names.index(score)


def _check_order(path: Path, ranks: list[str] | None, scores: np.ndarray, direction: str) -> None:
    import numpy as np

    loss = scores if direction == "minimize" else -scores
    hint = (
        f"the metric is declared to be {direction}d; if that is right, the scores are not this "
        "metric's, or the file must be sorted best first"
    )
    if ranks is not None and all(rank.isascii() and rank.isdigit() for rank in ranks):
        stated = np.array(ranks, dtype=np.float64)
        if len(set(ranks)) > 1 and len(np.unique(loss)) > 1:
            if np.corrcoef(stated, np.argsort(np.argsort(loss)))[0, 1] < 0:
                raise LeaderboardError(f"{path}: the rank column runs against `score`; {hint}")
            return
    if len(np.unique(loss)) >= CONTRADICTION_ROWS and (np.diff(loss) <= 0).all():
        raise LeaderboardError(
            f"{path}: all {len(loss)} rows run from the worst score to the best; {hint}"
        )


def check_range(scores: np.ndarray, score_range: tuple[float, float], name: str, what: str) -> None:
    """Refuse finite scores that a metric cannot have; `what` says what is of another metric."""
    low, high = score_range
    for score in (scores.min(initial=high), scores.max(initial=low)):
        if not low <= score <= high:
            raise LeaderboardError(
                f"{name}: the score {score:g} is outside the metric's range "
                f"{low:g} to {high:g}; {what} of another metric"
            )


def lower_is_better(direction: str) -> bool:
    """Whether a direction is ``minimize``; refuse what is none.

    Raises
    ------
    ValueError
        If it is neither ``maximize`` nor ``minimize``.
    """
    if direction not in ("maximize", "minimize"):
        raise ValueError(f"direction is 'maximize' or 'minimize', not {direction!r}")
    return direction == "minimize"


def direction_of_file(path: str | Path) -> str | None:
    """Return the direction in which a whole leaderboard file is sorted, best first.

    Parameters
    ----------
    path : path

    Returns
    -------
    {"maximize", "minimize"} or None
        None where the rows are in no order, or all scores are equal.

    Raises
    ------
    LeaderboardError
        If the file cannot be read.
    """
    path = Path(path)
    scores = parse_scores(path, read_score_columns(path)["score"])
    return direction_of(scores[scores == scores])  # NaN is the one value unequal to itself


def direction_of(scores: Any) -> str | None:
    """Return the direction in which scores are sorted, best first; None where in neither.

    Examples
    --------
    >>> direction_of([0.9, 0.9, 0.4]), direction_of([0.1, 0.3, 0.2])
    ('maximize', None)
    """
    import numpy as np

    steps = np.diff(np.asarray(scores, dtype=np.float64))
    if not (steps != 0).any():
        return None
    if (steps <= 0).all():
        return "maximize"
    return "minimize" if (steps >= 0).all() else None
