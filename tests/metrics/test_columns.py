"""What is said of the columns that a metric compares is what it takes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from biomlbench.cli import main
from biomlbench.metrics import MetricError, get_metric, list_metrics
from biomlbench.metrics._base import KINDS
from biomlbench.metrics._columns import _OF_KIND, columns_of

NUMBERS = [name for name in list_metrics() if get_metric(name).kind in ("regression", "ranking")]


def test_every_kind_has_its_columns():
    assert set(_OF_KIND) == set(KINDS)


@pytest.mark.parametrize("name", NUMBERS)
def test_only_a_metric_of_several_columns_takes_two(name):
    metric = get_metric(name)
    two = np.array([[1.0, 4.0], [2.0, 3.0], [5.0, 1.0]])
    assert metric(two[:, 0], two[:, 0]) == pytest.approx(metric.best)
    if columns_of(metric).targets == "one or more columns of numbers":
        assert metric(two, two) == pytest.approx(metric.best)
    else:
        with pytest.raises(MetricError):
            metric(two, two)


def test_a_column_a_class_is_for_probabilities_and_the_area_under_the_curve():
    said = [
        name for name in list_metrics() if "a class" in columns_of(get_metric(name)).predictions
    ]
    assert said == ["log_loss", "roc_auc"]
    labels, of_classes = ["a", "b", "c"], np.eye(3) * 0.8 + 0.2 / 3
    for name in said:
        assert np.isfinite(get_metric(name)(labels, of_classes / of_classes.sum(axis=1)))
    with pytest.raises(MetricError):
        get_metric("average_precision")(labels, of_classes)


def test_the_command_lists_all_of_them(capsys):
    with pytest.raises(SystemExit) as left:
        main(["metrics", "--json"])
    assert not left.value.code
    rows = json.loads(capsys.readouterr().out)
    assert [row["metric"] for row in rows] == list_metrics()
    assert {row["metric"] for row in rows if row["several"]} >= {"matrix_rmse", "mean_spearman"}
