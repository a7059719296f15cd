"""A stage is one file: that of the documentation, added to a copy of the project and run."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from biomlbench.stages import STAGES
from biomlbench.stages.chain import all_stages, before, in_order
from tests.docs.snippets import ROOT, blocks_of
from tests.workflow.conftest import Bench, predictions, write_benchmark

NAME = "size"
PAGE = ROOT / "docs" / "how-to" / "add-a-stage.md"
FILE = f"biomlbench/stages/chain/{NAME}.py"


def test_the_five_stages_run_in_the_order_of_what_they_read():
    assert STAGES == ("validate", "execute", "grade", "verify", "medal")
    assert [before(stage) for stage in STAGES] == [None, *STAGES[:-1]]
    for name, stage in all_stages().items():
        assert set(stage.reads) <= set(STAGES[: STAGES.index(name)])
        assert stage.table.names[:2] == ["task_id", "run_id"]
        assert set(stage.key) <= set(stage.table.names)


@pytest.mark.parametrize(
    ("reads", "place"), [((), -1), (("validate",), -1), (("grade",), -1), (tuple(STAGES), -1)]
)
def test_a_stage_that_no_other_reads_comes_last_and_changes_no_other(reads, place):
    known = {name: stage.reads for name, stage in all_stages().items()}
    assert in_order({"a-stage": reads, **known})[place] == "a-stage"
    assert in_order({"a-stage": reads, **known})[:-1] == list(STAGES)


def test_a_stage_that_another_reads_comes_before_it():
    known = {name: stage.reads for name, stage in all_stages().items()}
    known["verify"] = (*known["verify"], "between")
    assert in_order({**known, "between": ("grade",)}) == [
        *("validate", "execute", "grade", "between", "verify", "medal")
    ]


@pytest.mark.parametrize("reads", [{"a": ("b",)}, {"a": ("a",)}, {"a": ("b",), "b": ("a",)}])
def test_a_stage_that_cannot_run_is_refused(reads):
    with pytest.raises(ValueError, match="cannot read"):
        in_order(reads)


@pytest.fixture(scope="module")
def benched(tmp_path_factory):
    """Pairs of a batch and a pair of its own, run with the page's stage."""
    path = tmp_path_factory.mktemp("staged")
    write_benchmark(path)
    (stage,) = (block for block in blocks_of(PAGE) if block.kind == "python")
    (path / FILE).write_text(stage.text)
    (path / "runs.csv").write_text(
        "run_id,agent,task_id,submission\n"
        "right,ada,line,subs/right.csv\n"
        "near,bob,line,subs/near.csv\n"
        "program,ada,line,subs/program.py\n"
    )
    config = path / "config" / "config.yaml"
    text = config.read_text().replace(", group/submission.jsonl", "")
    config.write_text(text + "pairs_per_job: 2\n")
    bench = Bench(path)
    bench.snakemake()
    return bench


def tables_of(bench):
    return sorted((bench.path / "results").glob(f"*/toy/line/*/{NAME}.parquet"))


@pytest.mark.slow
def test_its_tables_are_made_for_pairs_and_for_batches(benched):
    of_batch, of_pair = tables_of(benched)
    assert pq.read_table(of_batch, partitioning=None).to_pylist() == [
        {"task_id": "toy/line", "run_id": run, "unit": "byte", "size": len(text)}
        for run, text in (("near", predictions(2.1)), ("right", predictions(2.0, 0.01)))
    ]
    assert pq.read_table(of_pair, partitioning=None).column("run_id").to_pylist() == ["program"]
    assert benched.planned() == {}


@pytest.mark.slow
def test_its_provenance_is_told(benched):
    record = json.loads((benched.path / "results" / "provenance.json").read_text())
    assert set(record["code"]) >= {*STAGES, NAME}
    for table in tables_of(benched):
        said = json.loads(pq.read_schema(table).metadata[b"biomlbench"])
        assert said["code"] == record["code"][NAME]
        assert {"lineage", "task_fingerprint", "environment", "task_version"} <= set(said)


@pytest.mark.slow
def test_the_report_and_the_comparison_know_it(benched):
    page = (benched.path / "results" / "report.html").read_text(encoding="utf-8")
    assert json.dumps([*STAGES, NAME], separators=(",", ":")) in page
    code = (
        "from biomlbench.reproduce.compare import compare; print(compare(*['results'] * 2).tables)"
    )
    call = [sys.executable, "-c", code]
    done = subprocess.run(call, cwd=benched.path, env=benched.env(), capture_output=True, text=True)
    assert f"'{NAME}': Count(rows=3, differences=0)" in done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "jobs"),
    [
        (FILE, '"byte"', '"octet"', {NAME: 1, f"{NAME}_batch": 1}),
        (
            "biomlbench/stages/chain/medal.py",
            "the pair's final record.",
            "the record.",
            {"medal": 1, "medal_batch": 1, NAME: 1, f"{NAME}_batch": 1},
        ),
    ],
)
def test_what_it_depends_on_reruns_it_and_nothing_before(benched, file, old, new, jobs):
    path = benched.path / file
    text = path.read_text()
    benched.edit(file, old, new)
    try:
        planned = benched.planned()
    finally:
        path.write_text(text)
    stages = {f"{stage}{end}" for stage in (*STAGES, NAME) for end in ("", "_batch")}
    assert {rule: n for rule, n in planned.items() if rule in stages} == jobs
