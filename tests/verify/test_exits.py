"""A card's own code that ends the process, or means to, is an error of the card like any other."""

import pytest

from biomlbench.errors import TaskError
from biomlbench.verify import card, compute, judge, local

LEAVES = {
    "sys.exit": "import sys; sys.exit(3)",
    "GeneratorExit": "raise GeneratorExit",
    "own": "raise type('Stop', (BaseException,), {})('no')",
}
WRONG = {
    "reference": ("reference.py", "bases = sequence", "{leave}; bases = sequence"),
    "transform": ("properties.py", "table = str", "{leave}; table = str"),
    "cases": ("cases.py", "lengths = [", "{leave}; lengths = ["),
    "import": ("properties.py", "from biomlbench", "{leave}\nfrom biomlbench"),
    "build": ("properties.py", "def comp", "def build(a, rng):\n    {leave}\n\ndef comp"),
}  # fmt: skip


def planned(folder):
    problem = card.load(folder)
    plan = problem.plan()
    return problem, plan, compute(problem, plan)


@pytest.mark.parametrize("way", LEAVES)
@pytest.mark.parametrize("where", WRONG)
def test_code_that_leaves_is_an_error_of_the_card(template, change, where, way):
    file, old, new = WRONG[where]
    change(template, old, new.format(leave=LEAVES[way]), file)
    if where == "build":
        change(template, "  - name: drawn\n", "  - name: drawn\n    build: build\n")
    with pytest.raises(TaskError):
        planned(template)


@pytest.mark.parametrize("way", LEAVES)
def test_a_property_that_leaves_is_a_graders_fault(template, change, way):
    code = f"def own(inputs, output):\n    {LEAVES[way]}\n\ndef complement_bases"
    change(template, "def complement_bases", code, "properties.py")
    change(template, "property: {name: bounded, low: 0, high: 1}", "property: own")
    problem, plan, oracle = planned(template)
    rows = judge(problem, plan, oracle, local.run(template / "reference.py", plan.cases))
    assert {r.reason for r in rows if r.check == "is-a-share"} == {"grader_error"}
    assert {r.outcome for r in rows if r.check == "oracle"} == {"passed"}


@pytest.mark.parametrize("way", LEAVES)
def test_a_solution_that_leaves_has_raised(template, change, template_card, way):
    path = template / "solutions/right/loop.py"
    text = path.read_text()
    head, _, body = text.partition("):\n")
    path.write_text(f"{head}):\n    {LEAVES[way]}\n{body}")
    found = local.run(path, template_card.plan().cases[:2])
    assert {result.status for result in found.values()} == {"exception"}
    path.write_text(f"{LEAVES[way]}\n{text}")
    found = local.run(path, template_card.plan().cases[:2])
    assert {result.status for result in found.values()} == {"import_error"}
