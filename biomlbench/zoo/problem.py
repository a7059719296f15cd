"""From a task's public data to arrays, and from a fitted model to a submission."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd

    from biomlbench.contracts.mappings import Arguments

    from .models import Entry

__all__ = [
    "Problem",
    "fit_predict",
    "hashed_ngrams",
    "load_problem",
    "martingale_residuals",
    "tabular",
]


@dataclass(frozen=True)
class Problem:
    """A task's public data as arrays.

    Attributes
    ----------
    kind : str
        Kind of zoo: ``binary``, ``multiclass``, ``regression`` or ``multioutput``.
    x_train : ndarray, shape (n_train, n_features)
    y_train : ndarray, shape (n_train,) or (n_train, n_outputs)
    x_test : ndarray, shape (n_test, n_features)
    submit : callable
        From predictions (one row a test row) to the submission's DataFrame. Predictions are
        the probability of class 1 for ``binary``, labels for ``multiclass``, else values.
    """

    kind: str
    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    submit: Callable[[np.ndarray], pd.DataFrame]


def load_problem(task_folder: Path, public: Path) -> Problem:
    """Run a task's `baseline.py` on its public data.

    Raises
    ------
    TaskError
        If the task has none.
    """
    from biomlbench.task.loading import load_function

    result: Problem = load_function("baseline:problem", task_folder)(public)
    return result


def fit_predict(problem: Problem, entry: Entry, seed: int, share: float = 1.0) -> np.ndarray:
    """Fit one model of the zoo on the training data and predict the test rows.

    Parameters
    ----------
    problem : Problem
    entry : Entry
    seed : int
        For the model, and for the choice of rows if `share` is below 1.
    share : float
        Share of the training rows to fit on.

    Returns
    -------
    ndarray, one row a test row
        As :attr:`Problem.submit` wants it.
    """
    import numpy as np
    from threadpoolctl import threadpool_limits

    x, y = problem.x_train, problem.y_train
    if share < 1:
        rows = np.random.default_rng(seed).permutation(len(x))[: round(share * len(x))]
        x, y = x[np.sort(rows)], y[np.sort(rows)]
    model = entry.make(seed, regression=problem.kind in ("regression", "multioutput"))
    # one thread: the same sums on every machine, and no threads that wait for each other
    with threadpool_limits(1), warnings.catch_warnings():
        # a weak setting may not converge; that is a place on the board, not a fault
        warnings.simplefilter("ignore")
        model.fit(x, y)
        predictions: np.ndarray
        if problem.kind != "binary":
            predictions = model.predict(problem.x_test)
        elif hasattr(model, "predict_proba"):
            predictions = model.predict_proba(problem.x_test)[:, 1]
        else:
            predictions = 1 / (1 + np.exp(-model.decision_function(problem.x_test)))
        return predictions


def tabular(
    public: Path,
    target: str,
    kind: str,
    *,
    features: Callable[[pd.DataFrame], np.ndarray] | None = None,
    outcome: Callable[[pd.DataFrame], np.ndarray] | None = None,
    column: str | None = None,
) -> Problem:
    """Read a task that has `train.csv` and `test.csv`.

    Parameters
    ----------
    public : Path
    target : str
        Answer column.
    kind : str
        See :class:`Problem`.
    features : callable, optional
        From a table to features; by default its numeric columns but `id` and `target`.
    outcome : callable, optional
        From the training table to what the models are fitted to; by default `target`.
    column : str, optional
        Prediction column, by default `target`.

    Returns
    -------
    Problem
    """
    from biomlbench.task.toolbox import read_csv

    train, test = read_csv(public / "train.csv"), read_csv(public / "test.csv")
    names = [c for c in test.columns if c != "id"]

    def numeric(table: pd.DataFrame) -> np.ndarray:
        return table[names].to_numpy(dtype=float)

    features = features or numeric

    def submit(predictions: np.ndarray) -> pd.DataFrame:
        return test[["id"]].assign(**{column or target: predictions})

    y = outcome(train) if outcome else train[target].to_numpy()
    return Problem(kind, features(train), y, features(test), submit)


def hashed_ngrams(texts: Sequence[str], width: int = 512, longest: int = 4) -> np.ndarray:
    """Count character n-grams of texts (such as SMILES) in hashed columns.

    Parameters
    ----------
    texts : sequence of str
    width : int
        Number of columns.
    longest : int
        Longest n-gram.

    Returns
    -------
    ndarray, shape (n, width)
        ``log(1 + count)``; the column is the n-gram's CRC-32 modulo `width`.

    Examples
    --------
    >>> hashed_ngrams(["CCO", "c1ccccc1"], width=64).shape
    (2, 64)
    """
    import numpy as np

    counts = np.zeros((len(texts), width))
    columns: dict[str, int] = {}
    for row, text in zip(counts, texts, strict=True):
        for size in range(1, longest + 1):
            for start in range(len(text) - size + 1):
                gram = text[start : start + size]
                if (column := columns.get(gram)) is None:
                    column = columns[gram] = zlib.crc32(gram.encode()) % width
                row[column] += 1
    return np.log1p(counts)


def martingale_residuals(time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Return each subject's martingale residual under a model without covariates.

    A regression on them makes a survival model of any regressor: high is high risk.

    Parameters
    ----------
    time : ndarray, shape (n,)
        Follow-up times.
    event : ndarray, shape (n,)
        1 where the event happened, 0 where the subject was censored.

    Returns
    -------
    ndarray, shape (n,)
        ``event - H(time)`` with the Nelson-Aalen estimate H.

    References
    ----------
    Therneau, Grambsch, Fleming (1990) Biometrika 77:147-160.

    Examples
    --------
    >>> import numpy as np
    >>> martingale_residuals(np.array([1.0, 2.0]), np.array([1, 0])).tolist()
    [0.5, -0.5]
    """
    import numpy as np

    moments, position = np.unique(time, return_inverse=True)
    events = np.bincount(position, weights=event, minlength=len(moments))
    at_risk = np.bincount(position, minlength=len(moments))[::-1].cumsum()[::-1]
    result: np.ndarray = event - np.cumsum(events / at_risk)[position]
    return result


def describe(settings: Arguments) -> str:
    """Return settings as ``key=value`` separated by ``; ``."""
    return "; ".join(f"{key}={value}" for key, value in settings.items())
