"""Scores before and after of labels that are known of some test rows, and what is no such label."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from biomlbench.audit import audit_task
from biomlbench.audit.detectors._known_rows import known_rows
from biomlbench.audit.subject import Subject
from tests.audit.zoo import base

METRICS = [
    ("binary", "roc_auc"),
    ("binary", "log_loss"),
    ("binary", "accuracy"),
    ("binary", "f1"),
    ("binary", "mse"),
    ("binary", "mcc"),
    ("classes", "accuracy"),
    ("regression", "rmse"),
    ("regression", "spearman"),
    ("regression", "r2"),
]


@pytest.mark.parametrize(("kind", "metric"), METRICS)
@pytest.mark.parametrize("share", [0.1, 0.35, 1.0])
def test_known_rows_raise_the_score_of_what_is_unknown(kind, metric, share, tmp_path):
    task = base(kind, n=120)
    task.grader = {"metric": metric}
    subject = Subject(task.write(tmp_path))
    known = subject.rng(1).permutation(subject.n) < share * subject.n
    values = known.astype(object)
    values[~known] = None
    found = known_rows(subject, "answers-by-key", int(known.sum()), values, "a table tells y")
    assert subject.better(found.after, found.before)
    (start,) = (frame for score, frame in subject.uninformed if score == found.before)
    pd.testing.assert_frame_equal(found.submission[~known], start[~known])
    pd.testing.assert_frame_equal(found.submission[known], subject.perfect[known])
    # nobody knows less than the best of what takes no knowledge
    assert not subject.better(subject.chance, found.before)


def test_a_third_of_the_labels_is_worth_a_third_of_the_way(tmp_path):
    task = base("binary", n=120)
    rows = task.public["test"].assign(y=task.answers["y"]).iloc[::3]
    rows["id"] += 5000
    task.public["train"] = pd.concat([task.public["train"], rows])
    (found,) = (one for one in audit_task(task.write(tmp_path)).findings
                if one.name == "answers-by-duplicates")  # fmt: skip
    assert found.before == pytest.approx(0.5, abs=0.05)
    assert found.after == pytest.approx(2 / 3, abs=0.1)
    assert len(pd.read_csv(io.BytesIO(found.submission))) == 120


@pytest.mark.parametrize("keyed", [False, True], ids=["by order", "by key"])
def test_a_column_that_follows_sorted_rows_is_not_told_beside_their_order(keyed, tmp_path):
    task = base(n=80)
    task.answers = task.answers.sort_values("y", ignore_index=True).assign(id=range(80))
    task.public["sample_submission"] = task.answers.assign(y=0.0)
    task.public["test"] = task.public["test"].assign(id=range(80))
    key = {"well": range(80)} if keyed else {}
    task.public["grid"] = pd.DataFrame({**key, "time": [0.25 * i for i in range(80)]})
    names = {one.name for one in audit_task(task.write(tmp_path)).findings}
    assert "order-tells-label" in names
    assert names.isdisjoint({"answers-by-order", "answers-by-key"})


def test_a_feature_that_training_rows_have_as_well_may_follow_the_answers(tmp_path):
    task = base("binary", n=120)
    for name, truth in (("test", task.answers["y"]), ("train", task.public["train"]["y"])):
        level = truth + pd.Series(range(len(truth))).mod(17) / 20
        task.public[name] = task.public[name].assign(level=level)
    names = {one.name for one in audit_task(task.write(tmp_path)).findings}
    assert not [name for name in names if name.startswith("answers-")]
