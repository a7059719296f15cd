"""Comparison of one model with its native by all structure metrics."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from .lddt import lddt_of_points, matched_atoms
from .model import Residues, Structure, StructureError
from .reading import read_structure
from .search import MIN_RESIDUES, superposition_scores
from .superposition import rmsd

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from biomlbench.contracts.mappings import Arguments

__all__ = ["MEASURES", "Comparison", "compare_structures"]

MEASURES = ("rmsd", "tm_score", "gdt_ts", "gdt_ha", "lddt")


@dataclass(frozen=True)
class Comparison:
    """What a model is worth against its native.

    Attributes
    ----------
    rmsd : float
        Of the common residues' alpha carbons after optimal superposition, in Å.
    tm_score, gdt_ts, gdt_ha : float
        In [0, 1], normalised by the native's residues.
    lddt : float
        In [0, 1], of alpha carbons or of all heavy atoms.
    n_native, n_model, n_common : int
        Residues with an alpha carbon, and those of the native that the model has.

    A measure that was not asked for is NaN.
    """

    rmsd: float
    tm_score: float
    gdt_ts: float
    gdt_ha: float
    lddt: float
    n_native: int
    n_model: int
    n_common: int

    @property
    def coverage(self) -> float:
        """Share of the native's residues that the model has."""
        return self.n_common / self.n_native

    def to_dict(self) -> dict[str, float | int]:
        """Return the fields as a dictionary."""
        return asdict(self)


def compare_structures(
    model: str | os.PathLike[str] | Structure,
    native: str | os.PathLike[str] | Structure,
    *,
    measures: Iterable[str] = MEASURES,
    lddt_atoms: str = "ca",
) -> Comparison:
    """Compare a predicted structure with its native.

    Parameters
    ----------
    model, native : path or Structure
        PDB or mmCIF files, or structures already read.
    measures : iterable of str
        Which of `MEASURES` to compute.
    lddt_atoms : {"ca", "all"}
        lDDT over alpha carbons, or over all heavy atoms.

    Returns
    -------
    Comparison

    Raises
    ------
    StructureError
        A file that cannot be read; or, with the reason ``no_common_residues``, fewer than
        three residues in common.

    Notes
    -----
    Residues correspond when their number and insertion code are equal, and their chain unless
    both structures have a single one; sequences are neither aligned nor compared. TM-score,
    GDT and lDDT count residues that the model lacks as wrong, RMSD leaves them out: look at
    `coverage` beside it. All chains move together, as one rigid body.
    """
    measures = tuple(measures)
    unknown = sorted(set(measures) - set(MEASURES))
    if unknown or lddt_atoms not in ("ca", "all"):
        raise ValueError(
            f"measures are {', '.join(MEASURES)}; lddt_atoms is 'ca' or 'all'"
            + (f"; not {', '.join(unknown)}" if unknown else "")
        )
    only_ca = lddt_atoms == "ca" or "lddt" not in measures
    model, native = (
        s if isinstance(s, Structure) else read_structure(s, only_ca=only_ca)
        for s in (model, native)
    )
    with_chain = len(model.chains) > 1 or len(native.chains) > 1
    found, points = _common(model, native, with_chain)
    target = native.alpha_carbons
    common = np.flatnonzero(found)
    values: Arguments = dict.fromkeys(MEASURES, float("nan"))
    if "rmsd" in measures:
        values["rmsd"] = rmsd(points[common], target.coordinates[common])
    if set(measures) & {"tm_score", "gdt_ts", "gdt_ha"}:
        scores = superposition_scores(points[common], target.coordinates[common], len(target))
        for measure in ("tm_score", "gdt_ts", "gdt_ha"):
            if measure in measures:
                values[measure] = getattr(scores, measure)
    if "lddt" in measures:
        values["lddt"] = _lddt(model, native, points, with_chain, lddt_atoms)
    return Comparison(
        **values,
        n_native=len(target),
        n_model=len(model.alpha_carbons),
        n_common=len(common),
    )


def _common(
    model: Structure, native: Structure, with_chain: bool
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which native residues the model has, and where it puts them (NaN elsewhere)."""
    residues: Residues = model.alpha_carbons
    target = native.alpha_carbons
    if len(target) < MIN_RESIDUES:
        raise StructureError(f"native {native.name} has fewer than {MIN_RESIDUES} residues")
    place = {key: i for i, key in enumerate(residues.keys(with_chain))}
    index = np.array([place.get(key, -1) for key in target.keys(with_chain)], dtype=np.intp)
    found = index >= 0
    if np.count_nonzero(found) < MIN_RESIDUES:
        hint = (
            f"; the model's chains are {', '.join(model.chains[:5])}, "
            f"the native's {', '.join(native.chains[:5])}"
            if with_chain
            else "; residues correspond by number"
        )
        raise StructureError(
            f"{model.name} and its native have {np.count_nonzero(found)} residues in common, "
            f"at least {MIN_RESIDUES} are needed{hint}",
            "no_common_residues",
        )
    return found, np.where(found[:, None], residues.coordinates[index], np.nan)


def _lddt(
    model: Structure,
    native: Structure,
    points: NDArray[np.float64],
    with_chain: bool,
    atoms: str,
) -> float:
    if atoms == "all":
        coordinates, target, residue, _ = matched_atoms(model, native, with_chain)
        return lddt_of_points(coordinates, target, residue).score
    residues = native.alpha_carbons
    return lddt_of_points(points, residues.coordinates, np.arange(len(residues))).score
