"""Reports of two sizes, a headless Chromium, and axe-core from npm."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile

import pytest

from biomlbench.report import html
from tests.browser.driver import DESKTOP, chromium
from tests.report import fixtures
from tests.waiting import HANG_S

AXE = "axe-core@4.14.1"
AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"


def _report(root, pairs):
    fixtures.write(root, pairs)
    html.render(root, root / "report.html", title="Demo benchmark")
    return (root / "report.html").as_uri()


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """A report of 440 pairs."""
    return _report(tmp_path_factory.mktemp("small"), 440)


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A report of 10,000 pairs."""
    return _report(tmp_path_factory.mktemp("large"), 10_000)


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
