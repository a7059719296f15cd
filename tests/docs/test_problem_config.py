"""The page of a problem card's declarations names every key and every option there is."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import yaml

from biomlbench.verify import properties, relations, transforms
from biomlbench.verify.alternates import DEFAULT_LAYOUTS, LAYOUTS
from biomlbench.verify.declarations import (
    INPUTS_SCHEMA,
    KINDS,
    ArgumentSpec,
    EdgesSpec,
    QuantitySpec,
)
from biomlbench.verify.modes.metamorphic import DEFAULT_MAX_BASES, OPTIONS
from biomlbench.verify.space import DrawnSpec, Space

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "problem-config.md").read_text("utf-8")


def section(title):
    """The text below a heading, down to the next one of its level."""
    level, _, _ = title.partition(" ")
    found = re.search(
        rf"^{title}\n(.*?)(?=^#{{2,{len(level)}}} |\Z)", PAGE, re.DOTALL | re.MULTILINE
    )
    return found[1]


def rows(title):
    """Cells of the rows of a section's tables, without their heads."""
    lines = re.findall(r"^\|(.+)\|$", section(title), re.MULTILINE)
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def first_cells(title):
    return {name for row in rows(title) for name in re.findall(r"`(\w+)`", row[0])}


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("## Keys", set(INPUTS_SCHEMA["properties"])),
        ("## Arguments", set(ArgumentSpec.__annotations__) | set(KINDS)),
        ("## Quantities", set(QuantitySpec.__annotations__)),
        ("## Edges", set(EdgesSpec.__annotations__)),
    ],
)
def test_every_key_has_a_row(title, keys):
    assert first_cells(title) == keys


def test_what_a_space_declares_is_named():
    said = set(re.findall(r"\w+", section("## Inputs and `generate`")))
    assert set(Space.__annotations__) | set(DrawnSpec.__annotations__) <= said


def test_layouts_and_defaults_are_those_of_the_code():
    (row,) = [row for row in rows("## Keys") if row[0] == "`layouts`"]
    assert set(re.findall(r"`(\w+)`", row[1])) == set(LAYOUTS)
    assert set(LAYOUTS) - set(DEFAULT_LAYOUTS) == {"swapped"}
    in_detail = " ".join(section("## Checks in detail").split())
    assert f"by default {DEFAULT_MAX_BASES}, up to {OPTIONS['max_bases']['maximum']}:" in in_detail
    assert "`{}`, `{}` or `{}`".format(*OPTIONS["base"]["enum"]) in in_detail


# Said once above a table, of most of its rows.
LIMITS = {"atol": 1e-9, "rtol": 1e-7, "key": None}
GROWTH = {"tolerance": 1e-12, "key": None}


@pytest.mark.parametrize(
    ("module", "title"),
    [
        (transforms, "### Transforms"),
        (relations, "### Relations"),
        (properties, "### Properties"),
    ],
)
def test_every_ready_function_has_a_row_with_its_options(module, title):
    told = {}
    for row in rows(title):
        for name in re.findall(r"`(\w+)`", row[0]):
            found = (text.partition(": ") for text in re.findall(r"`([^`]+)`", row[2]))
            told[name] = {key: yaml.safe_load(value) if value else ... for key, _, value in found}
    assert set(told) == set(module.__all__)
    for name in module.__all__:
        options = {
            key: ... if one.default is one.empty else one.default
            for key, one in inspect.signature(getattr(module, name)).parameters.items()
            if one.kind is one.KEYWORD_ONLY and key != "reference"
        }
        if module is relations:
            common = GROWTH if "tolerance" in options else LIMITS
            assert common.items() <= options.items()
            options = {key: value for key, value in options.items() if key not in common}
        elif module is properties:
            assert options.pop("key") is None
        options = {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
        # YAML reads 1e-9 as text
        said = {k: float(v) if str(v).startswith("1e") else v for k, v in told[name].items()}
        assert said == options, name
