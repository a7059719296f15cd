"""`biomlbench compare`: what changed between two results folders, each change with its reason."""

import json
import re

import pytest
from click.testing import CliRunner

from biomlbench.cli import _cli
from biomlbench.contracts import from_rows, write_table
from biomlbench.reproduce.reasons import UNEXPLAINED
from biomlbench.reproduce.standings import UNRECORDED, standings
from biomlbench.reproduce.standings_page import in_a_sentence
from biomlbench.stages.provenance import COLUMNS
from tests.report import fixtures

TASK = "drug-discovery/solubility"


def write(folder, change=lambda pairs: pairs):
    tables = fixtures.tables(55, hostile=False)
    pairs = [row | {name: f"{name}-1" for name in COLUMNS} for row in tables["pairs"].to_pylist()]
    pairs = change(pairs)
    tables["pairs"] = from_rows("pairs", pairs)
    tables["agents"] = from_rows("agents", fixtures._agents(pairs))
    folder.mkdir()
    for name, table in tables.items():
        write_table(name, table, folder / f"{name}.parquet")
    return folder


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    return write(tmp_path_factory.mktemp("compare") / "old")


def of(pairs, task, number=0, **like):
    rows = [r for r in pairs if r["task_id"] == task and all(r[k] == v for k, v in like.items())]
    return rows[number]


def run(*args):
    return CliRunner().invoke(_cli, ["compare", *map(str, args)])


def test_a_run_that_another_agent_has_now_is_told_of_both(old, tmp_path):
    """Whoever lost it has a reason of its own, and not other agents' results."""

    def change(pairs):
        of(pairs, TASK, agent="aide")["agent"] = "Aide"
        return [row | {"agent": "DUMMY"} if row["agent"] == "dummy" else row for row in pairs]

    found = {row["agent"]: row for row in standings(old, write(tmp_path / "new", change)).agents}
    assert {name: found[name]["state"] for name in ("aide", "Aide", "dummy", "DUMMY")} == {
        "aide": "changed", "Aide": "new", "dummy": "gone", "DUMMY": "new",
    }  # fmt: skip
    assert {found[name]["why"][0] for name in ("aide", "Aide", "dummy", "DUMMY")} == {"run table"}


def test_equal_results_are_equal(old):
    found = standings(old, old)
    assert found.equal
    assert found.same == 55
    told = run(old, old)
    assert told.exit_code == 0
    assert told.output.strip() == "Nothing changed in 55 runs."


def test_each_change_has_its_reason(old, tmp_path):
    def change(pairs):
        replaced = of(pairs, TASK, agent="aide")
        replaced |= {"score": 0.1, "submission_sha256": "other"}
        for row in pairs:
            if row["task_id"] == "clinical/diabetes-progression":
                row |= {"gold_threshold": 1.0, "leaderboard_sha256": "other"}
        lower = of(pairs, "clinical/diabetes-progression", agent="stella")
        lower["leaderboard_percentile"] = 12.5
        judged = of(pairs, "kernels/layer-norm", agent="biomni")
        judged |= {"verdict": "partial", "verdict_reasons": ["wrong_output"]}
        judged |= {"settings": "other", "task_version": "other", "environment": "other"}
        flaky = of(pairs, "kernels/kabsch-rmsd", agent="stella")
        flaky["score"] = 0.123
        unrecorded = of(pairs, "kernels/kabsch-rmsd", agent="biomni")
        unrecorded |= {"score": 0.2, **dict.fromkeys(COLUMNS)}
        lost = of(pairs, "kernels/tm-score", agent="biomni")
        lost |= {"fault": "infrastructure", "reason": "stage_failed", **dict.fromkeys(COLUMNS)}
        new = of(pairs, TASK, agent="dummy") | {"agent": "zeta", "run_id": "zeta-1"}
        return [row for row in pairs if row["agent"] != "mlagentbench"] + [new]

    new = write(tmp_path / "new", change)
    found = standings(old, new)
    changed = {(p["task_id"], p["agent"]): p for p in found.pairs if p["state"] == "changed"}
    assert {key: p["why"] for key, p in changed.items()} == {
        (TASK, "aide"): ["submission"],
        ("clinical/diabetes-progression", "stella"): ["leaderboard"],
        ("kernels/layer-norm", "biomni"): ["task", "config or seed", "environment"],
        ("kernels/kabsch-rmsd", "stella"): [UNEXPLAINED],
        ("kernels/kabsch-rmsd", "biomni"): [UNRECORDED],
        ("kernels/tm-score", "biomni"): ["stage failed"],
    }
    assert changed[TASK, "aide"]["changes"]["score"]["new"] == 0.1
    assert {(p["run_id"], p["why"][0]) for p in found.pairs if p["state"] == "new"} == {
        ("zeta-1", "run table")
    }
    gone = [p for p in found.pairs if p["state"] == "gone"]
    assert {p["agent"] for p in gone} == {"mlagentbench"}
    (task,) = [t for t in found.tasks if t["task_id"] == "clinical/diabetes-progression"]
    assert task["changes"]["gold_threshold"]["new"] == 1.0
    assert task["why"] == ["leaderboard"]
    agents = {row["agent"]: row for row in found.agents}
    assert (agents["zeta"]["state"], agents["mlagentbench"]["state"]) == ("new", "gone")
    assert "place" in agents["zeta"]["changes"]
    assert "leaderboard" in agents["stella"]["why"]
    assert found.anew > 0
    assert 0 < max(found.anew_why.values()) <= found.anew
    assert all(word in in_a_sentence(found) for word in found.anew_why)


def test_an_agent_that_lost_a_run_is_told_so(old, tmp_path):
    def change(pairs):
        lost = of(pairs, TASK, agent="aide")
        return [row for row in pairs if row is not lost]

    found = standings(old, write(tmp_path / "new", change))
    (agent,) = [row for row in found.agents if row["agent"] == "aide"]
    assert agent["changes"]["runs"]["new"] == agent["changes"]["runs"]["old"] - 1
    assert agent["why"] == ["runs gone"]


def test_a_page_to_share_has_no_path_of_a_machine(old, tmp_path):
    def change(pairs):
        of(pairs, TASK, agent="aide")["meta_log"] = "/home/otto/logs/7.log"
        of(pairs, TASK, agent="stella")["meta_log"] = "https://logs.org/8"
        of(pairs, TASK, agent="biomni")["meta_other"] = '{"notebook": "/home/otto/n.ipynb"}'
        return pairs

    new, page = write(tmp_path / "new", change), tmp_path / "changes.html"
    assert "/home/otto/logs/7.log" in run(old, new).output
    run(old, new, "--html", page)
    text = page.read_text()
    assert "/home/otto" not in text
    assert "https://logs.org/8" in text


def test_places_name_the_newcomer_and_what_run_tables_say_counts(old, tmp_path):
    def change(pairs):
        best = [row for row in pairs if row["agent"] == "aide"]
        for row in pairs:
            row |= {"meta_cost_usd": 2.0 if row["agent"] == "stella" else None}
        medal = {"verdict": "pass", "medal": "gold", "gold_medal": True, "any_medal": True,
                 "verified_medal": True, "valid_submission": True, "fault": "none",
                 "leaderboard_percentile": 100.0}  # fmt: skip
        new = [row | medal | {"agent": "zeta", "run_id": f"zeta-{n}"} for n, row in enumerate(best)]
        return [*pairs, *new]

    found = standings(old, write(tmp_path / "new", change))
    agents = {row["agent"]: row for row in found.agents}
    assert agents["zeta"]["changes"]["place"]["new"] == 1
    losers = [row for row in found.agents if row["state"] == "changed"]
    assert losers
    assert all("agent zeta new" in row["why"] for row in losers)
    assert "meta_cost_usd" in agents["stella"]["changes"]
    paid = [row for row in found.pairs if row["state"] == "changed"]
    assert {row["agent"] for row in paid} == {"stella"}
    assert all(row["why"] == ["run table"] for row in paid)
    assert all(row["changes"].keys() == {"meta_cost_usd"} for row in paid)


def test_a_row_of_a_run_table_that_became_unusable_is_told_once(old, tmp_path):
    def change(pairs):
        lost = {"fault": "run_table", "reason": "bad_run_row", "kind": "", "verdict": "fail"}
        lost |= {"gold_threshold": 99.0, **dict.fromkeys(COLUMNS)}
        return [pairs[0] | lost, *pairs[1:]]

    found = standings(old, write(tmp_path / "new", change))
    (pair,) = found.pairs
    assert (pair["state"], pair["why"]) == ("changed", ["run table"])
    assert "gold_threshold" in next(iter(found.tasks))["changes"]
    assert not any("run table" in row["why"] for row in found.tasks)


def test_the_command_tells_it_as_table_json_and_page(old, tmp_path):
    name = "</script><b>x</b>"

    def change(pairs):
        return [row | {"agent": row["agent"].replace("aide", name)} for row in pairs]

    new = write(tmp_path / "new", change)
    table = run(old, new, "--html", tmp_path / "out" / "changes.html")
    assert table.exit_code == 1
    assert "11 runs changed, 1 agent new, 1 agent gone; 44 runs the same." in table.output
    told = json.loads(run(old, new, "--json").output)
    assert told["equal"] is False
    assert {row["agent"] for row in told["agents"]} >= {name, "aide"}
    assert told["pairs"][0]["why"] == ["run table"]
    page = (tmp_path / "out" / "changes.html").read_text(encoding="utf-8")
    assert "&lt;/script&gt;&lt;b&gt;x" in page
    assert "<b>x" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=\"(?!data:)", page)


def test_a_folder_without_results_is_named(old, tmp_path, capsys):
    from biomlbench.cli import TROUBLE, main

    with pytest.raises(SystemExit) as stop:
        main(["compare", str(old), str(tmp_path)])
    assert stop.value.code == TROUBLE
    assert "pairs.parquet" in capsys.readouterr().err
