"""The config is checked against its schema, and the guide names every key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from biomlbench.sandbox.providers import choices
from biomlbench.workflow import config_keys
from biomlbench.workflow.checked_config import checked
from biomlbench.workflow.config import ConfigError, check_config
from biomlbench.workflow.runs import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.json"
GUIDE = (ROOT / "config" / "README.md").read_text()


def test_the_shipped_config_is_valid():
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    assert check_config(config, SCHEMA)["sandbox"]["provider"] == "auto"


def test_defaults_are_filled_in_and_the_input_is_left_alone():
    given = {"runs": ["a.csv"]}
    checked = check_config(given, SCHEMA)
    assert checked["grading"] == {"bootstrap": 2000, "seed": 0}
    assert checked["execution"]["repeats"] == 1
    assert given == {"runs": ["a.csv"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": "a.csv"}, r"`runs`: 'a.csv' is not a list; write `runs: \[a.csv\]`"),
        ({"runs": []}, "the list is empty"),
        ({"runs": None}, "`runs`: is empty; give it a value"),
        ({"runs": [""]}, "`runs.0`: is empty; give it a value"),
        ({"grading": {"bootstrap": -1}}, "`grading.bootstrap`"),
        ({"sandbox": {"provider": "x"}}, f"use one of {', '.join(choices())}"),
        ({"tittle": "x"}, "`tittle`: unknown key; did you mean `title`"),
        ({"bootstrap": 5}, "did you mean `grading.bootstrap`"),
        ({"zzz": 5}, "allowed: title, runs"),
        ({"grading": {"bootstrap": "12"}}, "write it without quotes: 12"),
        ({"grading": {"seed": 1.5}}, "1.5 is not a whole number"),
        ({"execution": {"reruns": "no"}}, "write false"),
        ({"execution": {"limits": {"wall_s": float("nan")}}}, "wall_s`: nan is no finite number"),
        ({"title": 5}, 'put it in quotes: "5"'),
        ({"sandbox": {"provider": "bwarp"}}, "did you mean bwrap"),
        ({7: 5}, "`7`: unknown key; allowed: title"),
        ({"tasks": {"toy/line": {"verifier": "v3"}}}, "`tasks.toy/line.verifier`.*v1, shadow, v2"),
    ],
)
def test_a_wrong_value_names_file_key_and_what_is_allowed(change, message, tmp_path):
    file = tmp_path / "my.yaml"
    file.write_text("# mine\n" + yaml.safe_dump(change))
    with pytest.raises(ConfigError, match=rf"my\.yaml:[1-5]: .*{message}"):
        check_config({"runs": ["a.csv"], **change}, SCHEMA, [file])


def _keys(schema):
    for key, declared in schema.get("properties", {}).items():
        if "properties" in declared:
            yield from _keys(declared)
        else:
            yield key


def test_the_guide_explains_every_key_and_column():
    schema = json.loads(SCHEMA.read_text())
    keys = {*_keys(schema), *_keys(schema["$defs"]["limits"]), *_keys(schema["$defs"]["task"])}
    for word in (*keys, *COLUMNS):
        assert f"{word}`" in GUIDE, f"{word} is not in config/README.md"


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("a-file", "'a-file' is a file, not a folder"),
        ("a-file/inner", "'a-file' is a file, not a folder"),
        ("dead", "'dead' is a dead link"),
        ("$HOME/results", r"variables \(`\$`\) are not replaced"),
        ("~nobody-of-that-name/x", "no such user"),
        ("a{b}", "without braces"),
        ("..", "name a folder"),
        ("", "name a folder"),
    ],
)
def test_where_results_cannot_lie_is_told_with_file_and_line(tmp_path, monkeypatch, folder, said):
    monkeypatch.chdir(tmp_path)
    Path("a-file").touch()
    Path("dead").symlink_to("gone")
    config = {"runs": ["a.csv"], "results_dir": folder}
    Path("my.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    with pytest.raises(ConfigError, match=rf"^my\.yaml:[1-3]: `results_dir`: .*{said}"):
        checked(config, ROOT, ["my.yaml"])


def test_results_may_lie_in_the_home_folder_or_be_new(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "hömé x"))
    config = {"runs": ["a.csv"], "results_dir": "~/my results/"}
    assert checked(config, ROOT)["results_dir"] == str(tmp_path / "hömé x" / "my results")
    assert checked({**config, "results_dir": "new/deep"}, ROOT)["results_dir"] == "new/deep"


def test_the_typed_config_has_the_keys_of_the_schema():
    declared = json.loads(SCHEMA.read_text())
    limits, task = declared["$defs"]["limits"], declared["$defs"]["task"]
    calibration = declared["properties"]["calibration"]["properties"]
    for typed, schema in (
        (config_keys.WorkflowConfig, declared),
        (config_keys.LimitsSection, limits),
        (config_keys.TaskSection, task),
        (config_keys.SandboxSection, declared["properties"]["sandbox"]),
        (config_keys.GradingSection, declared["properties"]["grading"]),
        (config_keys.ExecutionSection, declared["properties"]["execution"]),
        (config_keys.CalibrationSection, declared["properties"]["calibration"]),
        (config_keys.RatesSection, calibration["allowed"]),
        (config_keys.FlakeRun, calibration["flake_runs"]["items"]),
    ):
        assert set(typed.__annotations__) == set(schema["properties"]), typed
