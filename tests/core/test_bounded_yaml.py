"""YAML of others is looked at before anything is built from it."""

from __future__ import annotations

import os

import pytest
import yaml
from click.testing import CliRunner

from biomlbench.cli import _cli
from biomlbench.errors import TaskError
from biomlbench.runtime import bounded_yaml
from biomlbench.runtime.bounded_yaml import load_yaml, read_yaml
from biomlbench.suites.suite import Suite, SuiteError
from biomlbench.verify._lines import YamlError, read
from biomlbench.workflow.command_line_config import typed_config

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 500))
HOSTILE = {
    "brackets": "[" * 200_000,
    "dashes": "- " * 200_000,
    "questions": "? " * 200_000,
    "braces": "{a: " * 200_000,
    "laughs": LAUGHS,
    "chain": CHAIN,
    "itself": "a: &a [*a]",
    "nobody": "a: *a",
    "digits": f"a: {'9' * 5000}",
    "sixties": f"a: {'1:' * 400_000}1",
    "tagged": f'a: !!int "{"1:" * 400_000}1"',
    "month": "a: 2001-99-99",
    "no-time": "a: !!timestamp x",
    "no-truth": "a: !!bool x",
    "no-number": 'a: !!int "x"',
    "object": "a: !!python/object/apply:os.getcwd []",
    "null": "a: \0",
    "key-twice": "a: 1\nb: 2\na: 3",
    "inner-key-twice": "- {a: {b: [1], c: 2, b: 3}}",
    "key-twice-after-an-alias": "x: &x {b: 1}\ny: *x\nz: *x\ny: 1",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_yaml_is_an_error_that_names_the_file(name, tmp_path):
    with pytest.raises(yaml.YAMLError):
        load_yaml(HOSTILE[name])
    card = tmp_path / "verifier.yaml"
    card.write_text(HOSTILE[name])
    with pytest.raises(YamlError, match=r"verifier\.yaml:\d+: \w"):
        read(card)


@pytest.mark.parametrize("name", ["brackets", "laughs", "month", "key-twice", "pipe", "large"])
def test_a_hostile_task_or_suite_is_told_and_ends_nothing(name, tmp_path, monkeypatch):
    config = tmp_path / "toy/task/config.yaml"
    config.parent.mkdir(parents=True)
    if name == "pipe":
        os.mkfifo(config)
    elif name == "large":
        monkeypatch.setattr(bounded_yaml, "MAX_MB", 0)
        config.write_text("a: b")
    else:
        config.write_text(HOSTILE[name])
    if name != "month":  # in a suite all is text
        with pytest.raises(SuiteError, match=r"config\.yaml: cannot be read"):
            Suite.read(config)
    if name != "large":  # which is true of the built-in tasks as well
        arguments = ["validate", str(config), "toy/task", "--tasks-dir", str(tmp_path)]
        done = CliRunner().invoke(_cli, arguments)
        assert isinstance(done.exception, TaskError), done.output


def test_what_people_write_is_read_as_before(tmp_path):
    text = "a: &x {b: [1, 2.5, 2001-01-31]}\nc: *x\nd: {<<: *x}\ne: |\n  " + "1" * 5000
    (tmp_path / "a.yaml").write_text(text)
    assert read_yaml(tmp_path / "a.yaml") == yaml.safe_load(text)
    assert read_yaml(tmp_path / "a.yaml", as_text=True)["a"]["b"] == ["1", "2.5", "2001-01-31"]


@pytest.mark.parametrize(
    "text",
    ["[a, a, {a: a}, {a: a}]", "a: {a: b, b: a}\nb: a", "{[a]: 1, [b]: 2}", "x: &x {a: 1}\ny: *x"],
)
def test_values_and_keys_of_others_may_be_as_a_key_is(text):
    bounded_yaml.check_yaml(text)


NUMBERS = ("1e6", "-1.0e6", "+1.5E3", "1e-9", ".5e2", "1.e2", "1.0e+6")
NO_NUMBERS = ("e6", "1e", "1e6x", "12e3456", "1e6 2", "0x1e6g", "1.2.3e4", "'1e6'")


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_are_read_as_json_writes_them(text, tmp_path):
    path = tmp_path / "verifier.yaml"
    path.write_text(f"rtol: {text}\n")
    for found in (load_yaml(path.read_text()), read_yaml(path), read(path)[0]):
        assert found == {"rtol": float(text)}
    assert read_yaml(path, as_text=True) == {"rtol": text}
    config, _ = typed_config({"a": {"b": text}}, [f"a={{b: {text}}}"])
    assert config == {"a": {"b": float(text)}}


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_only_looks_like_a_number_stays_text(text):
    assert load_yaml(text) == yaml.safe_load(text)
    assert isinstance(load_yaml(text), str)
