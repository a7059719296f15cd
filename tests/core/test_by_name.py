"""Things by name: no two of one name, in any registry."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.by_name import NameTakenError, by_name


@given(st.lists(st.text(max_size=3), max_size=8))
def test_all_are_there_or_two_have_one_name(names):
    named = [(name, f"thing {place}") for place, name in enumerate(names)]
    if len(set(names)) == len(names):
        assert list(by_name(named).items()) == named
    else:
        with pytest.raises(NameTakenError):
            by_name(named)


def test_a_clash_names_both_files_and_the_remedy(monkeypatch):
    one, other = ModuleType("one"), ModuleType("other")
    one.__file__, other.__file__ = "/clone/one.py", "/clone/other.py"
    defined = type("Defined", (), {"__module__": "other"})
    monkeypatch.setitem(sys.modules, "other", other)
    for second in (other, defined, defined()):
        with pytest.raises(NameTakenError, match="'same'") as told:
            by_name([("same", one), ("same", second)])
        assert "/clone/one.py and /clone/other.py; give" in str(told.value)


def test_a_second_metric_of_a_name_names_both_files():
    from biomlbench.metrics import get_metric, metric

    known = get_metric("rmse")
    with pytest.raises(NameTakenError, match=r"regression\.py and .*test_by_name\.py") as told:

        @metric(direction="minimize", range=(0.0, 1.0), best=0.0, kind="regression")
        def rmse(y_true, y_pred):
            return 0.0

    assert "remove it" in str(told.value)
    assert get_metric("rmse") is known
