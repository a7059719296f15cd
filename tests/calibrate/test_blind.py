"""Labelled solutions that somebody else brings: from the folder to the rates."""

import pytest

from biomlbench.calibrate import blind
from biomlbench.errors import TaskError
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute

CARD = "kernels/shares"
SOLUTIONS = {
    "right": "def shares(x, eps=1e-3):\n    return x / (x.sum() + eps)\n",
    "percent": "def shares(x, eps=1e-3):\n    return 100 * x / (x.sum() + eps)\n",
    # the planted card's oracle is too weak to see this
    "no_eps": "def shares(x, eps=1e-3):\n    return x / (x.sum() + eps * (len(x) >= 50))\n",
}
LABELS = "task_id,name,label,kind\nshares,right,right,\n"
WRONG = "shares,percent,wrong,unit\nkernels/shares,no_eps,wrong,constant\n"


@pytest.fixture
def found(planted, tmp_path):
    folder = tmp_path / "blind"
    (folder / "shares").mkdir(parents=True)
    for name, text in SOLUTIONS.items():
        (folder / "shares" / f"{name}.py").write_text(text)
    return folder, Context(data_dir=str(tmp_path / "data"), tasks_dirs=(str(planted),))


@pytest.mark.slow
def test_a_blind_set_is_graded_as_submissions_are(planted, found):
    verifier = planted / "kernels" / "shares" / "verifier.yaml"
    # the planted check that depends on the hash seed decides nothing here
    text = verifier.read_text().replace("property: first_of_a_set", "property: in_unit_interval")
    verifier.write_text(text)
    folder, context = found
    compute(CARD, context)
    (folder / "labels.csv").write_text(LABELS + WRONG)
    controls = blind.grade(blind.read(folder, context), context)
    rates = {(r["scope"], r["name"], r["kind"]): r for r in blind.rates(controls).to_pylist()}
    passed = {key[:2]: (r["errors"], r["n"]) for key, r in rates.items() if key[2] == "false_pass"}
    assert passed == {
        ("overall", "overall"): (1, 2),
        ("card", CARD): (1, 2),
        ("kind", "unit"): (0, 1),
        ("kind", "constant"): (1, 1),
    }
    assert rates["overall", "overall", "false_fail"]["n"] == 1
    assert rates["overall", "overall", "false_fail"]["errors"] == 0
    assert [row["name"] for row in blind.misjudged(controls)] == ["no_eps"]


def test_cards_that_are_not_prepared_are_told_of_before_any_is_graded(found, monkeypatch):
    folder, context = found
    (folder / "labels.csv").write_text(LABELS + WRONG)
    monkeypatch.setattr(blind.batch, "grade", lambda *_: pytest.fail("a card was graded"))
    with pytest.raises(TaskError, match=r"biomlbench prepare kernels/shares"):
        blind.grade(blind.read(folder, context), context)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("shares,right,good,", "2: `label`"),
        ("no-such,right,right,", "2: `task_id`"),
        ("diabetes-progression,right,right,", "2: `task_id`"),
        ("shares,../right,right,", "2: `name`"),
        ("shares,gone,right,", "2: shares/gone.py"),
        ("shares,link,right,", "2: shares/link.py"),
        ("shares,right,right,\nkernels/shares,right,wrong,", "3: shares/right.py"),
        ("", "no rows"),
    ],
)
def test_a_broken_row_is_named(found, row, said):
    folder, context = found
    (folder / "shares" / "link.py").symlink_to("right.py")
    (folder / "labels.csv").write_text(f"task_id,name,label,kind\n{row}\n")
    with pytest.raises(TaskError, match=f"labels.csv.*{said}"):
        blind.read(folder, context)


def test_a_solution_without_a_row_is_named(found):
    folder, context = found
    (folder / "labels.csv").write_text(LABELS)
    with pytest.raises(TaskError, match=r"labels.csv: shares/.*without a row"):
        blind.read(folder, context)
