"""Prepare the diabetes progression task from scikit-learn's copy."""

from pathlib import Path

from sklearn.datasets import load_diabetes

from biomlbench.task.toolbox import hash_order, write_tables

TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split by a hash of the row number; `raw` is not needed."""
    data = load_diabetes(as_frame=True, scaled=False)
    frame = data.data.rename(columns=str.lower)
    frame = frame.round(6)
    frame["progression"] = data.target.astype(float)
    order = hash_order(range(len(frame)), "diabetes-progression")
    frame = frame.iloc[order].reset_index(drop=True)
    frame.insert(0, "id", [f"patient_{i:03d}" for i in range(len(frame))])
    cut = round(TEST_SHARE * len(frame))
    # the sample's constant is far from the mean, so that it says nothing about the answers
    write_tables(
        public, private, frame.iloc[cut:], frame.iloc[:cut], ["progression"], {"progression": 0.0}
    )
