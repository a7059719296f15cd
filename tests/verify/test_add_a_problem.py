"""A card's author goes from the template to a calibrated card in one folder."""

import hashlib
import re
from pathlib import Path

import pytest

import biomlbench
from biomlbench.registry import Registry
from biomlbench.verify import card, evidence, schema, statement
from biomlbench.verify.execution import in_process

ROOT = Path(biomlbench.__file__).parents[1]
GUIDE = ROOT / "docs" / "extending" / "add-a-problem.md"


def state(folder):
    files = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def replaced(path, *pairs):
    text = path.read_text()
    for old, new in pairs:
        assert old in text, (path, old)
        text = text.replace(old, new)
    path.write_text(text)


def test_from_the_template_to_a_calibrated_card_in_one_folder(template, tmp_path):
    package = state(Path(biomlbench.__file__).parent)
    folder = tmp_path / "my-tasks" / "kernels" / "at-skew"
    folder.parent.mkdir(parents=True)
    template.rename(folder)

    for path in folder.rglob("*.py"):
        path.write_text(path.read_text().replace("gc_content", "at_skew"))
    replaced(folder / "config.yaml", ("name: GC content", "name: AT skew"),
             ("[gc_content]", "[at_skew]"), ("  gc_content:", "  at_skew:"))  # fmt: skip
    (folder / "description.md").write_text(
        "# AT skew\n\n```python\ndef at_skew(sequence: str) -> float: ...\n```\n\n"
        "| argument | meaning |\n|---|---|\n| `sequence` | any letters |\n\n"
        "(A - T) / (A + T), whatever the case; 0.0 without A and T. Example: `AAT` gives 1/3.\n"
    )
    right = (
        "def at_skew(sequence):\n    s = sequence.upper()\n    a, t = s.count('A'), s.count('T')\n"
        "    return {} if a + t else 0.0\n"
    )
    (folder / "reference.py").write_text('"""AT skew."""\n\n\n' + right.format("(a - t) / (a + t)"))
    for name, text in {
        "loop": "2 * a / (a + t) - 1", "arrays": "a / (a + t) - t / (a + t)",
        "counter": "-(t - a) / (t + a)",
    }.items():  # fmt: skip
        (folder / "solutions" / "right" / f"{name}.py").write_text(right.format(text))
    bad = folder / "solutions" / "bad"
    for path in bad.glob("*.py"):
        path.unlink()
    for name, pattern, claims, text in [
        ("upper_only", "case-sensitive", "oracle", right.replace("sequence.upper()", "sequence")),
        ("length", "unknown-counted", "oracle", right.replace("{}", "(a - t) / len(s)")),
        ("division", "empty-fails", "gate", right.replace(" if a + t else 0.0", "")),
        ("swapped", "wrong-bases", "oracle", right.replace("{}", "(t - a) / (a + t)")),
        ("gc", "wrong-bases", "complement", right.replace("'T'", "'G'")),
        ("percent", "wrong-unit", "is-a-share", right.replace("{}", "100 * (a - t) / (a + t)")),
        ("text", "wrong-unit", "form", right.replace("{}", "str((a - t) / (a + t))")),
    ]:
        source = text.format("(a - t) / (a + t)")
        (bad / f"{name}.py").write_text(f"# pattern: {pattern}\n# caught_by: {claims}\n{source}")
    replaced(folder / "verifier.yaml", ("low: 0, high: 1", "low: -1, high: 1"),
             ("relation: unchanged", "relation: {name: negated, atol: 1.0e-9}"))  # fmt: skip

    statement.write_conventions(card.load(folder))
    found = evidence.report(folder, in_process)
    assert found.evidence.complete, found.evidence.missing
    assert found.kills.problems == []
    assert found.kills.idle == []
    task = Registry(tasks_dirs=[tmp_path / "my-tasks"]).get_task("kernels/at-skew")
    assert task.kind == "functions"
    assert state(Path(biomlbench.__file__).parent) == package


@pytest.fixture(scope="module")
def guide():
    if not GUIDE.exists():
        pytest.skip("not run from a clone")
    return GUIDE.read_text()


def test_the_guide_lists_every_rule_mode_and_key(guide):
    import inspect

    from biomlbench.verify import config
    from biomlbench.verify.modes import all_modes

    source = inspect.getsource(config) + inspect.getsource(card)
    technical = {
        "schema", "yaml", "file", "unique-names", "known-names", "known-function", "generate",
        "transform-fits", "check-has-cases",
    }  # fmt: skip
    rules = set(re.findall(r'"([a-z]+(?:-[a-z]+)+)",\n', source)) - technical
    assert rules
    for rule in rules:
        assert f"`{rule}`" in guide, rule
    for mode, module in all_modes().items():
        assert f"`{mode}`" in guide
        for key in module.OPTIONS:
            assert f"`{key}`" in guide, key


def test_the_guides_header_points_at_the_schema(guide):
    header = re.search(r"\$schema=(\S+)", guide)[1]
    folder = ROOT / "biomlbench" / "tasks" / "kernels" / "kabsch-rmsd"
    assert (folder / header).resolve() == ROOT / "workflow" / "schemas" / "verifier.schema.json"
    assert schema.build()["$schema"].startswith("https://json-schema.org/")
