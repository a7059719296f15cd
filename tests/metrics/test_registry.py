"""How metrics are found, named and loaded."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import biomlbench.metrics
import biomlbench.structures
from biomlbench.metrics import (
    Metric,
    MetricError,
    UnknownMetricError,
    get_metric,
    list_metrics,
    metric,
)
from biomlbench.metrics._base import _METRICS
from biomlbench.metrics._errors import _ALSO_CALLED

MODULES = sorted(
    f"{package.__name__}{suffix}"
    for package in (biomlbench.metrics, biomlbench.structures)
    for suffix in ["", *(f".{m.name}" for m in pkgutil.iter_modules(package.__path__))]
)


def run(code):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_loads_nothing_heavy():
    out = run(
        """
        import sys
        import biomlbench.metrics
        print([m for m in ("numpy", "pandas", "scipy", "sklearn") if m in sys.modules])
        names = biomlbench.metrics.list_metrics()
        for name in ("roc_auc", "average_precision", "rmse", "mae", "r2", "pearson", "spearman",
                     "kendall", "accuracy", "precision", "recall", "f1", "mcc", "log_loss"):
            biomlbench.metrics.get_metric(name)([0, 1, 1], [0.0, 1.0, 1.0])
        biomlbench.metrics.get_metric("dice")([[[0, 1]]], [[[0, 1]]])
        print([m for m in ("pandas", "scipy", "sklearn") if m in sys.modules])
        """
    )
    assert out.split("\n")[:2] == ["[]", "[]"]


def test_a_new_file_is_found_by_itself(tmp_path):
    (tmp_path / "my_family.py").write_text(
        textwrap.dedent(
            """
            from biomlbench.metrics import metric

            @metric(direction="minimize", range=(0.0, float("inf")), best=0.0, kind="regression")
            def largest_error(y_true, y_pred):
                return float(max(abs(a - b) for a, b in zip(y_true, y_pred)))
            """
        )
    )
    out = run(
        f"""
        import biomlbench.metrics as m
        m.__path__.append({str(tmp_path)!r})
        print("largest_error" in m.list_metrics())
        print(m.get_metric("largest_error").bootstrap([0.0, 1.0], [0.0, 3.0], n_resamples=9).max())
        """
    )
    assert out.split() == ["True", "2.0"]


def test_a_metric_whose_parameters_are_in_another_order_is_refused():
    def swapped(y_pred, y_true):
        return 0.0

    with pytest.raises(ValueError, match=r"called with \(y_true, y_pred\)"):
        metric(direction="minimize", range=(0.0, 1.0), best=0.0, kind="regression")(swapped)


def test_names_are_read_kindly_and_unknown_ones_named():
    assert get_metric("TM-score") is get_metric("tm_score")
    with pytest.raises(UnknownMetricError, match=r"'auc'.*did you mean roc_auc\?.*known metrics"):
        get_metric("auc")
    for other, name in (("mean_absolute_error", "mae"), ("AUROC", "roc_auc"), ("R2 score", "r2")):
        with pytest.raises(UnknownMetricError, match=rf"did you mean {name}\?"):
            get_metric(other)
    assert set(_ALSO_CALLED.values()) <= set(list_metrics())
    assert not set(_ALSO_CALLED) & set(list_metrics())
    assert list_metrics() == sorted(list_metrics())


GOOD = {"direction": "maximize", "range": (0.0, 1.0), "best": 1.0, "kind": "labels"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"direction": "up"}, "direction"),
        ({"kind": "vibes"}, "kind"),
        ({"best": 0.0}, "no best value"),
        ({"direction": "minimize"}, "no best value"),
        ({"name": "Not-Snake"}, "snake case"),
        ({"name": "rmse"}, "give one of them another name"),
    ],
)
def test_contradictory_declarations_are_refused(change, message):
    list_metrics()
    before = dict(_METRICS)
    with pytest.raises(ValueError, match=message):
        metric(**{**GOOD, **change})(lambda y_true, y_pred: 1.0)
    assert before == _METRICS


def test_scores_come_as_python_floats_and_never_infinite():
    m = Metric("m", lambda t, p: np.float32(0.5), "maximize", (0, 1), 1, "labels")
    assert type(m([0], [0])) is float
    m = Metric("m", lambda t, p: np.nan, "maximize", (0, 1), 1, "labels")
    with pytest.raises(ValueError, match="not a finite number"):
        m([0], [0])


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


CHOICES = {
    ("f1", "average"): ("macro", "makro"),
    ("roc_auc", "multi_class"): ("ovo", "one"),
    ("dice", "reduction"): ("pooled", None),
    ("iou", "reduction"): ("mean", "sum"),
    ("panoptic_quality", "reduction"): ("mean", 1),
    ("lddt", "atoms"): ("all", "every"),
    ("concordance_index", "higher"): ("survival", True),
    ("hausdorff95", "percentile"): (90, "90"),
    ("hausdorff95", "spacing"): ([1.0, 2.0], "1"),
    ("rmsd", "min_coverage"): (0.5, True),
    ("log_loss", "labels"): (["a", "b"], "ab"),
}


@pytest.mark.parametrize(("name", "option"), CHOICES)
def test_a_value_that_an_option_cannot_have_is_told_with_those_it_can(name, option):
    good, bad = CHOICES[name, option]
    metric = get_metric(name)
    metric.check_options(metric.options)
    metric.check_options({option: good})
    with pytest.raises(ValueError, match=rf"option {option} of metric {name} is .*, not "):
        metric.check_options({option: bad})


def test_every_option_of_text_declares_its_values():
    texts = [
        (name, option)
        for name in list_metrics()
        for option, default in get_metric(name).options.items()
        if isinstance(default, str)
    ]
    assert texts
    for name, option in texts:
        with pytest.raises(ValueError, match=" or "):
            get_metric(name).check_options({option: "no such value"})


def test_a_measure_that_is_undefined_for_some_predictions_is_not_the_truths_fault():
    def spread(y_true, y_pred):
        return np.nan if np.ptp(y_pred) == 0 else 1.0

    found = Metric("m", spread, "maximize", (0, 1), 1, "regression")
    with pytest.raises(MetricError) as told:
        found([1.0, 2.0], [3.0, 3.0])
    assert told.value.fault == "submission"
    with pytest.raises(MetricError) as told:
        found([1.0, 1.0], [3.0, 3.0])
    assert told.value.fault == "task"
