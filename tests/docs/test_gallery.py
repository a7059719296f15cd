"""The gallery shows every figure, with a picture that is small and code that draws it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from biomlbench.report import plots
from biomlbench.report.inputs import Tables
from tests.docs.snippets import ROOT, blocks_of, environment
from tools.docs_pages import figures
from tools.figures import made_up

PICTURES = ROOT / "docs" / "assets" / "figures"
LARGEST = 150_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("gallery")
    made_up(path / "results")
    return path


def test_every_figure_of_the_repository_has_a_picture():
    """One that is only being written needs none yet."""
    listed = subprocess.run(
        ["git", "ls-files", "biomlbench/report/plots/[a-z]*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    committed = {name.rpartition("/")[2].removesuffix(".py") for name in listed.stdout.split()}
    assert listed.returncode or len(committed) > 10
    missing = committed - {path.stem for path in PICTURES.iterdir()}
    assert missing == set(), "python tools/figures.py docs/assets/figures"


def test_pictures_are_small_and_none_is_left_over():
    assert {path.stem for path in PICTURES.iterdir()} <= set(plots.names())
    for path in PICTURES.iterdir():
        assert path.suffix == ".png"
        assert path.stat().st_size < LARGEST, f"{path.name}; draw fewer rows"
        assert f"figures/{path.name})" in figures()


def test_the_tables_that_are_made_up_give_every_figure_something_to_show(folder):
    tables = Tables.load(folder / "results")
    assert [name for name in plots.names() if not plots.has_data(name, tables)] == []


@pytest.mark.slow
def test_the_code_of_every_figure_draws_it(folder):
    page = folder / "gallery.md"
    page.write_text(figures(), encoding="utf-8")
    blocks = blocks_of(page)
    assert len(blocks) == len(plots.names())
    code = "\n".join(block.text for block in blocks)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment(ROOT, folder),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for name in plots.names():
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
