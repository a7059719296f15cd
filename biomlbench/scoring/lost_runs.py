"""Which runs were lost: without a result, by a fault that is not the agent's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Fault, Verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FAIR", "is_lost", "lost_runs"]

FAIR: tuple[str, ...] = (Fault.NONE, Fault.SUBMISSION)
"""Whose fault leaves a run to the agent: nobody's, or its submission's."""
_LAST = "medal"
"""The stage that only ranks what has been scored and judged."""


def lost_runs(runs: pd.DataFrame) -> pd.Series:
    """Tell which runs have no result, by a fault that is not the agent's.

    Parameters
    ----------
    runs : pandas.DataFrame
        ``fault`` and, where they are there, ``verdict``, ``stage`` and ``valid_submission``;
        without ``fault`` no run is lost.

    Returns
    -------
    pandas.Series of bool

    Notes
    -----
    What a score is only ranked against (a refused leaderboard, broken human baselines) or why a
    medal is withheld can be the task's fault; score and verdict stand then, and the run is
    counted by them. Were it left out, a task with such a fault would keep its failed runs, whose
    fault is the submission's, and lose those that passed.

    Examples
    --------
    >>> import pandas as pd
    >>> lost_runs(pd.DataFrame({"fault": ["task", "task", "submission"],
    ...                         "verdict": ["pass", "fail", "fail"]})).tolist()
    [False, True, False]
    """
    import pandas as pd

    if "fault" not in runs:
        return pd.Series(data=False, index=runs.index)
    lost = ~runs["fault"].fillna(Fault.NONE).isin(FAIR)
    if "verdict" in runs:
        lost &= runs["verdict"].ne(Verdict.PASS)
    if {"stage", "valid_submission"} <= set(runs):
        valid = runs["valid_submission"].astype("boolean").fillna(value=False).astype(bool)
        lost &= ~(valid & runs["stage"].eq(_LAST))
    return lost


def is_lost(fault: str | None, verdict: str | None) -> bool:
    """Tell of one run what :func:`lost_runs` tells of many.

    Parameters
    ----------
    fault, verdict : str or None

    Examples
    --------
    >>> is_lost("grader", "partial"), is_lost("task", "pass"), is_lost("submission", "fail")
    (True, False, False)
    """
    return (fault or Fault.NONE) not in FAIR and verdict != Verdict.PASS
