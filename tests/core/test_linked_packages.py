"""What links among installed packages lead to, and nothing beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomlbench.runtime.linked_packages import linked_packages
from biomlbench.sandbox import interpreter

PACKAGES = ("pack/__init__.py", "pack/data/table.csv", "pack-1.0.dist-info/METADATA")


@pytest.fixture
def store(tmp_path):
    for name in (*PACKAGES, "private.txt"):
        (tmp_path / "store" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "store" / name).write_text("")
    (tmp_path / "site-packages").mkdir()
    return tmp_path / "store"


def link_files(site: Path, store: Path) -> None:
    for name in PACKAGES:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).symlink_to(store / name)


def test_a_folder_of_linked_files_leads_to_the_packages_and_to_nothing_beside_them(store):
    site = store.parent / "site-packages"
    link_files(site, store)
    found = linked_packages(str(site))
    assert found.folders == (str(store),)
    assert sorted(found.paths) == [f"{store}/pack", f"{store}/pack-1.0.dist-info"]


def test_linked_packages_are_followed_by_relative_links_too(store):
    site = store.parent / "site-packages"
    for name in ("pack", "pack-1.0.dist-info"):
        (site / name).symlink_to(Path("..", "store", name))
    (site / "gone.py").symlink_to("/nowhere/gone.py")
    (site / "notes").symlink_to(store / "private.txt")
    (site / "data").symlink_to(store / "pack" / "data")
    (site / "alone.py").symlink_to(store / "pack" / "__init__.py")
    found = linked_packages(str(site))
    assert found.folders == (str(store),)
    assert sorted(found.paths) == sorted(
        [f"{store}/pack", f"{store}/pack-1.0.dist-info", f"{store}/pack/__init__.py"]
    )


def test_a_folder_without_links_leads_nowhere(store):
    assert linked_packages(str(store)).paths == ()


def test_data_of_linked_packages_are_covered_under_both_names(store):
    site = store.parent / "site-packages"
    link_files(site, store)
    found = linked_packages(str(site))
    python = interpreter.Interpreter(
        executable="python",
        paths=(str(site), *found.paths),
        links=(),
        site_packages=(str(site), *found.folders),
    )
    hidden = interpreter.hidden_paths(python.paths, python, (Path("pack/data"),))
    assert hidden == sorted([f"{site}/pack/data", f"{store}/pack/data"])
