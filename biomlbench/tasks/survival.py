"""What the preparers of survival tasks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.task.toolbox import hash_order, write_csv, write_tables

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["write_survival"]


def write_survival(
    frame: pd.DataFrame, public: Path, private: Path, test_share: float, salt: str
) -> None:
    """Split patients by a hash of the row number and write the task.

    Parameters
    ----------
    frame : DataFrame
        One row a patient, with ``time`` and ``event`` (1 happened, 0 censored).
    public, private : Path
    test_share : float
        Share of the patients in the test set.
    salt : str
        Of the hash.
    """
    columns = [c for c in frame.columns if c not in ("time", "event")]
    frame = frame[[*columns, "time", "event"]]
    frame = frame.iloc[hash_order(range(len(frame)), salt)].reset_index(drop=True)
    frame.insert(0, "id", [f"patient_{i:03d}" for i in range(len(frame))])
    cut = round(test_share * len(frame))
    test = frame[:cut]
    write_tables(public, private, frame[cut:], test, ["time", "event"], {"risk": 0.0})
    # at one time those who had the event come before those who were censored
    gold = test[["id"]].assign(risk=0.5 * test["event"] - test["time"])
    write_csv(gold, private / "gold_submission.csv")
