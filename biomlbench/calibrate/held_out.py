"""Mutation operators that are held out: no check was ever written because of what they left alive.

They are slips of kinds other than those of :mod:`biomlbench.calibrate.operators`: state between
calls, changed arguments, narrow types, sizes, ties, cancellation, texts, confusions of libraries.
An operator from which a check has learnt belongs there, not here. See there for what one is.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from biomlbench.calibrate._nodes import copy_of, name, without_keyword

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Variant = tuple[str, ast.AST | list[ast.stmt]]

__all__ = ["HELD_OUT"]

_WRAPPERS = {
    "cache": {
        "shape": "kept by sizes",
        "first_argument": "kept by the first argument",
        "rounded": "kept by six digits",
        "one_object": "one object for equal calls",
        "one_buffer": "one memory for all results of a shape",
        "adding": "adds up over calls",
    },
    "in-place": {
        "sorting": "argument left sorted",
        "cleaning": "zeros in place of what is not finite in the argument",
        "emptying": "last item taken out of the argument",
    },
    "size-limit": {
        "first_thousand": "first thousand items alone",
        "first_hundred": "first hundred items alone",
    },
    "narrow-type": {"narrow": "32-bit arguments", "byte": "8-bit arguments"},
    "memory-order": {"memory": "arrays read in the order of memory"},
    "special-value": {
        "finite": "NaN and infinity taken for numbers",
        "guarded": "zeros kept off",
        "bounded": "clipped to a million",
        "one_answer": "an answer of its own for one item or none",
        "all_equal": "an answer of its own for equal numbers",
    },
    "text-form": {"upper": "in capitals", "stripped": "blanks and empty lines dropped"},
    "distinct": {"distinct": "repeated items dropped"},
    "argument-order": {
        "exchanged": "first two arguments exchanged",
        "transposed": "square matrices by columns",
    },
}

_METHODS = {
    "strip": ("rstrip", "lstrip"),
    "rstrip": ("strip",),
    "lstrip": ("strip",),
    "find": ("rfind",),
    "rfind": ("find",),
    "index": ("rindex",),
    "partition": ("rpartition",),
    "rpartition": ("partition",),
    "startswith": ("endswith",),
    "endswith": ("startswith",),
    "match": ("search", "fullmatch"),
    "fullmatch": ("match",),
    "search": ("match",),
    "finditer": ("findall",),
    "isdigit": ("isalnum",),
    "isalpha": ("isalnum",),
    "popleft": ("pop",),
    "append": ("appendleft",),
    "isnan": ("isinf",),
    "isfinite": ("isinf",),
    "outer": ("multiply",),
    "nanmean": ("mean",),
    "nanmax": ("max",),
    "nanmin": ("min",),
    "rint": ("floor",),
    "trunc": ("floor",),
    "eigh": ("eig",),
    "eigvalsh": ("eigvals",),
    "comb": ("perm",),
    "gammaln": ("gamma",),
    "combinations": ("permutations",),
    "isclose": ("equal",),
    "lexsort": ("argsort",),
    "setdefault": ("get",),
    "isin": ("equal",),
    "sqrt": ("cbrt",),
    "concatenate": ("hstack",),
    "vstack": ("hstack",),
    "hstack": ("vstack",),
    "repeat": ("tile",),
    "tile": ("repeat",),
    "bincount": ("unique",),
    "cumsum": ("flip",),
}
_KEYWORDS = (
    *("dtype", "order", "kind", "method", "return_index", "strict", "key", "reverse", "start"),
    *("endpoint", "side", "rowvar", "equal_nan", "full_matrices", "mode", "default", "right"),
    *("left", "copy", "hermitian", "weights", "axes"),
)
_PATIENCE = 64
"""Rounds after which a loop is given up."""


def _wrapped(operator: str) -> Callable[[ast.AST], Iterator[Variant]]:
    def apply(node: ast.AST) -> Iterator[Variant]:
        # at the top of a module only: an entry point, or what one calls
        if not isinstance(node, ast.FunctionDef) or node.col_offset or node.name.startswith("_"):
            return
        for wrapper, note in _WRAPPERS[operator].items():
            new = copy.deepcopy(node)
            new.decorator_list.insert(0, ast.Name(f"_mutant_{wrapper}_calls", ast.Load()))
            yield f"{node.name}: {note}", new

    return apply


def _call(function: str, *args: ast.expr) -> ast.Call:
    parts = function.split(".")
    target: ast.expr = ast.Name(parts[0], ast.Load())
    for part in parts[1:]:
        target = ast.Attribute(target, part, ast.Load())
    return ast.Call(target, [copy_of(one) for one in args], [])


def _cancellation(node: ast.AST) -> Iterator[Variant]:
    if not isinstance(node, ast.Call) or not node.args:
        return
    what, first = name(node.func), node.args[0]
    one = ast.Constant(1)
    if what == "log1p":
        changed = copy.deepcopy(node)
        _rename(changed, "log")
        changed.args[0] = ast.BinOp(one, ast.Add(), copy_of(first))
        yield "log of one plus a small number", changed
    elif what == "expm1":
        changed = copy.deepcopy(node)
        _rename(changed, "exp")
        yield "one taken off an exponential", ast.BinOp(changed, ast.Sub(), one)
    elif what == "fsum":
        yield "plain sum", _call("sum", first)
    elif what == "hypot" and len(node.args) == 2:
        squares = [ast.BinOp(copy_of(a), ast.Mult(), copy_of(a)) for a in node.args]
        total = ast.BinOp(squares[0], ast.Add(), squares[1])
        yield "squares that overflow", ast.BinOp(total, ast.Pow(), ast.Constant(0.5))
    elif what in ("var", "std"):
        new = copy.deepcopy(node)
        new.func = ast.Name("_mutant_of_moments", ast.Load())
        yield (
            "mean of squares minus square of the mean",
            new if what == "var" else ast.BinOp(new, ast.Pow(), ast.Constant(0.5)),
        )
    elif what == "logaddexp":
        powers = [_call("np.exp", a) for a in node.args[:2]]
        yield (
            "exponentials that overflow",
            _call("np.log", ast.BinOp(powers[0], ast.Add(), powers[-1])),
        )
    elif what == "norm":
        yield "sum of squares in single precision", _call("_mutant_float32", node)


def _rename(call: ast.Call, other: str) -> None:
    if isinstance(call.func, ast.Attribute):
        call.func.attr = other
    elif isinstance(call.func, ast.Name):
        call.func.id = other


def _ties(node: ast.AST) -> Iterator[Variant]:
    if isinstance(node, ast.Call):
        what = name(node.func)
        if what in ("argmax", "argmin") and node.args:
            new = copy.deepcopy(node)
            helper = "last_largest" if what == "argmax" else "last_smallest"
            new.func = ast.Name(f"_mutant_{helper}", ast.Load())
            yield "the last of equal ones", new
        if what in ("min", "max") and any(k.arg == "key" for k in node.keywords):
            new = copy.deepcopy(node)
            new.args = [_call("reversed", _call("list", node.args[0])), *new.args[1:]]
            yield "the last of equal ones", new
        if what == "sorted" and node.args:
            new = copy.deepcopy(node)
            new.args[0] = _call("reversed", _call("list", node.args[0]))
            yield "equal ones the other way round", new
        if what == "searchsorted" and not any(k.arg == "side" for k in node.keywords):
            new = copy.deepcopy(node)
            new.keywords.append(ast.keyword("side", ast.Constant("right")))
            yield "the other side of equal ones", new
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = node.comparators[0]
        if isinstance(node.ops[0], ast.Eq):
            yield "equal within 1e-9", _call("_mutant_near", node.left, other)
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and _is_none(other):
            truth: ast.expr = copy_of(node.left)
            negated = isinstance(node.ops[0], ast.Is)
            yield (
                "nothing and zero taken for the same",
                ast.UnaryOp(ast.Not(), truth) if negated else truth,
            )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _division(node: ast.AST) -> Iterator[Variant]:
    if not isinstance(node, ast.BinOp):
        return
    if isinstance(node.op, ast.FloorDiv):
        quotient = ast.BinOp(copy_of(node.left), ast.Div(), copy_of(node.right))
        yield "through a float, towards zero", _call("int", quotient)
    if isinstance(node.op, ast.Div):
        yield (
            "whole part alone",
            ast.BinOp(copy_of(node.left), ast.FloorDiv(), copy_of(node.right)),
        )
        inverse = ast.BinOp(ast.Constant(1.0), ast.Div(), copy_of(node.right))
        yield (
            "times a rounded inverse",
            ast.BinOp(copy_of(node.left), ast.Mult(), _call("_mutant_float32", inverse)),
        )
    if isinstance(node.op, ast.Mod):
        bound = ast.BinOp(copy_of(node.right), ast.Sub(), ast.Constant(1))
        yield "one less than the modulus", ast.BinOp(copy_of(node.left), ast.Mod(), bound)


def _library(node: ast.AST) -> Iterator[Variant]:
    if not isinstance(node, ast.Call):
        return
    for place, keyword in enumerate(node.keywords):
        if keyword.arg in _KEYWORDS:
            yield f"no {keyword.arg}", without_keyword(node, place)
    for other in _METHODS.get(name(node.func), ()):
        new = copy.deepcopy(node)
        _rename(new, other)
        yield f"{other} for {name(node.func)}", new
    if not isinstance(node.func, ast.Attribute):
        return
    what = node.func.attr
    if what == "split":
        new = copy.deepcopy(node)
        new.args = [] if node.args else [ast.Constant(" ")]
        yield "split at other blanks", new
    if what == "replace" and len(node.args) == 2:
        new = copy.deepcopy(node)
        new.args.append(ast.Constant(1))
        yield "the first one replaced alone", new
    if what == "get" and len(node.args) == 2:
        new = copy.deepcopy(node)
        del new.args[1]
        yield "no default", new
    if what == "reshape":
        new = copy.deepcopy(node)
        new.keywords.append(ast.keyword("order", ast.Constant("F")))
        yield "column after column", new


def _containers(node: ast.AST) -> Iterator[Variant]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        if node.func.id in ("set", "frozenset"):
            yield "repeated items kept", _call("list", node.args[0])
        if node.func.id == "enumerate" and len(node.args) == 1 and not node.keywords:
            new = copy.deepcopy(node)
            new.args.append(ast.Constant(1))
            yield "counted from one", new
        if node.func.id == "zip" and len(node.args) > 1:
            new = copy.deepcopy(node)
            new.keywords = []
            new.args[0] = ast.Subscript(
                _call("list", node.args[0]), ast.Slice(ast.Constant(1)), ast.Load()
            )
            yield "pairs out of step", new
    if isinstance(node, ast.Slice) and node.step is not None:
        yield "no step", ast.Slice(copy_of(node.lower), copy_of(node.upper))
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
        yield "the two exchanged", ast.Tuple([copy_of(one) for one in node.elts[::-1]], ast.Load())


def _gives_up(node: ast.AST) -> Iterator[Variant]:
    if isinstance(node, ast.For):
        new = copy.deepcopy(node)
        items = _call("list", node.iter)
        new.iter = ast.Subscript(items, ast.Slice(None, ast.Constant(_PATIENCE)), ast.Load())
        yield f"the first {_PATIENCE} alone", new
    if isinstance(node, ast.While):
        loop = copy.deepcopy(node)
        count = ast.Name("_mutant_rounds", ast.Store())
        more = ast.AugAssign(copy_of(count), ast.Add(), ast.Constant(1))
        enough = ast.Compare(
            ast.Name("_mutant_rounds", ast.Load()), [ast.GtE()], [ast.Constant(_PATIENCE)]
        )
        loop.body = [more, ast.If(enough, [ast.Break()], []), *loop.body]
        yield f"given up after {_PATIENCE} rounds", [ast.Assign([count], ast.Constant(0)), loop]
    if isinstance(node, ast.Raise):
        yield "no error raised", [ast.Pass()]
    if isinstance(node, ast.Continue):
        yield "ends where it should go on", [ast.Break()]
    if isinstance(node, ast.Break):
        yield "goes on where it should end", [ast.Continue()]


HELD_OUT: dict[str, Callable[[ast.AST], Iterator[Variant]]] = {
    "cache": _wrapped("cache"),
    "library": _library,
    "in-place": _wrapped("in-place"),
    "tie": _ties,
    "size-limit": _wrapped("size-limit"),
    "division": _division,
    "special-value": _wrapped("special-value"),
    "container": _containers,
    "narrow-type": _wrapped("narrow-type"),
    "gives-up": _gives_up,
    "text-form": _wrapped("text-form"),
    "cancellation": _cancellation,
    "distinct": _wrapped("distinct"),
    "memory-order": _wrapped("memory-order"),
    "argument-order": _wrapped("argument-order"),
}
"""Operators by name, in the order in which they have their turn."""
