"""The check says of every folder what grades it, and why it cannot be graded."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from biomlbench.cli.suite import command
from biomlbench.suites import published
from biomlbench.suites.check import check_suite, counts


@pytest.fixture
def rows(home, data_dir, monkeypatch):
    monkeypatch.setenv("BIOMLBENCH_SUITES", str(home))
    return {row.task: row for row in check_suite("toy-suite", data_dir)}


def test_each_folder_has_a_row_and_every_cannot_its_reason(rows):
    assert len(rows) == 6
    broken = rows["toy/broken"]
    assert broken.loads == "no"
    assert "config.yaml: cannot be read" in broken.cannot[0]
    near = rows["toy/near-miss"]
    # The absent client is imported and never used.
    assert (near.grader, near.board, near.humans) == ("isolated", "8 fitted models", "7")
    assert (near.direction, near.source, near.data) == (
        "minimize (grader's name)",
        "polaris",
        "here",
    )
    assert near.cannot == ()
    hub = rows["toy/hub-task"]
    assert (hub.grader, hub.direction) == ("stand-in (roc_auc)", "maximize (main metric)")
    assert hub.cannot == ("no medals: there is no leaderboard",)
    assert any("no leaderboard shows it" in why for why in rows["toy/moody"].cannot)


def test_counts_cover_every_row(rows):
    for column, values in counts(rows.values()).items():
        assert sum(values.values()) == len(rows), column


def test_a_module_that_is_used_and_not_here_is_named(home, data_dir, tmp_path, monkeypatch):
    import shutil

    folder = tmp_path / "suites"
    shutil.copytree(home, folder)
    grader = folder / "toy-suite/tree/toysuite/tasks/toy/near-miss/grade.py"
    grader.write_text(grader.read_text() + "\n    x = absent_client.evaluate()\n")
    hub = folder / "toy-suite/tree/toysuite/tasks/toy/hub-task/config.yaml"
    hub.write_text(hub.read_text().replace("roc_auc", "rmsd_coverage"))
    monkeypatch.setenv("BIOMLBENCH_SUITES", str(folder))
    rows = {row.task: row for row in check_suite("toy-few", data_dir)}
    assert rows["toy/near-miss"].grader == "missing (absent_client)"
    assert "--python FOLDER" in rows["toy/near-miss"].cannot[0]
    assert "the main metric rmsd_coverage" in rows["toy/hub-task"].cannot[0]


def test_the_command_lists_gets_and_checks(repository, home, data_dir, tmp_path, monkeypatch):
    from .conftest import suite_file

    monkeypatch.setenv("BIOMLBENCH_SUITES", str(tmp_path))
    root, boards, commit = repository
    suite_file(tmp_path, boards, commit)
    run = CliRunner().invoke
    listed = json.loads(run(command, ["list", "--json"]).output)
    assert {row["suite"]: row["here"] for row in listed}["toy-suite"] == "no"
    got = run(command, ["get", "toy-suite", "--from", str(root)])
    assert got.exit_code == 0
    assert "6 tasks, 1 with a leaderboard" in got.output
    found = run(command, ["check", "toy-suite", "--data-dir", str(data_dir), "--json"])
    assert json.loads(found.output)["counts"]["loads"] == {"yes": 5, "no": 1}
    table = run(command, ["check", "toy-few", "--data-dir", str(data_dir)])
    assert "stand-in (roc_auc)" in table.output
    assert "grader: 1 isolated, 1 stand-in" in table.output


def test_notes_of_graders_are_about_graders_that_are_known():
    for suite in published._table().values():
        named = {path for note in suite.get("notes", ()) for path in note["tasks"]}
        assert named <= suite["graders"].keys()
    notes = {
        path: native.notes for _, _, rows in published.known_graders() for path, native in rows
    }
    assert any("by position" in line for line in notes["polarishub/tdcommons-caco2-wang"])
    assert notes["kaggle/histopathologic-cancer-detection"] == ()
