"""Every metric scores the same numbers alike, whatever table or array they come in."""

import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics as reference

from biomlbench.errors import TaskError
from biomlbench.grade_helpers import Grader, InvalidSubmissionError
from biomlbench.metrics import MetricError, get_metric, list_metrics


def rmse(y_true, y_pred):
    return reference.mean_squared_error(y_true, y_pred) ** 0.5


REFERENCES = {
    "accuracy": reference.accuracy_score,
    "average_precision": reference.average_precision_score,
    "balanced_accuracy": reference.balanced_accuracy_score,
    "f1": reference.f1_score,
    "kendall": lambda *both: stats.kendalltau(*both)[0],
    "log_loss": lambda *both: reference.log_loss(*both, labels=[0, 1]),
    "mae": reference.mean_absolute_error,
    "matrix_rmse": rmse,
    "mcc": reference.matthews_corrcoef,
    "mean_spearman": lambda *both: stats.spearmanr(*both)[0],
    "mse": reference.mean_squared_error,
    "pearson": lambda *both: stats.pearsonr(*both)[0],
    "precision": reference.precision_score,
    "r2": reference.r2_score,
    "recall": reference.recall_score,
    "rmse": rmse,
    "roc_auc": reference.roc_auc_score,
    "rowwise_rmse": reference.mean_absolute_error,  # of one column
    "spearman": lambda *both: stats.spearmanr(*both)[0],
}
OF_OTHER_KINDS = ("survival", "mask", "instance_mask", "structure")
TRUTH, PREDICTED = np.array([0.0, 1, 1, -0.0, 1, 0, 1, 1]), np.array([0.0, 1, 0, 0, 1, 1, 1, -0.0])


def as_series(dtype, **options):
    return lambda values: pd.Series(values, **options).astype(dtype)


FORMS = {
    "list": np.ndarray.tolist,
    "column": lambda values: values[:, None],
    "big-endian": lambda values: values.astype(">f8"),
    "strided": lambda values: np.repeat(values, 2)[::2],
    "masked, nothing": np.ma.array,
    "frame": lambda values: pd.DataFrame({"values": values}),
    "index": pd.Index,
    "other index": as_series("float64", index=np.zeros(8)),
    "two-level index": as_series(
        "float64", index=pd.MultiIndex.from_product([[1, 2], [1, 2, 3, 4]])
    ),
    "decimals": lambda values: np.array([decimal.Decimal(int(v)) for v in values], object),
    "Categorical": pd.Categorical,
    "Arrow": pa.array,
    "Arrow chunks": lambda values: pa.chunked_array([values[:2], values[2:]]),
    **{
        f"NumPy {dtype}": lambda values, dtype=dtype: values.astype(dtype)
        for dtype in ("int8", "uint8", "uint64", "float16", "float32", "longdouble", "bool", "O")
    },
    **{
        f"pandas {dtype}": as_series(dtype)
        for dtype in (
            *("Int64", "UInt8", "Float32", "boolean", "category", "Sparse[float]"),
            *("int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]"),
        )
    },
}


def test_every_metric_of_numbers_has_a_reference():
    kinds = {name: get_metric(name).kind for name in list_metrics()}
    assert set(REFERENCES) == {name for name, kind in kinds.items() if kind not in OF_OTHER_KINDS}


@pytest.mark.parametrize("name", REFERENCES)
def test_the_form_of_the_numbers_changes_no_score(name):
    metric, expected = get_metric(name), REFERENCES[name](TRUTH, PREDICTED)
    scores = {
        (form, side): metric(
            as_form(TRUTH) if side != "predictions" else TRUTH,
            as_form(PREDICTED) if side != "truth" else PREDICTED,
        )
        for form, as_form in FORMS.items()
        for side in ("truth", "predictions", "both")
    }
    off = {key: score for key, score in scores.items() if score != pytest.approx(expected)}
    assert not off, expected


NOT_THERE = {
    "None": [0, None, 1, 1],
    "NaN": [0, np.nan, 1, 1],
    "NA": [0, pd.NA, 1, 1],
    "NaT": [0, pd.NaT, 1, 1],
    "masked": np.ma.array([0, 1, 1, 1], mask=[0, 1, 0, 0]),
    "masked floats": np.ma.array([0.0, 1, 1, 1], mask=[0, 1, 0, 0]),
    "category": pd.Series([0, None, 1, 1]).astype("category"),
    "all": pd.Series([None] * 4, dtype="Int64"),
    "infinite": [0, np.inf, 1, 1],
}


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("form", NOT_THERE)
def test_a_missing_value_is_no_number_in_any_form(name, form):
    whole = np.array([0.0, 1, 1, 0])
    for arguments, told in (
        ((NOT_THERE[form], whole), ("missing_truth", "task")),
        ((whole, NOT_THERE[form]), ("nan_predictions", "submission")),
    ):
        with pytest.raises(MetricError) as caught:
            get_metric(name)(*arguments)
        assert (caught.value.reason, caught.value.fault) == told


NO_COLUMN = {"ragged": [[0], [1, 2], [1], [0]], "a number": 1, "nothing": None, "text": "0110"}


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("values", NO_COLUMN)
def test_what_is_no_column_is_refused_in_words(name, values):
    for arguments in ((NO_COLUMN[values], TRUTH[:4]), (TRUTH[:4], NO_COLUMN[values])):
        with pytest.raises(MetricError):
            get_metric(name)(*arguments)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "mcc"])
@pytest.mark.parametrize("start", [2**53, 2**63, 2**64])
def test_large_labels_are_told_apart(name, start):
    """As floats two of them would be one."""
    truth, predicted = [start, start + 1, 7, -1], [start, start, 7, -1]
    expected = REFERENCES[name](list("abcd"), list("aacd"))
    forms = [list, lambda values: np.array(values, object)]
    if start < 2**63:
        forms += [np.array, lambda values: pd.Series(values, dtype="Int64")]
    for one in forms:
        for other in forms:
            assert get_metric(name)(one(truth), other(predicted)) == pytest.approx(expected)
    if start == 2**63:
        both = [np.array(values[:3], "uint64") for values in (truth, predicted)]
        assert get_metric(name)(*both) == get_metric(name)(truth[:3], predicted[:3])


@pytest.mark.parametrize("size", [1e308, 1e-300, 5e-324])
def test_the_scale_of_the_truth_is_none_of_r2(size):
    truth, predicted = np.array([1.0, 0, 1, 1, 0]), np.array([1.0, 0, 0, 1, 0])
    expected = reference.r2_score(truth, predicted)
    found = get_metric("r2")
    assert found(truth * size, predicted * size) == pytest.approx(expected)
    resamples = [found.bootstrap(truth * by, predicted * by, n_resamples=20) for by in (1, size)]
    assert np.allclose(*resamples, equal_nan=True)


IDS = [f"r{i}" for i in range(8)]
NAMES = ("size", "values", "index", "T", "mean", "", 0, 1.5, True, None, ("a", "b"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("of", ["id", "prediction"])
def test_columns_may_have_any_name(name, of):
    columns = pd.Index([name, "y"] if of == "id" else ["id", name], tupleize_cols=False)
    order = np.random.default_rng(0).permutation(8)
    submission, answers = (
        pd.DataFrame(list(zip(IDS, values, strict=True)), columns=columns)
        for values in (PREDICTED, TRUTH)
    )
    grader = Grader.from_config({"metric": "rmse"})
    for rows in (submission, submission.iloc[order].set_axis(order // 2)):
        assert grader.score(rows, answers) == pytest.approx(rmse(TRUTH, PREDICTED))


SOUND = pd.DataFrame({"id": IDS, "y": TRUTH})
UNFIT = {
    "repeated predictions": SOUND[["id", "y", "y"]],
    "repeated ids": SOUND[["id", "id", "y"]],
    "only ids": SOUND[["id"]],
    "no columns": SOUND[[]],
}


@pytest.mark.parametrize("table", UNFIT)
def test_a_table_that_is_none_is_its_owners_fault(table):
    grader = Grader.from_config({"metric": "accuracy"})
    with pytest.raises(InvalidSubmissionError, match="column"):
        grader.score(UNFIT[table], SOUND)
    with pytest.raises(TaskError, match="column"):
        grader.score(SOUND, UNFIT[table])


@pytest.mark.parametrize("given", [[1.0, 2.0], None, "a.csv", {"id": IDS}])
def test_what_is_no_table_is_a_mistake_of_the_call(given):
    grader = Grader.from_config({"metric": "accuracy"})
    with pytest.raises(TypeError, match="a submission: not a"):
        grader.score(given, SOUND)
    with pytest.raises(TypeError, match="the answers: not a"):
        grader.score(SOUND, given)
