"""The required evidence of a prediction task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.verify.second_scores import SECOND

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.contracts.mappings import Config

__all__ = ["of_predictions"]


def of_predictions(folder: Path, config: Config) -> list[tuple[str, str, str]]:
    """Look at what evidence a prediction task has.

    Parameters
    ----------
    folder : Path
    config : dict
        Its ``config.yaml``.

    Returns
    -------
    list of (item, status, detail)
        The reference solution is the gold submission, the oracle is the second implementation
        of the metric, the properties are declared columns, the metamorphic channel is the
        order of rows, which every task has. The known-bad submissions (constant, shuffled,
        copied) are made from the task's own data.
    """
    grader = config.get("grader") or {}
    submission = config.get("submission") or {}
    columns = submission.get("columns") or {}
    metric = str(grader.get("metric") or "").strip().lower().replace("-", "_").replace(" ", "_")
    dataset = config.get("dataset") or {}
    described = any((folder / name).is_file() for name in _descriptions(config))
    return [
        _item("description", described, "description.md"),
        _item("gold submission", bool(dataset.get("gold_submission")), "dataset.gold_submission"),
        _item(
            "second implementation of the score",
            metric in SECOND,
            metric or "a function grades, so no second implementation can be looked up",
        ),
        _item("declared columns", bool(columns), "submission.columns"),
    ]


def _descriptions(config: Config) -> list[str]:
    declared = str(config.get("description") or "description.md")
    return [declared.rsplit("/", 1)[-1]]


def _item(item: str, there: bool, detail: str) -> tuple[str, str, str]:
    return item, "present" if there else "missing", detail
