"""A submission that is another one at a later look is not graded as the one that was validated."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from biomlbench.contracts import read_table
from biomlbench.outcomes import Fault, Reason, Verdict
from biomlbench.stages import STAGES, Context, Pair, run_stage, submission_hash
from biomlbench.stages.chain import all_stages, get_stage
from biomlbench.stages.prepare import compute
from biomlbench.workflow.batch_tables import run_batch
from biomlbench.workflow.replaced import Replaced
from biomlbench.workflow.runs import read_runs
from tests.controls import right_submission
from tests.workflow.conftest import ROOT

TASK = "toy/circle"


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    data = tmp_path_factory.mktemp("swapped")
    context = Context(
        data_dir=str(data), tasks_dirs=(str(ROOT / "tests/workflow/toy"),), bootstrap=0
    )
    compute(TASK, context)
    return context


@pytest.fixture
def files(context, tmp_path):
    """The poor submission that is handed in, and a right one that takes its place."""
    task = context.task(TASK)
    poor = tmp_path / "s.csv"
    poor.write_bytes(task.sample_submission.read_bytes())
    header, *rows = right_submission(task.gold_submission, tmp_path / "x").read_text().splitlines()
    right = tmp_path / "right.csv"
    right.write_text("\n".join([header, *sorted(rows, key=len)]) + "\n")
    return poor, right


def rename(poor, right):
    os.replace(right, poor)


def overwrite(poor, right):
    """Truncate and write again, with the times of before."""
    before = poor.stat()
    poor.write_bytes(right.read_bytes())
    os.utime(poor, ns=(before.st_atime_ns, before.st_mtime_ns))


def link(poor, right):
    poor.unlink()
    poor.symlink_to(right)


def hard_link(poor, right):
    poor.unlink()
    os.link(right, poor)


def remove(poor, right):
    poor.unlink()


WAYS = [rename, overwrite, link, hard_link, remove]
each_way = pytest.mark.parametrize("swap", WAYS, ids=lambda way: way.__name__)
each_stage = pytest.mark.parametrize("stage", STAGES)


def run_all(pairs, context, folder, before=None, stage="", in_batch=False):
    """Run all stages of pairs, alone or in a batch; return their final records by run id."""
    found = {}
    for name in STAGES:
        if name == stage:
            before()
        if in_batch:
            run_batch(name, pairs, context, folder)
            continue
        for pair in pairs:
            run_stage(name, pair, context, folder / pair.run_id)
    for path in folder.rglob("medal.parquet"):
        found |= {row["run_id"]: row for row in read_table("medal", path).to_pylist()}
    return found


def assert_lost_by_its_own_fault(row):
    """It has no score, and leaves no denominator of its agent's rates."""
    assert (row["reason"], row["fault"]) == (Reason.SUBMISSION_CHANGED, Fault.SUBMISSION)
    assert row["verdict"] == Verdict.FAIL
    assert (row["score"], row["any_medal"], row["valid_submission"]) == (None, False, False)
    assert "run the workflow again" in row["message"]


def assert_due(pair, folder, results):
    """The next run grades it again, though all that it has recorded is as it was."""
    run = SimpleNamespace(
        task_id=TASK, run_id=pair.run_id, submission=pair.submission, stated="", source=""
    )
    for _ in range(2):
        looking = Replaced(results)
        assert looking.look([run], lambda task, run: folder) == [pair.submission]
        looking.write()


in_batch = pytest.mark.parametrize("in_batch", [False, True], ids=["alone", "in a batch"])


@in_batch
@each_way
@each_stage
def test_swapped_between_two_stages(stage, swap, in_batch, files, context, tmp_path):
    honest = Pair(TASK, "a", str(tmp_path / "honest.csv"))
    (tmp_path / "honest.csv").write_bytes(files[0].read_bytes())
    pair, folder = Pair(TASK, "r", str(files[0])), tmp_path / "out"
    undisturbed = run_all([honest], context, tmp_path / "undisturbed")["a"]
    rows = run_all([honest, pair], context, folder, lambda: swap(*files), stage, in_batch)
    assert rows["a"] == undisturbed
    if stage == STAGES[0]:
        # nothing was looked at before: what is there now is what was handed in
        assert rows["r"]["reason"] != Reason.SUBMISSION_CHANGED
        return
    assert_lost_by_its_own_fault(rows["r"])
    assert_due(pair, "" if in_batch else "r", folder)


@each_stage
def test_swapped_for_one_stage_only(stage, files, context, tmp_path):
    """No later stage sees the other file, and what is there in the end is what was validated."""
    pair, folder = Pair(TASK, "r", str(files[0])), tmp_path / "out"
    kept = files[0].with_name("kept")
    for name in STAGES:
        if name == stage:
            os.replace(files[0], kept)
            os.link(files[1], files[0])
        run_stage(name, pair, context, folder)
        if name == stage:
            os.replace(kept, files[0])
    (row,) = read_table("medal", folder / "medal.parquet").to_pylist()
    assert (row["reason"], row["fault"]) == (Reason.SUBMISSION_CHANGED, Fault.SUBMISSION)
    assert (row["verdict"], row["verified_medal"]) == (Verdict.FAIL, False)
    assert row["score"] is None or row["score"] < 0.9
    assert_due(pair, "", folder)


@each_way
@each_stage
def test_swapped_within_a_stage_after_its_hash(stage, swap, files, context, tmp_path, monkeypatch):
    """The stage's work sees another file than its hash was taken of."""
    pair, folder = Pair(TASK, "r", str(files[0])), tmp_path / "out"
    work, done = get_stage(stage).compute, []

    def late(*args):
        if not done:
            swap(*files)
            done.append(True)
        return work(*args)

    monkeypatch.setitem(all_stages(), stage, replace(get_stage(stage), compute=late))
    row = run_all([pair], context, folder)["r"]
    assert done
    assert row["score"] is None or row["score"] < 0.9
    assert row["fault"] in (Fault.SUBMISSION, Fault.NONE)
    if stage != STAGES[-1]:
        assert row["fault"] == Fault.SUBMISSION


@in_batch
@each_stage
def test_swapped_and_put_back_within_a_stage(
    stage, in_batch, files, context, tmp_path, monkeypatch
):
    """No look before or after the stage sees the other file."""
    pair, folder = Pair(TASK, "r", str(files[0])), tmp_path / "out"
    work, done = get_stage(stage).compute, []

    def between(*args):
        kept = files[0].with_name("kept")
        os.replace(files[0], kept)
        os.link(files[1], files[0])
        try:
            return work(*args)
        finally:
            os.replace(kept, files[0])
            done.append(True)

    monkeypatch.setitem(all_stages(), stage, replace(get_stage(stage), compute=between))
    row = run_all([pair], context, folder, in_batch=in_batch)["r"]
    assert done
    assert row["score"] is None or row["score"] < 0.9
    assert row["fault"] in (Fault.SUBMISSION, Fault.NONE)


def swap_folder(group, rival):
    (group / "sub").rename(group / "old")
    (group / "sub").symlink_to(rival)


def swap_group(group, rival):
    """The list's own folder becomes a link: what lies below it is as it was when it was read."""
    (rival / "sub").mkdir()
    (rival / "sub/s.csv").write_bytes((rival / "s.csv").read_bytes())
    group.rename(group.with_name("old"))
    group.symlink_to(rival)


def swap_file(group, rival):
    (group / "sub/s.csv").unlink()
    (group / "sub/s.csv").symlink_to(rival / "s.csv")


def swap_for_a_chain(group, rival):
    (group / "way").symlink_to(rival.parent)
    (group / "sub").rename(group / "old")
    (group / "sub").symlink_to(f"way/{rival.name}")


def listed_run(files, folder, stated="sub/s.csv"):
    """Return a run of an agent's list, and the folders of the agent and of a rival."""
    poor, right = files
    group, rival = folder / "x_run-group_eve", folder / "rival"
    (group / "sub").mkdir(parents=True)
    rival.mkdir()
    poor.rename(group / "sub/s.csv")
    right.rename(rival / "s.csv")
    line = {"task_id": TASK, "submission_path": stated}
    (group / "submission.jsonl").write_text(json.dumps(line))
    (run,), bad = read_runs([group / "submission.jsonl"], lambda name: (name, "predictions"))
    assert not bad
    return run, group, rival


def pair_of(run):
    return Pair(run.task_id, run.run_id, run.submission, "predictions", run.seed, run.root)


@pytest.mark.parametrize("is_batch", [False, True])
@pytest.mark.parametrize("swap", [swap_folder, swap_group, swap_file, swap_for_a_chain])
def test_a_list_takes_no_file_of_a_rival_by_a_link_that_is_made_later(
    context, files, tmp_path, swap, is_batch
):
    run, *folders = listed_run(files, tmp_path)
    swap(*folders)
    pair = pair_of(run)
    for stage in STAGES:
        if is_batch:
            run_batch(stage, [pair], context, tmp_path / "out")
        else:
            run_stage(stage, pair, context, tmp_path / "out")
    (row,) = read_table("medal", tmp_path / "out/medal.parquet").to_pylist()
    assert (row["reason"], row["score"]) == ("unsafe_path", None)
    assert submission_hash(pair.submission, pair.root) == "absent"


def test_a_list_takes_no_file_of_a_rival_while_its_folder_flickers(files, tmp_path):
    run, group, rival = listed_run(files, tmp_path)
    own, rivals = (submission_hash(p) for p in (group / "sub/s.csv", rival / "s.csv"))
    ends = threading.Event()

    def flicker():
        while not ends.is_set():
            swap_folder(group, rival)
            (group / "sub").unlink()
            (group / "old").rename(group / "sub")

    thread = threading.Thread(target=flicker)
    thread.start()
    try:
        seen = {submission_hash(run.submission, run.root) for _ in range(2_000)}
    finally:
        ends.set()
        thread.join()
    assert own != rivals
    assert seen <= {own, "absent"}


def test_a_list_may_name_its_files_through_links_of_its_own(context, files, tmp_path, monkeypatch):
    (tmp_path / "x_run-group_eve").mkdir()
    (tmp_path / "x_run-group_eve/latest").symlink_to("sub")
    (tmp_path / "elsewhere").symlink_to("x_run-group_eve")
    run, *_ = listed_run(files, tmp_path, "latest/s.csv")
    assert run_stage("validate", pair_of(run), context, tmp_path / "out")
    expected = submission_hash(run.submission)
    monkeypatch.chdir(tmp_path)
    for folder in ("x_run-group_eve", "elsewhere", "rival/../elsewhere", tmp_path / "elsewhere"):
        (run,), _ = read_runs([f"{folder}/submission.jsonl"], lambda name: (name, "predictions"))
        assert submission_hash(run.submission, run.root) == expected != "absent"
