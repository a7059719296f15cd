"""A submission that is another one at a later look is not graded as the one that was validated."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace

import pytest

from biomlbench.contracts import ContractError, read_table
from biomlbench.stages import STAGES, Context, Pair, SubmissionChangedError, run_stage
from biomlbench.stages.chain import all_stages, get_stage
from biomlbench.stages.prepare import compute
from biomlbench.workflow.batch_tables import BatchError, run_batch
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


def run_all(pair, context, folder, before=None, stage=""):
    for name in STAGES:
        if name == stage:
            before()
        run_stage(name, pair, context, folder)


def scores(folder):
    """Return the scores that were written; none of them may be the right submission's."""
    try:
        return read_table("medal", folder / "medal.parquet").column("score").to_pylist()
    except ContractError:
        return []


@each_way
@each_stage
def test_swapped_between_two_stages(stage, swap, files, context, tmp_path):
    pair, folder = Pair(TASK, "r", str(files[0])), tmp_path / "out"
    if stage == STAGES[0]:
        run_all(pair, context, folder, lambda: swap(*files), stage)
        return  # nothing was looked at before: what is there now is what was handed in
    with pytest.raises(SubmissionChangedError):
        run_all(pair, context, folder, lambda: swap(*files), stage)
    assert scores(folder) == []


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
    with suppress(SubmissionChangedError):
        run_all(pair, context, folder)
    assert done
    assert all(score is None or score < 0.9 for score in scores(folder))


@pytest.mark.parametrize("in_batch", [False, True], ids=["alone", "in a batch"])
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
    try:
        if in_batch:
            for name in STAGES:
                run_batch(name, [pair], context, folder)
        else:
            run_all(pair, context, folder)
    except (SubmissionChangedError, BatchError):
        assert scores(folder) == []
    assert done
    assert all(score is None or score < 0.9 for score in scores(folder))
