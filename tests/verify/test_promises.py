"""The linter of declared inputs: it finds what is promised and not tried, or tried and not said."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.cli import main
from biomlbench.registry import Registry
from biomlbench.task.task import is_card
from biomlbench.verify import card, evidence, promises, statement
from biomlbench.verify.statement_section import in_parts
from biomlbench.verify.statement_sentences import OURS


def lint(folder):
    return promises.problems(card.load(folder))


def test_the_template_keeps_its_promises(template):
    assert lint(template) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("config.yaml", "n: [0, 250]", "n: [0, 900]", "no case with size n = 900"),
        ("config.yaml", "n: [0, 250]", "n: [1, 250]", "size n = 0 is outside"),
        ("config.yaml", 'text: ""', "text: ACGT", "holds"),
        ("config.yaml", 'text: "", length: n', "number: int", "not a int of Python"),
        ("cases.py", "\\U0001f9ec", "", "no case for gc_content.sequence: a character beyond 16"),
        ("config.yaml", "sequence:", "letters:", "must name"),
        ("config.yaml", "inputs:", "input:", "declares no `inputs`"),
        ("description.md", "## For all calls", "## Calls", "`biomlbench statement`"),
        ("description.md", "# GC content", "# GC content of 5,000 bases", "speaks of 5,000"),
        ("description.md", "# GC content", "# GC content of 5,000 bases", "under `stated` of"),
        ("config.yaml", "sizes: {n:", "sizes: {m:", "size n = 7 is not declared: give n a line"),
        ("description.md", "| `sequence` |", "| `text` |", "no row for `sequence`"),
        ("description.md", "Returns a float in", "Returns float64 in", "says that float64 is"),
    ],
)
def test_what_is_wrong_is_told(template, change, name, old, new, says):
    change(template, old, new, name)
    found = lint(template)
    assert any(says in problem for problem in found), found


def test_a_card_without_declared_inputs_is_not_calibrated(template, change):
    change(template, "inputs:", "not_inputs:", "config.yaml")
    assert any("declared inputs" in text for text in evidence.matrix(template).missing)


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ("array: [int64], shape: [n]", "dtype float64, not int64"),
        ("array: [float64, float32], shape: [n]", "no case for f.x: dtype float32"),
        ("array: [float64], shape: [n, 3]", "has 1 axes, not 2"),
        ("array: [float64], shape: [4]", "where 4 is 4"),
        ("array: [float64, int32], shape: [m]", "size m = 3 is not declared"),
        ("array: [float64], shape: [n], min: 0", "outside its bounds"),
        ("array: [float64], shape: [n], min: -9", "no case for f.x: min -9"),
        ("array: [float64], shape: [n], above: -1", "which is not above -1"),
        ("array: [float64], shape: [n], nan: true", "no case for f.x: nan"),
        ("array: [float64], shape: [n], optional: true", "no case for f.x: None"),
    ],
)
def test_arrays_are_held_against_dtype_shape_bounds_and_specials(tmp_path, declared, says):
    folder = _card(tmp_path, declared)
    found = lint(folder)
    assert any(says in problem for problem in found), found


@pytest.mark.parametrize(("largest", "told"), [("4", True), ("2**40", False), ("-(2**40)", False)])
def test_whole_numbers_without_bounds_go_beyond_32_bits(tmp_path, largest, told):
    folder = _card(tmp_path, "array: [int64], shape: [n]", x=f"np.array([1, 2, {largest}])")
    assert ("no case for f.x: a number beyond 32 bits" in lint(folder)) == told


@pytest.mark.parametrize(
    ("number", "dtype", "more", "told"),
    [
        ("1e-101", "float64", "", True),
        ("1e101", "float64", "", True),
        ("1e-100", "float64", "", False),
        ("-1e100", "float64", "", False),
        ("1e-300", "float64", ", any_magnitude: true", False),
        ("2**62", "int64", "", False),
    ],
)
def test_floats_are_of_the_magnitude_that_the_statement_names(tmp_path, number, dtype, more, told):
    x = f"np.array([1, 0, {number}], np.{dtype})"
    folder = _card(tmp_path, f"array: [{dtype}], shape: [n]{more}", x=x)
    assert any("magnitude that the statement" in problem for problem in lint(folder)) == told


@pytest.mark.parametrize(("largest", "told"), [("4", True), ("2**31 - 1", False)])
def test_a_sum_of_small_whole_numbers_goes_beyond_their_dtype(tmp_path, largest, told):
    x = f"np.array([1, 2, {largest}], np.int32)"
    folder = _card(tmp_path, "array: [int32], shape: [n]", "sizes: {n: [3, 3]}\n", x)
    assert ("no case for f.x: a sum beyond int32" in lint(folder)) == told


@pytest.mark.parametrize(
    ("product", "shape", "says"),
    [
        ("", (9, 9), "no case of f whose sizes are large together: 81 of 100"),
        ("", (10, 10), None),
        ("product: 40\n", (2, 10), "no case of f whose sizes are large together: 20 of 40"),
        ("product: 40\n", (4, 10), None),
        ("product: 40\n", (5, 10), "the product of its sizes is 50, beyond 40"),
    ],
)
def test_sizes_are_large_together(tmp_path, product, shape, says):
    sizes = f"sizes: {{n: [0, 10], m: [0, 10]}}\n{product}"
    folder = _card(tmp_path, "array: [float64], shape: [n, m]", sizes, f"np.ones({shape})")
    found = [text for text in lint(folder) if "together" in text or "product" in text]
    assert found == [] if says is None else any(says in text for text in found), found


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ("tuples: int, shape: [k, 2], min: 1, max: 6", None),
        ("tuples: int, shape: [k, 3]", "has an axis of 2, where 3 is 3"),
        ("tuples: int, shape: [n, 2]", "size n = 2 is outside"),
        ("tuples: int, shape: [m, 2]", "size m = 2 is not declared"),
        ("tuples: int, shape: [k, 2], max: 5", "outside its bounds"),
        ("tuples: int, shape: [k, 2], min: 0", "no case for f.x: min 0"),
        ("tuple: int, length: 2", "is not a tuple of int"),
    ],
)
def test_lists_of_tuples_are_held_against_shape_and_bounds(tmp_path, declared, says):
    folder = _card(tmp_path, declared, "sizes: {n: [3, 3], k: [2, 2]}\n", "[(1, 2), (4, 6)]")
    found = [text for text in lint(folder) if text.startswith(("case", "no case for f"))]
    assert found == [] if says is None else any(says in text for text in found), found


def test_a_tuple_is_no_list(tmp_path):
    folder = _card(tmp_path, "tuple: int, length: 3, max: 6", "", "(1, 2, 6)")
    assert not [text for text in lint(folder) if text.startswith(("case", "no case for f"))]
    config = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(config.replace("tuple: int", "list: int"))
    assert any("is not a list of int" in text for text in lint(folder))


def test_a_quantity_must_stay_within_its_bounds_and_reach_them(tmp_path):
    folder = _card(
        tmp_path,
        "array: [float64], shape: [n]",
        "quantities: {total: {max: 2}}\nsizes: {n: [3, 3]}\n",
    )
    (folder / "properties.py").write_text('def total(inputs):\n    return inputs["x"].sum()\n')
    assert any("beyond its max 2" in problem for problem in lint(folder))
    config = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(config.replace("max: 2}", "max: 90}"))
    assert any("no case for quantity total: max 90" in problem for problem in lint(folder))


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        ("[[2.0, 0, -2.0]]", {"all at max 2", "all at min -2", "at both ends"}),
        ("[[2.0, 2, 2], [-2.0, -2, -2], [2.0, -2, 2]]", set()),
        ("[[2.0, 2, 2], [-2.0, -2, -2]]", {"at both ends"}),
    ],
    ids=["one-element", "everywhere", "not-mixed"],
)
def test_a_quantity_of_many_numbers_is_at_its_bounds_in_all_of_them(tmp_path, numbers, missing):
    folder = _card(
        tmp_path,
        "array: [float64], shape: [n]",
        "quantities: {each: {min: -2, max: 2}}\nsizes: {n: [3, 3]}\n",
    )
    (folder / "properties.py").write_text('def each(inputs):\n    return inputs["x"]\n')
    (folder / "cases.py").write_text(
        "import numpy as np\nfrom biomlbench.verify.cases import case\n\n\n"
        "def visible():\n"
        f'    return [case(str(x), "f", np.array(x)) for x in {numbers}]\n'
    )
    told = {text.split(": ")[1] for text in lint(folder) if "for quantity each" in text}
    assert told & {"all at max 2", "all at min -2", "at both ends"} == missing


@pytest.mark.parametrize(
    ("declared", "edges", "told"),
    [
        ("tuples: int, shape: [k, 2]", "{build: made}", True),
        ("list: int", "{build: made}", True),
        ("list: int, length: j", "{arguments: {x: {list: int, length: j}}}", True),
        ("list: int, length: j", "{sizes: {j: [0, 2]}, build: made}", False),
        ("tuples: int, shape: [k, 2]", "{arguments: {y: {number: int}}, build: made}", False),
    ],
)
def test_edges_that_cannot_be_followed_are_told(tmp_path, declared, edges, told):
    more = f"sizes: {{n: [3, 3], k: [2, 2]}}\nedges: {{f: {edges}}}\n"
    folder = _card(tmp_path, declared, more, "[(1, 2), (4, 6)]")
    (folder / "properties.py").write_text("def made(**values):\n    return None\n")
    found = [text for text in lint(folder) if "`edges` of f is not followed" in text]
    assert bool(found) == told
    assert all("no value can be made for x" in text for text in found)


def test_the_statement_allows_arrays_without_axes_where_no_check_tells_them_from_numbers(
    template, change
):
    assert ", also 0-d arrays" in statement.conventions(card.load(template))
    change(template, "    rtol: 1.0e-12\n", "    rtol: 1.0e-12\n    types: true\n")
    section = statement.conventions(card.load(template))
    assert "Numbers in a result, outside of arrays, may be" in section
    assert "0-d arrays, and" not in section


REFERENCES = "\n### A remark\n\nOwn words.\n\n## References\n\nWatson and Crick.\n"


@pytest.mark.parametrize("after", [REFERENCES, "\nA paragraph.\n", "\n```\n# code\n```\n"])
def test_the_section_is_replaced_and_the_author_s_text_stays(template, change, after):
    path = template / "description.md"
    whole = path.read_text()
    path.write_text(whole.replace("n is 0 to 250", "n is 1 to 3") + after)
    statement.write_conventions(card.load(template))
    assert path.read_text() == whole + after
    assert lint(template) == []


def test_a_statement_without_the_section_gets_it_at_its_end(template):
    path = template / "description.md"
    whole = path.read_text()
    fenced = "```\n## For all calls\n\n- In code.\n```\n"
    path.write_text(whole.split("## For all calls")[0] + fenced)
    statement.write_conventions(card.load(template))
    assert path.read_text() == whole.replace("## For all calls", f"{fenced}\n## For all calls")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("- Sizes: n is 0 to 250.", "- Sizes: n is 0 to 250, and even.", 20),
        ("- Sizes: n is 0 to 250.", "- Sizes: n is 0 to 250. Mind the ends.", 20),
        ("- Arguments must", "- Own line.\n- Arguments must", 23),
        ("- Arguments must", "Own paragraph.\n\n- Arguments must", 23),
        ("have passed.\n", "have passed.\n  - Own item.\n", 30),
        ("have passed.\n", "have passed.\n- Own item.\n", 32),
    ],
)
def test_own_text_in_the_section_is_told_and_nothing_written(
    template, change, capsys, old, new, line
):
    path = template / "description.md"
    change(template, old, new, path.name)
    before = path.read_text()
    with pytest.raises(SystemExit, match="1"):
        main(["statement", template.name, "--tasks-dir", str(template.parent)])
    told = capsys.readouterr().err
    assert f"line {line} of the statement" in told
    assert f"nothing was written to {path}" in told
    assert path.read_text() == before


def test_a_row_that_is_missing_is_told_before_anything_is_written(template, change, capsys):
    path = template / "description.md"
    change(template, "| `sequence` |", "| sequence |", path.name)
    change(template, "n is 0 to 250", "n is 0 to 251", path.name)
    before = path.read_text()
    with pytest.raises(SystemExit, match="1"):
        main(["statement", template.name, "--tasks-dir", str(template.parent)])
    assert "no row for `sequence`: add a line" in capsys.readouterr().err
    assert path.read_text() == before


def test_what_is_written_is_known_as_ours():
    registry = Registry()
    folders = [registry.get_task(name).folder for name in registry.list_task_ids()]
    cards = [card.load(folder) for folder in folders if is_card(card.config_of(folder))]
    sections = [statement.conventions(found) for found in cards]
    assert len(sections) > 10
    for section in sections:
        found = in_parts(f"# A\n\n{section}\n## References\n")
        assert found.section == section
        assert list(found.foreign(OURS)) == []


BOUND = st.none() | st.floats(-1e300, 1e300) | st.sampled_from([0, 1e-100, 1e-101, 1e100, 1e101])


@given(low=BOUND, high=BOUND, is_open=st.booleans(), is_free=st.booleans())
def test_the_statement_names_the_magnitudes_that_bounds_leave_open(low, high, is_open, is_free):
    least, most = (-math.inf if low is None else low), (math.inf if high is None else high)
    if least >= most:
        return
    bounds = {"above" if is_open else "min": low, "max": high}
    spec = {"number": "float"} | {key: v for key, v in bounds.items() if v is not None}
    sentences = [*statement.magnitudes([("x", spec | {"any_magnitude": is_free})])]
    assert all(map(OURS.fullmatch, sentences))
    told = " ".join(sentences)
    if is_free:
        assert told == "Floats of `x` may be of any magnitude."
        return
    small = least < 1e-100 and most > -1e-100
    assert ("1e-100" in told) == small
    assert ("1e+100" in told) == (max(-least, most) > 1e100)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("", "Floats are finite."),
        (", nan: true", "Floats are finite, but for those of `x`, which may be NaN."),
        (", inf: true", "Floats are finite, but for those of `x`, which may be infinite."),
        (", nan: true, inf: true", "but for those of `x`, which may be NaN or infinite."),
    ],
)
def test_the_statement_says_which_floats_may_be_no_finite_number(tmp_path, flags, told):
    folder = _card(tmp_path, f"array: [float64], shape: [n]{flags}", x="np.zeros(3)")
    section = statement.conventions(card.load(folder))
    items = " ".join(section.split()).split(" - ")
    (said,) = [item for item in items if item.startswith("Floats are finite")]
    assert said.endswith(told)
    assert OURS.fullmatch(said)


@pytest.mark.parametrize(
    ("dtype", "result", "told"),
    [
        ("int64", "int(x.sum())", False),
        ("int64", "[(int(x[0]), None, 'a', {True: x})]", False),
        ("int64", "float(x.sum())", True),
        ("int64", "[({'a': x / 2},)]", True),
        ("int64", "x.mean()", True),
        ("int64", "x[3]", True),
        ("float64", "int(x.sum())", True),
    ],
)
def test_the_statement_speaks_of_rounding_where_there_are_floats(tmp_path, dtype, result, told):
    x = f"np.array([1, 2, 4], np.{dtype})"
    folder = _card(tmp_path, f"array: [{dtype}], shape: [n]", x=x)
    (folder / "reference.py").write_text(f"def f(x):\n    return {result}\n")
    section = statement.conventions(card.load(folder))
    assert ("Floats need not be right to the last digit" in section) == told


def _card(tmp_path, declared, more="sizes: {n: [3, 3]}\n", x="np.array([-1.0, 2.0, 4.0])"):
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / "config.yaml").write_text(
        "kind: functions\nentry_points: [f]\nverifier: {version: v1}\n"
        f"inputs: {{f: {{x: {{{declared}}}}}}}\n{more}"
    )
    (folder / "reference.py").write_text("def f(x):\n    return float(x.sum())\n")
    (folder / "cases.py").write_text(
        "import numpy as np\nfrom biomlbench.verify.cases import case\n\n\n"
        f'def visible():\n    return [case("a", "f", {x})]\n'
    )
    (folder / "description.md").write_text("| `x` | float64 |\n")
    return folder
