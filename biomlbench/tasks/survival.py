"""What the preparers of survival tasks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.task.toolbox import data_key, split_rows, write_csv, write_tables

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["write_survival"]


def write_survival(
    frame: pd.DataFrame, public: Path, private: Path, test_share: float, salt: str
) -> None:
    """Split patients at random and write the task.

    Parameters
    ----------
    frame : DataFrame
        One row a patient, with ``time`` and ``event`` (1 happened, 0 censored).
    public, private : Path
    test_share : float
        Share of the patients in the test set.
    salt : str
        Of the key by which they are drawn.
    """
    columns = [c for c in frame.columns if c not in ("time", "event")]
    frame = frame[[*columns, "time", "event"]]
    train, test = split_rows(frame, test_share, data_key(salt, frame), "patient_{:03d}")
    write_tables(public, private, train, test, ["time", "event"], {"risk": 0.0})
    # at one time those who had the event come before those who were censored
    gold = test[["id"]].assign(risk=0.5 * test["event"] - test["time"])
    write_csv(gold, private / "gold_submission.csv")
