"""Judging of what submitted code returned, in a process with limits.

Decoding, comparing and checking a value can take any time and memory, or crash a library, if
somebody has chosen the value for it. A judging that does not come to its end is the fault of
whoever made it so: the grader's where it does not end on the oracle's own output either, else
the submission's.
"""

from __future__ import annotations

import importlib
import warnings
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Reason, Verdict, Verifier
from biomlbench.runtime.bounded import Allowance, OverdrawnError, call_bounded
from biomlbench.stages.cards import load_card, loaded_from, oracle_path
from biomlbench.stages.outputs import CaseOutput
from biomlbench.verify import CheckOutcome, Decision, Evaluation, evaluate
from biomlbench.verify.candidate import Own
from biomlbench.verify.evidence import REFERENCE_ITEM, refusing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from biomlbench.stages.cards import LoadedCard
    from biomlbench.task.registry import Task
    from biomlbench.verify.oracle import RightResult

__all__ = ["ALLOWANCE", "evaluate_bounded", "judge_bounded", "refusing_bounded"]

ALLOWANCE = Allowance(cpu_s=60, memory_mb=1024)
"""What judging a submission may take. The built-in cards need less than a second and 100 MiB."""


NOTHING_OWN = Own()
_RUN = f"{__name__}:run"


def judge_bounded(
    task: Task,
    function: str,
    outputs: Mapping[str, CaseOutput],
    argument: Any = None,
    own: Own = NOTHING_OWN,
) -> Any:
    """Let a function judge outputs, in a process with limits.

    Parameters
    ----------
    task : Task
        A problem card.
    function : str
        ``package.module:name`` of a function of a loaded card, outputs and `argument`, that
        returns what JSON can hold.
    outputs : mapping
        Case id to what the candidate gave.
    argument : object, optional
        Plain data.
    own : Own, optional
        What cases of the candidate alone were made of.

    Returns
    -------
    object
        What the function returned. Where judging did not come to its end, what it returns for a
        candidate all of whose cases have the status ``judging_limit``; ``grader_error`` where it
        does not end on the oracle's own outputs either.
    """
    job = {
        "folder": str(task.folder),
        "oracle": str(oracle_path(task)),
        "function": function,
        "outputs": {name: astuple(output) for name, output in outputs.items()},
        "argument": argument,
        "own": own.written,
    }
    # Here, so that forks of this process find the card loaded.
    loaded = load_card(task).with_own(own)
    try:
        return call_bounded(_RUN, job, ALLOWANCE)
    except OverdrawnError as error:
        reason, message = Reason.JUDGING_LIMIT, f"judging the result {error}"
        try:
            call_bounded(_RUN, {**job, "outputs": None}, ALLOWANCE)
        except OverdrawnError as broken:
            reason, message = Reason.GRADER_ERROR, f"judging the oracle's own result {broken}"
    spent = CaseOutput(reason.value, None, message)
    return _function(function)(loaded, dict.fromkeys(outputs, spent), argument)


def refusing_bounded(task: Task) -> str:
    """Tell which deciding checks of a card refuse its own reference, in a process with limits.

    Parameters
    ----------
    task : Task
        A prepared problem card.

    Returns
    -------
    str
        As :func:`biomlbench.verify.evidence.refusing`.

    Raises
    ------
    TaskError
        If the card is broken, is not prepared, or was prepared from another state.
    """
    load_card(task)  # here, so that forks of this process find it loaded
    path = oracle_path(task)
    return _refusing(str(task.folder), str(path), path.stat().st_mtime_ns)


@cache
def _refusing(folder: str, path: str, _stamp: int) -> str:
    function = f"{__name__}:refused"
    job = {"folder": folder, "oracle": path, "function": function, "outputs": None}
    try:
        told: str = call_bounded(_RUN, {**job, "argument": None, "own": ""}, ALLOWANCE)
    except OverdrawnError as error:
        return f"{REFERENCE_ITEM}: judging its results {error}"
    return told


def refused(loaded: LoadedCard, _outputs: Mapping[str, Any], _argument: None) -> str:
    """Return what :func:`refusing_bounded` does."""
    return refusing(*loaded)


def run(job: Mapping[str, Any]) -> Any:
    """Judge the outputs of a job of :func:`judge_bounded`; without any, the oracle's own."""
    loaded = loaded_from(Path(job["folder"]), Path(job["oracle"]))
    loaded = loaded.with_own(Own.read(job["own"]))
    outputs: Mapping[str, CaseOutput | RightResult]
    if job["outputs"] is None:
        outputs = loaded.oracle.results()
    else:
        outputs = {name: CaseOutput(*fields) for name, fields in job["outputs"].items()}
    # A candidate chooses the values that a card's own functions warn about, with their place.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _function(job["function"])(loaded, outputs, job["argument"])


def _function(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found


def evaluate_bounded(
    task: Task,
    outputs: Mapping[str, CaseOutput],
    version: Verifier | None = None,
    own: Own = NOTHING_OWN,
) -> Evaluation:
    """Judge and decide as :func:`biomlbench.verify.evaluate` does, in a process with limits.

    Parameters
    ----------
    task : Task
        A problem card.
    outputs : mapping
        Case id to what the candidate gave.
    version : Verifier, optional
        By default the card's own.
    own : Own, optional
        What cases of the candidate alone were made of.

    Returns
    -------
    Evaluation
    """
    rows, (verdict, reasons, score), verifier = judge_bounded(
        task, f"{__name__}:evaluated", outputs, version, own
    )
    decision = Decision(Verdict(verdict), [Reason(reason) for reason in reasons], score)
    return Evaluation([CheckOutcome.of(row) for row in rows], decision, Verifier(verifier))


def evaluated(loaded: LoadedCard, outputs: Mapping[str, Any], version: str | None) -> list[Any]:
    """Return an evaluation as what JSON can hold."""
    rows, decision, verifier = evaluate(*loaded, outputs, Verifier(version) if version else None)
    return [[outcome.row() for outcome in rows], list(decision), verifier]
