"""What a metric is: its declaration, and the table of all metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biomlbench.by_name import NameTakenError, source_file
from biomlbench.parameter_order import contradiction, parameter_names
from biomlbench.plain_text import as_python

from ._option_values import allowed_instead
from ._truth_first import fault_of_truth, plain_score, truth_first

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from biomlbench.contracts.mappings import Arguments

    from ._errors import MetricError

__all__ = ["KINDS", "Metric", "metric", "registered"]

#: Kinds of input, and what ``y_true`` and ``y_pred`` are for each.
KINDS: Mapping[str, str] = {
    "binary": "two classes; real scores, higher for the positive class",
    "labels": "class labels; class labels",
    "probabilities": "class labels; probability of the positive class or of every class",
    "regression": "real values; real values",
    "ranking": "real values; real values of which only the order counts",
    "survival": "(n, 2) array of time and event; risk score",
    "mask": "list of binary masks; list of binary masks",
    "instance_mask": "list of integer label images; list of integer label images",
    "structure": "list of structures or their files; list of structures or their files",
}


@dataclass(frozen=True)
class Metric:
    """A metric and what is declared about it.

    Attributes
    ----------
    name : str
        Name in snake case, as a task's config gives it.
    function : callable
        ``function(y_true, y_pred, **options) -> float``; raises :class:`MetricError`.
    direction : {"maximize", "minimize"}
        Which way is better.
    range : tuple of float
        Lowest and highest possible value.
    best : float
        Value of a perfect prediction.
    kind : str
        Kind of input, one of :data:`KINDS`.
    decomposable : bool
        The score is a function of sums over rows, so that resamples cost a matrix product.
    rank_invariant : bool
        A strictly increasing transform of the predictions leaves the score unchanged.
    symmetric : bool
        Swapping truth and predictions leaves the score unchanged (default options).
    several : bool
        Truth and predictions may have several columns, one a target.
    resampler : callable or None
        ``resampler(y_true, y_pred, **options)`` returns a function from a (b, n) float array
        of counts to b scores: the vectorised form behind :meth:`resampled`. It refuses what
        the metric refuses.
    """

    name: str
    function: Callable[..., float]
    direction: str
    range: tuple[float, float]
    best: float
    kind: str
    decomposable: bool = False
    rank_invariant: bool = False
    symmetric: bool = False
    several: bool = False
    resampler: Callable[..., Callable[[np.ndarray], np.ndarray]] | None = field(
        default=None, repr=False
    )

    @property
    def is_lower_better(self) -> bool:
        """Whether a smaller score is the better one."""
        return self.direction == "minimize"

    @property
    def options(self) -> Arguments:
        """Options of the metric with their defaults."""
        import inspect

        parameters = list(inspect.signature(self.function).parameters.values())[2:]
        return {p.name: p.default for p in parameters}

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Refuse options that the metric does not have, and values that they cannot have.

        Raises
        ------
        ValueError
            Naming the unknown option and the ones there are, or the value and the ones allowed.
        """
        unknown = sorted(set(options) - set(self.options))
        if unknown:
            known = ", ".join(sorted(self.options)) or "none"
            raise ValueError(
                f"metric {self.name} has no option {', '.join(unknown)}; its options: {known}"
            )
        for name, value in options.items():
            if allowed := allowed_instead(self.function, name, value):
                raise ValueError(
                    f"option {name} of metric {self.name} is {allowed}, not "
                    f"{as_python(value)!r:.100}"
                )

    def __call__(self, y_true: Any, y_pred: Any, **options: Any) -> float:
        """Score predictions; the result is a finite Python float.

        Raises
        ------
        MetricError
            The score does not exist. Where the truth has none for any predictions, that is told
            first, by the task's fault.
        """
        with truth_first(self, y_true, y_pred, options):
            return plain_score(self, y_true, y_pred, options)

    def fault_of_truth(self, y_true: Any, like: Any, **options: Any) -> MetricError | None:
        """Try whether a truth can be scored against: by itself, and by itself in another order.

        Parameters
        ----------
        y_true
            As for the metric itself.
        like
            Predictions, of which only the shape counts.
        **options
            Options of the metric.

        Returns
        -------
        MetricError or None
            Why no predictions of this shape have a score, or why those have none that are as
            large as the truth.

        Examples
        --------
        >>> from biomlbench.metrics import get_metric
        >>> print(get_metric("spearman").fault_of_truth([1.0, 1.0], [0.0, 0.0]))
        all values of the truth are equal: Spearman's correlation is undefined
        """
        return fault_of_truth(self, y_true, like, options)

    def units(self, y_true: Any) -> int:
        """Return how many rows, images or structures a truth has, of which resamples are drawn.

        Examples
        --------
        >>> from biomlbench.metrics import get_metric
        >>> import numpy as np
        >>> get_metric("dice").units(np.ones((64, 64))), get_metric("rmse").units([1.0, 2.0])
        (1, 2)
        """
        from ._resample import units

        return units(self, y_true)

    def resampled(self, y_true: Any, y_pred: Any, counts: np.ndarray, **options: Any) -> np.ndarray:
        """Score many resamples of the rows at once.

        Parameters
        ----------
        y_true, y_pred
            As for the metric itself, n rows.
        counts : (B, n) array of int
            How often each row occurs in each of B resamples.
        **options
            Options of the metric.

        Returns
        -------
        (B,) array of float
            The score of each resample; NaN where it does not exist (a resample of one
            class, or with constant predictions).

        Raises
        ------
        MetricError
            The score of the rows as given does not exist.
        """
        from ._resample import resampled

        return resampled(self, y_true, y_pred, counts, options)

    def bootstrap(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        n_resamples: int = 1000,
        seed: int = 0,
        **options: Any,
    ) -> np.ndarray:
        """Score bootstrap resamples of the rows (images, targets), drawn with a seed.

        Parameters
        ----------
        y_true, y_pred
            As for the metric itself.
        n_resamples : int
            Number of resamples B.
        seed : int
            Seed of the draw; the same seed gives the same result, bit for bit.
        **options
            Options of the metric.

        Returns
        -------
        (n_resamples,) array of float
            Scores; NaN for a resample whose score does not exist.

        References
        ----------
        Efron B. Bootstrap methods: another look at the jackknife. Ann. Statist. 7 (1979) 1-26.
        """
        from ._resample import bootstrap

        return bootstrap(self, y_true, y_pred, n_resamples, seed, options)


_METRICS: dict[str, Metric] = {}


def registered() -> Mapping[str, Metric]:
    """Return the table of metrics registered so far."""
    return _METRICS


def metric(
    *,
    direction: str,
    range: tuple[float, float],  # noqa: A002
    best: float,
    kind: str,
    name: str | None = None,
    decomposable: bool = False,
    rank_invariant: bool = False,
    symmetric: bool = False,
    several: bool = False,
    resampler: Callable[..., Callable[[np.ndarray], np.ndarray]] | None = None,
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Register a function as a metric; the function itself is returned unchanged.

    Parameters
    ----------
    direction, range, best, kind, decomposable, rank_invariant, symmetric, several, resampler
        See :class:`Metric`.
    name : str, optional
        Name of the metric; by default the function's.

    Raises
    ------
    ValueError
        The declaration contradicts itself, or another function has the name
        (:class:`~biomlbench.by_name.NameTakenError`).

    Examples
    --------
    >>> @metric(direction="minimize", range=(0.0, float("inf")), best=0.0, kind="regression",
    ...         name="largest_error_of_the_example")
    ... def largest_error(y_true, y_pred):
    ...     return max(abs(a - b) for a, b in zip(y_true, y_pred))
    >>> registered()["largest_error_of_the_example"]([1, 2], [1, 5])
    3.0
    >>> del _METRICS["largest_error_of_the_example"]
    """
    low, high = range
    if direction not in ("maximize", "minimize"):
        raise ValueError(f"direction is 'maximize' or 'minimize', not {direction!r}")
    if kind not in KINDS:
        raise ValueError(f"kind is one of {', '.join(KINDS)}, not {kind!r}")
    if best != (high if direction == "maximize" else low):
        raise ValueError(f"a metric to {direction} in {range} has no best value {best}")

    def register(function: Callable[..., float]) -> Callable[..., float]:
        key = name or function.__name__
        if key != key.lower() or not key.isidentifier():
            raise ValueError(f"a metric's name is in snake case, not {key!r}")
        if told := contradiction(parameter_names(function), ("y_true", "y_pred")):
            raise ValueError(f"metric {key}: {told}; write them in this order")
        present = _METRICS.get(key)
        if present is not None and _place(present.function) != _place(function):
            raise NameTakenError(key, source_file(present.function), source_file(function))
        _METRICS[key] = Metric(
            name=key,
            function=function,
            direction=direction,
            range=(float(low), float(high)),
            best=float(best),
            kind=kind,
            decomposable=decomposable,
            rank_invariant=rank_invariant,
            symmetric=symmetric,
            several=several,
            resampler=resampler,
        )
        return function

    return register


def _place(function: Callable[..., Any]) -> tuple[str, str]:
    """Return module and qualified name: a reloaded module may register its functions again."""
    return function.__module__, function.__qualname__
