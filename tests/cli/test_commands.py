"""What all commands have in common: help with examples that work, `--json`, exit codes."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from biomlbench.cli import INVALID, TROUBLE, _cli, _common, main

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(main.__code__.co_filename).parent


def commands(group=_cli, path=()):
    """Yield the path of every command, and the command."""
    context = click.Context(group, info_name=group.name)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands())
NAMES = [" ".join(path) for path in COMMANDS]


def examples(command):
    """Return the lines of a command's help that call it, without what is said of them."""
    found = re.findall(r"^ +(?:\w+=\S+ )*biomlbench (.*)$", command.help or "", re.MULTILINE)
    return [re.split(r"\s{2,}", line)[0] for line in found]


def parse(words):
    """Parse a command line down to the last command; return that one's context."""
    context, command = click.Context(_cli, info_name="biomlbench"), _cli
    while isinstance(command, click.Group):
        name, command, words = command.resolve_command(context, words)
        if isinstance(command, click.Group) and words and words[0] in ("-h", "--help"):
            return context
        if not isinstance(command, click.Group):
            context = command.make_context(name, list(words), parent=context)
    return context


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_the_help_are_command_lines(name, tmp_path, monkeypatch):
    """Every command shows one, and every one is understood as it stands."""
    command = COMMANDS[tuple(name.split())]
    shown = examples(command)
    if not shown and len(name.split()) > 1:  # a group's help may show those of its commands
        group = COMMANDS[tuple(name.split()[:-1])]
        shown = [line for line in examples(group) if line.startswith(name)]
    assert shown, f"biomlbench {name} --help has no example"
    monkeypatch.chdir(tmp_path)
    for line in shown:
        words = shlex.split(line)
        for word in words[1:]:  # files and folders that must be there
            path = Path(word)
            if "/" in word or path.suffix or word in ("results", "runs"):
                (path if path.suffix == "" else path.parent).mkdir(parents=True, exist_ok=True)
                if path.suffix and not path.exists():
                    path.touch()
        for folder in ("results", "my-tasks", "config"):
            Path(folder).mkdir(exist_ok=True)
        Path("config/config.yaml").touch()
        parse(words)


@pytest.mark.parametrize(
    "line",
    ["tasks", "tasks --domain clinical --json", "metrics", "metrics --json", "doctor --offline"],
)
def test_examples_that_need_nothing_run(line):
    result = CliRunner().invoke(_cli, shlex.split(line))
    assert result.exit_code in ((0, TROUBLE) if line.startswith("doctor") else (0,)), result.output


def _calls(tree):
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def _functions():
    for path in sorted(CLI.glob("[a-z]*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "print_table" in _calls(node):
                yield f"{path.stem}.{node.name}", node


@pytest.mark.parametrize("name", [name for name, _ in _functions()])
def test_what_is_printed_as_a_table_is_there_as_json(name):
    """Who prints a table takes --json, or is called by one who does."""
    commands_of = [
        command
        for path, command in COMMANDS.items()
        if command.callback is not None
        and command.callback.__module__.rpartition(".")[2] == name.partition(".")[0]
    ]
    function = name.partition(".")[2]
    mine = [c for c in commands_of if c.callback.__name__ == function] or commands_of
    assert mine
    for command in mine:
        assert "as_json" in {parameter.name for parameter in command.params}, command.name


def test_the_exit_codes_are_those_of_the_reference():
    import sys

    sys.path.insert(0, str(ROOT))
    try:
        from tools.docs_pages import command_line
    finally:
        sys.path.remove(str(ROOT))
    page = command_line()
    codes = re.findall(r"^\| (\d) \|", page, re.MULTILINE)
    assert codes == ["0", str(INVALID), "2", str(TROUBLE)]
    assert _common.Trouble.exit_code == TROUBLE


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("tasks", 0, ""),
        ("validate gone.csv diabetes-progression --data-dir data", INVALID, "missing_file"),
        ("grade", 2, "Usage"),
        ("grad x y", 2, "Did you mean 'grade'"),
        ("validate x.csv no-such-task", TROUBLE, "there is no task"),
        ("report empty", TROUBLE, "pairs.parquet"),
        ("prune config.yaml --delete --yes", TROUBLE, "results"),
        ("calibrate regrade", TROUBLE, "run the workflow"),
        ("calibrate flakes kabsch-rmsd gone.py", 2, "neither a file nor a run"),
        ("calibrate blind empty", TROUBLE, "labels.csv"),
        ("prune broken.yaml", TROUBLE, "broken.yaml: cannot be read"),
        ("prune list.yaml", TROUBLE, "no config"),
        ("grade x.csv diabetes-progression --data-dir none", TROUBLE, "biomlbench prepare"),
        ("import broken.csv --direction maximize", INVALID, "no column `score`"),
        ("tasks --tasks-dir odd", 0, "broken: "),
        ("prepare odd --tasks-dir odd", TROUBLE, "config.yaml"),
    ],
)
def test_exit_codes(line, code, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd" / "clinical" / "odd").mkdir(parents=True)
    (tmp_path / "odd" / "clinical" / "odd" / "config.yaml").write_text("name: [x")
    for name, text in (("broken.yaml", "a: [1"), ("list.yaml", "[]"), ("broken.csv", "x\n")):
        (tmp_path / name).write_text(text)
    if line.startswith("validate gone"):
        from biomlbench.registry import Registry
        from biomlbench.task.prepare import prepare_task

        prepare_task(Registry(data_dir="data").get_task("diabetes-progression"))
    if line.startswith("prune config"):
        from biomlbench.runtime import locking
        from biomlbench.workflow import prune

        def locked(_):
            raise locking.LockedError("results are in use")

        (tmp_path / "config.yaml").write_text("runs: [runs.csv]")
        monkeypatch.setattr(prune, "leftovers", lambda *_: [prune.Leftover(Path("x"), 1, "gone")])
        monkeypatch.setattr(locking, "lock", locked)
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(line))
    assert (stop.value.code or 0) == code
    out, err = capsys.readouterr()
    assert said in out + err
    assert "Traceback" not in out + err
    if code == TROUBLE:
        assert err.startswith("Error: ")


@pytest.mark.parametrize(
    ("typed", "word", "offered"),
    [
        ("", "ver", {"verify"}),
        ("grade", "--boot", {"--bootstrap", "--bootstrap-seed"}),
        ("validate my.csv", "kabsch", {"kabsch-rmsd"}),
        ("validate my.csv", "kernels/ka", {"kernels/kabsch-rmsd"}),
        ("export --format", "ro", {"ro-crate"}),
    ],
)
def test_the_shell_completes(typed, word, offered):
    complete = BashComplete(_cli, {}, "biomlbench", "_BIOMLBENCH_COMPLETE")
    found = {item.value for item in complete.get_completions(shlex.split(typed), word)}
    assert offered <= found


def test_a_bar_goes_to_standard_error_only(capsys):
    assert list(_common.track(iter("abc"), "counting")) == ["a", "b", "c"]
    assert capsys.readouterr().out == ""


def test_prepare_says_where_the_data_are(tmp_path):
    options = ["--data-dir", str(tmp_path), "--json"]
    result = CliRunner().invoke(_cli, ["prepare", "kabsch-rmsd", *options])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.output)
    assert row["task"] == "kernels/kabsch-rmsd"
    # A solver finds there what is asked for, and learns the same from `show`.
    statement = (Path(row["public"]) / "description.md").read_text(encoding="utf-8")
    assert "def kabsch_rmsd(" in statement
    shown = CliRunner().invoke(_cli, ["show", "kabsch-rmsd", *options])
    told = json.loads(shown.output)
    assert told["description"] == statement
    assert told["public_data"] == row["public"]
    assert statement in CliRunner().invoke(_cli, ["show", "kabsch-rmsd"]).output


def test_a_task_that_cannot_be_prepared_stops_no_other(tmp_path):
    for name, config in {
        "broken": "preparer: own:prepare\ngrader: {metric: rmse}\n",
        "worse": "kind: other\n",
    }.items():
        folder = tmp_path / "tasks" / "other" / name
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text(config)
    options = ["--tasks-dir", str(tmp_path / "tasks"), "--data-dir", str(tmp_path / "data")]
    wrong = ["other/broken", "other/worse", "gone"]
    result = CliRunner().invoke(_cli, ["prepare", *wrong, "kabsch-rmsd", *options])
    assert result.exit_code == TROUBLE, result.output
    assert "kernels/kabsch-rmsd: " in result.output
    told = result.output.partition("3 of 4 tasks could not be prepared:\n")[2].splitlines()
    assert len(told) == 3
    for word in ("other/broken: ", "kind is predictions or functions", "there is no task 'gone'"):
        assert any(word in line for line in told)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_the_code_of_a_task_prints_is_no_json(tmp_path, monkeypatch, jobs):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tasks" / "other" / "chatty"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(
        "grader: {name: chatty, grade_fn: 'own:grade', direction: maximize}\n"
        "preparer: own:prepare\nsubmission: {id: id, target: y}\n"
    )
    (folder / "own.py").write_text(
        "print('imported')\n"
        "def grade(submission, answers):\n    print('graded')\n    return 0.5\n"
        "def prepare(raw, public, private):\n    print('prepared')\n"
        "    for place in (public / 'sample_submission.csv', private / 'answers.csv'):\n"
        "        place.write_text('id,y\\n1,2\\n2,3\\n')\n"
    )
    Path("s.csv").write_text("id,y\n1,7\n2,8\n")
    options = ["chatty", "--tasks-dir", "tasks", "--data-dir", "data", "--json"]
    made = subprocess.run(
        [sys.executable, "-m", "biomlbench.cli", "prepare", "--jobs", jobs, *options],
        text=True, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "prepared" in made.stderr
    assert json.loads(made.stdout)[0]["task"] == "other/chatty"
    graded = CliRunner().invoke(_cli, ["grade", "s.csv", *options])
    assert "graded" in graded.stderr
    assert json.loads(graded.stdout)["score"] == 0.5


def test_labels_of_one_and_two_want_their_positive_one_told(tmp_path, monkeypatch, capsys):
    """At `prepare` and at `grade`: 1 would be positive, and every score the inverse."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tasks" / "other" / "coded"
    folder.mkdir(parents=True)
    config = (
        "grader: {{metric: roc_auc{}}}\npreparer: own:prepare\nsubmission: {{id: id, target: y}}\n"
    )
    (folder / "config.yaml").write_text(config.format(""))
    (folder / "own.py").write_text(
        "def prepare(raw, public, private):\n"
        "    (public / 'sample_submission.csv').write_text('id,y\\n1,0.5\\n2,0.5\\n3,0.5\\n')\n"
        "    (private / 'answers.csv').write_text('id,y\\n1,1\\n2,2\\n3,2\\n')\n"
    )
    Path("s.csv").write_text("id,y\n1,0.1\n2,0.7\n3,0.8\n")
    options = ["coded", "--tasks-dir", "tasks", "--data-dir", "data"]
    for command in (["prepare"], ["grade", "s.csv"]):
        with pytest.raises(SystemExit) as left:
            main([*command, *options])
        assert left.value.code == TROUBLE
        assert "`options: {pos_label: 2}`" in capsys.readouterr().err
    (folder / "config.yaml").write_text(config.format(", options: {pos_label: 2}"))
    assert CliRunner().invoke(_cli, ["prepare", *options]).exit_code == 0
    graded = CliRunner().invoke(_cli, ["grade", "s.csv", *options, "--json"])
    assert json.loads(graded.stdout)["score"] == 1.0


def test_a_task_whose_right_answer_cannot_be_handed_in_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tasks" / "other" / "words"
    folder.mkdir(parents=True)
    config = (
        "grader: {{grade_fn: 'own:grade', direction: maximize}}\npreparer: own:prepare\n"
        "submission: {{id: id, target: y, columns: {{y: {{type: {}}}}}}}\n"
    )
    (folder / "config.yaml").write_text(config.format("text"))
    (folder / "own.py").write_text(
        "def prepare(raw, public, private):\n"
        "    (public / 'sample_submission.csv').write_text('id,y\\n1,x\\n2,x\\n')\n"
        "    (private / 'answers.csv').write_text('id,y\\n1,x\\n2,\\n')\n"
        "def grade(s, a):\n    return float((s.y == a.y).mean())\n"
    )
    options = ["words", "--tasks-dir", "tasks", "--data-dir", "data"]
    for command in ("prepare", "evidence"):
        with pytest.raises(SystemExit) as left:
            main([command, *options])
        assert left.value.code == TROUBLE
        assert "list '' under `allowed`" in capsys.readouterr().err
    for column in ("string, allowed: ['', x]", "free", "number"):
        # numbers are scores of classes there, and no repeated answers
        (folder / "config.yaml").write_text(config.format(column))
        assert CliRunner().invoke(_cli, ["prepare", *options]).exit_code == 0


def write_labelled(metric, labels):
    """Write a task `other/labelled` with these labels; its sample submission says `0` or `a`."""
    folder = Path("tasks/other/labelled")
    folder.mkdir(parents=True)
    columns = [f"y{n}" for n in range(len(labels[0]))]
    (folder / "config.yaml").write_text(
        f"grader: {{metric: {metric}}}\npreparer: own:prepare\n"
        f"submission: {{id: id, target: [{', '.join(columns)}]}}\n"
    )
    guess = "a" if any(cell.isalpha() for row in labels for cell in row) else "0"
    header = ",".join(["id", *columns])
    truth = [header, *(",".join([str(n), *row]) for n, row in enumerate(labels))]
    sample = [header, *(",".join([str(n), *[guess] * len(row)]) for n, row in enumerate(labels))]
    (folder / "own.py").write_text(
        "def prepare(raw, public, private):\n"
        f"    (private / 'answers.csv').write_text({chr(10).join(truth)!r})\n"
        f"    (public / 'sample_submission.csv').write_text({chr(10).join(sample)!r})\n"
    )
    return ["labelled", "--tasks-dir", "tasks", "--data-dir", "data"]


@pytest.mark.parametrize(
    ("metric", "labels"),
    [("r2", ["1", "2", "", "4"]), ("spearman", ["1", "2", "", "4"]), ("accuracy", ["1", "0", ""])],
)
def test_a_missing_label_is_told_at_prepare_as_grading_tells_it(
    tmp_path, monkeypatch, capsys, metric, labels
):
    monkeypatch.chdir(tmp_path)
    options = write_labelled(metric, [[label] for label in labels])
    Path("s.csv").write_text("\n".join(["id,y0", *(f"{n},{n % 2}" for n in range(len(labels)))]))
    told = []
    for command in (["prepare"], ["evidence"], ["grade", "s.csv"]):
        with pytest.raises(SystemExit) as left:
            main([*command, *options])
        assert left.value.code == TROUBLE
        told.append(capsys.readouterr().err)
        assert "answers.csv: column `y0`" in told[-1]
        assert "the first is row 3; give every row a value" in told[-1]


@pytest.mark.parametrize(
    ("metric", "labels"),
    [
        ("roc_auc", [["1"], ["0"], ["1"]]),
        ("rmse", [["1"], ["2"]]),
        ("accuracy", [["a"], ["b"]]),
    ],
)
def test_answers_that_grading_takes_are_prepared(tmp_path, monkeypatch, metric, labels):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(_cli, ["prepare", *write_labelled(metric, labels)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("off", "gold", "told"),
    [
        (4, "weak", "scores 4, far from 0, the best value of rmse"),
        (9, "", "worse than the sample submission"),
    ],
)
def test_a_gold_that_is_not_the_best_is_told_at_prepare_and_in_the_evidence(
    tmp_path, monkeypatch, off, gold, told
):
    monkeypatch.chdir(tmp_path)
    options = write_labelled("rmse", [[str(n)] for n in range(10)])
    with Path("tasks/other/labelled/config.yaml").open("a") as config:
        config.write("dataset: {gold_submission: prepared/private/gold_submission.csv}\n")
    with Path("tasks/other/labelled/own.py").open("a") as code:
        rows = "\n".join(["id,y0", *(f"{n},{n + off}" for n in range(10))])
        code.write(f"    (private / 'gold_submission.csv').write_text({rows!r})\n")
    done = CliRunner().invoke(_cli, ["prepare", *options])
    assert bool(done.exit_code) == (not gold)
    assert told in (done.stderr if gold else str(done.exception))
    done = CliRunner().invoke(_cli, ["evidence", "--json", *options])
    if gold:
        items = {one["item"]: one for one in json.loads(done.stdout)["evidence"]["items"]}
        assert items["gold submission"]["status"] == gold
        assert told in items["gold submission"]["detail"]
    else:
        assert told in str(done.exception)


@pytest.mark.parametrize(
    ("left", "told"),
    [
        ("nothing", "is not prepared below data; run `biomlbench prepare other/labelled"),
        ("answers", "gold_submission.csv; have the preparer write it"),
        ("all", ""),
    ],
)
def test_evidence_says_that_a_declared_gold_submission_is_not_there(
    tmp_path, monkeypatch, left, told
):
    monkeypatch.chdir(tmp_path)
    options = write_labelled("rmse", [[str(n)] for n in range(10)])
    with Path("tasks/other/labelled/config.yaml").open("a") as config:
        config.write("dataset: {gold_submission: prepared/private/gold_submission.csv}\n")
    if left != "nothing":
        assert CliRunner().invoke(_cli, ["prepare", *options]).exit_code == 0
    if left == "answers":
        Path("data/other/labelled/prepared/private/gold_submission.csv").unlink()
    done = CliRunner().invoke(_cli, ["evidence", "--json", *options])
    items = {one["item"]: one for one in json.loads(done.stdout)["evidence"]["items"]}
    assert items["gold submission"]["status"] == ("missing" if told else "present")
    assert told in items["gold submission"]["detail"]
    assert ("gold submission" in done.stderr) == bool(told)
    assert done.exit_code == 1
    done = CliRunner().invoke(_cli, ["evidence", "--json", *options[1:]])
    (row,) = [one for one in json.loads(done.stdout) if one["task"] == "other/labelled"]
    assert told in " ".join(row["missing"])
    assert any("gold" in one for one in row["missing"]) == bool(told)
