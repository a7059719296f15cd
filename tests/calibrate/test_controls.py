import ast
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biomlbench.verify
from biomlbench.calibrate import batch, edits, jobs
from biomlbench.calibrate.controls import of_card, of_mutants, rewritten
from biomlbench.calibrate.mutants import HELD_OUT, TRAINING, Mutant
from biomlbench.calibrate.predictions import of_predictions
from biomlbench.calibrate.settings import Settings, batches
from biomlbench.registry import Registry
from biomlbench.scoring.score_order import ScoreOrder
from biomlbench.stages import Context
from biomlbench.stages.cards import LoadedCard, load_card
from biomlbench.stages.prepare import compute
from biomlbench.verify import judge, stock
from biomlbench.verify.local import run
from biomlbench.verify.policy import decide
from biomlbench.workflow.config import ConfigError

TEMPLATE = Path(biomlbench.verify.__file__).parent / "template"
CARD, PREDICTIONS = "kernels/shares", "clinical/breast-cancer-wisconsin"


@pytest.fixture(scope="module")
def loaded():
    card = biomlbench.verify.load(TEMPLATE)
    return LoadedCard(card, card.plan(), biomlbench.verify.compute(card))


def test_the_families_of_a_card(loaded):
    found = of_card(loaded)
    families = {family: [c for c in found if c.family == family] for family in
                ("reference", "right", "rewrite", "known_bad", "stock")}  # fmt: skip
    right = len([s for s in loaded.card.solutions if s.right])
    assert len(families["reference"]) == 1
    assert len(families["rewrite"]) == right
    assert len(families["stock"]) == len(stock.NAMES)
    assert all(c.patterns and c.claims for c in families["known_bad"])
    assert len({c.name for c in found}) == len(found)
    assert {c.label for c in families["rewrite"]} == {"right"}


def test_a_rewrite_means_the_same(loaded, tmp_path):
    for control in of_card(loaded):
        if control.family == "rewrite":
            path = tmp_path / "submission.py"
            assert control.content.startswith(b"\xef\xbb\xbf")
            path.write_text(control.content.decode("utf-8-sig"))
            outcomes = judge(*loaded, run(path, loaded.plan.cases))
            assert decide(outcomes).verdict == "pass", control.name


def test_a_rewrite_leaves_inner_scopes_alone():
    text = b"def f(x):\n    y = [x for x in x]\n    def g():\n        return y\n    return g()"
    space = {}
    exec(rewritten(text).decode("utf-8-sig"), space)
    assert space["f"]([1, 2]) == [1, 2]
    assert ast.parse(rewritten(b'"""Doc."""'))


def test_batches_share_the_live_mutants():
    live = [Mutant(str(i), "o", "n", 1, "", "", "live") for i in range(24)]
    others = [replace(live[0], name="x", status="equivalent")]
    held_out = [
        replace(one, name=f"cache-{i}", operator="cache") for i, one in enumerate(live[:12])
    ]
    names = batches("functions", {TRAINING: 24, HELD_OUT: 12})[1:]
    made = [*held_out, *others, *live]
    shared = [m.name for name in names for m in batch.share(name, made)]
    assert shared == [m.name for m in (*live, *held_out)]
    assert max(len(batch.share(name, made)) for name in names) == 10
    assert [c.name for c in of_mutants(others + live[:1])] == ["mutant/0"]


def test_a_typing_error_in_the_settings_is_named():
    with pytest.raises(ConfigError, match="mutant"):
        Settings.of({"mutant": 3})
    assert Settings.of({"allowed": {"mutants": 0.05}}).allowed.mutants == 0.05


def test_all_cards_and_the_tasks_that_have_runs():
    names = Settings().task_ids(Registry(), [PREDICTIONS])
    assert PREDICTIONS in names
    assert "kernels/kabsch-rmsd" in names
    assert not any(n.startswith("clinical/") and n != PREDICTIONS for n in names)
    told = Settings().why_these(names, [PREDICTIONS])
    assert f"calibrating {len(names)} tasks: all problem cards, {len(names) - 1} of them" in told
    assert f"`calibration: {{tasks: [{PREDICTIONS}]}}`" in told
    assert "[<task>, ...]" in Settings().why_these(names)
    assert Settings().why_these([PREDICTIONS], [PREDICTIONS]) == ""
    assert Settings(tasks=("kabsch-rmsd",)).why_these(["kernels/kabsch-rmsd"]) == ""
    assert Settings(tasks=("kabsch-rmsd",)).task_ids(Registry()) == ["kernels/kabsch-rmsd"]


@pytest.fixture(scope="module")
def predictions(tmp_path_factory):
    context = Context(data_dir=str(tmp_path_factory.mktemp("data")))
    compute(PREDICTIONS, context)
    return context


def test_gold_and_its_rewrites_are_right_and_the_spoilt_are_not(predictions):
    table = batch.run(PREDICTIONS, "labelled", predictions)
    seen = {row["control"]: row for row in table.to_pylist()}
    assert {n for n, r in seen.items() if r["credited"]} == {
        n for n, r in seen.items() if r["label"] == "right"
    }
    scores = {r["score"] for r in seen.values() if r["label"] == "right"}
    assert len(scores) == 1
    assert {n.partition("/")[2] for n, r in seen.items() if r["family"] == "spoilt"} == {
        *("sample", "gold-shuffled", "subset", "duplicated-rows", "extra-column", "nan"),
        *("wrong-dtype", "constant"),
    }


def test_a_gold_in_parquet_gives_controls_and_none_gives_none(predictions, tmp_path, caplog):
    own = Registry(data_dir=predictions.data_dir).get_task(PREDICTIONS)
    shutil.copytree(own.public_dir, tmp_path / "data/t/t/prepared/public")
    private = tmp_path / "data/t/t/prepared/private"
    shutil.copytree(own.private_dir, private)
    (tmp_path / "t").mkdir()
    config = (own.folder / "config.yaml").read_text().replace("id: clinical/", "id: t/", 1)
    config = config.replace("gold_submission.csv", "gold_submission.parquet")
    (tmp_path / "t" / "config.yaml").write_text(config)
    gold = pd.read_csv(private / "gold_submission.csv", dtype=str)
    gold.to_parquet(private / "gold_submission.parquet")
    task = Registry([tmp_path / "t"], tmp_path / "data").get_task("t")
    found, expected = (of_predictions(one) for one in (task, own))
    assert [control.name for control in found] == [control.name for control in expected]
    (private / "gold_submission.parquet").unlink()
    assert of_predictions(task) == []
    assert "no gold submission" in caplog.text


SCORES = st.integers(-20, 20).map(lambda n: n / 10)


@given(SCORES, SCORES, st.none() | SCORES, st.none() | SCORES, st.floats(0, 2))
def test_no_useless_submission_earns_credit(score, gold, sample, shuffled, beyond):
    """Whatever is known of useless ones, either way round; the gold does where it is the best."""
    useless, best = [sample, shuffled], gold + beyond
    near = batch._near(score, gold, useless, ScoreOrder("maximize"), best)
    flipped = [None if one is None else -one for one in useless]
    assert near == batch._near(-score, -gold, flipped, ScoreOrder("minimize"), -best)
    known = [one for one in useless if one is not None]
    wrong = any(one > gold for one in known)
    start = next((one for one in known if wrong or one != gold), None)
    if start is not None:
        assert not batch._near(start, gold, useless, ScoreOrder("maximize"), best)
    assert batch._near(gold, gold, useless, ScoreOrder("maximize"), gold) == (not wrong)


@pytest.mark.parametrize("metric", ["pearson", "rmse", "roc_auc"])
def test_a_shuffled_gold_is_no_right_work_whatever_the_sample_scores(tmp_path, metric):
    """A constant sample has no score under a correlation; that leaves no wrong work credited."""
    rows = [f"r{n},{n % 2 if metric == 'roc_auc' else n * n % 37}" for n in range(40)]
    folder, data = tmp_path / "tasks/d/own", tmp_path / "data/d/own/prepared"
    for made in (folder, data / "public", data / "private"):
        made.mkdir(parents=True)
    (folder / "config.yaml").write_text(
        f"grader: {{metric: {metric}}}\nsubmission: {{id: id, target: y}}\n"
    )
    answers = "\n".join(["id,y", *rows, ""])
    for name in ("answers", "gold_submission"):
        (data / "private" / f"{name}.csv").write_text(answers)
    sample = "\n".join(["id,y", *(f"{row.partition(',')[0]},0" for row in rows), ""])
    (data / "public/sample_submission.csv").write_text(sample)
    context = Context(data_dir=str(tmp_path / "data"), tasks_dirs=(str(tmp_path / "tasks"),))
    table = batch.run("d/own", "labelled", context)
    credited = {row["control"] for row in table.to_pylist() if row["credited"]}
    assert credited == {row["control"] for row in table.to_pylist() if row["label"] == "right"}


def test_spoilt_ones_differ_from_the_gold(predictions):
    found = of_predictions(predictions.task(PREDICTIONS))
    gold = next(c for c in found if c.family == "gold")
    # a private file as it is would be refused, however right
    private = predictions.task(PREDICTIONS).gold_submission.read_bytes()
    assert all(c.content != private for c in found if c.label == "right")
    assert len({c.content for c in found if c.family == "spoilt"} | {gold.content}) == 9


@pytest.mark.slow
def test_mutants_of_a_card_through_the_stages(planted, tmp_path):
    verifier = planted / "kernels" / "shares" / "verifier.yaml"
    edits.apply(verifier, "large", {"rtol": 0.5})
    edits.apply(verifier, "words", {"severity": "advisory"})
    context = Context(data_dir=str(tmp_path), tasks_dirs=(str(planted),))
    compute(CARD, context)
    mutants = jobs.mutants_table(
        CARD, context, Settings(mutants=8, held_out=0, second_order=0, inputs=200)
    )
    table = jobs.controls_table(CARD, "mutant-1", context, mutants)
    seen = {row["control"]: row for row in table.to_pylist()}
    live = [row for row in mutants.to_pylist() if row["status"] == "live"]
    assert set(seen) == {f"mutant/{row['mutant']}" for row in live}
    assert len(live) == 8
    # the weak tolerance lets some by, and kills others
    assert {row["credited"] for row in seen.values()} == {True, False}


@pytest.mark.parametrize("cases", ["adversarial-*", "*"])
def test_cost_of_a_check_is_what_it_adds(planted, tmp_path, cases):
    verifier = planted / "kernels" / "shares" / "verifier.yaml"
    verifier.write_text(verifier.read_text().replace('["adversarial-*"]', f'["{cases}"]'))
    context = Context(data_dir=str(tmp_path), tasks_dirs=(str(planted),))
    compute(CARD, context)
    loaded = load_card(context.task(CARD))
    looked_at = {unit.case_id for unit in loaded.plan.units["large", "adversarial"]}
    assert (looked_at >= loaded.plan.near) == (cases == "*")
    costs = jobs.costs_of(loaded)
    assert set(costs) == {"oracle", "large", "range", "words"}
    # three adversarial cases are there for `large` only, near draws in any case
    assert costs["large"][0] == 3
    assert costs["range"][0] == 0
    assert all(seconds >= 0 for _, seconds in costs.values())
