"""Preparing a task: all or nothing, idempotent, checked, safe under concurrency."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import textwrap
from dataclasses import replace

import pytest
import wheels
import yaml

from biomlbench.errors import TaskError
from biomlbench.registry import Registry
from biomlbench.scoring.gold import look_at_own
from biomlbench.scoring.score import score_submission
from biomlbench.stages.preparing import prepare_data
from biomlbench.task.input_files import input_files
from biomlbench.task.prepare import file_hashes, has_other_raw_files, prepare_task
from biomlbench.task.sources.archives import DataSourceError
from tests.waiting import HANG_S

PREPARER = """
from pathlib import Path

def prepare(raw, public, private):
    table = (raw / "table.csv").read_text() if (raw / "table.csv").exists() else ""
    (public / "train.csv").write_text("id,y\\n0,1\\n" + table)
    (public / "test.csv").write_text("id\\n1\\n2\\n")
    (public / "sample_submission.csv").write_text("id,y\\n1,0\\n2,0\\n")
    (private / "answers.csv").write_text("id,y\\n1,5.5\\n2,7.25\\n")
    {extra}
"""
CONFIG = """
name: Toy
preparer: prepare:prepare
grader: {metric: rmse, name: rmse}
submission: {id: id, target: y}
"""


ANSWERS = "(private / 'answers.csv').write_text"
SAMPLE = "(public / 'sample_submission.csv').write_text"


class Toy:
    """A task folder whose parts a test may change."""

    def __init__(self, root):
        self.root = root
        self.folder = root / "tasks" / "other" / "toy"
        self.folder.mkdir(parents=True)
        self.write(CONFIG)

    def write(self, config=None, extra="pass", **files):
        if config is not None:
            (self.folder / "config.yaml").write_text(config)
        (self.folder / "prepare.py").write_text(PREPARER.format(extra=extra))
        for name, text in files.items():
            (self.folder / name.replace("__", ".")).write_text(textwrap.dedent(text))

    @property
    def task(self):
        registry = Registry(tasks_dirs=[self.root / "tasks"], data_dir=self.root / "data")
        return registry.get_task("other/toy")

    @property
    def home(self):
        return self.root / "data" / "other" / "toy"


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def test_a_description_under_another_name_is_published_and_prepares_anew(toy):
    toy.write(f"{CONFIG}description: statement.md\n", statement__md="# First\n")
    prepare_task(toy.task)
    shown = toy.task.public_dir / "description.md"
    assert shown.read_text() == toy.task.description == "# First\n"
    toy.write(statement__md="# Second\n")
    assert prepare_task(toy.task).fresh
    assert shown.read_text() == "# Second\n"


@pytest.mark.parametrize("name", ["description.md", "leaderboard.csv", "human_baselines.csv"])
def test_a_file_that_is_a_link_out_of_the_folder_of_the_tasks_is_refused(toy, name):
    (toy.root / "secret.txt").write_text("score\n0.5\n")
    file, domain = toy.folder / name, toy.folder.parent
    file.symlink_to(toy.root / "secret.txt")
    toy.write()
    with pytest.raises(TaskError, match=f"{name}: is a link that leads out of {domain.parent}"):
        _ = toy.task.description, toy.task.leaderboard, toy.task.human_baselines
    if name == "description.md":
        with pytest.raises(TaskError, match="is a link that leads out of"):
            prepare_task(toy.task)
    # what tasks share may lie beside them
    file.unlink()
    (domain / "shared.txt").write_text("score\n0.5\n")
    file.symlink_to("../shared.txt")
    assert prepare_task(toy.task).fresh
    _ = toy.task.description, toy.task.leaderboard, toy.task.human_baselines


def test_a_task_that_is_itself_a_link_has_its_own_files(toy):
    real = toy.root / "elsewhere"
    toy.write(description__md="# Toy\n")
    toy.folder.rename(real)
    toy.folder.symlink_to(real)
    assert toy.task.description == "# Toy\n"


def test_layout_gold_and_description(toy):
    toy.write(description__md="# Toy\n")
    made = prepare_task(toy.task)
    assert made.fresh
    assert sorted(made.files) == [
        "private/answers.csv",
        "private/gold_submission.csv",
        "public/description.md",
        "public/sample_submission.csv",
        "public/test.csv",
        "public/train.csv",
    ]
    assert (made.folder / "private/gold_submission.csv").read_text() == "id,y\n1,5.5\n2,7.25\n"
    assert toy.task.answers == made.folder / "private/answers.csv"


def test_a_description_that_is_not_there_is_told_by_its_name(toy):
    toy.write(CONFIG + "description: descr.md\n")
    with pytest.raises(TaskError, match=r"config\.yaml.*`description` names 'descr\.md'"):
        prepare_task(toy.task)


def test_a_sample_submission_that_is_refused_is_told(toy):
    toy.write(extra="(public / 'sample_submission.csv').write_text('id,y\\n1,\\n2,\\n')")
    prepare_task(toy.task)
    assert "the sample submission is refused" in look_at_own(toy.task).sample


def test_bounds_that_the_gold_submission_breaks_are_the_tasks_fault(toy, tmp_path):
    toy.write(CONFIG.replace("target: y}", "target: y, columns: {y: {type: number, maximum: 6}}}"))
    prepare_task(toy.task)
    (tmp_path / "s.csv").write_text("id,y\n1,5\n2,7\n")
    result = score_submission(tmp_path / "s.csv", toy.task)
    assert result.fault == "task"
    assert "correct what config.yaml declares" in result.message


def test_the_gold_submission_is_written_where_it_is_declared(toy):
    declared = "\ndataset: {{gold_submission: prepared/private/best.{}}}\n"
    toy.write(CONFIG + declared.format("csv"))
    made = prepare_task(toy.task)
    assert toy.task.gold_submission == made.folder / "private/best.csv"
    assert toy.task.gold_submission.read_text() == "id,y\n1,5.5\n2,7.25\n"
    toy.write(CONFIG + declared.format("parquet"))
    with pytest.raises(TaskError, match=r"did not write private/best\.parquet; .* \.csv file"):
        prepare_task(toy.task, force=True)


def test_the_gold_submission_has_the_ids_as_they_are_written(toy):
    text = 'id,y\n001,1.50\nNA,2\n1e5,3\n1.10,4\n"a,b",5\n'
    toy.write(extra=f'(private / "answers.csv").write_text({text!r})')
    made = prepare_task(toy.task)
    written = (made.folder / "private/gold_submission.csv").read_text()
    assert written == (made.folder / "private/answers.csv").read_text()


OF_CLASSES = """
name: Toy
preparer: prepare:prepare
grader: {metric: roc_auc, options: {pos_label: "yes"}}
submission: {id: id, target: lab, prediction: s, columns: {s: {type: number}}}
"""


def test_the_gold_submission_has_numbers_where_predictions_are_numbers(toy, caplog):
    """Not the labels, which a submission may not have there."""
    answers, sample = "id,lab\n1,no\n2,yes\n", "id,s\n1,0.5\n2,0.5\n"
    extra = f"{ANSWERS}({answers!r}); {SAMPLE}({sample!r})"
    toy.write(OF_CLASSES, extra)
    made = prepare_task(toy.task)
    gold = made.folder / "private/gold_submission.csv"
    assert gold.read_text() == "id,s\n1,0.0\n2,1.0\n"
    assert look_at_own(toy.task).gold == ""
    toy.write(OF_CLASSES.replace('options: {pos_label: "yes"}', "grade_fn: x:y"), extra)
    prepare_task(toy.task, force=True)
    assert not gold.exists()
    assert "'s' is a number and 'lab' is text; let the preparer write" in caplog.text
    toy.write(OF_CLASSES, f"{extra}; (private / 'gold_submission.csv').write_text({answers!r})")
    gold.write_text(answers.replace("lab", "s"))
    assert "the gold submission is refused: column" in look_at_own(toy.task).gold


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("raise SystemExit(0)", "the preparer failed: SystemExit: 0"),
        ("import sys; sys.exit('no')", "the preparer failed: SystemExit: no"),
        (f"{ANSWERS}('id,z\\n1,2\\n')", "no column 'y', .* it wrote 'id', 'z'"),
        (f"{ANSWERS}('id;y\\n1;2\\n')", "no column 'id', 'y', .* it wrote 'id;y'"),
        (f"{ANSWERS}('')", "wrote private/answers.csv, which cannot be read as a table"),
        (f"{ANSWERS}('id,y\\n1,2\\n3,4,5\\n')", "private/answers.csv, which cannot be read as a"),
        ("(public / 'a\\udcff.txt').write_text('')", r"the file 'public/a\\udcff.txt' is no UTF-8"),
        ("pass\nthis is no Python", "cannot be imported: SyntaxError"),
        ("pass\nraise SystemExit(3)", "cannot be imported: SystemExit: 3"),
    ],
)
def test_a_preparer_that_does_not_do_what_the_config_says_is_the_tasks_fault(toy, extra, said):
    toy.write(extra=extra)
    with pytest.raises(TaskError, match=said) as caught:
        prepare_data(toy.task)
    assert caught.value.fault == "task"


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (f"{SAMPLE}(',id,y\\n0,1,0\\n')", "the config declares"),
        (f"{ANSWERS}('id,y\\n1,1\\n1,2\\n')", "1 row(s) repeat an id, first in data row 2"),
        (f"{ANSWERS}('id,y\\nzz,1\\n')", "its ids are not those of"),
    ],
)
def test_data_that_no_submission_can_be_held_against_are_the_tasks_fault(toy, extra, said):
    toy.write(extra=extra)
    found = prepare_data(toy.task)
    assert said in str(found.fault)
    assert found.fault.fault == "task"


def test_second_call_does_nothing(toy):
    first = prepare_task(toy.task)
    before = (first.folder / "public/train.csv").stat().st_mtime_ns
    second = prepare_task(toy.task)
    assert not second.fresh
    assert (second.sha256, second.files) == (first.sha256, first.files)
    assert (second.folder / "public/train.csv").stat().st_mtime_ns == before


@pytest.mark.parametrize("change", ["preparer", "description", "force", "gone"])
def test_what_makes_it_anew(toy, change):
    made = prepare_task(toy.task)
    if change == "preparer":
        toy.write(extra='(public / "more.csv").write_text("x")')
    elif change == "description":
        toy.write(description__md="# New\n")
    elif change == "gone":
        (made.folder / "public/test.csv").unlink()
    again = prepare_task(toy.task, force=change == "force")
    assert again.fresh
    assert again.files == file_hashes(made.folder)
    assert (made.folder / "private/answers.csv").read_text() == "id,y\n1,5.5\n2,7.25\n"


RAW = f"{CONFIG}source: [{{manual: table.csv, instructions: Ask.}}]\n"
READS = "(public / 'train.csv').write_text((Path(__file__).parent / 'data/more.csv').read_text())"


def test_data_beside_the_preparer_make_it_anew(toy):
    (toy.folder / "data").mkdir()
    more = toy.folder / "data" / "more.csv"
    more.write_text("id,y\n0,1\n")
    toy.write(extra=READS)
    made = prepare_task(toy.task)
    more.write_text("id,y\n0,2\n")
    assert prepare_task(toy.task).fresh
    assert (made.folder / "public/train.csv").read_text() == "id,y\n0,2\n"
    assert not prepare_task(toy.task).fresh


def test_raw_files_that_were_changed_make_it_anew(toy):
    toy.write(RAW)
    raw = toy.home / "raw" / "table.csv"
    raw.parent.mkdir(parents=True)
    raw.write_text("3,1\n")
    made = prepare_task(toy.task)
    os.utime(raw)
    assert not prepare_task(toy.task).fresh
    raw.write_text("3,2\n")
    assert has_other_raw_files(toy.task)
    assert prepare_task(toy.task).fresh
    assert not has_other_raw_files(toy.task)
    assert (made.folder / "public/train.csv").read_text().endswith("3,2\n")
    assert not prepare_task(toy.task).fresh
    (raw.parent / "more.csv").write_text("new")
    assert prepare_task(toy.task).fresh
    shutil.rmtree(raw.parent)
    assert not prepare_task(toy.task).fresh


def test_input_files_are_all_that_are_not_known_to_be_something_else(toy):
    toy.write(
        f"{CONFIG}description: statement.md\nleaderboard: boards/b.csv\n",
        **{f"{name}__md": "-" for name in ("statement", "README", "notes")},
        weights__json="{}",
        baseline__py="",
        checksums__yaml="{}",
    )
    for name in ("boards/b.csv", "boards/c.csv", "solutions/right/a.py", ".hidden/a", "lib/a.py"):
        path = toy.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-")
    (toy.folder / "linked.csv").symlink_to(toy.folder / "boards/b.csv")

    def names():
        return [path.relative_to(toy.folder).as_posix() for path in input_files(toy.task)]

    assert names() == [
        *("boards/c.csv", "lib/a.py", "linked.csv", "notes.md", "prepare.py", "weights.json"),
    ]
    prepared = replace(toy.task, data_dir=toy.folder / "lib")
    assert toy.folder / "lib/a.py" not in input_files(prepared)
    (toy.folder / ".snakemake").mkdir()  # runs and results lie here, too
    assert names() == ["prepare.py"]


def test_failing_preparer_leaves_the_old_state(toy):
    made = prepare_task(toy.task)
    toy.write(extra='raise RuntimeError("no luck")')
    with pytest.raises(TaskError, match="RuntimeError: no luck"):
        prepare_task(toy.task)
    assert file_hashes(made.folder) == made.files
    assert not list(toy.home.glob(".prepare-*"))


def test_failing_first_preparer_leaves_nothing(toy):
    toy.write(extra='raise RuntimeError("no luck")')
    with pytest.raises(TaskError):
        prepare_task(toy.task)
    assert not (toy.home / "prepared").exists()


def test_forgotten_file_is_named(toy):
    toy.write(extra='(public / "sample_submission.csv").unlink()')
    with pytest.raises(TaskError, match="did not write public/sample_submission"):
        prepare_task(toy.task)


def test_missing_preparer_is_the_tasks_fault(toy):
    toy.write(CONFIG.replace("prepare:prepare", "prepare:absent"))
    with pytest.raises(TaskError, match="absent"):
        prepare_task(toy.task)


def test_checksums_are_compared(toy):
    made = prepare_task(toy.task)
    lines = [f"{name}: {digest}" for name, digest in made.files.items()]
    toy.write(checksums__yaml="\n".join(lines))
    assert prepare_task(toy.task, force=True).files == made.files
    toy.write(extra='(public / "train.csv").write_text("another")')
    with pytest.raises(TaskError, match=r"public/train\.csv differ"):
        prepare_task(toy.task)
    assert file_hashes(made.folder) == made.files


def test_raw_files_come_from_a_package(toy, tiny):
    entry = "\n".join(f"    {key}: '{value}'" for key, value in wheels.source(tiny).items())
    toy.write(f"{CONFIG}\nsource:\n  -\n{entry}\n")
    made = prepare_task(toy.task)
    assert (made.folder / "public/train.csv").read_text() == "id,y\n0,1\na,b\n1,2\n"


def test_failed_download_keeps_its_kind(toy, index):
    entry = "\n".join(f"    {key}: '{value}'" for key, value in wheels.source("0" * 64).items())
    toy.write(f"{CONFIG}\nsource:\n  -\n{entry}\n")
    with pytest.raises(DataSourceError, match="download failed"):
        prepare_task(toy.task)


def _prepare(task, queue):
    try:
        queue.put(prepare_task(task).fresh)
    except Exception as error:
        queue.put(repr(error))


def test_concurrent_calls_prepare_once(toy):
    toy.write(extra="import time; time.sleep(0.2)")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    jobs = [context.Process(target=_prepare, args=(toy.task, queue)) for _ in range(4)]
    for job in jobs:
        job.start()
    outcomes = sorted(queue.get(timeout=HANG_S) for _ in jobs)
    for job in jobs:
        job.join()
    assert outcomes == [False, False, False, True]


def _of_the_web(folder, name, url, sha256):
    task = folder / "clinical" / name
    task.mkdir(parents=True)
    entry = {"http": url, "sha256": sha256, "to": "table.csv"}
    (task / "config.yaml").write_text(yaml.safe_dump({
        "name": name, "grader": {"metric": "mae"}, "source": [entry], "preparer": "prepare:prepare",
        "submission": {"id": "id", "target": "y", "prediction": "y"},
    }))  # fmt: skip
    (task / "description.md").write_text("What to do.\n")
    (task / "prepare.py").write_text(
        "def prepare(raw, public, private):\n"
        "    text = (raw / 'table.csv').read_text()\n"
        "    (private / 'answers.csv').write_text(text)\n"
        "    (public / 'sample_submission.csv').write_text(text)\n"
    )


def test_a_preparer_whose_parameters_are_in_another_order_is_refused(tmp_path):
    folder = tmp_path / "tasks" / "d" / "toy"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG)
    swapped = PREPARER.format(extra="").replace("public, private", "private, public")
    (folder / "prepare.py").write_text(swapped)
    task = Registry([tmp_path / "tasks"], tmp_path / "data").get_task("d/toy")
    with pytest.raises(TaskError, match=r"called with \(raw, public, private\)"):
        prepare_task(task)


def test_many_tasks_are_prepared_at_a_time_and_again_offline(server, tmp_path):
    from click.testing import CliRunner

    from biomlbench.cli import _cli

    tables = {
        name: f"id,y\n1,{n}\n2,3\n".encode() for n, name in enumerate(("one", "two", "three"))
    }
    for name, content in tables.items():
        url = server.put(f"/{name}.csv", content)
        _of_the_web(tmp_path / "tasks", name, url, hashlib.sha256(content).hexdigest())
    server.fail("/two.csv", 404)
    where = ["--tasks-dir", str(tmp_path / "tasks")]

    def prepare(data, *options):
        command = ["prepare", *tables, "--data-dir", str(tmp_path / data), *where, *options]
        return CliRunner().invoke(_cli, command)

    done = prepare("data", "--jobs", "2")
    assert "1 of 3 tasks could not be prepared" in done.output
    assert "clinical/two" in done.output
    assert "answers 404" in done.output
    answers = tmp_path / "data" / "clinical" / "three" / "prepared" / "private" / "answers.csv"
    assert answers.read_bytes() == tables["three"]
    assert prepare("data", "--jobs", "2").exit_code == 0
    asked = sum(server.asked.values())
    assert asked == 4
    assert prepare("elsewhere", "--jobs", "2", "--offline").exit_code == 0
    assert sum(server.asked.values()) == asked


def test_empty_checksums_are_called_that(toy):
    toy.write()
    (toy.task.folder / "checksums.yaml").write_text("")
    with pytest.raises(TaskError, match=r"checksums\.yaml: is empty; record"):
        prepare_task(toy.task)
