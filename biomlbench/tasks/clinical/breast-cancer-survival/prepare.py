"""Prepare the German Breast Cancer Study Group 2 survival task."""

from pathlib import Path

from biomlbench.task.toolbox import read_csv
from biomlbench.tasks.survival import write_survival

NAMES = {
    "horTh": "hormone_therapy",
    "menostat": "postmenopausal",
    "tsize": "tumour_size",
    "tgrade": "tumour_grade",
    "pnodes": "positive_nodes",
    "progrec": "progesterone_receptor",
    "estrec": "oestrogen_receptor",
    "cens": "event",
}
TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Give words numbers and split at random."""
    frame = read_csv(raw / "gbsg2.csv").rename(columns=NAMES)
    frame["hormone_therapy"] = (frame["hormone_therapy"] == "yes").astype(int)
    frame["postmenopausal"] = (frame["postmenopausal"] == "Post").astype(int)
    frame["tumour_grade"] = frame["tumour_grade"].map({"I": 1, "II": 2, "III": 3})
    write_survival(frame, public, private, TEST_SHARE, "breast-cancer-survival")
