"""Files of a task that are imported: each task's own, whatever others call theirs."""

from __future__ import annotations

import copy
import pickle
import sys

import pytest

from biomlbench.errors import TaskError
from biomlbench.task.loading import load_function

GRADE = "from helper_mod import VALUE, other\ndef grade(*_):\n    return VALUE, other()\n"
HELPER = "import second\nVALUE = {}\ndef other():\n    return second.VALUE\nclass Kept:\n    pass\n"


def write(folder, value):
    folder.mkdir(exist_ok=True)
    (folder / "grade.py").write_text(GRADE)
    (folder / "helper_mod.py").write_text(HELPER.format(value))
    (folder / "second.py").write_text(f"import helper_mod\nVALUE = {value * 10}\n")
    return load_function("grade:grade", folder)


def test_helpers_of_equal_names_are_each_tasks_own(tmp_path):
    before = dict(sys.modules)
    one, other = write(tmp_path / "one", 1), write(tmp_path / "other", 2)
    assert one() == (1, 10)
    assert other() == (2, 20)
    assert not {"helper_mod", "second"} & sys.modules.keys()
    assert sys.meta_path == [f for f in sys.meta_path if "Neighbours" not in type(f).__name__]
    assert before.items() <= dict(sys.modules).items()
    kept = sys.modules[one.__globals__["other"].__module__].Kept()
    assert type(pickle.loads(pickle.dumps(kept))) is type(copy.deepcopy(kept)) is type(kept)


def test_a_helper_that_changes_is_read_anew(tmp_path):
    assert write(tmp_path, 1)() == (1, 10)
    assert load_function("grade:grade", tmp_path)() == (1, 10)
    (tmp_path / "second.py").write_text("VALUE = 3000\n")
    assert load_function("grade:grade", tmp_path)() == (1, 3000)
    (tmp_path / "helper_mod.py").unlink()
    with pytest.raises(TaskError, match="no module 'helper_mod'"):
        load_function("grade:grade", tmp_path)


def test_a_loaded_module_of_that_name_is_neither_used_nor_lost(tmp_path, monkeypatch):
    elsewhere = type(sys)("helper_mod")
    monkeypatch.setitem(sys.modules, "helper_mod", elsewhere)
    assert write(tmp_path, 4)() == (4, 40)
    assert sys.modules["helper_mod"] is elsewhere


def test_a_file_does_not_stand_in_for_the_standard_library(tmp_path):
    (tmp_path / "json.py").write_text("1 / 0\n")
    (tmp_path / "grade.py").write_text("import json\ndef grade():\n    return json.dumps([])\n")
    assert load_function("grade:grade", tmp_path)() == "[]"


def test_a_fault_of_a_helper_leaves_nothing_behind(tmp_path):
    write(tmp_path, 1)
    (tmp_path / "second.py").write_text("1 / 0  # a fault\n")
    with pytest.raises(TaskError, match="ZeroDivisionError"):
        load_function("grade:grade", tmp_path)
    assert not {"helper_mod", "second"} & sys.modules.keys()
