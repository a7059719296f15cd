"""Prepare a blood-brain barrier task from B3DB."""

from pathlib import Path

from biomlbench.task.toolbox import hash_order, read_csv, write_tables

TEST_SHARE = 0.2


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split by a hash of the SMILES; a molecule listed twice stays on one side."""
    frame = read_csv(raw / "B3DB_classification.tsv", sep="\t").rename(columns={"SMILES": "smiles"})
    frame["permeable"] = (frame["BBB+/BBB-"] == "BBB+").astype(int)
    frame = frame.drop_duplicates("smiles")
    frame = frame.iloc[hash_order(frame["smiles"], "blood-brain-barrier")]
    frame = frame[["smiles", "permeable"]].reset_index(drop=True)
    frame.insert(0, "id", [f"mol_{i:04d}" for i in range(len(frame))])
    cut = round(TEST_SHARE * len(frame))
    write_tables(public, private, frame[cut:], frame[:cut], ["permeable"], {"permeable": 0.5})
