"""Prepare the Caco-2 permeability task from a raw file that the user puts in place."""

from pathlib import Path

from biomlbench.errors import TaskError
from biomlbench.task.toolbox import hash_order, read_csv, write_tables

TEST_SHARE = 0.2


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split by a hash of the SMILES; a molecule listed twice stays on one side."""
    path = raw / "caco2_wang.csv"
    frame = read_csv(path)
    if missing := {"Drug", "Y"} - set(frame.columns):
        raise TaskError(
            f"{path}: lacks the column(s) {sorted(missing)}; it must be the Caco2_Wang data set "
            "of Therapeutics Data Commons with the columns Drug_ID, Drug and Y"
        )
    frame = frame.rename(columns={"Drug": "smiles", "Y": "permeability"})
    frame = frame[["smiles", "permeability"]].iloc[hash_order(frame["smiles"], "caco2-wang")]
    frame = frame.reset_index(drop=True)
    frame.insert(0, "id", [f"drug_{i:03d}" for i in range(len(frame))])
    cut = round(TEST_SHARE * len(frame))
    sample = {"permeability": 0.0}
    write_tables(public, private, frame[cut:], frame[:cut], ["permeability"], sample)
