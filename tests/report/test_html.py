"""The report as a file: self-contained, deterministic, safe, complete without a browser."""

import base64
import hashlib
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

from biomlbench.contracts import ContractError, read_table
from biomlbench.report import html, plots
from biomlbench.report import page as pages
from biomlbench.report.cautions import warnings
from biomlbench.report.inputs import Tables
from biomlbench.run_command import by_our_command
from tests.report import fixtures


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    fixtures.write(root, 165)
    tables = Tables.load(root)
    for name in plots.names():
        plots.render(name, tables, root / "plots", ("png",))
    return root


@pytest.fixture(scope="module")
def text(results):
    html.render(results, results / "report.html", title="Demo <b>& benchmark</b>")
    return (results / "report.html").read_text(encoding="utf-8")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.scripts, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self._inside = attributes if tag == "script" else None

    def handle_endtag(self, tag):
        if tag == "script":
            self._inside = None

    def handle_data(self, data):
        if self._inside is not None:
            self.scripts.append((self._inside.get("type"), data))


def test_loads_nothing_from_elsewhere(text):
    for tag, attributes in Page(text).tags:
        for name in ("src", "href", "action", "srcset", "poster"):
            value = attributes.get(name)
            if value is not None:
                assert value.startswith(("data:", "#")), (tag, name, value[:80])
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    assert "@import" not in style
    assert "url(" not in style


def test_policy_allows_exactly_the_scripts(text):
    page = Page(text)
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv"))
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    actual = {
        base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        for kind, code in page.scripts
        if kind is None
    }
    assert allowed == actual
    assert len(actual) == len(html.SCRIPTS)
    assert "default-src 'none'" in policy
    assert "script-src 'sha256" in policy
    assert "unsafe-eval" not in policy


def test_data_parses_and_is_complete(text, results):
    (data,) = [json.loads(code) for kind, code in Page(text).scripts if kind == "application/json"]
    assert data["pairs"]["n"] == 165
    assert len(data["tasks"]) == len(fixtures.TASKS)
    for name in data["pairs"]["c"]:
        assert data["docs"]["pairs"][name], f"{name} has no description"


def test_ids_are_unique_and_labels_resolve(text):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    for _, attributes in page.tags:
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in page.ids
    for tag, attributes in page.tags:
        if tag == "img":
            assert attributes["alt"]


# No run of the synthetic tables has a cost or tokens, and nothing of them is kept.
WITHOUT_DATA = {"cost_and_score", "effort_by_verdict", "history"}
SHOWN = set(plots.names()) - WITHOUT_DATA


def test_all_figures_are_there(text):
    page = Page(text)
    assert {f"figure-{name}" for name in SHOWN} <= set(page.ids)
    assert not {f"figure-{name}" for name in WITHOUT_DATA} & set(page.ids)


def test_a_line_is_in_the_place_of_a_figure_without_data():
    lacking = [name for name in plots.names() if plots.lacks(name, Tables())]
    found = {figure.name: figure for figure in html.figures(Tables(), {}, without={*plots.names()}
             - {*lacking})}  # fmt: skip
    assert set(found) == set(lacking)
    assert "weekly_trends" in lacking
    text = html.render_tables(Tables(), without={*plots.names()} - {*lacking})
    for name, figure in found.items():
        assert f'<p class="note" id="figure-{name}"><strong>{figure.title}.</strong>' in text
        assert figure.caption not in text


def test_every_figure_has_a_dark_variant(text):
    images = [attributes for tag, attributes in Page(text).tags if tag == "img"]
    light = [image["src"] for image in images if image["class"] == "light"]
    dark = [image["src"] for image in images if image["class"] == "dark"]
    assert len(light) == len(dark) == len(SHOWN)
    assert not set(light) & set(dark)


def test_commands_in_warnings_are_code(results):
    drawn = {path.stem: path for path in (results / "plots").glob("*.png")}
    text = html.render_tables(fixtures.frames(20, calibrated=False), drawn=drawn)
    assert "run <code>snakemake calibrate</code>" in text
    assert "snakemake calibrate --cores" in text
    before, after = text.index('class="caution'), text.index('id="ranking"')
    assert before < after
    assert "error rates not measured yet" in text[before:after]


def test_rows_that_calibration_could_not_use_are_a_caution():
    row = {"setting": "adjudications", "source": "labels.csv:3", "task_id": "kernels/a",
           "run_id": "r", "message": "`who` is empty"}  # fmt: skip
    frames = replace(fixtures.frames(20), unused_rows=pd.DataFrame([row]))
    (told,) = (one for one in warnings(frames) if "for the calibration" in one.title)
    assert told.title == "1 row for the calibration could not be used"
    assert told.text.endswith("labels.csv:3: kernels/a, r: `who` is empty.")


def test_commands_are_those_that_the_user_runs_the_workflow_by(monkeypatch):
    monkeypatch.setenv("BIOMLBENCH_RUN_COMMAND", "")  # as it was, afterwards
    by_our_command()
    frames = fixtures.frames(20, calibrated=False)
    assert "run `biomlbench run calibrate`" in warnings(frames)[-1].text
    with pytest.raises(ContractError, match="run `biomlbench run calibrate` to make it"):
        read_table("rates", "calibration/rates.parquet")


def test_without_calibration_the_trust_page_says_so_once(results):
    drawn = {path.stem: path for path in (results / "plots").glob("*.png")}
    text = html.render_tables(fixtures.frames(20, calibrated=False), drawn=drawn)
    assert text.count("The error rates have not been measured yet, so nobody knows") == 1
    assert "figure-kill_matrix" not in Page(text).ids


def test_title_is_escaped(text):
    assert "<b>& benchmark</b>" not in text
    assert "Demo &lt;b&gt;&amp; benchmark&lt;/b&gt;" in text


def test_hostile_text_stays_text(text):
    assert fixtures.HOSTILE not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text
    assert sum(tag == "script" for tag, _ in Page(text).tags) == len(html.SCRIPTS) + 1


def test_hostile_agent_names(results):
    name = '"><script>alert(1)</script>{{ 7*7 }}'
    made = fixtures.frames(60, calibrated=False)
    pairs = made.pairs.assign(agent=made.pairs["agent"].replace("aide", name))
    agents = made.agents.assign(agent=made.agents["agent"].replace("aide", name))
    drawn = {path.stem: path for path in (results / "plots").glob("*.png")}
    tables = Tables(pairs=pairs, agents=agents, tasks=made.tasks)
    text = html.render_tables(tables, drawn=drawn)
    assert "<script>alert" not in text
    assert "{{ 7*7 }}" in text
    assert not any("onerror" in attributes for _, attributes in Page(text).tags)


def test_equal_tables_give_equal_bytes(results, text, tmp_path):
    html.render(results, tmp_path / "again.html", title="Demo <b>& benchmark</b>")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == text


def test_drawn_figures_are_used_when_newer(results, tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "render", None)  # drawing would fail
    html.render(results, tmp_path / "a.html")
    assert (tmp_path / "a.html").exists()


def test_outdated_figures_are_drawn_anew(tmp_path):
    fixtures.write(tmp_path, 3, calibrated=False)
    (tmp_path / "plots").mkdir()
    for name in plots.names():
        path = tmp_path / "plots" / f"{name}.png"
        path.write_bytes(b"no image")
        os.utime(path, (0, 0))
    html.render(tmp_path, tmp_path / "a.html")
    assert (tmp_path / "a.html").exists()


def test_no_half_file_is_left(results, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        html.render(results, tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pairs", [0, 1])
def test_small(pairs):
    text = html.render_tables(fixtures.frames(pairs, calibrated=False))
    assert ("No run has been graded yet." in text) is (pairs == 0)
    assert len(text) < 1_200_000


def test_overview_needs_no_script(text):
    body = re.sub("<script.*?</script>", "", text, flags=re.DOTALL)
    for word in ("leads", "Ranking", "Before you believe it", "verified medals"):
        assert word in body


def test_vendored_library_has_its_licence():
    folder = pages.ASSETS / "vendor"
    for script in folder.glob("*.js"):
        assert script.stat().st_size < 500_000
        licence = folder / f"{script.name.split('.')[0]}.LICENSE.txt"
        assert "MIT License" in licence.read_text()


@pytest.mark.slow
def test_ten_thousand_pairs_stay_small(tmp_path):
    fixtures.write(tmp_path, 10_000)
    html.render(tmp_path, tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 10_000_000
