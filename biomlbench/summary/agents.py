"""Agents' summary as the field reports it: means over tasks of means over replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.contracts import from_rows
from biomlbench.frames import as_frame
from biomlbench.outcomes import Fault
from biomlbench.runtime.words import some_of
from biomlbench.scoring.best_runs import standing
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.scoring.medals import MEDALS
from biomlbench.summary.agent_ranks import in_order, task_ranks
from biomlbench.summary.mean_intervals import mean_interval
from biomlbench.task.task import ALL_DOMAINS

if TYPE_CHECKING:
    import pandas as pd
    from pandas.api.typing import SeriesGroupBy

__all__ = ["counted_percentile", "summarize_agents"]

REQUIRED = (
    *("agent", "task_id", "domain", "run_id", "leaderboard_percentile", "above_median"),
    *("any_medal", "valid_submission"),
)
#: Rates that need a leaderboard, and the column that each is the mean of.
BOARD_RATES = {
    "leaderboard_percentile": "leaderboard_percentile",
    "above_median_rate": "above_median",
    "any_medal_rate": "any_medal",
    "verified_medal_rate": "verified_medal",
}
#: The largest value that a rate can have, where it is not 1.
LARGEST = {"leaderboard_percentile": 100.0}
#: Columns of what run tables say of runs, of which agents have means.
METADATA = ("meta_cost_usd", "meta_tokens", "meta_steps", "meta_wall_time_s")
#: How many models an agent's row names.
MOST_MODELS = 20
#: Those of which agents have a total.
TOTALS = ("meta_cost_usd",)
#: What is told of an agent among those of a task, and the column of its mean over tasks.
_RANKS = {"rank": "mean_rank", "outranked": "outranked_share"}
#: All columns that the summary looks at, where they are there.
USED = (
    *(*REQUIRED, "verified_medal", "verdict", "fault", "stage", "label", "gold_threshold"),
    *("gold_medal", "silver_medal", "bronze_medal", *METADATA, "meta_model", "score", "direction"),
)


def summarize_agents(pairs: pd.DataFrame) -> pd.DataFrame:
    """Summarise agents over tasks, in all and in each domain.

    Parameters
    ----------
    pairs : DataFrame
        One row a run: ``agent``, ``task_id``, ``domain``, ``run_id``,
        ``leaderboard_percentile``, ``above_median``, ``any_medal``, ``valid_submission``.
        Where they are there, ``verified_medal``, ``verdict``, ``fault``, ``stage``, ``label``,
        ``score`` and ``direction``, ``gold_threshold``, ``gold_medal`` (``silver_medal``,
        ``bronze_medal``) and the columns of a run table's metadata (``meta_model``,
        ``meta_cost_usd`` ...) are used too; rows with a ``label`` are controls, not runs of an
        agent, and are left out, as are rows of run tables that could not be used.

    Returns
    -------
    DataFrame
        A row for each agent and domain, and one for each agent with the domain ``all``, as
        the contract ``agents`` declares them, in the order of :func:`in_order`, that of the
        report. Each rate is the mean over tasks of the mean over that task's replicates, its
        ``_se`` the sample standard deviation (ddof 1) of those means over the square root of
        their number, and ``_low`` and ``_high`` the ends of its 95 % interval
        (:func:`biomlbench.summary.mean_intervals.mean_interval`).

    Raises
    ------
    ValueError
        If a column is missing, a run has no agent, a run id occurs twice in a task, or a task's
        domain is called ``all``, which stands for all domains.

    Notes
    -----
    A run without a valid submission is a failure, not a gap: its percentile, medals and
    verdict count as 0. A run that was lost, without a result, to a fault of the task, the
    grader or the infrastructure (:func:`biomlbench.scoring.lost_runs.lost_runs`) is no failure
    of the agent's: rates leave it out, ``completion_rate`` keeps it (``completion_rate_fair``
    leaves it out), and for every rate ``<rate>_configured`` shows it counted as 0.
    ``leaderboard_percentile_valid`` is over valid submissions only. Percentile and medals are
    taken over tasks with a leaderboard.
    Within each task agents are ranked by their verified medals, then by their passes, their mean
    percentile and their best runs (:mod:`biomlbench.scoring.best_runs`); agents that tie in all
    of these share the average rank. ``mean_rank`` is the mean of these ranks, 1 for the best, and
    ``outranked_share`` that of the share of the task's other agents that an agent is ahead of,
    which compares also where agents have tried different tasks, of few agents and of many. Both
    leave out tasks that no other agent has tried, or on which no agent has a valid run.

    Examples
    --------
    >>> import pandas as pd
    >>> pairs = pd.DataFrame({
    ...     "agent": ["a", "a", "a"], "task_id": ["d/t1", "d/t1", "d/t2"], "domain": "d",
    ...     "run_id": ["1", "2", "1"], "leaderboard_percentile": [40.0, 60.0, 90.0],
    ...     "above_median": [False, True, True], "any_medal": [False, False, True],
    ...     "valid_submission": True})
    >>> row = summarize_agents(pairs).iloc[0]
    >>> float(row["leaderboard_percentile"]), float(row["leaderboard_percentile_se"])
    (70.0, 20.0)
    """
    import pandas as pd

    runs = _prepared(pairs)
    if runs.empty:
        nothing: pd.DataFrame = from_rows("agents", []).to_pandas()
        return nothing
    everywhere, ranks = runs.assign(domain=ALL_DOMAINS), task_ranks(runs[runs["fair"]])
    both = pd.concat([everywhere, runs]).merge(ranks, on=["agent", "task_id"], how="left")
    table = _counts(both).join(_rates(both)).join(_metadata(both)).reset_index()
    places = {agent: place for place, agent in enumerate(in_order(table)["agent"])}
    table["_place"] = table["agent"].map(places)
    table["_part"] = table["domain"] != ALL_DOMAINS
    return (
        table.sort_values(["_place", "_part", "domain"], kind="stable")
        .drop(columns=["_place", "_part"])
        .reset_index(drop=True)
    )


def _prepared(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the agents' runs with the columns that everything is computed from, as floats."""
    pairs = as_frame(pairs)
    if missing := [name for name in REQUIRED if name not in pairs]:
        raise ValueError(f"pairs lacks the column(s) {', '.join(missing)}")
    runs = pairs[pairs["label"].isna()] if "label" in pairs else pairs
    runs = runs[runs["fault"] != Fault.RUN_TABLE] if "fault" in runs else runs
    if (runs["domain"] == ALL_DOMAINS).any():
        raise ValueError(
            f"a domain of tasks is called {ALL_DOMAINS!r}, which stands for all domains together; "
            "give it another name"
        )
    if (nameless := runs["agent"].isna()).any():
        first = runs[nameless].iloc[0]
        raise ValueError(f"run {first['run_id']} of {first['task_id']} has no `agent`; name one")
    if runs.duplicated(["task_id", "run_id", "agent"]).any():
        twice = runs[runs.duplicated(["task_id", "run_id", "agent"])].iloc[0]
        raise ValueError(f"run {twice['run_id']} of {twice['task_id']} is there more than once")
    valid = _valid(runs)
    out = runs[["agent", "task_id", "domain"]].assign(
        valid=valid.astype(float), fair=~lost_runs(runs)
    )
    ranked = has_leaderboard(runs, valid)
    percentile = runs["leaderboard_percentile"].astype(float)
    out["percentile_valid"] = percentile.where(valid & ranked)
    for name, column in BOARD_RATES.items():
        if column not in runs:
            out[name] = float("nan")
            continue
        values = percentile if column == name else _flag(runs[column])
        out[name] = _counted(values, valid, ranked)
    if "verdict" in runs:
        out["pass_rate"] = (runs["verdict"] == "pass").astype(float)
    else:
        out["pass_rate"] = float("nan")
    for medal in MEDALS:
        column = f"{medal}_medal"
        out[medal] = _flag(runs[column]) if column in runs else 0.0
    for name in METADATA:
        out[name] = runs[name].astype(float) if name in runs else float("nan")
    out["meta_model"] = runs.get("meta_model")
    out["standing"] = standing(runs)
    return out


def _flag(column: pd.Series) -> pd.Series:
    return column.astype("boolean").fillna(value=False).astype(float)


def has_leaderboard(runs: pd.DataFrame, valid: pd.Series) -> pd.Series:
    """Return which runs are of a task with a leaderboard.

    The thresholds say so where they are there. Otherwise a task has none if it has valid runs
    and none of them a percentile.
    """
    if "gold_threshold" in runs:
        return runs["gold_threshold"].notna().groupby(runs["task_id"]).transform("any")
    known = runs["leaderboard_percentile"].notna().groupby(runs["task_id"]).transform("any")
    return known | ~valid.groupby(runs["task_id"]).transform("any")


def counted_percentile(runs: pd.DataFrame) -> pd.Series:
    """Return each run's percentile as every mean counts it.

    Parameters
    ----------
    runs : pandas.DataFrame
        ``task_id``, ``leaderboard_percentile``, ``valid_submission`` and, where it is there,
        ``gold_threshold``, of all runs of each task.

    Returns
    -------
    pandas.Series
        0 for a run without a valid submission; NaN where its task has no leaderboard.
    """
    valid = _valid(runs)
    percentile = runs["leaderboard_percentile"].astype(float)
    return _counted(percentile, valid, has_leaderboard(runs, valid))


def _counted(values: pd.Series, valid: pd.Series, ranked: pd.Series) -> pd.Series:
    return values.where(valid, 0.0).fillna(0.0).where(ranked)


def _valid(runs: pd.DataFrame) -> pd.Series:
    return runs["valid_submission"].astype("boolean").fillna(value=False).astype(bool)


def _counts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what is counted, for each agent and domain."""
    groups = runs.groupby(["agent", "domain"])
    counts = groups.agg(
        tasks=("task_id", "nunique"),
        runs=("task_id", "size"),
        runs_fair=("fair", "sum"),
        runs_valid=("valid", "sum"),
        gold=("gold", "sum"),
        silver=("silver", "sum"),
        bronze=("bronze", "sum"),
    ).astype("int64")
    counts["replicates"] = counts["runs"] / counts["tasks"]
    return counts


def _metadata(runs: pd.DataFrame) -> pd.DataFrame:
    """Return means over the runs that state something, whatever became of them, and the models.

    A mean of few of an agent's runs looks like one of all: beside each is how many it is of.
    """
    groups = runs.groupby(["agent", "domain"])
    models = groups["meta_model"].agg(
        lambda column: some_of(sorted(set(column.dropna())), MOST_MODELS)
    )
    stated = groups[list(METADATA)]
    return (
        stated.mean()
        .join(stated.count().add_suffix("_runs"))
        .join(groups[list(TOTALS)].sum(min_count=1).add_suffix("_total"))
        .join(models.where(models != ""))
    )


def _rates(runs: pd.DataFrame) -> pd.DataFrame:
    """Return means over tasks of the replicates' means, their spread and their intervals."""
    import pandas as pd

    names = [*BOARD_RATES, "pass_rate"]
    key = ["agent", "domain", "task_id"]
    fair = runs[runs["fair"]].groupby(key)[["valid", *names, *_RANKS, "percentile_valid"]].mean()
    # A lost run counts as 0 where there is something to count, and stays NaN where not.
    lost = runs[names].where(runs["fair"], 0.0 * runs[names]).join(runs[[*key, "valid"]])
    configured = lost.groupby(key)[["valid", *names]].mean()
    fair_tasks, tasks = fair.groupby(key[:2]), configured.groupby(key[:2])
    mean, error = fair_tasks.mean(), fair_tasks.std(ddof=1) / fair_tasks.count() ** 0.5
    every = tasks.mean()
    columns = {
        "completion_rate": every["valid"],
        "completion_rate_se": tasks["valid"].std(ddof=1) / tasks["valid"].count() ** 0.5,
        **_ends("completion_rate", tasks["valid"]),
        "completion_rate_fair": mean["valid"],
    }
    for name in names:
        columns |= {
            name: mean[name],
            f"{name}_se": error[name],
            **_ends(name, fair_tasks[name]),
            f"{name}_configured": every[name],
        }
    columns["leaderboard_percentile_valid"] = mean["percentile_valid"]
    columns |= {column: mean[name] for name, column in _RANKS.items()}
    return pd.DataFrame(columns)


def _ends(name: str, tasks: SeriesGroupBy[Any, Any]) -> dict[str, pd.Series]:
    """Return both ends of the interval of each group's mean, by the name of their columns."""
    largest = LARGEST.get(name, 1.0)
    return {
        f"{name}_low": tasks.agg(lambda x: mean_interval(x.to_numpy(), 0.0, largest).low),
        f"{name}_high": tasks.agg(lambda x: mean_interval(x.to_numpy(), 0.0, largest).high),
    }
