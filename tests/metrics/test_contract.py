"""What every metric must hold, whichever it is: metrics are found, not listed."""

import pickle

import numpy as np
import pytest

from biomlbench.metrics import REASONS, MetricError, _resample, get_metric, list_metrics
from biomlbench.metrics._base import KINDS
from biomlbench.metrics._resample import _looped_scorer

from .conftest import helix

NAMES = list_metrics()
NUMERIC = ("binary", "probabilities", "regression", "ranking", "survival")
#: Options beside the defaults, to be resampled too.
OPTIONS = {
    "f1": [{"average": a} for a in ("macro", "weighted", "micro")],
    "precision": [{"average": a} for a in ("macro", "weighted", "micro")],
    "recall": [{"average": a} for a in ("macro", "weighted", "micro")],
    "dice": [{"reduction": "pooled"}],
    "iou": [{"reduction": "pooled"}],
    "panoptic_quality": [{"reduction": "mean"}],
    "hausdorff95": [{"spacing": [0.5, 2.0]}],
    "concordance_index": [{"higher": "survival"}],
}


def metrics_that(condition):
    """Parametrise a test over the metrics that fulfil a condition."""
    chosen = [name for name in NAMES if condition(get_metric(name))]
    assert chosen
    return pytest.mark.parametrize("metric", chosen, indirect=True)


@pytest.fixture(params=NAMES)
def metric(request):
    return get_metric(request.param)


def reorder(values, order):
    return values[order] if isinstance(values, np.ndarray) else [values[i] for i in order]


def test_the_metrics_promised_are_there():
    promised = (
        "roc_auc average_precision log_loss accuracy balanced_accuracy f1 precision recall mcc "
        "rmse mae r2 pearson spearman kendall concordance_index dice iou hausdorff95 "
        "panoptic_quality rmsd tm_score gdt_ts gdt_ha lddt"
    )
    assert set(promised.split()) <= set(NAMES)


def test_declaration(metric):
    assert metric.direction in ("maximize", "minimize")
    assert metric.is_lower_better == (metric.direction == "minimize")
    low, high = metric.range
    assert low < high
    assert metric.best == (low if metric.is_lower_better else high)
    assert np.isfinite(metric.best)
    assert metric.kind in KINDS
    assert metric.name == metric.function.__name__
    assert not any(option is None for option in metric.options)


def test_docstring_tells_range_errors_and_source(metric):
    text = metric.function.__doc__
    for section in ("Parameters", "Returns", "Raises", "References"):
        assert f"{section}\n    {'-' * len(section)}" in text, section


def test_perfect_prediction_scores_best(metric, make_example):
    for seed in range(3):
        truth, _, perfect = make_example(metric.kind, seed)
        assert metric(truth, perfect) == pytest.approx(metric.best, abs=1e-12)


def test_imperfect_prediction_scores_worse_within_range(metric, make_example):
    low, high = metric.range
    for seed in range(5):
        truth, predictions, _ = make_example(metric.kind, seed)
        score = metric(truth, predictions)
        assert type(score) is float
        assert low <= score <= high
        assert (score > metric.best) if metric.is_lower_better else (score < metric.best)


def extremes(kind, truth, predictions, perfect):
    """Yield predictions that are as wrong, as large or as small as they can be."""
    if kind in ("labels", "probabilities"):
        yield 1 - perfect
    elif kind in NUMERIC:
        for factor in (-1.0, -1e-9, -1e9, 1e9):
            yield factor * perfect
            yield factor * predictions
            yield factor * predictions[::-1]
        yield np.where(np.arange(len(predictions)) == 0, 1e12, 0.0)
    elif kind == "mask":
        yield [1 - np.asarray(mask, dtype=np.int64) for mask in truth]
    elif kind == "instance_mask":
        yield [np.zeros_like(image) for image in truth]
        yield [np.arange(image.size).reshape(image.shape) for image in truth]


@metrics_that(lambda m: m.kind != "structure")
def test_no_prediction_leaves_the_declared_range(metric, make_example):
    low, high = metric.range
    for seed in range(5):
        for given in extremes(metric.kind, *make_example(metric.kind, seed)):
            try:
                score = metric(make_example(metric.kind, seed)[0], given)
            except MetricError:
                continue
            assert low <= score <= high, (
                f"{metric.name} gave {score}, outside the `range` ({low}, {high}) that it declares"
            )


def test_order_of_rows_does_not_matter(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 4)
    order = np.random.default_rng(0).permutation(len(truth))
    assert metric(reorder(truth, order), reorder(predictions, order)) == pytest.approx(
        metric(truth, predictions), abs=1e-12
    )


@metrics_that(lambda m: m.rank_invariant)
@pytest.mark.parametrize("transform", [np.exp, np.arctan, np.cbrt, lambda p: 1e3 * p - 5.0])
def test_rank_metrics_ignore_increasing_transforms(metric, transform, make_example):
    truth, predictions, _ = make_example(metric.kind, 5)
    assert metric(truth, transform(predictions)) == pytest.approx(
        metric(truth, predictions), abs=1e-14
    )


@metrics_that(lambda m: m.kind in NUMERIC and not m.rank_invariant)
def test_other_metrics_of_numbers_do_depend_on_the_scale(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 5)
    assert metric(truth, predictions**3) != pytest.approx(metric(truth, predictions), abs=1e-6)


def test_symmetry_as_declared(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 6)
    if metric.symmetric:
        assert metric(truth, predictions) == pytest.approx(metric(predictions, truth), abs=1e-12)
    elif metric.kind in ("labels", "regression"):
        assert metric(truth, predictions) != pytest.approx(metric(predictions, truth), abs=1e-12)


def resampling_cases():
    for name in NAMES:
        for options in [{}, *OPTIONS.get(name, [])]:
            yield pytest.param(name, options, id=f"{name}-{options}" if options else name)


@pytest.mark.parametrize(("name", "options"), list(resampling_cases()))
@pytest.mark.parametrize("n", [12, 40])
def test_resampled_equals_scoring_each_resample(name, options, n, make_example):
    metric = get_metric(name)
    for seed in range(2 if metric.kind == "structure" else 5):
        truth, predictions, _ = make_example(metric.kind, seed, n)
        rng = np.random.default_rng(seed)
        n_rows = len(truth)
        # Few distinct rows, so that some resamples have one class, or one value.
        counts = rng.multinomial(n_rows, rng.dirichlet(np.full(n_rows, 0.2)), size=20)
        expected = _looped_scorer(metric, truth, predictions, options)(counts)
        np.testing.assert_allclose(
            metric.resampled(truth, predictions, counts, **options), expected, rtol=0, atol=1e-9
        )
        ones = np.ones((1, n_rows), dtype=int)
        assert metric.resampled(truth, predictions, ones, **options)[0] == pytest.approx(
            metric(truth, predictions, **options), abs=1e-12
        )


def test_bootstrap_is_fixed_by_its_seed(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 7)
    first, again, other = (
        metric.bootstrap(truth, predictions, n_resamples=30, seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.shape == (30,)
    low, high = metric.range
    finite = first[np.isfinite(first)]
    assert len(finite) > 15
    assert ((finite >= low) & (finite <= high)).all()


@pytest.mark.parametrize(("n_resamples", "n_rows"), [(40, 20_000), (3, 300)])
def test_resamples_that_are_kept_are_those_that_are_drawn_anew(monkeypatch, n_resamples, n_rows):
    truth, predictions = np.random.default_rng(0).normal(size=(2, n_rows))
    mae = get_metric("mae")
    first, kept = (mae.bootstrap(truth, predictions, n_resamples=n_resamples) for _ in "ab")
    monkeypatch.setattr(_resample, "KEPT_BYTES", 0)
    anew = mae.bootstrap(truth, predictions, n_resamples=n_resamples)
    assert first.tolist() == kept.tolist() == anew.tolist()


def test_bad_counts_are_refused(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 1)
    n = len(truth)
    for counts in (
        np.ones(n, int),
        np.ones((2, n)),
        np.ones((2, n + 1), int),
        np.zeros((1, n), int),
        -np.ones((1, n), int),
    ):
        with pytest.raises(ValueError, match="counts"):
            metric.resampled(truth, predictions, counts)


def both_ways(metric, truth, predictions):
    """Return the error of scoring and that of resampling, which must agree."""
    with pytest.raises(MetricError) as scored:
        metric(truth, predictions)
    with pytest.raises(MetricError) as bootstrapped:
        metric.bootstrap(truth, predictions, n_resamples=2)
    assert scored.value.reason == bootstrapped.value.reason
    assert scored.value.reason in REASONS
    return scored.value


@metrics_that(lambda m: m.kind in (*NUMERIC, "labels"))
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinite_predictions_are_invalid(metric, bad, make_example):
    truth, predictions, _ = make_example(metric.kind, 1)
    broken = predictions.astype(float)
    broken[3] = bad
    error = both_ways(metric, truth, broken)
    assert (error.reason, error.fault) == ("nan_predictions", "submission")
    assert "row 4" in str(error)
    broken_truth = truth.astype(float)
    broken_truth[3] = bad
    error = both_ways(metric, broken_truth, predictions)
    assert (error.reason, error.fault) == ("missing_truth", "task")


@metrics_that(lambda m: m.rank_invariant or m.name == "pearson")
def test_constant_predictions_rank_nothing(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 1)
    for value in (0.0, 0.1, 1e300):
        error = both_ways(metric, truth, np.full(len(predictions), value))
        assert (error.reason, error.fault) == ("constant_predictions", "submission")


def test_wrong_count_of_predictions_is_the_submissions_fault(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 1)
    error = both_ways(metric, truth, predictions[:-1])
    assert (error.reason, error.fault) == ("shape_mismatch", "submission")


def test_nothing_to_score_is_the_tasks_fault(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 1)
    error = both_ways(metric, truth[:0], predictions[:0])
    assert (error.reason, error.fault) == ("empty", "task")


def broken_truths(kind, truth):
    """Truths of which many have no score, whatever is predicted."""
    yield truth[:0]
    if kind in ("mask", "instance_mask"):
        yield [*truth[:-1], truth[-1] * 0.5 + 0.25]
        yield [*truth[:-1], truth[-1][:0]]
        yield 7
        return
    if kind == "structure":
        yield ["no structure", *truth[1:]]
        yield [*truth[:-1], "ATOM"]
        yield [*truth[:-1], helix(2)]
        return
    values = truth.astype(float)
    for bad in (np.nan, np.inf):
        broken = values.copy()
        broken[-1] = bad
        yield broken
    yield np.full_like(values, 1.0)
    yield np.full_like(values, 0.0)
    yield values[:, 0] if values.ndim == 2 else np.column_stack([values] * 3)
    yield np.arange(values.size).reshape(values.shape) % 3
    yield values + 0.5
    yield values + 1.0
    yield np.array(["a"] * len(values), dtype=object)
    yield values[:1]


def unsound(kind, predictions):
    """Submissions to blame, if it were not for the truth."""
    yield predictions[:-1]
    if isinstance(predictions, list):
        yield ["nothing"] * len(predictions)
        return
    yield np.zeros(len(predictions))
    yield np.full(len(predictions), np.nan)
    yield np.full(len(predictions), -7.5)
    yield np.array(["b"] * len(predictions), dtype=object)
    if kind != "probabilities":  # of which the columns say how many classes there are
        yield np.column_stack([predictions, predictions])
    yield predictions.reshape(1, 1, -1)


def test_a_fault_of_the_truth_is_told_whatever_is_predicted(metric, make_example):
    truth, predictions, perfect = make_example(metric.kind, 1)
    found = set()
    for broken in broken_truths(metric.kind, truth):
        size = len(broken) if hasattr(broken, "__len__") else len(truth)
        for sound in (predictions[:size], perfect[:size]):
            try:
                metric(broken, sound)
            except MetricError as error:
                if error.fault == "task":
                    found.add(error.reason)
                    break
        else:
            continue
        for bad in unsound(metric.kind, predictions):
            with pytest.raises(MetricError) as told:
                metric(broken, bad)
            assert told.value.fault == "task", (broken, bad)
    assert "empty" in found
    assert len(found) > 1


def test_constant_predictions_of_several_columns_are_no_excuse_for_a_constant_truth():
    truth = np.column_stack([np.arange(5.0), np.ones(5)])
    predictions = np.column_stack([np.zeros(5), np.arange(5.0)])
    error = both_ways(get_metric("mean_spearman"), truth, predictions)
    assert (error.reason, error.fault) == ("constant_truth", "task")


@metrics_that(lambda m: m.kind != "structure")
def test_inputs_stay_as_they_were(metric, make_example):
    truth, predictions, _ = make_example(metric.kind, 2)
    copies = pickle.loads(pickle.dumps((truth, predictions)))
    metric(truth, predictions)
    metric.bootstrap(truth, predictions, n_resamples=3)
    for value, copy in zip((truth, predictions), copies, strict=True):
        np.testing.assert_array_equal(np.asarray(value), np.asarray(copy))


def test_metrics_travel_between_processes(metric):
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_unknown_options_are_named(metric):
    metric.check_options(metric.options)
    with pytest.raises(ValueError, match="no option colour"):
        metric.check_options({"colour": 1})
