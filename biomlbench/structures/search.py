"""TM-score and GDT: the best superposition of some of the residues.

Both scores are maxima over superpositions, found by search. As in TMscore, seeds are
fragments of all lengths n, n/2, n/4, ..., 4; each is superposed, the residues that come close
are superposed in turn, and so on until the selection repeats. Here all seeds take a step at
once. Squared distances under a motion (R, t) are linear in sixteen numbers of a residue,

    |R x + t - y|² = |x|² + |y|² + |t|² + 2 t·R x - 2 t·y - 2 Σ R_ab y_a x_b,

so that a step is two matrix products: distances of all residues under all motions, and sums
over the residues selected, which hold the covariances of the next superpositions. The
search runs in single precision; what it finds is scored in double precision.

References
----------
Zhang Y, Skolnick J. Scoring function for automated assessment of protein structure template
quality. Proteins 57 (2004) 702-710.
Zemla A. LGA: a method for finding 3D similarities in protein structures.
Nucleic Acids Res. 31 (2003) 3370-3374.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .superposition import best_rotations, superpose

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController

__all__ = ["MIN_RESIDUES", "SuperpositionScores", "superposition_scores", "tm_d0"]

#: Fewest residues that fix a superposition.
MIN_RESIDUES = 3

#: Distances in Å within which GDT counts residues; GDT-TS takes the last four, GDT-HA the
#: first four (Zemla 2003; Kryshtafovych et al., Proteins 69 (2007) 194).
GDT_CUTOFFS = (0.5, 1.0, 2.0, 4.0, 8.0)

#: Seeds: shortest fragment, and how many lengths are tried (TMscore's values).
SEED_LENGTH = 4
SEED_LEVELS = 6
#: Long fragments start at every (length / this)-th residue: neighbours differ by little.
SEED_OVERLAP = 16

#: Steps of the search, and of the refinement of the best motions.
SEARCH_STEPS = 20
REFINE_STEPS = 10
#: How many motions of each measure are refined, and then scored in double precision.
REFINED = 20
FINALISTS = 5
#: Selection radii of the refinement, in units of a GDT cutoff.
REFINE_FACTORS = (1.0, 1.3, 1.6)
#: Moves sums of coordinates apart by the squared radius; those of large structures are below it.
RADIUS_WEIGHT = 1e8

#: Distances held at once: 2 MB of float32.
CHUNK_ELEMENTS = 1 << 19


class SuperpositionScores(NamedTuple):
    """TM-score and GDT of a model, all in [0, 1].

    Attributes
    ----------
    tm_score, gdt_ts, gdt_ha : float
    within : tuple of float
        Largest shares of the native's residues within 0.5, 1, 2, 4 and 8 Å.
    """

    tm_score: float
    gdt_ts: float
    gdt_ha: float
    within: tuple[float, ...]


def tm_d0(n_native: int) -> float:
    """Return the distance scale d0 of the TM-score, in Å, for a native of that length.

    Examples
    --------
    >>> round(tm_d0(374), 2), tm_d0(15)
    (7.01, 0.5)
    """
    if n_native <= 15:
        return 0.5
    result: float = max(0.5, 1.24 * (n_native - 15) ** (1.0 / 3.0) - 1.8)
    return result


@cache
def _controller() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _one_blas_thread() -> AbstractContextManager[Any]:
    """Keep the small products below on one core: with more, threads wait for each other."""
    result: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return result


def superposition_scores(
    model: NDArray[np.float64], native: NDArray[np.float64], n_native: int
) -> SuperpositionScores:
    """Score corresponding residues, one point each (the alpha carbons).

    Parameters
    ----------
    model, native : (n, 3) array
        Residues that both have, in chain order, in Å; n is at least 3.
    n_native : int
        Residues of the native, by which all scores are normalised.

    Returns
    -------
    SuperpositionScores

    Notes
    -----
    The result is a lower bound of the true maximum, as every program's is.
    """
    if len(model) != len(native) or not MIN_RESIDUES <= len(model) <= n_native:
        raise ValueError(f"{len(model)} and {len(native)} residues cannot be superposed")
    with _one_blas_thread():
        search = _Search(model, native, n_native)
        search.run()
        motions = search.finalists()
    fit = superpose(model, native)
    scores = [_scored(model @ fit.rotation.T + fit.translation - native, search.d0)]
    for rotation, translation in motions:
        scores.append(_scored(search.x @ rotation.T + translation - search.y, search.d0))
    best = np.max(scores, axis=0) / n_native
    within = tuple(float(v) for v in best[1:])
    return SuperpositionScores(
        tm_score=float(best[0]),
        gdt_ts=float(np.mean(within[1:])),
        gdt_ha=float(np.mean(within[:-1])),
        within=within,
    )


def _scored(differences: NDArray[np.float64], d0: float) -> NDArray[np.float64]:
    """Return the TM sum and the counts within each cutoff of one superposition."""
    squared = np.einsum("ij,ij->i", differences, differences)
    counts = [np.count_nonzero(squared <= cutoff**2) for cutoff in GDT_CUTOFFS]
    return np.array([np.sum(1.0 / (1.0 + squared / d0**2)), *counts])


class _Search:
    """Search for the motions under which many residues are close.

    A motion is a row of 17 coefficients; multiplied by the features of the residues it gives
    squared distances.
    """

    def __init__(
        self, model: NDArray[np.float64], native: NDArray[np.float64], n_native: int
    ) -> None:
        n = len(model)
        # Centring keeps the terms of the squared distance small and its rounding harmless.
        self.x, self.y = model - model.mean(axis=0), native - native.mean(axis=0)
        self.d0 = tm_d0(n_native)
        # TMscore selects residues within d0 - 1 first and d0 + 1 later, d0 being kept here
        # between 4.5 and 8 Å.
        self.radius = min(max(self.d0, 4.5), 8.0)
        features = np.empty((17, n))
        features[0] = 1.0
        features[1:4], features[4:7] = self.x.T, self.y.T
        features[7:16] = (self.y[:, :, None] * self.x[:, None, :]).reshape(n, 9).T
        features[16] = (self.x**2).sum(axis=1) + (self.y**2).sum(axis=1)
        self.exact = features
        self.features = features.astype(np.float32)
        self.by_residue = np.ascontiguousarray(self.features.T)
        # Best motions so far for TM and each cutoff: scores and coefficients.
        self.top: list[tuple[NDArray[Any], NDArray[Any]]] = [
            (np.empty(0, np.float32), np.empty((0, 17), np.float32))
            for _ in range(1 + len(GDT_CUTOFFS))
        ]

    def motions(self, sums: NDArray[Any]) -> NDArray[np.float32]:
        """Superpose selections, given as sums of features over their residues: (B, 17)."""
        sums = sums.astype(np.float64)
        means = sums / np.maximum(sums[:, :1], 1.0)
        x, y = means[:, 1:4], means[:, 4:7]
        covariance = means[:, 7:16].reshape(-1, 3, 3) - y[:, :, None] * x[:, None, :]
        rotation = best_rotations(covariance.transpose(0, 2, 1))
        translation = y - np.einsum("bij,bj->bi", rotation, x)
        result = np.empty((len(sums), 17), dtype=np.float32)
        result[:, 0] = np.einsum("bi,bi->b", translation, translation)
        result[:, 1:4] = 2.0 * np.einsum("bi,bij->bj", translation, rotation)
        result[:, 4:7] = -2.0 * translation
        result[:, 7:16] = -2.0 * rotation.reshape(-1, 9)
        result[:, 16] = 1.0
        return result

    def seeds(self) -> NDArray[np.float64]:
        """Return sums of features over the seed fragments: (B, 17)."""
        n = self.exact.shape[1]
        running = np.zeros((17, n + 1))
        np.cumsum(self.exact, axis=1, out=running[:, 1:])
        shortest = min(SEED_LENGTH, n)
        lengths = {max(n >> level, shortest) for level in range(SEED_LEVELS - 1)} | {shortest}
        sums = []
        for length in sorted(lengths, reverse=True):
            start = np.arange(0, n - length + 1, max(1, length // SEED_OVERLAP))
            sums.append(running[:, start + length] - running[:, start])
        return np.concatenate(sums, axis=1).T

    def run(self) -> None:
        """Search from the seeds, then refine the best motions of each measure."""
        sums = self.seeds()
        step = max(1, CHUNK_ELEMENTS // len(self.x))
        for start in range(0, len(sums), step):
            self._descend(sums[start : start + step])
        self._refine()

    def _descend(self, sums: NDArray[Any]) -> None:
        """Superpose selections over and over; each distinct one only once."""
        seen = np.empty(0, dtype=np.complex128)
        for number in range(SEARCH_STEPS):
            motions = self.motions(sums)
            squared = motions @ self.features
            self._record(motions, squared)
            radius = self.radius - 1.0 if number == 0 else self.radius + 1.0
            sums = (squared < np.float32(radius**2)).astype(np.float32) @ self.by_residue
            # Two of the sums tell selections apart.
            keys, first = np.unique(sums[:, 16] + 1j * sums[:, 1], return_index=True)
            fresh = ~np.isin(keys, seen) & (sums[first, 0] >= MIN_RESIDUES)
            if not fresh.any():
                return
            seen = np.concatenate([seen, keys[fresh]])
            sums = sums[first[fresh]]

    def _record(self, motions: NDArray[Any], squared: NDArray[np.float32]) -> None:
        """Keep the best motions for the TM-score and for each cutoff."""
        closeness = squared * np.float32(self.d0**-2)
        closeness += np.float32(1.0)
        np.reciprocal(closeness, out=closeness)
        self._keep(0, closeness.sum(axis=1), motions)
        for k, cutoff in enumerate(GDT_CUTOFFS, start=1):
            within = np.packbits(squared < np.float32(cutoff**2), axis=1)
            counts = np.bitwise_count(within).sum(axis=1, dtype=np.int32)
            self._keep(k, counts.astype(np.float32), motions)

    def _keep(self, measure: int, scores: NDArray[Any], motions: NDArray[Any]) -> None:
        old_scores, old_motions = self.top[measure]
        if len(old_scores) == REFINED:
            better = np.flatnonzero(scores > old_scores.min())
            if len(better) == 0:
                return
            scores, motions = scores[better], motions[better]
        scores = np.concatenate([old_scores, scores])
        motions = np.concatenate([old_motions, motions])
        chosen = np.argsort(-scores, kind="stable")[:REFINED]
        self.top[measure] = scores[chosen], motions[chosen]

    def _refine(self) -> None:
        """Take further steps from the best motions, with the radius of their measure."""
        starts, radii = [], []
        for k, (_, best) in enumerate(self.top):
            if k == 0:
                choices = [self.radius - 1.0, self.radius, self.radius + 1.0]
            else:
                choices = [factor * GDT_CUTOFFS[k - 1] for factor in REFINE_FACTORS]
            for radius in choices:
                starts.append(best)
                radii.append(np.full((len(best), 1), radius**2, dtype=np.float32))
        squared_radii = np.concatenate(radii)
        squared = np.concatenate(starts) @ self.features
        seen = np.empty(0, dtype=np.complex128)
        for _ in range(REFINE_STEPS):
            sums = (squared < squared_radii).astype(np.float32) @ self.by_residue
            # A selection leads to the same motion each time; with one radius, to all that follow.
            apart = sums[:, 1] + RADIUS_WEIGHT * squared_radii[:, 0].astype(np.float64)
            keys = sums[:, 16] + 1j * apart
            keys, first = np.unique(keys, return_index=True)
            fresh = ~np.isin(keys, seen) & (sums[first, 0] >= MIN_RESIDUES)
            if not fresh.any():
                return
            seen = np.concatenate([seen, keys[fresh]])
            chosen = first[fresh]
            squared_radii = squared_radii[chosen]
            motions = self.motions(sums[chosen])
            squared = motions @ self.features
            self._record(motions, squared)

    def finalists(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the best motions as exact rotations, and translations of centred points."""
        rows = np.concatenate([best[:FINALISTS] for _, best in self.top]).astype(np.float64)
        rows = np.unique(rows, axis=0)
        u, _, vt = np.linalg.svd(rows[:, 7:16].reshape(-1, 3, 3) / -2.0)
        return list(zip(u @ vt, rows[:, 4:7] / -2.0, strict=True))
