"""Running whole programs on public inputs."""

from __future__ import annotations

import os
import sys

import pytest

from biomlbench.sandbox import Limits, run_program


@pytest.fixture
def public(tmp_path):
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "train.csv").write_text("id,x\na,1\nb,2\n")
    (tmp_path / "answers.csv").write_text("secret")
    return folder


COPY = b"""
import os
import sys
from pathlib import Path

here, data = Path.cwd(), Path("data")
text = (data / "train.csv").read_text()
assert text == Path(os.environ["PUBLIC_DIR"], "train.csv").read_text()
assert Path(os.environ["OUTPUT_PATH"]) == here / "submission.csv"
assert __name__ == "__main__" and Path(__file__).exists()
Path("submission.csv").write_text(text)
print("arguments", *sys.argv[1:])
"""


def test_a_program_reads_its_inputs_and_writes_its_output(provider, public):
    done = run_program(COPY, public, provider=provider, argv=["--fast", "1"])
    assert (done.status, done.message) == ("ok", "")
    assert done.output == b"id,x\na,1\nb,2\n"
    assert done.stdout == "arguments --fast 1\n"
    assert done.provider == provider
    assert done.wall_s > 0
    assert done.cpu_s > 0
    assert done.peak_mb > 0
    assert sorted(os.listdir(public)) == ["train.csv"]


def test_inputs_that_only_their_owner_may_read_are_readable_inside(confined, public):
    (public / "deep").mkdir()
    (public / "deep" / "more.csv").write_text("x")
    (public / "deep" / "more.csv").chmod(0o600)
    (public / "deep").chmod(0o700)
    public.chmod(0o700)
    code = b"open('submission.csv', 'w').write(open('data/deep/more.csv').read())"
    done = run_program(code, public, provider=confined)
    assert done.output == b"x"
    assert (public / "deep").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (b"pass", "missing_output"),
        (b"open('submission.csv', 'w').write('x'); raise SystemExit(0)", "ok"),
        (b"open('submission.csv', 'w').write('x'); raise SystemExit(3)", "exception"),
        (b"import os; open('submission.csv', 'w').close(); os._exit(0)", "ok"),
        (b"import os; open('submission.csv', 'w').close(); os._exit(3)", "crashed"),
        (b"import atexit; atexit.register(open, 'submission.csv', 'w')", "ok"),
        (b"import atexit; atexit.register(open, 'submission.csv', 'w'); exit(0)", "ok"),
        (b"import atexit, os; atexit.register(os._exit, 3)", "crashed"),
        (b"from threading import Timer; Timer(0.3, open, ('submission.csv', 'w')).start()", "ok"),
        (b"1 / 0", "exception"),
        (b"def f(:", "syntax_error"),
        (b"while True: pass", "time_limit"),
        (b"x = bytearray(1 << 40)", "memory_limit"),
        (b"open('submission.csv', 'wb').write(b'x' * (2 << 20))", "output_limit"),
        (b"import os; os.mkdir('submission.csv')", "missing_output"),
        (b"open('submission.csv', 'w').close()", "ok"),
    ],
    ids=str,
)
def test_how_a_program_ends(code, status, confined, public):
    limits = Limits(wall_s=4, output_mb=1, file_mb=8)
    done = run_program(code, public, limits=limits, provider=confined)
    assert done.status == status
    assert (done.output is not None) == (status == "ok")


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"wall_s": 1}, "the time limit passed: 1 s (`limits.wall_s`)"),
        ({"wall_s": 60, "cpu_s": 0.5}, "the process used up its CPU time: 0.5 s (`limits.cpu_s`)"),
    ],
)
def test_the_limit_on_time_is_told_with_its_seconds_and_key(limits, told, confined, public):
    # The kernel counts CPU time in whole seconds, and a busy machine gives less than one a second.
    code = b"import time\ntime.sleep(9)" if "cpu_s" not in limits else b"while True: pass"
    done = run_program(code, public, limits=Limits(**limits), provider=confined)
    assert (done.status, done.message) == ("time_limit", told)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (b"open('train.csv')", "in `data/` of the folder that it starts in: `data/train.csv`"),
        (b"open('/app/train.csv')", "starts in: `data/train.csv`"),
        (b"open('test.csv')", "are in `data/` of the folder that it starts in"),
        (b"1 / 0", ""),
    ],
)
def test_a_program_that_looks_in_another_place_is_told_where_its_inputs_are(
    code, told, confined, public
):
    done = run_program(code, public, provider=confined)
    assert done.status == "exception"
    assert done.message.endswith(told)
    assert ("data/" in done.message) == bool(told)


def test_the_seed_is_declared_and_makes_runs_repeat(confined, public):
    code = b"""
import os, random
import numpy as np
rows = [os.environ["SEED"], random.random(), np.random.rand(), hash("text")]
open("result.txt", "w").write(repr(rows))
"""
    options = {"output": "result.txt", "preload": ("numpy",), "provider": confined}
    first, again, other = (
        run_program(code, public, seed=seed, **options).output for seed in (5, 5, 6)
    )
    assert first == again
    assert first.startswith(b"['5'")
    assert other != first


@pytest.mark.parametrize("output", ["../x", "/etc/passwd", "", "..", "a/b", "."])
def test_the_output_is_a_bare_name(output, public):
    with pytest.raises(ValueError, match="bare file name"):
        run_program(b"", public, output=output, provider="unsafe")


def test_inputs_must_be_a_folder(public):
    with pytest.raises(ValueError, match="not a folder"):
        run_program(b"", public / "train.csv", provider="unsafe")


def test_usual_libraries_work_inside(confined, public):
    code = b"""
import pandas as pd
from sklearn.linear_model import LinearRegression
frame = pd.read_csv("data/train.csv")
frame["y"] = LinearRegression().fit(frame[["x"]], frame["x"]).predict(frame[["x"]]).round(6)
frame.to_csv("submission.csv", index=False)
"""
    done = run_program(code, public, limits=Limits(wall_s=60), provider=confined)
    assert done.status == "ok", done
    assert done.output.split() == [b"id,x,y", b"a,1,1.0", b"b,2,2.0"]


def test_several_processes_may_share_the_work(confined, public):
    code = b"""
import multiprocessing

def square(x):
    return x * x

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        values = pool.map(square, range(4))
    open("submission.csv", "w").write(str(values))
"""
    done = run_program(code, public, provider=confined)
    assert done.output == b"[0, 1, 4, 9]", done


def test_the_interpreter_inside_is_the_one_outside(confined, public):
    code = b"import sys; open('submission.csv', 'w').write(sys.executable)"
    assert run_program(code, public, provider=confined).output == sys.executable.encode()


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("pass", "wrote no file submission.csv"),
        ("os.symlink('/etc/hostname', name)", "made submission.csv a link"),
        ("os.symlink('nowhere', name)", "made submission.csv a link"),
        ("os.mkdir(name)", "made submission.csv a folder"),
        ("os.mkdir(name, 0)", "made submission.csv a folder"),
        ("os.mkfifo(name)", "made submission.csv a pipe"),
        ("socket.socket(socket.AF_UNIX).bind(name)", "made submission.csv a socket"),
        ("open(name, 'w').close(); os.link(name, 'b')", "submission.csv a second name"),
        ("os.close(os.open(name, os.O_CREAT, 0))", "no right to read its file submission.csv"),
        ("open(name, 'w').close(); os.chmod('.', 0)", "to look for submission.csv in its folder"),
    ],
)
def test_why_there_is_no_output_is_told(made, said, public):
    code = f"import os, socket\nname = 'submission.csv'\n{made}\n".encode()
    done = run_program(code, public, limits=Limits(wall_s=5), provider="bwrap")
    assert done.output is None
    if done.status == "exception":  # where the folder is not the program's own
        assert "Operation not permitted: '.'" in done.message
        return
    assert done.status == "missing_output"
    assert said in done.message
