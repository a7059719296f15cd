"""The loader refuses a card that breaks a rule, and says file, line and rule."""

import json
import pickle
from pathlib import Path

import pytest

from biomlbench.errors import TaskError
from biomlbench.verify import card, schema
from biomlbench.verify.config import VerifierError
from biomlbench.verify.declarations import INPUTS_SCHEMA, ArgumentSpec, EdgesSpec, QuantitySpec
from biomlbench.verify.space import SPACE_SCHEMA, DrawnSpec, Space

ROOT = Path(__file__).parents[2]


def refused(folder, rule, name="verifier.yaml"):
    with pytest.raises(VerifierError) as caught:
        card.load(folder).plan()
    error = caught.value
    assert error.rule == rule
    assert error.path.name == name
    assert f"{error.path}:{error.line}: [{rule}]" in str(error)
    return error


def line_of(folder, text, name="verifier.yaml"):
    lines = (folder / name).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_the_template_loads(template):
    loaded = card.load(template)
    assert loaded.version == "v2"
    assert len(loaded.plan().cases) > 30


def test_unknown_key(template, change):
    change(template, "    kind: number", "    knid: number")
    error = refused(template, "schema")
    assert "knid" in str(error)


def test_unknown_mode(template, change):
    change(template, "mode: shape_guard", "mode: shape_gaurd")
    error = refused(template, "schema")
    assert error.line == line_of(template, "shape_gaurd")


def test_repeated_key(template, change):
    change(template, "complex: true", "complex: true\ncomplex: false")
    assert "gives the key `complex` twice" in str(refused(template, "yaml"))


def test_not_yaml(template):
    (template / "verifier.yaml").write_text("checks: [")
    refused(template, "yaml")


def test_repeated_name(template, change):
    change(template, "name: edge-cases", "name: oracle")
    refused(template, "unique-names")


@pytest.mark.parametrize(
    ("name", "key", "origin"),
    [
        (
            "drawn-2",
            "generate:",
            "the spaces of `generate`, which name what they draw `<space>-",
        ),
        ("drawn-first", "generate:", "the spaces of `generate`"),
        ("edge-gc_content-0-interplay-0", "checks:", "the edge cases"),
        ("plain-3~complement~0", "checks:", "what is made of other cases"),
    ],
)
def test_a_case_that_is_called_as_another_is_told_with_its_name(
    template, change, name, key, origin
):
    change(template, 'case("empty"', f'case("{name}"', "cases.py")
    error = refused(template, "unique-names")
    assert error.line == line_of(template, key)
    told = f"2 planned cases are called `{name}`: 1 from cases.py and 1 from {origin}"
    assert told in str(error)


def test_hidden_cases_need_an_exact_match(template, change):
    text = (template / "verifier.yaml").read_text()
    text = text.replace("mode: exact_match", "mode: numeric_tolerance")
    (template / "verifier.yaml").write_text(text)
    error = refused(template, "hidden-exact-match")
    assert "float_drift" in str(error)
    change(template, "complex: true", "complex: true\nfloat_drift: division rounds differently")
    assert card.load(template).verifier.float_drift


def test_an_exact_match_is_tight(template, change):
    change(template, "rtol: 1.0e-12", "rtol: 1.0e-6")
    refused(template, "schema")


def test_declared_drift_needs_a_numeric_check(template, change):
    text = (template / "verifier.yaml").read_text()
    text = text.replace("suite: hidden", "suite: adversarial")
    (template / "verifier.yaml").write_text(text)
    change(template, "complex: true", "complex: true\nfloat_drift: division rounds differently")
    assert refused(template, "hidden-exact-match").line == line_of(template, "float_drift")


def test_a_tolerance_needs_a_property(template, change):
    change(template, "mode: exact_match\n    suite: adversarial",
           "mode: numeric_tolerance\n    suite: adversarial")  # fmt: skip
    change(
        template, "    severity: critical\n    property:", "    severity: advisory\n    property:"
    )
    change(template, "complex: true", "complex: false")
    error = refused(template, "tolerance-needs-property")
    assert error.line == line_of(template, "name: edge-cases")


def test_a_tolerance_needs_a_limit(template, change):
    change(template, "mode: exact_match\n    suite: adversarial\n    severity: critical\n"
           "    rtol: 1.0e-12",
           "mode: numeric_tolerance\n    suite: adversarial\n    severity: critical")  # fmt: skip
    assert "limit above 0" in str(refused(template, "known-names"))


def test_a_shape_guard_never_suffices(template):
    (template / "verifier.yaml").write_text(
        "patterns: {wrong-unit: not a number at all}\n"
        "checks:\n"
        "  - {name: form, mode: shape_guard, severity: blocker, catches: [wrong-unit]}\n"
        "  - {name: tried, mode: exact_match, severity: advisory, catches: [wrong-unit]}\n"
    )
    refused(template, "shape-guard-never-suffices")


@pytest.mark.parametrize("mode", ["property_based", "metamorphic"])
def test_a_complex_task_needs_three_channels(template, mode):
    text = (template / "verifier.yaml").read_text()
    head, tail = text.split("  - name: " + {"property_based": "is-a-share",
                                            "metamorphic": "complement"}[mode])  # fmt: skip
    rest = tail.split("  - name: ", 1)
    (template / "verifier.yaml").write_text(head + ("  - name: " + rest[1] if rest[1:] else ""))
    error = refused(template, "complex-needs-three-channels")
    assert mode in str(error)
    assert error.line == line_of(template, "complex: true")


def test_a_check_names_its_pattern(template, change):
    change(template, "    catches: [wrong-bases]\n", "")
    error = refused(template, "check-names-pattern")
    assert error.line == line_of(template, "name: complement")


def test_a_check_names_a_described_pattern(template, change):
    change(template, "catches: [wrong-unit, empty-fails]", "catches: [wrong-unti, empty-fails]")
    error = refused(template, "check-names-pattern")
    assert error.line == line_of(template, "wrong-unti")


def test_a_pattern_is_caught(template, change):
    change(template, "patterns:", "patterns:\n  new-one: something else goes wrong")
    error = refused(template, "pattern-is-caught")
    assert error.line == line_of(template, "new-one")


def test_a_pattern_has_a_known_bad(template):
    (template / "solutions" / "bad" / "length.py").unlink()
    error = refused(template, "pattern-has-known-bad")
    assert "unknown-counted" in str(error)


def test_a_draft_may_lack_known_bads(template, change):
    (template / "solutions" / "bad" / "length.py").unlink()
    change(template, "complex: true", "complex: true\ndraft: true")
    assert card.load(template).verifier.draft


@pytest.mark.parametrize(
    "header",
    ["", "# pattern: wrong-unit\n", "# pattern: nothing\n# caught_by: oracle\n",
     "# pattern: wrong-unit\n# caught_by: nothing\n",
     "# pattern: empty-fails\n# caught_by: complement\n"],
)  # fmt: skip
def test_a_known_bad_says_what_it_shows_and_what_catches_it(template, header):
    (template / "solutions" / "bad" / "more.py").write_text(header + "x = 1\n")
    refused(template, "known-bad-header", "more.py")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{name: bounded, low: 0, high: 1}", "{name: bonded, low: 0}"),
        ("{name: bounded, low: 0, high: 1}", "{name: bounded, lowest: 0}"),
        ("{name: bounded, low: 0, high: 1}", "masked_entries_zero"),
        ("relation: unchanged", "relation: unchangde"),
        ("transform: complement_bases", "transform: {name: scale, arguments: [x], by: 2}"),
    ],
)
def test_names_and_options_exist(template, change, old, new):
    change(template, old, new)
    refused(template, "known-names")


def test_a_transform_must_fit_its_cases(template, change):
    change(template, "transform: complement_bases", "transform: {name: scale, arguments: [y]}")
    assert "KeyError" in str(refused(template, "transform-fits"))


def test_a_check_looks_at_cases(template, change):
    change(template, "    rtol: 1.0e-12\n    catches: [case-sensitive, unknown-counted, empty",
           "    rtol: 1.0e-12\n    cases: nothing-*\n    catches: [case-sensitive, unknown-counted,"
           " empty")  # fmt: skip
    refused(template, "check-has-cases")


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ("low: 0", "there is no key `low`; did you mean `min`? there are array, shape, min, max"),
        ("high: 9", "there is no key `high`; did you mean `max`? there are array"),
        ("array: [float64]", "['float64'] is a list; write `array: float64`"),
        ("min: [3]", "[3] is not a number or text"),
        ("choice: A", "'A' is not a list; write `choice: [A]`"),
        ("integer: [1]", "[1] is not a list of 2"),
    ],
)
def test_what_an_input_space_may_hold_is_told(template, change, declared, says):
    change(template, "      sequence: {string", f"      sequence: {{{declared}, string")
    error = refused(template, "schema")
    assert f"`generate.0.arguments.sequence{'' if 'no key' in says else '.'}" in str(error)
    assert says in str(error)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("    severity: blocker", "    severity: fatal", "'fatal' is not allowed; use one of"),
        ("    severity: blocker", "    severty: blocker", "`severity` is missing; there are mode"),
        ("complex: true", "complex: yes please", "'yes please' is not true or false"),
        ("complex: true", "complx: true", "no key `complx`; did you mean `complex`? there are"),
    ],
)
def test_what_a_check_may_hold_is_told(template, change, old, new, says):
    change(template, old, new)
    assert says in str(refused(template, "schema"))


def test_an_input_space_must_fit_the_function(template, change):
    change(template, "      sequence: {string", "      sequenc: {string")
    refused(template, "generate")


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("config.yaml", "kind: functions", "kind: predictions", "kind: functions"),
        ("config.yaml", "[gc_content]", "[gc content]", "entry_points"),
        ("config.yaml", "version: v2", "version: v3", "v1, shadow, v2"),
        ("reference.py", "def gc_content", "def gc", "no function `gc_content`"),
        ("reference.py", "def gc_content", "import nothing_there\ndef gc_content", "nothing_there"),
        ("cases.py", 'case("short", F', 'case("short", "other"', "entry points"),
        ("cases.py", 'case("short"', 'case("all"', "two cases"),
    ],
)
def test_other_files_are_checked(template, change, name, old, new, words):
    change(template, old, new, name)
    with pytest.raises(TaskError) as caught:
        card.load(template)
    assert words in str(caught.value)
    assert name in str(caught.value)


def test_v2_needs_a_verifier(template):
    (template / "verifier.yaml").unlink()
    with pytest.raises(TaskError, match="migrate"):
        card.load(template)


def test_errors_survive_a_process_boundary(template, change):
    change(template, "mode: shape_guard", "mode: nothing")
    error = refused(template, "schema")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert copy.line == error.line


def test_the_schema_file_is_the_one_that_the_loader_uses():
    path = ROOT / "workflow" / "schemas" / "verifier.schema.json"
    if not path.exists():
        pytest.skip("not run from a clone")
    assert json.loads(path.read_text()) == schema.build(), (
        "write it anew: python -c 'from pathlib import Path; from biomlbench.verify import "
        'schema; schema.write(Path("workflow/schemas/verifier.schema.json"))\''
    )


def test_the_schema_is_valid_and_describes_every_key():
    from jsonschema import Draft202012Validator

    built = schema.build()
    Draft202012Validator.check_schema(built)
    for mode in ("exact_match", "metamorphic", "numeric_tolerance", "property_based"):
        properties = built["$defs"][mode]["properties"]
        for key in properties.keys() - {"mode"}:
            assert "description" in properties[key] or "enum" in properties[key], key


DECLARED = INPUTS_SCHEMA["properties"]


@pytest.mark.parametrize(
    ("typed", "declared"),
    [
        (ArgumentSpec, DECLARED["inputs"]["additionalProperties"]["additionalProperties"]),
        (QuantitySpec, DECLARED["quantities"]["additionalProperties"]),
        (EdgesSpec, DECLARED["edges"]["additionalProperties"]),
        (Space, SPACE_SCHEMA),
        (DrawnSpec, SPACE_SCHEMA["properties"]["arguments"]["additionalProperties"]),
    ],
)
def test_the_typed_declarations_have_the_keys_of_their_schemas(typed, declared):
    only_of_edges = {"decimals"} if typed is ArgumentSpec else set()
    assert set(typed.__annotations__) - only_of_edges == set(declared["properties"])
