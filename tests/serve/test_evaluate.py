"""`POST /evaluate`: the verdict of the workflow, and nothing of the hidden suites."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from biomlbench.serve.feedback import disagreement
from biomlbench.serve.names import Screen
from biomlbench.stages import Pair, run_pair
from biomlbench.stages.cards import load_card

from .conftest import TEMPLATE, VERSIONS, context_of, post

RIGHT = (TEMPLATE / "reference.py").read_text()
UPPER_ONLY = (TEMPLATE / "solutions/bad/upper_only.py").read_text()
LENGTH = (TEMPLATE / "solutions/bad/length.py").read_text()


def evaluate(url, code, card="gc-v2"):
    answer = post(url, "evaluate", code, "candidate.py", task_id=card)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("code", [RIGHT, UPPER_ONLY, LENGTH], ids=["right", "hidden", "visible"])
def test_the_verdict_is_that_of_the_other_doors(url, home, tmp_path, version, code):
    path = tmp_path / "candidate.py"
    path.write_text(code)
    pair = Pair(f"kernels/gc-{version}", "candidate", str(path), "functions", 0)
    tables = run_pair(pair, context_of(home), tmp_path)
    record = tables["medal"].to_pylist()[0]
    got = evaluate(url, code, f"gc-{version}")
    assert got["calibrated"] == record["calibrated"]
    visible = [
        row
        for row in tables["verify"].to_pylist()
        if row["suite"] == "visible" and row["check"] != "shadow-agrees"
    ]
    assert got["checks"] == [{name: row[name] for name in got["checks"][0]} for row in visible]
    assert (got["verdict"], got["verifier"]) == (record["verdict"], version)
    assert [item["reason"] for item in got["reasons"]] == record["verdict_reasons"]
    # `upper_only` is right on the visible cases: v1 sees no more than those.
    wrong = code is LENGTH or (code is UPPER_ONLY and version == "v2")
    assert (got["verdict"] != "pass") == wrong
    outcomes = {item["case"]: item["outcome"] for item in got["feedback"]}
    assert list(outcomes) == ["short", "unknown", "all"]
    assert outcomes["unknown"] == ("failed" if code is LENGTH else "passed")


def test_expected_and_got_are_shown_for_visible_cases(url):
    case = evaluate(url, LENGTH)["feedback"][1]
    assert "GATTACN" in case["inputs"]
    assert float(case["expected"]) == pytest.approx(2 / 6)
    assert float(case["got"]) == pytest.approx(2 / 7)


def texts_of(values):
    """Every text in arguments, also of the calls that a sequence is made of."""
    if isinstance(values, str):
        yield values
    elif isinstance(values, (tuple, list)):
        for value in values:
            yield from texts_of(value)
    elif isinstance(values, dict):
        yield from texts_of(list(values.values()))


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_hidden_is_in_the_answer(url, home, version):
    loaded = load_card(context_of(home).task(f"kernels/gc-{version}"))
    visible = {text for case in loaded.plan.suite("visible") for text in texts_of(case.args)}
    text = json.dumps(evaluate(url, UPPER_ONLY, f"gc-{version}"))
    unseen = [case for case in loaded.plan.cases if case.suite != "visible"]
    assert len(unseen) > 12
    visible |= {case.function for case in loaded.plan.cases}
    for case in unseen:
        assert case.id not in text
        assert f'"{case.name}"' not in text
        for sequence in texts_of(case.args):
            if len(sequence) > 4 and not any(sequence in shown for shown in visible):
                assert sequence not in text
    for check in loaded.card.checks:
        assert ("visible" in check.suites) == (f'"{check.name}"' in text) or version != "v2"
    assert "shadow-agrees" not in text
    assert "v2:" not in text


def test_shadow_reports_its_disagreement_to_the_operator(home, tmp_path):
    path = tmp_path / "candidate.py"
    path.write_text(UPPER_ONLY)
    pair = Pair("kernels/gc-shadow", "candidate", str(path), "functions", 0)
    verify = run_pair(pair, context_of(home), tmp_path)["verify"]
    assert disagreement(verify).startswith("v1: pass; v2: ")


def test_code_that_cannot_run_gets_a_message(url):
    broken = evaluate(url, "def gc_content(sequence:\n")
    assert (broken["verdict"], broken["reasons"][0]["reason"]) == ("fail", "syntax_error")
    assert "line 1" in broken["message"]
    assert broken["checks"] == broken["feedback"] == []
    failing = evaluate(url, "import no_such_module\n")
    assert failing["reasons"][0]["reason"] == "import_error"
    assert "no_such_module" in failing["message"]


def test_a_candidate_that_raises_is_told_where(url):
    got = evaluate(url, "def gc_content(sequence):\n    return 1 / 0\n")
    assert got["verdict"] == "fail"
    assert all(item["reason"] == "exception" for item in got["feedback"])
    assert "ZeroDivisionError" in got["feedback"][0]["message"]


def test_the_servers_folders_are_not_shown(url, home):
    code = (
        "import sys, os\n"
        "def gc_content(sequence):\n"
        "    print(sys.prefix, sys.path, '\\ud800', flush=True)\n"
        "    return sys.base_prefix + str(sys.path)\n"
    )
    text = json.dumps(evaluate(url, code))
    assert sys.prefix not in text
    assert str(home) not in text
    assert "<python>" in text


def test_predictions_are_not_for_evaluate(url):
    answer = post(url, "evaluate", RIGHT, "candidate.py")
    assert answer.status_code == 404
    assert "/validate" in answer.json()["details"]


def test_candidates_at_one_time_do_not_meet(url):
    codes = [RIGHT, LENGTH, RIGHT, UPPER_ONLY]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda code: evaluate(url, code), codes))
    assert [item["verdict"] == "pass" for item in got] == [True, False, True, False]
    assert got[0] == got[2]


def test_screen_replaces_the_longest_folder(settings):
    screen = Screen(settings)
    data, prefix = settings.context.data_dir, sys.prefix
    assert screen.clean({"a": [f"in {data}/x", 1.5, None]}) == {"a": ["in <data>/x", 1.5, None]}
    assert screen.text(f"{prefix}/lib") == "<python>/lib"
    assert screen.text("/tmp and /usr stay") == "/tmp and /usr stay"
