"""Every command and every piece of Python in the README and the documentation is run."""

from __future__ import annotations

import re
import shlex
import shutil
from importlib import import_module

import click
import pytest
import yaml

from biomlbench.cli.verify import PRINTED
from biomlbench.verify.policy import CheckOutcome
from tests.cli.conftest import copy_project
from tests.docs.snippets import ROOT, RUN, blocks_of, run, script_of

DOCS = ROOT / "docs"

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "config" / "README.md"]
PAGES += sorted(DOCS.rglob("*.md"))
READ = ("text", "yaml", "csv", "json", "toml", "html")
"""Kinds of blocks that show a file or an answer; nothing in them can be run."""

QUICK = (
    "docs/explanation/verdicts.md",
    "docs/explanation/medals.md",
    "docs/explanation/agent-statistics.md",
    "docs/how-to/read-a-verdict.md",
    "docs/how-to/hand-in-a-program.md",
    "docs/how-to/migrate-a-card.md",
    "docs/reference/values-and-options.md",
    "docs/how-to/add-a-check.md",
)
"""Run always; those after them, which start the workflow or whole tests, with the slow tests."""
ADDED = (
    "docs/how-to/add-a-metric.md",
    "docs/how-to/add-a-plot.md",
    "docs/how-to/add-a-check-of-predictions.md",
    "docs/how-to/add-a-data-source.md",
    "docs/how-to/add-an-export.md",
    "docs/how-to/add-a-provider.md",
    "docs/how-to/add-a-kind-of-submission.md",
)
"""Pages that add a plug-in and run its contract test."""
SLOW = (
    *ADDED,
    "docs/tutorial/grade-your-runs.md",
    "docs/how-to/import-and-export.md",
    "docs/extending/add-a-task.md",
    "docs/how-to/audit-a-task.md",
    "docs/extending/add-a-problem.md",
    "README.md",
)

ELSEWHERE = {
    "docs/tutorial/agent-developers.md": "tests/docs/test_first_pages.py",
    "docs/tutorial/benchmark-owners.md": "tests/docs/test_first_pages.py",
    "docs/tutorial/reviewers.md": "tests/docs/test_first_pages.py",
    "docs/how-to/run-anywhere.md": "tests/workflow/test_several.py",
    "docs/how-to/query-results.md": "tests/docs/test_results_pages.py",
    "docs/how-to/reproduce.md": "tests/docs/test_results_pages.py",
    "docs/reference/grading-api.md": "tests/api/test_pages.py",
    "docs/how-to/serve.md": "tests/docs/test_guides.py",
    "docs/how-to/calibrate-weekly.md": "tests/docs/test_guides.py",
    "docs/how-to/add-a-stage.md": "tests/workflow/test_add_a_stage.py",
}
"""Pages whose steps are taken by tests of their own subject."""

NOT_RUN = {
    "README.md": {
        "make demo": "sets up an environment; .ci/run does it in a fresh clone",
    },
    "CONTRIBUTING.md": {"make test": "these are the tests; .ci/run does all of them"},
}
"""Blocks of pages that are read as they are, outside the site, by how they begin."""


def runnable(page):
    return [block for block in blocks_of(page) if block.kind in RUN]


def skipped(page, block):
    """Why a block is not run; None if it is."""
    name = page.relative_to(ROOT).as_posix()
    for start, why in NOT_RUN.get(name, {}).items():
        if block.text.removeprefix("$ ").startswith(start):
            return why
    return block.why


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone that has been set up, with the files that the pages speak of as yours."""
    folder = copy_project(tmp_path_factory.mktemp("reader"))
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "activate").write_text("")
    return folder


def take(clone, name, home):
    page = ROOT / name
    ran = 0
    for block in runnable(page):
        if skipped(page, block) is None:
            run(block, page, clone, home)
            ran += 1
    assert ran, f"{name} has nothing to run; take it out of this list"


@pytest.mark.parametrize("name", QUICK)
def test_page(name, clone, tmp_path):
    take(clone, name, tmp_path)


@pytest.mark.slow
def test_tutorial(clone, tmp_path):
    take(clone, "docs/tutorial/grade-your-runs.md", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ADDED)
def test_page_with_contract_tests(name, clone, tmp_path):
    take(clone, name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("docs/extending/add-a-task.md", "clinical/my-task"),
        ("docs/extending/add-a-problem.md", "kernels/at-skew"),
    ],
)
def test_page_that_adds_a_task(name, task, clone, tmp_path):
    """From the template to the report."""
    take(clone, name, tmp_path)
    report = (clone / "results" / "report.html").read_text("utf-8")
    assert f'"task_id":"{task}"' in report


@pytest.mark.slow
def test_page_of_the_audit(clone, tmp_path):
    # tasks that other pages have made of the template have the rows of this one's, and tell them
    shutil.rmtree(clone / "data", ignore_errors=True)
    take(clone, "docs/how-to/audit-a-task.md", tmp_path)
    assert "clinical/audited-task" in (clone / "audit" / "audit.html").read_text("utf-8")


@pytest.mark.slow
def test_import_and_export(clone, tmp_path):
    """With results as a benchmark leaves them."""
    import pyarrow as pa

    from biomlbench.contracts import SCHEMAS, write_table
    from tests.report import fixtures

    frames = fixtures.frames(30)
    for name in ("pairs", "checks", "agents", "tasks", "telemetry"):
        table = pa.Table.from_pandas(
            getattr(frames, name), schema=SCHEMAS[name], preserve_index=False
        )
        write_table(name, table, clone / "my-results" / f"{name}.parquet")
    take(clone, "docs/how-to/import-and-export.md", tmp_path)
    assert (clone / "imported" / "my-group" / "comparison.csv").is_file()


@pytest.mark.slow
def test_readme(clone, tmp_path):
    """With the two files that the README shows and tells to write."""
    page = ROOT / "README.md"
    own = {block.kind: block.text for block in blocks_of(page) if block.kind in ("csv", "yaml")}
    (clone / "my-runs.csv").write_text(own["csv"])
    (clone / "my-config.yaml").write_text(own["yaml"])
    take(clone, "README.md", tmp_path)


def test_every_page_is_run_somewhere():
    for page in PAGES:
        name = page.relative_to(ROOT).as_posix()
        if name in (*QUICK, *SLOW):
            continue
        if name in ELSEWHERE:
            assert page.name in (ROOT / ELSEWHERE[name]).read_text("utf-8")
            continue
        left = [block.line for block in runnable(page) if skipped(page, block) is None]
        assert not left, (
            f"{name}: no test runs the blocks at lines {left}; list the page here, or put "
            "`<!-- not run: why -->` before them"
        )


def test_no_block_is_overlooked():
    """Every fence belongs to a block that was found, and says what is in it."""
    for page in PAGES:
        fences = re.findall(r"^ *(?:```|~~~)", page.read_text("utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks_of(page)), page
        kinds = {block.kind for block in blocks_of(page)}
        assert kinds <= {*RUN, *READ}, f"{page}: {kinds}; a new kind is to be run or to be listed"


def test_every_exemption_gives_its_reason():
    for page in PAGES:
        for block in blocks_of(page):
            why = skipped(page, block)
            assert why is None or len(why.split()) > 3, f"{page}:{block.line}: {why}"
            assert block.why is None or block.kind in RUN, f"{page}:{block.line} is never run"


def test_every_page_is_listed_once_and_exists():
    assert len({*QUICK, *SLOW, *ELSEWHERE}) == len(QUICK) + len(SLOW) + len(ELSEWHERE)
    for name in (*QUICK, *SLOW):
        assert (ROOT / name).is_file()


def test_a_console_block_becomes_a_script(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- not run: because -->\n```console\n$ rm -rf /\n```\n\n"
        "```console\n$ echo a \\\n    b   # comment\noutput\n"
        "$ cat <<'END'\n$ no prompt\nEND\nx\n```\n"
        "1. In a list\n\n   ```console\n   plain\n   ```\n"
    )
    first, second, third = blocks_of(page)
    assert (first.why, second.why, third.why) == ("because", None, None)
    assert script_of(second) == "echo a \\\n    b   # comment\ncat <<'END'\n$ no prompt\nEND\n"
    assert script_of(third) == "plain\n"


def test_the_example_for_a_service_calls_commands_that_there_are():
    """It runs elsewhere; here each call of ours is taken apart by the command's own parser."""
    (block,) = [b for b in blocks_of(DOCS / "how-to" / "rerun-weekly.md") if b.kind == "yaml"]
    (job,) = yaml.safe_load(block.text)["jobs"].values()
    script = "\n".join(step.get("run", "") for step in job["steps"])
    calls = re.findall(r"^ *biomlbench (\S+) (.*?)(?: \|\| .*)?$", script, re.MULTILINE)
    assert [name for name, _ in calls] == ["doctor", "run", "publish", "compare"]
    for name, arguments in calls:
        command = import_module(f"biomlbench.cli.{name}").command
        command.make_parser(click.Context(command, **command.context_settings)).parse_args(
            shlex.split(arguments)
        )


def test_a_verdict_is_read_in_the_columns_that_are_there():
    printed, others = (
        set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
        for table in (DOCS / "how-to/read-a-verdict.md")
        .read_text("utf-8")
        .split("## Then the verdict")[1]
        .split("## Ask for it")[0]
        .split("`--json`")
    )
    assert printed <= {*PRINTED}
    assert others == {*CheckOutcome._fields} - {*PRINTED, "weight"}


@pytest.mark.parametrize(
    "page", [*DOCS.glob("extending/*.md"), *DOCS.glob("how-to/*.md")], ids=lambda page: page.name
)
def test_a_page_that_starts_the_workflow_says_how_without_a_clone(page):
    text = page.read_text("utf-8")
    if re.search(r"snakemake .*--configfile", text):
        assert "biomlbench run " in text
