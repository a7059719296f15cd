"""lDDT: how many distances between atoms the model keeps, without superposition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .model import Structure

__all__ = ["LDDTScore", "lddt_of_points", "matched_atoms"]

#: Distances of the native up to this count, in Å (Mariani et al. 2013).
INCLUSION_RADIUS = 15.0
#: Changes of a distance that still count as kept, in Å (Mariani et al. 2013).
TOLERANCES = (0.5, 1.0, 2.0, 4.0)

#: Atoms whose names are exchanged by a half turn of the side chain, which chemistry cannot
#: tell apart (Mariani et al. 2013).
EXCHANGEABLE: dict[str, tuple[tuple[str, str], ...]] = {
    "ARG": (("NH1", "NH2"),),
    "ASP": (("OD1", "OD2"),),
    "GLU": (("OE1", "OE2"),),
    "LEU": (("CD1", "CD2"),),
    "PHE": (("CD1", "CD2"), ("CE1", "CE2")),
    "TYR": (("CD1", "CD2"), ("CE1", "CE2")),
    "VAL": (("CG1", "CG2"),),
}

#: Native atoms compared at once with all others: 8 MB of distances for 1,000 atoms.
_BLOCK = 512


class LDDTScore(NamedTuple):
    """lDDT and what it rests on.

    Attributes
    ----------
    score : float
        In [0, 1]; NaN where the native has no distance to keep.
    n_distances : int
        Distances of the native that count.
    """

    score: float
    n_distances: int


def lddt_of_points(
    model: NDArray[np.float64],
    native: NDArray[np.float64],
    residue: NDArray[np.int64],
) -> LDDTScore:
    """Return the lDDT of corresponding points.

    Parameters
    ----------
    model, native : (n, 3) array
        All atoms of the native that count, in Å, and where the model puts them; NaN where
        the model lacks one, whose distances then all count as lost.
    residue : (n,) array of int
        Residue of each atom: distances within one do not count.

    Returns
    -------
    LDDTScore

    Notes
    -----
    The share of the native's distances that the model keeps to 0.5, 1, 2 and 4 Å, mean of the
    four. Distances are pooled over the whole structure. The stereochemical checks of the
    original, which set violating side chains aside, are not made.

    References
    ----------
    Mariani V, Biasini M, Barbato A, Schwede T. lDDT: a local superposition-free score for
    comparing protein structures and models using distance difference tests.
    Bioinformatics 29 (2013) 2722-2728.
    """
    kept, total = 0, 0
    for i, j in _native_pairs(native, residue):
        change = np.abs(_distances(model, i, j) - _distances(native, i, j))
        kept += sum(int(np.count_nonzero(change < tolerance)) for tolerance in TOLERANCES)
        total += len(i)
    if total == 0:
        return LDDTScore(float("nan"), 0)
    return LDDTScore(kept / (len(TOLERANCES) * total), total)


def _distances(
    points: NDArray[np.float64], i: NDArray[Any], j: NDArray[Any]
) -> NDArray[np.float64]:
    difference = points[i] - points[j]
    result: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", difference, difference))
    return result


def _native_pairs(
    native: NDArray[np.float64], residue: NDArray[np.int64]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield pairs i < j of atoms of different residues within the radius of inclusion."""
    squares = np.einsum("ij,ij->i", native, native)
    for start in range(0, len(native), _BLOCK):
        rows = slice(start, start + _BLOCK)
        # Rounding of the expanded square is made good below; this only preselects.
        near = (
            squares[rows, None] + squares[None, start:] - 2.0 * (native[rows] @ native[start:].T)
            <= INCLUSION_RADIUS**2 + 1e-3
        )
        near &= residue[rows, None] != residue[None, start:]
        i, j = np.nonzero(near)
        i, j = i[i < j] + start, j[i < j] + start
        close = _distances(native, i, j) <= INCLUSION_RADIUS
        yield i[close], j[close]


def matched_atoms(
    model: Structure, native: Structure, with_chain: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.str_]]:
    """Pair all heavy atoms of the native with the model's.

    Returns
    -------
    model, native : (n, 3) array
        Coordinates; NaN where the model lacks an atom.
    residue : (n,) array of int
        Residue of each atom.
    atom : (n,) array of str
        Atom names.
    """
    native = native.select(~_is_hydrogen(native.atom))
    place = {key: i for i, key in enumerate(_atom_keys(model, with_chain))}
    keys = _atom_keys(native, with_chain)
    found = np.array([place.get(key, -1) for key in keys], dtype=np.intp)
    coordinates = np.where(found[:, None] >= 0, model.coordinates[found], np.nan)
    numbers: dict[tuple[Any, ...], int] = {}
    residue = np.array([numbers.setdefault(key[:-1], len(numbers)) for key in keys])
    coordinates = _named_like_native(coordinates, native, residue)
    return coordinates, native.coordinates, residue, native.atom


def _is_hydrogen(atom: NDArray[np.str_]) -> NDArray[np.bool_]:
    """Tell hydrogens (and deuterium) by name: H or D after any digits."""
    bare = np.char.lstrip(atom, "0123456789")
    return np.char.startswith(bare, "H") | np.char.startswith(bare, "D")


def _atom_keys(structure: Structure, with_chain: bool) -> list[tuple[Any, ...]]:
    chain = structure.chain.tolist() if with_chain else [""] * len(structure)
    return list(
        zip(
            chain,
            structure.number.tolist(),
            structure.insertion.tolist(),
            structure.atom.tolist(),
            strict=True,
        )
    )


def _named_like_native(
    model: NDArray[np.float64], native: Structure, residue: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Exchange the names of equivalent side-chain atoms where that keeps more distances.

    Each residue is decided by its distances to the atoms whose names are not in question.
    """
    ambiguous = np.zeros(len(model), dtype=bool)
    swaps: list[tuple[list[int], list[int]]] = []
    by_residue: dict[int, dict[str, int]] = {}
    for i, (name, number) in enumerate(zip(native.residue, residue, strict=True)):
        if name in EXCHANGEABLE:
            by_residue.setdefault(int(number), {})[str(native.atom[i])] = i
    for atoms in by_residue.values():
        name = str(native.residue[next(iter(atoms.values()))])
        pairs = [(atoms[a], atoms[b]) for a, b in EXCHANGEABLE[name] if a in atoms and b in atoms]
        if pairs:
            swaps.append(([a for a, _ in pairs], [b for _, b in pairs]))
            ambiguous[[i for pair in pairs for i in pair]] = True
    fixed = np.flatnonzero(~ambiguous)
    result = model.copy()
    for first, second in swaps:
        rows = first + second
        swapped = second + first
        others = fixed[residue[fixed] != residue[rows[0]]]
        if _kept(model, native.coordinates, swapped, rows, others) > _kept(
            model, native.coordinates, rows, rows, others
        ):
            result[rows] = model[swapped]
    return result


def _kept(
    model: NDArray[np.float64],
    native: NDArray[np.float64],
    model_rows: list[int],
    native_rows: list[int],
    others: NDArray[Any],
) -> int:
    """Count the distances to other atoms that the model keeps."""
    expected = np.linalg.norm(native[native_rows][:, None] - native[others], axis=2)
    actual = np.linalg.norm(model[model_rows][:, None] - model[others], axis=2)
    change = np.abs(actual - expected)[expected <= INCLUSION_RADIUS]
    return sum(int(np.count_nonzero(change < tolerance)) for tolerance in TOLERANCES)
