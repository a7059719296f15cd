"""Neither hidden inputs nor oracle values reach the report, whatever a submission prints."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import biomlbench
from biomlbench import contracts
from biomlbench.report import feedback, html
from biomlbench.stages import running
from biomlbench.summary.agents import summarize_agents

pytestmark = pytest.mark.slow
TASK = "kernels/few-draws"
LENGTH = 12
LEAKY = {
    "prints": (
        "import sys\n"
        "def kabsch_rmsd(*args, **kwargs):\n"
        "    for x in [*args, *kwargs.values()]:\n"
        "        print(x.tolist())\n"
        "        print(x.tolist(), file=sys.stderr)\n"
        "    return 0.5\n"
    ),
    "raises": (
        "def kabsch_rmsd(*args, **kwargs):\n"
        "    raise ValueError([x.tolist() for x in [*args, *kwargs.values()]])\n"
    ),
    "returns": (
        "def kabsch_rmsd(*args, **kwargs):\n"
        "    return [x.tolist() for x in [*args, *kwargs.values()]]\n"
    ),
}


def numbers(value):
    """All floats in a nested value that are long enough to be recognised."""
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    if isinstance(value, list | tuple):
        return {text for item in value for text in numbers(item)}
    if isinstance(value, dict):
        return {text for item in value.values() for text in numbers(item)}
    if isinstance(value, float | np.floating) and np.isfinite(value):
        text = re.sub(r"e[-+]\d+$", "", repr(abs(float(value))))
        return {text[:LENGTH]} if len(text) >= LENGTH else set()
    return set()


def numbers_in(text):
    """All that may be the beginning of such a float, wherever it stands in a text."""
    return {found[1] for found in re.finditer(rf"(?=([\d.]{{{LENGTH}}}))", text)}


def test_hidden_values_are_not_in_the_report(tmp_path, monkeypatch):
    from biomlbench.sandbox import SandboxUnavailable
    from biomlbench.stages import Context, Pair, run_pair
    from biomlbench.stages.cards import load_card
    from biomlbench.stages.prepare import compute as prepare

    folder = tmp_path / "tasks" / TASK
    built_in = Path(biomlbench.__file__).parent / "tasks/kernels/kabsch-rmsd"
    shutil.copytree(built_in, folder, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "config.yaml").open("a") as config:
        config.write("draws: 100\n")  # of 3,000, which are no less secret than these
    context = Context(str(tmp_path / "data"), (str(tmp_path / "tasks"),), bootstrap=0)
    prepare(TASK, context)
    card, plan, oracle = load_card(context.task(TASK))
    sources = {path.stem: path.read_text() for path in (card.folder / "solutions").rglob("*.py")}
    kept = ["quaternion", "no_centring", "reflection", "no_root"]
    sources = {name: sources[name] for name in kept if name in sources} | {
        name: text.replace("kabsch_rmsd", card.entry_points[0]) for name, text in LEAKY.items()
    }
    rows, checks = [], []
    results = tmp_path / "results"
    for name, source in sources.items():
        path = tmp_path / f"{name}.py"
        path.write_text(source)
        pair = Pair(TASK, name, str(path), "functions")
        try:
            tables = run_pair(pair, context, results / "pairs" / TASK / name)
        except SandboxUnavailable as error:
            pytest.skip(str(error))
        checks.append(tables["verify"])
        (row,) = tables["medal"].to_pylist()
        run = {"domain": "kernels", "agent": name, "kind": "functions", "source": "runs.csv:2"}
        rows.append({**row, **run, "submission": path.name})
    pairs = contracts.from_rows("pairs", rows)
    contracts.write_table("pairs", pairs, results / "pairs.parquet")
    contracts.write_table("checks", pa.concat_tables(checks), results / "checks.parquet")
    for name in ("agents", "tasks"):
        contracts.write_table(name, contracts.from_rows(name, []), results / f"{name}.parquet")
    assert len(summarize_agents(pairs.to_pandas())) > 0
    html.render(results, results / "report.html")
    text = Path(results / "report.html").read_text(encoding="utf-8")

    visible, secret = set(), set()
    for case in plan.cases:
        found = numbers([*case.args, case.kwargs, oracle.values[case.id]])
        (visible if case.suite == "visible" else secret).update(found)
    secret -= visible
    assert len(secret) > 100
    # what may be seen is there, so the search would find the rest too
    assert len(visible & numbers_in(text)) > 10
    assert not secret & numbers_in(text)

    # with a leak in both places that keep it back the same search fails, so it can
    def told(result, *args):
        return {**case_row(result, *args), "message": result.message}

    case_row = running._case_row
    monkeypatch.setattr(running, "_case_row", told)
    pair = Pair(TASK, "raises", str(tmp_path / "raises.py"), "functions")
    run_pair(pair, context, results / "pairs" / TASK / "raises")
    monkeypatch.setattr(feedback, "SHOWN_SUITES", ("visible", "hidden"))
    html.render(results, results / "leaky.html")
    leaky = Path(results / "leaky.html").read_text(encoding="utf-8")
    assert secret & numbers_in(leaky)
