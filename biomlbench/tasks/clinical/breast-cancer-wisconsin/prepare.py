"""Prepare the Wisconsin diagnostic breast cancer task from scikit-learn's copy."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer

from biomlbench.task.toolbox import data_key, split_rows, write_tables

TEST_SHARE = 0.4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split at random within each class; `raw` is not needed."""
    data = load_breast_cancer(as_frame=True)
    frame = data.data.rename(columns=lambda name: name.replace(" ", "_"))
    # scikit-learn codes malignant as 0
    frame["malignant"] = (data.target == 0).astype(int)
    key = data_key("breast-cancer-wisconsin", frame)
    train, test = split_rows(frame, TEST_SHARE, key, "mass_{:04d}", within="malignant")
    write_tables(public, private, train, test, ["malignant"], {"malignant": 0.5})
