"""What every mode of verification must declare, whichever there are."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from biomlbench.outcomes import Fault, fault_of
from biomlbench.verify.cases import SUITES
from biomlbench.verify.modes import all_modes

MODES = list(all_modes().values())


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.MODE)
class TestMode:
    def test_declaration(self, mode):
        assert Path(mode.__file__).stem == mode.MODE
        assert isinstance(mode.SEMANTIC, bool)
        assert isinstance(mode.ORACLE, bool)
        assert mode.SEMANTIC or not mode.ORACLE
        suites = mode.DEFAULT_SUITE
        assert set([suites] if isinstance(suites, str) else suites) <= set(SUITES)
        assert mode.DEFAULT_WEIGHT >= 0
        assert fault_of(mode.REASON) == Fault.SUBMISSION

    def test_options(self, mode):
        assert set(mode.REQUIRED) <= set(mode.OPTIONS)
        for name, option in mode.OPTIONS.items():
            assert len(option["description"]) > 5, name
        schema = {"type": "object", "properties": mode.OPTIONS, "$defs": {"named": {}}}
        jsonschema.Draft202012Validator.check_schema(schema)

    def test_functions_are_described(self, mode):
        assert mode.__doc__.startswith(f"`{mode.MODE}`")
        for name in ("resolve", "claim", "judge"):
            assert getattr(mode, name).__doc__, name


def test_some_modes_look_at_values_and_some_do_not():
    assert {mode.SEMANTIC for mode in MODES} == {True, False}
    assert {mode.ORACLE for mode in MODES if mode.SEMANTIC} == {True, False}
