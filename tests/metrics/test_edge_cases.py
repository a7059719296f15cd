"""The edge-case rule of each metric: what is refused, whose fault it is, what is scored."""

import math
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import biomlbench.metrics
import biomlbench.structures
from biomlbench.metrics import REASONS, MetricError, get_metric, list_metrics

T, S = "task", "submission"
SOURCES = [
    path.read_text()
    for package in (biomlbench.metrics, biomlbench.structures)
    for path in Path(package.__file__).parent.glob("*.py")
]


def error_of(name, truth, predictions, **options):
    with pytest.raises(MetricError) as caught:
        get_metric(name)(truth, predictions, **options)
    assert str(caught.value) == caught.value.message
    return caught.value.reason, caught.value.fault


@pytest.mark.parametrize("name", ["log_loss", "roc_auc"])
def test_a_class_that_no_row_has_is_told_its_option(name):
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.6, 0.3]])
    with pytest.raises(MetricError, match=r"`options: \{labels: \[\.\.\.\]\}`"):
        get_metric(name)(["a", "b", "a", "b"], p)
    with pytest.raises(MetricError) as caught:
        get_metric(name)(["a", "b", "a", "b"], p, labels=["a", "b"])
    assert "options" not in caught.value.message


REFUSED = [
    ("roc_auc", [1, 1, 1], [0.1, 0.2, 0.3], {}, "one_class", T),
    ("roc_auc", [0, 0, 0], [0.1, 0.2, 0.3], {}, "one_class", T),
    ("roc_auc", [0, 1, 2], [0.1, 0.2, 0.3], {}, "not_binary", T),
    ("roc_auc", ["a", "b"], [0.1, 0.2], {}, "no_positives", T),
    ("roc_auc", [2, 3], [0.1, 0.2], {}, "no_positives", T),
    ("roc_auc", ["a", "b"], [0.1, 0.2], {"pos_label": "c"}, "no_positives", T),
    *((name, [1, 2], [1, 1], {}, "no_positives", T) for name in ("f1", "precision", "recall")),
    ("average_precision", [1, 2], [0.1, 0.2], {}, "no_positives", T),
    ("roc_auc", [1.0, 2.0, 1.0], [0.1, 0.2, 0.3], {}, "no_positives", T),
    ("roc_auc", [2, 1], [[0.9, 0.1], [0.2, 0.8]], {}, "no_positives", T),
    ("roc_auc", [1, 2, 3], [0.1, 0.2, 0.3], {}, "not_binary", T),
    ("log_loss", [1, 2], [0.1, 0.2], {}, "no_positives", T),
    ("roc_auc", [0, 1], [0.1, 0.2], {"pos_label": "b"}, "no_positives", T),
    ("roc_auc", [0, 1], ["x", "y"], {}, "not_numeric", S),
    ("roc_auc", [0, 1], [0.1, None], {}, "nan_predictions", S),
    ("roc_auc", [0, None], [0.1, 0.2], {}, "missing_truth", T),
    ("roc_auc", [0, 1, 2], np.eye(3)[:, :2].repeat(2, axis=1), {}, "shape_mismatch", S),
    ("roc_auc", [0, 1, 1], np.eye(3), {"labels": [0, 1, 2]}, "missing_class", T),
    ("roc_auc", [0, 1, 3], np.eye(3), {"labels": [0, 1, 2]}, "unknown_label", T),
    ("roc_auc", [0, 1, 2], np.ones((3, 3)), {}, "constant_predictions", S),
    ("average_precision", [0, 0], [0.1, 0.2], {}, "one_class", T),
    ("average_precision", [0, 1, 2], np.eye(3), {}, "shape_mismatch", S),
    ("log_loss", [0, 1], [0.1, 1.1], {}, "not_probabilities", S),
    ("log_loss", [0, 1], [-0.1, 1.0], {}, "not_probabilities", S),
    ("log_loss", [0, 1, 2], [0.1, 0.2, 0.3], {}, "not_binary", T),
    ("log_loss", [0, 1, 2], np.full((3, 3), 0.9), {}, "not_probabilities", S),
    ("log_loss", [0, 1, 1], np.full((3, 3), 1 / 3), {}, "shape_mismatch", S),
    ("log_loss", [0, 1, 5], np.full((3, 3), 1 / 3), {"labels": [0, 1, 2]}, "unknown_label", T),
    ("log_loss", ["a", "b"], [0.5, 0.5], {}, "no_positives", T),
    ("accuracy", [0, 1], [0.4, 0.6], {}, "not_labels", S),
    ("accuracy", [0, 1], ["0", "1"], {}, "label_type_mismatch", S),
    ("accuracy", ["a", "b"], [0, 1], {}, "label_type_mismatch", S),
    ("accuracy", ["a", "b"], ["a", None], {}, "nan_predictions", S),
    ("accuracy", ["a", "b"], pd.Series(["a", pd.NA], dtype="string"), {}, "nan_predictions", S),
    ("rmse", [1.0, 2.0], pd.Series([1.0, pd.NA], dtype="Float64"), {}, "nan_predictions", S),
    ("accuracy", [1, 2], pd.Series([1, pd.NA], dtype="Int64"), {}, "nan_predictions", S),
    ("accuracy", ["a", "b"], np.array(["a", 2], dtype=object), {}, "not_labels", S),
    ("accuracy", [0, 1], [{}, {}], {}, "not_labels", S),
    ("accuracy", ["a", "b"], ["a", "\ud800"], {}, "not_labels", S),
    ("accuracy", [[0, 1], [1, 0]], [[0, 1], [1, 0]], {}, "shape_mismatch", T),
    ("f1", [0, 0, 0], [0, 1, 0], {}, "no_positives", T),
    ("f1", [0, 1, 2], [0, 1, 2], {}, "not_binary", T),
    ("f1", ["a", "b"], ["a", "b"], {}, "no_positives", T),
    ("precision", [0, 1], [0, 2], {}, "unknown_label", S),
    ("recall", [0, 0], [0, 1], {}, "no_positives", T),
    ("mcc", [1, 1], [0, 1], {}, "one_class", T),
    ("r2", [2.0, 2.0], [1.0, 2.0], {}, "constant_truth", T),
    ("r2", [2.0], [1.0], {}, "too_few_rows", T),
    ("pearson", [2.0, 2.0], [1.0, 2.0], {}, "constant_truth", T),
    ("spearman", [1.0], [2.0], {}, "too_few_rows", T),
    ("kendall", [2.0, 2.0], [1.0, 2.0], {}, "constant_truth", T),
    ("rmse", [1.0, 2.0], [1e200, 0.0], {}, "non_finite_score", S),
    ("rmse", [1.0, 2.0], [1j, 0.0], {}, "not_numeric", S),
    ("rmse", [1.0, 2.0], [10**400, 0], {}, "not_numeric", S),
    ("rmse", [1.0, 2.0], pd.to_datetime(["2020-01-01", "2020-01-02"]), {}, "not_numeric", S),
    ("rmse", [1.0, 2.0], [[1.0, 2.0], [1.0, 2.0]], {}, "shape_mismatch", S),
    ("concordance_index", [[1, 0], [2, 0]], [0.1, 0.2], {}, "no_comparable_pairs", T),
    ("concordance_index", [[-1, 1], [2, 0]], [0.1, 0.2], {}, "negative_time", T),
    ("concordance_index", [[1, 2], [2, 0]], [0.1, 0.2], {}, "not_labels", T),
    ("concordance_index", [1, 2], [0.1, 0.2], {}, "shape_mismatch", T),
    ("dice", [np.zeros((2, 2))], [np.zeros((2, 3))], {}, "shape_mismatch", S),
    ("dice", [np.zeros((2, 2))], [np.full((2, 2), 255)], {}, "non_binary_mask", S),
    ("dice", [np.full((2, 2), 255)], [np.zeros((2, 2))], {}, "non_binary_mask", T),
    ("dice", [np.zeros((2, 2))], [np.full((2, 2), np.nan)], {}, "non_binary_mask", S),
    ("dice", [np.zeros((2, 2))], [[["a", "b"], ["c", "d"]]], {}, "non_binary_mask", S),
    ("iou", [np.zeros((2, 2))], [np.full((2, 2), 0.5)], {}, "non_binary_mask", S),
    ("iou", [0, 1, 1], [0, 1, 1], {}, "shape_mismatch", T),
    ("iou", 3, 4, {}, "shape_mismatch", T),
    ("hausdorff95", [np.zeros((0, 2))], [np.zeros((0, 2))], {}, "empty", T),
    ("panoptic_quality", [np.zeros((2, 2))], [np.full((2, 2), -1)], {}, "not_labels", S),
    ("panoptic_quality", [np.zeros((2, 2))], [np.full((2, 2), 1.5)], {}, "not_labels", S),
    ("panoptic_quality", [np.full((2, 2), np.inf)], [np.zeros((2, 2))], {}, "not_labels", T),
]


@pytest.mark.parametrize(
    ("name", "truth", "predictions", "options", "reason", "fault"),
    REFUSED,
    ids=[f"{i}-{case[0]}-{case[4]}" for i, case in enumerate(REFUSED)],
)
def test_refused_with_reason_and_fault(name, truth, predictions, options, reason, fault):
    assert error_of(name, truth, predictions, **options) == (reason, fault)


@pytest.mark.parametrize("name", ["mae", "r2", "spearman"])
def test_several_targets_are_told_which_metrics_take_them(name):
    """Just those of the table that score them."""
    table = [[1.0, 2.0, 3.0], [2.0, 1.0, 5.0]]
    with pytest.raises(MetricError) as error:
        get_metric(name)(table, table)
    told = error.value.message.partition("metrics of several columns: ")[2].split(", ")
    numeric = [get_metric(n) for n in list_metrics()]
    numeric = [found for found in numeric if found.kind in ("regression", "ranking")]
    assert told == sorted(found.name for found in numeric if scores(found, table))


def scores(found, table):
    try:
        return math.isfinite(found(table, table))
    except MetricError:
        return False


def test_labels_without_a_plain_positive_one_are_told_the_remedy():
    with pytest.raises(MetricError, match=r"labels 1 and 2 .*`options: {pos_label: 2}`"):
        get_metric("roc_auc")([1, 2, 2], [0.1, 0.2, 0.3])


SCORED = [
    # Precision and recall that are undefined by the predictions count 0, as in scikit-learn.
    ("precision", [0, 1], [0, 0], {}, 0.0),
    ("f1", [0, 1], [0, 0], {}, 0.0),
    ("mcc", [0, 1, 1], [1, 1, 1], {}, 0.0),
    ("recall", [1, 1], [1, 0], {}, 0.5),
    ("balanced_accuracy", [1, 1], [1, 0], {}, 0.5),
    # A class that is only predicted counts 0 in the macro average.
    ("f1", ["a", "b"], ["a", "c"], {"average": "macro"}, 1 / 3),
    ("accuracy", [True, False], [1, 0], {}, 1.0),
    ("accuracy", [0.0, 1.0], [0, 0], {}, 0.5),
    ("roc_auc", ["ill", "well"], [0.9, 0.1], {"pos_label": "ill"}, 1.0),
    # As scikit-learn has it: the larger label; it is told, as its other metrics take the 1.
    ("roc_auc", [1, 1, 2, 2], [0.1, 0.4, 0.35, 0.8], {"pos_label": 2}, 0.75),
    ("roc_auc", [1, 1, 2, 2], [0.1, 0.4, 0.35, 0.8], {"pos_label": 1}, 0.25),
    ("average_precision", [1, 1, 2, 2], [0.1, 0.4, 0.35, 0.8], {"pos_label": 1}, 0.5),
    ("roc_auc", [-1, 1], [0.1, 0.4], {}, 1.0),
    ("roc_auc", [False, True], [0.1, 0.4], {}, 1.0),
    ("f1", [1, 2], [1, 2], {"average": "macro"}, 1.0),
    ("roc_auc", [0, 1], [[0.9, 0.1], [0.2, 0.8]], {}, 1.0),
    ("roc_auc", [0, 1, 1], [0.5, 0.5, 0.9], {}, 0.75),
    # Constant predictions are a fair answer to a metric that is not of ranks.
    ("r2", [1.0, 2.0, 3.0], [2.0, 2.0, 2.0], {}, 0.0),
    ("rmse", [1.0, 3.0], [2.0, 2.0], {}, 1.0),
    ("log_loss", [1, 1], [0.5, 0.5], {}, np.log(2)),
    # A certain and wrong row costs a finite amount.
    ("log_loss", [1], [0.0], {}, -np.log(np.finfo(float).eps)),
    ("log_loss", [0, 1], [[0.9995, 0.0], [0.0, 0.9995]], {}, 0.0),
    # Rounding to three decimals leaves sums beside 1, which are no exact doubles.
    (
        "log_loss",
        [3],
        [[0.25, 0.25, 0.25, 0.249]],
        {"labels": [0, 1, 2, 3]},
        -np.log(0.249 / 0.999),
    ),
    ("log_loss", [0], [[0.167] * 5 + [0.164]], {"labels": list(range(6))}, -np.log(0.167 / 0.999)),
    ("log_loss", [0], [[0.143] * 7], {"labels": list(range(7))}, np.log(7)),
    ("log_loss", [0], [[0.001, 1.0]], {"labels": [0, 1]}, -np.log(0.001 / 1.001)),
    ("pearson", [1.0, 2.0], [1e300, 2e300], {}, 1.0),
    ("pearson", [1.0, 2.0, 4.0], [1e-300, 2e-300, 4e-300], {}, 1.0),
]


@pytest.mark.parametrize(("name", "truth", "predictions", "options", "score"), SCORED)
def test_scored(name, truth, predictions, options, score):
    assert get_metric(name)(truth, predictions, **options) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "options"),
    [("f1", {"average": "mean"}), ("roc_auc", {"multi_class": "all"}),
     ("concordance_index", {"higher": "time"}), ("dice", {"reduction": "sum"}),
     ("panoptic_quality", {"reduction": "sum"}), ("hausdorff95", {"spacing": 0.0})],
)  # fmt: skip
def test_wrong_options_are_no_fault_of_the_submission(name, options):
    truth = {
        "f1": [0, 1], "roc_auc": [0, 1, 2], "concordance_index": [[1, 1], [2, 0]]
    }.get(name, [np.eye(2, dtype=int)])  # fmt: skip
    predictions = {"f1": [0, 1], "roc_auc": np.eye(3), "concordance_index": [2.0, 1.0]}.get(
        name, [np.eye(2, dtype=int)]
    )
    with pytest.raises(ValueError, match=next(iter(options))) as caught:
        get_metric(name)(truth, predictions, **options)
    assert not isinstance(caught.value, MetricError)


def test_pandas_columns_are_scored_as_they_are():
    frame = pd.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.4, 0.9]}, index=[7, 3, 5])
    auc = get_metric("roc_auc")
    assert auc(frame["y"], frame["p"]) == 1.0
    assert auc(frame[["y"]], frame[["p"]]) == 1.0
    assert get_metric("accuracy")(frame["y"].astype("string"), frame["y"].astype(str)) == 1.0
    np.testing.assert_array_equal(
        auc.bootstrap(frame["y"], frame["p"], n_resamples=5),
        auc.bootstrap(frame["y"].to_numpy(), frame["p"].to_numpy(), n_resamples=5),
    )


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_reason_is_in_use_and_travels_between_processes(reason):
    error = pickle.loads(pickle.dumps(MetricError(reason, "why", "task")))
    assert (error.reason, error.fault, str(error)) == (reason, "task", "why")
    assert sum(f'"{reason}"' in text for text in SOURCES) > 1, "declared but never raised"


def test_undeclared_reasons_cannot_be_raised():
    with pytest.raises(KeyError):
        MetricError("bad_luck", "why")
    with pytest.raises(KeyError):
        MetricError("empty", "why", "nobody")


def test_messages_tell_no_true_values():
    with pytest.raises(MetricError) as error:
        get_metric("accuracy")(["secret", "secret"], [0, 1])
    assert "secret" not in str(error.value)
    with pytest.raises(MetricError) as error:
        get_metric("rmse")([4711.0, np.nan], [0.0, 1.0])
    assert "4711" not in str(error.value)


def test_one_long_label_does_not_take_its_room_in_every_row():
    rows = 10_000
    tracemalloc.start()
    found = get_metric("accuracy")(["a"] * rows, ["x" * 1_000_000, *["a"] * (rows - 1)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == 1 - 1 / rows
    assert peak < 100e6  # 40 GB as an array of one width


def of_polars(values):
    return pytest.importorskip("polars").Series(values)


TEXTS = ["low", "high", "low"]
FORMS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda values: np.array(values, dtype=object),
    "bytes": lambda values: [value.encode() for value in values],
    "array of bytes": lambda values: np.array(values, dtype="S"),
    "bytes as objects": lambda values: np.array([v.encode() for v in values], dtype=object),
    "Series": pd.Series,
    "categories": lambda values: pd.Series(values, dtype="category"),
    "Polars": of_polars,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "predictions", "options"),
    [
        ("log_loss", [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]], {"labels": ["low", "high"]}),
        ("log_loss", [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]], {"labels": np.array(["low", "high"])}),
        ("roc_auc", [0.2, 0.7, 0.4], {"pos_label": "high"}),
        ("accuracy", np.array(["low", "low", "low"]), {}),
        ("f1", np.array(["high", "high", "low"]), {"pos_label": "high"}),
    ],
)
def test_text_is_the_same_labels_in_every_form(name, predictions, options, form):
    score = get_metric(name)(FORMS[form](TEXTS), predictions, **options)
    assert score == get_metric(name)(TEXTS, predictions, **options)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["rmse", "mse", "r2", "matrix_rmse"])
def test_predictions_without_a_finite_score_are_refused_without_a_warning(name):
    predictions = [1e300, -1e300, 2e300]
    if name == "matrix_rmse":
        assert error_of(name, np.eye(3), np.full((3, 3), 1e300))[1] == S
    else:
        assert error_of(name, [1.0, 2.0, 4.0], predictions)[1] == S


def test_three_classes_are_told_how_they_are_averaged():
    for name in ("f1", "precision", "recall"):
        for truth in ([0, 1, 2], ["a", "b", "c"]):
            with pytest.raises(MetricError, match=r"average: macro") as caught:
                get_metric(name)(truth, truth)
            assert (caught.value.reason, caught.value.fault) == ("not_binary", T)


def test_rows_that_sum_to_1_after_three_decimals_are_scored_and_two_are_told_what_helps():
    log_loss, thirds = get_metric("log_loss"), np.full((3, 3), 1 / 3)
    assert log_loss([0, 1, 2], thirds.round(3)) == pytest.approx(np.log(3))
    with pytest.raises(MetricError, match=r"within 0\.0015; the first is row 1; write at least"):
        log_loss([0, 1, 2], thirds.round(2))
