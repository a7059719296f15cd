"""Leaderboard: medals that noise or chance reaches, boards of another metric or direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.audit.doors import as_csv
from biomlbench.audit.findings import Found
from biomlbench.errors import TaskError
from biomlbench.outcomes import Gravity
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.scoring.medals import MEDALS, thresholds
from biomlbench.scoring.score import score_submission

from ._between import of_score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.subject import Subject
    from biomlbench.scoring.leaderboard import Leaderboard

ORDER = 60
SCORES = True
MEDAL = "whose leaderboard does not fit"
FINDINGS = {
    "board-refused": "correct the leaderboard, or the declared direction",
    "board-against-direction": "correct the direction, or use a leaderboard of this metric",
    "medal-by-chance": "use a leaderboard of this metric and of these data",
    "board-unreachable": "use a leaderboard of this metric and of these data",
    "board-below-trivial": "use a leaderboard of work that is better than a constant",
    "bands-within-noise": "use more test rows, or say that medals are not told apart",
    "ranks-collide": "say that some medals cannot be had, or use a larger leaderboard",
}
TRIES = 20


def find(subject: Subject) -> Iterable[Found]:
    """Compare the leaderboard with scores whose worth is known."""
    task, direction = EffectiveTask(subject.task), subject.task.direction
    try:
        board = task.read_leaderboard(direction)
    except TaskError as error:
        yield Found(
            name="board-refused", severity=Gravity.SEVERE, what=str(error).rpartition("/")[2]
        )
        return
    if board is None:
        return
    yield from subject.part(_unreachable(subject, board))
    yield from subject.part(_by_chance(subject, board))
    yield from subject.part(_noise(subject, board))
    limits = thresholds(board, direction)
    if limits.gold == limits.silver or limits.silver == limits.bronze:
        yield Found(
            name="ranks-collide", severity=Gravity.NOTE, what=task.medal_note(board, direction)
        )


def _unreachable(subject: Subject, board: Leaderboard) -> Iterator[Found]:
    lower = subject.task.direction == "minimize"
    first = float(board.ascending[0] if lower else board.ascending[-1])
    last = float(board.ascending[-1] if lower else board.ascending[0])
    median = float(np.median(board.ascending))
    if subject.better(first, subject.best):
        yield Found(
            name="board-unreachable",
            severity=Gravity.MODERATE,
            what=f"the best score of the board, {first:.6g}, is better than that of the answers",
            before=first,
            after=subject.best,
            submission=subject.perfect,
            here=subject.doors.here(subject.perfect).words,
        )
    worst = float(subject.by_chance.max() if lower else subject.by_chance.min())
    if not subject.better(first, subject.chance):
        name, severity = "board-below-trivial", Gravity.MODERATE
        what = f"no score of the board is better than that of chance, {subject.chance:.6g}"
        # A board of the other direction has its best teams at the end that looks worst here.
        if len(board) > 1 and subject.better(worst, median) and subject.better(worst, last):
            name, severity = "board-against-direction", Gravity.SEVERE
            what = f"half of the board is worse than anything that chance gives, {worst:.6g}"
        frame = subject.shuffled(0)
        here = subject.doors.here(frame)
        yield Found(name=name, severity=severity, what=what, before=first, after=here.score,
                    submission=frame, here=here.words)  # fmt: skip


def _by_chance(subject: Subject, board: Leaderboard) -> Iterator[Found]:
    if not len(subject.by_chance):
        return
    limits = thresholds(board, subject.task.direction)
    scores = subject.by_chance[:TRIES]
    lower = subject.task.direction == "minimize"
    first = int(scores.argmin() if lower else scores.argmax())
    for medal, limit in zip(MEDALS, limits[:3], strict=True):
        if not subject.better(limit, float(scores[first])):
            frame = subject.shuffled(first)
            yield Found(
                name="medal-by-chance",
                severity=Gravity.SEVERE if medal == "gold" else Gravity.MODERATE,
                what=f"one of {len(scores)} submissions without any knowledge earns {medal}",
                before=limit,
                after=float(scores[first]),
                submission=frame,
                here=subject.doors.here(frame).words,
            )
            return


def _noise(subject: Subject, board: Leaderboard) -> Iterator[Found]:
    """Compare the bands of the medals with the interval of one score among them."""
    limits = thresholds(board, subject.task.direction)
    band = abs(limits.gold - limits.bronze)
    if subject.task.metric is None or band == 0:
        return
    frame = of_score(subject, limits.silver)
    result = score_submission(as_csv(frame), subject.task, bootstrap=1000)
    if result.score_low is None or result.score_high is None:
        return
    width = result.score_high - result.score_low
    if width > 2 * band:
        yield Found(
            name="bands-within-noise",
            severity=Gravity.NOTE,
            what=f"from bronze to gold it is {band:.3g}, and the 95 % interval of a score between "
            f"them is {width:.3g} wide: chance of the test rows decides between medals",
        )
