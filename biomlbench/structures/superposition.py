"""Optimal superposition of point sets: one pair exactly, or many weightings at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Superposition", "rmsd", "superpose"]

from typing import NamedTuple


class Superposition(NamedTuple):
    """A rigid motion ``x @ rotation.T + translation`` and the RMSD after it.

    Attributes
    ----------
    rotation : (3, 3) array
        Proper rotation, determinant +1.
    translation : (3,) array
        In Å.
    rmsd : float
        In Å.
    """

    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]
    rmsd: float


def superpose(mobile: Any, target: Any) -> Superposition:
    """Move one point set onto another with the least RMSD.

    Parameters
    ----------
    mobile, target : (n, 3) array_like
        Corresponding points, in Å.

    Returns
    -------
    Superposition

    Notes
    -----
    The smallest singular vector is flipped where the best orthogonal matrix would be a
    reflection, so that a mirror image never superposes.

    References
    ----------
    Kabsch W. A solution for the best rotation to relate two sets of vectors.
    Acta Cryst. A 32 (1976) 922-923.

    Examples
    --------
    >>> points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]])
    >>> quarter_turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    >>> fit = superpose(points, points @ quarter_turn.T + 5.0)
    >>> np.allclose(fit.rotation, quarter_turn), round(fit.rmsd, 9)
    (True, 0.0)
    """
    x = np.asarray(mobile, dtype=np.float64)
    y = np.asarray(target, dtype=np.float64)
    if x.ndim != 2 or x.shape != y.shape or x.shape[1] != 3 or len(x) == 0:
        raise ValueError(f"point sets of shapes {x.shape} and {y.shape} do not correspond")
    w = np.full(len(x), 1.0 / len(x))
    centre_x, centre_y = w @ x, w @ y
    x0, y0 = x - centre_x, y - centre_y
    u, _, vt = np.linalg.svd((w[:, None] * y0).T @ x0)
    handedness = np.sign(np.linalg.det(u) * np.linalg.det(vt))
    rotation = (u * [1.0, 1.0, handedness]) @ vt
    # Distances are summed as they are: the formula by singular values loses half the digits.
    residual = np.einsum("i,ij,ij->", w, x0 @ rotation.T - y0, x0 @ rotation.T - y0)
    return Superposition(rotation, centre_y - rotation @ centre_x, float(np.sqrt(residual)))


def rmsd(mobile: Any, target: Any) -> float:
    """Return the RMSD in Å after optimal superposition; see :func:`superpose`.

    Examples
    --------
    >>> rmsd([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[5.0, 5, 5], [6, 5, 5], [5, 6, 5]]) < 1e-12
    True
    """
    return superpose(mobile, target).rmsd


#: Maps the nine entries of M[a, b] = sum x_a y_b to Horn's symmetric 4 x 4 matrix.
_HORN = np.zeros((9, 16))
#: Maps the sixteen products of quaternion components to the nine entries of the rotation.
_ROTATION = np.zeros((16, 9))


def _fill_maps() -> None:
    unit = np.eye(3)
    epsilon = np.zeros((3, 3, 3))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        epsilon[a, b, c], epsilon[a, c, b] = 1.0, -1.0
    horn = _HORN.reshape(3, 3, 4, 4)
    rotation = _ROTATION.reshape(4, 4, 3, 3)
    horn[:, :, 0, 0] = unit
    rotation[0, 0] = unit
    for c in range(3):
        horn[:, :, 0, c + 1] = horn[:, :, c + 1, 0] = epsilon[c]
        # R = (w² - v·v) 1 + 2 v vᵀ + 2 w [v]ₓ
        rotation[0, c + 1] = -2.0 * epsilon[c]
        rotation[c + 1, c + 1] -= unit
        for d in range(3):
            horn[c, d, c + 1, d + 1] += 1.0
            horn[c, d, d + 1, c + 1] += 1.0
            rotation[c + 1, d + 1, c, d] += 2.0
        horn[:, :, c + 1, c + 1] -= unit


_fill_maps()

#: Newton steps towards the largest eigenvalue; from the bound below seven suffice for 1e-9.
_NEWTON_STEPS = 16
_NEWTON_TOLERANCE = 1e-10


def best_rotations(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotations that maximise sum y · R x for many covariance matrices.

    Parameters
    ----------
    covariance : (B, 3, 3) array
        M[a, b] = sum x_a y_b of centred points.

    Returns
    -------
    (B, 3, 3) array
        Proper rotations. Where the optimum is not unique (points on a line), one of the
        optima or, at worst, the identity.

    Notes
    -----
    The largest root of the characteristic polynomial of Horn's matrix N is found by Newton's
    method, all matrices at once; the product of the other factors, N³ + λN² + (λ² + c₂)N +
    (λ³ + c₂λ + c₁), is then a multiple of the projector on the quaternion sought.

    References
    ----------
    Horn BKP. Closed-form solution of absolute orientation using unit quaternions.
    J. Opt. Soc. Am. A 4 (1987) 629-642.
    Theobald DL. Rapid calculation of RMSDs using a quaternion-based characteristic
    polynomial. Acta Cryst. A 61 (2005) 478-480.
    """
    n = len(covariance)
    flat = covariance.reshape(n, 9)
    scale = np.sqrt(np.einsum("ij,ij->i", flat, flat))
    scale[scale == 0.0] = 1.0
    horn = ((flat / scale[:, None]) @ _HORN).reshape(n, 4, 4)
    square = horn @ horn
    flat_horn, flat_square = horn.reshape(n, 16), square.reshape(n, 16)
    trace2 = np.einsum("ij,ij->i", flat_horn, flat_horn)
    trace3 = np.einsum("ij,ij->i", flat_horn, flat_square)
    trace4 = np.einsum("ij,ij->i", flat_square, flat_square)
    # Coefficients of x⁴ + c2 x² + c1 x + c0, the trace being zero (Newton's identities).
    c2, c1, c0 = -trace2 / 2.0, -trace3 / 3.0, trace2**2 / 8.0 - trace4 / 4.0
    # Largest eigenvalue that a traceless symmetric matrix of this norm can have.
    root = np.sqrt(0.75 * trace2)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_NEWTON_STEPS):
            root2 = root * root
            slope = (4.0 * root2 + 2.0 * c2) * root + c1
            step = (root2 * root2 + c2 * root2 + c1 * root + c0) / slope
            step[~np.isfinite(step)] = 0.0
            root -= step
            if np.abs(step).max(initial=0.0) < _NEWTON_TOLERANCE:
                break
    root2 = root * root
    projector = (square @ horn).reshape(n, 16)
    projector += root[:, None] * flat_square
    projector += (root2 + c2)[:, None] * flat_horn
    projector[:, ::5] += (root2 * root + c2 * root + c1)[:, None]
    largest = np.argmax(projector[:, ::5], axis=1)
    quaternion = projector.reshape(n, 4, 4)[np.arange(n), largest]
    length = np.sqrt(np.einsum("ij,ij->i", quaternion, quaternion))
    unusable = ~(length > 0.0)
    quaternion[unusable] = (1.0, 0.0, 0.0, 0.0)
    length[unusable] = 1.0
    quaternion /= length[:, None]
    products = (quaternion[:, :, None] * quaternion[:, None, :]).reshape(n, 16)
    result: NDArray[np.float64] = (products @ _ROTATION).reshape(n, 3, 3)
    return result
