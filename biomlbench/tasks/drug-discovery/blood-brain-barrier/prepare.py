"""Prepare a blood-brain barrier task from B3DB."""

from pathlib import Path

from biomlbench.task.toolbox import write_tables
from biomlbench.tasks.blood_brain import split_passage


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split by a hash of the SMILES; a molecule listed twice stays on one side."""
    train, test = (
        rows[["id", "smiles"]].assign(permeable=(rows["BBB+/BBB-"] == "BBB+").astype(int))
        for rows in split_passage(raw / "B3DB_classification.tsv")
    )
    write_tables(public, private, train, test, ["permeable"], {"permeable": 0.5})
