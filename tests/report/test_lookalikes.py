"""Agents that a reader would take for one are named."""

import dataclasses
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.report import overview
from biomlbench.report.lookalikes import _LATIN, lookalikes, skeleton
from tests.report import fixtures


@pytest.mark.parametrize(
    "other",
    [
        *("h\u043enest", "h\u03bfnest", "\u04bb\u043e\u0578\u0435\u0455t", "\uff48onest"),
        *("ｈｏｎｅｓｔ", "𝔥𝔬𝔫𝔢𝔰𝔱", "hone\u017ft"),
    ],
)
def test_names_that_look_alike_are_one_group(other):
    assert lookalikes(["aurora", "honest", other]) == [sorted(["honest", other])]


@pytest.mark.parametrize(
    "names",
    [
        ["resume", "r\u00e9sum\u00e9"],
        ["Honest", "honest"],
        ["\u0447\u0435\u0441\u0442\u043d\u044b\u0439", "honest"],
        ["\u6f22", "\u5b57"],
    ],
)
def test_names_that_look_different_are_none(names):
    assert lookalikes(names) == []


@given(st.text(st.sampled_from("abcehopxyABCEHIKMOPTX-123"), min_size=1, max_size=20), st.data())
def test_a_letter_of_another_script_never_hides_a_twin(name, data):
    others = {}
    for number, latin in _LATIN.items():
        others.setdefault(latin, []).append(chr(number))
    twin = "".join(data.draw(st.sampled_from([sign, *others.get(sign, [])])) for sign in name)
    assert skeleton(twin) == name
    assert bool(lookalikes([name, twin])) == (name != twin)


@given(st.text(max_size=40))
def test_a_skeleton_is_its_own(name):
    assert skeleton(skeleton(name)) == skeleton(name)


def test_letters_of_the_table_are_of_other_scripts():
    for number, latin in _LATIN.items():
        assert unicodedata.name(chr(number)).split()[0] in ("CYRILLIC", "GREEK", "ARMENIAN")
        assert unicodedata.name(latin).split()[0] in ("LATIN", "DIGIT")


def test_the_report_names_them():
    some = fixtures.frames(40)
    title = "names look alike"
    assert not [w for w in overview.warnings(some) if title in w.title]
    name = some.runs["agent"].iloc[0]
    letter = next(sign for sign in name if sign in _LATIN.values())
    twin = name.replace(letter, next(chr(n) for n, latin in _LATIN.items() if latin == letter), 1)
    pairs = some.pairs.copy()
    pairs.loc[some.runs.index[some.runs["agent"] == name][0], "agent"] = twin
    (told,) = [
        warned
        for warned in overview.warnings(dataclasses.replace(some, pairs=pairs))
        if title in warned.title
    ]
    assert (told.level, told.title) == ("mild", "2 agents whose names look alike")
    assert f"{twin} (with CYRILLIC SMALL LETTER" in told.text
