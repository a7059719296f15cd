"""Why there is no sandbox: the true cause, and a remedy for it."""

from __future__ import annotations

import pickle
import secrets
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from biomlbench.cli import _cli
from biomlbench.cli import _doctor as doctor
from biomlbench.sandbox import SandboxUnavailable, diagnosis, probe, providers
from biomlbench.sandbox.model import Refusal

NO_NAMESPACE = "bwrap: No permissions to create new namespace"
UID_MAP = "bwrap: setting up uid map: Permission denied"


@pytest.mark.parametrize(
    ("words", "root", "files", "remedy"),
    [
        (NO_NAMESPACE, False, {"proc/sys/user/max_user_namespaces": "0\n"}, "sysctl -w user.max"),
        (
            NO_NAMESPACE,
            False,
            {"proc/sys/kernel/unprivileged_userns_clone": "0\n"},
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            UID_MAP,
            False,
            {"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"},
            "/etc/apparmor.d/bwrap",
        ),
        (NO_NAMESPACE, False, {".dockerenv": ""}, "seccomp=unconfined"),
        ("bwrap: Operation not permitted", True, {".dockerenv": ""}, "--cap-add SYS_ADMIN"),
        (NO_NAMESPACE, False, {"proc/sys/user/max_user_namespaces": "9\n"}, "administrator"),
        ("bwrap: Unknown option --size", False, {}, "apt-get install bubblewrap"),
        ("there is no bwrap on this host", False, {}, "apt-get install bubblewrap"),
    ],
)
def test_the_remedy_is_for_what_is_in_the_way(tmp_path, words, root, files, remedy):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = diagnosis.remedy_for_bwrap(words, root=root, proc=tmp_path / "proc", top=tmp_path)
    assert remedy in found
    assert ("sysctl" in found) == any("sys/" in f and "9" not in t for f, t in files.items())


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("ModuleNotFoundError: No module named 'numpy'", "install the missing package"),
        ("error while loading shared libraries: libpython3.11.so.1.0", "PYTHON=/usr/bin/python3"),
        ("something else", "biomlbench sandbox check --json"),
    ],
)
def test_a_sandbox_in_which_nothing_starts_has_a_remedy(words, remedy):
    assert remedy in diagnosis.remedy_for_start(words, "/opt/python/bin/python3")


def refuse(monkeypatch, refusal):
    for provider in providers.all_providers():
        if provider.level == "full":
            monkeypatch.setattr(type(provider), "obstacle", lambda self: refusal)


def test_run_and_doctor_and_check_say_the_same(monkeypatch):
    refusal = Refusal("the kernel forbids it", "allow it")
    refuse(monkeypatch, refusal)
    with pytest.raises(SandboxUnavailable, match=r"the kernel forbids it.*Remedy: allow it"):
        providers.choose()
    finding = doctor._sandbox()
    assert "the kernel forbids it" in finding.found
    assert "allow it" in finding.remedy
    said = CliRunner().invoke(_cli, ["sandbox", "check"]).output
    assert "cause: the kernel forbids it" in said
    assert "remedy: allow it" in said


def test_what_is_meant_for_another_user_is_no_cause(monkeypatch):
    refuse(monkeypatch, Refusal("the kernel forbids it", "allow it"))
    first = next(p for p in providers.all_providers() if p.level == "full")
    other = Refusal("is for others", applies=False)
    monkeypatch.setattr(type(first), "obstacle", lambda self: other)
    with pytest.raises(SandboxUnavailable) as caught:
        providers.choose()
    assert "is for others" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.refusal) == (str(caught.value), caught.value.refusal)


def test_the_check_fits_a_terminal_and_leaves_nothing_behind(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    mark = secrets.token_hex(16)
    monkeypatch.setattr(probe.secrets, "token_hex", lambda size: mark)
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    said = CliRunner().invoke(_cli, ["sandbox", "check"]).output
    assert {provider.name for provider in providers.all_providers()} <= set(said.split())
    assert max(map(len, said.splitlines())) <= 80
    assert not [*home.iterdir(), *temporary.iterdir()]
    for place in ("/tmp", "/dev/shm", "/"):
        assert not [path for path in Path(place).iterdir() if mark in path.name]
