"""Prepare a blood-brain barrier task from B3DB."""

from pathlib import Path

from biomlbench.task.toolbox import hash_order, read_csv, write_tables
from biomlbench.tasks.blood_brain import split_passage


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Ask for the molecules that the task on passage asks for: each one's answers tell the other's.

    The tables write a molecule in different SMILES, but with one InChI.
    """
    frame = read_csv(raw / "B3DB_regression.tsv", sep="\t").rename(columns={"SMILES": "smiles"})
    frame["log_bb"] = frame["logBB"].astype(float)
    frame = frame.drop_duplicates("smiles")
    frame = frame.iloc[hash_order(frame["smiles"], "brain-blood-ratio")].reset_index(drop=True)
    frame.insert(0, "id", [f"mol_{i:04d}" for i in range(len(frame))])
    given, asked = split_passage(raw / "B3DB_classification.tsv")
    in_test = frame["Inchi"].isin(asked["Inchi"]) & ~frame["Inchi"].isin(given["Inchi"])
    in_train = ~frame["Inchi"].isin(asked["Inchi"])
    frame = frame[["id", "smiles", "log_bb"]]
    write_tables(public, private, frame[in_train], frame[in_test], ["log_bb"], {"log_bb": 0.0})
