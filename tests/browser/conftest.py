"""Reports of two sizes, a headless Chromium, and axe-core from npm."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile

import pytest
from PIL import Image

from biomlbench.contracts import from_rows, read_table, write_table
from biomlbench.report import html, plots
from biomlbench.report.inputs import Tables
from tests.browser.driver import DESKTOP, chromium
from tests.report import fixtures
from tests.shared import once
from tests.waiting import HANG_S

AXE = "axe-core@4.14.1"
AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"


def _report(factory, name, pairs):
    def make(root):
        fixtures.write(root, pairs, weeks=4)
        html.render(root, root / "report.html", title="Demo benchmark")

    return (once(factory, name, make) / "report.html").as_uri()


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """A report of 440 pairs."""
    return _report(tmp_path_factory, "small", 440)


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A report of 10,000 pairs."""
    return _report(tmp_path_factory, "large", 10_000)


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """A report of 110 pairs with all that run tables and local reports may say."""
    root = tmp_path_factory.mktemp("told")
    fixtures.write(root, 110, calibrated=False, weeks=3)
    pairs = read_table("pairs", root / "pairs.parquet").to_pylist()
    for number, row in enumerate(pairs):
        row |= {"meta_model": f"model-{number % 3}", "meta_cost_usd": 0.1 + number / 50}
        row |= {"meta_tokens": 1000 + 37 * number, "meta_steps": number % 40}
        row |= {"meta_wall_time_s": 60.0 + number}
    write_table("pairs", from_rows("pairs", pairs), root / "pairs.parquet")
    agents = from_rows("agents", fixtures._agents(pairs))
    write_table("agents", agents, root / "agents.parquet")
    tables = Tables.load(root)
    runs = {"aide-s0-a1": [[1.0], [2.0], [3.0]], "biomni-s0-a1": [[1.0], [2.5], [7.0]],
            "stella-s0-a1": [[1.0], [2.0], [3.0]]}  # fmt: skip
    rows = {
        "clinical/diabetes-progression": {
            "ids": ["p1", "<p2>", "p3"], "columns": ["y"], "total": 442, "runs": runs
        }
    }  # fmt: skip
    text = html.render_tables(
        tables, title="Told", drawn=_blank(root), rows=rows, place="my results"
    )
    (root / "report.html").write_text(text, encoding="utf-8")
    return root


def _blank(root):
    """Pictures in the place of figures, which take long to draw."""
    (root / "plots").mkdir()
    for name in plots.names():
        Image.new("RGB", (900, 480), "white").save(root / "plots" / f"{name}.png")
    return {path.stem: path for path in (root / "plots").glob("*.png")}


@pytest.fixture(scope="session")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def browser(downloads):
    with chromium(downloads, DESKTOP) as driver:
        yield driver


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The source of axe-core, pinned."""
    if shutil.which("npm") is None:
        pytest.skip("no npm to fetch axe-core with")
    folder = tmp_path_factory.mktemp("axe")
    made = subprocess.run(
        ["npm", "pack", AXE, "--silent", "--pack-destination", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    archives = list(folder.glob("*.tgz"))
    if made.returncode or not archives:
        pytest.skip(f"axe-core cannot be fetched: {made.stderr.strip()[-200:]}")
    with tarfile.open(fileobj=io.BytesIO(archives[0].read_bytes())) as archive:
        source = archive.extractfile("package/axe.min.js").read()
    assert hashlib.sha256(source).hexdigest() == AXE_SHA256
    return source.decode("utf-8")
