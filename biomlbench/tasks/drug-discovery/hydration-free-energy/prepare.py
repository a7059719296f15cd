"""Prepare the hydration free energy task from FreeSolv."""

from pathlib import Path

from biomlbench.task.toolbox import hash_order, read_csv, write_tables

TEST_SHARE = 0.3


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split by a hash of the SMILES."""
    frame = read_csv(raw / "freesolv.csv").rename(columns={"expt": "free_energy"})
    frame = frame.iloc[hash_order(frame["smiles"], "hydration-free-energy")]
    frame = frame[["smiles", "free_energy"]].reset_index(drop=True)
    frame.insert(0, "id", [f"mol_{i:03d}" for i in range(len(frame))])
    cut = round(TEST_SHARE * len(frame))
    sample = {"free_energy": 0.0}
    write_tables(public, private, frame[cut:], frame[:cut], ["free_energy"], sample)
