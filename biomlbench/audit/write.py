"""The files of audits: JSON, CSV, the submissions that show findings, and a page."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.plain_text import spreadsheet_row
from biomlbench.scoring.stored_audit import FILE as FINDINGS
from biomlbench.whole_files import whole_file

from .badge import badge
from .findings import COLUMNS, SEVERITIES, submission_name
from .upstream import reports

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from biomlbench.audit.findings import AuditDocument

    from .findings import Audit

__all__ = ["FINDINGS", "PAGE", "UPSTREAM", "read_audit", "write_audit", "write_page"]

PAGE = "audit.html"
UPSTREAM = "upstream"
"""Folder of the texts that are ready to be filed."""
_TEMPLATE = Path(__file__).parent / "page.html.j2"


def write_audit(audit: Audit, folder: Path) -> Path:
    """Write an audit's findings and the submissions that show them.

    Parameters
    ----------
    audit : Audit
    folder : path
        Made if need be; submissions of an earlier audit in it are removed.

    Returns
    -------
    path
        Of ``findings.json``; beside it are ``findings.csv``, the folders ``submissions`` and
        ``upstream``, ``audit.html`` and ``badge.svg``.
    """
    for name, suffixes in (("submissions", (".csv", ".py")), (UPSTREAM, (".md",))):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for old in (path for path in (folder / name).iterdir() if path.suffix in suffixes):
            old.unlink()
    for name, text in reports(audit).items():
        (folder / UPSTREAM / name).write_text(text, encoding="utf-8")
    (folder / "badge.svg").write_text(badge(audit), encoding="utf-8")
    write_page([audit.as_dict()], folder / PAGE, alone=True)
    for finding in audit.findings:
        if name := submission_name(finding):
            (folder / name).write_bytes(finding.submission)
    with (folder / "findings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(map(spreadsheet_row, audit.rows()))
    path = folder / FINDINGS
    text = json.dumps(_finite(audit.as_dict()), indent=2, allow_nan=False)
    with whole_file(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
    return path


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_audit(path: Path) -> AuditDocument:
    """Return what :func:`write_audit` wrote, as :meth:`Audit.as_dict` gives it."""
    found: AuditDocument = json.loads(path.read_text(encoding="utf-8"))
    return found


def write_page(audits: Iterable[AuditDocument], path: Path, *, alone: bool = False) -> None:
    """Write one page of many audits: no network, no clock, no scripts.

    Parameters
    ----------
    audits : iterable of mapping
        As :meth:`Audit.as_dict` gives them.
    path : path
        Beside the folders of the tasks' audits.
    alone : bool
        It is the page of one task, in the folder of its audit.
    """
    from jinja2 import Environment

    found = sorted(audits, key=lambda one: (_place(one["worst"]), one["task"]))
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    text = template.render(audits=found, counts=_counts(found), score=_score, alone=alone)
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _place(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def _counts(audits: Sequence[AuditDocument]) -> dict[str, int]:
    """Return how many tasks are clean, how many could not be audited in full, and the worst."""
    counts = {"clean": sum(one["clean"] for one in audits)}
    counts["not audited in full"] = sum(bool(one["skipped"]) for one in audits)
    for severity in SEVERITIES[:-1]:
        counts[f"worst finding {severity}"] = sum(one["worst"] == severity for one in audits)
    return counts


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
