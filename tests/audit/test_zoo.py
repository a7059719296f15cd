"""Every planted flaw is found, and nothing is said of sound tasks but notes."""

from __future__ import annotations

import pytest

from biomlbench.audit import audit_task
from tests.audit.zoo import FLAWED, SOUND

#: Run with the fast tests, one of each door and subject; the others with the slow ones.
QUICK = (
    *("labels_beside_the_test_rows", "inner_join", "a_constant_earns_gold"),
    *("another_task_gives_the_coordinates", "numbered_before_the_first_of_each_class_are_drawn"),
    *("another_task_has_other_rows_of_the_kind", "numbered_after_the_split"),
    *("regression", "ids_renumbered_from_one_on_both_sides"),
)


def cases(names):
    return [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow, id=n) for n in names]


@pytest.mark.parametrize("name", cases(FLAWED))
def test_a_planted_flaw_is_found(name, tmp_path):
    expected, make = FLAWED[name]
    audit = audit_task(make().write(tmp_path))
    found = {finding.name: finding for finding in audit.findings}
    assert expected in found
    assert found[expected].severity != "note"
    assert not [text for text in audit.skipped if "raised" in text]


@pytest.mark.parametrize("name", cases(SOUND))
def test_nothing_is_said_of_a_sound_task(name, tmp_path):
    audit = audit_task(SOUND[name]().write(tmp_path))
    assert [one for one in audit.findings if one.severity != "note"] == []
    assert audit.clean
