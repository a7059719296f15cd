"""Synthetic tables of any size that look like a real benchmark's, hostile strings included."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from biomlbench import contracts, outcomes
from biomlbench.contracts import from_rows
from biomlbench.report.inputs import CALIBRATION_COLUMNS, Tables
from biomlbench.summary.agents import summarize_agents
from biomlbench.summary.history import history_of, keep

# id, metric, direction, teams on the leaderboard, (median score, spread), has human baselines
TASKS = [
    ("clinical/breast-cancer-wisconsin", "roc_auc", "maximize", 42, (0.970, 0.015), True),
    ("clinical/diabetes-progression", "rmse", "minimize", 36, (56.0, 3.0), False),
    ("drug-discovery/chembl-potency", "rmse", "minimize", 54, (0.78, 0.08), True),
    ("drug-discovery/solubility", "spearman", "maximize", 120, (0.80, 0.06), False),
    ("imaging/nuclei-segmentation", "dice", "maximize", 912, (0.84, 0.07), True),
    ("protein-engineering/tdp43-fitness", "spearman", "maximize", 62, (0.52, 0.10), False),
    ("single-cell/pbmc-labels", "balanced_accuracy", "maximize", 31, (0.88, 0.05), True),
    ("kernels/attention-weights", "hidden_score", "maximize", 0, (0.9, 0.1), False),
    ("kernels/kabsch-rmsd", "hidden_score", "maximize", 0, (0.9, 0.1), False),
    ("kernels/layer-norm", "hidden_score", "maximize", 0, (0.9, 0.1), False),
    ("kernels/tm-score", "hidden_score", "maximize", 0, (0.9, 0.1), False),
]
AGENTS = {"aide": 0.9, "mlagentbench": -0.3, "biomni": 0.6, "stella": 0.2, "dummy": -1.5}
KERNEL_CHECKS = [
    ("oracle", "hidden", "exact_match", "blocker", "wrong values"),
    ("oracle-visible", "visible", "exact_match", "advisory", "wrong values"),
    ("close-to-reference", "hidden", "numeric_tolerance", "blocker", "precision loss"),
    ("rows-sum-to-one", "hidden", "property_based", "critical", "missing normalisation"),
    ("bounded", "hidden", "property_based", "critical", "overflow"),
    ("permutation-equivariant", "adversarial", "metamorphic", "critical", "position leak"),
    ("mask-monotone", "adversarial", "metamorphic", "critical", "mask ignored"),
    ("extreme-inputs", "adversarial", "numeric_tolerance", "advisory", "no stabilisation"),
    ("shape", "hidden", "shape_guard", "blocker", "wrong shape"),
]
PREDICTION_CHECKS = [
    ("schema", "hidden", "shape_guard", "blocker", "malformed submission"),
    ("second-implementation", "hidden", "exact_match", "blocker", "metric bug"),
    ("not-a-copied-column", "hidden", "property_based", "critical", "copied column"),
    ("not-too-good", "hidden", "property_based", "critical", "leaked answers"),
    ("near-duplicate", "hidden", "property_based", "advisory", "copied run"),
]
FORMAT_FAULTS = [
    "missing_file",
    "missing_ids",
    "duplicate_ids",
    "nan_predictions",
    "unreadable",
    "constant_predictions",
]
CODE_FAULTS = [
    "syntax_error",
    "exception",
    "time_limit",
    "memory_limit",
    "sandbox_violation",
    "malformed_output",
]
OTHER_FAULTS = ["stage_failed", "not_prepared", "grader_error"]
STAGE_OF = {
    **dict.fromkeys(FORMAT_FAULTS, "validate"),
    **dict.fromkeys(CODE_FAULTS, "execute"),
    "constant_predictions": "grade",
    "syntax_error": "validate",
    "not_prepared": "prepare",
    "stage_failed": "execute",
    "grader_error": "grade",
}
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"> \u202e{{ 7*7 }} <!--"
SHARES = (0.10, 0.20, 0.40)


def _leaderboard(rng, task):
    _, _, direction, size, (middle, spread), _ = task
    scores = middle + spread * rng.standard_normal(size)
    return np.minimum(scores, 0.9995) if direction == "maximize" and middle < 1 else scores


def _medal(score, board, direction):
    better = np.sort(board)[:: -1 if direction == "maximize" else 1]
    cut = [better[max(1, int(len(board) * share)) - 1] for share in SHARES]
    beats = [(score >= c) if direction == "maximize" else (score <= c) for c in cut]
    name = next((m for m, hit in zip(("gold", "silver", "bronze"), beats, strict=True) if hit), "")
    return name or "none", cut


def tables(n_pairs: int = 400, seed: int = 0, hostile: bool = True, agents=AGENTS, costs=None):
    """Return the tables by name, as the contracts declare them.

    `agents` have their skill, `costs` what a run of each costs about.
    """
    rng = np.random.default_rng(seed)
    boards = {task[0]: _leaderboard(rng, task) for task in TASKS}
    humans = {
        task[0]: task[4][0] + task[4][1] * rng.standard_normal(6) for task in TASKS if task[5]
    }
    names = list(agents)
    pairs, checks, telemetry = [], [], []
    for index in range(n_pairs):
        task = TASKS[(index // len(names)) % len(TASKS)]
        task_id, metric, direction, teams, (middle, spread), _ = task
        agent = names[index % len(names)]
        attempt = 1 + (index // (len(names) * len(TASKS))) % 4
        seed_number = index // (len(names) * len(TASKS) * 4)
        run_id = f"{agent}-s{seed_number}-a{attempt}"
        kind = "functions" if task_id.startswith("kernels/") else "predictions"
        if kind == "predictions" and index % 7 == 0:
            kind = "program"
        skill = agents[agent] - 0.9 + 0.3 * attempt + 0.6 * rng.standard_normal()
        draw = rng.random()
        reason = "ok"
        if draw < 0.02:
            reason = OTHER_FAULTS[rng.integers(3)]
        elif draw < 0.10 - 0.04 * agents[agent]:
            reason = (FORMAT_FAULTS if kind == "predictions" else CODE_FAULTS)[rng.integers(6)]
        fault = str(outcomes.fault_of(reason))
        row = {
            "task_id": task_id,
            "run_id": run_id,
            "domain": task_id.split("/")[0],
            "agent": agent,
            "meta_cost_usd": costs[agent] * (0.8 + 0.1 * (index % 5)) if costs else None,
            "meta_tokens": int(rng.lognormal(11, 0.8)) if costs else None,
            "meta_wall_time_s": float(rng.lognormal(6, 0.7)) if costs else None,
            "kind": kind,
            "seed": seed_number,
            "attempt": attempt,
            "hint_tier": int(rng.integers(0, attempt)),
            "label": None,
            "time": f"2025-{1 + (index * 5 // max(n_pairs, 1)):02d}-{1 + index % 28:02d}T12:00:00Z",
            "source": f"runs.csv:{index + 2}",
            "submission": f"submissions/{agent}/{run_id}.csv",
            "metric": metric,
            "direction": direction,
            "verifier": "v2",
            "calibrated": task_id != "kernels/tm-score",
        }
        hidden, failed, verdict_reasons = 0.0, [], []
        if reason == "ok":
            suite = KERNEL_CHECKS if kind == "functions" else PREDICTION_CHECKS
            weight = 1.0 / len(suite)
            worst = "pass"
            for position, (check, part, mode, severity, pattern) in enumerate(suite):
                chance = 0.82 + 0.07 * skill if kind == "functions" else 0.985
                passed = rng.random() < min(0.995, chance + 0.02 * position)
                code = (
                    "ok"
                    if passed
                    else {
                        "exact_match": "wrong_output",
                        "numeric_tolerance": "outside_tolerance",
                        "property_based": "property_violated",
                        "metamorphic": "relation_violated",
                        "shape_guard": "wrong_shape",
                    }[mode]
                )
                margin = abs(rng.normal(0.7, 0.3)) if passed else -abs(rng.normal(2, 1.5))
                checks.append(
                    {
                        "task_id": task_id,
                        "run_id": run_id,
                        "check": check,
                        "suite": part,
                        "mode": mode,
                        "severity": severity,
                        "outcome": "passed" if passed else "failed",
                        "reason": code,
                        "message": "" if passed else f"{check}: 3 of 12 cases differ",
                        "margin": None if mode == "shape_guard" else margin,
                        "weight": weight,
                        "pattern": pattern,
                        "verdict": "pass",
                        "verdict_reasons": [],
                        "verifier": "v2",
                        "hidden_score": 0.0,
                        "calibrated": row["calibrated"],
                    }
                )
                if passed:
                    hidden += weight
                else:
                    failed.append(check)
                    if severity != "advisory":
                        verdict_reasons.append(code)
                        if severity == "blocker":
                            worst = "fail"
                        elif worst == "pass":
                            worst = "partial"
            for made in checks[-len(suite) :]:
                made["verdict"], made["hidden_score"] = worst, hidden
                made["verdict_reasons"] = sorted(set(verdict_reasons))
            row |= {"verdict": worst, "verdict_reasons": sorted(set(verdict_reasons))}
            row |= {"stage": "medal" if worst == "pass" else "verify"}
            if worst != "pass":
                reason = verdict_reasons[0]
            score = (
                hidden
                if kind == "functions"
                else middle + spread * skill * (1 if direction == "maximize" else -1)
            )
            if direction == "maximize":
                score = min(score, 0.9999)
            row |= {
                "valid_submission": True,
                "score": float(score),
                "score_low": float(score - 0.4 * spread),
                "score_high": float(score + 0.4 * spread),
                "hidden_score": hidden,
                "fault": "none" if worst == "pass" else "submission",
                "reason": reason,
                "message": "" if worst == "pass" else f"{failed[0]}: 3 of 12 cases differ",
            }
        else:
            row |= {
                "verdict": "fail",
                "verdict_reasons": [reason],
                "stage": STAGE_OF[reason],
                "valid_submission": False,
                "fault": fault,
                "reason": reason,
                "message": HOSTILE if hostile and index % 3 == 0 else f"line 12: {reason}",
            }
        medal, cuts = "none", None
        if teams:
            board = boards[task_id]
            if row["valid_submission"]:
                medal, cuts = _medal(row["score"], board, direction)
            else:
                _, cuts = _medal(middle, board, direction)
            row |= {
                "gold_threshold": float(cuts[0]),
                "silver_threshold": float(cuts[1]),
                "bronze_threshold": float(cuts[2]),
                "median_threshold": float(np.median(board)),
                "leaderboard_size": teams,
            }
        else:
            row |= {"medal_note": "the task has no leaderboard, so there are no medals"}
        if teams and row["valid_submission"]:
            sign = 1 if direction == "maximize" else -1
            row |= {
                "leaderboard_percentile": float(np.mean(sign * board < sign * row["score"]) * 100),
                "above_median": bool(sign * row["score"] > sign * np.median(board)),
                "on_boundary": any(row["score_low"] < c < row["score_high"] for c in cuts),
                "p_gold": float(medal == "gold") * 0.8,
                "p_silver": float(medal == "silver") * 0.7,
                "p_bronze": float(medal == "bronze") * 0.6,
                "p_above_median": 0.5,
            }
            if task_id in humans:
                row |= {
                    "beats_human": bool(
                        sign * row["score"] > sign * float(np.median(humans[task_id]))
                    ),
                    "human_percentile": float(
                        np.mean(sign * humans[task_id] <= sign * row["score"]) * 100
                    ),
                }
        row |= {
            "medal": medal,
            "any_medal": medal != "none",
            "verified_medal": medal != "none" and row["verdict"] == "pass",
            **{f"{m}_medal": medal == m for m in ("gold", "silver", "bronze")},
        }
        if kind != "predictions":
            row |= {
                "wall_s": float(rng.gamma(2, 0.8)),
                "cpu_s": float(rng.gamma(2, 0.7)),
                "peak_mb": float(80 + rng.gamma(2, 30)),
                "measured_by": "cgroup",
                "provider": "bubblewrap",
                "level": "reduced" if index % 97 == 0 else "full",
            }
        pairs.append(row)
        telemetry.append(
            {
                "task_id": task_id,
                "run_id": run_id,
                "agent": agent,
                "week": f"2025-W{5 + index * 8 // max(n_pairs, 1):02d}",
                "time": row["time"],
                "attempt": attempt,
                "hint_tier": row["hint_tier"],
                "label": None,
                "verdict": row["verdict"],
                "fault": row["fault"],
                "reason": reason,
                "checks_failed": failed,
                "hidden_wall_s": (
                    list(
                        np.exp(
                            rng.normal(
                                -4 + len(task_id) % 3,
                                0.1 + 0.1 * (len(task_id) % 4),
                                int(rng.integers(4, 9)),
                            )
                        )
                    )
                    if kind == "functions" and row["valid_submission"]
                    else []
                ),
                "reference_s": 0.08 if kind == "functions" else None,
            }
        )
    rows = [
        {
            "task_id": task[0],
            "name": task[0].split("/")[1].replace("-", " ").capitalize(),
            "domain": task[0].split("/")[0],
            "task_type": "regression" if task[3] else "kernel",
            "difficulty": "medium",
            "kind": "predictions" if task[3] else "functions",
            "metric": task[1],
            "direction": task[2],
            "verifier": "v2",
            "leaderboard": sorted(boards[task[0]], reverse=task[2] == "maximize"),
            "leaderboard_note": "fitted baselines" if task[3] else "problem cards have none",
            "humans": sorted(humans.get(task[0], [])),
            "prepared": True,
            "calibrated": task[0] != "kernels/tm-score",
            "evidence_missing": ["known-bad solutions"] if task[0] == "kernels/tm-score" else [],
            "reference_s": None if task[3] else 0.08,
        }
        for task in TASKS
    ]
    return {
        name: from_rows(name, rows)
        for name, rows in [
            ("pairs", pairs),
            ("checks", checks),
            ("telemetry", telemetry),
            ("tasks", rows),
            ("agents", _agents(pairs)),
        ]
    }


def _agents(pairs):
    if not pairs:
        return []
    summary = summarize_agents(from_rows("pairs", pairs).to_pandas())
    known = contracts.SCHEMAS["agents"].names
    rows = summary.astype(object).where(summary.notna(), None).to_dict("records")
    return [{name: row[name] for name in known if name in row} for row in rows]


def _interval(errors, n):
    # Wilson's interval at 95 %
    z, p = 1.959964, errors / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def calibration(seed: int = 0):
    """Return the four calibration tables as data frames."""
    rng = np.random.default_rng(seed)
    cards = [task[0] for task in TASKS if not task[3]]
    rates, kills, margins, flakes = [], [], [], []

    def rate(task, scope, name, kind, n, p):
        errors = int(rng.binomial(n, p))
        low, high = _interval(errors, n)
        rates.append((task, scope, name, kind, errors, n, errors / n, low, high))

    for kind, p in (("false_pass", 0.015), ("false_fail", 0.004)):
        rate("all", "overall", "all", kind, 240, p)
        for mode in ("exact_match", "numeric_tolerance", "property_based", "metamorphic"):
            rate("all", "mode", mode, kind, 120, p * 3)
        for card in cards:
            rate(card, "card", card, kind, 60, p * (4 if card.endswith("tm-score") else 1))
    for card in cards:
        for number in range(36):
            label = "right" if number < 6 else "wrong"
            for position, (check, *_rest) in enumerate(KERNEL_CHECKS):
                power = (0.8, 0.6, 0.3, 0.2, 0.15, 0.3, 0.1, 0.3, 0.2)[position % 9]
                hit = rng.random() < (
                    power * (card != "kernels/tm-score" or 0.6) if label == "wrong" else 0.004
                )
                solution = f"variant-{number}" if label == "right" else f"mutant-{number:02d}"
                kills.append((card, solution, label, check, bool(hit)))
                value = (
                    abs(rng.normal(0.8, 0.15)) if label == "right" else -abs(rng.normal(8, 9)) + 0.3
                )
                margins.append((card, check, label, float(value)))
        for position, (check, *_rest) in enumerate(KERNEL_CHECKS):
            n = 200
            errors = int(rng.binomial(n, 0.08 if position == 5 else 0.001))
            flakes.append((card, check, n, errors, errors / n, *_interval(errors, n)))
    return {
        name: pd.DataFrame(rows, columns=list(CALIBRATION_COLUMNS[name]))
        for name, rows in [
            ("rates", rates),
            ("kills", kills),
            ("margins", margins),
            ("flakes", flakes),
        ]
    }


def frames(n_pairs: int = 400, seed: int = 0, calibrated: bool = True, weeks: int = 0) -> Tables:
    """Return what :meth:`Tables.load` would read."""
    made = {name: table.to_pandas() for name, table in tables(n_pairs, seed).items()}
    with TemporaryDirectory() as root:
        keep_weeks(Path(root), weeks)
        made["history"] = history_of(root).to_pandas()
    return Tables(**made, **(calibration(seed) if calibrated else {}))


def write(
    root: Path,
    n_pairs: int = 400,
    seed: int = 0,
    calibrated: bool = True,
    weeks: int = 0,
    **options,
):
    """Write a results folder that has kept results of some weeks; see :func:`tables`."""
    keep_weeks(root, weeks, **options)
    for name, table in tables(n_pairs, seed, **options).items():
        contracts.write_table(name, table, root / f"{name}.parquet")
    if calibrated:
        (root / "calibration").mkdir(parents=True, exist_ok=True)
        for name, frame in calibration(seed).items():
            pq.write_table(
                pa.Table.from_pandas(frame, preserve_index=False),
                root / "calibration" / f"{name}.parquet",
            )


def keep_weeks(root: Path, weeks: int, **options):
    """Keep other results of that many Mondays; see :func:`tables`."""
    for week in range(weeks):
        for name, table in tables(55, seed=week + 1, **options).items():
            contracts.write_table(name, table, root / f"{name}.parquet")
        keep(root, datetime(2025, 1, 6, 4, 17, tzinfo=UTC) + timedelta(weeks=week))
