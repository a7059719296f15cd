"""What a reader should know before believing the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Fault, Outcome, Verifier
from biomlbench.report.lookalikes import described, lookalikes
from biomlbench.report.shown import MAX_NAME, shown_name
from biomlbench.run_command import run_command
from biomlbench.runtime.hashing import is_sha256
from biomlbench.runtime.words import counted, some_of
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.stages.preparing import ADOPTED, CHANGED
from biomlbench.verify.near_duplicates import CHECK

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from biomlbench.report.inputs import Tables

__all__ = ["Warned", "warnings"]

NAMED = 5  # how many tasks or agents a warning names
REASONS = 3  # how many reasons a warning tells
MAX_REASON = 200
_NO_REASON = "incomplete evidence when it was graded"


@dataclass(frozen=True)
class Warned:
    """Something that limits how far results can be believed."""

    level: str  # `bad` or `mild`
    title: str
    text: str
    link: str = ""


def _named(names: Iterable[str]) -> str:
    names = sorted({shown_name(name, MAX_NAME) for name in names})
    return some_of(names, NAMED)


def _to_correct(sources: Iterable[str]) -> str:
    """Name lines of run tables; a site, which knows none, has readers who cannot correct them."""
    known = [source for source in sources if source]
    return f" Correct them and run again: {_named(known)}." if known else ""


def warnings(tables: Tables) -> list[Warned]:
    """Return what should keep a reader from believing results, the worst first.

    Parameters
    ----------
    tables : Tables

    Returns
    -------
    list of Warned
    """
    runs = tables.runs
    found = []

    def warn(level: str, title: str, text: str, link: str = "") -> None:
        found.append(Warned(level, title, text, link))

    unsafe = runs[runs["level"] == "unsafe"]
    if len(unsafe):
        warn("bad", f"{counted(len(unsafe), 'run')} without a sandbox",
             "Their code ran unprotected and could have read the answers or changed this report.",
             "#runs?level=unsafe")  # fmt: skip
    reduced = runs[runs["level"] == "reduced"]
    if len(reduced):
        warn("bad", f"{counted(len(reduced), 'run')} in a reduced sandbox",
             "This host could not isolate them fully; rerun them where it can.",
             "#runs?level=reduced")  # fmt: skip
    lost = lost_runs(runs)
    for fault, meaning in (
        ("grader", "The grader itself went wrong; these runs have no trustworthy result."),
        ("task", "The task's own files are at fault; no agent can do well there."),
        ("infrastructure", "Run the workflow again: only these are repeated."),
    ):
        part = runs[lost & (runs["fault"] == fault)]
        if len(part):
            text = f"{meaning} Tasks: {_named(part['task_id'])}."
            warn("bad", f"{counted(len(part), 'run')} lost to the {fault}", text,
                 f"#runs?fault={fault}")  # fmt: skip
    unranked = runs[~lost & (runs["fault"] == Fault.TASK)]
    if len(unranked):
        warn("bad", f"{counted(len(unranked), 'run')} whose score the task cannot rank or verify",
             "Score and verdict stand and count. The leaderboard or the human baselines are "
             f"broken, or an audit's finding is open. Tasks: {_named(unranked['task_id'])}.",
             "#runs?fault=task")  # fmt: skip
    unused = tables.pairs[tables.pairs["fault"] == Fault.RUN_TABLE]
    if len(unused):
        warn("bad", f"{counted(len(unused), 'row')} of the run tables could not be used",
             f"They count for no agent.{_to_correct(unused['source'])}",
             f"#runs?fault={Fault.RUN_TABLE}")  # fmt: skip
    if len(unjudged := tables.unused_rows):
        told = [
            shown_name(f"{row.source}: {row.task_id}, {row.run_id}: {row.message}", MAX_REASON)
            for row in unjudged.itertuples()
        ]
        warn("bad", f"{counted(len(unjudged), 'row')} for the calibration could not be used",
             "They are of `calibration.adjudications` or `calibration.flake_runs`, and all others "
             f"count. Correct them and calibrate again: {some_of(told, NAMED)}.",
             "#trust")  # fmt: skip
    medals = runs[runs["any_medal"] & ~runs["verified_medal"]]
    if len(medals):
        warn("bad", f"{counted(len(medals), 'medal')} not verified",
             "The score would earn it; the verdict is not pass, or what is known of score and task "
             f"withholds it. Agents: {_named(medals['agent'])}.",
             "#runs?medal=unverified")  # fmt: skip
    copies = _verified_copies(tables)
    if len(copies):
        warn("bad", f"{counted(len(copies), 'verified medal')} for nearly the same predictions",
             "They nearly equal those of another agent's run, as a copy's do; so may those of two "
             "simple models of the same data. Look at code and log of both runs, which the check "
             f"`{CHECK}` names. Agents: {_named(copies['agent'])}. "
             f"Tasks: {_named(copies['task_id'])}.",
             "#trust")  # fmt: skip
    alike = lookalikes(map(str, runs["agent"].unique()))
    if alike:
        shown = [
            some_of([described(shown_name(name, MAX_NAME)) for name in group], NAMED)
            for group in alike
        ]
        warn("mild", f"{counted(sum(map(len, alike)), 'agent')} whose names look alike",
             "They are different agents, by letters that look like others: "
             f"{'; '.join(shown[:NAMED])}{'; ...' if shown[NAMED:] else ''}.",
             "#agents")  # fmt: skip
    equal = _equal_files(runs)
    if len(equal):
        warn("mild", f"{counted(len(equal), 'run')} with the same file as another of the agent",
             "Each counts as a run of its own, and so do its medals, though one piece of work made "
             "them: what looks like repeated success may be one. Agents: "
             f"{_named(equal['agent'])}. Tasks: {_named(equal['task_id'])}.", "#trust")  # fmt: skip
    by_old = runs["verifier"].isin([Verifier.V1, Verifier.SHADOW])
    old_checks = runs[by_old & runs["verified_medal"].astype(bool)]
    if len(old_checks):
        warn("mild", f"{counted(old_checks['task_id'].nunique(), 'task')} judged by the old checks",
             "Their config says `verifier: v1` or `shadow`; what calibration says of them holds "
             f"for v2. Tasks: {_named(old_checks['task_id'])}.", "#tasks")  # fmt: skip
    notes = runs["medal_note"].fillna("").astype(str)
    models = runs[runs["any_medal"] & notes.str.startswith("against ")]
    if len(models):
        warn("mild", f"{counted(len(models), 'medal')} against models",
             "These leaderboards hold no people; each medal has a star and says whom it was won "
             f"against. Tasks: {_named(models['task_id'])}.", "#tasks")  # fmt: skip
    # a run that was never graded says nothing of its task
    graded = runs[~lost]
    uncalibrated = graded.loc[~graded["calibrated"].astype(bool), "task_id"].unique()
    if len(uncalibrated):
        verb = "are" if len(uncalibrated) > 1 else "is"
        warn("mild", f"{counted(len(uncalibrated), 'task')} {verb} uncalibrated",
             f"Why: {_reasons(tables.tasks, uncalibrated)}.", "#tasks")  # fmt: skip
    close = runs[runs["on_boundary"].fillna(False).astype(bool)]
    if len(close):
        verb = "span" if len(close) > 1 else "spans"
        warn("mild", f"{counted(len(close), 'score')} {verb} a medal's threshold",
             "It lies within the 95 % interval: another test set might give another medal.",
             "#runs?on_boundary=1")  # fmt: skip
    single = runs[runs["n_rows"].eq(1) & runs["score"].notna()]
    if len(single):
        warn("mild", f"{counted(len(single), 'score')} of a single test row",
             "It has no interval and no probability of a medal: nothing tells how far the score of "
             f"another row would be. Tasks: {_named(single['task_id'])}.", "#tasks")  # fmt: skip
    notes = tables.tasks["data_note"].fillna("").astype(str)
    for note, part in tables.tasks[~notes.isin(["", ADOPTED])].groupby(notes):
        warn("bad" if note.startswith(CHANGED) else "mild",
             f"{counted(len(part), 'task')} with other data than prepared",
             f"{shown_name(note, MAX_REASON)}. Scores there compare with no others. Tasks: "
             f"{_named(part['task_id'])}.", "#tasks")  # fmt: skip
    unprepared = tables.tasks[~tables.tasks["prepared"].astype(bool)]
    if len(unprepared):
        warn("mild", f"{counted(len(unprepared), 'task')} without data",
             f"Their data is not in place: {_named(unprepared['task_id'])}.", "#tasks")  # fmt: skip
    if tables.rates.empty and len(runs):
        warn("mild", "Error rates not measured yet",
             "How often the checks err has not been measured: run "
             f"`{run_command('calibrate')}`.",
             "#trust")  # fmt: skip
    return found


def _reasons(tasks: pd.DataFrame, uncalibrated: Iterable[str]) -> str:
    """Say what the tasks lack, or which measured rate is too high: commonest first, with tasks."""
    where: dict[str, list[str]] = {}
    known = dict(zip(tasks["task_id"], tasks["evidence_missing"], strict=True))
    for task_id in uncalibrated:
        reasons = known.get(task_id)
        if reasons is None or not len(reasons):
            reasons = [_NO_REASON]
        for reason in reasons:
            where.setdefault(shown_name(reason, MAX_REASON), []).append(task_id)
    told = sorted(where.items(), key=lambda item: (-len(item[1]), item[0]))
    more = f"; {len(told) - REASONS} more are told at the tasks" if len(told) > REASONS else ""
    return "; ".join(f"{reason} ({_named(names)})" for reason, names in told[:REASONS]) + more


def _equal_files(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs whose submission is, byte by byte, that of another run of their agent."""
    known = runs[runs["submission_sha256"].map(is_sha256).astype(bool)]
    return known[known.duplicated(["task_id", "agent", "submission_sha256"], keep=False)]


def _verified_copies(tables: Tables) -> pd.DataFrame:
    """Return the runs with a verified medal whose predictions nearly equal another agent's."""
    runs, checks = tables.runs, tables.checks
    failed = checks[(checks["check"] == CHECK) & (checks["outcome"] == Outcome.FAILED)]
    copied = set(zip(failed["task_id"], failed["run_id"], strict=True))
    won = runs[runs["verified_medal"].astype(bool)]
    keys = zip(won["task_id"], won["run_id"], strict=True)
    return won[np.fromiter((key in copied for key in keys), bool, len(won))]
