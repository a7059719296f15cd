"""`biomlbench doctor`: what is missing is named with its remedy, and nothing stops the rest."""

from __future__ import annotations

import json
from collections import namedtuple

import pytest
from click.testing import CliRunner

from biomlbench.cli import TROUBLE, _cli
from biomlbench.cli import _doctor as doctor
from biomlbench.cli._doctor import Finding, examine
from biomlbench.sandbox import SandboxUnavailable


def by_name(findings):
    return {finding.what: finding for finding in findings}


def test_everything_is_looked_at_once_and_every_trouble_has_a_mend(tmp_path):
    findings = examine(tmp_path / "not" / "yet" / "there", tmp_path, network=False)
    assert len({finding.what for finding in findings}) == len(findings) == 7
    for finding in findings:
        assert finding.state in doctor.STATES
        assert finding.found
        assert bool(finding.remedy) == (finding.state != "ok")
    assert not (tmp_path / "not").exists()


def test_an_old_python_is_missing(monkeypatch):
    monkeypatch.setattr(doctor.sys, "version_info", (3, 10, 4, "final", 0))
    finding = doctor._python()
    assert (finding.state, finding.found) == ("missing", "3.10.4")
    assert "PYTHON=python3.11" in finding.remedy


def test_no_sandbox_is_missing(monkeypatch):
    def refuse(_):
        raise SandboxUnavailable("user namespaces are switched off", "switch them on")

    monkeypatch.setattr("biomlbench.sandbox.providers.choose", refuse)
    finding = doctor._sandbox()
    assert finding.state == "missing"
    assert "switched off" in finding.found
    assert finding.remedy.startswith("switch them on. ")


@pytest.mark.parametrize(
    ("limit", "used", "free"), [("max", "1", 8000), ("4294967296", "1073741824", 3072)]
)
def test_memory_is_the_smaller_of_machine_and_cgroup(tmp_path, limit, used, free):
    (tmp_path / "meminfo").write_text("MemTotal: 1 kB\nMemAvailable:    8192000 kB\n")
    (tmp_path / "memory.max").write_text(limit + "\n")
    (tmp_path / "memory.current").write_text(used + "\n")
    assert doctor.memory_mb(tmp_path, tmp_path) == free


@pytest.mark.parametrize(("free", "state"), [(500, "warning"), (4000, "warning"), (40000, "ok")])
def test_little_memory_is_a_warning(monkeypatch, free, state):
    monkeypatch.setattr(doctor, "memory_mb", lambda: free)
    monkeypatch.setattr(doctor.os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    finding = doctor._memory()
    assert finding.state == state
    if free == 4000:
        assert "--cores 1" in finding.remedy


def test_a_full_disk_is_a_warning(monkeypatch, tmp_path):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(1, 1, 2**20))
    finding = doctor._disk(tmp_path / "data")
    assert finding.state == "warning"
    assert str(tmp_path) in finding.remedy


def test_a_folder_that_cannot_be_written_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor.os, "access", lambda *_: False)
    finding = doctor._disk(tmp_path / "data")
    assert finding.state == "missing"
    assert "--data-dir" in finding.remedy


def test_another_snakemake_is_missing(monkeypatch):
    monkeypatch.setattr(doctor.importlib.metadata, "version", lambda _: "8.30.0")
    finding = doctor._snakemake()
    assert finding.state == "missing"
    assert finding.remedy.startswith('pip install "snakemake')


def test_the_profile_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("SNAKEMAKE_PROFILE", raising=False)
    (tmp_path / "workflow" / "rules").mkdir(parents=True)
    (tmp_path / "workflow" / "schemas").mkdir()
    (tmp_path / "Snakefile").write_text("")
    (tmp_path / "workflow" / "rules" / "common.smk").write_text("")
    (tmp_path / "workflow" / "schemas" / "config.schema.json").write_text("{}")
    assert "profile is not there" in doctor._workflow(tmp_path).found
    (tmp_path / "profiles" / "default").mkdir(parents=True)
    (tmp_path / "profiles" / "default" / "config.yaml").write_text("")
    assert doctor._workflow(tmp_path).state == "ok"
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "elsewhere")
    assert "elsewhere" in doctor._workflow(tmp_path).found


def test_elsewhere_the_workflow_is_the_one_that_the_library_carries(tmp_path, monkeypatch):
    monkeypatch.delenv("SNAKEMAKE_PROFILE", raising=False)
    assert doctor._workflow(tmp_path).state == "ok"

    def none():
        raise FileNotFoundError("it has come without its workflow")

    monkeypatch.setattr(doctor, "workflow_root", none)
    finding = doctor._workflow(tmp_path)
    assert (finding.state, finding.found) == ("warning", "it has come without its workflow")
    assert "install biomlbench-workflow again" in finding.remedy


def test_an_index_out_of_reach_is_a_warning(monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    finding = doctor._index()
    assert finding.state == "warning"
    assert "pip config set" in finding.remedy


def test_a_broken_look_does_not_hide_the_others(monkeypatch, tmp_path):
    def broken():
        raise OSError("no /proc here")

    monkeypatch.setattr(doctor, "_memory", broken)
    findings = by_name(examine(tmp_path, network=False))
    assert "no /proc here" in findings["memory"].found
    assert findings["Python"].state == "ok"


@pytest.mark.parametrize(("state", "code"), [("missing", TROUBLE), ("warning", 0), ("ok", 0)])
@pytest.mark.parametrize("json_option", [[], ["--json"]])
def test_exit_code(monkeypatch, state, code, json_option):
    remedy = "" if state == "ok" else "remedy it"
    monkeypatch.setattr(doctor, "examine", lambda *_, **__: [Finding("it", state, "so", remedy)])
    result = CliRunner().invoke(_cli, ["doctor", "--offline", *json_option])
    assert result.exit_code == code
    if json_option:
        assert json.loads(result.output) == [
            {"what": "it", "state": state, "found": "so", "remedy": remedy}
        ]
    else:
        assert "it: so" in result.output
        assert ("remedy it" in result.output) == bool(remedy)
