"""Many submissions: a bad one costs only itself, nothing is overwritten or lost."""

import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from biomlbench.api import jsonl
from biomlbench.api import jsonl_batch as batch
from biomlbench.grade import grade_jsonl
from biomlbench.grade_helpers import TaskReport
from biomlbench.submission.table_rows import RunTableError
from biomlbench.workflow.runs import read_runs
from tests.waiting import wait_until

REPOSITORY = Path(__file__).resolve().parents[2]


def write_lines(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [line if isinstance(line, (str, bytes)) else json.dumps(line) for line in lines]
    path.write_bytes(b"\n".join(t if isinstance(t, bytes) else t.encode() for t in texts) + b"\n")
    return path


def entry(path, task="toy-task"):
    return {"task_id": task, "submission_path": path}


@pytest.fixture
def messy(factory, good):
    """Good lines among bad ones."""
    factory.task()
    factory.task(
        "demo/bug",
        config={"grader": {"name": "x", "grade_fn": "grade:grade", "direction": "maximize"}},
        files={"grade.py": "def grade(submission, answers):\n    return 1 / 0\n"},
    )
    factory.task("demo/broken-board", leaderboard="score\nnan\n")
    factory.task("demo/unprepared").answers.unlink()
    factory.submission(good, name="runs/a.csv")
    factory.submission([1 - x for x in good], name="runs/sub folder/b.csv")
    factory.submission(text=bytes(range(256)), name="runs/binary.csv")
    factory.submission(text="id,y\nr0\n", name="runs/ragged.csv")
    return write_lines(
        factory.root / "runs" / "submission.jsonl",
        entry("a.csv"),
        "",
        "# a comment",
        "// another",
        "{not json",
        b'{"task_id": "\xff"}',
        "[1, 2]",
        "null",
        {"submission_path": "a.csv"},
        {"task_id": "toy-task"},
        {"task_id": 7, "submission_path": "a.csv"},
        entry("sub folder/b.csv", "demo/toy-task"),
        entry("binary.csv"),
        entry("ragged.csv"),
        entry("none.csv"),
        entry(None),
        entry("a.csv", "no-such-task"),
        entry("a.csv", "bug"),
        entry("a.csv", "broken-board"),
        entry("a.csv", "unprepared"),
        entry("a.csv\0"),
        "[" * 100_000,
        entry("a.csv"),
    )


def load(path):
    def refuse(literal):
        raise AssertionError(f"{literal} is no JSON")

    return json.loads(Path(path).read_text(), parse_constant=refuse)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_line_costs_only_itself(messy, factory, workers):
    report_path, individual = grade_jsonl(
        messy, factory.root / "deep" / "out", factory.registry(), workers=workers
    )
    report = load(report_path)
    assert [r["score"] for r in report["task_reports"]] == [1.0, 0.0, *[None] * 4, 1.0, 1.0]
    assert [r["reason"] for r in report["task_reports"]] == [
        *("ok", "ok", "unreadable", "unreadable", "missing_file", "missing_file"),
        *("broken_leaderboard", "ok"),
    ]
    assert {r["fault"] for r in report["task_reports"]} == {"none", "submission", "task"}
    errors = {e["line"]: (e["reason"], e["fault"]) for e in report["errors"]}
    assert errors == {
        **dict.fromkeys((5, 6, 7, 8, 9, 10, 21, 22), ("bad_run_row", "run_table")),
        11: ("unknown_task", "run_table"),
        17: ("unknown_task", "run_table"),
        18: ("grader_error", "grader"),
        20: ("not_prepared", "infrastructure"),
    }
    assert all(e["message"] for e in report["errors"])
    assert report["total_runs"] == 8
    assert report["total_valid_submissions"] == 4
    assert report["total_gold_medals"] == 2
    assert (report["total_lines"], report["total_errors"]) == (20, 12)
    assert (report["total_not_graded"], report["interrupted"]) == (0, False)
    assert len(list(individual.iterdir())) == 20
    assert TaskReport.from_dict(load(individual / "toy-task.json")).score == 1.0


TWICE = '"task_id": "toy-task"'
BAD_LINES = {
    '"attempt": NaN': "`attempt` nan is not a whole number",
    '"attempt": 0': "`attempt`",
    '"seed": 1.5': "`seed`",
    '"hint_tier": "high"': "`hint_tier`",
    '"task_id": ["toy-task"]': "`task_id` is ['toy-task'], not text",
    '"task_id": "  "': "`task_id` is empty",
    '"submission_path": ""': "`submission_path` is empty; write null",
    '"submission_path": ["b.csv"]': "`submission_path` is ['b.csv'], not text",
    '"submission_path": "b\\u0000.csv"': "holds a control character",
    TWICE: "names 'task_id' more than once",
}


@pytest.mark.parametrize("cell", BAD_LINES)
def test_a_line_is_read_as_the_workflow_reads_it(factory, good, cell):
    """In words of one place; a line of the list's author may name files outside of its folder."""
    factory.task()
    factory.submission(good, name="elsewhere/a.csv")
    given = {name for name in ("task_id", "submission_path") if cell.startswith(f'"{name}": ')}
    stated = {"task_id": "toy-task", "submission_path": "b.csv"}
    others = {name: stated[name] for name in stated if name not in given or cell == TWICE}
    line = json.dumps(others)[:-1] + f"{', ' if others else ''}{cell}}}"
    listed = write_lines(factory.root / "g" / "s.jsonl", line, entry("../elsewhere/a.csv"))
    report_path, _ = grade_jsonl(listed, factory.root / "out", factory.registry())
    report = load(report_path)
    assert [one["score"] for one in report["task_reports"]] == [1.0]
    (error,) = report["errors"]
    assert (error["line"], error["reason"]) == (1, "bad_run_row")
    assert BAD_LINES[cell] in error["message"]
    runs, (bad, outside) = read_runs([listed], lambda _: ("demo/toy-task", "predictions"))
    assert not runs
    assert BAD_LINES[cell] in bad.message
    assert "outside of the list's folder" in outside.message


ENCODED = {
    "utf-8": lambda text: text.encode(),
    "utf-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "utf-16, as PowerShell writes": lambda text: text.encode("utf-16"),
    "the line ends of old Macs": lambda text: text.replace("\n", "\r").encode(),
    "utf-16 in one line": lambda text: (
        text.split("\n")[0].encode("utf-16-le") + b"\n" + text.encode()
    ),
    "utf-32 in one line": lambda text: text.encode() + text.encode("utf-32"),
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_a_list_has_one_encoding_in_every_door(factory, good, encoding):
    factory.task()
    for name in ("ä", "b"):
        factory.submission(good, name=f"g/{name}.csv")
    text = "".join(f'{{"task_id": "toy-task", "submission_path": "{one}.csv"}}\n' for one in "äb")
    listed = factory.root / "g" / "s.jsonl"
    listed.write_bytes(ENCODED[encoding](text))
    try:
        runs, bad = read_runs([listed], lambda _: ("demo/toy-task", "predictions"))
    except RunTableError as error:
        with pytest.raises(RunTableError, match=re.escape(str(error))):
            grade_jsonl(listed, factory.root / "out", factory.registry())
        return
    report_path, _ = grade_jsonl(listed, factory.root / "out", factory.registry())
    report = load(report_path)
    assert [len(runs), len(bad)] == [len(report["task_reports"]), len(report["errors"])]
    assert len(runs) == 2


@pytest.mark.parametrize("key", ["seed", "attempt", "hint_tier"])
@pytest.mark.parametrize("number", [3, 3.0, "3", " 3 ", "3.0", None, ""])
def test_whole_numbers_have_any_form_of_a_run_table(factory, good, key, number):
    factory.task()
    factory.submission(good, name="g/a.csv")
    listed = write_lines(factory.root / "g" / "s.jsonl", {**entry("a.csv"), key: number})
    report_path, _ = grade_jsonl(listed, factory.root / "out", factory.registry())
    assert load(report_path)["errors"] == []
    (run,), bad = read_runs([listed], lambda _: ("demo/toy-task", "predictions"))
    assert not bad
    assert getattr(run, key) in ((3,) if number not in (None, "") else (None, 0, 1))


def without_times(path):
    report = load(path)
    for item in report["task_reports"]:
        del item["created_at"]
    return report


def test_workers_change_nothing(messy, factory):
    first, second = (
        grade_jsonl(messy, factory.root / f"out{w}", factory.registry(), workers=w, bootstrap=1000)
        for w in (1, 3)
    )
    assert without_times(first[0]) == without_times(second[0])
    assert sorted(os.listdir(first[1])) == sorted(os.listdir(second[1]))


def test_two_seeds_of_one_task_keep_both_reports(factory, good):
    factory.task()
    factory.task("demo/toy_task")  # would have the same file name once made harmless
    for name in ("a", "b"):
        factory.submission(good if name == "a" else [1 - x for x in good], name=f"{name}.csv")
    lines = write_lines(
        factory.root / "s.jsonl",
        *(entry("a.csv", "demo/toy-task"), entry("b.csv", "demo/toy-task")),
        entry("a.csv", "demo/toy_task"),
    )
    report_path, individual = grade_jsonl(lines, factory.root / "out", factory.registry())
    names = sorted(path.name for path in individual.iterdir())
    assert names == ["demo_toy-task.json", "demo_toy-task__2.json", "demo_toy_task.json"]
    assert load(individual / "demo_toy-task__2.json")["score"] == 0.0
    assert load(report_path)["total_runs"] == 3


def test_a_task_called_as_another_ones_second_report_takes_its_place_from_nobody(factory, good):
    factory.task()
    for name in ("a", "b"):
        factory.submission(good if name == "a" else [1 - x for x in good], name=f"{name}.csv")
    lines = write_lines(
        factory.root / "s.jsonl",
        *(entry("a.csv"), entry("b.csv"), entry("a.csv", "toy-task__2"), entry("a.csv")),
    )
    _, individual = grade_jsonl(lines, factory.root / "out", factory.registry())
    reports = [load(individual / f"toy-task{end}.json") for end in ("", "__2", "__3")]
    assert [report.get("score") for report in reports] == [1.0, 0.0, 1.0]
    assert load(individual / "toy-task__2__2.json")["reason"] == "unknown_task"


def test_two_gradings_in_one_second_keep_both(factory, good):
    factory.task()
    factory.submission(good, name="a.csv")
    lines = write_lines(factory.root / "s.jsonl", entry("a.csv"))
    started = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)
    found = [
        batch.grade_batch(lines, factory.root / "out", factory.registry(), started=started)
        for _ in range(3)
    ]
    assert [path.name for path, _ in found] == [
        "2025-03-04T05-06-07-UTC_grading_report.json",
        "2025-03-04T05-06-07-UTC_2_grading_report.json",
        "2025-03-04T05-06-07-UTC_3_grading_report.json",
    ]
    assert len({folder for _, folder in found}) == 3


def test_paths_are_relative_to_the_file_and_links_are_not_followed(factory, good, monkeypatch):
    task = factory.task()
    factory.submission(good, name="runs/a.csv")
    (factory.root / "runs" / "stolen.csv").symlink_to(task.answers)
    (factory.root / "runs" / "folder").symlink_to(task.answers.parent)
    lines = write_lines(
        factory.root / "runs" / "s.jsonl",
        *(entry("a.csv"), entry("stolen.csv"), entry("folder/answers.csv")),
        entry(str(factory.root / "runs" / "a.csv")),
    )
    monkeypatch.chdir(factory.tasks)
    report_path, _ = grade_jsonl(lines, factory.root / "out", factory.registry())
    found = [(r["score"], r["reason"]) for r in load(report_path)["task_reports"]]
    assert found == [(1.0, "ok"), (None, "unsafe_path"), (None, "unsafe_path"), (1.0, "ok")]


def test_output_is_tried_before_anything_is_graded(factory, good, monkeypatch):
    factory.task()
    lines = write_lines(factory.root / "s.jsonl", entry("a.csv"))
    (factory.root / "file").write_text("in the way")
    graded = []
    monkeypatch.setattr(jsonl, "grade_line", lambda *a: graded.append(a))
    with pytest.raises(OSError, match="file"):
        grade_jsonl(lines, factory.root / "file" / "out", factory.registry())
    assert graded == []


def test_no_file_and_no_workers(factory):
    with pytest.raises(FileNotFoundError):
        grade_jsonl(factory.root / "none.jsonl", factory.root / "out", factory.registry())
    lines = write_lines(factory.root / "s.jsonl", entry("a.csv"))
    for workers in (0, "2", 1.5, None):
        with pytest.raises(ValueError, match=f"workers: {workers!r} is no whole number from 1"):
            grade_jsonl(lines, factory.root / "out", factory.registry(), workers=workers)


def test_an_empty_file_gives_an_empty_report(factory):
    factory.tasks.mkdir()
    lines = write_lines(factory.root / "s.jsonl", "")
    report_path, individual = grade_jsonl(lines, factory.root / "out", factory.registry())
    assert load(report_path)["total_runs"] == 0
    assert list(individual.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_graded_survives_an_interruption(factory, good, monkeypatch, workers):
    factory.task()
    factory.submission(good, name="a.csv")
    lines = write_lines(factory.root / "s.jsonl", *[entry("a.csv")] * 40)
    seen = []

    def interrupt(step):
        seen.append(step)
        if len(seen) == 5:
            raise KeyboardInterrupt

    from contextlib import contextmanager
    from types import SimpleNamespace

    @contextmanager
    def progress(words, total, shown):
        yield SimpleNamespace(advance=interrupt)

    monkeypatch.setattr(batch, "bar", progress)
    out = factory.root / "out"
    with pytest.raises(KeyboardInterrupt):
        grade_jsonl(lines, out, factory.registry(), workers=workers)
    (report_path,) = out.glob("*_grading_report.json")
    report = load(report_path)
    assert report["interrupted"]
    assert report["total_runs"] >= 5
    assert report["total_runs"] + report["total_not_graded"] == 40
    assert len(list(out.glob("*_individual_reports/*.json"))) >= report["total_runs"]


def test_individual_reports_survive_a_kill(factory, good):
    """Not even the chance to clean up: each report was written as its line was graded."""
    slow = (
        "import itertools, time\ncalls = itertools.count()\n"
        "def grade(submission, answers):\n"
        "    time.sleep(0.02 if next(calls) < 10 else 1)\n    return 1.0\n"
    )
    factory.task(
        config={"grader": {"name": "x", "grade_fn": "grade:grade", "direction": "maximize"}},
        files={"grade.py": slow},
    )
    factory.submission(good, name="a.csv")
    lines = write_lines(factory.root / "s.jsonl", *[entry("a.csv")] * 400)
    code = (
        "import sys\nfrom biomlbench.grade import grade_jsonl\n"
        "from biomlbench.registry import Registry\n"
        "grade_jsonl(sys.argv[1], sys.argv[2], Registry([sys.argv[3]], sys.argv[4]))\n"
    )
    out = factory.root / "out"
    process = subprocess.Popen(
        [sys.executable, "-c", code, lines, out, factory.tasks, factory.data], cwd=REPOSITORY
    )
    wait_until(lambda: len(list(out.glob("*/*.json"))) >= 5, by=process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    reports = [load(path) for path in out.glob("*_individual_reports/toy-task*.json")]
    assert 5 <= len(reports) < 400
    assert all(TaskReport.from_dict(report).score == 1.0 for report in reports)


def test_a_grader_that_kills_its_process_costs_only_its_lines(factory, good):
    factory.task()
    factory.task(
        "demo/killer",
        config={"grader": {"name": "x", "grade_fn": "grade:grade", "direction": "maximize"}},
        files={"grade.py": "import os\ndef grade(submission, answers):\n    os._exit(9)\n"},
    )
    factory.submission(good, name="a.csv")
    lines = write_lines(
        factory.root / "s.jsonl",
        *[entry("a.csv")] * 3,
        entry("a.csv", "killer"),
        *[entry("a.csv")] * 3,
    )
    report_path, _ = grade_jsonl(lines, factory.root / "out", factory.registry(), workers=2)
    report = load(report_path)
    assert [r["score"] for r in report["task_reports"]] == [1.0] * 6
    assert [(e["line"], e["reason"]) for e in report["errors"]] == [(4, "grader_error")]


def test_progress_bar(factory, good, capsys):
    factory.task()
    factory.submission(good, name="a.csv")
    lines = write_lines(factory.root / "s.jsonl", *[entry("a.csv")] * 3)
    grade_jsonl(lines, factory.root / "out", factory.registry(), progress=True)
    assert "3 of 3" in capsys.readouterr().err
    grade_jsonl(lines, factory.root / "out", factory.registry(), progress=False)
    assert capsys.readouterr().err == ""
