"""Runs an author's own solutions in this process: quick, and with no protection at all.

Only for code that one trusts as one trusts the card itself, such as the reference. A
submission goes through the sandbox.
"""

from __future__ import annotations

import io
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Reason
from biomlbench.sandbox.codec import CodecError, decode
from biomlbench.sandbox.inside import calls
from biomlbench.sandbox.requests import prepare

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from biomlbench.sandbox.requests import Sent
    from biomlbench.verify.plan import PlannedCase

__all__ = ["LocalResult", "functions_of", "run"]


@dataclass(frozen=True)
class LocalResult:
    """What became of one case."""

    status: str
    value: Any = None
    message: str = ""
    stdout: str = ""


def functions_of(path: Path) -> ModuleType:
    """Execute a Python file as a module of its own, anew each time."""
    return _module(path, compile(path.read_bytes(), str(path), "exec"))


def _module(path: Path, code: CodeType) -> ModuleType:
    module = ModuleType("candidate")
    module.__file__ = str(path)
    exec(code, module.__dict__)  # noqa: S102
    return module


def run(
    path: Path, cases: Iterable[PlannedCase], sent: dict[PlannedCase, Sent] | None = None
) -> dict[str, LocalResult]:
    """Call a trusted solution on every case.

    Parameters
    ----------
    path : Path
        Python file that defines the entry points.
    cases : iterable of PlannedCase
    sent : dict, optional
        Keeps encoded cases, for other solutions of the card.

    Returns
    -------
    dict
        Case id to result, values being those that arrive after transport.
    """
    cases = list(cases)
    try:
        code = compile(path.read_bytes(), str(path), "exec")
        _module(path, code)
    except SyntaxError as error:
        lost = LocalResult(Reason.SYNTAX_ERROR.value, message=str(error))
        return {case.id: lost for case in cases}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lost = LocalResult(Reason.IMPORT_ERROR.value, message=f"{type(error).__name__}: {error}")
        return {case.id: lost for case in cases}
    # as in the sandbox, no case sees what the module has become in another
    return {case.id: _call(_module(path, code), _encoded(case, sent)) for case in cases}


def _encoded(case: PlannedCase, kept: dict[PlannedCase, Sent] | None) -> Sent:
    if kept is None:
        return prepare(case)
    if case not in kept:
        kept[case] = prepare(case)
    return kept[case]


def _call(module: ModuleType, sent: Sent) -> LocalResult:
    out = io.StringIO()
    try:
        with (
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
            redirect_stdout(out),
            redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            report, payload = calls.run(module.__dict__.get, sent.function, sent.body)
    except calls.MissingFunctionError as error:
        return LocalResult(Reason.MISSING_FUNCTION.value, message=f"no function {error}")
    except CodecError as error:
        return LocalResult(Reason.MALFORMED_OUTPUT.value, message=str(error))
    except KeyboardInterrupt:
        raise
    except BaseException:
        last = traceback.format_exc(limit=-1).strip().splitlines()[-1]
        return LocalResult(Reason.EXCEPTION.value, message=last, stdout=out.getvalue())
    changed = sent.changed(report)
    status = Reason.INPUT_MODIFIED.value if changed else "ok"
    return LocalResult(status, decode(payload), changed, out.getvalue())
