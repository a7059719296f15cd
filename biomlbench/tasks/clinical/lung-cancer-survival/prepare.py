"""Prepare the North Central Cancer Treatment Group lung cancer survival task."""

from pathlib import Path

from biomlbench.task.toolbox import read_csv
from biomlbench.tasks.survival import write_survival

NAMES = {
    "inst": "institution",
    "status": "event",
    "ph.ecog": "ecog",
    "ph.karno": "karnofsky_physician",
    "pat.karno": "karnofsky_patient",
    "meal.cal": "calories",
    "wt.loss": "weight_loss",
}
TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Rename the columns and split at random."""
    frame = read_csv(raw / "lung.csv").rename(columns=NAMES)
    frame["event"] = frame["event"].astype(int)
    write_survival(frame, public, private, TEST_SHARE, "lung-cancer-survival")
