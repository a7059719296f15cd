"""The zoo's models and settings, by kind of problem.

Settings span each model's usual range instead of being tuned to a task, so a leaderboard made
from them has weak, middling and strong places. The same list serves every task of a kind.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.contracts.mappings import Arguments

__all__ = ["KINDS", "Entry", "entries", "find_entry"]

#: Models to which the scale of a feature means nothing.
_UNSCALED = (
    "AdaBoost",
    "DecisionTree",
    "Dummy",
    "ExtraTrees",
    "GradientBoosting",
    "HistGradientBoosting",
    "RandomForest",
)

KINDS = ("binary", "multiclass", "regression", "multioutput")


@dataclass(frozen=True)
class Entry:
    """One model with one choice of settings.

    Attributes
    ----------
    name : str
        Unique within its kind, e.g. ``ridge-10``.
    model : str
        Class in scikit-learn.
    settings : dict
        Arguments that differ from the class's defaults.
    """

    name: str
    model: str
    settings: Arguments

    def suits(self, rows: int, features: int) -> bool:
        """Return whether the settings have room in a training set of that shape.

        Parameters
        ----------
        rows, features : int

        Returns
        -------
        bool
            Neither more components than features or rows, nor more neighbours than rows.

        Examples
        --------
        >>> find_entry("regression", "pls-4").suits(rows=100, features=3)
        False
        """
        components = self.settings.get("n_components", 1)
        neighbours = self.settings.get("n_neighbors", 1)
        return bool(components <= min(rows, features) and neighbours <= rows)

    def make(self, seed: int, *, regression: bool) -> Any:
        """Build the estimator; unless it is made of trees, on standardised features.

        Parameters
        ----------
        seed : int
            For models that draw random numbers.
        regression : bool
            Standardise the target too.

        Returns
        -------
        sklearn estimator
        """
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        estimator = _classes()[self.model](**self.settings)
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        if self.model.startswith(_UNSCALED):
            return estimator
        pipeline = make_pipeline(StandardScaler(), estimator)
        if not regression:
            return pipeline
        return TransformedTargetRegressor(pipeline, transformer=StandardScaler())


def entries(kind: str) -> list[Entry]:
    """Return the zoo for a kind of problem.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.

    Returns
    -------
    list of Entry
        At least 30, with unique names.
    """
    return list(_table(kind))


def find_entry(kind: str, name: str) -> Entry:
    """Return the zoo's entry of that name.

    Raises
    ------
    KeyError
        If there is none.
    """
    return {entry.name: entry for entry in _table(kind)}[name]


@functools.cache
def _table(kind: str) -> tuple[Entry, ...]:
    makers: dict[str, Callable[[], list[Entry]]] = {
        "binary": _classifiers,
        "multiclass": _classifiers,
        "regression": _regressors,
        "multioutput": _multioutput,
    }
    return tuple(makers[kind]())


def _sweep(
    prefix: str, model: str, key: str, values: list[Any], fixed: Arguments | None = None
) -> list[Entry]:
    """One entry for each value of one setting."""
    return [
        Entry(f"{prefix}-{_word(value)}", model, {key: value, **(fixed or {})}) for value in values
    ]


def _word(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


def _forests(suffix: str) -> list[Entry]:
    """Tree ensembles and trees that classification and regression share."""
    forest, extra = f"RandomForest{suffix}", f"ExtraTrees{suffix}"
    many = {"n_estimators": 200, "n_jobs": 1}
    return [
        *_sweep("tree-depth", f"DecisionTree{suffix}", "max_depth", [1, 3, 6, None]),
        *_sweep("forest-features", forest, "max_features", [0.1, 0.3, 1.0], many),
        *_sweep("forest-leaf", forest, "min_samples_leaf", [5, 20], many),
        *_sweep("extra-features", extra, "max_features", [0.1, 0.3, 1.0], many),
        *_sweep("extra-leaf", extra, "min_samples_leaf", [5], many),
    ]


def _boosting(suffix: str) -> list[Entry]:
    boost, hist = f"GradientBoosting{suffix}", f"HistGradientBoosting{suffix}"
    slow = {"learning_rate": 0.05, "n_estimators": 200, "max_features": 0.3}
    return [
        *_sweep("boost-depth", boost, "max_depth", [1, 3, 5], slow),
        *_sweep("histboost-rate", hist, "learning_rate", [0.03, 0.1]),
    ]


def _classifiers() -> list[Entry]:
    wide = {"max_iter": 5000}
    net = {"max_iter": 500, "early_stopping": True}
    return [
        Entry("prior", "DummyClassifier", {"strategy": "prior"}),
        *_sweep("logistic", "LogisticRegression", "C", [0.001, 0.01, 0.1, 1.0, 10.0], wide),
        *_sweep(
            "lda-shrink", "LinearDiscriminantAnalysis", "shrinkage", [0.1, 0.5], {"solver": "lsqr"}
        ),
        Entry("naive-bayes", "GaussianNB", {}),
        *_sweep("knn", "KNeighborsClassifier", "n_neighbors", [1, 5, 15, 45]),
        *_sweep("svm-rbf", "SVC", "C", [0.1, 1.0, 10.0]),
        *_sweep("svm-linear", "SVC", "C", [0.01, 1.0], {"kernel": "linear"}),
        *_sweep("sgd", "SGDClassifier", "alpha", [0.001, 0.1], {"loss": "modified_huber"}),
        *_forests("Classifier"),
        *_boosting("Classifier"),
        *_sweep("adaboost", "AdaBoostClassifier", "n_estimators", [50]),
        *_sweep("net", "MLPClassifier", "hidden_layer_sizes", [(20,), (100, 50)], net),
    ]


def _linear() -> list[Entry]:
    """Regressors that also predict several targets at once."""
    return [
        Entry("mean", "DummyRegressor", {"strategy": "mean"}),
        *_sweep("ridge", "Ridge", "alpha", [0.1, 1.0, 10.0, 100.0, 1000.0]),
        *_sweep("pls", "PLSRegression", "n_components", [1, 2, 4, 8]),
        *_sweep("knn", "KNeighborsRegressor", "n_neighbors", [1, 3, 8, 25]),
        *_sweep("knn-distance", "KNeighborsRegressor", "n_neighbors", [8], {"weights": "distance"}),
        *_sweep("kernel-ridge", "KernelRidge", "alpha", [0.01, 0.1, 1.0], {"kernel": "rbf"}),
    ]


def _regressors() -> list[Entry]:
    net = {"max_iter": 300, "early_stopping": True}
    return [
        *_linear(),
        *_sweep("lasso", "Lasso", "alpha", [0.01, 0.1], {"max_iter": 5000}),
        *_sweep("elastic", "ElasticNet", "alpha", [0.03], {"max_iter": 5000}),
        Entry("bayesian-ridge", "BayesianRidge", {}),
        *_sweep("svr", "SVR", "C", [0.1, 1.0, 10.0]),
        *_forests("Regressor"),
        *_boosting("Regressor"),
        *_sweep("adaboost", "AdaBoostRegressor", "n_estimators", [50]),
        *_sweep("net", "MLPRegressor", "hidden_layer_sizes", [(20,), (100, 50)], net),
    ]


def _multioutput() -> list[Entry]:
    net = {"max_iter": 500}
    return [
        *_linear(),
        *_forests("Regressor"),
        *_sweep("net", "MLPRegressor", "hidden_layer_sizes", [(20,), (100, 50)], net),
    ]


@functools.cache
def _classes() -> Arguments:
    from sklearn.utils import all_estimators

    return dict(all_estimators(type_filter=["classifier", "regressor"]))
