"""`biomlbench publish`: complete, linked relatively, without places, submissions or logs."""

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.csv as pc
import pytest
from click.testing import CliRunner
from PIL import Image

from biomlbench.cli import TROUBLE, _cli, main
from biomlbench.contracts import from_rows, read_table, write_table
from biomlbench.export import TABLES
from biomlbench.export.public_tables import _renamed
from biomlbench.export.site import MARK, SiteError, publish
from biomlbench.export.site_cells import cell
from biomlbench.export.site_pages import Pages, slug
from biomlbench.plain_text import spreadsheet_cell
from biomlbench.report import plots
from biomlbench.report.inputs import Tables
from tests.report import fixtures

pytestmark = pytest.mark.slow
PLACES = ("/home/otto", "/mnt/scratch", "C:\\Users", "runs.csv", "submissions/", "SECRET-LOG")
HOSTILE = "../<b>x</b>"
FORMULA = "=1+1"


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.tags = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    fixtures.write(root, 55, calibrated=False, weeks=2)
    pairs = read_table("pairs", root / "pairs.parquet").to_pylist()
    for row in pairs:
        row["agent"] = row["agent"].replace("dummy", HOSTILE).replace("stella", FORMULA)
    pairs[0] |= {"message": "no file '/home/otto k/my runs/a.csv'", "meta_log": "/home/otto/a.log",
                 "meta_model": "m-1", "meta_cost_usd": 0.5}  # fmt: skip
    pairs[1] |= {"message": "SECRET-LOG", "fault": "infrastructure", "reason": "stage_failed"}
    pairs[2] |= {"message": "/mnt/scratch/x: SECRET-LOG", "fault": "run_table", "kind": "",
                 "task_id": "no/such-task", "run_id": "/home/otto/runs.csv:7"}  # fmt: skip
    write_table("pairs", from_rows("pairs", pairs), root / "pairs.parquet")
    agents = from_rows("agents", fixtures._agents(pairs))
    write_table("agents", agents, root / "agents.parquet")
    checks = read_table("checks", root / "checks.parquet").to_pylist()
    checks[0]["message"] = r"C:\Users\otto\x.csv differs"
    write_table("checks", from_rows("checks", checks), root / "checks.parquet")
    (root / "plots").mkdir()
    for name in plots.names():  # newer than the tables, so none is drawn
        Image.new("RGB", (4, 4), "white").save(root / "plots" / f"{name}.png")
        os.utime(root / "plots" / f"{name}.png", (4e9, 4e9))
    return root


@pytest.fixture(scope="module")
def site(results, tmp_path_factory):
    to = tmp_path_factory.mktemp("published") / "site"
    publish(results, to, title="Ours <i>", date="2025-03-31")
    return to


def files_of(site):
    return [path for path in site.rglob("*") if path.is_file()]


def test_it_is_complete(site, results):
    names = {path.relative_to(site).as_posix() for path in files_of(site)}
    agents = set(read_table("agents", results / "agents.parquet")["agent"].to_pylist())
    assert {f"agents/{slug(name)}.html" for name in agents} <= names
    assert {f"tasks/{slug(task[0])}.html" for task in fixtures.TASKS} <= names
    assert {f"data/{name}.{form}" for name in TABLES for form in ("csv", "parquet")} <= names
    assert {"index.html", "report.html", "provenance.html", "data/index.html"} <= names
    assert json.loads((site / MARK).read_text())["files"] == sorted(names - {MARK})
    page = (site / "agents" / f"{slug('aide')}.html").read_text(encoding="utf-8")
    assert "m-1" in page
    assert "2025-03-31" in page


def test_every_link_is_relative_and_leads_to_a_file(site):
    for path in files_of(site):
        if path.suffix != ".html" or path.name == "report.html":
            continue
        found = Links(path.read_text(encoding="utf-8"))
        assert "script" not in found.tags
        assert not found.tags & {"b", "i"} or path.parent == site or path.parent.name == "agents"
        for link in found.links:
            if link.startswith("data:"):
                continue
            place, _, anchor = link.partition("#")
            target = (path.parent / unquote(place)) if place else path
            assert not link.startswith(("/", "http", "file")), (path, link)
            assert target.resolve().is_relative_to(site.resolve())
            assert target.is_file(), (path, link)
            if anchor and target.name != "report.html":
                assert f'id="{anchor}"' in target.read_text(encoding="utf-8"), (path, link)


def test_no_place_submission_or_log_is_in_it(site, results):
    tables = {name: read_table(name, site / "data" / f"{name}.parquet") for name in TABLES}
    texts = {name: json.dumps(table.to_pylist()) for name, table in tables.items()}
    for path in files_of(site):
        if path.suffix != ".parquet":
            texts[path.name] = path.read_text(encoding="utf-8")
    for name, text in texts.items():
        # as JSON and HTML write them
        home = os.path.expanduser("~/")
        for place in (*PLACES, str(results), home, r"C:\\Users", "C:&#92;Users"):
            assert place not in text, (name, place)
    # the search finds what is there
    kept = json.dumps([read_table(n, results / f"{n}.parquet").to_pylist() for n in TABLES[:2]])
    assert all(json.dumps(place)[1:-1] in kept for place in PLACES)
    assert "no file 'a.csv'" in texts["pairs"]
    assert tables["pairs"]["run_id"].to_pylist()[2].startswith("row-")


def test_a_fact_of_some_runs_says_of_how_many(site, results):
    agents = read_table("agents", results / "agents.parquet").to_pylist()
    (row,) = [r for r in agents if r["domain"] == "all" and r["meta_cost_usd_runs"]]
    page = (site / "agents" / f"{slug(row['agent'])}.html").read_text()
    assert row["runs"] > 1
    assert page.count(f"0.5 (1 of {row['runs']} runs)") == 2  # a run, and in all
    assert f"({row['runs']} of" not in page


def test_the_data_page_says_how_csv_differs_from_parquet(site):
    page = (site / "data" / "index.html").read_text()
    assert "apostrophe" in page
    agents = (site / "data" / "agents.csv").read_text()
    written = spreadsheet_cell(FORMULA)
    assert written == f"'{FORMULA}"
    assert written in agents
    told = read_table("agents", site / "data" / "agents.parquet")["agent"].to_pylist()
    assert FORMULA in told


def test_downloads_hold_every_row(site, results):
    for name in TABLES:
        rows = read_table(name, results / f"{name}.parquet").num_rows
        assert read_table(name, site / "data" / f"{name}.parquet").num_rows == rows
    read = pc.read_csv(
        site / "data" / "tasks.csv", parse_options=pc.ParseOptions(newlines_in_values=True)
    )
    assert read.num_rows == len(fixtures.TASKS)


def test_passes_come_first_then_the_best_of_minimised_scores(site):
    page = (site / "tasks" / f"{slug('clinical/diabetes-progression')}.html").read_text()
    rows = re.findall(
        r'class="pill (\w+)".*?<td class="num">([\d.]+)</td><td class="num">[\d.]+ to', page
    )
    assert {verdict for verdict, _ in rows} == {"pass", "fail"}
    order = [(verdict != "pass", float(score)) for verdict, score in rows]
    assert order == sorted(order)
    assert [score for _, score in order] != sorted(score for _, score in order)


def test_it_is_published_again_and_keeps_what_is_not_its_own(results, tmp_path):
    to = tmp_path / "site"
    first = publish(results, to)
    (to / "CNAME").write_text("example.org")
    gone = to / "agents" / "gone-12345678.html"
    gone.write_text("x")
    mark = json.loads((to / MARK).read_text())
    mark["files"].append("agents/gone-12345678.html")
    (to / MARK).write_text(json.dumps(mark))
    assert publish(results, to) == first
    assert (to / "CNAME").read_text() == "example.org"
    assert not gone.exists()
    (to / MARK).write_text(json.dumps({"files": ["../CNAME"]}))
    with pytest.raises(SiteError, match="no file of a site"):
        publish(results, to)


def test_a_folder_that_it_did_not_make_is_refused(results, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("mine")
    with pytest.raises(SystemExit) as stop:
        main(["publish", str(results), "--to", str(tmp_path / "mine")])
    assert stop.value.code == TROUBLE
    assert "was not made by `biomlbench publish`" in capsys.readouterr().err
    assert os.listdir(tmp_path / "mine") == ["index.html"]
    (tmp_path / "mine" / MARK).write_text(json.dumps({"files": []}))
    with pytest.raises(SiteError, match=r"index\.html: was not made"):
        publish(results, tmp_path / "mine")
    refused = CliRunner().invoke(_cli, ["publish", str(results), "--date", "31st"])
    assert refused.exit_code == 2


def test_medals_say_whom_they_were_won_against(results):
    tables = Tables.load(results)
    pairs = tables.pairs.copy()
    won = pairs["medal"].ne("none")
    task = pairs.loc[won, "task_id"].iloc[0]
    pairs.loc[won, "medal_note"] = "against 46 fitted models; something else"
    pages = dict(Pages(replace(tables, pairs=pairs), {}, {}, "T").texts())
    page = pages[f"tasks/{slug(task)}.html"]
    assert "<dt>medals</dt><dd>against 46 fitted models</dd>" in page
    assert re.search(r'title="\w+, (not )?verified[^"]*; against 46 fitted models">\w+\*<', page)
    before = dict(Pages(tables, {}, {}, "T").texts())[f"tasks/{slug(task)}.html"]
    assert "against 46" not in before


def test_an_agents_page_has_what_was_kept(site):
    page = (site / "agents" / f"{slug('aide')}.html").read_text(encoding="utf-8")
    assert page.index("Results over time") < page.index("2025-01-13") < page.index("2025-01-06")


def test_the_feed_has_an_entry_for_each_kept_result(site, results, tmp_path):
    root = ElementTree.parse(site / "feed.xml").getroot()
    atom = "{http://www.w3.org/2005/Atom}"
    entries = root.findall(f"{atom}entry")
    times = [entry.findtext(f"{atom}updated") for entry in entries]
    assert times == ["2025-01-13T04:17:00Z", "2025-01-06T04:17:00Z"]
    assert root.findtext(f"{atom}updated") == times[0]
    assert root.findtext(f"{atom}title") == "Ours <i>"
    ids = [element.text for element in root.iter(f"{atom}id")]
    assert len(ids) == len(set(ids)) == 3
    for entry in entries:
        lines = entry.findtext(f"{atom}content").strip().splitlines()
        assert len(lines) == len(fixtures.AGENTS)
        assert entry.findtext(f"{atom}title").split()[0] == lines[0].split()[1].rstrip(":")
    assert 'type="application/atom+xml"' in (site / "tasks" / "index.html").read_text()
    # Nothing was kept: no feed, and no link to one.
    other = Tables.load(results)
    text = dict(Pages(replace(other, history=other.history[:0]), {}, {}, "T").texts())
    assert not [page for page, html in text.items() if "feed.xml" in html]


def test_a_page_lists_so_many_runs_and_says_how_many_more_there_are(results, monkeypatch):
    monkeypatch.setattr("biomlbench.export.site_pages.MAX_RUNS", 3)
    pages = dict(Pages(Tables.load(results), {}, {}, "T").texts())
    task = next(name for name in pages if name.startswith("tasks/") and "more runs" in pages[name])
    assert pages[task].count('<th scope="row">') == 3
    assert re.search(r'\d+ more runs are in the <a href="../data/index.html">', pages[task])


def test_the_number_of_pages_is_known_before_they_are_written(results):
    pages = Pages(Tables.load(results), {}, {}, "T")
    assert len(dict(pages.texts())) == pages.count


def test_rows_that_could_not_be_used_keep_an_id_of_their_own():
    ids = ["t1", "runs.csv:7", "/home/otto/runs.csv:8#2", "r1"]
    rows = pa.table(
        {"task_id": ["t"] * 4, "run_id": ids, "fault": ["run_table"] * 3 + ["submission"]}
    )
    assert _renamed(rows) == {("t", ids[1]): "row-2", ("t", ids[2]): "row-3"}


def test_numbers_of_a_page_are_those_of_the_report(site):
    page = (site / "agents" / f"{slug('aide')}.html").read_text(encoding="utf-8")
    assert "<dt>US$ a run</dt><dd>0.5 (1 of 11 runs)</dd>" in page
    assert cell(25000 / 3, 3) == "8,333"
    assert cell(105714.2857, 3) == "105,714"
    assert cell(1.685714, 3) == "1.69"
    assert cell(None) == ""
    assert "100 %" not in page  # a number and its sign stay on one line
