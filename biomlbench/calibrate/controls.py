"""Controls: work whose label is known. Here those of problem cards; see also `tables_of`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from biomlbench.calibrate.mutants import Mutant
    from biomlbench.stages.cards import LoadedCard

__all__ = ["RIGHT", "WRONG", "Control", "of_card", "of_mutants", "operator_of"]

RIGHT, WRONG = "right", "wrong"
_MUTANT = "mutant/"


@dataclass(frozen=True)
class Control:
    """A submission whose label is known.

    Parameters
    ----------
    name : str
        Unique within the task.
    family : str
        reference, right, rewrite, known_bad, stock or one of
        :data:`biomlbench.calibrate.mutants.FAMILIES`; for predictions gold, rewrite, spoilt.
    label : str
        right or wrong.
    content : bytes
        Of the submitted file.
    suffix : str
        Of the submitted file.
    patterns, claims : tuple of str
        Failure patterns that a known-bad one shows, and what it says it is caught by.
    """

    name: str
    family: str
    label: str
    content: bytes
    suffix: str = ".py"
    patterns: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


def of_card(loaded: LoadedCard) -> list[Control]:
    """Return the controls of a problem card, mutants excepted.

    Parameters
    ----------
    loaded : LoadedCard

    Returns
    -------
    list of Control
        The reference, the right solutions, each of these once more rewritten without a change
        of meaning, the known-bad solutions, and the stock candidates.
    """
    from biomlbench.verify import stock

    card, plan, oracle = loaded
    found = []
    for solution in card.solutions:
        content = solution.path.read_bytes()
        family = "reference" if solution.name == "reference" else "right"
        if not solution.right:
            family = "known_bad"
        label = RIGHT if solution.right else WRONG
        found.append(
            Control(
                solution.name,
                family,
                label,
                content,
                patterns=solution.patterns,
                claims=solution.caught_by,
            )
        )
        if solution.right:
            found.append(
                Control(f"rewrite/{solution.path.stem}", "rewrite", RIGHT, rewritten(content))
            )
    found += [
        Control(f"stock/{name}", "stock", WRONG, stock.source(name, card, plan, oracle).encode())
        for name in stock.NAMES
    ]
    return found


def of_mutants(mutants: Iterable[Mutant]) -> list[Control]:
    """Return the live mutants as controls."""
    return [
        Control(f"{_MUTANT}{m.name}", m.family, WRONG, m.source.encode())
        for m in mutants
        if m.status == "live"
    ]


def operator_of(name: str) -> str | None:
    """Return the operator by which a control was made, None if it is no mutant.

    Examples
    --------
    >>> operator_of("mutant/off-by-one-12-0123abcd")
    'off-by-one'
    >>> operator_of("reference")
    """
    if not name.startswith(_MUTANT):
        return None
    return name.removeprefix(_MUTANT).rsplit("-", 2)[0]


def rewritten(content: bytes) -> bytes:
    r"""Rewrite a module without a change of meaning.

    Comments and docstrings go, local variables get other names, the file ends lines as Windows
    does and begins with a byte-order mark.

    Parameters
    ----------
    content : bytes
        Python module in UTF-8.

    Returns
    -------
    bytes

    Examples
    --------
    >>> rewritten(b"def f(x):\n    y = x  # same\n    return y").decode("utf-8-sig").split()
    ['def', 'f(x):', '_y', '=', 'x', 'return', '_y']
    >>> rewritten(b"def f(x):\n    y = _y(x)\n    return y").decode("utf-8-sig").split()
    ['def', 'f(x):', '_y_', '=', '_y(x)', 'return', '_y_']
    """
    tree = ast.parse(content)
    taken = _names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            _rename_locals(node, taken)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    text = ast.unparse(tree).replace("\n", "\r\n")
    return b"\xef\xbb\xbf" + text.encode()


def _names(tree: ast.AST) -> frozenset[str]:
    """Return all names of a module, of its functions too."""
    found = (getattr(node, key, None) for node in ast.walk(tree) for key in ("id", "name", "arg"))
    return frozenset(name for name in found if isinstance(name, str))


def _rename_locals(function: ast.FunctionDef, taken: frozenset[str]) -> None:
    """Rename what a simple function assigns; one with scopes of its own is left as it is."""
    scopes = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal, ast.ListComp,
              ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Import, ast.ImportFrom)  # fmt: skip
    inner = [node for node in ast.walk(function) if node is not function]
    if any(isinstance(node, scopes) for node in inner):
        return
    arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    assigned = {n.id for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    new = {}
    for name in assigned - arguments:
        new[name] = f"_{name}"
        while new[name] in taken:
            new[name] += "_"
    for node in inner:
        if isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)


def write(control: Control, folder: Path) -> Path:
    """Write a control's file into a folder and return its path."""
    path = folder / f"submission{control.suffix}"
    path.write_bytes(control.content)
    return path
