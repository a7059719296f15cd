"""Every mode, property and relation looks at every kind of result, right or wrong."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from biomlbench.outcomes import Fault, Severity, Suite, fault_of
from biomlbench.sandbox.codec import decode, encode
from biomlbench.verify import modes, properties, relations
from biomlbench.verify.config import Check
from biomlbench.verify.judging import Judge, Results
from biomlbench.verify.library import Library
from biomlbench.verify.oracle import Oracle
from biomlbench.verify.plan import Plan, PlannedCase, UnitSpec

HIDDEN = Suite.HIDDEN
RESULTS = {
    "none": None,
    "nan": float("nan"),
    "truth": np.bool_(True),
    "huge": 10**400,
    "complex": 1 + 2j,
    "text": "",
    "matrix": np.eye(2),
    "empty": np.zeros((0, 3)),
    "words": np.array(["a", "bb"]),
    "times": np.array(["2020-01-01", "NaT"], "datetime64[D]"),
    "ragged": [[1], [2, float("inf")], ()],
    "mixed": [1, "a", None, True],
    "nested": (1, (2, {"a": np.arange(2.0), "b": [np.nan]})),
    "records": [{"id": "x", "v": 1.0}, {"id": "y", "v": None}],
    "set": frozenset({1, "a"}),
    "frame": pd.DataFrame({"a": [1, 2]}),
}
CALLS = [PlannedCase(name, HIDDEN, "f", (), {}, name) for name in ("base", "variant")]
INPUTS = {"x": np.arange(3.0), "m": np.array([1, 0, 1])}
INFO = {
    "permutation": [1, 0],
    "length": 2,
    "times": 2,
    "factor": 2.0,
    "newly_masked": [True, False],
}
NEEDED = {
    "masked_entries_zero": {"mask": "m"},
    "permutation_of_input": {"of": "x"},
    "conserves_sum": {"total": 1.0},
    "same_shape_as": {"of": "x"},
    "shifted": {"by": 1.0},
}


def check(mode, name="", **options):
    options = {key: value for key, value in options.items() if value is not None}
    told = f"{mode} {name} {options}"
    return Check(told, mode, Severity.CRITICAL, (HIDDEN,), 1.0, ("p",), options=options)


CHECKS = [
    *(check("exact_match", **{key: True}) for key in ("dtype", "types", "unordered")),
    *(check("numeric_tolerance", **{key: 1e-6}) for key in ("atol", "rtol", "scale_rtol", "ulp")),
    *(check("shape_guard", **{key: True}) for key in ("types", "lengths_free", "finite")),
    *(
        check("property_based", name, property={"name": name, **NEEDED.get(name, {})})
        for name in properties.__all__
    ),
    *(
        check("metamorphic", name, transform="same_again",
              relation={"name": name, **NEEDED.get(name, {})})
        for name in relations.__all__
    ),
]  # fmt: skip
OWN = ("exact_match", "numeric_tolerance", "shape_guard")


def judged(right, given):
    """Return the row of each check for a candidate's result, and that of the oracle."""
    right, given = (decode(encode(RESULTS[name])) for name in (right, given))
    units = {
        (one.name, HIDDEN): (UnitSpec("base", ("variant",) * (one.mode == "metamorphic"), INFO),)
        for one in CHECKS
    }
    plan = Plan(tuple(CALLS), units, {case.id: INPUTS for case in CALLS})
    oracle = Oracle({case.id: right for case in CALLS}, {}, "")
    outputs = {case.id: SimpleNamespace(status="ok", value=given) for case in CALLS}
    card = SimpleNamespace(checks=CHECKS, library=Library())
    return [(one, Judge(card, plan, oracle, Results(outputs)).check(one, HIDDEN)) for one in CHECKS]


def test_all_modes_are_tried():
    assert {one.mode for one in CHECKS} == set(modes.all_modes())


@pytest.mark.parametrize("right", RESULTS)
def test_what_the_reference_gives_is_blamed_on_nobody_who_gives_it(right):
    for one, row in judged(right, right):
        assert fault_of(row.reason) is not Fault.SUBMISSION, row
        # what is compared with the oracle is equal to itself; frames are nothing to return
        if one.mode in OWN and "finite" not in one.options and right != "frame":
            assert row.outcome == "passed", row


@pytest.mark.parametrize("right", RESULTS)
def test_whatever_is_given_there_is_a_row_and_it_says_why(right):
    for given in RESULTS:
        for _, row in judged(right, given):
            assert row.message.strip()
            assert (row.outcome == "passed") == (row.reason == "ok")
            # only what the reference itself passes is asked of others
            if row.outcome == "error":
                assert fault_of(row.reason) in (Fault.TASK, Fault.GRADER)
