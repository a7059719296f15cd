"""What would change: past pairs judged again by changed checks, answers or leaderboards."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from biomlbench.contracts import ContractError, read_table, write_table
from biomlbench.errors import GraderError, TaskError
from biomlbench.outcomes import Fault, Reason, Verdict, Verifier
from biomlbench.runtime import progress_bars as bars
from biomlbench.stages import STAGES, Pair, run_stage
from biomlbench.stages.chain import FINAL
from biomlbench.stages.chain.medal import WITHHELD
from biomlbench.workflow.pair_tables import PairTables
from biomlbench.workflow.record import RecordError, read_record
from biomlbench.workflow.recorded_places import submission_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.contracts.rows import PairRow
    from biomlbench.stages import Context
    from biomlbench.stages.cards import LoadedCard
    from biomlbench.workflow.config_keys import TaskSection

__all__ = ["Flip", "Regraded", "flips_of_card", "regrade"]

_COMPARED = ("verdict", "medal", "verified_medal", "score")
_KEPT = ("validate", "execute")


class _RunKey(TypedDict):
    run_id: str


class Flip(_RunKey, total=False):
    """A past run whose outcome would change; of what does, before and after."""

    verdict: list[str]
    medal: list[str]
    verified_medal: list[bool]
    score: list[float | None]


class Regraded(Flip, total=False):
    """A past pair that comes out otherwise, or `note`, why it cannot be graded again."""

    task_id: str
    note: str


def _pairs(results: Path) -> list[PairRow]:
    path = results / "pairs.parquet"
    return read_table("pairs", path).to_pylist() if path.is_file() else []


def _configured(results: Path) -> dict[str, TaskSection]:
    """Return what the config of the results changes, by task; nothing where it is not recorded."""
    try:
        return read_record(results)["config"]["tasks"]
    except RecordError:
        return {}


def flips_of_card(
    results: str | Path,
    task_id: str,
    loaded: LoadedCard,
    change: Mapping[str, Mapping[str, Any]],
) -> list[Flip]:
    """Return the past pairs of a card whose verdict changes with the checks.

    The stored outputs are judged, nothing is executed.

    Parameters
    ----------
    results : path
        Results folder of the workflow.
    task_id : str
    loaded : LoadedCard
    change : mapping
        Check to key to value, as for :func:`biomlbench.calibrate.thresholds.with_checks`.

    Returns
    -------
    list of dict
        run_id, and before and after of verdict and verified medal.
    """
    from biomlbench.calibrate.thresholds import with_checks
    from biomlbench.stages.outputs import case_outputs, own_in
    from biomlbench.verify import judge
    from biomlbench.verify.policy import CheckOutcome, decide

    results = Path(results)
    card = with_checks(loaded.card, change)
    checks = tuple(check for check in card.checks if check.name in change)
    card = replace(card, verifier=replace(card.rules, checks=checks))
    flips: list[Flip] = []
    # under the other verifiers the card's checks do not decide
    pairs = [p for p in _pairs(results) if p["task_id"] == task_id and p["verifier"] == Verifier.V2]
    for pair in bars.track(pairs, "judging past pairs again"):
        folder = results / "pairs" / task_id / pair["run_id"]
        try:
            execute = read_table("execute", folder / "execute.parquet")
            recorded = read_table("verify", folder / "verify.parquet").to_pylist()
        except ContractError:
            continue
        outputs = {case: repeats[0] for case, repeats in case_outputs(execute).items()}
        mine = loaded.with_own(own_in(execute))
        if set(outputs) != {case.id for case in mine.plan.cases}:
            # it did not run, or ran on the cases of another plan
            continue
        # what the other checks said stays: an unstable one must not be taken for a change
        kept = [CheckOutcome.of(row) for row in recorded if row["check"] not in change]
        judged = judge(card, mine.plan, mine.oracle, outputs)
        verdict = decide([*kept, *(row for row in judged if row.mode != "gate")]).verdict
        if verdict != pair["verdict"]:
            # what a medal is withheld for does not hang on a card's checks
            earned = pair["any_medal"] and WITHHELD not in (pair["medal_note"] or "")
            flips.append(
                {
                    "run_id": pair["run_id"],
                    "verdict": [pair["verdict"], str(verdict)],
                    "verified_medal": [
                        pair["verified_medal"],
                        bool(earned and verdict == Verdict.PASS),
                    ],
                }
            )
    return flips


def regrade(
    results: str | Path,
    context: Context,
    task_ids: Iterable[str] | None = None,
    track: Callable[[Iterable[PairRow]], Iterable[PairRow]] = iter,
) -> Iterator[Regraded]:
    """Grade all past pairs again by the present graders, answers, checks and leaderboards.

    Nothing is executed and nothing in the results folder changes: what was executed is graded,
    verified and ranked in a folder of its own.

    Parameters
    ----------
    results : path
        Results folder of the workflow.
    context : Context
        What it changes of a task comes after what the config of the results changes.
    task_ids : iterable of str, optional
        Only these tasks.
    track : callable, optional
        Goes through the pairs, to show how far it is.

    Yields
    ------
    dict
        For each pair that comes out otherwise: task_id, run_id, and for verdict, medal,
        verified_medal and score, where it changes, before and after; or `note`, why it cannot
        be graded again.
    """
    results = Path(results)
    tables, configured = PairTables(results), _configured(results)
    wanted = None if task_ids is None else set(task_ids)
    rows = [row for row in _pairs(results) if wanted is None or row["task_id"] in wanted]
    for row in track(rows):
        try:
            place = submission_place(results, row["submission"])
            found = _graded_again(row, place, tables, configured, context)
        except (TaskError, GraderError, ContractError) as error:
            found = {"note": f"cannot be graded again: {error}"}
        if found:
            ids = {"task_id": row["task_id"], "run_id": row["run_id"]}
            yield cast("Regraded", {**ids, **found})


def _graded_again(
    row: PairRow,
    place: str,
    tables: PairTables,
    configured: Mapping[str, TaskSection],
    context: Context,
) -> AnyRow:
    """Return what of a past pair comes out otherwise, or a note; empty if nothing does."""
    if row["fault"] == Fault.RUN_TABLE:
        return {"note": f"no run, so not graded again: {row['message']}"}
    key = (row["task_id"], row["run_id"], row["kind"])
    if not all(tables.path(stage, *key).is_file() for stage in _KEPT):
        return {}
    pair = Pair(row["task_id"], row["run_id"], place, row["kind"], row["seed"])
    changes = {**configured.get(row["task_id"], {}), **context.overrides}
    of_pair = replace(context, overrides=changes)
    with tempfile.TemporaryDirectory(prefix="biomlbench-regrade-") as scratch:
        for stage in _KEPT:
            table, record = tables.read(stage, *key), tables.provenance(stage, *key)
            write_table(stage, table, Path(scratch) / f"{stage}.parquet", record)
        made = {
            stage: run_stage(stage, pair, of_pair, scratch)
            for stage in STAGES
            if stage not in _KEPT
        }
    then, now = cast("AnyRow", row), made[FINAL].to_pylist()[0]
    if now["reason"] == Reason.SUBMISSION_CHANGED:
        if not os.path.lexists(place):
            there = os.path.normpath(Path(place).absolute())
            return {"note": f"{row['submission']}: is not at {there}; put it there again"}
        return {"note": f"{pair.submission}: {now['message']}"}
    return {name: [then[name], now[name]] for name in _COMPARED if then[name] != now[name]}
