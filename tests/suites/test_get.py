"""Suites are fetched at a commit, and nothing of them is run or linked."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from biomlbench.suites import SuiteError, find_suite, list_suites
from biomlbench.suites.checkout import checkouts, get_suite_files, tasks_of
from biomlbench.suites.suite import Suite, selection
from tests.bars import recorded

from .conftest import git, suite_file, write


@pytest.fixture(autouse=True)
def _home(home, monkeypatch):
    monkeypatch.setenv("BIOMLBENCH_SUITES", str(home))


def test_no_hook_no_filter_no_link_and_no_git_folder_comes_along(repository, home):
    root, _, commit = repository
    tree = home / "toy-suite" / "tree"
    assert (tree / "toysuite/tasks/toy/near-miss/grade.py").is_file()
    assert not (root / "smudged").exists()
    assert not (root / "hooked").exists()
    assert not list(home.rglob(".git"))
    assert not [path for path in tree.rglob("*") if path.is_symlink()]
    manifest = json.loads((home / "toy-suite" / "suite.json").read_text())
    assert manifest["commit"] == commit
    assert manifest["left_out"] == ["'toysuite/link' (link)"]


def test_files_are_the_repositorys_to_the_byte(repository, home):
    root, _, commit = repository
    path = "toysuite/tasks/toy/near-miss/helper.py"
    data = (home / "toy-suite/tree" / path).read_bytes()
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    assert blob == git(root, "rev-parse", f"{commit}:{path}").strip()


def test_other_users_can_read_what_root_has_fetched(home):
    for folder, _, files in os.walk(home / "toy-suite" / "tree"):
        assert os.stat(folder).st_mode & 0o555 == 0o555
        assert all(os.stat(os.path.join(folder, name)).st_mode & 0o444 == 0o444 for name in files)


def test_a_leaderboard_comes_from_the_other_commit(home):
    (checkout,) = checkouts()
    board = checkout.board("toy/near-miss")
    assert board is not None
    assert board.is_relative_to(home / "toy-suite" / "boards")
    assert checkout.board("toy/hub-task") is None


def test_a_commit_that_is_not_there_is_an_error_and_leaves_what_was(
    tmp_path, monkeypatch, repository
):
    root, boards, commit = repository
    monkeypatch.setenv("BIOMLBENCH_SUITES", str(tmp_path))
    suite_file(tmp_path, boards, commit)
    get_suite_files(find_suite("toy-suite"), root)
    suite_file(tmp_path, boards, "0" * 40)
    with pytest.raises(SuiteError, match=r"(?s)0{40} cannot be had.*git fetch failed.*--from"):
        get_suite_files(find_suite("toy-suite"), root)
    assert checkouts()[0].commit == commit
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.startswith(".")) == [
        "toy-suite",
        "toy-suite.yaml",
    ]


def test_what_git_tells_moves_the_bar(tmp_path, monkeypatch, repository):
    root, boards, commit = repository
    monkeypatch.setenv("BIOMLBENCH_SUITES", str(tmp_path))
    suite_file(tmp_path, boards, commit)
    came_to_its_end = recorded(monkeypatch)
    get_suite_files(find_suite("toy-suite"), root)
    assert came_to_its_end("fetching")
    assert came_to_its_end("writing files")


def test_files_of_large_file_storage_are_taken_from_the_named_clone(tmp_path, monkeypatch):
    root, home = tmp_path / "clone", tmp_path / "home"
    content = b"score\n0.5\n0.4\n"
    oid = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
    write(root / "toysuite/__init__.py", "")
    write(root / "toysuite/tasks/one/config.yaml", "id: one\ngrader: {name: x, metric: mae}\n")
    write(root / "toysuite/tasks/one/leaderboard.csv", pointer)
    git(root, "init", "-q", ".")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    commit = git(root, "rev-parse", "HEAD").strip()
    home.mkdir()
    monkeypatch.setenv("BIOMLBENCH_SUITES", str(home))
    suite_file(home, commit, commit)
    checkout = get_suite_files(find_suite("toy-suite"), root)
    assert checkout.board("toy-suite/one") is None
    assert checkout.board_is_pointer("toy-suite/one")
    stored = root / ".git/lfs/objects" / oid[:2] / oid[2:4] / oid
    write(stored, "another content")
    assert get_suite_files(find_suite("toy-suite"), root).board("toy-suite/one") is None
    stored.write_bytes(content)
    board = get_suite_files(find_suite("toy-suite"), root).board("toy-suite/one")
    assert board.read_bytes() == content


def test_selections_and_unknown_names():
    assert selection("toy-suite") is None
    assert tasks_of("toy-few") == ("toy/near-miss", "toy/hub-task")
    with pytest.raises(SuiteError, match=r"known: .*bioml-bench-v0.1a.*toy-few"):
        find_suite("nothing")
    with pytest.raises(SuiteError, match="biomlbench suite get bioml-bench"):
        tasks_of("bioml-bench-v0.1a")


def test_built_in_suites_are_well_formed():
    suites = {suite.name: suite for suite in list_suites()}
    assert len(suites["bioml-bench"].selections["bioml-bench-v0.1a"]) == 24
    assert len(suites["mle-bench"].selections["mle-bench-lite"]) == 22
    for suite in suites.values():
        for ids in suite.selections.values():
            assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("commit: abc", "40 hexadecimal digits"),
        ("tasks: ../up", "folder of the repository"),
        ("address: 'ext::sh -c x'", "no git address"),
        ("package: a/b", "no package's name"),
        ("colour: red", r"unknown key\(s\) \['colour'\]"),
        ("name: other", "the file's own"),
        ("boards: 3", "not of a suite's form"),
    ],
)
def test_a_wrong_suite_file_is_refused_by_name(tmp_path, change, words):
    key = change.partition(":")[0]
    lines = [
        "name: mine",
        "address: https://example.org/x",
        f"commit: {'a' * 40}",
        "package: x",
        "tasks: x/tasks",
    ]
    lines = [line for line in lines if not line.startswith(f"{key}:")] + [change]
    path = tmp_path / "mine.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(SuiteError, match=words) as caught:
        Suite.read(path)
    assert str(path) in str(caught.value)
