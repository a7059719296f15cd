"""A card with a flaky check, a weak one and one that is too tight, planted on purpose."""

import textwrap

import pytest

CONFIG = """\
name: Shares of a total
kind: functions
task_type: kernel
difficulty: easy
description: description.md
entry_points: [shares]
preload: [numpy]
verifier: {version: v2}
"""
REFERENCE = """\
import numpy as np


def shares(x, eps=1e-3):
    return x / (x.sum() + eps)
"""
CASES = """\
import numpy as np

from biomlbench.verify.cases import case


def _made(name, seed, n):
    return case(name, "shares", np.random.default_rng(seed).uniform(0.5, 2.0, n))


def visible():
    return [_made("few", 1, 4)]


def hidden():
    return [_made(f"hidden-{i}", 10 + i, 4 + i) for i in range(6)]


def adversarial():
    return [_made(f"adversarial-{i}", 30 + i, 50) for i in range(3)]
"""
PROPERTIES = """\
import numpy as np


def in_unit_interval(inputs, output):
    output = np.asarray(output)
    return bool((output >= 0).all() and (output <= 1).all())


def first_of_a_set(inputs, output):
    # the order of a set of words depends on the interpreter's hash seed
    return next(iter({"adenine", "cytosine", "guanine", "thymine"})) in ("adenine", "guanine")
"""
VERIFIER = """\
# Planted: `oracle` is weak, `large` too tight, `words` flaky.
float_drift: sums of floating-point numbers depend on the order of the terms
patterns:
  no-eps: the epsilon is not added
  no-share: the result is no share of the total
generate:
  - name: drawn
    count: 4
    dims: {n: [2, 9]}
    arguments:
      x: {array: float64, shape: [n], min: 0.1, max: 3}
checks:
  - name: oracle
    mode: numeric_tolerance
    severity: blocker
    atol: 1.0e-1   # far too wide
    catches: [no-eps, no-share]
  - name: large
    mode: numeric_tolerance
    suite: adversarial
    cases: ["adversarial-*"]   # long ones only, not the near draws, which are short
    severity: critical
    rtol: 1.0e-12  # nobody computes in float32, or do they?
    catches: [no-share]
  - name: range
    mode: property_based
    severity: critical
    property: in_unit_interval
    catches: [no-share]
  - name: words
    mode: property_based
    severity: critical
    property: first_of_a_set
    catches: [no-share]
"""
RIGHT = {
    "single_precision": """\
        import numpy as np

        def shares(x, eps=1e-3):
            x = x.astype(np.float32)
            return (x / (x.sum() + np.float32(eps))).astype(float)
        """,
    "loop": """\
        def shares(x, eps=1e-3):
            total = sum(float(v) for v in x) + eps
            return [float(v) / total for v in x]
        """,
}
BAD = {
    "no_eps": """\
        # pattern: no-eps
        # caught_by: oracle
        def shares(x, eps=1e-3):
            return x / x.sum()
        """,
    "percent": """\
        # pattern: no-share
        # caught_by: range
        def shares(x, eps=1e-3):
            return 100 * x / (x.sum() + eps)
        """,
    "twice_eps": """\
        # pattern: no-eps
        # caught_by: oracle
        def shares(x, eps=1e-3):
            return x / (x.sum() + 2 * eps) if len(x) < 50 else x / (x.sum() + eps)
        """,
}


def write_planted(folder):
    """Write the planted card into a folder of its own."""
    for sub, files in (("right", RIGHT), ("bad", BAD)):
        (folder / "solutions" / sub).mkdir(parents=True)
        for name, text in files.items():
            (folder / "solutions" / sub / f"{name}.py").write_text(textwrap.dedent(text))
    for name, text in {
        "config.yaml": CONFIG,
        "description.md": "Return the share of each number of the total plus eps.\n",
        "reference.py": REFERENCE,
        "cases.py": CASES,
        "properties.py": PROPERTIES,
        "verifier.yaml": VERIFIER,
    }.items():
        (folder / name).write_text(text)


@pytest.fixture
def planted(tmp_path):
    """A folder of tasks that holds the card kernels/shares."""
    write_planted(tmp_path / "tasks" / "kernels" / "shares")
    return tmp_path / "tasks"
