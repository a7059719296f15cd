"""What the preparers of the MoleculeACE potency tasks share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.task.toolbox import hash_order, read_csv, write_tables

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["prepare_potency"]

#: The files give -log10 of nmol/l; 9 makes it the usual -log10 of mol/l.
NANOMOLAR = 9.0


def prepare_potency(table: Path, public: Path, private: Path, target: str) -> None:
    """Write a potency task with the split that comes with the data.

    Parameters
    ----------
    table : Path
        A CSV of MoleculeACE with columns ``smiles``, ``y`` (-log10 nmol/l) and ``split``.
    public, private : Path
    target : str
        Name of the answer column, ``pki`` or ``pec50``.
    """
    frame = read_csv(table)
    frame = frame.iloc[hash_order(frame["smiles"], target)].reset_index(drop=True)
    frame.insert(0, "id", [f"mol_{i:05d}" for i in range(len(frame))])
    frame[target] = (frame["y"] + NANOMOLAR).round(6)
    is_test = frame["split"] == "test"
    frame = frame[["id", "smiles", target]]
    write_tables(public, private, frame[~is_test], frame[is_test], [target], {target: 0.0})
