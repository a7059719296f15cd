"""A task's own tables may have the formats of submissions; others are refused by name."""

import json

import pandas as pd
import pytest

from biomlbench.errors import TaskError
from biomlbench.grade import grade_csv, validate_submission
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.stages.prepare import compute
from biomlbench.task.prepare import prepare_task

TASK = "demo/toy-task"
WRITE = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".TSV.gz": lambda frame, path: frame.to_csv(path, index=False, sep="\t", compression="gzip"),
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
}
REFUSED = (".zip", ".feather", ".npz", ".csv.bz2", "")
PLACES = {"answers": "private", "sample_submission": "public"}
GRADERS = {
    "metric": {"name": "auc-roc", "metric": "roc_auc"},
    "function": {"name": "hits", "grade_fn": "own.py:hits", "direction": "maximize"},
}
CODE = {"own.py": "def hits(s, a):\n    return float(((s.y > 0.5) == (a.y > 0.5)).mean())\n"}


def with_file(factory, key, suffix, grader="metric"):
    """A task one of whose tables has another format, its content the same."""
    name = f"{key}{suffix}"
    where = f"{PLACES[key]}/{name}"
    config = {"grader": GRADERS[grader], "dataset": {key: f"prepared/{where}"}}
    factory.task(config=config, files=CODE)
    prepared = factory.data / TASK / "prepared"
    usual = prepared / PLACES[key] / f"{key}.csv"
    frame = pd.read_csv(usual)
    if suffix != ".csv":
        usual.unlink()
    if suffix in WRITE:
        WRITE[suffix](frame, prepared / where)
    else:
        (prepared / where).write_bytes(b"PK\x03\x04 or whatever")
    return factory.get(TASK), prepared / where


@pytest.mark.parametrize("grader", GRADERS)
@pytest.mark.parametrize("suffix", WRITE)
@pytest.mark.parametrize("key", PLACES)
def test_the_formats_of_submissions_are_read(factory, good, tmp_path, key, suffix, grader):
    task, _ = with_file(factory, key, suffix, grader)
    file = factory.submission(good)
    assert validate_submission(file, task) == (True, "Submission is valid.")
    report = grade_csv(file, task)
    assert (report.score, report.reason) == (1.0, "ok")
    context = Context(str(factory.data), (str(factory.tasks),))
    (row,) = compute(TASK, context).to_pylist()
    assert row["reason"] == "ok"
    (row,) = run_pair(Pair(TASK, "run", str(file)), context, tmp_path / "p")["medal"].to_pylist()
    assert (row["score"], row["reason"]) == (1.0, "ok")


@pytest.mark.parametrize("suffix", REFUSED)
@pytest.mark.parametrize("key", PLACES)
def test_other_formats_are_refused_at_once_and_by_all(factory, good, key, suffix):
    task, path = with_file(factory, key, suffix)
    file = factory.submission(good)
    context = Context(str(factory.data), (str(factory.tasks),))
    said = []
    for door in (validate_submission, grade_csv):
        with pytest.raises(TaskError) as error:
            door(file, task)
        said.append(str(error.value))
    (row,) = compute(TASK, context).to_pylist()
    said.append(row["message"])
    assert len(set(said)) == 1
    assert str(path) in said[0]
    assert ".csv, .csv.gz, .tsv, .tsv.gz, .parquet" in said[0]
    assert "`dataset`" in said[0]


@pytest.mark.parametrize("key", PLACES)
@pytest.mark.parametrize(
    ("suffix", "content", "told"),
    [
        (".csv", b"\x1f\x8b\x08", "gzip-compressed"),
        (".csv", b"PAR1", "a Parquet file"),
        (".csv.gz", b"id,y\n", "not valid gzip"),
        (".parquet", b"id,y\n", "cannot be read"),
    ],
)
def test_a_name_that_says_another_format_is_told(factory, good, key, suffix, content, told):
    task, path = with_file(factory, key, suffix)
    path.write_bytes(content)
    with pytest.raises(TaskError, match=told) as error:
        grade_csv(factory.submission(good), task)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("suffix", WRITE)
def test_a_preparer_may_write_them(factory, tmp_path, suffix):
    code = (
        "import pandas as pd\n"
        "def prepare(raw, public, private):\n"
        "    frame = pd.DataFrame({'id': ['a', 'b'], 'y': [0, 1]})\n"
        "    frame.to_csv(public / 'sample_submission.csv', index=False)\n"
        f"    path = private / 'answers{suffix}'\n"
    )
    kind = "parquet" if suffix == ".parquet" else "csv"
    tabs = ", sep='\\t'" if "tsv" in suffix.lower() else ""
    code += f"    frame.to_{kind}(path, index=False{tabs})\n"
    config = {
        "preparer": "own.py:prepare",
        "source": [],
        "dataset": {"answers": f"prepared/private/answers{suffix}"},
    }
    factory.task(config=config, files={"own.py": code})
    registry = type(factory.registry())([factory.tasks], tmp_path / "new")
    task = registry.get_task(TASK)
    made = prepare_task(task)
    assert f"private/answers{suffix}" in made.files
    gold = (made.folder / "private/gold_submission.csv").read_text()
    assert gold == "id,y\na,0\nb,1\n"
    file = tmp_path / "s.csv"
    file.write_text("id,y\na,0.1\nb,0.9\n")
    assert grade_csv(file, task).score == 1.0
    assert json.dumps(grade_csv(file, task).to_dict())


PREPARE = """
import pandas as pd

def prepare(raw, public, private):
    frame = pd.DataFrame({"id": ["ä", "b"], "y": [0.5, 1.25]})
    frame.to_csv(public / "sample_submission.csv", index=False)
    if GOLD:
        frame.to_csv(private / "gold_submission.csv", index=False)
    frame.to_csv(private / "answers.csv", index=False, **HOW)
"""
FORMS = {
    "UTF-16": ({"encoding": "utf-16"}, ""),
    "UTF-8 with a mark": ({"encoding": "utf-8-sig"}, ""),
    "UTF-16 without a mark": (
        {"encoding": "utf-16-le"},
        "UTF-16 without a byte order mark: write UTF-8",
    ),
    "Windows-1252": ({"encoding": "cp1252"}, "data row 1 is not UTF-8 text; write the file as"),
    "semicolons": ({"sep": ";"}, "separated by semicolons"),
    "semicolons and commas": ({"sep": ";", "decimal": ","}, "separated by semicolons"),
}


@pytest.mark.parametrize("gold", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_answers_are_read_and_told_of_as_submissions_are(factory, tmp_path, form, gold):
    how, told = FORMS[form]
    code = PREPARE.replace("GOLD", str(gold)).replace("HOW", repr(how))
    config = {
        "preparer": "own.py:prepare",
        "source": [],
        "grader": {"name": "error", "metric": "rmse"},
    }
    factory.task(config=config, files={"own.py": code}, leaderboard=None)
    context = Context(str(tmp_path / "new"), (str(factory.tasks),))
    (row,) = compute(TASK, context).to_pylist()
    assert told in row["message"]
    assert ("answers.csv" in row["message"], row["reason"] == "ok") == (bool(told), not told)
    assert "Arrow" not in row["message"]
    assert "codec" not in row["message"]
