"""Structural checks of submitted code, which is parsed and not run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.submission.code_syntax import syntax_fault
from biomlbench.submission.private_files import PrivateFiles
from biomlbench.submission.submitted_file import read_code
from biomlbench.submission.table_rows import shown
from biomlbench.submission.validation import structure_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.contracts.rows import StructureRow
    from biomlbench.task.task import Task

__all__ = ["CODE_CHECKS", "code_rows"]

#: The checks of submitted code, in order.
CODE_CHECKS = ("file", "syntax")
NOTEBOOK = ".ipynb"


def code_rows(
    path: str | Path, task: Task | None = None, functions: Sequence[str] = ()
) -> list[StructureRow]:
    """Return one row a structural check of submitted code, which is parsed but not run.

    Parameters
    ----------
    path : path
    task : Task, optional
        Whose private files it must not be.
    functions : sequence of str
        What it must be able to define.

    Returns
    -------
    list of StructureRow
        As :func:`~biomlbench.submission.validation.validate_rows`, in the order of
        :data:`CODE_CHECKS`.
    """
    try:
        code = read_code(path, None if task is None else PrivateFiles.of(task))
    except InvalidSubmissionError as error:
        return structure_rows(CODE_CHECKS, {"file": (error.reason, error.message)}, "file")
    if Path(path).suffix.lower() == NOTEBOOK:
        told = "a notebook is not run: save its code as one .py file"
        return structure_rows(CODE_CHECKS, {"file": (Reason.WRONG_FORMAT, told)}, "file")
    found: dict[str, tuple[Reason, str]] = {}
    if not code.strip():
        found["syntax"] = (Reason.EMPTY, "the file holds no code")
    elif fault := syntax_fault(code, functions):
        reason, told = fault
        found["syntax"] = (reason, told + _of_other_name(Path(path)))
    return structure_rows(CODE_CHECKS, found, "syntax")


def _of_other_name(path: Path) -> str:
    if path.suffix.lower() in ("", ".py"):
        return ""
    return f"; Python code is asked for, and this is a {shown(path.suffix, 20)} file"
