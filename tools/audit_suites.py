"""Audit the tasks of published suites with invented data; prints a Markdown page.

BIOMLBENCH_SUITES=FOLDER python tools/audit_suites.py OUT [TASK|SUITE ...]

Data and audits are kept in OUT; what is there already is taken as it is. Every severe finding is
tried again with the published grader alone, by `tests/suites/oracle.py`, which knows nothing of
this project, and is submitted by a cheating agent, whose medals are shown side by side.

With `--page docs/explanation/audit-of-published-suites.md` that page is written anew.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from biomlbench.audit import SEVERITIES, audit_task
from biomlbench.audit.detectors import cheap_credit, leaderboard, split
from biomlbench.audit.write import FINDINGS, read_audit, write_audit, write_page
from biomlbench.errors import TaskError
from biomlbench.stages import Context, Pair
from biomlbench.suites.checkout import checkouts, tasks_of
from biomlbench.suites.published import main_metric
from biomlbench.summary.regrade import counts, regraded
from biomlbench.task.registry import Registry
from tests.audit.cheating import MISGRADED, submitted, write_board
from tests.suites.public_shapes import ROWS, invent_task

ROOT = Path(__file__).resolve().parents[1]
SELECTIONS = ("bioml-bench-v0.1a", "mle-bench-lite")
TOLERANCE = 1e-9
#: What they find depends on the rows, which are invented here.
OF_ROWS = {name for module in (cheap_credit, leaderboard, split) for name in module.FINDINGS}
INTRO = """# Audit of published suites

Made by `BIOMLBENCH_SUITES=FOLDER python tools/audit_suites.py OUT --page PAGE`; nothing of it is
written by hand.

The task folders are those of the suites' commits, with their graders as they are. The data are
invented: of the shape that the tasks' preparers leave (ProteinGym's own preparers are run, on
invented raw files), with at most {rows} test rows. What only real rows can tell is left out:
leaderboards, splits, order of rows, what a constant earns. Of MLE-bench there is no public file
beside the sample submission, so nothing is said of leaks there.

*Open here* counts the tasks where grading here lets it through as well; there a verified medal is
withheld. *Reproduced*: the submission that shows it has the same score by the published code alone,
run far from this project, as far as it runs there.

## Findings
"""


def main() -> None:
    """Audit, and print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", default=list(SELECTIONS), metavar="TASK|SUITE")
    parser.add_argument("--page", type=Path)
    given = parser.parse_args()
    registry = Registry(data_dir=given.out / "data")
    audits, skipped = {}, {}
    for task_id in _ids(given.names, registry):
        try:
            found = _audited(registry, task_id, given.out)
        except TaskError as error:
            skipped[task_id] = str(error)
            continue
        if found is None:
            skipped[task_id] = "no data of its shape can be invented here"
        elif not found["grader"]:
            skipped[task_id] = found["skipped"][0]
        else:
            audits[task_id] = found
    write_page(audits.values(), given.out / "audits" / "audit.html")
    again = _reproduced(audits, registry, given.out)
    lines = [INTRO.format(rows=ROWS)]
    lines += page(audits, skipped, again)
    lines += cheats(_medals(audits, registry, given.out))
    text = "\n".join(lines) + "\n"
    if given.page is None:
        print(text, end="")
    else:
        given.page.write_text(text, encoding="utf-8")


def _ids(names: list[str], registry: Registry) -> list[str]:
    suites = {label for one in checkouts() for label in (one.suite.name, *one.suite.selections)}
    ids: list[str] = []
    for name in names:
        ids += tasks_of(name) if name in suites else [registry.get_task(name).id]
    return list(dict.fromkeys(ids))


def _audited(registry: Registry, task_id: str, out: Path) -> dict[str, Any] | None:
    folder = out / "audits" / task_id
    if not (folder / FINDINGS).is_file():
        task = registry.get_task(task_id)
        if not invent_task(task, out / "data"):
            return None
        start = time.monotonic()
        write_audit(audit_task(task), folder)
        print(f"{task_id}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    return read_audit(folder / FINDINGS)


def _reproduced(
    audits: dict[str, dict[str, Any]], registry: Registry, out: Path
) -> dict[tuple[str, str], float | str]:
    """Return what the published grader itself gives to the submission of each severe finding."""
    jobs = {}
    for task_id, audit in audits.items():
        task = registry.get_task(task_id)
        for one in _severe(audit):
            if one["submission"] and task.published is not None:
                jobs[task_id, one["name"]] = {
                    "tree": str(task.published.tree),
                    "function": task.config["grader"]["grade_fn"],
                    "submission": str(out / "audits" / task_id / one["submission"]),
                    "answers": str(task.answers),
                    "metric": main_metric(task.config),
                }
    found: dict[tuple[str, str], float | str] = {}
    # A tree at a time: both suites' packages may import one of the same name.
    for tree in sorted({job["tree"] for job in jobs.values()}):
        part = {key: job for key, job in jobs.items() if job["tree"] == tree}
        done = subprocess.run(
            [sys.executable, "-P", str(ROOT / "tests" / "suites" / "oracle.py")],
            input="\n".join(map(json.dumps, part.values())),
            text=True,
            capture_output=True,
            check=True,
        )
        replies = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for key, reply in zip(part, replies, strict=True):
            found[key] = float.fromhex(reply["score"]) if "score" in reply else reply["error"]
    return found


def _severe(audit: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        one
        for one in audit["findings"]
        if one["severity"] == "severe" and one["name"] not in OF_ROWS
    ]


def _medals(
    audits: dict[str, dict[str, Any]], registry: Registry, out: Path
) -> list[dict[str, Any]]:
    """Return what the submission of each severe finding earns, as published and here."""
    rows = []
    for task_id, audit in audits.items():
        task = registry.get_task(task_id)
        for one in _severe(audit):
            if one["name"] in MISGRADED or None in (one["before"], one["after"]):
                continue
            folder = out / "cheating" / task_id / one["name"]
            folder.mkdir(parents=True, exist_ok=True)
            content = (out / "audits" / task_id / one["submission"]).read_bytes()
            finding = Shown(one["name"], one["before"], one["after"], content)
            path = folder / "submission.csv"
            path.write_bytes(submitted(finding))
            changes = {"audit": str(out / "audits" / task_id / FINDINGS)}
            if task.leaderboard is None:
                write_board(folder, finding)
                changes["leaderboard"] = str(folder / "leaderboard.csv")
            context = Context(str(out / "data"), bootstrap=0, overrides=changes)
            row = regraded(Pair(task_id, one["name"], str(path)), context)
            rows.append({**row, "board": "made" if task.leaderboard is None else "published"})
    return rows


class Shown(NamedTuple):
    """What a cheating submission is made from."""

    name: str
    before: float
    after: float
    submission: bytes


def cheats(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines about what cheating earns."""
    found = counts(rows)
    lines = [
        *("", "## What cheating earns", ""),
        "One submission for each severe finding, the one that shows it. Leaderboards are the",
        "suite's, or, where it has none, made between chance and what the submission reaches.",
        "",
        f"{found['runs']} submissions: {found['published']} medals by the graders as published,",
        f"{found['verified']} verified here.",
        "",
        "| task | finding | board | as published | medal | here | medal | verified |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return lines + [
        f"| `{row['task_id']}` | `{row['run_id']}` | {row['board']} | "
        f"{_short(row['published_score'])} | {row['published_medal']} | "
        f"{_short(row['score']) or 'invalid'} | {row['medal']} | {row['verified_medal']} |"
        for row in rows
    ]


def page(
    audits: dict[str, dict[str, Any]],
    skipped: dict[str, str],
    reproduced: dict[tuple[str, str], float | str],
) -> list[str]:
    """Return the lines of the page."""
    lines = [
        "| finding | severity | tasks | open here | reproduced | e.g. | before | after |",
        "|---|---|---|---|---|---|---|---|",
    ]
    by_name: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for task_id, audit in audits.items():
        for one in _told(audit):
            by_name[one["severity"], one["name"]].append((task_id, one))
    for (severity, name), ones in sorted(
        by_name.items(), key=lambda item: (SEVERITIES.index(item[0][0]), -len(item[1]), item[0])
    ):
        still = sum(one["open"] for _, one in ones)
        again = [_agrees(reproduced[t, name], one) for t, one in ones if (t, name) in reproduced]
        task_id, one = ones[0]
        lines.append(
            f"| `{name}` | {severity} | {len(ones)} | {still} | "
            + (f"{sum(again)} of {len(again)}" if again else "")
            + f" | `{task_id}` | {_short(one['before'])} | {_short(one['after'])} |"
        )
    none = sum(not any(one["severity"] == "severe" for one in _told(a)) for a in audits.values())
    lines += ["", f"{len(audits)} tasks audited, {none} without a severe finding."]
    lines += [f"\nNot audited: `{name}`: {_plain(reason)}." for name, reason in skipped.items()]
    partly = {name: audit["skipped"] for name, audit in audits.items() if audit["skipped"]}
    lines += [f"\nNot in full: `{name}`: {_plain('; '.join(why))}." for name, why in partly.items()]
    lines += ["", "## Tasks", "", "| task | severe | moderate | minor |", "|---|---|---|---|"]
    for task_id, audit in audits.items():
        cells = [
            ", ".join(
                f"`{one['name']}`" + ("" if one["open"] else " (closed)")
                for one in _told(audit)
                if one["severity"] == severity
            )
            for severity in SEVERITIES[:-1]
        ]
        lines.append(f"| `{task_id}` | {' | '.join(cells)} |")
    return lines


def _told(audit: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in audit["findings"] if one["name"] not in OF_ROWS]


def _plain(reason: str) -> str:
    """Return a reason without the folders of this machine."""
    return re.sub(r"/\S*/(?=[^/\s]+/config\.yaml)", "", reason)


def _agrees(score: float | str, one: dict[str, Any]) -> bool:
    after = one["after"]
    return isinstance(score, float) and after is not None and abs(score - after) < TOLERANCE


def _short(score: float | None) -> str:
    return "" if score is None else f"{score:.3g}"


if __name__ == "__main__":
    main()
