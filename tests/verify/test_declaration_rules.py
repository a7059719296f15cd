"""A card with wrong declarations or calls is refused, with file, place and what is allowed."""

import pytest

from biomlbench.cli import main
from biomlbench.errors import TaskError
from biomlbench.registry import Registry
from biomlbench.task.task import is_card
from biomlbench.verify import card
from biomlbench.verify.config import VerifierError

SEQUENCE = 'sequence: {text: "", length: n}'


def refused(folder):
    with pytest.raises(VerifierError) as caught:
        card.load(folder)
    error = caught.value
    assert error.rule == "declarations"
    assert str(error).startswith(f"{folder / 'config.yaml'}:{error.line}: ")
    return error


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ("sequence: {}", "one of the kinds array, number"),
        ("sequence: {dict: any}", "there is no key `dict`; an argument is of one of the kinds"),
        (
            'sequence: {text: "", lenght: n}',
            "there is no key `lenght`; did you mean `length`? there are array, shape",
        ),
        ("sequence: {text: ACGT, number: int}", "of one kind, not of number and text"),
        ("sequence: text", "as {number: int, min: 0} is, not by 'text'"),
        ("sequence: {text: ACGT, length: [n]}", "neither a whole number nor the name of a size"),
        ("sequence: {array: [flaot64], shape: [n]}", "there is no dtype 'flaot64'"),
        ("sequence: {array: [float], shape: [n]}", "there is no dtype 'float'; write it as"),
        ("sequence: {array: [bool], shape: [n, ...]}", "`...` may only stand before"),
        ("sequence: {number: int, min: 4, max: 3}", "the least number, 4, is above the largest"),
        ("sequence: {items: {text: ACGT, lenght: 3}}", "there is no key `lenght`"),
        ("sequence: {items: {number: int, min: 4, max: 3}}", "the least number, 4, is above"),
        ("sequence: {record: {}}", "{} should be non-empty"),
        ("sequence: {record: {a: {array: [int]}}}", "there is no dtype 'int'"),
        ("sequence: {mapping: {number: int}}", "say what the `keys` of a `mapping` are"),
        ("sequence: {mapping: {number: int}, keys: {list: int}}", "text, choice or number"),
        ("sequence: {text: ACGT, distinct: true}", "`distinct` is of `items` alone"),
        ("sequence: {text: ACGT, absent: true}", "`absent` is of `record` alone"),
        (
            "sequence: {array: float64, shape: [n]}",
            "'float64' is not a list; write `array: [float64]`",
        ),
        ("sequence: {array: [float64], shape: n}", "'n' is not a list; write `shape: [n]`"),
        ("sequence: {number: [int]}", "['int'] is a list; write `number: int`"),
        ("sequence: {number: flaot}", "'flaot' is not allowed; did you mean float? use one of int"),
        ('sequence: {number: int, min: "4"}', "'4' is not a number; write it without quotes: 4"),
        ("sequence: {number: int, low: 4}", "there is no key `low`; did you mean `min`? there are"),
        ("sequence: {dtype: float64}", "did you mean `array`? an argument is of one of the kinds"),
    ],
)
def test_a_wrong_argument_is_refused(template, change, declared, says):
    change(template, SEQUENCE, declared, "config.yaml")
    error = refused(template)
    assert says in str(error)
    assert "`inputs.gc_content.sequence" in str(error)
    assert "problem-config.md" in str(error)
    text = (template / "config.yaml").read_text().splitlines()
    assert text[error.line - 1].strip() == declared


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            "edges: {gc_content: {biuld: f}}",
            "there is no key `biuld`; did you mean `build`? there are arguments, sizes",
        ),
        ("edges: {gc_content: {arguments: {x: {int: 3}}}}", "there is no key `int`"),
        ("edges: {gc_content: {sizes: {n: 3}}}", "3 is not a list; write `n: [3]`"),
        ("edges: {gc_content: {sizes: {n: [3, 2]}}}", "the least size, 3, is above the largest, 2"),
        ("edges: {gc: {count: 3}}", "`gc` is none of the entry points gc_content"),
        ("edges: {gc_content: {build: made}}", "properties.py defines no function `made`"),
        ("quantities: {total: {max: 3}}", "properties.py defines no function `total`"),
        ("quantities: {total: {function: gc}}", "`gc` is none of the entry points gc_content"),
        ("edges: {gc_content: {sizes: {n: [3]}}}", "[3] is not a list of 2"),
        ("layouts: [fotran]", "'fotran' is not allowed; did you mean fortran? use one of"),
        ("layouts: fortran", "'fortran' is not a list; write `layouts: [fortran]`"),
    ],
)
def test_what_else_is_declared_wrongly_is_refused(template, more, says):
    with (template / "config.yaml").open("a") as file:
        file.write(f"{more}\n")
    assert says in str(refused(template))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("edges: {gc_content: {build: complement_bases}}", "no edge cases are made without"),
        ("quantities: {complement_bases: {max: 3}}", "no case is held against it without"),
    ],
)
def test_what_nothing_would_use_is_refused(template, change, more, says):
    with (template / "config.yaml").open("a") as file:
        file.write(f"{more}\n")
    card.load(template)
    change(template, "inputs:", "not_inputs:", "config.yaml")
    error = refused(template)
    assert says in str(error)
    assert "declare them, or take this out" in str(error)


def test_edge_cases_may_be_rounded(template):
    with (template / "config.yaml").open("a") as file:
        file.write("edges: {gc_content: {arguments: {x: {number: float, decimals: 2}}}}\n")
    assert card.load(template)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('F, "GATTACA")', 'F, "GATTACA", sodium=3)', "unexpected keyword argument 'sodium'"),
        ('F, "GATTACA")', "F)", "missing a required argument: 'sequence'"),
        ('F, "GATTACA")', 'F, "GATTACA", 3)', "too many positional arguments"),
    ],
)
def test_a_case_that_does_not_fit_the_reference_is_named(template, change, old, new, says):
    change(template, old, new, "cases.py")
    with pytest.raises(TaskError, match=says) as caught:
        card.load(template)
    assert str(caught.value).startswith(f"{template / 'cases.py'}: case `short` does not fit")


def test_a_suite_of_something_else_is_refused(template, change):
    change(template, 'case("short", F, "GATTACA")', '("short", "GATTACA")', "cases.py")
    with pytest.raises(TaskError, match=r"visible\(\) must return a list of what `case"):
        card.load(template)


@pytest.mark.parametrize("command", ["statement", "evidence"])
@pytest.mark.parametrize("declared", ["sequence: {}", "sequence: {dict: any}"])
def test_commands_say_what_is_wrong(template, change, capsys, command, declared):
    change(template, SEQUENCE, declared, "config.yaml")
    with pytest.raises(SystemExit, match="3"):
        main([command, template.name, "--tasks-dir", str(template.parent)])
    told = capsys.readouterr().err
    assert "config.yaml" in told
    assert "one of the kinds" in told
    assert "Traceback" not in told


def test_the_cards_that_are_there_keep_the_rules():
    registry = Registry()
    folders = [registry.get_task(name).folder for name in registry.list_task_ids()]
    cards = [folder for folder in folders if is_card(card.config_of(folder))]
    assert len(cards) > 10
    for folder in cards:
        card.load(folder)
