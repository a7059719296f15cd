"""A benchmark that was run, published: small, with nothing that only its maintainer may have."""

import csv
import json
import re
import shutil

import pyarrow.parquet as pq
import pytest

from biomlbench.export.site import publish
from biomlbench.task.registry import default_data_dir

SITE_MB = 4
"""Size of the toy benchmark's site; most of it is the report's figures."""


@pytest.fixture(scope="module")
def site(finished, tmp_path_factory):
    # At a place that no other file of the benchmark names.
    results = tmp_path_factory.mktemp("elsewhere") / "results"
    shutil.copytree(finished / "results", results)
    to = tmp_path_factory.mktemp("site") / "site"
    publish(results, to, title="Toy", date="2025-03-31")
    return to


@pytest.fixture(scope="module")
def texts(site):
    """What each file says; of tables, each cell."""
    found = {}
    for path in site.rglob("*"):
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            metadata = {k.decode(): v.decode("utf-8", "replace")
                        for k, v in (table.schema.metadata or {}).items()
                        if k != b"ARROW:schema"}  # fmt: skip
            found[path] = json.dumps([table.to_pylist(), metadata], default=str)
        elif path.is_file():
            text = path.read_text(encoding="utf-8")
            # The report's own scripts and styles speak of many things.
            found[path] = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.DOTALL)
    return found


@pytest.mark.slow
def test_it_is_small(site):
    sizes = {path.relative_to(site).as_posix(): path.stat().st_size for path in site.rglob("*")}
    assert sum(sizes.values()) < SITE_MB * 1e6
    assert all(
        size < 60_000 for name, size in sizes.items() if name.count("/") and "data" not in name
    )
    suffixes = {path.suffix for path in site.rglob("*") if path.is_file()}
    assert suffixes == {".html", ".csv", ".parquet", ".json", ".xml"}


@pytest.mark.slow
def test_no_row_of_answers_or_submissions_is_in_it(finished, texts):
    answers = finished / "data" / "toy" / "line" / "prepared" / "private" / "answers.csv"
    with answers.open(newline="") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert len(ids) > 10
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, ids))})\b")
    for path, text in texts.items():
        # Pictures and hashes are letters and digits of any order.
        plain = re.sub(r"[A-Za-z0-9+/=_-]{30,}", "", text)
        assert not pattern.search(plain), path
    submissions = [path.read_text() for path in (finished / "subs").iterdir()]
    lines = {line.strip() for text in submissions for line in text.splitlines() if len(line) > 12}
    assert lines
    for path, text in texts.items():
        assert not [line for line in lines if line in text], path


@pytest.mark.slow
def test_no_place_is_in_it(finished, texts):
    places = [str(finished), str(finished.parent), str(default_data_dir()), "/tmp/", "subs/",
              "group/", "runs.csv", "submission.jsonl"]  # fmt: skip
    for path, text in texts.items():
        assert not [place for place in places if place in text], path
