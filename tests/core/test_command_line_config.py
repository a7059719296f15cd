"""Values of `--config` are what they would be in a config file, and errors name where they were."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snakemake.cli import parse_config
from snakemake.utils import update_config

from biomlbench.errors import UserError
from biomlbench.workflow.checked_config import checked
from biomlbench.workflow.command import check_configs
from biomlbench.workflow.command_line_config import typed_config
from biomlbench.workflow.config import ConfigError, Sources
from tests.workflow.conftest import ROOT

KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,6}[a-z]", fullmatch=True)
LEAVES = st.none() | st.booleans() | st.integers() | st.text("ab 1.:'", max_size=6)
NESTED = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
TREES = st.lists(NESTED, max_size=3) | st.dictionaries(KEYS, NESTED, min_size=1, max_size=3)


def merged(config, entries):
    """Return what Snakemake makes of a config and of entries of the command line."""
    found = copy.deepcopy(config)
    update_config(found, parse_config(entries))
    return found


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, NESTED, max_size=2), st.dictionaries(KEYS, TREES, max_size=3))
def test_nested_values_are_those_that_a_file_would_have_given(config, told):
    entries = [f"{key}={json.dumps(value)}" for key, value in told.items()]
    expected = copy.deepcopy(config)
    update_config(expected, told)
    found, seen = typed_config(merged(config, entries), entries)
    assert json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)
    assert seen == told


def test_quotation_marks_make_text_and_all_else_is_as_snakemake_has_it():
    entries = ["title='2024'", "pairs_per_job=5", "results_dir=a b", "demo=", "runs=[a.csv]"]
    found, _ = typed_config(merged({}, entries), entries)
    assert found == {
        "title": "2024",
        "pairs_per_job": 5,
        "results_dir": "a b",
        "demo": None,
        "runs": ["a.csv"],
    }


def test_a_value_that_snakemake_did_not_make_of_an_entry_stays():
    """As in a workflow that imports the rules, whose keys are others."""
    config = {"grading": {"bootstrap": 7}, "title": "mine"}
    assert typed_config(config, ["grading={bootstrap: 0}", "title='1'"])[0] == config


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ("grading={bootstrap: -1}", "command line (--config): `grading.bootstrap`"),
        ("grading={bootstrap: '100'}", "command line (--config): `grading.bootstrap`"),
        ("title=5", "command line (--config): `title`"),
        ("title=good", "mine.yaml:2: `grading.bootstrap`"),
    ],
)
def test_an_error_names_the_command_line_where_the_value_is_from_there(tmp_path, entry, place):
    file = tmp_path / "mine.yaml"
    file.write_text("runs: [a.csv]\ngrading: {bootstrap: -5}\n")
    start = {"runs": ["a.csv"], "grading": {"bootstrap": -5 if "good" in entry else 5}}
    config, seen = typed_config(merged(start, [entry]), [entry])
    with pytest.raises(ConfigError) as raised:
        checked(config, ROOT, Sources([file], seen))
    assert place in str(raised.value)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("grading.bootstrap=100", "--config 'grading={bootstrap: 100}'"),
        ("a.b.c=x y", "--config 'a={b: {c: x y}}'"),
        ("grading", "'grading' is no key=value"),
        ("1x=5", "'1x' is no key"),
        (".=5", "is no key=value"),
    ],
)
@pytest.mark.parametrize("option", [["--config"], ["-C", "title=t"]])
def test_a_key_that_snakemake_would_not_take_is_refused_with_its_spelling(option, entry, told):
    with pytest.raises(UserError) as raised:
        check_configs([*option, entry])
    assert told in str(raised.value)
    check_configs([*option, "grading={bootstrap: 100}", "--cores=2", "calibrate"])


def test_the_workflow_takes_them(tmp_path):
    (tmp_path / "mine.yaml").write_text("runs: [a.csv]\n")
    (tmp_path / "a.csv").write_text("agent,task_id,submission\n")
    call = [sys.executable, "-m", "snakemake", "-n", "--snakefile", str(ROOT / "Snakefile")]
    call += ["--configfile", "mine.yaml", "--config"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for value, problem in (("100", ""), ("many", "command line (--config): `grading.bootstrap`")):
        line = [*call, f"grading={{bootstrap: {value}}}"]
        done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True)
        said = done.stdout + done.stderr
        assert problem in said
        assert "is not a whole number" in said if problem else "grading.bootstrap" not in said
