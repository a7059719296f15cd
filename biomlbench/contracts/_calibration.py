"""Tables of the calibration."""

from __future__ import annotations

import pyarrow as pa

from biomlbench.contracts._fields import BOOL, F64, I64, PAIR, STR, field, volatile

__all__ = ["SCHEMAS"]

RATE = [
    field("rate", F64, "share; null where n is 0"),
    field("low", F64, "lower end of the 95 % Wilson interval of the rate", required=True),
    field("high", F64, "upper end of the 95 % Wilson interval of the rate", required=True),
]
CONTROL = [
    PAIR[0],
    field("control", STR, "work whose label is known, unique within its task", required=True),
    field(
        "family",
        STR,
        "reference, right, known_bad, stock, mutant ...",
        required=True,
    ),
    field("label", STR, "right or wrong", required=True),
]
SCHEMAS: dict[str, pa.Schema] = {
    "mutants": pa.schema(
        [
            PAIR[0],
            field("mutant", STR, "operator, line and a hash of the source", required=True),
            field("operator", STR, "what kind of slip", required=True),
            field("note", STR, "what was changed", required=True),
            field("line", I64, "line of reference.py", required=True),
            field("status", STR, "live, equivalent, no_result or hangs", required=True),
            field("inputs", I64, "generated inputs that it was tried on", required=True),
            field("diff", STR, "against the reference", required=True),
            field("source", STR, "the whole module", required=True),
        ]
    ),
    "controls": pa.schema(
        [
            *CONTROL,
            field("patterns", pa.list_(STR), "failure patterns it shows", required=True),
            field("claims", pa.list_(STR), "checks or modes it is caught by", required=True),
            field("verdict", STR, "pass, partial or fail", required=True),
            field("credited", BOOL, "accepted as right work", required=True),
            field("score", F64, "score"),
            field("check", STR, "check; `gate` for what comes before the checks", required=True),
            field("suite", STR, "visible, hidden or adversarial", required=True),
            field("mode", STR, "mode of the check, or `gate`", required=True),
            field("severity", STR, "blocker, critical or advisory", required=True),
            field("outcome", STR, "passed, failed, skipped or error", required=True),
            field("reason", STR, "reason code", required=True),
            field("margin", F64, "distance to the threshold in units of the threshold"),
            field("deviation", F64, "1 - margin, not rounded and not cut off"),
        ]
    ),
    "rates": pa.schema(
        [
            field("task_id", STR, "task; null where it is of several"),
            field(
                "scope",
                STR,
                "overall, mode, card, check, family, operator, left_out ...",
                required=True,
            ),
            field("name", STR, "what of that scope", required=True),
            field("kind", STR, "false_pass or false_fail", required=True),
            field("errors", I64, "controls that were judged wrongly", required=True),
            field("n", I64, "controls", required=True),
            *RATE,
            volatile("week", STR, "ISO week of the calibration"),
        ]
    ),
    "kills": pa.schema(
        [
            PAIR[0],
            field("solution", STR, "the control", required=True),
            field("label", STR, "right or wrong", required=True),
            field("check", STR, "check, or `gate`", required=True),
            field("killed", BOOL, "the check failed on it", required=True),
            field("family", STR, "family of the control", required=True),
        ]
    ),
    "margins": pa.schema(
        [
            PAIR[0],
            field("check", STR, "check", required=True),
            field("label", STR, "right or wrong", required=True),
            field(
                "margin", F64, "distance to the threshold in units of the threshold", required=True
            ),
            field("solution", STR, "the control", required=True),
            field("deviation", F64, "1 - margin, not rounded and not cut off"),
        ]
    ),
    "flakes": pa.schema(
        [
            PAIR[0],
            field("check", STR, "check", required=True),
            field("runs", I64, "repeats of all controls", required=True),
            field("disagreements", I64, "repeats unlike the control's usual", required=True),
            *RATE,
            field("causes", pa.list_(STR), "what the outcome varies with", required=True),
            field("solutions", pa.list_(STR), "controls on which it varies", required=True),
        ]
    ),
    "power": pa.schema(
        [
            PAIR[0],
            field("check", STR, "check", required=True),
            field("mode", STR, "mode of the check", required=True),
            field("severity", STR, "blocker, critical or advisory", required=True),
            field("kills", I64, "wrong controls that it catches", required=True),
            field("alone", I64, "of those, what no other deciding check catches", required=True),
            field("redundant_with", STR, "another check that catches all of them as well"),
            field("false_fails", I64, "right controls that it fails", required=True),
            field("cases", I64, "cases executed for this check alone", required=True),
            volatile("seconds", F64, "time to judge one submission by it"),
        ]
    ),
    "allowed_rates": pa.schema(
        [
            PAIR[0],
            field(
                "within_allowed",
                BOOL,
                "whether no error rate is above the allowed one",
                required=True,
            ),
            field("reasons", pa.list_(STR), "why not", required=True),
            field("right", I64, "right controls", required=True),
            field("wrong", I64, "wrong controls", required=True),
            field("false_pass", F64, "share of the wrong controls that passed"),
            field("false_pass_high", F64, "upper Wilson bound of false_pass", required=True),
            field("false_fail", F64, "share of the right controls that did not pass"),
            field("false_fail_high", F64, "upper Wilson bound of false_fail", required=True),
        ]
    ),
    "unused_rows": pa.schema(
        [
            field("setting", STR, "adjudications or flake_runs", required=True),
            field("source", STR, "file and line, or key of the config", required=True),
            field("task_id", STR, "task, as the row names it", required=True),
            field("run_id", STR, "run or control, as the row names it", required=True),
            field("message", STR, "why the row was not used", required=True),
        ]
    ),
}
