"""Every command with everything that a user can get wrong: a message, never a traceback.

Each line says what is expected: the exit code of the reference, and what the message must name.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys

import click
import pytest

from biomlbench.cli import INVALID, TROUBLE, main
from biomlbench.registry import Registry
from biomlbench.task.prepare import prepare_task
from tests.cli.test_commands import COMMANDS

USAGE = 2
LONG = "x" * 5000
PREPARER = """
def prepare(raw, public, private):
    (public / "sample_submission.csv").write_text("id,y\\n1,0\\n2,0\\n")
    (private / "answers.csv").write_text("id,y\\n1,5.5\\n2,7.25\\n")
"""
BROKEN_TASKS = {
    "list": "- a\n",
    "number": "5\n",
    "latin": b"name: \xff\n",
    "no-yaml": "a: [1\n",
    "types": "grader: {metric: 7}\ndataset: [1]\nsubmission: 5\npreparer: 9\nsource: 4\n",
    "metric": "grader: {metric: rmsee}\npreparer: prepare:prepare\n",
    "misspelt": "grader: {metric: rmse}\nsubmision: {id: id}\n",
    "difficulty": "grader: {metric: rmse}\ndifficulty: 9\nleaderboard: gone.csv\n",
}
BAD_RESULTS = ("empty_results", "garbage_results", "folder_results", "list_results", "odd_results")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with bad files of every kind, and one task that is prepared."""
    folder = tmp_path_factory.mktemp("bad")
    for ending in ("csv", "py", "jsonl", "yaml", "json", "parquet", "zip", "eval"):
        (folder / f"empty.{ending}").touch()
        (folder / f"garbage.{ending}").write_bytes(b"\xff\xfe\x00" + bytes(range(120, 255)))
        (folder / f"folder.{ending}").mkdir()
    (folder / "good.csv").write_text("id,y\n1,2\n2,3\n")
    (folder / "loop").symlink_to("loop")
    for name in BAD_RESULTS:
        (folder / name / "calibration").mkdir(parents=True)
    for name in ("pairs", "checks", "agents", "tasks", "calibration/allowed_rates"):
        (folder / "garbage_results" / f"{name}.parquet").write_bytes(b"PAR1xxxxPAR1")
        (folder / "folder_results" / f"{name}.parquet").mkdir()
    (folder / "garbage_results" / "provenance.json").write_text("{")
    (folder / "folder_results" / "provenance.json").mkdir()
    (folder / "list_results" / "provenance.json").write_text("[]")
    (folder / "odd_results" / "provenance.json").write_text(json.dumps({"format": 1}))
    for name, text in (("garbage", "["), ("list", "[]"), ("odd", '{"version": 1, "state": "x"}')):
        (folder / f"{name}_results" / ".run.json").write_text(text)
    (folder / "folder_results" / ".run.json").mkdir()
    for name, text in BROKEN_TASKS.items():
        config = folder / "broken" / name / "clinical" / f"t-{name}" / "config.yaml"
        config.parent.mkdir(parents=True)
        config.write_bytes(text if isinstance(text, bytes) else text.encode())
    toy = folder / "mine" / "clinical" / "toy"
    toy.mkdir(parents=True)
    (toy / "config.yaml").write_text(
        "preparer: prepare:prepare\ngrader: {metric: rmse}\nsubmission: {id: id, target: y}\n"
    )
    (toy / "prepare.py").write_text(PREPARER)
    prepare_task(Registry([folder / "mine"], folder / "data").get_task("toy"))
    return folder


TOY = ("toy", "--tasks-dir", "mine", "--data-dir", "data")


def lines():
    """Yield command line, exit codes that are right, and what the message must name."""
    for command in ("grade", "verify", "validate"):
        for name in ("gone.csv", "folder.csv", "empty.csv", "garbage.csv", "garbage.parquet"):
            yield (
                (command, name, *TOY),
                {INVALID},
                name if name in ("gone.csv", "folder.csv") else "",
            )
        for name in ("loop", "gone/deeper", "good.csv/deeper", "/dev/null", LONG, "", "-", "x.doc"):
            yield (command, name, *TOY), {INVALID}, ""
        for name in ("gone.py", "folder.py", "empty.py", "garbage.py"):
            yield (command, name, *TOY), {INVALID}, ""
        yield (command, "good.csv", "to", *TOY[1:]), {TROUBLE}, "toy"
        for name in ("", "../..", "a/b/c", LONG):
            yield (command, "good.csv", name), {TROUBLE}, "there is no task"
        yield (command, "good.csv", *TOY[:-1], "good.csv"), {USAGE}, "--data-dir"
        yield (command, "good.csv", *TOY[:-1], "elsewhere"), {TROUBLE}, "biomlbench prepare"
        for broken in BROKEN_TASKS:
            line = (command, "good.csv", f"t-{broken}", "--tasks-dir", f"broken/{broken}")
            yield line, {TROUBLE}, f"t-{broken}"
        for option in ("--no-such", "--tasks-dir=gone"):
            yield (command, "good.csv", *TOY, option), {USAGE}, option.partition("=")[0]
    for name in ("gone.csv", "folder.csv", "empty.csv", "garbage.csv", "garbage.parquet"):
        yield ("grade-sample", name, *TOY), {INVALID}, name
    yield ("grade-sample", "good.csv", "to", *TOY[1:]), {TROUBLE}, "toy"
    yield ("grade-sample", "good.csv", "kabsch-rmsd"), {INVALID}, "hand in the code"
    yield ("grade-sample", "good.csv", *TOY, "--no-such"), {USAGE}, "--no-such"
    yield ("statement", "toy", "--tasks-dir", "mine"), {TROUBLE}, "toy"
    for name in ("gone.jsonl", "folder.csv"):
        yield ("grade-jsonl", name), {INVALID, USAGE, TROUBLE}, name
    yield ("grade-jsonl", "garbage.jsonl", "--workers", "x"), {USAGE}, "--workers"
    for command in ("get", "check"):
        yield ("suite", command, "bioml-bensh"), {USAGE, TROUBLE}, "bioml-bench"
    yield ("suite", "get", "bioml-bench", "--from", "gone"), {USAGE, TROUBLE}, "gone"
    yield ("suite", "list", "--no-such"), {USAGE}, "--no-such"
    yield ("metrics", "rmse"), {USAGE}, "unexpected extra argument (rmse)"
    for option, value in (
        *(("--seed", "x"), ("--bootstrap", "x"), ("--bootstrap", "-5"), ("--bootstrap-seed", "-3")),
        *(("--kind", "foo"), ("--provider", "bwarp"), ("--out", "good.csv")),
    ):
        yield ("grade", "good.csv", *TOY, option, value), {USAGE}, option
    for seed in ("-1", str(2**32)):
        for command in ("grade", "verify"):
            for name in ("good.csv", "gone.py"):
                yield (command, name, *TOY, "--seed", seed), {USAGE}, "--seed"
    yield ("grade-jsonl", "garbage.jsonl", "--seed", "-1"), {USAGE}, "--seed"
    for command in ("grade", "verify"):
        line = (command, "good.csv", *TOY, "--kind", "functions")
        yield line, {USAGE}, "'--kind': 'functions': clinical/toy takes predictions or program"
        for kind in ("predictions", "program"):
            line = (command, "garbage.py", "kabsch-rmsd", "--kind", kind)
            yield line, {USAGE}, f"'--kind': {kind!r}: kernels/kabsch-rmsd takes functions"
    yield ("grade", "good.csv", *TOY, "--out", "/proc/x"), {TROUBLE}, "/proc/x"
    for name in ("", "../..", "caco2-wan"):
        for command in (
            "prepare",
            "evidence",
            "audit",
            "migrate",
            "statement",
            "show",
            "calibrate regrade",
            "serve --task",
        ):
            if name or not command.startswith(("serve", "evidence")):
                yield (*command.split(), name), {TROUBLE}, "there is no task"
    yield ("regrade",), {USAGE}, "RUNS"
    yield ("regrade", "gone.jsonl"), {USAGE}, "gone.jsonl"
    yield ("regrade", "garbage.jsonl"), {TROUBLE}, "garbage.jsonl"
    yield ("audit", *TOY, "--out", "good.csv"), {USAGE}, "--out"
    yield ("audit", *TOY, "--out", "/proc/x"), {TROUBLE}, "/proc/x"
    yield ("audit", *TOY, "--waivers", "gone"), {USAGE}, "--waivers"
    for folder in ("gone", "mine"):
        yield ("audit", *TOY, "--pandas-env", folder), {USAGE}, "--pandas-env"
    yield ("prepare", "kabsch-rmsd", "--data-dir", "/proc/x"), {TROUBLE}, "--data-dir"
    yield ("prepare", "toy", "--tasks-dir", "mine", "--data-dir", "/proc/x"), {TROUBLE}, "/proc/x"
    for broken in BROKEN_TASKS:
        tasks = ("--tasks-dir", f"broken/{broken}")
        yield ("prepare", f"t-{broken}", *tasks), {TROUBLE}, f"t-{broken}"
        yield ("migrate", f"t-{broken}", *tasks), {TROUBLE}, f"t-{broken}"
        yield ("audit", f"t-{broken}", *tasks), {TROUBLE}, f"t-{broken}"
        yield ("tasks", *tasks), {0}, ""
    for results in (*BAD_RESULTS, "gone", "good.csv", LONG, "", "loop"):
        codes, named = ({TROUBLE}, results) if results in BAD_RESULTS else ({USAGE, TROUBLE}, "")
        for command in (("archive",), ("export",), ("export", "--format", "csv"), ("report",)):
            yield (*command, results), codes, named
        yield ("publish", results, "--to", "site"), codes, named
        yield ("compare", results, "mine"), codes | {TROUBLE}, named
        yield ("compare", "mine", results), codes | {TROUBLE}, None
        yield ("versus", "a", "b", results), codes, named
        yield ("compare", f"{results}@previous", "mine"), codes | {TROUBLE}, None
        yield ("watch", results, "--once"), codes, named
        yield ("reproduce", results, "--into", "again"), codes, named
        yield ("reproduce", results, "--against", results), codes, named
        for command in (("check",), ("propose",), ("diff", "a", "b"), ("regrade",)):
            yield ("calibrate", *command, "--results", results), codes | {TROUBLE}, named
        flakes = ("calibrate", "flakes", "kabsch-rmsd", "run", "--results", results)
        yield flakes, {USAGE, TROUBLE}, named
    for name in ("gone", "folder.csv", "empty.csv", "garbage.csv", "garbage.zip", "empty.eval",
                 "garbage.eval", "garbage.jsonl", "garbage.json", "loop", "/dev/null", LONG,
                 ""):  # fmt: skip
        shown = "" if name in (LONG, "") else name
        yield ("import", name), {INVALID, USAGE, TROUBLE}, "" if name == "empty.csv" else None
        yield ("import", name, "--direction", "maximize"), {INVALID, USAGE, TROUBLE}, None
        yield ("prune", name), {USAGE, TROUBLE}, shown
        yield ("calibrate", "apply", name), {USAGE, TROUBLE}, shown
        yield ("calibrate", "blind", name), {USAGE, TROUBLE}, shown
    yield ("import", "good.csv", "--direction", "up"), {USAGE}, "--direction"
    yield ("import", "folder.csv", "--task", "x"), {USAGE, INVALID}, None
    yield ("export", "garbage_results", "--date", "x"), {USAGE}, "--date"
    yield ("export", "garbage_results", "--format", "y"), {USAGE}, "--format"
    yield ("archive", "garbage_results", "--date", "2024-13-01"), {USAGE}, "--date"
    for option, value in (
        *(("--port", "x"), ("--port", "-1"), ("--port", "99999"), ("--jobs", "0")),
        *(("--timeout", "nan"), ("--timeout", "-1"), ("--max-upload-mb", "0"), ("--provider", "x")),
    ):
        line = ("serve", *TOY[1:], "--task", "no", option, value)
        yield line, {USAGE, TROUBLE}, None
    yield ("serve", *TOY[1:], "--timeout", "nan"), {USAGE}, "timeout"
    for kind in ("task", "problem", "metric", "check", "plot", "foo"):
        for name in ("a b", "../x", "", "1x", "class", LONG, "clinical/x/y/z"):
            yield ("new", kind, name, "--to", "made"), {USAGE, TROUBLE}, ""
        yield ("new", kind, "okname", "--to", "good.csv"), {USAGE}, ""
    yield ("new", "problem", "okname", "--to", "/proc/x"), {TROUBLE}, "/proc/x"
    yield ("doctor", "--offline", "--data-dir", "good.csv"), {USAGE}, "--data-dir"
    for command in (("run",), ("reproduce", "."), ("import", "runs")):
        for cores in ("x", "0", "-1", "1.5", "ALL", ""):
            yield (*command, "--cores", cores), {USAGE}, "1 or more, or all"
    yield ("tasks", "--domain", "nosuch"), {USAGE}, "clinical"
    yield ("sandbox", "chek"), {USAGE}, "check"
    yield ("nosuch",), {USAGE}, "nosuch"


LINES = list(lines())


def _name(value):
    return " ".join(word[:20] for word in value) if isinstance(value, tuple) else ""


@pytest.mark.parametrize(("line", "codes", "named"), LINES, ids=_name)
def test_a_message_and_an_exit_code(line, codes, named, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(place / "cache"))
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    with pytest.raises(SystemExit) as stop:
        main(list(line))
    out, err = capsys.readouterr()
    assert (stop.value.code or 0) in codes, err
    assert "Traceback" not in out + err
    if 0 not in codes:
        assert (out + err).strip()
    if named:
        assert named[:100] in out + err
    if stop.value.code == TROUBLE and named is not None:
        told = err.partition("Error: ")[2] or err.partition("Not graded ")[2]
        assert ";" in told or "with:" in told or "did you mean" in told or "config.yaml" in told, (
            err
        )


@pytest.fixture
def cli(place):
    """Run the command as a process of its own, whose end is what is looked at."""

    def run(*line, **options):
        done = subprocess.run(
            [sys.executable, "-m", "biomlbench.cli", *line],
            stderr=options.pop("stderr", subprocess.PIPE),
            text=True,
            cwd=place,
            env={**os.environ, "BIOMLBENCH_CACHE_DIR": str(place / "cache")},
            **options,
        )
        assert "Traceback" not in (done.stderr or "")
        return done

    return run


WRITTEN = [
    ("validate", "good.csv", *TOY),
    ("grade", "good.csv", *TOY, "--json"),
    ("tasks",),
    ("--help",),
]


@pytest.mark.parametrize("line", WRITTEN, ids=_name)
def test_full_disk_is_the_fault_of_the_machine(cli, line):
    with open("/dev/full", "wb") as full:
        done = cli(*line, stdout=full)
        assert done.returncode == TROUBLE, done.stderr
        assert "No space left on device; the disk is full" in done.stderr
        assert cli(*line, stdout=full, stderr=full).returncode == TROUBLE


@pytest.mark.parametrize("line", WRITTEN, ids=_name)
def test_output_that_nobody_reads_ends_quietly(cli, line):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = cli(*line, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_no_command_is_left_out():
    walked = {
        line[: 2 if line[0] in ("calibrate", "sandbox", "suite") else 1] for line, *_ in LINES
    }
    groups = {path for path, command in COMMANDS.items() if isinstance(command, click.Group)}
    left = set(COMMANDS) - groups - walked - {("sandbox", "check")}
    assert not left, "commands whose bad input nobody tries"


def test_verbose_shows_where_an_error_came_from(place, monkeypatch, capsys, caplog):
    monkeypatch.chdir(place)
    caplog.set_level(logging.INFO)
    with pytest.raises(SystemExit):
        main(["-v", "validate", "good.csv", "nosuch"])
    assert "where it came from" in caplog.text
    assert capsys.readouterr().err.startswith("Error: there is no task")


@pytest.fixture
def ordinary_user(tmp_path):
    """Run without root's right to read and write everything."""
    drop = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root reads and writes everything, and there is no setpriv")
        drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]

    def run(*line):
        done = subprocess.run(
            [*drop, sys.executable, "-m", "biomlbench.cli", *line],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path), "BIOMLBENCH_CACHE_DIR": str(tmp_path / "c")},
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        (("validate", "secret.csv", "toy"), INVALID, "Permission denied"),
        (("prepare", "toy", "--data-dir", "locked"), TROUBLE, "--data-dir"),
        (("prepare", "kabsch-rmsd", "--data-dir", "locked"), TROUBLE, "--data-dir"),
        (("new", "problem", "okname", "--to", "locked"), TROUBLE, "locked"),
        (("prune", "secret.yaml"), USAGE, "secret.yaml"),
        (("calibrate", "apply", "secret.yaml"), USAGE, "secret.yaml"),
        (("report", "locked"), TROUBLE, "locked"),
    ],
    ids=_name,
)
def test_without_the_right_to_read_or_write(ordinary_user, tmp_path, place, line, code, named):
    shutil.copytree(place / "mine", tmp_path / "mine")
    shutil.copytree(place / "data", tmp_path / "data")
    for name in ("secret.csv", "secret.yaml"):
        (tmp_path / name).write_text("runs: []")
        (tmp_path / name).chmod(0)
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked").chmod(0o555)
    if "toy" in line:
        line += ("--tasks-dir", "mine", *(() if "--data-dir" in line else ("--data-dir", "data")))
    found, said = ordinary_user(*line)
    assert found == code, said
    assert named in said
