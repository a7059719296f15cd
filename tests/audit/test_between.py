"""The interval of a made submission is as wide as that of honest work of the same score."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy.ndimage import gaussian_filter
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from biomlbench.audit import audit_task
from biomlbench.audit.detectors._between import of_score
from biomlbench.audit.doors import as_csv
from biomlbench.audit.subject import Subject
from biomlbench.metrics.rle import rle_encode
from biomlbench.scoring.score import score_submission
from tests.audit.zoo import Recipe, base

WITHIN = 1.5
CLASSIFIERS = [LogisticRegression(), RandomForestClassifier(200, random_state=0)]
REGRESSORS = [LinearRegression(), RandomForestRegressor(100, random_state=0)]


def fitted(task, model):
    """Return a model of the training rows, and the features of the test rows."""
    train, test = (task.public[name].set_index("id") for name in ("train", "test"))
    return model.fit(train[[*"abcd"]], train["y"]), test[[*"abcd"]]


def graded(kind, metric, n=150):
    task = base(kind, n=n)
    task.grader = {"metric": metric}
    return task


def predicted(kind, metric, model):
    task = graded(kind, metric)
    model, test = fitted(task, model)
    return task, {"y": model.predict(test)}


def numbers(metric, model):
    return predicted("regression", metric, model)


def labels(metric, model):
    return predicted("classes", metric, model)


def chances(metric, model):
    task = graded("binary", metric)
    model, test = fitted(task, model)
    return task, {"y": model.predict_proba(test)[:, 1]}


def chances_of_three(metric, model):
    task = graded("classes", metric)
    model, test = fitted(task, model)
    classes = [str(one) for one in model.classes_]
    names = [f"p_{one}" for one in classes]
    task.grader["options"] = {"labels": classes}
    task.submission = {"id": "id", "target": "y", "prediction": names}
    task.public["sample_submission"] = task.answers[["id"]].assign(**dict.fromkeys(names, 1 / 3))
    return task, dict(zip(names, model.predict_proba(test).T, strict=True))


def masks(metric, noise):
    """Return a task of images, and thresholds of noisy ones."""
    rng = np.random.default_rng(0)
    fields = [gaussian_filter(rng.normal(size=(24, 32)), 4) for _ in range(60)]
    codes, told = [], []
    for field in fields:
        limit = np.quantile(field, rng.uniform(0.5, 0.9))
        seen = field + noise * field.std() * gaussian_filter(rng.normal(size=(24, 32)), 2) * 7
        codes.append(rle_encode(field > limit))
        told.append(rle_encode(seen > limit))
    ids = [f"im{i}" for i in range(60)]
    answers = pd.DataFrame({"id": ids, "y": codes})
    task = Recipe({"sample_submission": answers.assign(y="1 5")}, answers, {"metric": metric})
    columns = {"y": {"type": "rle", "height": 24, "width": 32}}
    task.submission = {"id": "id", "target": "y", "prediction": "y", "columns": columns}
    return task, {"y": told}


CASES = [
    *((numbers, metric, model) for metric in ("rmse", "mae", "spearman") for model in REGRESSORS),
    *((chances, metric, model) for metric in ("roc_auc", "log_loss", "average_precision")
      for model in CLASSIFIERS),
    *((labels, metric, CLASSIFIERS[0]) for metric in ("accuracy", "balanced_accuracy", "mcc")),
    *((chances_of_three, metric, model) for metric in ("log_loss", "roc_auc")
      for model in CLASSIFIERS),
    *((masks, metric, noise) for metric in ("dice", "iou") for noise in (0.3, 0.8)),
]  # fmt: skip


def ratio_of_widths(tmp_path, task, told):
    """Return how much wider the interval of a made submission is than that of honest work."""
    made = task.write(tmp_path)
    subject = Subject(made)
    honest = subject.sample.assign(**told)
    wanted = score_submission(as_csv(honest), made, bootstrap=500)
    found = score_submission(as_csv(of_score(subject, wanted.score)), made, bootstrap=500)
    assert found.score == pytest.approx(wanted.score, rel=0.05)
    return (found.score_high - found.score_low) / (wanted.score_high - wanted.score_low)


def named(case):
    make, metric, how = case
    return f"{make.__name__}-{metric}-{getattr(type(how), '__name__', how)}"


@pytest.mark.parametrize(("make", "metric", "how"), CASES, ids=map(named, CASES))
def test_an_interval_is_as_wide_as_that_of_honest_work(make, metric, how, tmp_path):
    assert 1 / WITHIN < ratio_of_widths(tmp_path, *make(metric, how)) < WITHIN


@pytest.mark.parametrize("make", [chances, chances_of_three])
def test_under_log_loss_it_lies_between_the_too_sure_and_the_too_unsure(make, tmp_path):
    sure, unsure = (
        ratio_of_widths(tmp_path / type(model).__name__, *make("log_loss", model))
        for model in (GradientBoostingClassifier(random_state=0), KNeighborsClassifier(25))
    )
    assert 0.5 < sure < 1 < unsure < 2


def test_probabilities_keep_to_what_a_metric_takes(tmp_path):
    task, _ = chances_of_three("log_loss", CLASSIFIERS[0])
    subject = Subject(task.write(tmp_path))
    for score in (0.01, 0.4, 1.0, 5.0):
        values = of_score(subject, score)[subject.names].to_numpy(float)
        assert ((values >= 0) & (values <= 1)).all()
        np.testing.assert_allclose(values.sum(axis=1), 1)


def test_the_note_gives_that_interval(tmp_path):
    task, _ = chances_of_three("log_loss", CLASSIFIERS[0])
    task.board = [0.6, 0.605, 0.61, 0.9, 1.0]
    audit = audit_task(task.write(tmp_path))
    (found,) = (one for one in audit.findings if one.name == "bands-within-noise")
    told = float(re.search(r"between them is (\S+) wide", found.what)[1])
    assert 0.1 < told < 0.25
