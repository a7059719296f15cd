import gzip
import re
from ast import literal_eval
from contextlib import nullcontext
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from scipy.stats import spearmanr

from biomlbench.metrics import MetricError, get_metric, list_metrics
from biomlbench.registry import Registry
from biomlbench.runtime.resources import RUNS_OF_A_PROGRAM
from biomlbench.scoring.score import score_submission
from biomlbench.submission import public_tables
from biomlbench.submission.validation import inspect_submission
from biomlbench.verify import (
    decide,
    fingerprints,
    near_duplicates,
    predictions,
    rerun_inputs,
    reruns,
)
from biomlbench.verify.fingerprints import DIRECTIONS, fingerprint, similarity
from biomlbench.verify.predictions import not_copied, probabilities_sum_to_one
from biomlbench.verify.second_scores import SECOND, WITHOUT, applies, second_score

N = 40
NO_SECOND = {"gdt_ha", "gdt_ts", "hausdorff95", "lddt", "panoptic_quality", "rmsd", "tm_score"}
CONFIG = """
name: A regression
kind: predictions
task_type: regression
difficulty: easy
grader: {name: error, metric: METRIC}
submission:
  id: id
  target: y
  prediction: y
  columns: {y: {type: number, minimum: -50, maximum: 50}}
EXTRA
"""


def write_csv(path, columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.csv.write_csv(pa.table(columns), path)


@pytest.fixture
def make_task(tmp_path):
    def make(metric="rmse", extra="", seed=0):
        rng = np.random.default_rng(seed)
        folder = tmp_path / "tasks" / "demo" / "lines"
        folder.mkdir(parents=True, exist_ok=True)
        text = CONFIG.replace("METRIC", metric).replace("EXTRA", extra)
        (folder / "config.yaml").write_text(text)
        (folder / "description.md").write_text("# A regression\n")
        x = rng.normal(size=2 * N)
        y = 3 * x + 0.5 * rng.normal(size=2 * N)
        if metric == "roc_auc":
            y = (y > 0).astype(int)
        ids = [f"r{i}" for i in range(2 * N)]
        data = tmp_path / "data" / "demo" / "lines" / "prepared"
        write_csv(data / "public" / "train.csv", {"id": ids[:N], "x": x[:N], "y": y[:N]})
        write_csv(data / "public" / "test.csv", {"id": ids[N:], "x": x[N:], "noise": x[N:] ** 3})
        write_csv(data / "public" / "sample_submission.csv", {"id": ids[N:], "y": np.zeros(N)})
        write_csv(data / "private" / "answers.csv", {"id": ids[N:], "y": y[N:]})
        registry = Registry(tasks_dirs=[tmp_path / "tasks"], data_dir=tmp_path / "data")
        task = registry.get_task("demo/lines")
        return task, ids[N:], x[N:], y[N:]

    return make


def table(ids, y):
    return pa.table({"id": ids, "y": np.asarray(y, float)})


def judged(task, submission, **options):
    score = score_submission(submission, task).score
    return predictions.judge(task, submission, None, options.pop("score", score), **options)


def row(rows, check):
    return next(r for r in rows if r.check == check)


def test_honest_predictions_pass(make_task):
    task, ids, x, _ = make_task()
    rows = judged(task, table(ids, 3 * x + np.sin(9 * x)))
    assert {r.outcome for r in rows} == {"passed"}
    assert decide(rows) == ("pass", ["ok"], 1.0)
    assert {r.check for r in rows} == {
        "readable", "second-implementation", "row-order", "range-y", "not-constant",
        "not-copied", "plausible-score",
    }  # fmt: skip


def test_a_wrong_score_is_the_graders_fault(make_task):
    task, ids, x, _ = make_task()
    rows = judged(task, table(ids, 3 * x), score=0.1234)
    for check in ("second-implementation", "row-order"):
        assert (row(rows, check).outcome, row(rows, check).reason) == (
            "error",
            "score_disagreement",
        )
    assert decide(rows).verdict == "partial"


def test_an_invalid_submission_fails_at_the_gate(make_task):
    task, ids, x, _ = make_task()
    rows = predictions.judge(task, table(ids[1:], x[1:]), None, 0.0)
    assert [r.check for r in rows] == ["readable"]
    assert decide(rows) == ("fail", ["missing_ids"], None)


def test_a_constant_is_found(make_task):
    task, ids, _, _ = make_task()
    rows = judged(task, table(ids, np.full(N, 2.5)))
    assert row(rows, "not-constant").reason == "constant_predictions"
    assert decide(rows).verdict == "partial"


@pytest.mark.parametrize(("column", "found"), [("x", True), ("noise", True), ("other", False)])
def test_a_copied_column_is_found_whatever_the_order_of_rows(make_task, column, found):
    task, ids, x, _ = make_task()
    values = {"x": x, "noise": x**3, "other": x + 1e-3}[column]
    order = np.random.default_rng(1).permutation(N)
    rows = judged(task, table([ids[i] for i in order], values[order]))
    told = row(rows, "not-copied")
    assert (told.outcome == "failed" and told.severity == "critical") is found
    if found:
        assert f"test.csv:{column}" in row(rows, "not-copied").message


def write_public(path, columns):
    """Write a table in the format that a file's name says; semicolons come with commas."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table, name = pa.table(columns), path.name.lower()
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(table, path)
        return
    separator = "\t" if ".tsv" in name or ".tab" in name else ";" if "semicolons" in name else ","
    rows = [[str(v) for v in row.values()] for row in table.to_pylist()]
    if separator == ";":
        rows = [[cell.replace(".", ",") for cell in row] for row in rows]
    lines = [separator.join(row) for row in ([table.column_names, *rows])]
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)


@pytest.mark.parametrize(
    "name",
    [
        "test.csv", "TEST.CSV", "test.csv.gz", "test.tsv", "Test.TSV.gz", "test.parquet",
        "sub/deep/x.csv", "sub/x.parquet", "test.txt", "test.tab", "semicolons.csv",
    ],
)  # fmt: skip
def test_a_copied_column_is_found_in_every_public_table(make_task, name):
    task, ids, x, _ = make_task()
    (task.public_dir / "test.csv").unlink()
    # In another order, and among other rows.
    order = np.random.default_rng(1).permutation(N)
    there = ["r0", *(ids[i] for i in order), "r1"]
    write_public(task.public_dir / name, {"id": there, "x": [7.5, *x[order], -7.5]})
    told = row(judged(task, table(ids, x)), "not-copied")
    assert (told.outcome, told.severity) == ("failed", "critical")
    assert told.message == f"y is a copy of {name}:x"
    assert row(judged(task, table(ids, x**2)), "not-copied").outcome == "passed"


@pytest.mark.parametrize("name", ["test.parquet", "test.csv.gz", "sub/test.csv"])
def test_what_could_not_be_searched_is_no_pass(make_task, name):
    task, ids, x, _ = make_task()
    (task.public_dir / "test.csv").unlink()
    broken = task.public_dir / name
    broken.parent.mkdir(exist_ok=True)
    broken.write_bytes(b"\0no table")
    (task.public_dir / "LICENCE.txt").write_text("Free, for all\nuses\n")
    rows = judged(task, table(ids, x))
    assert row(rows, "not-copied").outcome == "passed"  # there is train.csv as well
    assert row(rows, "not-copied").message == f"not searched: {name}"
    (task.public_dir / "train.csv").unlink()
    rows = judged(task, table(ids, x))
    assert row(rows, "not-copied").outcome == "skipped"
    assert name in row(rows, "not-copied").message
    broken.unlink()
    assert row(judged(task, table(ids, x)), "not-copied").outcome == "passed"


def test_the_search_of_public_tables_is_bounded(make_task, monkeypatch):
    task, ids, x, _ = make_task()
    for limit in ("MAX_BYTES", "MAX_ALL_BYTES", "MAX_FILES"):
        with monkeypatch.context() as patch:
            patch.setattr(public_tables, limit, 0)
            assert row(judged(task, table(ids, x)), "not-copied").outcome == "skipped"
    packed = task.public_dir / "test.csv.gz"
    packed.write_bytes(gzip.compress(b"id,x\n" + b"r0,1\n" * 10_000))
    monkeypatch.setattr(public_tables, "MAX_BYTES", 10_000)
    assert public_tables.public_table(packed) is None


def test_a_straight_line_is_one_also_near_the_largest_numbers():
    values = np.random.default_rng(0).normal(size=N)
    far = np.where(np.arange(N) % 2, 1.7e308, -1.7e308) / np.arange(1, N + 1)
    assert not_copied._on_a_line(values, 1.7e308 * (values / np.abs(values).max()))
    assert not not_copied._on_a_line(values, far)


def test_a_score_beyond_the_noise_floor_is_suspicious(make_task):
    task, ids, x, y = make_task(extra="noise_floor: 0.3")
    rows = judged(task, table(ids, 3 * x))
    assert row(rows, "plausible-score").outcome == "passed"
    rows = judged(task, table(ids, y + 0.1))
    assert row(rows, "plausible-score").reason == "suspicious_score"
    assert decide(rows).verdict == "partial"


def test_without_a_noise_floor_a_perfect_score_is_only_told(make_task):
    task, ids, _, y = make_task()
    rows = judged(task, table(ids, y))
    found = row(rows, "plausible-score")
    assert (found.outcome, found.severity) == ("failed", "advisory")
    assert decide(rows).verdict == "pass"


WITHOUT_ORDER = """
import numpy as np

def grade(submission, answers):
    return float(abs(np.sort(submission["y"]) - np.sort(answers["y"])).mean())
"""


@pytest.mark.parametrize("reference", ["metric", "function"])
def test_a_score_is_compared_with_that_of_the_right_answers(make_task, reference):
    """Of a function nothing else is known; a metric's best value is not always theirs."""
    metric = (
        "rmse" if reference == "metric" else "null, grade_fn: own.py:grade, direction: minimize"
    )
    task, ids, x, y = make_task(metric)
    (task.folder / "own.py").write_text(WITHOUT_ORDER)
    write_csv(task.gold_submission, {"id": ids, "y": y.round(1)})
    handed_in = {
        "honest": 3 * x,
        "gold": y.round(1),
        "better than the gold": y,
        "shuffled": np.random.default_rng(1).permutation(y.round(1)),
    }
    found = {name: row(judged(task, table(ids, v)), "plausible-score").outcome
             for name, v in handed_in.items()}  # fmt: skip
    shuffled = "failed" if reference == "function" else "passed"  # there it is no good score
    assert found == {"honest": "passed", "gold": "failed", "better than the gold": "failed",
                     "shuffled": shuffled}  # fmt: skip


def test_near_duplicates_are_told(make_task):
    task, ids, x, y = make_task()
    tables = [
        table(ids, 3 * x),
        table(ids[::-1], (3 * x)[::-1] + 1e-6),
        table(ids, y),
        table(ids[2:], x[2:]),
    ]
    inspected = (inspect_submission(submitted, task) for submitted in tables)
    own, *others = [*map(near_duplicates.fingerprint_of, inspected), "not a fingerprint"]
    assert others[2] == ""
    names = ["own", "copy", "honest", "invalid", "damaged"]
    found = near_duplicates.outcomes([own, *others], list("abcde"), names)
    told = {place: (row.outcome, row.reason, row.message) for place, row in found.items()}
    assert told == {
        0: ("failed", "near_duplicate", "copy"),
        1: ("failed", "near_duplicate", "own"),
        2: ("passed", "ok", ""),
    }
    assert {row.severity for row in found.values()} == {"advisory"}
    # One agent's runs have nothing to be compared with.
    assert near_duplicates.outcomes([own, *others], list("aaabc"), names) == {}


def test_where_all_runs_are_near_to_each_other_only_nearer_ones_are_duplicates():
    rng = np.random.default_rng(5)
    ids, truth = [f"r{i}" for i in range(400)], np.linspace(0, 50, 400)
    runs = [truth + rng.normal(0, 0.2, 400) for _ in range(12)]
    copy = 1.01 * runs[3] + 0.5
    copy[:2] = copy[1::-1]
    prints = [fingerprints.fingerprint(ids, run) for run in (*runs, copy)]
    names = [f"run{number}" for number in range(12)] + ["copy"]
    parsed = fingerprints.parse(prints)
    assert near_duplicates.threshold_of(parsed, names).correlation > 0.9995
    found = near_duplicates.outcomes(prints, names, names)
    failed = {names[place]: row.message for place, row in found.items() if row.outcome == "failed"}
    assert failed == {"run3": "copy", "copy": "run3"}
    # of so few agents nobody knows what is usual
    three = near_duplicates.threshold_of(parsed, [name[-1] > "5" for name in names])
    assert three == near_duplicates.THRESHOLD


def test_runs_of_one_agent_that_are_the_same_file_are_told_and_do_not_fail(make_task):
    task, ids, x, y = make_task()
    tables = [table(ids, 3 * x), table(ids, 3 * x), table(ids, 3 * x + 1e-6), table(ids, y)]
    prints = [near_duplicates.fingerprint_of(inspect_submission(t, task)) for t in tables]
    names = ["one", "again", "copy", "honest"]
    digests = ["a" * 64, "a" * 64, "b" * 64, None]

    def told(groups):
        found = near_duplicates.outcomes(prints, groups, names, digests)
        return {place: (row.outcome, row.reason, row.message) for place, row in found.items()}

    assert told(list("aaaa")) == {
        0: ("passed", "ok", "the same file as again"),
        1: ("passed", "ok", "the same file as one"),
    }
    assert told(list("aabc")) == {
        0: ("failed", "near_duplicate", "copy; the same file as again"),
        1: ("failed", "near_duplicate", "copy; the same file as one"),
        2: ("failed", "near_duplicate", "one, again"),
        3: ("passed", "ok", ""),
    }
    # Two agents with one file are near-duplicates, and no runs of one agent.
    assert not any("same file" in message for _, _, message in told(list("abcd")).values())


def test_of_many_equal_files_the_first_are_named():
    names = [f"r{number}" for number in range(9)]
    found = near_duplicates.outcomes([""] * 9, ["a"] * 9, names, ["a" * 64] * 9)
    assert found[0].message == "the same file as r1, r2, r3 and 5 more"
    assert found[1].message == "the same file as r0, r2, r3 and 5 more"
    assert found[8].message == "the same file as r0, r1, r2 and 5 more"


@pytest.mark.parametrize("digest", [None, "", "absent", "too-large-134217729"])
def test_what_was_never_read_is_no_equal_file(digest):
    assert near_duplicates.outcomes([""] * 2, ["a"] * 2, ["r0", "r1"], [digest] * 2) == {}


def test_a_metric_without_second_implementation_is_skipped_not_failed(make_task, monkeypatch):
    task, ids, x, _ = make_task()
    monkeypatch.delitem(SECOND, "rmse")
    rows = judged(task, table(ids, 3 * x))
    found = row(rows, "second-implementation")
    assert (found.outcome, found.severity) == ("skipped", "advisory")
    assert decide(rows).verdict == "pass"


def inputs_for(kind, rng, n, many):
    if kind in ("regression", "ranking"):
        return np.round(rng.normal(size=n), 1), np.round(rng.normal(size=n), 1)
    if kind == "labels":
        classes = 4 if many else 2
        return rng.integers(0, classes, n), rng.integers(0, classes, n)
    if kind == "binary":
        if many:
            return np.arange(n) % 3, rng.random((n, 3))
        return rng.integers(0, 2, n), np.round(rng.random(n), 1)
    if kind == "probabilities":
        if many:
            p = rng.random((n, 3))
            return np.arange(n) % 3, p / p.sum(axis=1, keepdims=True)
        return rng.integers(0, 2, n), rng.random(n)
    if kind == "survival":
        times = np.column_stack([rng.integers(1, 20, n), rng.integers(0, 2, n)])
        return times, np.round(rng.normal(size=n), 1)
    assert kind == "mask"
    return [rng.random((3, 4)) < 0.4 for _ in range(n)], [rng.random((3, 4)) < 0.4] * n


OPTIONS = {
    "f1": [{"average": a} for a in ("macro", "micro", "weighted")],
    "precision": [{"average": a} for a in ("macro", "micro", "weighted")],
    "recall": [{"average": a} for a in ("macro", "micro", "weighted")],
    "roc_auc": [{}, {"average": "weighted"}],
    "dice": [{"reduction": "pooled"}],
    "iou": [{"reduction": "pooled"}],
    "concordance_index": [{"higher": "survival"}],
}


@pytest.mark.parametrize("name", sorted(SECOND))
@pytest.mark.parametrize("seed", range(4))
def test_both_implementations_agree(name, seed):
    metric, rng = get_metric(name), np.random.default_rng(seed)
    for many in (False, True):
        if (
            many
            and metric.kind not in ("labels", "binary", "probabilities")
            and (name not in OPTIONS)
        ):
            continue
        if many and name == "average_precision":
            continue
        if many and name not in OPTIONS and metric.kind == "binary":
            continue
        y_true, y_pred = inputs_for(metric.kind, rng, int(rng.integers(12, 60)), many)
        for options in OPTIONS.get(name, [{}]) if many else [{}]:
            first = metric(y_true, y_pred, **options)
            assert second_score(name, y_true, y_pred, options) == pytest.approx(first, abs=1e-12)


@pytest.mark.parametrize("name", sorted(SECOND))
def test_a_second_implementation_applies_to_the_options_for_which_it_gives_a_score(name):
    """Every value that an option may have, for every form of predictions that the metric takes."""
    metric, rng = get_metric(name), np.random.default_rng(0)
    assert applies(name, metric.options)
    assert not applies(name, {"no_such": 1})
    for key in metric.options:
        hint = metric.function.__annotations__[key]
        values = literal_eval(re.sub(r".*Literal(\[.*?\]).*", r"\1", hint)) if "Lit" in hint else []
        for value, many in product(values, (False, True)):
            if many and metric.kind not in ("labels", "binary", "probabilities"):
                continue
            if value == "binary" and many:
                continue
            y_true, y_pred = inputs_for(metric.kind, rng, 40, many)
            second = second_score(name, y_true, y_pred, {key: value})
            assert (second is not None) == applies(name, {key: value})
            if second is not None:
                first = metric(y_true, y_pred, **{key: value})
                assert second == pytest.approx(first, abs=1e-12)
    assert set(WITHOUT.get(name, {})) <= set(metric.options)


def test_every_metric_has_a_second_implementation_or_is_listed():
    assert set(list_metrics()) - set(SECOND) <= NO_SECOND


@pytest.mark.parametrize(
    ("factor", "offset"), [(1e200, 0), (1e-200, 0), (1e-320, 0), (1e-9, 1e6), (1, 1e16), (1e-12, 1)]
)
def test_correlation_is_that_of_the_numbers_whatever_their_size_and_mean(factor, offset):
    x = np.random.default_rng(0).normal(size=50) + 5
    y = x * factor + offset
    pairs = [(Fraction(a), Fraction(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    mean = [sum(values) / 50 for values in zip(*pairs, strict=True)]
    from_it = [(a - mean[0], b - mean[1]) for a, b in pairs]
    squares = sum(a * a for a, _ in from_it) * sum(b * b for _, b in from_it)
    square = sum(a * b for a, b in from_it) ** 2 / squares
    for found in (get_metric("pearson")(x, y), second_score("pearson", x, y, {})):
        assert found**2 == pytest.approx(float(square), rel=1e-12)


def test_labels_that_all_differ_take_no_more_than_their_rows():
    truth, guess = ["a", "b"] * 50_000, [f"x{i}" for i in range(100_000)]
    assert second_score("f1", truth, guess, {"average": "macro"}) == 0
    assert second_score("mcc", truth, guess, {}) is None


def test_text_labels():
    assert second_score("roc_auc", ["sick", "well"], [0.9, 0.1], {"pos_label": "sick"}) == 1.0


def test_fingerprint_estimates_correlation():
    rng = np.random.default_rng(0)
    ids = [f"m{i}" for i in range(400)]
    a = rng.normal(size=400)
    for r in (0.0, 0.9, 0.9999):
        b = r * a + np.sqrt(1 - r * r) * rng.normal(size=400)
        error = 5 * (1 - r * r) / np.sqrt(DIRECTIONS) + 1e-3
        found = similarity(fingerprint(ids, a), fingerprint(ids, b)).correlation
        assert found == pytest.approx(spearmanr(a, b).statistic, abs=error)
    assert fingerprint(ids, np.ones(400)) == ""
    labels = np.where(a > 0, "x", "y")
    agreed = similarity(fingerprint(ids, labels), fingerprint(ids[::-1], labels[::-1]))
    assert agreed.correlation == pytest.approx(1)
    assert similarity(fingerprint(ids, a), "") == (0.0, 0.0)


@pytest.mark.parametrize(
    "disguise",
    [
        lambda x, rng: np.where(np.arange(len(x)) == 7, 1e9, x),
        lambda x, rng: np.where(np.arange(len(x)) < 0.1 * len(x), rng.normal(size=len(x)), x),
        lambda x, rng: 0.3 * x - 2,
        lambda x, rng: np.tanh(x),
        lambda x, rng: x + 1e-5 * rng.normal(size=len(x)),
        lambda x, rng: np.array([float(f"{value:.7g}") for value in x]),
    ],
    ids=["one row far out", "a tenth of the rows", "rescaled", "bent", "noise", "rounded"],
)
def test_a_disguised_copy_is_found_and_honest_work_is_not(disguise):
    rng = np.random.default_rng(3)
    ids = [f"m{i}" for i in range(300)]
    truth = rng.normal(size=300)
    honest = [truth + rng.normal(size=300) * noise for noise in (0.1, 0.2, 0.2, 0.5, 1.0, 2.0)]
    texts = [fingerprint(ids, x) for x in [*honest, disguise(honest[0], rng)]]
    assert alike_among(texts, list("abcdefg")) == {0: [6], 6: [0]}


def alike_among(texts, groups, most=10**6):
    """Return the near-duplicates of each run that has some; as many as it says."""
    found = {}
    prints = fingerprints.parse(texts)
    for place, count, first in fingerprints.near_duplicates(
        prints, groups, near_duplicates.THRESHOLD, most
    ):
        assert len(first) == min(count, most)
        found[place] = first
    return found


def test_near_duplicates_among_many_are_those_that_one_by_one_are():
    rng = np.random.default_rng(5)
    ids = [str(number) for number in range(200)]
    honest = rng.normal(size=(300, 200))
    # Around the threshold on either side, and far from each other in the list.
    noise = np.repeat([0.0, 0.002, 0.01, 0.02, 0.04, 0.1], 10)
    runs = [*honest, *(honest[:60] + rng.normal(size=(60, 200)) * noise[:, None])]
    texts = [fingerprint(ids, values) for values in runs]
    groups = ["one"] * 300 + ["other"] * 55 + ["one"] * 5
    least = near_duplicates.THRESHOLD
    alike = {}
    for place in range(300):
        copy = 300 + place
        if place < 55:
            found = fingerprints.similarity(texts[place], texts[copy])
            if any(a >= b for a, b in zip(found, least, strict=True)):
                alike |= {place: [copy], copy: [place]}
    assert 2 * 10 < len(alike) < 2 * 55
    found = alike_among(texts, groups)
    assert found == alike
    assert list(found) == sorted(found)


@pytest.mark.parametrize("most", [1, 3, 700])
def test_of_many_equal_runs_the_first_are_named_and_all_are_counted(most):
    rng = np.random.default_rng(8)
    ids = [str(number) for number in range(50)]
    kinds = [fingerprint(ids, rng.normal(size=50)) for _ in range(2)] + ["", "no fingerprint"]
    # More than are compared at once, in an order of its own.
    texts = [kinds[place] for place in rng.integers(4, size=700)]
    groups = [f"agent {place}" for place in rng.integers(3, size=700)]
    expected = {}
    for place, text in enumerate(texts):
        others = [n for n in range(700) if texts[n] == text and groups[n] != groups[place]]
        if text in kinds[:2]:
            expected[place] = (len(others), others[:most])
    prints = fingerprints.parse(texts)
    found = fingerprints.near_duplicates(prints, groups, near_duplicates.THRESHOLD, most)
    assert {place: tuple(rest) for place, *rest in found} == expected


def test_a_rescaled_public_column_is_told_and_changes_no_verdict(make_task):
    task, ids, x, _ = make_task()
    for values in (2.5 * x - 1, -x):
        rows = judged(task, table(ids, values))
        found = row(rows, "not-copied")
        assert (found.outcome, found.severity) == ("failed", "advisory")
        assert "follows test.csv:x" in found.message
        assert decide(rows).verdict == "pass"


class Program:
    """A straight line fitted to train.csv, with a fault that can be chosen."""

    def __init__(self, task, fault="none"):
        self.task, self.fault, self.runs = task, fault, 0

    def __call__(self, files):
        self.runs += 1

        def read(name):
            path = self.task.public_dir / name
            source = pa.BufferReader(files[name]) if name in files else path
            return pyarrow.csv.read_csv(source)

        train, test = read("train.csv"), read("test.csv")
        x, y = train.column("x").to_numpy(), train.column("y").to_numpy().astype(float)
        new = test.column("x").to_numpy()
        numbers = [one[1:] for one in test.column("id").to_pylist()]
        slope = (x * y).sum() / (x * x).sum()
        y_new = slope * new
        if self.fault == "random":
            y_new = y_new + 0.01 * self.runs
        if self.fault == "order":
            y_new = y_new + 0.01 * np.arange(len(new))
        if self.fault == "normalised":
            y_new = slope * (new - new.mean())
        if self.fault == "evasive":
            y_new = slope * (new - np.unique(new[np.char.isnumeric(numbers)]).mean())
        if self.fault == "leak":
            y_new = (3.0 + 0.01 * slope) * new
        if self.fault == "known":
            y_new = 3.0 * new
        if self.fault == "crash" and self.runs > 1:
            raise reruns.RerunFailed("it stopped")
        return table(test.column("id").to_pylist(), y_new)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_reruns_are_compared_on_the_scale_of_the_predictions(make_task, unit):
    def scaled(program):
        def run(files):
            found = program(files)
            y = found.column(1).to_numpy() * unit
            return found.set_column(1, found.column_names[1], pa.array(y))

        return run

    task, _, _, _ = make_task()
    for fault, outcome in (("none", "passed"), ("random", "failed")):
        run = scaled(Program(task, fault))
        assert row(reruns.judge(task, run({}), run), "rerun-agrees").outcome == outcome


@pytest.mark.parametrize(
    ("fault", "check", "reason"),
    [
        ("random", "rerun-agrees", "nondeterministic"),
        ("order", "permuted-test-rows", "row_order_dependence"),
        ("normalised", "appended-test-rows", "test_set_dependence"),
        ("evasive", "appended-test-rows", "test_set_dependence"),
        ("leak", "shuffled-labels", "label_leakage"),
        ("crash", "rerun-agrees", "nondeterministic"),
        ("none", None, "ok"),
    ],
)
@pytest.mark.parametrize("metric", ["rmse", "spearman"])
def test_faulty_programs_are_found(make_task, fault, check, reason, metric):
    task, _, _, _ = make_task(metric)
    program = Program(task, fault)
    rows = reruns.judge(task, program({}), program)
    assert [r.check for r in rows] == list(reruns.CHECKS)
    if check is None:
        assert {r.outcome for r in rows} == {"passed"}, rows
        assert decide(rows).verdict == "pass"
    else:
        assert (row(rows, check).outcome, row(rows, check).reason) == ("failed", reason)
        assert decide(rows).verdict == "partial"
    if fault in ("order", "normalised", "evasive", "leak"):
        assert row(rows, "rerun-agrees").outcome == "passed"


def squeezed(program, outlier=False):
    """Return a program whose predictions differ in digits alone that hardly show in their size."""

    first = program({})
    largest = first.column("id")[int(first.column("y").to_numpy().argmax())].as_py()

    def run(files):
        found = program(files)
        y = 0.5 + 1e-8 * found.column("y").to_numpy()
        if outlier:
            y = np.where(
                found.column("id").to_numpy(zero_copy_only=False) == largest, 40.0, y - 0.5
            )
        return found.set_column(1, "y", pa.array(y))

    return run


@pytest.mark.parametrize("outlier", [False, True])
@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("random", "rerun-agrees"),
        ("order", "permuted-test-rows"),
        ("normalised", "appended-test-rows"),
        ("leak", "shuffled-labels"),
        ("none", None),
    ],
)
def test_faults_are_found_where_only_the_order_of_predictions_has_a_meaning(
    make_task, fault, check, outlier
):
    task, _, _, _ = make_task("spearman")
    program = squeezed(Program(task, fault), outlier)
    rows = reruns.judge(task, program({}), program)
    failed = [r.check for r in rows if r.outcome == "failed" and r.severity == "critical"]
    assert failed[:1] == ([check] if check else [])


@pytest.mark.parametrize("level", [0.5, 1e6])
@pytest.mark.parametrize("values", [[0.0], [0.1, 0.3, 0.7]])
def test_rounding_errors_are_no_difference(make_task, level, values):
    """Few different predictions, each of which comes out in several roundings."""
    task, _, _, _ = make_task()
    runs = iter(range(1, 100))

    def program(files):
        found = Program(task)(files)
        rng = np.random.default_rng(next(runs))
        y = (
            level
            + np.resize(values, found.num_rows)[np.argsort(found.column("id").to_numpy(False))]
        )
        y *= 1 + rng.integers(-2, 3, size=found.num_rows) * 2.0**-52
        return found.set_column(1, "y", pa.array(y))

    first = program({})
    assert row(reruns.judge(task, first, program), "rerun-agrees").outcome == "passed"


def rewrite(path, change):
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join(change(header, rows)) + "\n")


def test_an_id_may_have_several_test_rows(make_task):
    """As a patient has visits; the mean over them is predicted."""
    task, _, _, _ = make_task()
    rewrite(task.public_dir / "test.csv", lambda header, rows: [header, *rows, *rows[::2]])

    def program(files):
        found = Program(task)(files)
        means = found.group_by("id", use_threads=False).aggregate([("y", "mean")])
        return table(means.column("id").to_pylist(), means.column("y_mean").to_numpy())

    rows = reruns.judge(task, program({}), program)
    assert {r.check: r.outcome for r in rows} == dict.fromkeys(reruns.CHECKS, "passed")


@pytest.mark.parametrize("has_ids", [True, False])
def test_a_program_may_rely_on_test_rows_in_the_order_of_the_sample(make_task, has_ids):
    task, _, _, _ = make_task()
    if not has_ids:
        drop = lambda header, rows: [line.partition(",")[2] for line in (header, *rows)]  # noqa: E731
        rewrite(task.public_dir / "test.csv", drop)

    def program(files):
        def read(name):
            path = task.public_dir / name
            return pyarrow.csv.read_csv(pa.BufferReader(files[name]) if name in files else path)

        sample, test = read("sample_submission.csv"), read("test.csv")
        return table(sample.column("id").to_pylist(), 2.0 * test.column("x").to_numpy())

    rows = {r.check: r.outcome for r in reruns.judge(task, program({}), program)}
    assert rows["permuted-test-rows"] == "passed"
    assert rows["appended-test-rows"] == ("passed" if has_ids else "skipped")


@pytest.mark.parametrize("own", ["train 0", "", "NA", "1.5", "1e400", "nan", "inf"])
def test_training_rows_may_have_ids_of_another_form(make_task, own):
    task, _, _, _ = make_task()
    for name in ("test.csv", "train.csv", "sample_submission.csv"):
        rewrite(task.public_dir / name, lambda header, rows: [header, *(r[1:] for r in rows)])
    rewrite(
        task.public_dir / "train.csv", lambda header, rows: [header, own + rows[0][1:], *rows[1:]]
    )
    assert len(reruns.wanted(task)) == RUNS_OF_A_PROGRAM - 1


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_test_file_in_another_encoding_leaves_its_checks_out(make_task, encoding):
    task, _, _, _ = make_task()
    path = task.public_dir / "test.csv"
    first = Program(task)({})
    path.write_bytes(path.read_text().replace("r40", "rö").encode(encoding))
    rows = reruns.judge(task, first, lambda files: first)
    found = row(rows, "permuted-test-rows")
    assert (found.outcome, found.severity) == ("skipped", "advisory")
    assert "test.csv is no plain CSV file in UTF-8" in found.message


def test_a_program_that_uses_no_labels_is_only_pointed_out(make_task):
    task, _, _, _ = make_task("spearman")
    program = Program(task, "known")
    found = row(reruns.judge(task, program({}), program), "shuffled-labels")
    assert (found.outcome, found.severity) == ("failed", "advisory")
    assert "without using the training labels" in found.message


@pytest.mark.parametrize("metric", ["rmse", "spearman"])
def test_an_intercept_from_the_labels_is_no_leak(make_task, metric):
    """Knowledge that is in the code, moved to where the labels lie, as a dose model is."""
    task, _, _, _ = make_task(metric)
    known = Program(task, "known")

    def program(files):
        train = task.public_dir / "train.csv"
        source = pa.BufferReader(files["train.csv"]) if "train.csv" in files else train
        mean = np.mean(pyarrow.csv.read_csv(source).column("y").to_numpy().astype(float))
        found = known(files)
        return found.set_column(1, "y", pa.array(found.column("y").to_numpy() + mean))

    found = row(reruns.judge(task, program({}), program), "shuffled-labels")
    assert found.severity == "advisory" or found.outcome == "passed"


def test_new_test_rows_are_drawn_by_what_no_program_sees(make_task):
    task, ids, _, _ = make_task()
    files = reruns.wanted(task)[2]
    found = pyarrow.csv.read_csv(pa.BufferReader(files["test.csv"])).column("id").to_pylist()
    assert sorted(found, key=lambda one: int(one[1:])) == found
    assert set(found) > set(ids)
    assert len(found) == len(ids) + rerun_inputs.APPENDED_ROWS
    assert reruns.wanted(task)[2] == files
    answers = task.answers.read_bytes()
    task.answers.write_bytes(answers + b"\n")
    assert reruns.wanted(task)[2] != files


def test_labels_that_point_by_chance_along_the_data_are_no_leak(make_task):
    """With one feature, any slope ranks perfectly, or perfectly the wrong way round."""
    task, _, _, _ = make_task("spearman")
    program = Program(task)
    shuffled = [program(files) for files in reruns.wanted(task)[-2:]]
    truth = program({}).column("y").to_numpy()
    signs = [np.sign(np.corrcoef(t.column("y").to_numpy(), truth)[0, 1]) for t in shuffled]
    assert sorted(signs) == [-1, 1]


def test_the_time_that_is_asked_for_has_room_for_all_reruns(make_task):
    task, _, _, _ = make_task()
    assert 1 + len(reruns.wanted(task)) == RUNS_OF_A_PROGRAM


def test_reruns_without_the_files_are_skipped(make_task):
    task, _, _, _ = make_task()
    program = Program(task)
    first = program({})
    (task.public_dir / "train.csv").rename(task.public_dir / "other.csv")
    rows = reruns.judge(task, first, lambda files: first)
    found = row(rows, "shuffled-labels")
    assert (found.outcome, found.severity) == ("skipped", "advisory")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("matrix_rmse", {}),
        ("rowwise_rmse", {}),
        ("rowwise_rmse", {"clip": 0.5}),
        ("mean_spearman", {}),
    ],
)
def test_both_implementations_agree_on_several_columns(name, options):
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.normal(size=(2, 30, 4))
    metric = get_metric(name)
    second = second_score(name, y_true, y_pred, options)
    assert second == pytest.approx(metric(y_true, y_pred, **options), abs=1e-12)
    # The bootstrap's vectorised form, on every row once.
    once = metric.resampled(y_true, y_pred, np.ones((1, 30), int), **options)
    assert once[0] == pytest.approx(second, abs=1e-12)
    if name == "mean_spearman":
        shared = metric(y_true[:, 0], y_pred)
        assert second_score(name, y_true[:, 0], y_pred, {}) == pytest.approx(shared, abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [3.5e38, 1.7e308, float("inf")])
def test_predictions_beyond_single_precision_warn_of_nothing(size):
    ids = [str(n) for n in range(60)]
    values = [float(n) for n in range(59)]
    known = fingerprint(ids, [*values, 1e6])
    assert similarity(known, fingerprint(ids, [*values, size])).correlation > 0.999


@pytest.mark.parametrize(("classes", "off", "passes"), [
    (3, 0.001, True), (3, -0.0015, True), (3, 0.0016, False),
    (10, 0.005, True), (10, 0.0051, False), (2, 0.001, True), (2, 0.0011, False),
])  # fmt: skip
def test_probabilities_sum_to_one_within_what_the_metric_takes(classes, off, passes):
    numbers = {f"c{i}": np.full(5, round((1 + off) / classes, 12)) for i in range(classes)}
    metric = get_metric("log_loss")
    predicted = SimpleNamespace(task=SimpleNamespace(metric=metric), numbers=lambda: numbers)
    (found,) = probabilities_sum_to_one.look(predicted)
    assert (found.outcome == "passed") is passes
    rows = np.column_stack(list(numbers.values()))
    refused = pytest.raises(MetricError) if not passes else nullcontext()
    with refused:
        metric(np.arange(5) % classes, rows, labels=list(range(classes)))
