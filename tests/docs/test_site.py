"""The site: pages made from the sources are complete, links lead somewhere, nothing warns."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from biomlbench.contracts import SCHEMAS
from biomlbench.export.forms import all_forms
from biomlbench.metrics import get_metric, list_metrics
from biomlbench.metrics._columns import columns_of
from biomlbench.outcomes import SENTENCES
from biomlbench.registry import Registry
from biomlbench.task.sources.base import all_sources

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MADE = "tools/docs_pages.py"


def load(place):
    spec = importlib.util.spec_from_file_location(Path(place).stem, ROOT / place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made():
    return load(MADE)


@pytest.fixture(scope="module")
def links():
    return load("tools/check_links.py")


@pytest.fixture(scope="module")
def pages(made):
    return {place: make() for place, make in made.PAGES.items()}


def keys_of(schema, value, prefix=""):
    """All keys that a config may have, by dots."""
    if "$ref" in value:
        value = schema["$defs"][value["$ref"].rsplit("/")[-1]]
    for name, child in value.get("properties", {}).items():
        yield prefix + name
        yield from keys_of(schema, child, f"{prefix}{name}.")
    if isinstance(value.get("additionalProperties"), dict):
        yield from keys_of(schema, value["additionalProperties"], f"{prefix}<id>.")


def test_every_key_of_the_config_is_explained(pages):
    schema = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text())
    keys = list(keys_of(schema, schema))
    assert len(keys) > 20
    page = pages["reference/configuration.md"]
    parents = {key.rpartition(".")[0].removesuffix(".<id>") for key in keys}
    for key in set(keys) - parents:
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{key}` |")]
        assert len(row.split("|")[4]) > 5, row
    assert "`hint_tier`" in page


def test_pages_that_a_clone_has_not_are_those_that_are_made(made):
    """In a clone and on a forge they are dead, so that the first page must say how to get them."""
    dead = set()
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target and not (place := (page.parent / target).resolve()).exists():
                dead.add(place.relative_to(DOCS).as_posix())
    assert dead
    assert dead <= made.PAGES.keys()
    (line,) = [
        entry for entry in (ROOT / "README.md").read_text().split("\n- ") if "`make docs`" in entry
    ]
    assert all(f"`docs/{place.rpartition('/')[0]}/`" in line for place in dead)


def test_every_column_of_every_table_is_explained(pages):
    page = pages["reference/tables.md"]
    shown = dict(re.findall(r"^### (\w+)\n\n(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL))
    assert set(shown) == set(SCHEMAS)
    for name, schema in SCHEMAS.items():
        rows = [line.split(" | ") for line in shown[name].splitlines()[2:] if line]
        assert [re.search(r"`(\w+)`", row[0])[1] for row in rows] == schema.names
        assert all(len(row[-1]) > 4 for row in rows)


def test_every_code_metric_task_and_command_is_there(pages):
    from biomlbench.cli import _cli

    for code in SENTENCES:
        assert pages["reference/reason-codes.md"].count(f"| `{code}` |") == 1
    for key in all_sources():
        assert f"| `{key}` |" in pages["reference/data-sources.md"]
    for form in all_forms():
        assert f"| `{form}` |" in pages["reference/exports.md"]
    for metric in map(get_metric, list_metrics()):
        (line,) = re.findall(
            rf"^\| `{metric.name}` \|.*$", pages["reference/metrics.md"], re.MULTILINE
        )
        assert {metric.direction, metric.kind, *columns_of(metric)} <= set(line.split(" | "))
    for name in Registry().list_task_ids():
        assert f"| `{name}` |" in pages["reference/tasks.md"]
    for name in _cli.list_commands(None):
        assert f"## {name}\n" in pages["reference/command-line.md"]


def test_every_module_that_a_page_imports_is_in_the_python_interface(made):
    documented = {name for group in made.API.values() for name in group}
    pages = [*DOCS.rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    imported = re.findall(r"^ *(?:from|import) (biomlbench\.[a-z_.]+)", text, re.MULTILINE)
    assert len(imported) > 10
    # `from biomlbench.report import plots` is `biomlbench.report.plots`
    packages = {name.rpartition(".")[0] for name in documented}
    assert set(imported) - documented - packages == set()


def test_every_environment_variable_is_explained(pages):
    """All that the code reads, but for what it tells its own processes."""
    of_processes = {"BIOMLBENCH_CANARY", "BIOMLBENCH_RUN_COMMAND"}
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "biomlbench").rglob("*.py"))
    read = set(re.findall(r"\bBIOMLBENCH_[A-Z_]+", code)) - of_processes
    shown = set(re.findall(r"^\| `(BIOMLBENCH_[A-Z_]+)` \|", pages["reference/configuration.md"],
                           re.MULTILINE))  # fmt: skip
    assert shown == read


def test_links_lead_to_files(made):
    """Of pages as they are in the repository, where links out of `docs/` do work."""
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), ROOT / "config" / "README.md"]
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            place, _, _ = target.partition("#")
            if not place or "://" in place or place.startswith("mailto:"):
                continue
            path = (page.parent / place).resolve()
            inside = path.relative_to(DOCS).as_posix() if path.is_relative_to(DOCS) else ""
            assert path.exists() or inside in made.PAGES, f"{page}: {target}"


def test_links_out_of_the_pages_become_text(made):
    class File:
        src_uri = "explanation/threat-model.md"

    class Page:
        file = File

    text = "[in](verdicts.md) [out](../../biomlbench/x.py) [web](https://a.b) ![i](../../i.png)"
    said = made.on_page_markdown(text, Page, None, None)
    assert said == "[in](verdicts.md) out [web](https://a.b) ![i](../../i.png)"


def test_a_page_that_is_not_listed_gets_into_the_navigation(made, tmp_path):
    (tmp_path / "how-to").mkdir()
    (tmp_path / "how-to" / "new.md").write_text("# New")
    (tmp_path / "scaling.md").write_text("# Scaling")
    nav = [{"How to": ["how-to/old.md"]}, {"Reference": []}]
    made.on_config({"nav": nav, "docs_dir": str(tmp_path)})
    assert nav == [{"How to": ["how-to/old.md", "how-to/new.md"]}, {"Reference": ["scaling.md"]}]


def test_broken_links_and_anchors_are_found(links, tmp_path, capsys):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top-of-it">x</h1><a href="a/b.html#here">1</a><a href="#top-of-it">2</a>'
        '<a href="a/">3</a><img src="a/no.png"><a href="a/b.html#gone">4</a>'
        '<a href="#nowhere">5</a><a href="https://example.org/x">6</a><a href="mailto:a@b">7</a>'
    )
    (tmp_path / "a" / "index.html").write_text('<a href="../index.html">up</a>')
    (tmp_path / "a" / "b.html").write_text('<a name="here"></a><a href="/index.html">root</a>')
    assert links.broken_inside(tmp_path) == [
        "index.html: a/no.png: no such file",
        "index.html: a/b.html#gone: no such anchor",
        "index.html: #nowhere: no such anchor",
    ]
    assert links.main([str(tmp_path)]) == 1
    assert "3 broken links" in capsys.readouterr().err


def test_addresses_elsewhere_are_asked_for(links, tmp_path, monkeypatch):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response({"/gone": 404, "/login": 403}.get(self.path, 200))
            self.end_headers()

        def log_message(self, *_):
            pass

    monkeypatch.setattr(links, "LEFT_OUT", ())
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        (tmp_path / "index.html").write_text(
            "".join(f'<a href="{base}/{name}">x</a>' for name in ("well#part", "gone", "login"))
        )
        assert set(links.addresses_of(tmp_path)) == {
            f"{base}/{n}" for n in ("well", "gone", "login")
        }
        (broken,) = links.broken_outside(tmp_path)
        server.shutdown()
    assert broken.startswith(f"index.html: {base}/gone: 404")


def test_every_page_is_in_the_navigation():
    """By name, so that the order is chosen and not the alphabet's."""
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = subprocess.run(["git", "ls-files", "docs"], cwd=ROOT, capture_output=True, text=True)
    pages = [name.removeprefix("docs/") for name in listed.stdout.split() if name.endswith(".md")]
    assert len(pages) > 15 or listed.returncode
    assert [page for page in pages if f"- {page}\n" not in nav and f": {page}\n" not in nav] == []


@pytest.mark.slow
def test_the_site_builds_without_a_warning(links, tmp_path):
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed")
    call = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(call, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "WARNING" not in done.stderr
    assert links.broken_inside(tmp_path / "site") == []
    api = (tmp_path / "site" / "reference" / "api.html").read_text()
    assert "grade_submission" in api
    # nothing is fetched from elsewhere when a page is opened
    for page in (tmp_path / "site").rglob("*.html"):
        fetched = re.findall(
            r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?:[^\"]+)", page.read_text()
        )
        assert not [url for url in fetched if "canonical" not in url], (page, fetched)
