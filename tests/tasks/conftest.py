"""A local package index and a cache of its own for the data source's tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import wheels
from loopback import loopback

from biomlbench.task.sources import download


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Point pip at a folder of packages and the cache at an empty one; return the folder."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_REQUIRE_VIRTUALENV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def tiny(index):
    """Return the SHA-256 of a wheel in the local index."""
    return wheels.wheel(index)[1]


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A web server on loopback, an empty cache, and attempts that follow at once."""
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("BIOMLBENCH_OFFLINE", raising=False)
    monkeypatch.setattr(download, "BACKOFF_S", 0.01)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with loopback() as running:
        yield running
