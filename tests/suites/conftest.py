"""A small suite in the published form, in a git repository of its own."""

from __future__ import annotations

import os
import subprocess
from textwrap import dedent
from typing import TYPE_CHECKING

import pandas as pd
import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 20
HELPERS = """
    class InvalidSubmissionError(Exception):
        pass
"""
#: Task to its grader; each file lies in a package with a hyphen in its name.
GRADERS = {
    "near-miss": """
        import absent_client
        from toysuite.grade_helpers import InvalidSubmissionError
        from toysuite.metrics import gap
        from .helper import checked

        def grade(submission, answers):
            return gap(checked(submission), answers["y"])
    """,
    "blank-cells": """
        def grade(submission, answers):
            return float((submission["code"].fillna("") == answers["code"].fillna("")).mean())
    """,
    "any-file": """
        def grade(submission, answers):
            return float(len(submission.read_bytes())) + answers[0]["plus"]
    """,
    "hub-task": """
        import polaris as po

        def grade(submission, answers):
            benchmark = po.load_benchmark("toy/hub-task")
            predictions = submission[submission.columns[1]].tolist()
            try:
                results = benchmark.evaluate(predictions)
            except ValueError as error:
                if "y_prob" not in str(error):
                    raise
                results = benchmark.evaluate(y_prob=predictions)
            found = results.results
            return float(found[found["Metric"] == "roc_auc"]["Score"].iloc[0])
    """,
    "moody": """
        import os, socket, time
        from toysuite.grade_helpers import InvalidSubmissionError

        def grade(submission, answers):
            what = submission["what"].iloc[0]
            if what == "loop":
                while True:
                    pass
            if what == "memory":
                return float(len(bytearray(10 << 30)))
            if what == "exit":
                os._exit(0)
            if what == "undefined":
                return float("nan")
            if what == "text":
                return "0.5"
            if what == "raise":
                raise KeyError(answers["y"].tolist())
            if what == "refuse":
                raise InvalidSubmissionError("not like this")
            if what == "socket":
                socket.create_connection(("127.0.0.1", 9), timeout=1)
            if what == "delete":
                for folder in ("/suite", "/answers"):
                    for place, _, files in os.walk(folder):
                        for name in files:
                            os.unlink(os.path.join(place, name))
            return 0.5
    """,
}
NAMES = {"hub-task": "hub-metric", "near-miss": "mean-absolute-error"}


def config(name: str) -> str:
    any_file = name == "any-file"
    answers = "answers.jsonl" if any_file else "answers.csv"
    sample = "sample_submission.bin" if any_file else "sample_submission.csv"
    text = dedent(f"""
        id: {name}
        name: Toy
        description: toysuite/tasks/toy/{name}/description.md
        dataset:
          answers: toy/{name}/prepared/private/{answers}
          sample_submission: toy/{name}/prepared/public/{sample}
        data_source: {{type: polaris, benchmark_id: toy/x}}
        grader:
          name: {NAMES.get(name, name)}
          grade_fn: toysuite.tasks.toy.{name}.grade:grade
          {"wall_s: 3" if name == "moody" else ""}
        preparer: toysuite.tasks.toy.{name}.prepare:prepare
        compute_requirements: {{recommended_gpu_memory_gb: 4, estimated_runtime_minutes: 15}}
    """)
    if name == "hub-task":
        text += "biomedical_metadata: {polaris_main_metric: roc_auc}\n"
    return text


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))


def git(folder: Path, *words: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=toy", "-c", "user.email=toy@example.org")
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def build_repository(root: Path) -> tuple[str, str]:
    """Write the suite's repository; return the commit with leaderboards and the last one."""
    package = root / "toysuite"
    write(package / "__init__.py", "from toysuite.grade_helpers import InvalidSubmissionError\n")
    write(package / "grade_helpers.py", HELPERS)
    write(package / "metrics.py", "def gap(a, b):\n    return float((a - b).abs().mean())\n")
    for name, code in GRADERS.items():
        folder = package / "tasks" / "toy" / name
        write(folder / "config.yaml", config(name))
        write(folder / "description.md", "# Toy\n")
        write(folder / "grade.py", code)
        write(
            folder / "prepare.py",
            """
            import shutil

            def prepare(raw, public, private):
                shutil.copy(raw / "sample_submission.csv", public)
                shutil.copy(raw / "answers.csv", private)
            """,
        )
    helper = """
        from toysuite.grade_helpers import InvalidSubmissionError

        def checked(submission):
            if (submission["y"] < -100).any():
                raise InvalidSubmissionError("a value is below -100")
            return submission["y"]
    """
    write(package / "tasks/toy/near-miss/helper.py", helper)
    write(package / "tasks/toy/broken/config.yaml", "id: [unclosed\n")
    # Two rows of one name count both, as the published code counts them.
    board = "teamName,score\n" + "".join(f"team {min(i, 6)},{i / 10}\n" for i in range(1, 8))
    write(package / "tasks/toy/near-miss/leaderboard.csv", board + "test bot,0.9\n")
    git(root, "init", "-q", "-b", "main", ".")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "boards")
    boards = git(root, "rev-parse", "HEAD").strip()
    (package / "tasks/toy/near-miss/leaderboard.csv").unlink()
    (package / "link").symlink_to("/etc/passwd")
    write(root / ".gitattributes", "*.py filter=evil\n")
    git(root, "config", "filter.evil.smudge", f"touch {root}/smudged; cat")
    git(root, "config", "filter.evil.clean", "cat")
    write(root / ".git/hooks/post-checkout", f"#!/bin/sh\ntouch {root}/hooked\n")
    (root / ".git/hooks/post-checkout").chmod(0o755)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "no boards")
    return boards, git(root, "rev-parse", "HEAD").strip()


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    root = tmp_path_factory.mktemp("repository")
    return (root, *build_repository(root))


def suite_file(home: Path, boards: str, commit: str, address: str = "file:///nowhere") -> None:
    write(
        home / "toy-suite.yaml",
        f"""
        name: toy-suite
        address: {address}
        commit: {commit}
        package: toysuite
        tasks: toysuite/tasks
        boards: [{{commit: {boards}, tasks: toysuite/tasks}}]
        contestants: {{toy: fitted models}}
        humans: [toy]
        selections: {{toy-few: [toy/near-miss, toy/hub-task]}}
        """,
    )


@pytest.fixture(scope="session")
def home(repository, tmp_path_factory):
    """The folder of suites, with the toy suite fetched into it."""
    from biomlbench.suites import find_suite
    from biomlbench.suites.checkout import get_suite_files

    root, boards, commit = repository
    folder = tmp_path_factory.mktemp("suites")
    suite_file(folder, boards, commit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIOMLBENCH_SUITES", str(folder))
        get_suite_files(find_suite("toy-suite"), root)
    return folder


def tables(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return sample submission and answers of a toy task."""
    ids = pd.DataFrame({"id": range(ROWS)})
    if name == "blank-cells":
        codes = ["" if i % 3 else f"{i} 2" for i in range(1, ROWS + 1)]
        return ids.assign(code="1 1"), ids.assign(code=codes)
    if name == "hub-task":
        return ids.assign(label=0.0), ids.assign(label=[i % 2 for i in range(ROWS)])
    if name == "moody":
        return ids.assign(what="x"), ids.assign(y=1.0)
    return ids.assign(y=0.0), ids.assign(y=[i / 7 for i in range(ROWS)])


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name in GRADERS:
        prepared = folder / "toy" / name / "prepared"
        (prepared / "public").mkdir(parents=True)
        (prepared / "private").mkdir()
        if name == "any-file":
            (prepared / "public/sample_submission.bin").write_bytes(b"\0")
            (prepared / "private/answers.jsonl").write_text('{"plus": 0.5}\n')
            continue
        sample, answers = tables(name)
        sample.to_csv(prepared / "public/sample_submission.csv", index=False)
        answers.to_csv(prepared / "private/answers.csv", index=False)
    return folder


@pytest.fixture
def registry(home, data_dir, monkeypatch):
    from biomlbench.registry import Registry

    monkeypatch.setenv("BIOMLBENCH_SUITES", str(home))
    return Registry(data_dir=data_dir)
