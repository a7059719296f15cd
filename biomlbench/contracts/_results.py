"""Tables of the workflow: of each stage of a pair, and over all pairs."""

from __future__ import annotations

import pyarrow as pa

from biomlbench.contracts._fields import (
    BOOL,
    F64,
    I32,
    I64,
    OUTCOME,
    PAIR,
    STR,
    field,
    volatile,
)

__all__ = ["RUN_COLUMNS", "RUN_METADATA", "SCHEMAS", "SCORE_COLUMNS", "VERDICT_COLUMNS"]

RESOURCES = [
    volatile("wall_s", F64, "wall time, seconds"),
    volatile("cpu_s", F64, "CPU time of the whole process tree, seconds"),
    volatile("peak_mb", F64, "peak memory, MiB"),
    volatile("measured_by", STR, "how the resources were measured"),
    volatile("provider", STR, "sandbox provider, empty where no code ran"),
    volatile("level", STR, "sandbox level: full, reduced or unsafe; empty where no code ran"),
]
MEDAL_COLUMNS = [
    field("gold_medal", BOOL, "the score earns gold", required=True),
    field("silver_medal", BOOL, "the score earns silver", required=True),
    field("bronze_medal", BOOL, "the score earns bronze", required=True),
    field("any_medal", BOOL, "the score earns gold, silver or bronze", required=True),
    field("verified_medal", BOOL, "a medal whose verdict is pass", required=True),
    field("medal", STR, "gold, silver, bronze or none", required=True),
    field("medal_note", STR, "why no medal can be had, or which ones are out of reach"),
    field(
        "above_median",
        BOOL,
        "better than the leaderboard's median: false without a valid "
        "score, null without a leaderboard that can be used",
    ),
    field("gold_threshold", F64, "score that earns gold"),
    field("silver_threshold", F64, "score that earns silver"),
    field("bronze_threshold", F64, "score that earns bronze"),
    field("median_threshold", F64, "median score of the leaderboard"),
    field("leaderboard_percentile", F64, "share of the leaderboard strictly worse, percent"),
    field("leaderboard_size", I64, "teams on the leaderboard"),
    field("leaderboard_position", I64, "rank that the score would have, 1 for the best"),
    field("p_gold", F64, "share of bootstrap resamples that earn gold, in steps of half a percent"),
    field(
        "p_silver", F64, "share of bootstrap resamples that earn silver, in steps of half a percent"
    ),
    field(
        "p_bronze", F64, "share of bootstrap resamples that earn bronze, in steps of half a percent"
    ),
    field(
        "p_above_median",
        F64,
        "probability of being above the leaderboard's median over the score's bootstrap "
        "distribution",
    ),
    field("on_boundary", BOOL, "the score's interval spans a medal threshold"),
    field("beats_human", BOOL, "better than the median human baseline; null without one"),
    field("human_percentile", F64, "share of human baselines beaten or tied, percent"),
]
SCORE = [
    field("valid_submission", BOOL, "the submission has a valid score", required=True),
    field("score", F64, "score at full precision"),
    field("metric", STR, "name of the metric", required=True),
    field("direction", STR, "maximize or minimize", required=True),
    field("score_low", F64, "lower end of the score's 95 % bootstrap interval"),
    field("score_high", F64, "upper end of the score's 95 % bootstrap interval"),
    field("n_rows", I64, "rows or cases that were scored"),
]
FAULTS = "none, submission, task, grader, infrastructure, run_table"
FAULT = [
    field("stage", STR, "the stage that decided the outcome", required=True),
    field("fault", STR, f"whose fault: {FAULTS}"),
    field("reason", STR, "reason code of the first thing that went wrong", required=True),
    field("message", STR, "what was found, for a person", required=True),
]
HIDDEN_SCORE = field(
    "hidden_score",
    F64,
    "weighted share of hidden checks passed, which is the score of a card under v2 alone; null "
    "where only v1 ran",
)
RATES = ", and no measured error rate of its grader above the allowed one"
VERDICT = [
    field("verdict", STR, "pass, partial or fail", required=True),
    field("verdict_reasons", pa.list_(STR), "reason codes behind the verdict", required=True),
    field("verifier", STR, "which verifier decided: v1, shadow or v2", required=True),
    HIDDEN_SCORE,
    field("calibrated", BOOL, f"the task's evidence is complete{RATES}", required=True),
]
CHECK = [
    field("check", STR, "name of the check", required=True),
    field("suite", STR, "visible, hidden or adversarial", required=True),
    field("mode", STR, "mode of the check, or `gate`", required=True),
    field("severity", STR, "blocker, critical or advisory", required=True),
    *OUTCOME,
    field("margin", F64, "distance to the threshold, in units of the threshold; negative: failed"),
    field("weight", F64, "weight in the hidden score", required=True),
    field("pattern", STR, "failure patterns that the check catches", required=True),
]
MEDAL = [*PAIR, *FAULT, *SCORE, *VERDICT, *MEDAL_COLUMNS, *RESOURCES]
RUN = [
    field("domain", STR, "first part of the task id", required=True),
    field("agent", STR, "who made the run", required=True),
    field("kind", STR, "predictions, program or functions", required=True),
    field("seed", I64, "the run's seed"),
    field("attempt", I64, "the agent's n-th attempt at the task, from 1"),
    field("hint_tier", I64, "highest tier of hints given before the attempt, from 0"),
    field("label", STR, "true label of a control: right or wrong; null for a real run"),
    field("time", STR, "when the run was made, as the run table says: ISO 8601, in UTC"),
    volatile("source", STR, "run table and line", required=True),
    field("submission", STR, "path as the run table gives it", required=True),
]

RUN_METADATA = [
    field("meta_model", STR, "model behind the agent, as the run table says"),
    field("meta_version", STR, "version of the agent, as the run table says"),
    field("meta_commit", STR, "commit of the agent's code, as the run table says"),
    field("meta_log", STR, "address or path of the run's log, as the run table says"),
    field("meta_cost_usd", F64, "what the run cost, US dollars, as the run table says"),
    field("meta_tokens", I64, "tokens that the run used, as the run table says"),
    field("meta_steps", I64, "steps that the agent took, as the run table says"),
    field("meta_wall_time_s", F64, "seconds that the agent took, as the run table says"),
    field("meta_other", STR, "the run table's other meta_ columns, a JSON object of texts"),
    field("meta_note", STR, "meta_ values that could not be read, and why"),
]

PROVENANCE = [
    field("submission_sha256", STR, "hash of the submission; absent for no readable file"),
    field("task_version", STR, "version of the task: declared, and a hash over its files"),
    field("answers_sha256", STR, "hash of the answers, or of a card's oracle"),
    field("leaderboard_sha256", STR, "hash of the leaderboard; absent without one"),
    field("humans_sha256", STR, "hash of the human baselines; absent without them"),
    field("audit_sha256", STR, "hash of the audit that the medal depends on; absent without one"),
    field("code", STR, "hash of the library code of all stages"),
    field("settings", STR, "hash of seeds and other settings of all stages"),
    field("environment", STR, "hash of the versions of Python and of the packages"),
]
RUN_COLUMNS = tuple(column.name for column in (*PAIR, *RUN))
"""What ``pairs`` says of the run itself."""
SCORE_COLUMNS = tuple(column.name for column in SCORE)
"""What ``medal`` takes over from ``grade``."""
VERDICT_COLUMNS = tuple(column.name for column in VERDICT)
"""What ``medal`` takes over from ``verify``."""

MEAN = ", mean over tasks of the mean over a task's runs"


def _rate(name: str, doc: str) -> list[pa.Field]:
    """Return the columns of a rate of agents: each says what it is of, as any is read alone."""
    return [
        field(name, F64, f"{doc}{MEAN}"),
        field(f"{name}_se", F64, f"standard error of {name} over tasks"),
        field(f"{name}_low", F64, f"lower end of the 95 % interval of {name} over tasks"),
        field(f"{name}_high", F64, f"upper end of the 95 % interval of {name} over tasks"),
    ]


def _stated(name: str, what: str) -> list[pa.Field]:
    """Return the columns of what run tables may say of runs: the mean, and of how many it is."""
    return [
        field(name, F64, f"{what}: mean over the runs whose run table states it"),
        field(f"{name}_runs", I64, f"number of runs whose run table states {name}"),
    ]


SCHEMAS: dict[str, pa.Schema] = {
    "prepare": pa.schema(
        [
            PAIR[0],
            field("kind", STR, "predictions or functions", required=True),
            field("reason", STR, "ok, or why the task cannot be graded", required=True),
            field("message", STR, "what was found, for a person", required=True),
            field(
                "files_sha256",
                STR,
                "hash over the prepared files; empty where none could be made",
                required=True,
            ),
        ]
    ),
    "tasks": pa.schema(
        [
            PAIR[0],
            field("name", STR, "the task's title", required=True),
            field("domain", STR, "first part of the task id", required=True),
            field("task_type", STR, "what is predicted", required=True),
            field("difficulty", STR, "easy, medium or hard", required=True),
            field("kind", STR, "predictions or functions", required=True),
            field("metric", STR, "name of the metric", required=True),
            field("direction", STR, "maximize or minimize", required=True),
            field("verifier", STR, "v1, shadow or v2", required=True),
            field(
                "leaderboard",
                pa.list_(F64),
                "scores of the leaderboard, best first; of more than 10,000 that many, evenly "
                "spaced by rank, with the best and the worst",
            ),
            field("leaderboard_note", STR, "how the leaderboard came to be, or why none"),
            field("humans", pa.list_(F64), "scores of the human baselines, 10,000 at most"),
            field("prepared", BOOL, "the data is in place", required=True),
            volatile("data_note", STR, "how the data came to be other than by its preparation"),
            field("calibrated", BOOL, f"the task's evidence is complete{RATES}", required=True),
            field("evidence_missing", pa.list_(STR), "evidence not there, or rates too high"),
            field(
                "description",
                STR,
                "what is asked, as Markdown: the data and their sizes, split, source and licence",
            ),
            volatile(
                "public_files", pa.list_(STR), "files given to who solves the task, with sizes"
            ),
            field("audit", STR, "state of the audit: clean, open, partial or stale, if any"),
            field("audit_findings", pa.list_(STR), "open findings of the audit, worst first"),
            volatile("reference_s", F64, "the reference's own seconds over all its cases"),
        ]
    ),
    "validate": pa.schema(
        [*PAIR, field("check", STR, "structural check", required=True), *OUTCOME]
    ),
    "execute": pa.schema(
        [
            *PAIR,
            field("case_id", STR, "case; `program` for a program's run", required=True),
            field("suite", STR, "visible, hidden or adversarial; empty otherwise", required=True),
            field("repeat", I32, "0 for the first execution of a case", required=True),
            field("status", STR, "ok, passthrough, or a reason code", required=True),
            field(
                "message",
                STR,
                "what was found, for a person; of cases that are not visible in the grader's words",
                required=True,
            ),
            field("total", STR, "the limit on all cases together that was used up, if any"),
            field("output", pa.large_binary(), "encoded value, or bytes of the predictions"),
            field("stdout", STR, "standard output of a visible case, capped"),
            field("stderr", STR, "standard error of a visible case, capped"),
            field(
                "own_cases",
                STR,
                "what cases of this candidate alone are made of: numbers, divisors and words of "
                "its code, numbers of the card's draws; as JSON, null where there are none",
            ),
            field(
                "unexecuted_lines",
                pa.list_(I32),
                "lines within functions that no case and no draw executes, of code that passes "
                "all; null for other code, or where it is not known",
            ),
            *RESOURCES,
        ]
    ),
    "grade": pa.schema(
        [
            *PAIR,
            *SCORE,
            field("reason", STR, "ok, or why there is no score", required=True),
            field("message", STR, "what was found, for a person", required=True),
            field(
                "score_quantiles",
                pa.list_(F64),
                "the bootstrap distribution at evenly spaced quantiles from 0 to 1",
            ),
            field("fingerprint", STR, "of the predictions, to find near-duplicates by"),
            field(
                "judged",
                pa.list_(pa.struct([(column.name, column.type) for column in CHECK])),
                "what a card's outputs were judged to be, for `verify`; a struct a check",
            ),
            HIDDEN_SCORE,
        ]
    ),
    "verify": pa.schema([*PAIR, *CHECK, *VERDICT]),
    "medal": pa.schema(MEDAL),
    "pairs": pa.schema([*PAIR, *RUN, *RUN_METADATA, *MEDAL[len(PAIR) :], *PROVENANCE]),
    "agents": pa.schema(
        [
            field("agent", STR, "name of the agent", required=True),
            field("domain", STR, "domain of the tasks, or `all`", required=True),
            field("tasks", I64, "tasks with at least one run", required=True),
            field("runs", I64, "configured runs", required=True),
            field(
                "runs_fair",
                I64,
                "runs not lost, without a result, to a fault that is not the agent's: fair runs",
            ),
            field("replicates", F64, "mean number of runs a task"),
            *_rate("completion_rate", "share of configured runs with a valid submission"),
            field("completion_rate_fair", F64, f"share of fair runs with a valid submission{MEAN}"),
            *_rate("leaderboard_percentile", "leaderboard percentile of fair runs, in percent"),
            *_rate("above_median_rate", "share of fair runs above the leaderboard's median"),
            *_rate("any_medal_rate", "share of fair runs whose score earns a medal"),
            *_rate("verified_medal_rate", "share of fair runs with a medal and the verdict pass"),
            *_rate("pass_rate", "share of fair runs whose verdict is pass"),
            field("gold", I64, "number of gold medals"),
            field("silver", I64, "number of silver medals"),
            field("bronze", I64, "number of bronze medals"),
            field(
                "mean_rank",
                F64,
                "mean over tasks of the rank among agents, by verified medals, passes, percentile "
                "and best run; tasks that no other agent has tried are left out",
            ),
            field(
                "outranked_share",
                F64,
                "mean over tasks that other agents have tried, too, of the share of these agents "
                "that it is ahead of, those that tie counted half",
            ),
            field(
                "meta_model", STR, "models of the runs, as the run table says: the first 20 by name"
            ),
            *_stated("meta_cost_usd", "cost of a run, US dollars"),
            field("meta_cost_usd_total", F64, "sum of the stated costs of all runs, US dollars"),
            *_stated("meta_tokens", "tokens that a run used"),
            *_stated("meta_steps", "steps that the agent took in a run"),
            *_stated("meta_wall_time_s", "seconds that the agent took for a run"),
        ]
    ),
    "telemetry": pa.schema(
        [
            *PAIR,
            field("agent", STR, "who made the run", required=True),
            field("week", STR, "ISO week of the run, in UTC, or `undated`", required=True),
            field("time", STR, "when the run was made, ISO 8601, in UTC"),
            field("attempt", I64, "the agent's n-th attempt at the task, from 1"),
            field("hint_tier", I64, "highest tier of hints given before the attempt, from 0"),
            field("label", STR, "true label of a control: right or wrong; null for a real run"),
            field("verdict", STR, "pass, partial or fail", required=True),
            field("fault", STR, f"whose fault: {FAULTS}", required=True),
            field("reason", STR, "reason code of the first thing that went wrong", required=True),
            field("checks_failed", pa.list_(STR), "names of the checks that failed", required=True),
            volatile("hidden_wall_s", pa.list_(F64), "wall time of each hidden case, seconds"),
            volatile("reference_s", F64, "the reference's own seconds"),
        ]
    ),
}
SCHEMAS["checks"] = SCHEMAS["verify"]
SCHEMAS["history"] = pa.schema(
    [
        field("kept", STR, "when the results were kept, ISO 8601, UTC", required=True),
        field("week", STR, "ISO week in which the results were kept", required=True),
        field("task_set", STR, "hash of the ids of the tasks that there were", required=True),
        field("place", I64, "place in the ranking of then, from 1", required=True),
        *(column for column in SCHEMAS["agents"] if column.name not in ("domain", "meta_model")),
    ]
)
SCHEMAS["differences"] = pa.schema(
    [
        field("task_id", STR, "task; empty for what is of no single task", required=True),
        field("run_id", STR, "run; empty for what is of no single run", required=True),
        field("table", STR, "table that differs: a stage, or one over all pairs", required=True),
        field("row", STR, "what else names the row: a check, a case, an agent", required=True),
        field("column", STR, "column; `(row)` for a row that only one side has", required=True),
        field("old", STR, "value in the results that were reproduced; null for none"),
        field("new", STR, "value in the rerun; null for none"),
        field("why", STR, "what changed between the two runs, as provenance says", required=True),
    ]
)
