"""Results that came from elsewhere, of which Snakemake knows nothing: what they say counts."""

from __future__ import annotations

import os
import shutil

import pytest

from biomlbench.contracts import compared, job_digest, provenance, read_table
from tests.workflow.conftest import PER_PAIR, predictions

ELSEWHERE = ("--config", "results_dir=moved")


def _change_a_setting(bench):
    bench.edit("config/config.yaml", "seed: 3", "seed: 5")


def _change_a_leaderboard(bench):
    board = bench.path / "toy/toy/line/leaderboard.csv"
    board.write_text(board.read_text() + "0.001\n")


def _change_code(bench):
    path = bench.path / "biomlbench/scoring/medals.py"
    path.write_text(path.read_text() + "\nCHANGED = True\n")


def _replace_a_submission(bench):
    (bench.path / "subs/near.csv").write_text(predictions(2.2))


def _change_nothing(bench):
    pass


@pytest.mark.parametrize(
    ("change", "per_job"),
    [
        (_change_nothing, 3),
        (_change_a_setting, 3),
        (_change_a_leaderboard, 1),
        (_change_code, 1),
        (_replace_a_submission, 1),
    ],
)
def test_a_moved_folder_of_results_reruns_what_the_first_one_would(bench, change, per_job):
    together = f"pairs_per_job={per_job}"
    if per_job > 1:
        bench.tables("--config", together)
    shutil.copytree(bench.results(), bench.path / "moved")
    change(bench)
    wanted = bench.stages_with(together)
    assert bool(wanted) == (change is not _change_nothing)
    assert bench.stages_with(together, "results_dir=moved") == wanted


@pytest.mark.parametrize("per_job", [3, 1])
def test_a_copy_in_which_a_submission_had_changed_reruns_nothing(bench, per_job):
    """How often it has is a parameter of its job, which its table has to know."""
    together = ("--config", f"pairs_per_job={per_job}")
    bench.tables(*together)
    _replace_a_submission(bench)
    bench.tables(*together)
    records, aside = bench.path / ".snakemake", bench.path / "aside"
    records.rename(aside)  # without them times count, so that they are kept first
    assert not bench.stages_with(*together[1:])
    shutil.rmtree(records)
    aside.rename(records)
    for path in bench.path.rglob("*"):  # as `cp -r` does
        if path.is_file() and not path.is_symlink():
            os.utime(path)
    assert not bench.stages_with(*together[1:])
    (bench.path / "subs/near.csv").write_text(predictions(2.3))
    assert bench.stages_with(*together[1:])


def test_a_moved_folder_of_results_gets_the_tables_that_the_first_one_would(bench):
    shutil.copytree(bench.results(), bench.path / "moved")
    _change_a_setting(bench)
    bench.tables()
    bench.snakemake("moved/pairs.parquet", *ELSEWHERE)
    assert not bench.stages_with("results_dir=moved")
    here, there = (
        read_table("pairs", folder / "pairs.parquet")
        for folder in (bench.results(), bench.path / "moved")
    )
    assert compared("pairs", here) == compared("pairs", there)


def test_results_that_were_put_in_the_place_of_others_are_not_taken_for_them(bench):
    bench.snakemake("moved/pairs.parquet", *ELSEWHERE, "grading={bootstrap: 200, seed: 7}")
    shutil.rmtree(bench.results())
    shutil.copytree(bench.path / "moved", bench.results())
    assert set(bench.stages()) == set(PER_PAIR) - {"validate", "execute"}


def test_times_alone_decide_where_they_are_to(bench):
    shutil.copytree(bench.results(), bench.path / "moved")
    _change_a_setting(bench)
    done = bench.snakemake("-n", "--rerun-triggers", "mtime", *ELSEWHERE)
    assert "Nothing to be done" in done.stdout + done.stderr


def test_the_hash_of_a_job_is_no_part_of_what_a_pair_was_made_from(bench):
    table = bench.results() / "pairs/toy/line/near/grade.parquet"
    assert len(job_digest(table)) == 16
    assert "job" not in provenance(table)
