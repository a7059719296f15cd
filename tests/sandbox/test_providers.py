"""Choosing a provider: by attack, remembered, never silently less."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest

from biomlbench.sandbox import (
    Case,
    SandboxUnavailable,
    check,
    probe,
    probe_answers,
    providers,
    run_functions,
)
from biomlbench.sandbox.canaries import CANARIES
from biomlbench.sandbox.model import Refusal
from biomlbench.sandbox.providers.base import Provider


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "sandbox"


@pytest.fixture
def chosen(confined):
    return next(p for p in providers.all_providers() if p.name == confined)


def test_every_file_is_a_provider():
    folder = Path(providers.__file__).parent
    files = {p.stem for p in folder.glob("*.py") if not p.stem.startswith("_")} - {"base"}
    found = providers.all_providers()
    assert len(found) == len(files)
    assert len({provider.name for provider in found}) == len(found)
    for provider in found:
        assert isinstance(provider, Provider)
        assert provider.level in ("full", "reduced", "unsafe")
        assert provider.automatic == (provider.level == "full")


def test_auto_takes_the_best_full_sandbox(chosen, cache):
    if chosen.level == "full":
        assert providers.choose().name == chosen.name
        assert providers.choose(chosen.family).name == chosen.name


def test_an_unknown_name_is_an_error():
    known = ", ".join(providers.choices())
    assert {"auto", "bwrap", "landlock", "unsafe"} <= set(providers.choices())
    with pytest.raises(ValueError, match=f"known are {known}"):
        providers.choose("docker")


@pytest.mark.parametrize("name", [provider.name for provider in providers.all_providers()])
def test_what_a_provider_says_of_itself(name):
    provider = next(p for p in providers.all_providers() if p.name == name)
    assert provider.family in providers.choices()
    assert (provider.family in providers.choices(unsafe=False)) == (provider.level != "unsafe")
    assert type(provider).obstacle.__doc__
    assert type(provider).start.__doc__
    refusal = provider.obstacle()
    assert refusal is None or refusal.cause


def test_nothing_usable_is_refused_and_never_replaced(monkeypatch):
    refusal = Refusal("not on this host", "take another host")
    for provider in providers.all_providers():
        if provider.level == "full":
            monkeypatch.setattr(type(provider), "obstacle", lambda self: refusal)
    for wanted in ("auto", "bwrap"):
        with pytest.raises(SandboxUnavailable, match=r"not on this host.*take another host"):
            run_functions(b"", [Case("a", "f")], provider=wanted)
    assert providers.choose("unsafe").level == "unsafe"


def test_a_leaking_sandbox_is_refused(chosen, cache, monkeypatch):
    honest = probe.attack(chosen)
    assert all(finding.stopped for finding in honest if finding.needed)
    leak = dataclasses.replace(honest[0], stopped=False, detail="achieved: True")
    monkeypatch.setattr(probe, "attack", lambda provider: [leak, *honest[1:]])
    with pytest.raises(SandboxUnavailable, match="read a file of the user"):
        providers.choose(chosen.name)
    assert not cache.exists() or list(cache.iterdir()) == []


def test_the_answer_is_remembered_for_this_host_and_boot(chosen, cache, monkeypatch):
    assert probe.failure(chosen) is None
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(probe, "attack", lambda provider: pytest.fail("attacked again"))
    assert probe.failure(chosen) is None
    probe_answers.forget(chosen)
    assert list(cache.iterdir()) == []
    monkeypatch.setattr(type(chosen), "fingerprint", lambda self: "another binary")
    assert not probe_answers.file(chosen).exists()


def test_an_answer_that_somebody_else_could_have_written_does_not_count(chosen, cache, monkeypatch):
    path = probe_answers.file(chosen)
    calls = []
    monkeypatch.setattr(probe, "attack", lambda provider: calls.append(1) or [])
    for text, mode in (('{"holds": true}', 0o666), ('{"holds": 1}', 0o600), ("[", 0o600)):
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(mode)
        assert probe.failure(chosen) is None
    assert len(calls) == 3


def test_without_a_folder_of_its_own_the_answer_is_kept_among_temporary_files(
    chosen, monkeypatch, tmp_path
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    calls = []
    monkeypatch.setattr(probe, "attack", lambda provider: calls.append(1) or [])
    assert probe.failure(chosen) is None
    assert probe.failure(chosen) is None
    assert calls == [1]
    assert probe_answers.file(chosen).parent.parent.parent == tmp_path


def test_without_any_folder_each_look_costs_time(chosen, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    monkeypatch.setattr(probe, "attack", lambda provider: [])
    assert probe_answers.file(chosen) is None
    assert probe.failure(chosen) is None


def test_no_room_for_temporary_files_is_told_as_that(chosen, cache, monkeypatch, tmp_path):
    missing = str(tmp_path / "missing")
    monkeypatch.setenv("TMPDIR", missing)
    monkeypatch.setattr(tempfile, "tempdir", missing)
    with pytest.raises(SandboxUnavailable, match=r"TMPDIR is .*missing.*set TMPDIR"):
        providers.choose(chosen.name)


def test_the_report_names_every_provider_and_attack(confined):
    rows = check.report()
    assert {row["provider"] for row in rows} == {p.name for p in providers.all_providers()}
    for row in rows:
        assert set(row) == {
            *("provider", "level", "automatic", "usable", "reason", "remedy"),
            *("attack", "needed", "stopped", "detail"),
        }
        assert row["usable"] or row["reason"]
    own = [row for row in rows if row["provider"] == confined]
    assert len(own) == len(CANARIES)
    assert all(row["stopped"] for row in own)
    open_ones = [row for row in rows if row["level"] == "unsafe" and not row["stopped"]]
    assert len(open_ones) > 10


def test_level_and_provider_are_on_every_execution(provider):
    done = run_functions(b"def f():\n    return 1\n", [Case("a", "f")], provider=provider)
    assert (done.provider, done.level) == (provider, providers.choose(provider).level)
