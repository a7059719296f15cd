"""Agreement of predicted with native protein structures, mean over the targets.

A structure is given as a path object (``pathlib.Path``) of a PDB or mmCIF file, as a
:class:`biomlbench.structures.Structure`, or as the text of a file. A plain string is always
text, never a path: predictions come from strangers, who must not choose which files are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._resample import Scorer, mean_scorer
from ._targets import comparisons

if TYPE_CHECKING:
    from ._inputs import Floats

__all__ = ["gdt_ha", "gdt_ts", "lddt", "rmsd", "tm_score"]


def _values(y_true: Any, y_pred: Any, measure: str) -> Floats:
    return np.array([getattr(c, measure) for c in comparisons(y_true, y_pred, measure)])


def _tm_score_scorer(y_true: Any, y_pred: Any) -> Scorer:
    return mean_scorer(_values(y_true, y_pred, "tm_score"))


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="structure",
    decomposable=True,
    resampler=_tm_score_scorer,
)
def tm_score(y_true: Any, y_pred: Any) -> float:
    """TM-score of alpha carbons, mean over the targets.

    Parameters
    ----------
    y_true, y_pred : list of structures, or one
        Native and predicted structures.

    Returns
    -------
    float
        In (0, 1]. Residues that the model lacks count 0; above 0.5 two structures have about
        the same fold, below 0.17 they are as alike as unrelated ones.

    Raises
    ------
    MetricError
        ``malformed_structure``; ``no_common_residues`` (fewer than three), ``shape_mismatch``,
        ``empty``.

    Notes
    -----
    As TMscore does it: residues correspond by number (and chain, where there are several),
    the sum is normalised by the native's residues, d0 = 1.24 (L - 15)^(1/3) - 1.8 Å and at
    least 0.5 Å, and the maximum is over superpositions of subsets of residues. TM-align, which
    aligns the structures first, gives another quantity.

    References
    ----------
    Zhang Y, Skolnick J. Scoring function for automated assessment of protein structure
    template quality. Proteins 57 (2004) 702-710.

    Examples
    --------
    >>> text = "".join(
    ...     f"ATOM  {i:5d}  CA  ALA A{i:4d}    {i % 2:8.3f}{i % 3:8.3f}{3.5 * i:8.3f}" + chr(10)
    ...     for i in range(1, 21)
    ... )
    >>> tm_score(text, text)
    1.0
    """
    return float(_values(y_true, y_pred, "tm_score").mean())


def _gdt_ts_scorer(y_true: Any, y_pred: Any) -> Scorer:
    return mean_scorer(_values(y_true, y_pred, "gdt_ts"))


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="structure",
    decomposable=True,
    resampler=_gdt_ts_scorer,
)
def gdt_ts(y_true: Any, y_pred: Any) -> float:
    """Global distance test, total score: mean share of residues within 1, 2, 4 and 8 Å.

    Parameters
    ----------
    y_true, y_pred : list of structures, or one
        Native and predicted structures.

    Returns
    -------
    float
        In [0, 1] (not per cent), mean over the targets. Each share is the largest over
        superpositions, and of the native's residues.

    Raises
    ------
    MetricError
        As :func:`tm_score`.

    References
    ----------
    Zemla A, Venclovas Č, Moult J, Fidelis K. Processing and analysis of CASP3 protein
    structure predictions. Proteins Suppl. 3 (1999) 22-29.
    """
    return float(_values(y_true, y_pred, "gdt_ts").mean())


def _gdt_ha_scorer(y_true: Any, y_pred: Any) -> Scorer:
    return mean_scorer(_values(y_true, y_pred, "gdt_ha"))


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="structure",
    decomposable=True,
    resampler=_gdt_ha_scorer,
)
def gdt_ha(y_true: Any, y_pred: Any) -> float:
    """Global distance test, high accuracy: mean share of residues within 0.5, 1, 2 and 4 Å.

    Parameters
    ----------
    y_true, y_pred : list of structures, or one
        Native and predicted structures.

    Returns
    -------
    float
        In [0, 1] (not per cent), as :func:`gdt_ts`.

    Raises
    ------
    MetricError
        As :func:`tm_score`.

    References
    ----------
    Kopp J, Bordoli L, Battey JND, Kiefer F, Schwede T. Assessment of CASP7 predictions for
    template-based modeling targets. Proteins 69 Suppl. 8 (2007) 38-56.
    """
    return float(_values(y_true, y_pred, "gdt_ha").mean())


def _rmsd_values(y_true: Any, y_pred: Any, min_coverage: float) -> Floats:
    compared = comparisons(y_true, y_pred, "rmsd")
    for number, comparison in enumerate(compared, start=1):
        if comparison.coverage < min_coverage:
            raise MetricError(
                "incomplete_model",
                f"target {number}: the model lacks "
                f"{comparison.n_native - comparison.n_common} of {comparison.n_native} residues",
            )
    return np.array([comparison.rmsd for comparison in compared])


def _rmsd_scorer(y_true: Any, y_pred: Any, min_coverage: float = 1.0) -> Scorer:
    return mean_scorer(_rmsd_values(y_true, y_pred, min_coverage))


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="structure",
    decomposable=True,
    symmetric=True,
    resampler=_rmsd_scorer,
)
def rmsd(y_true: Any, y_pred: Any, min_coverage: float = 1.0) -> float:
    """Root mean square deviation of alpha carbons in Å after superposition, mean over targets.

    Parameters
    ----------
    y_true, y_pred : list of structures, or one
        Native and predicted structures.
    min_coverage : float
        Least share of the native's residues that a model must have. The deviation is over the
        residues that both have, so that with less than 1 a model gains by leaving the hard
        ones out.

    Returns
    -------
    float
        At least 0, in Å. Reflections are not allowed.

    Raises
    ------
    MetricError
        As :func:`tm_score`, and ``incomplete_model``.

    References
    ----------
    Kabsch W. A solution for the best rotation to relate two sets of vectors.
    Acta Cryst. A 32 (1976) 922-923.
    """
    return float(_rmsd_values(y_true, y_pred, min_coverage).mean())


def _lddt_values(y_true: Any, y_pred: Any, atoms: str) -> Floats:
    values = np.array([c.lddt for c in comparisons(y_true, y_pred, "lddt", atoms)])
    if np.isnan(values).any():
        raise MetricError(
            "too_few_rows",
            f"target {int(np.argmax(np.isnan(values))) + 1} has no two residues within 15 Å",
            Fault.TASK,
        )
    return values


def _lddt_scorer(y_true: Any, y_pred: Any, atoms: str = "ca") -> Scorer:
    return mean_scorer(_lddt_values(y_true, y_pred, atoms))


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="structure",
    decomposable=True,
    resampler=_lddt_scorer,
)
def lddt(y_true: Any, y_pred: Any, atoms: Literal["ca", "all"] = "ca") -> float:
    """Local distance difference test, mean over the targets.

    Parameters
    ----------
    y_true, y_pred : list of structures, or one
        Native and predicted structures.
    atoms : {"ca", "all"}
        Alpha carbons, or all heavy atoms. With ``all``, atoms that only a convention tells
        apart (the OD1 and OD2 of ASP, and the like) may be exchanged.

    Returns
    -------
    float
        In [0, 1]: share of the native's distances up to 15 Å between residues that the model
        keeps to 0.5, 1, 2 and 4 Å, mean of the four. Distances of atoms that the model lacks
        are lost.

    Raises
    ------
    MetricError
        As :func:`tm_score`, and ``too_few_rows`` (the task's fault) for a native without such
        distances.

    Notes
    -----
    No superposition. The original's stereochemical checks are not made.

    References
    ----------
    Mariani V, Biasini M, Barbato A, Schwede T. lDDT: a local superposition-free score for
    comparing protein structures and models using distance difference tests.
    Bioinformatics 29 (2013) 2722-2728.
    """
    return float(_lddt_values(y_true, y_pred, atoms).mean())
