"""Whatever is in the run tables, the benchmark runs, and each bad row is named and counted."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict

import pytest

from biomlbench.contracts import read_table
from biomlbench.workflow.plan import Benchmark
from tests.workflow.conftest import ROOT, predictions
from tests.workflow.run_table_rows import BAD_CELLS, COLUMNS, GOOD, csv_line
from tests.workflow.test_progress import last_line

AGENTS = ("ada", "Bob & co", "çelik", "אבי")
WIDE = (*COLUMNS, "kind")


def rows_of(path):
    return read_table("pairs", path / "results" / "pairs.parquet").to_pylist()


def rates_of(path):
    agents = read_table("agents", path / "results" / "agents.parquet").to_pylist()
    return {row["agent"]: row["completion_rate"] for row in agents if row["domain"] == "all"}


def mean(values):
    return sum(values) / len(values)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 30])
def test_of_300_rows_60_bad_ones_cost_only_themselves(fresh, size):
    config = fresh.path / "config" / "config.yaml"
    config.write_text(
        config.read_text().replace("runs: [runs.csv, group/submission.jsonl]", "runs: [runs.csv]")
        + f"pairs_per_job: {size}\n"
    )
    # The tasks of one domain have an underscore in it, as published folders do.
    shutil.copytree(
        fresh.path / "toy" / "toy" / "line", fresh.path / "toy" / "kaggle_big" / "wide.v1"
    )
    odd = ["subs/with space.csv", "subs/-dash.csv", "subs/ünï.csv", "subs/st*r[1].csv", "-lead.csv"]
    for name in odd:
        (fresh.path / name).write_text(predictions(2.0, 0.02))
    tasks = {
        "line": "toy/line",
        "toy/circle": "toy/circle",
        "kaggle_big/wide.v1": "kaggle_big/wide.v1",
    }
    files = [("subs/right.csv", True), ("subs/short.csv", False), *((name, True) for name in odd)]
    lines, by_hand, good = [",".join(WIDE) + "\n"], defaultdict(lambda: defaultdict(list)), {}
    for n in range(240):
        agent, task = AGENTS[n % 4], list(tasks)[n % 3]
        file, valid = ("null", False) if n % 12 == 5 else files[n % len(files)]
        row = {"run_id": f"run.{n}", "agent": agent, "task_id": task, "submission": file,
               "attempt": "1.0", "time": "2025-03-31T12:00:00+02:00"}  # fmt: skip
        good[tasks[task], row["run_id"]] = row
        by_hand[agent][tasks[task]].append(valid)
        lines.append(csv_line(row, WIDE))
    cells = [(c, v) for c, v in BAD_CELLS if "\n" not in str(v) and v not in ("\ud800", "\ud83d")]
    bad = [csv_line({**GOOD, "run_id": f"bad{n}", column: value}, WIDE)
           for n, (column, value) in enumerate(cells)][:54]  # fmt: skip
    bad += [
        csv_line({**GOOD, "run_id": "run.0"}, WIDE),  # that id is there already
        'open,"ada,line,subs/right.csv,,,,,,\n',
        "short,ada,line\n",
        "semi;ada;line;subs/right.csv\n",
        csv_line({**GOOD, "run_id": "latin", "agent": "Zoë"}, WIDE),
        csv_line({**GOOD, "run_id": "long", "agent": "one\ntwo"}, WIDE),
    ]
    assert len(bad) == 60
    step = 4
    for n, line in enumerate(bad):
        lines.insert(2 + n * (step + 1), line)
    data = b"".join(
        line.encode("latin-1" if line.startswith("latin") else "utf-8") for line in lines
    )
    (fresh.path / "runs.csv").write_bytes(data)
    starts, number = {}, 1
    for line in lines:
        starts.setdefault(line, number)
        number += line.count("\n")
    done = fresh.snakemake()
    pairs = rows_of(fresh.path)
    lost = {row["source"]: row for row in pairs if row["fault"] == "run_table"}
    assert set(lost) == {f"runs.csv:{starts[line]}" for line in bad}
    for source, row in lost.items():
        assert row["message"].startswith(f"{source}: ")
        assert f"left out: {source}: " in done.stderr
    assert "· 60 rows of the run tables left out ·" in last_line(done.stderr)
    graded = {(row["task_id"], row["run_id"]): row for row in pairs if row["fault"] != "run_table"}
    assert set(graded) == set(good)
    for key, row in graded.items():
        stated = good[key]["submission"]
        expected = {"null": "missing_file", "subs/short.csv": "missing_ids"}.get(stated, "ok")
        assert (row["reason"], row["agent"]) == (expected, good[key]["agent"]), key
    assert sum(row["message"].count("the run left no submission") for row in pairs) == 20
    rates = rates_of(fresh.path)
    assert set(rates) == set(AGENTS)
    for agent, by_task in by_hand.items():
        assert rates[agent] == pytest.approx(mean([mean(runs) for runs in by_task.values()]))
    report = json.loads((fresh.path / "results" / "grading_report.json").read_text())
    assert (report["total_runs"], report["total_errors"]) == (240, 60)
    again = fresh.snakemake()
    assert again.stderr.strip().splitlines()[-1] == "60 rows of the run tables left out"


@pytest.mark.parametrize("name", ["runs.txt", "runs.csv.gz", "runs"])
def test_a_table_of_an_ending_that_is_not_read_costs_only_itself(fresh, name):
    table = fresh.path / "runs.csv"
    shutil.copy(table, fresh.path / name)
    tables = [str(table), str(fresh.path / name)]
    config = {"runs": tables, "tasks_dirs": [str(fresh.path / "toy")]}
    whole = Benchmark(config | {"runs": tables[:1]}, ROOT, results=fresh.path / "r")
    found = Benchmark(config, ROOT, results=fresh.path / "r")
    assert found.runs == whole.runs
    (bad,) = (row for row in found.bad_rows if row.is_table)
    assert f"{name}: a run table is a .csv, .tsv, .parquet or .jsonl file" in bad.message
    assert found.table_texts[tables[1]] is None


@pytest.mark.slow
def test_published_run_groups_are_runs_of_their_agents(fresh):
    groups = {}
    for stamp, agent in (("2025-08-19T11-06-44-GMT", "aide"), ("2025-08-20T09-00-00-GMT", "aide"),
                         ("2025-08-21T09-00-00-GMT", "mlagentbench")):  # fmt: skip
        name = f"{stamp}_run-group_{agent}"
        away = f"/home/otto/biomlbench/runs/{name}"
        lines = []
        for n, key in enumerate(("task_id", "competition_id")):
            run = f"toy/line_0000-{n}"
            file = fresh.path / "runs" / name / run / "submission" / "submission.csv"
            file.parent.mkdir(parents=True)
            file.write_text(predictions(2.0, 0.01 * (n + 1)))
            lines.append({key: ("line", "toy/line")[n], "logs_path": f"{away}/{run}/logs",
                          "submission_path": f"{away}/{run}/submission/submission.csv",
                          "code_path": None})  # fmt: skip
        lines.append({"task_id": "toy/line", "submission_path": None, "logs_path": None,
                      "code_path": None})  # fmt: skip
        folder = fresh.path / "runs" / name
        (folder / "submission.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
        (folder / "metadata.json").write_text(json.dumps({"run_group": name, "runs": {}}))
        groups[name] = folder
    tables = ", ".join(f"runs/{name}/submission.jsonl" for name in groups)
    config = fresh.path / "config" / "config.yaml"
    config.write_text(
        config.read_text().replace("runs.csv, group/submission.jsonl", tables)
        + "pairs_per_job: 9\n"
    )
    done = fresh.snakemake()
    assert "left out" not in done.stderr
    rows = rows_of(fresh.path)
    assert [row["reason"] for row in rows].count("ok") == 6
    agents = read_table("agents", fresh.path / "results" / "agents.parquet").to_pylist()
    counts = {row["agent"]: row["runs"] for row in agents if row["domain"] == "all"}
    assert counts == {"aide": 6, "mlagentbench": 3}
    assert rates_of(fresh.path) == pytest.approx({"aide": 2 / 3, "mlagentbench": 2 / 3})
    assert {row["task_id"] for row in rows} == {"toy/line"}
