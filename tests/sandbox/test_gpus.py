"""GPUs as granted, with a list of devices that is made up: no test here runs on a GPU."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from biomlbench.sandbox import Case, Limits, SandboxUnavailable, gpus, run_functions
from biomlbench.sandbox import session as sessions
from biomlbench.sandbox.candidate import make_setup
from biomlbench.sandbox.gpus import Gpus, claim_gpus, present
from biomlbench.sandbox.providers import _bubblewrap, landlock
from biomlbench.sandbox.providers.base import environment

UUIDS = [f"GPU-{letter * 8}" for letter in "abc"]
INFORMATION = """\
Model: \t\t Made up
IRQ:   \t\t 42
GPU UUID: \t {uuid}
Bus Location: \t 0000:{number:02x}:00.0
Device Minor: \t {number}
"""


@pytest.fixture
def host(tmp_path, monkeypatch):
    """Three devices, in another order on the bus than by number, and the driver's own nodes."""
    monkeypatch.setattr(gpus, "KIND", f"gpu-of-{os.getpid()}")
    for number, uuid in enumerate(UUIDS):
        folder = tmp_path / gpus.DRIVER / f"0000:{9 - number:02x}:00.0"
        folder.mkdir(parents=True)
        (folder / "information").write_text(INFORMATION.format(uuid=uuid, number=number))
    (tmp_path / "dev").mkdir()
    for name in ("nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm"):
        (tmp_path / "dev" / name).touch()
    return tmp_path


def visible(count, host, **environ):
    claim, found = claim_gpus(count, environ, host)
    claim.release()
    return found.visible.split(","), [Path(node).name for node in found.nodes]


def test_devices_are_known_by_uuid_in_the_order_of_their_numbers(host):
    assert [gpu.uuid for gpu in present(host)] == UUIDS


def test_no_grant_shows_nothing(host):
    claim, found = claim_gpus(0, {}, host)
    claim.release()
    assert found == Gpus("", ())


def test_the_granted_device_is_shown_with_the_drivers_own_nodes(host):
    assert visible(1, host) == ([UUIDS[0]], ["nvidia0", "nvidiactl", "nvidia-uvm"])


@pytest.mark.parametrize("words", ["1,2", f"{UUIDS[1]},{UUIDS[2]}", "GPU-bbb, 2"])
def test_the_schedulers_choice_is_kept(host, words):
    uuids, nodes = visible(2, host, CUDA_VISIBLE_DEVICES=words)
    assert uuids == UUIDS[1:]
    assert nodes[:2] == ["nvidia1", "nvidia2"]


@pytest.mark.parametrize("words", ["", "-1", "NoDevFiles", "7", "GPU-ddd", "MIG-1"])
def test_a_grant_without_a_device_is_refused_with_the_mend(host, words):
    with pytest.raises(SandboxUnavailable, match=r"this job has 0 of NVIDIA's.*execute:gpu=0"):
        claim_gpus(1, {"CUDA_VISIBLE_DEVICES": words}, host)


def test_two_sandboxes_get_different_devices(host):
    first, one = claim_gpus(1, {}, host)
    second, two = claim_gpus(1, {}, host)
    assert {one.visible, two.visible} == set(UUIDS[:2])
    with pytest.raises(SandboxUnavailable, match="of which 1 are free"):
        claim_gpus(2, {}, host)
    first.release()
    second.release()
    claim_gpus(3, {}, host)[0].release()


def test_a_device_that_the_job_may_not_open_is_not_there(host):
    (host / "dev" / "nvidia0").unlink()
    assert [gpu.uuid for gpu in present(host)] == UUIDS[1:]


def test_the_code_sees_what_was_granted_and_only_that():
    setup = make_setup(Limits(), None, 0, None, ())
    assert environment(setup, "/box", "/tmp")["CUDA_VISIBLE_DEVICES"] == ""
    setup = replace(setup, gpus=Gpus("GPU-a", ("/dev/nvidia3",)))
    assert environment(setup, "/box", "/tmp")["CUDA_VISIBLE_DEVICES"] == "GPU-a"
    words = " ".join(
        _bubblewrap._file_system(setup, _bubblewrap._Places("/box", "/data", "/sbx"), 9, [])
    )
    shown = "--dev /dev", "--dev-bind /dev/nvidia3 /dev/nvidia3", "--remount-ro /dev"
    assert sorted(shown, key=words.index) == list(shown)
    with pytest.raises(SandboxUnavailable, match="no access to GPUs"):
        landlock.PROVIDER.start(setup)


def test_a_granted_node_is_in_the_sandbox_and_another_is_not(confined, monkeypatch):
    """With /dev/kmsg in the place of a device: it is one that no sandbox has by itself."""
    if not confined.startswith("bwrap") or not os.path.exists("/dev/kmsg"):
        pytest.skip("needs bubblewrap and /dev/kmsg")
    code = b"import os\n\n\ndef f():\n    return [os.path.exists('/dev/kmsg'), *sorted(\n"
    code += b"        [os.environ['CUDA_VISIBLE_DEVICES']])]\n"

    def seen(**limits):
        done = run_functions(code, [Case("a", "f")], limits=Limits(**limits), provider=confined)
        return done.cases[0].value()

    assert seen() == [False, ""]
    made_up = Gpus("GPU-a", ("/dev/kmsg",))
    monkeypatch.setattr(sessions, "claim_gpus", lambda count: (gpus.Claim("gpu", (), 0), made_up))
    assert seen(gpus=1) == [True, "GPU-a"]


def test_a_host_without_gpus_refuses_the_grant(confined, monkeypatch, tmp_path):
    monkeypatch.setattr(sessions, "claim_gpus", lambda count: claim_gpus(count, {}, tmp_path))
    with pytest.raises(SandboxUnavailable, match="asks for 1 GPU"):
        run_functions(b"def f(): pass", [Case("a", "f")], limits=Limits(gpus=1), provider=confined)
