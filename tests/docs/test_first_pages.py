"""The pages for agent developers, benchmark owners and reviewers, in one clone, one after another.

The second uses the results of the first (agent-developers.md, benchmark-owners.md), and the third
(reviewers.md) the archive of the second, as a reviewer would get it.
"""

from __future__ import annotations

import pytest

from tests.cli.conftest import copy_project
from tests.docs.snippets import ROOT, run_page

TUTORIAL = ROOT / "docs" / "tutorial"


@pytest.mark.slow
def test_three_readers(tmp_path):
    clone = copy_project(tmp_path / "reader's clone")
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "activate").write_text("")

    _, valid, *_, seen, compared = run_page(TUTORIAL / "agent-developers.md", clone, tmp_path)
    assert valid.startswith("True")
    assert "missing_ids" in seen
    assert (clone / "v1-against-v2.png").is_file()
    assert "tasks_needed" in compared

    *_, board, published = run_page(TUTORIAL / "benchmark-owners.md", clone, tmp_path)
    assert "maximize" in board or "minimize" in board
    assert "owned-site/index.html" in published
    assert (clone / "owned-audit" / "audit.html").is_file()

    again, medals, faults, ranking, boards = run_page(TUTORIAL / "reviewers.md", clone, tmp_path)
    assert "Equal" in again
    assert "verified_medal" in medals
    assert "submission" in faults
    assert "verified_medal" in ranking
    assert "fitted models" in boards
