"""Which runs of a task are the best, wherever a table, a page or a figure names one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Verdict
from biomlbench.scoring.lost_runs import lost_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

__all__ = ["best_runs", "standing"]

_SIGNS = {"maximize": 1.0, "minimize": -1.0}


def standing(runs: pd.DataFrame) -> pd.Series:
    """Return how well each run did, to be compared with other runs of its task.

    Parameters
    ----------
    runs : pandas.DataFrame
        ``score``, ``direction`` and, where they are there, ``verdict`` and what
        :func:`biomlbench.scoring.lost_runs.lost_runs` reads.

    Returns
    -------
    pandas.Series of float
        More is better: a run that passes comes before all that do not, whatever their scores,
        then the better score; equal scores are level. NaN for a run without a finite score, of
        unknown direction or that was lost.

    Examples
    --------
    >>> import pandas as pd
    >>> standing(pd.DataFrame({"score": [0.1, 0.4, 0.4, None], "direction": "minimize",
    ...                        "verdict": ["partial", "pass", "pass", "fail"]})).tolist()
    [0.0, 1.0, 1.0, nan]
    """
    import numpy as np
    import pandas as pd

    if "score" not in runs or "direction" not in runs:
        return pd.Series(np.nan, runs.index)
    signed = runs["score"].astype(float) * runs["direction"].map(_SIGNS).astype(float)
    told = np.isfinite(signed) & ~lost_runs(runs)
    passed = runs["verdict"].eq(Verdict.PASS) if "verdict" in runs else False
    keys = pd.DataFrame({"passed": passed, "signed": signed}, index=runs.index)[told]
    return keys.groupby(["passed", "signed"]).ngroup().astype(float).reindex(runs.index)


def best_runs(runs: pd.DataFrame, by: Sequence[str] = ("task_id",)) -> pd.Series:
    """Tell which runs are the best of their group: all that are level, none without a score.

    Parameters
    ----------
    runs : pandas.DataFrame
        As for :func:`standing`, with the columns `by`.
    by : sequence of str
        Columns that make a group, the task's id among them: scores of two tasks do not compare.

    Returns
    -------
    pandas.Series of bool
    """
    order = standing(runs)
    return order.notna() & order.eq(order.groupby([runs[name] for name in by]).transform("max"))
