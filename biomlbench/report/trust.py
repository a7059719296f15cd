"""Which checks do the work, which are weak, and where two verifiers disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from biomlbench.outcomes import Outcome, Severity
from biomlbench.report.inputs import is_run
from biomlbench.verify.near_duplicates import CHECK

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_power", "check_rates", "disagreements", "severities", "survivors"]

NEARLY_ALWAYS = 0.95
GATE = "gate"  # rows that say whether there was anything to check; some exist only as failures


def check_rates(checks: pd.DataFrame, pairs: pd.DataFrame | None = None) -> pd.DataFrame:
    """Count each check's outcomes over the runs it was applied to.

    Parameters
    ----------
    checks : pandas.DataFrame
        As the contract `checks` declares them.
    pairs : pandas.DataFrame, optional
        As the contract `pairs` declares them: controls among them are left out.

    Returns
    -------
    pandas.DataFrame
        One row a task and check: suite (all that it belongs to), mode, severity, pattern,
        `applied` (runs in which it was really run), `failed`, `advisory` (failures that change no
        verdict), `broken`, `skipped` (runs in which it was not, which `applied` does not count),
        `fail_rate` (missing where it never was run), `alone` (runs in which no other counting
        check failed) and `remark`. A run in several of whose suites a check is counts once, and
        has failed it if it did in any. A check whose severity depends on what it finds has all
        that occurred, the gravest first.
    """
    key = ["task_id", "check"]
    names = [*key, "suite", "mode", "severity", "pattern", "applied", "failed",
             "advisory", "broken", "skipped", "fail_rate", "alone", "remark"]  # fmt: skip
    checks = checks[checks["mode"] != GATE]
    if pairs is not None:
        checks = _of_real_runs(checks, pairs)
    if checks.empty:
        return pd.DataFrame(columns=names)
    grouped = checks.groupby(key, observed=True)
    first = grouped[["mode", "pattern"]].first()
    listed = grouped.agg(suite=("suite", _listed), severity=("severity", severities))
    made = first.join([listed, _by_run(checks).groupby(key, observed=True).sum()]).reset_index()
    made["fail_rate"] = made["failed"] / made["applied"].where(made["applied"] > 0)
    made["remark"] = ""
    made.loc[made["failed"] == 0, "remark"] = "never failed"
    made.loc[made["applied"] == 0, "remark"] = "never run"
    made.loc[(made["failed"] > 0) & (made["alone"] == 0), "remark"] = "never the only one"
    made.loc[made["fail_rate"] >= NEARLY_ALWAYS, "remark"] = "fails nearly always"
    mild = (made["failed"] > 0) & (made["advisory"] == made["failed"])
    made.loc[mild & made["severity"].ne(Severity.ADVISORY), "remark"] = "failed only as advisory"
    made.loc[made["broken"] > 0, "remark"] = "the check itself broke"
    made.loc[
        made["check"].eq(CHECK) & made["task_id"].isin(_with_equal_files(checks)), "remark"
    ] = "one agent's runs are the same file"
    return made[names]


def _of_real_runs(checks: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    key = ["task_id", "run_id"]
    others = pairs.loc[~is_run(pairs), key]
    if others.empty:
        return checks
    known = pd.MultiIndex.from_frame(checks[key].astype(object))
    return checks[~known.isin(pd.MultiIndex.from_frame(others))]


def _by_run(checks: pd.DataFrame) -> pd.DataFrame:
    """Return what each check came to in each run, over all its suites there, as 1 and 0."""
    failed = checks["outcome"].eq(Outcome.FAILED)
    run = ["task_id", "run_id"]
    found = (
        checks[[*run, "check"]]
        .assign(
            applied=checks["outcome"].ne(Outcome.SKIPPED),
            failed=failed,
            counting=failed & checks["severity"].ne(Severity.ADVISORY),
            broken=checks["outcome"].eq(Outcome.ERROR),
        )
        .groupby([*run, "check"], observed=True, sort=False)
        .max()
        .astype(int)
    )
    together = found["counting"].groupby(run, observed=True).transform("sum")
    counting = found.pop("counting")
    return found.assign(
        advisory=found["failed"] - counting,
        skipped=1 - found["applied"],
        alone=counting.where(together.eq(1), 0),
    )


def _listed(column: pd.Series) -> str:
    return ", ".join(column.unique())


def severities(column: Iterable[str]) -> str:
    """Return the severities that a check had, the gravest first.

    Examples
    --------
    >>> severities(["advisory", "critical", "advisory"])
    'critical or advisory'
    """
    found = set(column)
    return " or ".join(str(one) for one in Severity if one in found)


def _with_equal_files(checks: pd.DataFrame) -> list[str]:
    """Return the tasks on which runs of one agent are the same file: passed, with a message."""
    told = checks[checks["check"].eq(CHECK) & checks["outcome"].eq(Outcome.PASSED)]
    found: list[str] = told.loc[told["message"].ne(""), "task_id"].unique().tolist()
    return found


def check_power(kills: pd.DataFrame, checks: pd.DataFrame | None = None) -> pd.DataFrame:
    """Count what each check catches of the controls, and what only it catches.

    Parameters
    ----------
    kills : pandas.DataFrame
        Calibration's kill table: `task_id`, `solution`, `label`, `check`, `killed`.
    checks : pandas.DataFrame, optional
        As the contract `checks` declares them: tells which checks are advisory.

    Returns
    -------
    pandas.DataFrame
        One row a task and check: `wrong`, `caught`, `alone`, `right`, `rejected` and `remark`.
    """
    names = ["task_id", "check", "wrong", "caught", "alone", "right", "rejected", "remark"]
    if kills.empty:
        return pd.DataFrame(columns=names)
    killed, right = kills["killed"].astype(bool), kills["label"].eq("right")
    together = killed.groupby([kills["task_id"], kills["solution"]]).transform("sum")
    made = (
        kills[["task_id", "check"]]
        .assign(
            wrong=~right,
            caught=killed & ~right,
            alone=killed & ~right & together.eq(1),
            right=right,
            rejected=killed & right,
        )
        .groupby(["task_id", "check"])
        .sum()
        .astype(int)
        .reset_index()
    )
    made["remark"] = ""
    made.loc[made["alone"] == 0, "remark"] = "redundant on these controls"
    made.loc[made["caught"] == 0, "remark"] = "catches nothing"
    made.loc[made["rejected"] > 0, "remark"] = "rejects right work"
    if checks is not None:
        # one that is advisory on some findings alone does reject on the others
        severe = checks.loc[checks["severity"] != Severity.ADVISORY, ["task_id", "check"]]
        keys = pd.MultiIndex.from_frame(made[["task_id", "check"]])
        known, counts = (
            keys.isin(list(some.drop_duplicates().itertuples(index=False, name=None)))
            for some in (checks[["task_id", "check"]], severe)
        )
        advisory = known & ~counts
        made.loc[advisory & (made["rejected"] > 0), "remark"] = "advisory: remarks on right work"
    return made[names]


def survivors(kills: pd.DataFrame) -> pd.DataFrame:
    """Return the wrong controls that no check catches.

    Parameters
    ----------
    kills : pandas.DataFrame
        Calibration's kill table.

    Returns
    -------
    pandas.DataFrame
        `task_id` and `solution`, sorted.
    """
    wrong = kills[kills["label"] != "right"]
    if wrong.empty:
        return pd.DataFrame(columns=["task_id", "solution"])
    caught = wrong["killed"].astype(bool).groupby([wrong["task_id"], wrong["solution"]]).any()
    return caught[~caught].reset_index()[["task_id", "solution"]]


def disagreements(checks: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on which the verifier that decides and the one beside it differ.

    Parameters
    ----------
    checks : pandas.DataFrame
        As the contract `checks` declares them.

    Returns
    -------
    pandas.DataFrame
        `task_id`, `run_id` and `message`.
    """
    from biomlbench.verify.evaluation import SHADOW_CHECK

    differ = checks[checks["check"].eq(SHADOW_CHECK) & checks["outcome"].eq("failed")]
    return differ[["task_id", "run_id", "message"]].reset_index(drop=True)
