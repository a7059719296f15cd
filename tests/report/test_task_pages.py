"""What a task's page says of the task itself, in the report and on a site."""

import numpy as np
import pandas as pd
import pytest

from biomlbench.contracts import MOST_ITEMS, from_rows, read_table, write_table
from biomlbench.export.site import publish
from biomlbench.registry import Registry
from biomlbench.report.inputs import Tables
from biomlbench.report.markdown import MAX_HTML, as_html
from biomlbench.report.payload import build
from biomlbench.summary.task_facts import discrimination, public_files
from tests.report import fixtures


@pytest.mark.parametrize(
    ("text", "there", "not_there"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img", "<img"),
        ("![p](https://elsewhere.org/p.png)", "p.png", "<img"),
        ("[x](javascript:alert(1))", "x", "<a"),
        ("[x](/etc/passwd)", "<a>x</a>", "href"),
        ("[x](https://a.org)", 'href="https://a.org"', "javascript"),
        ("# Title\n\n## Data\n", "<h3>Data", "Title"),
        ("|a|b|\n|---|---|\n|1|2|", "<td>1</td>", "|"),
        ("a\x1b[31mb\u202ec", "a", "\x1b"),
    ],
)
def test_a_description_has_no_markup_of_its_own(text, there, not_there):
    html = as_html(text)
    assert there in html
    assert not_there not in html


def test_a_description_is_cut():
    assert len(as_html("word " * 100_000)) < 25_000


AMPLIFIED = {
    "address": "[a]: https://x/" + "b" * 9980 + "\n\n" + "[a]" * 3334,
    "title": "[a]: https://x/ '" + "b" * 9980 + "'\n\n" + "[a]" * 3334,
    "no web address": "[a]: x:" + "&" * 9980 + "\n\n" + "[a]" * 3334,
    "cells": "|" + "a|" * 2000 + "\n|" + "-|" * 2000 + "\n" + "a\n" * 4000,
    "rows": "|" + "a|" * 90 + "\n|" + "-|" * 90 + "\n" + "a\n" * 9000,
    "code": "`&` " * 5000,
    "lists": "- " * 10_000,
    "quotes": "> " * 10_000,
    "rules": "---\n" * 5000,
    "control characters": "\x1b" * 20_000,
    "marks": "&" * 20_000,
    "quotation marks": '"' * 20_000,
}


@pytest.mark.parametrize("text", AMPLIFIED.values(), ids=AMPLIFIED)
def test_a_description_becomes_no_page_of_megabytes(text):
    assert len(as_html(text)) <= MAX_HTML
    assert len(as_html(text + "<script>")) <= MAX_HTML
    assert "<script" not in as_html(text + "<script>")


def test_what_would_become_too_long_is_shown_as_it_was_written():
    html = as_html(AMPLIFIED["address"][:20_000] + "<b>")
    assert html.startswith("<pre><code>[a]: https://x/bbb")
    assert "<b>" not in html
    assert "<a" not in html
    assert '<a href="https://x/y"' in as_html("[a]: https://x/y\n\n" + "[a] " * 100)


def runs(rates):
    """Ten runs of each agent and task, so many of ten passed."""
    return pd.DataFrame(
        [
            {"agent": agent, "task_id": task, "verdict": "pass" if n < 10 * rate else "fail"}
            for task, of_agents in rates.items()
            for agent, rate in enumerate(of_agents)
            for n in range(10)
        ]
    )


def test_a_task_separates_agents_as_the_others_do():
    rates = {
        "like": [0.1, 0.3, 0.6, 0.9],
        "as-well": [0.2, 0.4, 0.5, 0.8],
        "turned": [0.9, 0.6, 0.3, 0.1],
        "all": [1.0, 1.0, 1.0, 1.0],
        "few": [0.3, 0.5],
    }
    found = discrimination(runs(rates))
    assert set(found) == {"like", "as-well", "turned"}
    rest = np.array([rates[n] for n in ("as-well", "turned", "all")]).mean(axis=0)
    rest[:2] = np.array([rates[n][:2] for n in ("as-well", "turned", "all", "few")]).mean(axis=0)
    assert found["like"] == pytest.approx(np.corrcoef(rates["like"], rest)[0, 1])
    assert found["turned"] < 0 < found["as-well"]


def test_public_files_have_sizes_and_no_hidden_ones(tmp_path):
    task = Registry(data_dir=tmp_path).get_task("layer-norm")
    assert public_files(task) == []
    (task.public_dir / "images").mkdir(parents=True)
    (task.public_dir / "train.csv").write_bytes(b"x" * 61_234)
    (task.public_dir / ".cache").write_bytes(b"x")
    (task.public_dir / "images" / "1.png").write_bytes(b"x" * 12)
    assert public_files(task) == ["train.csv (61 kB)", "images/1.png (12 bytes)"]
    for number in range(30):
        (task.public_dir / f"{number}.txt").touch()
    assert public_files(task)[-1] == "and 12 more"


def test_the_payload_has_what_a_page_shows(tmp_path):
    fixtures.write(tmp_path, 55, calibrated=False)
    made = build(Tables.load(tmp_path), {})
    for task in made["tasks"]:
        assert isinstance(task["description"], str)
        assert task["discrimination"] is None or -1 <= task["discrimination"] <= 1
    assert any(task["discrimination"] is not None for task in made["tasks"])


def test_a_task_without_a_description_has_a_page(tmp_path):
    """As a task has whose files are gone, or whose table an older version has written."""
    fixtures.write(tmp_path / "results", 55, calibrated=False)
    tasks = read_table("tasks", tmp_path / "results" / "tasks.parquet").to_pylist()
    assert any(task["description"] is None for task in tasks)
    tasks[0] |= {"description": "## Data\n\nOf *many* patients.", "public_files": ["a.csv (1 kB)"]}
    write_table("tasks", from_rows("tasks", tasks), tmp_path / "results" / "tasks.parquet")
    publish(tmp_path / "results", tmp_path / "site")
    places = (tmp_path / "site" / "tasks").glob("*.html")
    pages = [path.read_text() for path in places if path.stem != "index"]
    assert len(pages) == len(tasks)
    assert sum("Of <em>many</em> patients." in page for page in pages) == 1
    assert sum("Public files: a.csv (1 kB)" in page for page in pages) == 1
    assert not [page for page in pages if ">nan<" in page.lower()]


@pytest.mark.parametrize("withheld", [0, 1])
def test_what_one_run_did_is_no_fact_of_its_task(withheld):
    pairs = fixtures.frames(60).pairs
    task = pairs.loc[pairs["fault"] != "run_table", "task_id"].value_counts().index[0]
    own = pairs.index[pairs["task_id"] == task]
    pairs["medal_note"] = pairs["medal_note"].astype(object)
    pairs.loc[own, "medal_note"] = "against 9 fitted models; silver is out of reach"
    pairs.loc[own[withheld], "medal_note"] += "; the verified medal is withheld: it is too good"
    told = {one["task_id"]: one["medal_note"] for one in build(Tables(pairs=pairs), {})["tasks"]}
    assert told[task] == "against 9 fitted models; silver is out of reach"


def test_a_task_has_as_many_teams_as_its_leaderboard_however_many_the_table_holds():
    tables = fixtures.frames(60)
    task = tables.pairs.loc[tables.pairs["leaderboard_size"].notna(), "task_id"].iloc[0]
    tables.tasks.at[tables.tasks.index[tables.tasks["task_id"] == task][0], "leaderboard"] = (
        np.linspace(1, 0, MOST_ITEMS)
    )
    tables.pairs.loc[tables.pairs["task_id"] == task, "leaderboard_size"] = 3_000_000
    (made,) = (one for one in build(tables, {})["tasks"] if one["task_id"] == task)
    assert (made["teams"], len(made["leaderboard"])) == (3_000_000, MOST_ITEMS)
