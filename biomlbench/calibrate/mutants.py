"""Mutants of a card's reference: made by operators, chosen without chance, equivalents aside."""

from __future__ import annotations

import ast
import copy
import difflib
import hashlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from biomlbench.calibrate import _slips
from biomlbench.calibrate._nodes import is_docstring
from biomlbench.calibrate.held_out import HELD_OUT as HELD_OUT_OPERATORS
from biomlbench.calibrate.operators import OPERATORS, RESERVE
from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Operators = Mapping[str, Callable[[ast.AST], Iterator[Any]]]

__all__ = [
    "FAMILIES",
    "HELD_OUT",
    "INPUTS",
    "SECOND_ORDER",
    "STATUSES",
    "TRAINING",
    "WANTED",
    "Mutant",
    "candidates",
    "choose",
    "family_of",
]

TRAINING, HELD_OUT, SECOND_ORDER = FAMILIES = (
    "mutant",
    "held_out_mutant",
    "second_order_mutant",
)
"""Of operators by which checks were sharpened; of those by which none was; and with two slips at
once, which may hide each other (Jia and Harman 2009, Inf. Softw. Technol. 51:1379)."""
WANTED: Mapping[str, int] = {TRAINING: 30, HELD_OUT: 20, SECOND_ORDER: 10}
"""Live mutants of one card, a family."""
INPUTS = 2000
"""Generated inputs on which a mutant that always agrees counts as equivalent."""
STATUSES = ("live", "equivalent", "no_result", "hangs")
"""A mutant that gives no result for any input, or that hangs, tells nothing about the checks."""
SECOND = "second-order"
"""Operator of the mutants with two slips."""
_WORKER_LIMIT_S = 3600
_PAIRS = 8
"""Candidates with two slips for each one that is wanted: many give no result."""


@dataclass(frozen=True)
class Mutant:
    """A mutant of a reference.

    Parameters
    ----------
    name : str
        Operator, line and a hash of the source; the same in every run.
    operator, note : str
    line : int
        Line of `reference.py` that was changed.
    source : str
        Whole module.
    diff : str
        Unified, against the reference without its comments.
    status : str
        One of :data:`STATUSES`; empty before :func:`choose`.
    inputs : int
        Generated inputs that were tried.
    """

    name: str
    operator: str
    note: str
    line: int
    source: str
    diff: str
    status: str = ""
    inputs: int = 0

    @property
    def family(self) -> str:
        """One of :data:`FAMILIES`."""
        return family_of(self.operator)


def family_of(operator: str) -> str:
    """Return the family of an operator's mutants, one of :data:`FAMILIES`."""
    if operator == SECOND:
        return SECOND_ORDER
    return HELD_OUT if operator in HELD_OUT_OPERATORS else TRAINING


def candidates(source: str, family: str = TRAINING) -> list[Mutant]:
    r"""Return the distinct mutants of a module, in the order in which they are tried.

    Parameters
    ----------
    source : str
        Python module.
    family : str
        One of :data:`FAMILIES`.

    Returns
    -------
    list of Mutant
        One of each operator in turn, so that the first thirty are of many kinds; within an
        operator by a hash of the changed source. Those of the reserve come last. Of mutants with
        two slips only as many as will ever be tried.

    Examples
    --------
    >>> found = candidates("def f(a, b):\n    return a < b")
    >>> sorted(m.note for m in found if m.operator == "boundary")
    ['boundary', 'comparison negated']
    """
    tree = ast.parse(source)
    plain = ast.unparse(tree)
    if family == SECOND_ORDER:
        return [_mutant(plain, change) for change in _second_order(tree, plain)]
    turns = (HELD_OUT_OPERATORS,) if family == HELD_OUT else (OPERATORS, RESERVE)
    return [_mutant(plain, change) for change in _changes(tree, {plain}, *turns)]


class _Change(NamedTuple):
    """What an operator makes of a module, without the functions that this calls."""

    operator: str
    line: int
    note: str
    source: str

    @property
    def digest(self) -> str:
        """Eight letters that stand for it."""
        return hashlib.sha256(self.source.encode()).hexdigest()[:8]


def _mutant(plain: str, change: _Change) -> Mutant:
    return Mutant(
        f"{change.operator}-{change.line}-{change.digest}",
        change.operator,
        change.note,
        change.line,
        _with_helpers(change.source),
        _diff(plain, change.source),
    )


def _changes(tree: ast.Module, seen: set[str], *turns: Operators) -> Iterator[_Change]:
    """Yield one change of each operator in turn, those of later operators last."""
    for operators in turns:
        groups = [_of_operator(tree, name, operators, seen) for name in operators]
        for row in zip_longest(*groups):
            yield from filter(None, row)


def _of_operator(
    tree: ast.Module, operator: str, operators: Operators, seen: set[str]
) -> list[_Change]:
    """Return the changes of one operator that have not been seen yet."""
    found = []
    for line, note, changed in _apply(tree, operators[operator]):
        if changed not in seen and _compiles(changed):
            seen.add(changed)
            found.append(_Change(operator, line, note, changed))
    return sorted(found, key=lambda change: change.digest)


def _second_order(tree: ast.Module, plain: str) -> Iterator[_Change]:
    """Yield a second change, of another operator, for each of the first changes."""
    seen = {plain}
    first = list(_changes(tree, seen, OPERATORS))[: _PAIRS * WANTED[SECOND_ORDER]]
    names = list(OPERATORS)
    for number, one in enumerate(first):
        # one operator further for each time around, so that pairs are of many kinds
        start = names.index(one.operator) + 1 + number // len(names)
        turn = [name for name in [*names[start:], *names[:start]] if name != one.operator]
        changed = ast.parse(one.source)
        for name in turn:
            if found := _of_operator(changed, name, OPERATORS, seen):
                note = f"{one.operator}: {one.note}; {name}: {found[0].note}"
                yield _Change(SECOND, one.line, note, found[0].source)
                break


def _with_helpers(source: str) -> str:
    """Put what a changed module calls at its top: the functions that it names, and theirs."""
    if "_mutant_" not in source:
        return f"{source}\n"
    tree = ast.parse(source)
    named = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    helpers = _helpers()
    wanted: set[str] = set()
    while new := (named & helpers.keys()) - wanted:
        wanted |= new
        named = {n.id for w in new for n in ast.walk(helpers[w]) if isinstance(n, ast.Name)}
    place = next((i for i, node in enumerate(tree.body) if not _first_of_all(node)), 0)
    tree.body[place:place] = [node for name, node in helpers.items() if name in wanted]
    return f"{ast.unparse(tree)}\n"


@cache
def _helpers() -> dict[str, ast.stmt]:
    """Return what mutants may call, by name, in the order in which it stands."""
    tree = _Bare().visit(ast.parse(inspect.getsource(_slips)))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


class _Bare(ast.NodeTransformer):
    """Takes annotations away, whose names a mutant does not know."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = node.value or ast.Constant(None)
        return ast.copy_location(ast.Assign([node.target], self.visit(value)), node)


def _first_of_all(node: ast.stmt) -> bool:
    """Tell whether a statement must stay at the top of its module."""
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or is_docstring(node)


def _apply(tree: ast.Module, operator: Any) -> Iterator[tuple[int, str, str]]:
    """Apply an operator at every place of the tree."""
    for place, node in enumerate(ast.walk(tree)):
        for note, new in operator(node):
            changed = copy.deepcopy(tree)
            target = next(n for i, n in enumerate(ast.walk(changed)) if i == place)
            changed = cast("ast.Module", _Replace(target, new).visit(changed))
            line = getattr(node, "lineno", 0) or _first_line(node)
            yield line, note, ast.unparse(ast.fix_missing_locations(changed))


def _first_line(node: ast.AST) -> int:
    return min((n.lineno for n in ast.walk(node) if hasattr(n, "lineno")), default=0)


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, new: ast.AST | list[ast.stmt]) -> None:
        self.target, self.new = target, new

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        return self.new if node is self.target else self.generic_visit(node)


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "reference", "mutant", lineterm="", n=1
    )
    return "\n".join(lines)


def choose(
    folder: str | Path,
    wanted: Mapping[str, int] = WANTED,
    inputs: int = INPUTS,
    *,
    of: Sequence[Mutant] = (),
) -> list[Mutant]:
    """Choose a card's mutants: try candidates in turn until enough of them are live.

    Every candidate is compared with the reference on generated inputs, in a process of its own
    with limits, for a mutant may loop or fill the memory.

    Parameters
    ----------
    folder : path
        The card's folder.
    wanted : mapping
        Live mutants of each family, :data:`WANTED` by default.
    inputs : int
        Inputs on which a mutant must always agree to be set aside as equivalent.
    of : sequence of Mutant, optional
        Candidates; by default all of the reference's.

    Returns
    -------
    list of Mutant
        All that were tried, in order, each with its status.

    Raises
    ------
    TaskError
        If the card or its reference is broken.
    """
    folder = Path(folder)
    source = (folder / "reference.py").read_text(encoding="utf-8")
    groups = [
        ([m for m in of if m.family == family] if of else candidates(source, family), count)
        for family, count in wanted.items()
        if count
    ]
    job = {
        "folder": str(folder),
        "inputs": inputs,
        "groups": [{"wanted": n, "sources": [m.source for m in group]} for group, n in groups],
    }
    with tempfile.TemporaryDirectory(prefix="biomlbench-mutants-") as scratch:
        question, answer = Path(scratch) / "job.json", Path(scratch) / "result.json"
        question.write_text(json.dumps(job), encoding="utf-8")
        call = [sys.executable, "-P", "-m", "biomlbench.calibrate.agreement"]
        done = subprocess.run(
            [*call, str(question), str(answer)],
            env={**os.environ, **_ONE_THREAD},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_WORKER_LIMIT_S,
            check=False,
        )
        if done.returncode:
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise TaskError(f"{folder}: mutants cannot be compared with the reference: {last}")
        statuses = json.loads(answer.read_text(encoding="utf-8"))
    return [
        replace(mutant, status=status, inputs=count)
        for (group, _), found in zip(groups, statuses, strict=True)
        for mutant, (status, count) in zip(group, found, strict=False)
    ]


_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
