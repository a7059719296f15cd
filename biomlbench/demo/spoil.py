"""The spoilt lot: one run for each way in which a submission goes wrong."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.stages.kinds import get_kind

from .agents import ATTENTION, CANCER, DIABETES, KABSCH, NUCLEI, POTENCY

if TYPE_CHECKING:
    import pandas as pd

    from biomlbench.task.task import Task

__all__ = ["SPOILT", "SPOILT_AGENT", "Spoilt", "spoil"]

#: Spoilt runs whose submission is listed but never written.
NEVER_WRITTEN = ("missing-file",)
#: Agent to which the spoilt runs belong.
SPOILT_AGENT = "spoilt"
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Spoilt:
    """One spoilt run; `name` says how it is spoilt."""

    name: str
    task: str
    kind: str


SPOILT = (
    Spoilt("missing-file", CANCER, "predictions"),
    Spoilt("wrong-ids", CANCER, "predictions"),
    Spoilt("constant", CANCER, "predictions"),
    Spoilt("out-of-range", CANCER, "predictions"),
    Spoilt("duplicate-ids", DIABETES, "predictions"),
    Spoilt("nan", DIABETES, "predictions"),
    Spoilt("extra-column", DIABETES, "predictions"),
    Spoilt("binary-garbage", POTENCY, "predictions"),
    Spoilt("empty-table", NUCLEI, "predictions"),
    Spoilt("exception", DIABETES, "program"),
    Spoilt("endless-loop", DIABETES, "program"),
    Spoilt("memory-bomb", CANCER, "program"),
    Spoilt("reads-answers", CANCER, "program"),
    Spoilt("no-output", POTENCY, "program"),
    Spoilt("syntax-error", ATTENTION, "functions"),
    Spoilt("missing-function", KABSCH, "functions"),
    Spoilt("always-equal", KABSCH, "functions"),
    Spoilt("copied-column", DIABETES, "predictions"),
)


def spoil(item: Spoilt, runs: Path, task: Task) -> dict[str, object]:
    """Write a spoilt submission.

    Parameters
    ----------
    item : Spoilt
    runs : Path
        The runs folder.
    task : Task
        Its task, prepared.

    Returns
    -------
    dict
        The run's row, path relative to `runs`.
    """
    kind = get_kind(item.kind)
    relative = f"{SPOILT_AGENT}/{item.task}/{item.name}{kind.SUFFIX}"
    path = runs / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind.IS_CODE:
        _write_code(item.name, path)
    elif item.name == "binary-garbage":
        blocks = [hashlib.sha256(bytes([i])).digest() for i in range(64)]
        path.write_bytes(b"\x7f\x00\xff" + b"".join(blocks))
    elif item.name not in NEVER_WRITTEN:
        _write_predictions(item.name, path, task)
    return {
        "run_id": f"{SPOILT_AGENT}-{item.name}",
        "agent": SPOILT_AGENT,
        "task_id": item.task,
        "submission": relative,
        "kind": item.kind,
        "seed": 1,
        "attempt": 1,
        "hint_tier": 0,
    }


def _write_code(name: str, path: Path) -> None:
    if name == "syntax-error":
        right = (_HERE / "functions" / "attention_right.py").read_text(encoding="utf-8")
        path.write_text(right.replace("(q, k, mask):", "(q, k, mask:"), encoding="utf-8")
        return
    shutil.copyfile(_HERE / "spoilt" / f"{name.replace('-', '_')}.py", path)


def _write_predictions(name: str, path: Path, task: Task) -> None:
    from biomlbench.task.toolbox import read_csv, write_csv

    frame = read_csv(task.sample_submission, keep_default_na=False)
    column = frame.columns[1]
    if name == "copied-column":
        frame[column] = read_csv(task.public_dir / "test.csv")["s5"]
        write_csv(frame, path)
        return
    if name != "constant" and frame[column].dtype.kind == "f":
        # distinct values in range, so that nothing but the intended fault is there
        frame[column] = [(i + 1) / (len(frame) + 1) for i in range(len(frame))]
    write_csv(_SPOILERS[name](frame, column), path)


def _wrong_ids(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.assign(id=[f"case-{i}" for i in range(len(frame))])


def _constant(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.assign(**{column: 0.5})


def _out_of_range(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.assign(**{column: 3.0 * frame[column] - 1.0})


def _duplicate_ids(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([frame, frame.head(3)])


def _nan(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    frame.loc[[4, 7], column] = float("nan")
    return frame


def _extra_column(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.assign(confidence=0.9)


def _empty_table(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.head(0)


_SPOILERS = {
    "wrong-ids": _wrong_ids,
    "constant": _constant,
    "out-of-range": _out_of_range,
    "duplicate-ids": _duplicate_ids,
    "nan": _nan,
    "extra-column": _extra_column,
    "empty-table": _empty_table,
}
