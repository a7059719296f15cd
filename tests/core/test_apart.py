"""Code of a task's folder, called in a fork: its process is changed or lost, ours is not."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

from biomlbench.errors import GraderError, words_of
from biomlbench.metrics import MetricError
from biomlbench.runtime import apart
from biomlbench.runtime.apart import LostCallError, call_apart, together


@pytest.fixture(autouse=True)
def forks(monkeypatch):
    monkeypatch.setattr(apart, "_is_on", True)
    monkeypatch.setattr(apart, "is_alone", lambda: True)


def change_everything():
    np.sqrt = None
    os.environ.clear()
    os.umask(0o777)
    os.chdir("/")
    sys.path.clear()
    return os.getpid()


def test_what_the_code_does_to_its_process_ends_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ), list(sys.path), np.sqrt
    assert call_apart(change_everything) != os.getpid()
    assert (dict(os.environ), list(sys.path), np.sqrt) == before
    assert os.path.realpath(os.curdir) == os.path.realpath(tmp_path)


def come_back_twice():
    os.fork()
    return os.getpid()


def leave_a_child():
    if not os.fork():
        time.sleep(60)
    return 1


@pytest.mark.parametrize("call", [come_back_twice, leave_a_child])
def test_one_answer_comes_at_once_whatever_else_was_started(call):
    start = time.monotonic()
    assert call_apart(call) > 0
    assert time.monotonic() - start < 30


class EndsAsNumber(float):
    def __float__(self):
        os._exit(0)


def fail(error):
    raise error


LOST = {
    "exit": (lambda: os._exit(0), "it ended its process, with status 0"),
    "kill": (lambda: os.kill(os.getpid(), signal.SIGKILL), "was ended by SIGKILL"),
    "stop": (lambda: os.kill(os.getpid(), signal.SIGSTOP), "it stopped its process"),
    "close": (lambda: os.closerange(3, 200), "it ended its process"),
    "interrupt": (lambda: fail(KeyboardInterrupt()), "it raised KeyboardInterrupt"),
    "number": (lambda: float(EndsAsNumber(1)), "it ended its process"),
}


@pytest.mark.parametrize("name", LOST)
def test_a_call_that_gives_no_answer_is_told(name):
    call, words = LOST[name]
    with pytest.raises(LostCallError, match=words):
        call_apart(call)


def test_a_call_that_takes_too_long_is_ended():
    with pytest.raises(LostCallError, match="it took too long"):
        call_apart(lambda: time.sleep(60), seconds=0.5)


def test_a_call_that_takes_too_much_memory_is_ended(monkeypatch):
    monkeypatch.setattr(apart, "MOST_MEMORY", 100 << 20)
    held = np.ones(20 << 20)
    with pytest.raises(LostCallError, match=r"it took \d+ MiB"):
        call_apart(lambda: time.sleep(60 * held[0]))


def test_a_process_that_somebody_ended_is_started_once_more(tmp_path):
    def call():
        mark = tmp_path / "mark"
        if not mark.exists():
            mark.touch()
            os._exit(1)
        return "here"

    assert call_apart(call) == "here"
    (tmp_path / "mark").unlink()
    with pytest.raises(LostCallError):
        call_apart(call, tries=1)


@pytest.mark.parametrize("error", [MetricError("empty", "words"), ValueError("words")])
def test_errors_come_back_as_they_are_with_where_they_were_raised(error):
    with pytest.raises(type(error), match="words") as caught:
        call_apart(lambda: fail(error))
    (note,) = caught.value.__notes__
    assert vars(caught.value) == {**vars(error), "__notes__": [note]}
    assert "in fail" in note
    assert caught.value.__cause__ is None


def fail_as(error):
    try:
        fail(error)
    except type(error) as cause:
        raise GraderError("words") from cause


def test_errors_for_a_user_come_back_with_the_frames_of_what_they_are_made_of():
    with pytest.raises(GraderError, match="words") as caught:
        call_apart(lambda: fail_as(KeyError("no such key")))
    (note,) = caught.value.__notes__
    assert note.count("Traceback") == 1
    assert "in fail" in note
    assert "biomlbench/runtime" not in note
    assert "GraderError" not in note
    with pytest.raises(GraderError, match="words") as caught:
        call_apart(lambda: fail(GraderError("words")))
    assert not hasattr(caught.value, "__notes__")


def test_what_cannot_be_brought_back_is_made_here():
    assert call_apart(threading.Lock).acquire()


def test_what_watches_the_code_has_it_here():
    with together():
        assert call_apart(os.getpid) == os.getpid()
    assert call_apart(os.getpid) != os.getpid()


class WithoutWordsError(Exception):
    def __str__(self):
        raise SystemExit(0)


def test_an_error_whose_text_cannot_be_had_is_named():
    assert words_of(WithoutWordsError()) == "WithoutWordsError: its message cannot be shown"
    assert words_of(KeyboardInterrupt()) == "KeyboardInterrupt"
