"""Doors, waivers, files and command of the audit."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pandas as pd
import pytest
from click.testing import CliRunner

from biomlbench.audit import SEVERITIES, audit_task, card_findings, other_tables
from biomlbench.audit.badge import badge, verdict
from biomlbench.audit.detectors import all_detectors, other_pandas, remedies, rows
from biomlbench.audit.detectors.grader_resources import grows
from biomlbench.audit.doors import Doors, Outcome
from biomlbench.audit.subject import Subject
from biomlbench.audit.upstream import reports
from biomlbench.audit.write import write_audit, write_page
from biomlbench.cli.audit import command
from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.submission.answers import answers_of
from tests.audit.zoo import FLAWED, RMSE, SOUND, base
from tests.bars import recorded


@pytest.fixture(scope="module")
def positional(tmp_path_factory):
    """Return a task whose grader ignores ids, its root, and its audit."""
    root = tmp_path_factory.mktemp("positional")
    task = FLAWED["ids_are_not_read"][1]().write(root, "positional")
    return root, task, audit_task(task)


def test_detectors_keep_their_contract():
    modules = (*all_detectors().values(), card_findings)
    names = [name for module in modules for name in module.FINDINGS]
    assert len(names) == len(set(names)) == len(remedies())
    for module in all_detectors().values():
        assert module.__doc__
        assert isinstance(module.ORDER, int)
        assert isinstance(module.SCORES, bool)
    planted = {expected for expected, _ in FLAWED.values()}
    assert planted <= set(names)


def test_a_hole_that_grading_here_closes_is_told_apart(positional):
    _, task, audit = positional
    found = next(one for one in audit.findings if one.name == "positional")
    assert (found.severity, found.open) == ("severe", False)
    assert found.after == 0
    assert audit.clean
    assert audit.worst == ""
    # The finding's submission shows it again.
    ids = pd.read_csv(task.answers)["id"].tolist()
    shown = pd.read_csv(io.BytesIO(found.submission))
    assert shown["id"].tolist() != ids
    assert task.grader.run(shown, pd.read_csv(task.answers)) == 0


def test_an_audit_moves_its_bar_to_the_end(positional, monkeypatch):
    _, task, _ = positional
    came_to_its_end = recorded(monkeypatch)
    audit_task(task)
    assert came_to_its_end(f"auditing {task.id}")


def test_a_leak_of_some_answers_is_shown_with_those_alone(tmp_path):
    task = base()
    known = task.answers["y"].where(task.answers.index % 3 == 0)
    task.public["test"] = task.public["test"].assign(extra=known)
    audit = audit_task(task.write(tmp_path, "partly"))
    found = next(one for one in audit.findings if one.name == "answers-by-key")
    shown = pd.read_csv(io.BytesIO(found.submission))
    assert (shown["y"] == task.answers["y"]).sum() == known.notna().sum()
    assert found.after > 0


@pytest.mark.slow
def test_a_published_grader_is_tried_in_its_process(tmp_path):
    task = FLAWED["ids_are_not_read"][1]().write(tmp_path, package="toybench")
    assert task.grader.spec is not None
    audit = audit_task(task)
    assert audit.grader == "published"
    found = next(one for one in audit.findings if one.name == "positional")
    assert (found.after, found.open) == (0, False)


@pytest.mark.slow
def test_columns_by_place_are_put_in_order_for_a_published_grader(tmp_path):
    make = FLAWED["columns_of_classes_are_not_looked_up"][1]
    audit = audit_task(make().write(tmp_path, package="toybench"))
    (found,) = [one for one in audit.findings if one.name == "columns-by-place"]
    assert not found.open
    assert float(found.here) == pytest.approx(audit.perfect)


def test_files_of_an_audit(positional, tmp_path):
    _, task, audit = positional
    folder = tmp_path / task.id
    (folder / "submissions").mkdir(parents=True)
    (folder / "submissions" / "old.csv").write_text("")
    data = json.loads(write_audit(audit, folder).read_text())
    assert [one["name"] for one in data["findings"]] == [one.name for one in audit.findings]
    kept = {path.name for path in (folder / "submissions").iterdir()}
    assert kept == {f"{one.name}.csv" for one in audit.findings if one.submission}
    with (folder / "findings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    order = [SEVERITIES.index(row["severity"]) for row in rows]
    assert order == sorted(order)
    data["findings"][0]["what"] = "<b>"
    write_page([data], tmp_path / "audit.html")
    page = (tmp_path / "audit.html").read_text()
    assert "&lt;b&gt;" in page
    assert f'href="{task.id}/submissions/positional.csv"' in page


def test_texts_that_are_ready_to_be_filed(positional, tmp_path):
    _, task, audit = positional
    folder = write_audit(audit, tmp_path / task.id).parent
    texts = {path.stem: path.read_text() for path in (folder / "upstream").iterdir()}
    faults = {one.name for one in audit.findings if one.severity != "note"}
    assert set(texts) == faults
    text = texts["positional"]
    (found,) = [one for one in audit.findings if one.name == "positional"]
    assert text.startswith(f"# {task.id}: positional\n")
    assert found.remedy[1:] in text
    # What it says to run does run, and gives what it says.
    shutil.copy(folder / "submissions" / "positional.csv", task.folder)
    shutil.copy(task.answers, task.folder)
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=task.folder, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) == pytest.approx(found.after)
    assert f"shows it scores {found.after:.6g}," in text


def test_a_waived_finding_is_not_filed(positional):
    _, _, audit = positional
    waived = tuple(replace(one, waived="known") for one in audit.findings)
    assert reports(replace(audit, findings=waived)) == {}


@pytest.mark.parametrize(
    ("severities", "skipped", "said"),
    [
        ((), (), "clean"),
        (("note", "closed"), (), "clean"),
        (("waived",), (), "clean, 1 waived"),
        (("severe", "severe", "minor"), ("x",), "2 severe"),
        (("minor",), (), "1 minor"),
        ((), ("x",), "not in full"),
    ],
)
def test_badges(severities, skipped, said, positional):
    _, _, audit = positional
    one = audit.findings[0]
    states = {"closed": {"open": False}, "waived": {"open": True, "waived": "known"}}
    findings = tuple(
        replace(one, **states.get(word, {"open": True, "severity": word})) for word in severities
    )
    audit = replace(audit, findings=findings, skipped=skipped)
    assert verdict(audit)[0] == said
    root = ElementTree.fromstring(badge(audit))
    assert root.get("aria-label") == f"audit: {said}"
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["audit", said]


def test_costs_that_grow():
    assert not grows([0.1, 0.4])
    assert not grows([1e-4, 4e-4, 16e-4])
    assert not grows([0.1, 0.3, 0.6])
    assert grows([1e-4, 0.1, 0.3, 0.9])


def test_waivers(tmp_path):
    task = FLAWED["labels_beside_the_test_rows"][1]().write(tmp_path)
    open_ones = [one.name for one in audit_task(task).findings if one.counts]
    assert open_ones[0] == "answers-by-key"
    entries = [*open_ones, "not-deterministic", "nonsense"]
    text = "waived:\n" + "".join(f"  - {{finding: {e}, reason: known}}\n" for e in entries)
    (task.folder / "audit.yaml").write_text(text)
    audit = audit_task(task)
    assert audit.clean
    assert audit.findings[0].waived == "known"
    assert [note.split()[2] for note in audit.waiver_notes] == [
        "not-deterministic,", "nonsense,"]  # fmt: skip
    for wrong in ("waived: 3", "other: []", "waived: [{finding: x}]", "waived: [a", "[]",
                  "waived: [{finding: x, reason: ''}]"):  # fmt: skip
        (task.folder / "audit.yaml").write_text(wrong)
        with pytest.raises(TaskError, match=r"audit\.yaml"):
            audit_task(task)


def test_a_task_without_data_says_how_to_prepare_it(tmp_path):
    task = SOUND["regression"]().write(tmp_path)
    task.sample_submission.unlink()
    with pytest.raises(NotPreparedError, match="biomlbench prepare"):
        audit_task(task)


def test_command(tmp_path):
    FLAWED["labels_beside_the_test_rows"][1]().write(tmp_path, "leaky")
    base(seed=3).write(tmp_path, "sound")
    options = ["--tasks-dir", str(tmp_path / "tasks"), "--data-dir", str(tmp_path / "data"),
               "--out", str(tmp_path / "out")]  # fmt: skip
    one = CliRunner().invoke(command, ["zoo/leaky", "sound", *options, "--json"])
    assert one.exit_code == 1, one.output
    audits = {audit["task"]: audit for audit in json.loads(one.output)["audits"]}
    assert audits["zoo/leaky"]["worst"] == "severe"
    assert audits["zoo/sound"]["clean"]
    assert (tmp_path / "out" / "zoo" / "leaky" / "submissions" / "answers-by-key.csv").is_file()
    assert "zoo/sound" in (tmp_path / "out" / "audit.html").read_text()
    two = CliRunner().invoke(command, ["sound", *options])
    assert (two.exit_code, "clean" in two.output) == (0, True)


def test_answers_with_a_missing_label_are_told_whole_and_the_task_is_named_once(tmp_path):
    task = SOUND["regression"]().write(tmp_path, "gap")
    lines = task.answers.read_text().splitlines()
    task.answers.write_text("\n".join([lines[0], lines[1].rsplit(",", 1)[0] + ",", *lines[2:]]))
    options = ["--tasks-dir", str(tmp_path / "tasks"), "--data-dir", str(tmp_path / "data"),
               "--out", str(tmp_path / "out")]  # fmt: skip
    said = CliRunner().invoke(command, ["gap", *options]).output
    assert said.count("zoo/gap: ") == 1
    assert "or leave the row out of the answers and of the sample submission)" in said


def test_long_words_of_an_outcome_end_between_words():
    words = Outcome("crash", None, "give or leave " * 30).words
    assert words.endswith((" give ...", " or ...", " leave ..."))
    assert Outcome("invalid", None, "short").words == "invalid: short"


class OtherDoors(Doors):
    """Score as an environment would whose pandas has another version."""

    def __init__(self, task, python):
        super().__init__(task)

    def _graded(self, data):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pd, "__version__", "0.1")
            return super()._graded(data)


BY_VERSION = RMSE.replace("return float(", "return float((pd.__version__ == '0.1') + ")


@pytest.mark.parametrize(
    ("code", "installed", "found", "not_tried"),
    [
        (BY_VERSION, "0.1", {"another-pandas"}, ""),
        (RMSE, "0.1", set(), ""),
        (BY_VERSION, pd.__version__, set(), "another pandas: env has "),
        (BY_VERSION, "", set(), "another pandas: env has none"),
        (BY_VERSION, None, set(), "another pandas: no environment with one was named"),
    ],
)
def test_another_pandas(code, installed, found, not_tried, tmp_path, monkeypatch):
    monkeypatch.setattr(other_pandas, "Doors", OtherDoors)
    folder = tmp_path / "env"
    packages = folder / "lib" / "python3.0" / "site-packages"
    packages.mkdir(parents=True)
    if installed:
        (packages / f"pandas-{installed}.dist-info").mkdir()
    task = base().by(code).write(tmp_path)
    audit = audit_task(task, pandas_env=None if installed is None else folder)
    assert {one.name for one in audit.findings} == found
    assert audit.clean is not bool(found)
    told = [text for text in audit.not_tried if text.startswith("another pandas")]
    assert " ".join(told).startswith(not_tried)
    assert bool(told) is bool(not_tried)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("run.log", "{id},{y}"),
        ("notes.txt", "{id}: {y}"),
        ("notes.md", "- '{id}' = {y}"),
        ("seen", "2024-05-01 INFO row={id} truth={y}"),
        ("settings.yaml", "{id}: {{value: {y}}}"),
    ],
)
def test_answers_in_the_lines_of_any_text_are_found(tmp_path, name, line):
    task = base().write(tmp_path, "told")
    rows = pd.read_csv(task.answers).itertuples(index=False)
    text = "\n".join(line.format(id=row.id, y=row.y) for row in rows)
    (task.public_dir / name).write_text(f"What was seen, of all rows:\n\n{text}\n")
    found = [one for one in audit_task(task).findings if one.name.startswith("answers-by")]
    assert any(one.severity == "severe" and name in str(one) for one in found)


def test_public_files_that_cannot_be_read_are_named(tmp_path):
    task = base().write(tmp_path, "packed")
    (task.public_dir / "raw.zip").write_bytes(b"PK\x03\x04\0\0")
    for number in range(3):
        (task.public_dir / f"{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    told = audit_task(task).not_tried
    assert "public files that are no tables, nor a little text: 3 .png, raw.zip" in told


def test_what_is_not_searched_of_other_tasks_is_told(tmp_path, monkeypatch):
    task = base()
    assert audit_task(task.write(tmp_path, "lonely")).not_tried == (
        "other tasks: none is prepared in the same data folder",
    )
    task.others = {"train": task.answers}
    audit = audit_task(task.write(tmp_path, "second"))
    assert audit.not_tried == ()
    assert "answers-in-other-tasks" in {one.name for one in audit.findings}
    monkeypatch.setattr(other_tables, "MAX_BYTES", 10)
    audit = audit_task(task.write(tmp_path, "third"))
    assert len(audit.not_tried) == 2
    assert "too large or too many" in audit.not_tried[0]


GROUPS = """
    class InvalidSubmissionError(Exception):
        pass

    def grade(submission, answers):
        m = answers.merge(submission, on="id", suffixes=("_t", ""))
        sizes = answers["plate"].value_counts()
        scores = []
        for plate, rows in m.groupby("plate"):
            if len(rows) != sizes[plate]:
                raise InvalidSubmissionError("rows are missing")
            scores.append(np.abs(rows.y - rows.y_t).mean())
        return float(np.mean(scores))
"""
CODES = {
    "numbers, one missing": [None] + [1, 2, 3, 4] * 20,
    "text, one missing": [None] + ["a", "b", "c", "d"] * 20,
    "zeros before": ["007"] + ["01", "1", "02", "2"] * 20,
    "NA among numbers": ["1"] + ["NA", "1", "2", "3"] * 20,
}


@pytest.mark.parametrize("codes", CODES.values(), ids=CODES)
def test_groups_are_those_that_a_grading_function_gets(codes, tmp_path):
    task = base("regression", n=len(codes))
    task.answers["plate"] = pd.Series(codes, dtype="Int64" if 4 in codes else object)
    written = task.by(GROUPS, raw=True).write(tmp_path)
    subject = Subject(written)
    graded = answers_of(written).frame["plate"].reset_index(drop=True)
    order = subject.answers["id"].tolist()
    graded.index = [str(one) for one in answers_of(written).frame["id"]]
    for one, other in zip(graded[order], subject.answers["plate"], strict=True):
        assert (pd.isna(one) and (other == "" or pd.isna(other))) or one == other
    audit = audit_task(written)
    assert not audit.skipped
    dropped = "group-dropped" in {finding.name for finding in audit.findings}
    assert dropped == (graded.value_counts().min() > 1)


def test_a_fault_of_a_part_leaves_the_others_and_names_the_column(tmp_path, monkeypatch):
    task = base("regression", n=80)
    task.answers.insert(0, "odd", ["x", "y"] * 40)
    task.answers["plate"] = ["A", "B", "C", "D"] * 20
    written = task.by(GROUPS, raw=True).write(tmp_path)
    real = pd.factorize

    def factorize(values, *args, **options):
        if getattr(values, "name", "") == "odd":
            raise ValueError("no such codes")
        return real(values, *args, **options)

    monkeypatch.setattr(rows.pd, "factorize", factorize)
    audit = audit_task(written)
    (told,) = audit.skipped
    assert (
        told == "rows: the detector raised ValueError at column 'odd' of the answers: no such codes"
    )
    assert {"group-dropped", "rows-unchecked"} <= {finding.name for finding in audit.findings}


@pytest.mark.parametrize(
    ("kind", "board", "width"),
    [
        # normal errors of that size, in units of the answers: 2 z RMSE / sqrt(2 n)
        ("regression", [0.64, 0.65, 0.66, 0.9, 1.0], 2 * 1.96 * 0.65 / 800**0.5),
        # a share of the rows that is right: 2 z sqrt(p (1 - p) / n)
        ("classes", [0.81, 0.8, 0.79, 0.6, 0.5], 2 * 1.96 * (0.8 * 0.2 / 400) ** 0.5),
    ],
)
def test_the_interval_of_a_score_between_the_bands_is_that_of_such_work(
    tmp_path, kind, board, width
):
    task = base(kind, n=400)
    task.board = board
    made = task.write(tmp_path, "narrow")
    (found,) = (one for one in audit_task(made).findings if one.name == "bands-within-noise")
    told = float(re.search(r"between them is (\S+) wide", found.what)[1])
    assert told == pytest.approx(width, rel=0.2)


def test_bands_wider_than_the_interval_of_numbers_a_little_wrong_are_no_finding(tmp_path):
    task = base(n=100)
    task.board = [0.5, 0.65, 0.8, 0.9, 1.0]
    audit = audit_task(task.write(tmp_path, "wide"))
    assert "bands-within-noise" not in {one.name for one in audit.findings}
