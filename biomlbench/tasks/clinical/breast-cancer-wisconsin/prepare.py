"""Prepare the Wisconsin diagnostic breast cancer task from scikit-learn's copy."""

from pathlib import Path

import pandas as pd
from sklearn.datasets import load_breast_cancer

from biomlbench.task.toolbox import hash_order, write_tables

TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split within each class by a hash of the row number; `raw` is not needed."""
    data = load_breast_cancer(as_frame=True)
    frame = data.data.rename(columns=lambda name: name.replace(" ", "_"))
    # scikit-learn codes malignant as 0
    frame["malignant"] = (data.target == 0).astype(int)
    order = hash_order(range(len(frame)), "breast-cancer-wisconsin")
    frame = frame.iloc[order].reset_index(drop=True)
    frame.insert(0, "id", [f"mass_{i:04d}" for i in range(len(frame))])
    test = pd.concat(
        [rows.head(round(TEST_SHARE * len(rows))) for _, rows in frame.groupby("malignant")]
    ).sort_index()
    train = frame.drop(index=test.index)
    write_tables(public, private, train, test, ["malignant"], {"malignant": 0.5})
