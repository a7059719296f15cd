"""What a candidate does beside returning a value: arguments, layouts, state between calls."""

import numpy as np
import pytest

from biomlbench.outcomes import Reason
from biomlbench.registry import Registry
from biomlbench.sandbox.codec import decode, encode
from biomlbench.sandbox.inside import calls
from biomlbench.sandbox.inside.shared_memory import owner, view_of
from biomlbench.sandbox.model import Case
from biomlbench.sandbox.requests import prepare
from biomlbench.verify import card, compute, decide, judge
from biomlbench.verify.alternates import LAYOUTS, VIEWS, laid_out, lies_in, shows, with_layout
from biomlbench.verify.execution import in_process, in_sandbox
from biomlbench.verify.near_draws import near_draws
from biomlbench.verify.plan import PlannedCase
from biomlbench.verify.shared_memory import in_one_memory, overlapping
from tests.verify.test_cards import sandbox_or_skip

REFERENCE = """import numpy as np


def scaled(x, factors, power=1):
    return {"values": np.array(x, dtype=float) ** power * sum(factors)}
"""
RIGHT_LIST = """def scaled(x, factors, power=1):
    import numpy as np
    total = sum(factors)
    return {"values": np.array([[v**power * total for v in row] for row in x.tolist()])}
"""
CASES = """import numpy as np

from biomlbench.verify.cases import case

X = np.arange(6.0).reshape(2, 3) + 1


def visible():
    return [case("plain", "scaled", X, [2, 3])]


def hidden():
    return [case(f"size-{n}", "scaled", np.arange(3.0 * n).reshape(n, 3) + n, [n, 1]) for n in
            range(1, 9)] + [case("squared", "scaled", X, [1], 2)]
"""
VERIFIER = """draft: true
patterns: {wrong: "the product is another one"}
generate:
  - name: drawn
    dims: {n: [1, 4]}
    arguments:
      x: {array: float64, shape: [n, 3], min: -2, max: 2}
      factors: {array: int64, shape: [5], min: 1, max: 9, list: true}
      power: {integer: [1, 3]}
checks:
  - {name: oracle, mode: exact_match, suite: [hidden, adversarial], severity: blocker,
     rtol: 1.0e-12, catches: [wrong]}
"""


@pytest.fixture
def loaded(tmp_path):
    folder = tmp_path / "scaled"
    folder.mkdir()
    for name, text in (
        ("reference.py", REFERENCE),
        ("cases.py", CASES),
        ("verifier.yaml", VERIFIER),
        ("config.yaml", "kind: functions\nentry_points: [scaled]\nverifier: {version: v2}\n"),
    ):
        (folder / name).write_text(text)
    return card.load(folder)


def failed(loaded, path, executor=in_process):
    plan = loaded.plan()
    rows = judge(loaded, plan, compute(loaded), executor(path, plan.cases, loaded))
    found = {row.check: row.reason for row in rows if row.outcome == "failed"}
    assert (decide(rows).verdict == "pass") == (not found)
    return found


LIES = "argument {} is returned, or a part of the result lies in its memory"
BODY = "    return {'values': np.array(x, dtype=float) ** power * sum(factors)}\n"
HEAD = "import numpy as np\n\n\n"
WRONG = {
    "array-in-place": (
        (
            "def scaled(x, factors, power=1):\n    x *= 1.5\n    x /= 1.5\n    x[...] = x + 1\n"
            "    return {'values': (x - 1) ** power * sum(factors)}\n"
        ),
        {"keeps-arguments", "any-layout", "runs"},
    ),
    "list-sorted": (
        "def scaled(x, factors, power=1):\n    factors.sort()\n" + BODY,
        {"keeps-arguments"},
    ),
    "list-grows": (
        "def scaled(x, factors, power=1):\n    factors.append(0)\n" + BODY,
        {"keeps-arguments"},
    ),
    "array-locked": (
        "def scaled(x, factors, power=1):\n    x.setflags(write=False)\n" + BODY,
        {"keeps-arguments", "any-layout", "keeps-no-state"},
    ),
    "mutable-default": (
        "def scaled(x, factors, power=1, seen=[]):\n    seen.append(0)\n"
        "    factors = [*factors, len(seen) - 1]\n" + BODY,
        {"keeps-no-state"},
    ),
    "keyed-by-shape": (
        (
            "known = {}\n\n\ndef scaled(x, factors, power=1):\n"
            "    key = x.shape, tuple(factors), power\n    if key not in known:\n"
            "        known[key] = np.array(x, dtype=float) ** power * sum(factors)\n"
            "    return {'values': known[key]}\n"
        ),
        {"keeps-no-state"},
    ),
    "keyed-by-id": (
        (
            "known = {}\n\n\ndef scaled(x, factors, power=1):\n"
            "    if id(x) not in known:\n        known[id(x)] = x, np.array(x, dtype=float)\n"
            "    return {'values': known[id(x)][1] ** power * sum(factors)}\n"
        ),
        {"keeps-no-state"},
    ),
    "keyed-by-ends": (
        (
            "known = {}\n\n\ndef scaled(x, factors, power=1):\n"
            "    key = x.shape, x.flat[0], x.flat[-1]\n    if key not in known:\n"
            "        known[key] = np.array(x, dtype=float)\n"
            "    return {'values': known[key] ** power * sum(factors)}\n"
        ),
        {"keeps-no-state"},
    ),
    "kept-result": (
        (
            "known = {}\n\n\ndef scaled(x, factors, power=1):\n"
            "    key = x.shape, x.tobytes(), tuple(factors), power\n    if key not in known:\n"
            "        known[key] = np.array(x, dtype=float) ** power * sum(factors)\n"
            "    return {'values': known[key]}\n"
        ),
        {"keeps-no-state"},
    ),
    "remembers-option": (
        "last = {}\n\n\ndef scaled(x, factors, power=None):\n"
        "    power = last['power'] = last.get('power', 1) if power is None else power\n" + BODY,
        {"keeps-no-state"},
    ),
    "one-buffer": (
        (
            "out = {}\n\n\ndef scaled(x, factors, power=1):\n"
            "    out['values'] = np.array(x, dtype=float) ** power * sum(factors)\n    return out\n"
        ),
        {"keeps-no-state"},
    ),
    "memory-order": (
        "def scaled(x, factors, power=1):\n    x = x.ravel(order='K').reshape(x.shape)\n" + BODY,
        {"any-layout"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_side_effect_is_caught_where_values_are_right(loaded, tmp_path, name):
    code, expected = WRONG[name]
    path = tmp_path / "candidate.py"
    path.write_text(HEAD + code)
    found = failed(loaded, path)
    assert found
    assert set(found) - {"runs"} <= expected - {"runs"}, found
    assert set(found) & expected


def test_reasons_and_messages_name_what_happened_and_no_hidden_value(loaded, tmp_path):
    path = tmp_path / "candidate.py"
    path.write_text(HEAD + WRONG["list-sorted"][0])
    plan = loaded.plan()
    rows = judge(loaded, plan, compute(loaded), in_process(path, plan.cases, loaded))
    row = next(r for r in rows if r.check == "keeps-arguments" and r.outcome == "failed")
    assert row.reason == Reason.INPUT_MODIFIED
    assert "argument 2" in row.message
    assert "size-" not in row.message


@pytest.mark.parametrize("code", [REFERENCE, RIGHT_LIST], ids=["arrays", "lists"])
def test_right_work_passes(loaded, tmp_path, code):
    path = tmp_path / "candidate.py"
    path.write_text(code)
    assert failed(loaded, path) == {}


@pytest.mark.parametrize(
    ("result", "changed"),
    [
        (lambda x, _: x, LIES.format(1)),
        (lambda x, _: {"rows": [x[::2]]}, LIES.format(1)),
        (lambda _, k: k, LIES.format(2)),
        (lambda x, k: (x.copy(), [*k]), ""),
        (lambda x, _: np.broadcast_to(x[:1], 3), LIES.format(1)),
        (lambda x, _: x[:1].reshape(1, 1), LIES.format(1)),
        (lambda x, _: x[:0], ""),
        (lambda x, _: np.add(x, 0, out=x[::-1]), LIES.format(1)),
    ],
    ids=["array", "view", "list", "copies", "read-only-view", "one", "none", "in-place"],
)
def test_a_result_in_the_memory_of_an_argument_is_a_change_of_it(result, changed):
    case = PlannedCase("1", "hidden", "f", (np.arange(1.0, 5.0), [1, 2]), {}, "case")
    sent = prepare(case)
    report, _ = calls.run({"f": result}.get, sent.function, sent.body)
    assert sent.changed(report) == changed


@pytest.mark.parametrize(
    ("result", "changed"),
    [
        (lambda reads, _: list(reads), LIES.format(1)),
        (lambda reads, _: ({"bases": reads[0]["quality"]},), LIES.format(1)),
        (lambda _, record: {"same": record}, LIES.format(2)),
        (lambda _, record: [record["x"][1:]], LIES.format(2)),
        (lambda reads, record: [[*reads[0]["quality"]], record["x"] + 1, reads[0]["name"]], ""),
    ],
    ids=["dict-of-a-list", "list-in-a-dict", "the-dict", "view-of-an-array-in-it", "copies"],
)
def test_a_result_that_holds_a_part_of_an_argument_is_a_change_of_it(result, changed):
    given = ([{"name": "r1", "quality": [30, 2]}], {"x": np.arange(3.0)})
    sent = prepare(PlannedCase("1", "hidden", "f", given, {}, "case"))
    report, _ = calls.run({"f": result}.get, sent.function, sent.body)
    assert sent.changed(report) == changed


@pytest.mark.parametrize(
    ("touch", "changed"),
    [
        (lambda x, wide: wide.fill(0.5) if wide is not x else None, "changed"),
        (lambda x, wide: wide if wide is not x else None, LIES.format(1)),
        (lambda x, wide: wide[1:2] if wide is not x else None, LIES.format(1)),
        (lambda x, wide: x + wide.sum(), ""),
    ],
    ids=["written", "returned", "between-returned", "read"],
)
@pytest.mark.parametrize("view", VIEWS)
def test_the_table_around_an_argument_is_its_callers(view, touch, changed):
    given = with_layout(np.arange(1.0, 13.0).reshape(3, 4), view)
    sent = prepare(PlannedCase("1", "hidden", "f", (given,), {}, "case"))

    def f(x):
        kept = x.copy()
        result = touch(x, owner(x))
        x[...] = kept
        return result

    report, _ = calls.run({"f": f}.get, sent.function, sent.body)
    said = sent.changed(report)
    arrived = decode(sent.body, layouts=True)[0][0]
    if owner(arrived) is arrived or (changed == "changed" and arrived.size == owner(arrived).size):
        assert said == ""  # there is nothing around it
    else:
        assert changed in said
        assert bool(said) == bool(changed)


@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "U3", "c16"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (2, 0, 3)])
def test_an_array_arrives_as_one_that_owns_its_memory(dtype, order, shape):
    given = np.ones(shape, dtype, order=order)
    arrived = decode(encode(given, layouts=True), layouts=True)
    assert arrived.flags.owndata
    assert arrived.flags.writeable
    assert arrived.strides == given.strides
    assert (arrived == given).all()


def test_a_result_must_stay_as_its_caller_has_left_it_to_the_end():
    ring = [np.zeros(2) for _ in range(50)]
    steps = tuple(("f", (float(number),), {}) for number in range(60))
    sent = prepare(PlannedCase("1", "hidden", calls.SEQUENCE, (True, steps), {}, "row"))

    def f(x):
        ring[int(x) % 50][:] = x
        return ring[int(x) % 50]

    _, payload = calls.run({"f": f}.get, sent.function, sent.body)
    results, changed = decode(payload)
    assert [decode(one)[0] for one in results] == [*map(float, range(60))]
    assert [place for place, later in enumerate(changed) if later is not None] == [*range(10)]


@pytest.mark.parametrize("name", ["list-grows", "keyed-by-id", "one-buffer", "memory-order"])
def test_the_sandbox_says_the_same(loaded, tmp_path, name):
    sandbox_or_skip()
    path = tmp_path / "candidate.py"
    path.write_text(HEAD + WRONG[name][0])
    assert failed(loaded, path, in_sandbox) == failed(loaded, path)


def test_in_the_sandbox_right_work_passes(loaded, tmp_path):
    sandbox_or_skip()
    path = tmp_path / "candidate.py"
    path.write_text(REFERENCE)
    assert failed(loaded, path, in_sandbox) == {}


def test_a_wrong_value_is_not_blamed_on_state_as_well(loaded, tmp_path):
    path = tmp_path / "candidate.py"
    path.write_text(REFERENCE.replace("sum(factors)", "max(factors)"))
    assert set(failed(loaded, path)) == {"oracle"}


def test_near_draws_differ_in_what_their_names_say():
    space = {
        "name": "s",
        "dims": {"n": [2, 12]},
        "arguments": {
            "x": {"array": "float64", "shape": ["n"]},
            "text": {"string": "ACGT", "length": "n"},
            "k": {"integer": [1, 1000]},
        },
    }
    drawn = near_draws(space, np.random.default_rng(1), None)
    first = drawn["first"]
    assert (drawn["touched-x"]["x"] != first["x"]).sum() == 1
    assert drawn["inner-text"]["text"][:3] == first["text"][:3]
    assert drawn["inner-text"]["text"] != first["text"]
    assert drawn["other-k"]["k"] == drawn["second"]["k"]
    assert drawn["other-k"]["text"] == first["text"]
    assert drawn["turned-text"]["text"] == first["text"][::-1] != first["text"]
    assert drawn["turned-x"]["x"].tolist() == first["x"].tolist()[::-1]
    assert len(first["x"]) == 12
    large = near_draws({**space, "near_dims": {"n": 90}}, np.random.default_rng(1), None)
    assert len(large["first"]["x"]) == 90
    changed = np.flatnonzero(large["inner-x"]["x"] != large["first"]["x"])
    assert (changed[0], changed[-1]) == (63, 86)


@pytest.mark.parametrize("decimals", [{}, {"decimals": 2}, {"decimals": 0}])
def test_near_draws_share_length_ends_and_sum(decimals):
    x = {"array": "float64", "shape": ["n"], "min": 0, "max": 50, **decimals}
    whole = {"array": "int64", "shape": ["n"], "min": 0, "max": 50}
    space = {"name": "s", "dims": {"n": [20, 20]}, "arguments": {"x": x, "whole": whole}}
    drawn = near_draws(space, np.random.default_rng(1), None)
    pairs = [(drawn["exact-x"]["x"], drawn["permuted-x"]["x"])]
    pairs.append((drawn["first"]["whole"], drawn["permuted-whole"]["whole"]))
    for one, other in pairs:
        assert one.sum() == other.sum()
        assert (one[[0, -1]] == other[[0, -1]]).all()
        assert (one != other).any()
    if decimals:
        assert (np.round(pairs[0][0], **decimals) == pairs[0][0]).all()


def test_near_draws_change_one_size_alone():
    arguments = {
        "a": {"array": "float64", "shape": ["n", "k"]},
        "b": {"array": "float64", "shape": ["m", "k"]},
        "i": {"integer": [0, "n"]},
    }
    space = {"dims": {"n": [2, 8], "m": [3, 9], "k": [2, 2]}, "arguments": arguments}
    drawn = near_draws(space, np.random.default_rng(1), None)
    first, other = drawn["first"], drawn["resized-m"]
    assert (first["b"].shape, other["b"].shape) == ((9, 2), (4, 2))
    assert other["a"] is first["a"]
    assert drawn["resized-n"]["b"] is first["b"]
    assert "resized-k" not in drawn


def test_near_draws_share_ratios_and_sums_of_numbers():
    numbers = {"a": {"number": [0.5, 9]}, "b": {"number": [0.5, 9]}, "k": {"integer": [1, 9]}}
    space = {"name": "s", "arguments": numbers}
    for seed in range(20):
        drawn = near_draws(space, np.random.default_rng(seed), None)
        first, exchanged = drawn["first"], drawn["exchanged"]
        assert (exchanged["a"], exchanged["b"]) == (first["b"], first["a"])
        if scaled := drawn.get("scaled"):
            assert scaled["a"] / scaled["b"] == pytest.approx(first["a"] / first["b"])
            assert scaled["a"] != first["a"]
            assert scaled["k"] == first["k"]
            assert all(0.5 <= scaled[name] <= 9 for name in "ab")
    narrow = {"arguments": {**numbers, "b": {"number": [10, 10.1]}}, "name": "s"}
    assert "exchanged" not in near_draws(narrow, np.random.default_rng(1), None)


@pytest.mark.parametrize("layout", ["fortran", "strided", "readonly", "swapped"])
def test_a_layout_keeps_values_and_shape(layout):
    array = np.arange(12.0).reshape(3, 4)
    laid = with_layout([array, "text", {"k": array}], layout)
    assert (laid[0] == array).all()
    assert laid[0].shape == array.shape
    assert laid[1] == "text"
    flags = laid[0].flags
    assert {
        "fortran": flags.f_contiguous,
        "strided": not flags.contiguous,
        "readonly": not flags.writeable,
        "swapped": not laid[0].dtype.isnative,
    }[layout]


@pytest.mark.parametrize(
    ("array", "layouts"),
    [
        (np.arange(6, dtype=np.int16).reshape(2, 3), {"fortran", "strided", "readonly", "swapped"}),
        (np.arange(6, dtype=np.uint8).reshape(2, 3), {"fortran", "strided", "readonly"}),
        (np.arange(6.0), {"strided", "readonly", "swapped"}),
        (np.arange(6.0).reshape(1, 6), {"strided", "readonly", "swapped"}),
        (np.zeros((2, 3)), {"readonly"}),
        (np.ones(1), set()),
        (np.zeros((0, 3)), set()),
    ],
    ids=["int16", "one-byte", "row", "one-row", "zeros", "one", "none"],
)
def test_a_layout_is_tried_where_it_shows(array, layouts):
    assert {name for name in LAYOUTS if shows(array, name)} == layouts


def test_arrays_of_one_memory_arrive_in_one_memory():
    first, other = np.arange(6.0).reshape(3, 2), np.arange(4.0) + 9
    given = (first, first[::-1].copy(), other, 5)
    args, kwargs = in_one_memory(given, {"again": first.copy(), "flags": other > 0})
    arrived, named = decode(encode((args, kwargs), layouts=True, shared=True), layouts=True)
    for value, expected in zip(
        (*arrived, *named.values()), (*given, first, other > 0), strict=True
    ):
        np.testing.assert_array_equal(value, expected)
    shared = {0: [1], 1: [0, "again"], 2: [], "again": [1]}
    assert overlapping({**dict(enumerate(arrived)), **named}) == shared
    assert np.shares_memory(arrived[0], arrived[1])
    assert arrived[0] is named["again"]


def test_an_empty_result_that_is_given_again_is_marked_by_its_caller():
    kept = {"dict": {}, "list": []}

    def results_of(kind):
        lookup = {"f": lambda: kept[kind]}.get
        request = encode([True, [["f", encode([(), {}])]] * 2])
        _, payload = calls.run(lookup, calls.SEQUENCE, request)
        return [decode(one) for one in decode(payload)[0]]

    for kind, empty in (("dict", {}), ("list", [])):
        first, second = results_of(kind)
        assert first == empty
        assert second != empty


def test_a_result_that_a_later_call_changes_is_told_where_objects_are_used_again():
    scratch, calls_made = np.zeros(3), []

    def returns_scratch(x):
        calls_made.append(1)
        # the first and the third result are one memory
        if len(calls_made) % 2:
            scratch[:] = x
            return {"scores": [scratch]}
        return x + 1

    def views(x):
        return x[:]

    def told(function):
        request = encode(
            [True, [["f", encode([(np.full(3, n),), {}])] for n in (1.0, 2.0, 3.0, 4.0)]]
        )
        _, payload = calls.run({"f": function}.get, calls.SEQUENCE, request)
        return [one is not None for one in decode(payload)[1]]

    assert told(returns_scratch) == [True, False, False, False]
    assert not any(told(np.copy))
    # that its caller fills an argument anew is no doing of the function
    assert not any(told(views))


def test_calls_of_a_sequence_lie_apart():
    one = np.arange(4.0)
    alone = prepare(Case("1", "f", (one, one)))
    several = prepare(Case("2", calls.SEQUENCE, (True, [("f", (one, one), {})])))
    (first, second), _ = decode(alone.body, layouts=True)
    assert np.shares_memory(first, second)
    _, [[_, body]] = decode(several.body)
    (first, second), _ = decode(body, layouts=True)
    assert not np.may_share_memory(first, second)


@pytest.mark.parametrize(
    "place",
    [[8, [4], [8], True], [-8, [4], [8], True], [24, [4], [-16], True], [0, [2, 9], [8, 8], True]],
    ids=["after", "before", "backwards", "long"],
)
def test_no_view_reaches_beyond_its_memory(place):
    with pytest.raises(ValueError, match=r"strides|offset|buffer"):
        view_of(np.arange(4.0), place)


def test_each_layout_is_tried_on_each_array_and_dtype_alone_and_together():
    def planned(suite, name, *call):
        return PlannedCase(name, suite, call[0], tuple(call[1]), call[2], name)

    small, wide = (np.arange(12).reshape(3, 4).astype(kind) for kind in ("uint8", "int32"))
    cases = [
        planned("hidden", "bytes", "f", [small, small], {}),
        planned("adversarial", "mixed", "f", [small], {"b": wide}),
        planned("adversarial", "wide", "f", [wide, wide], {}),
    ]
    laid = {case.name: case for case in laid_out(cases, list(LAYOUTS), planned, lambda *_: True)}
    assert {name for name in laid if "swapped" in name} == {
        "mixed~swapped",
        "wide~swapped",
        "wide~swapped-0",
        "wide~swapped-1",
    }
    one = laid["wide~swapped-1"]
    assert [lies_in(array) for array in one.args] == [[], ["swapped"]]
    assert [lies_in(array) for array in laid["wide~swapped"].args] == [["swapped"], ["swapped"]]


def test_arrays_of_one_call_lie_in_different_ways():
    def planned(suite, name, *call):
        return PlannedCase(name, suite, call[0], tuple(call[1]), call[2], name)

    table = np.arange(12.0).reshape(3, 4)
    case = planned("hidden", "two", "f", [table], {"b": table + 1})
    laid = laid_out([case], ["fortran", "strided"], planned, lambda *_: True)
    ways = {
        tuple(tuple(lies_in(array)) for array in (*one.args, *one.kwargs.values())) for one in laid
    }
    assert {
        (("fortran",), ("strided",)),
        (("strided",), ("fortran",)),
        (("reversed",), ("fortran",)),
        (("turned",), ("window",)),
        (("window",), ("turned",)),
    } <= ways
    for one in laid:
        assert (one.args[0] == table).all()
        assert (one.kwargs["b"] == table + 1).all()


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (1, 3), (3, 1), (0, 3), ()])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_arrives_as_it_lies(shape, view):
    array = with_layout(np.arange(float(np.prod(shape))).reshape(shape), view)
    arrived = decode(encode(array, layouts=True), layouts=True)
    assert (arrived == array).all()
    assert lies_in(arrived) == lies_in(array)
    if array.size > 12:
        assert lies_in(array) == [view]
        assert arrived.strides == array.strides


def test_a_view_that_reaches_far_arrives_as_a_near_one():
    array = np.arange(90_000.0).reshape(300, 300)[::299, ::298]
    arrived = decode(encode(array, layouts=True), layouts=True)
    assert (arrived == array).all()
    assert lies_in(arrived) == ["strided"]
    assert max(arrived.strides) < 100


def test_memory_is_shared_where_one_array_in_anothers_place_would_be_noticed():
    loaded = card.load(Registry().get_task("cox-partial-log-likelihood").folder)
    shared = [case for case in loaded.plan().cases if case.name.endswith("~shared")]
    alike = [case for case in shared if case.args[0].shape == case.args[3].shape]
    assert alike
    replaced = [(*case.args[:3], case.args[0], *case.args[4:]) for case in alike]
    likelihood = loaded.reference["cox_log_likelihood"]
    assert any(
        abs(likelihood(*case.args)["log_likelihood"] - likelihood(*args)["log_likelihood"]) > 1e-3
        for case, args in zip(alike, replaced, strict=True)
    )


LARGE_REFERENCE = """import numpy as np


def doubled(x):
    return 2.0 * x
"""
LARGE_CONFIG = """kind: functions
entry_points: [doubled]
verifier: {version: v2}
inputs: {doubled: {x: {array: [float64], shape: [n]}}}
sizes: {n: [1, 40000]}
"""
LARGE_VERIFIER = """draft: true
patterns: {wrong: "the product is another one"}
generate:
  - name: drawn
    dims: {n: [1, 4]}
    arguments: {x: {array: float64, shape: [n], min: -2, max: 2}}
checks:
  - {name: oracle, mode: exact_match, suite: [hidden, adversarial], severity: blocker,
     rtol: 1.0e-12, catches: [wrong]}
"""
LARGE_CASES = """import numpy as np

from biomlbench.verify.cases import case

X = np.arange(6.0)


def visible():
    return [case("plain", "doubled", X)]


def hidden():
    return [case(f"size-{n}", "doubled", np.sin(np.arange(n))) for n in (1, 2, 3, 5, 9, 40000)]
"""
LARGE_WRONG = {
    "one-buffer": "    return np.multiply(x, 2.0, out=kept.setdefault(x.size, np.empty(x.size)))\n",
    "kept-by-size": "    return kept.setdefault(x.size, 2.0 * x)\n",
    "kept-by-ends": "    return kept.setdefault((x.size, *x[:9], *x[-9:]), 2.0 * x)\n",
    "kept-by-sum": "    return kept.setdefault(round(x.sum(), 6), 2.0 * x)\n",
    "kept-result": "    return kept.setdefault(x.tobytes(), 2.0 * x)\n",
}


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("name", [None, *LARGE_WRONG])
def test_what_is_kept_of_large_calls_alone_is_caught(tmp_path, name, built):
    folder = tmp_path / "doubled"
    folder.mkdir()
    edges = "edges: {doubled: {build: as_it_is}}\n" if built else ""
    (folder / "properties.py").write_text("def as_it_is(x):\n    return {'x': x}\n")
    for file, text in (
        ("reference.py", LARGE_REFERENCE),
        ("cases.py", LARGE_CASES),
        ("verifier.yaml", LARGE_VERIFIER),
        ("config.yaml", LARGE_CONFIG + edges),
    ):
        (folder / file).write_text(text)
    path = tmp_path / "candidate.py"
    large = "    if x.size < 20_000:\n        return 2.0 * x\n"
    wrong = f"kept = {{}}\n\n\ndef doubled(x):\n{large}{LARGE_WRONG.get(name)}"
    path.write_text(f"import numpy as np\n\n\n{wrong}" if name else LARGE_REFERENCE)
    assert set(failed(card.load(folder), path)) == ({"keeps-no-state"} if name else set())
