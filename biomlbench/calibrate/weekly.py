"""The weekly round: archive what was measured, propose, apply, compare two weeks."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import yaml

from biomlbench.calibrate import edits
from biomlbench.calibrate.jobs import TABLES
from biomlbench.calibrate.proposals import propose
from biomlbench.calibrate.regrade import flips_of_card
from biomlbench.calibrate.thresholds import of_check
from biomlbench.contracts import read_table
from biomlbench.errors import TaskError
from biomlbench.runtime.bounded_yaml import read_yaml
from biomlbench.runtime.progress_bars import track
from biomlbench.verify.card import load
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.contracts.calibration_rows import RateRow
    from biomlbench.contracts.mappings import Config
    from biomlbench.stages import Context

__all__ = ["PROPOSAL", "apply_proposal", "diff", "read_proposal", "write_proposal"]

PROPOSAL = "proposal.yaml"
_HEAD = """\
# Proposed changes of checks. Read `why`, `separates` and `flips`, take out what you do not
# want, and adopt the rest with: biomlbench calibrate apply {path}
"""
_FURTHER = """\
# Proposal {number} of this week: the earlier ones, which may have been applied, are kept.
"""


def write_proposal(
    results: str | Path, context: Context, flake_limit: float = 0.0, week: str | None = None
) -> Path:
    """Propose changes from the tables of calibration, and keep these tables with them.

    Parameters
    ----------
    results : path
        Results folder; `calibration/` in it has been written by `snakemake calibrate`.
    context : Context
    flake_limit : float
        Flake rate from which on a check is proposed to be advisory.
    week : str, optional
        By default the week in which the rates were measured.

    Returns
    -------
    pathlib.Path
        Of `results/calibration/<week>/proposal.yaml`; of `proposal-2.yaml` and so on where there
        is another one of that week.

    Raises
    ------
    ContractError
        If a table is missing.
    TaskError
        If the rates do not tell their week and none is given.
    """
    from biomlbench.stages.cards import load_card

    results = Path(results)
    tables = {
        name: read_table(name, results / "calibration" / f"{name}.parquet").to_pylist()
        for name in ("rates", "kills", "margins", "flakes")
    }
    weeks = {row["week"] for row in tables["rates"]} - {None}
    week = week or max(weeks, default=None)
    if week is None:
        raise TaskError("the rates do not tell the week of the calibration; name it")
    rows = []
    measured = sorted({row["task_id"] for row in tables["kills"]})
    for task_id in track(measured, "proposing thresholds"):
        task = context.task(task_id)
        if not task.is_card:
            continue
        loaded = load_card(task)
        for found in propose(
            task_id, loaded.card, tables["margins"], tables["kills"], tables["flakes"], flake_limit
        ):
            if found.proposed:
                change = {found.check: found.proposed}
                found.flips = flips_of_card(results, task_id, loaded, change)
            rows.append(asdict(found))
    folder = results / "calibration" / week
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        path = results / "calibration" / f"{name}.parquet"
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    # plain YAML knows no tuples
    for row in rows:
        row["separates"] = None if row["separates"] is None else list(row["separates"])
    text = yaml.safe_dump({"week": week, "changes": rows}, sort_keys=False, width=100)
    return _kept_beside_others(folder, text)


def _kept_beside_others(folder: Path, text: str) -> Path:
    """Write a proposal where no other one is: an earlier one may have been edited and applied."""
    for number in count(1):
        path = folder / (PROPOSAL if number == 1 else f"proposal-{number}.yaml")
        further = _FURTHER.format(number=number) if number > 1 else ""
        whole = _HEAD.format(path=path) + further + text
        if not path.exists():
            break
        if path.read_bytes() == whole.encode():
            return path
    with whole_file(path) as temporary:
        temporary.write_text(whole, encoding="utf-8")
    return path


def read_proposal(path: str | Path) -> list[Config]:
    """Read the changes of a proposal.

    Raises
    ------
    TaskError
        If the file is missing or is no proposal.
    """
    path = Path(path)
    try:
        data = read_yaml(path)
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}; run `biomlbench calibrate propose`") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TaskError(
            f"{path}: cannot be read as YAML ({error}); name a proposal.yaml that `biomlbench "
            "calibrate propose` wrote"
        ) from error
    changes = data.get("changes") if isinstance(data, dict) else None
    needed = {"task_id", "check", "proposed"}
    if not isinstance(changes, list) or not all(
        isinstance(item, dict) and needed <= item.keys() for item in changes
    ):
        raise TaskError(
            f"{path}: not a proposal; it needs `changes`, each with {sorted(needed)}, as "
            "`biomlbench calibrate propose` writes them"
        )
    return changes


def apply_proposal(path: str | Path, context: Context) -> list[str]:
    """Write a proposal's changes into the cards' `verifier.yaml` files.

    Parameters
    ----------
    path : path
        Of the proposal.
    context : Context

    Returns
    -------
    list of str
        What was changed, a sentence each.

    Raises
    ------
    TaskError
        If a check is no longer there or no longer has the present values that the proposal
        was made for, or if the change would break a rule; what came before it is done.
    """
    done = []
    for item in read_proposal(path):
        if not item["proposed"]:
            continue
        folder = context.task(item["task_id"]).folder
        card = load(folder)
        check = next((check for check in card.checks if check.name == item["check"]), None)
        if check is None:
            raise TaskError(f"{folder / 'verifier.yaml'}: there is no check `{item['check']}`")
        now = {**of_check(card, check), "severity": check.severity}
        for key, value in item["proposed"].items():
            if now.get(key) == value:
                continue
            if now.get(key) != item.get("present", {}).get(key):
                raise TaskError(
                    f"{folder / 'verifier.yaml'}: `{item['check']}.{key}` is {now.get(key)!r} by "
                    "now, not what the proposal was made for; propose again"
                )
            edits.apply(folder / "verifier.yaml", item["check"], {key: value})
            done.append(f"{item['task_id']}: {item['check']}.{key}: {now.get(key)} -> {value}")
    return done


class RateChange(TypedDict):
    """An error rate in two weeks, each as ``errors/n``; `clear` where the intervals are apart."""

    task_id: str | None
    scope: str
    name: str
    kind: str
    before: str | None
    after: str | None
    clear: bool


_Rate = tuple[str | None, str, str, str]


def diff(results: str | Path, before: str, after: str) -> list[RateChange]:
    """Compare the rates of two weeks.

    Parameters
    ----------
    results : path
    before, after : str
        ISO weeks that have been archived by :func:`write_proposal`.

    Returns
    -------
    list of dict
        task_id, scope, name, kind, before, after, and whether the two intervals do not
        overlap (`clear`); only what changed, or is in but one of the weeks.

    Raises
    ------
    ContractError
        If a week has not been archived.
    """
    first, second = (_rates(results, week) for week in (before, after))
    found: list[RateChange] = []
    for key in sorted(first.keys() | second.keys(), key=str):
        a, b = first.get(key), second.get(key)
        if a and b and (a["errors"], a["n"]) == (b["errors"], b["n"]):
            continue
        task_id, scope, name, kind = key
        found.append(
            {
                "task_id": task_id,
                "scope": scope,
                "name": name,
                "kind": kind,
                "before": f"{a['errors']}/{a['n']}" if a else None,
                "after": f"{b['errors']}/{b['n']}" if b else None,
                "clear": bool(a and b and (a["high"] < b["low"] or b["high"] < a["low"])),
            }
        )
    return found


def _rates(results: str | Path, week: str) -> dict[_Rate, RateRow]:
    table = read_table("rates", Path(results) / "calibration" / week / "rates.parquet")
    rows: Iterable[RateRow] = table.to_pylist()
    return {(r["task_id"], r["scope"], r["name"], r["kind"]): r for r in rows if r["week"] == week}
