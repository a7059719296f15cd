"""Every attack in this folder, against every sandbox that the machine has.

``<attack>.py`` is the hostile code, ``<attack>.yaml`` what has to come of it:

``attack``     what it tries
``kind``       ``functions`` (default: ``attack(*args)`` is called) or ``program``
``args``       arguments; names of the host's treasures are replaced by them, and ``EACH``
               and ``MANY`` by a mark of its own for each case
``status``     the status, or a list of possible ones
``value``      the result where the status is ``ok``
``limits``     limits that differ from the test's defaults
``others``     status of harmless cases of the same candidate (default ``ok``)
``repeat``     how often the attack's case is run
``machine``    the only machine on which it makes sense
``providers``  what differs under one provider
``quick``      part of the default test run
"""

from __future__ import annotations

import os
import platform
import runpy
import secrets
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

from biomlbench.sandbox import STATUSES, Case, Limits, probe, providers, run_functions, run_program
from biomlbench.sandbox.inside.clock import LONGEST

FOLDER = Path(__file__).parent
SPECS = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))}
LIMITS = {"wall_s": 5.0, "memory_mb": 512, "file_mb": 16, "output_mb": 8}
BYSTANDER = b"\n\ndef bystander(x):\n    return x + 1\n"
HONEST = b"""
import numpy as np


def honest(n):
    return np.linalg.eigvalsh(np.diag(np.arange(n, dtype=float)))
"""
USABLE = [
    provider.name
    for provider in providers.all_providers()
    if provider.level != "unsafe" and provider.obstacle() is None
]


def parameters():
    for name, spec in SPECS.items():
        marks = [] if spec.get("quick") else [pytest.mark.slow]
        for provider in USABLE:
            yield pytest.param(name, provider, id=f"{name}-{provider}", marks=marks)


def source_of(name):
    text = (FOLDER / f"{name}.py").read_bytes()
    text = text.replace(b"GENERATED", b"(" * 50_000 + b"1" + b")" * 50_000)
    return text.replace(b"NULL_BYTE", b"\0")


def expectation(name, provider):
    spec = dict(SPECS[name])
    spec.update(spec.pop("providers", {}).get(provider, {}))
    status = spec["status"]
    spec["status"] = [status] if isinstance(status, str) else status
    return spec


@pytest.fixture(scope="module", autouse=True)
def usable():
    if not USABLE:
        pytest.skip("this machine has no sandbox")
    for name in USABLE:
        providers.choose(name)


def attack(name, provider, host):
    spec = expectation(name, provider)
    args = [host.placeholders.get(arg, arg) for arg in spec.get("args", ())]
    limits = Limits(**{**LIMITS, **spec.get("limits", {})})
    if spec.get("kind") == "program":
        result = run_program(
            source_of(name), host.public, limits=limits, provider=provider, argv=args
        )
        return spec, [result], []
    ids = [f"hidden-case-{secrets.token_hex(8)}" for _ in range(spec.get("repeat", 1))]
    cases = [Case(case_id, "attack", tuple(marked(args))) for case_id in ids]
    cases += [Case(f"other-{i}", "bystander", (i,)) for i in range(2)]
    done = run_functions(
        source_of(name) + BYSTANDER, cases, limits=limits, provider=provider, preload=("numpy",)
    )
    assert done.provider == provider
    results = list(done.cases)
    return spec, results[: len(ids)], results[len(ids) :]


def marked(args):
    """Put a mark that no other case has in the place of ``EACH`` and, many times, of ``MANY``."""
    mark = f"each-case-{secrets.token_hex(8)}"
    return [{"EACH": mark, "MANY": mark * 500}.get(arg, arg) for arg in args]


def judge(spec, results, others, host):
    for result in results:
        assert result.status in STATUSES
        assert result.status in spec["status"], result
        if result.status == "ok" and "value" in spec:
            assert result.value() == spec["value"]
        if spec.get("kind") == "program":
            assert host.mark not in (result.output or b"").decode("utf-8", "replace")
            assert (result.output is not None) == (result.status == "ok")
        if "stdout_lacks" in spec:
            assert spec["stdout_lacks"] not in result.stdout
        limits = Limits(**{**LIMITS, **spec.get("limits", {})})
        assert max(len(result.stdout), len(result.stderr)) <= limits.log_kb * 1024
        # However busy the machine is: see biomlbench.sandbox.inside.clock.
        assert result.wall_s < LONGEST * (2 * limits.wall_s + 10)
        assert host.mark not in result.stdout + result.stderr
    wanted = spec.get("others", "ok")
    for i, result in enumerate(others):
        assert wanted in ("any", result.status), result
        if result.status == "ok":
            assert result.value() == i + 1


@pytest.mark.parametrize(("name", "provider"), list(parameters()))
def test_attack_is_stopped_and_leaves_nothing(name, provider, host):
    if SPECS[name].get("machine", platform.machine()) != platform.machine():
        pytest.skip(f"the attack is written for {SPECS[name]['machine']}")
    before = host.traces()
    spec, results, others = attack(name, provider, host)
    left = host.traces() - before
    judge(spec, results, others, host)
    assert not left
    assert not host.harm()


NAMED = (
    "always_equal",
    "frame_walk",
    "patched_allclose",
    "fake_frame",
    "exit_zero",
    "kill_harness",
    "fill_channel",
)


@pytest.mark.slow
@pytest.mark.parametrize("provider", USABLE)
@pytest.mark.parametrize("name", [*NAMED, "fork_bomb_stubborn", "memory_many_processes"])
def test_attack_does_not_touch_an_honest_candidate_beside_it(name, provider, host):
    done = []

    def run_honest():
        cases = [Case(str(n), "honest", (n,)) for n in range(2, 22)]
        done.append(run_functions(HONEST, cases, provider=provider))

    before = host.traces()
    thread = threading.Thread(target=run_honest)
    thread.start()
    spec, results, others = attack(name, provider, host)
    thread.join()
    left = host.traces() - before
    judge(spec, results, others, host)
    for case in done[0].cases:
        assert case.status == "ok"
        assert case.value().tolist() == pytest.approx(list(range(int(case.id))), abs=1e-9)
    assert not left
    assert not host.harm()


@pytest.mark.parametrize("provider", USABLE)
def test_the_canaries_are_stopped(provider):
    chosen = next(p for p in providers.all_providers() if p.name == provider)
    findings = probe.attack(chosen)
    assert [f for f in findings if f.needed and not f.stopped] == []


def test_the_command_that_checks_sandboxes_leaves_nothing_behind(host, tmp_path):
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    variables = {"HOME": str(home), "TMPDIR": str(scratch), "XDG_CACHE_HOME": str(home / "cache")}
    variables["BIOMLBENCH_CACHE_DIR"] = str(home / "cache" / "biomlbench")
    before = host.traces()
    call = [sys.executable, "-B", "-m", "biomlbench.cli", "sandbox", "check"]
    done = subprocess.run(
        call, env={**os.environ, **variables}, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "stops 22 of 22 attacks" in done.stdout
    assert not host.traces() - before
    assert not list(scratch.iterdir())
    assert not [path for path in tmp_path.rglob("*") if path not in (home, scratch)]
    assert not host.harm()


def test_there_are_attacks_of_every_kind():
    assert len(SPECS) >= 160
    assert {path.stem for path in FOLDER.glob("*.py")} - {"conftest", "test_attacks"} == set(SPECS)
    ignored = runpy.run_path(str(FOLDER / "conftest.py"))["collect_ignore"]
    assert set(ignored) == {f"{name}.py" for name in SPECS}
    known = set(STATUSES)
    for name in SPECS:
        for provider in ("bwrap-root", "bwrap-user", "landlock"):
            assert set(expectation(name, provider)["status"]) <= known, name
