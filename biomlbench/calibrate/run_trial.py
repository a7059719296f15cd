"""One trial of a submission: run it in the sandbox and judge it. Run as a process of its own."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.sandbox import Case, run_functions
from biomlbench.stages import Context
from biomlbench.stages.cards import load_card
from biomlbench.stages.outputs import CaseOutput
from biomlbench.stages.running import environment_of, function_limits, hidden_paths
from biomlbench.submission.submitted_file import confined, read_code
from biomlbench.verify import judge
from biomlbench.verify.candidate import Own
from biomlbench.verify.constants import constants_of
from biomlbench.verify.execution import preload_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.verify.plan import Plan

__all__ = ["main"]


def main(question: str, answer: str) -> None:
    """Run a submission once, and judge what it gives.

    Parameters
    ----------
    question : str
        JSON: the task, the submission, fields of the context, and the condition: the order's
        seed, the hash seed, the number of threads.
    answer : str
        Path for the outcomes: check, outcome, and a hash over all outputs that the check looks
        at; the outcomes of a check's suites are put together.
    """
    job = json.loads(question)
    context = Context(**{**job["context"], "tasks_dirs": tuple(job["context"]["tasks_dirs"])})
    with confined(job["submission"], job["root"]):
        code = read_code(job["submission"]).encode()
    loaded = load_card(context.task(job["task"])).with_own(Own(constants_of(code)))
    outputs = _outputs(code, context, loaded, job)
    by_check: dict[str, list[tuple[str, str]]] = {}
    for row in judge(*loaded, outputs):
        name = "gate" if row.mode == "gate" else row.check
        by_check.setdefault(name, []).append((row.suite, str(row.outcome)))
    found = []
    for check, seen in by_check.items():
        suites = {suite for suite, _ in seen}
        cases = _cases(loaded.plan, check, suites)
        found.append((check, ",".join(outcome for _, outcome in seen), _digest(outputs, cases)))
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


def _outputs(code: bytes, context: Context, loaded: Any, job: JsonObject) -> dict[str, CaseOutput]:
    task = context.task(job["task"])
    execution = run_functions(
        code,
        [
            Case(case.id, case.function, case.args, case.kwargs, hash_seed=job["hash_seed"])
            for case in loaded.plan.cases
        ],
        limits=replace(function_limits(task, context, loaded.oracle), threads=job["threads"]),
        provider=context.provider,
        preload=preload_for(loaded.card, code),
        environment=environment_of(task),
        hidden=hidden_paths(context, task),
        order=job["order"],
    )
    return {
        case.id: CaseOutput(case.status, case.payload, case.message, total=case.total)
        for case in execution.cases
    }


def _cases(plan: Plan, check: str, suites: set[str]) -> list[str]:
    """Return the cases that a check looks at; all, where it is none of the card's own."""
    units = [unit for suite in suites for unit in plan.units.get((check, suite), ())]
    found = {case for unit in units for case in (unit.case_id, *unit.variant_ids)}
    return sorted(found or {case.id for case in plan.cases})


def _digest(outputs: Mapping[str, CaseOutput], cases: list[str]) -> str:
    digest = hashlib.sha256()
    for case in cases:
        output = outputs[case]
        digest.update(f"{case}:{output.status}:".encode() + (output.payload or b""))
    return digest.hexdigest()


if __name__ == "__main__":
    main(*sys.argv[1:])
