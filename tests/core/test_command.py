"""What `biomlbench run` refuses before Snakemake starts, which would name no file and no line."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomlbench.errors import UserError
from biomlbench.workflow.command import check_configs


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good one.yaml").write_text("runs: [a.csv]\n")
    Path("broken.yaml").write_text("title: x\nruns: [a.csv\n")
    Path("list.yaml").write_text("- a\n")
    Path("empty.yaml").touch()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--configfile", "gone.yaml"], "gone.yaml: there is no such config file in /"),
        (["--configfile=gone.yaml"], "gone.yaml: there is no such config file in /"),
        (["-n", "--configfile", "good one.yaml", "broken.yaml"], r"broken.yaml:[23]: "),
        (["--configfiles", "list.yaml"], "list.yaml:1: a config is a mapping"),
        (["--configfile", "empty.yaml"], "empty.yaml:1: a config is a mapping"),
        (["good one.yaml"], "by its option, --configfile 'good one.yaml'"),
    ],
)
def test_a_config_that_cannot_be_used_is_named(arguments, said):
    with pytest.raises(UserError, match=said):
        check_configs(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--configfile", "good one.yaml", "-n"],
        ["--configfile=good one.yaml"],
        ["calibrate", "--profile", "x.yaml"],
        ["--config", "runs=[a.csv]"],
    ],
)
def test_all_else_is_left_to_snakemake(arguments):
    check_configs(arguments)
