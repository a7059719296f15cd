import numpy as np

from biomlbench.verify.cases import Transformed, within


def drawn_superposition(mobile, target, k, axis, angle, shift):
    """Make inputs out of drawn numbers: an axis and an angle give the rotation."""
    u = axis + np.array([0.0, 0.0, 2.0])
    x, y, z = u / np.linalg.norm(u)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    k = min(k, len(mobile), len(target))
    pairs = np.stack([np.arange(k), np.arange(len(target) - k, len(target))], axis=1)
    return {
        "mobile": mobile,
        "target": target,
        "pairs": pairs,
        "rotation": rotation,
        "translation": shift,
    }


def pairs_of_one_residue(inputs):
    """How many pairs the residue that is in most of them is in; 0 without pairs."""
    counts = [np.unique(side, return_counts=True)[1] for side in inputs["pairs"].T]
    return max((int(count.max()) for count in counts if len(count)), default=0)


def at_most_aligned_share(inputs, output):
    """The score is not negative and at most the share of target residues in resolved pairs."""
    i, j = inputs["pairs"].T
    whole = ~np.isnan(inputs["mobile"][i]).any(axis=1) & ~np.isnan(inputs["target"][j]).any(axis=1)
    share = whole.sum() / len(inputs["target"])
    return within(max(float(output) - share, -float(output), 0.0), 1e-9, "out of its range")


def one_for_perfect_fit(inputs, output):
    """The score is the aligned share where the pairs coincide, and less where they do not."""
    i, j = inputs["pairs"].T
    moved = inputs["mobile"][i] @ inputs["rotation"].T + inputs["translation"]
    distance = np.linalg.norm(moved - inputs["target"][j], axis=1)
    if len(i) == 0 or np.isnan(distance).any():
        return None
    share = len(i) / len(inputs["target"])
    if distance.max() < 1e-6:
        return within(abs(float(output) - share), 1e-9, "a perfect fit is not scored as one")
    return bool(output < share) if distance.max() > 0.05 else None


def move_frame(inputs, rng):
    """Move the target by a rigid motion, and the superposition with it."""
    turn, shift = _rotation(rng), rng.normal(scale=15, size=3)
    moved = {
        **inputs,
        "target": inputs["target"] @ turn.T + shift,
        "rotation": turn @ inputs["rotation"],
        "translation": turn @ inputs["translation"] + shift,
    }
    return Transformed([moved])


def move_mobile(inputs, rng):
    """Move the prediction by a rigid motion that the superposition undoes."""
    turn, shift = _rotation(rng), rng.normal(scale=15, size=3)
    rotation = inputs["rotation"] @ turn.T
    moved = {
        **inputs,
        "mobile": inputs["mobile"] @ turn.T + shift,
        "rotation": rotation,
        "translation": inputs["translation"] - rotation @ shift,
    }
    return Transformed([moved])


def _rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, ::-1]


def drop_worst_pair(inputs, rng):
    """Take the pair that fits worst out of the alignment."""
    i, j = inputs["pairs"].T
    moved = inputs["mobile"][i] @ inputs["rotation"].T + inputs["translation"]
    distance = np.linalg.norm(moved - inputs["target"][j], axis=1)
    keep = np.arange(len(i)) != np.argmax(distance)
    return Transformed([{**inputs, "pairs": inputs["pairs"][keep]}])


def split_alignment(inputs, rng):
    """Score two halves of the alignment by themselves."""
    cut = len(inputs["pairs"]) // 3 + 1
    parts = inputs["pairs"][:cut], inputs["pairs"][cut:]
    return Transformed([{**inputs, "pairs": part} for part in parts])


def parts_add_up(base, variants, info):
    """The scores of the parts of an alignment add up to the score of the whole."""
    total = sum(float(variant.output) for variant in variants)
    return within(abs(total - float(base.output)), 1e-9, "the parts do not add up")


def aligned_at_edges(mobile, target, k, order, turn_by, angles, axis, translation, apart):
    """Two chains, of which up to k residues are aligned, and a rotation.

    With `apart` all that can be are aligned, at about so many times d0, where none counts for much.
    """
    k = min(k if not apart else max(k, len(target)), len(mobile), len(target))
    left, right = np.arange(k), np.arange(k) + len(target) - k
    if order in ("backwards", "crossed"):
        left = len(mobile) - 1 - left
    if order == "exchanged" and k > 3:
        left[[k // 3, 2 * k // 3]] = left[[2 * k // 3, k // 3]]
    pairs = np.stack([left, right[::-1] if order == "crossed" else right], axis=1)
    rotation = np.eye(3)
    for number, angle in enumerate(angles):
        turn, (i, j) = np.eye(3), [n for n in range(3) if n != number]
        turn[i, i] = turn[j, j] = np.cos(angle)
        turn[i, j], turn[j, i] = -np.sin(angle), np.sin(angle)
        rotation = turn @ rotation
    axis = np.array(axis, float)
    if turn_by == "half" and axis.any():
        rotation = 2 * np.outer(axis, axis) / (axis @ axis) - np.eye(3)
    if apart and translation.any():
        distance = apart * _unit_of_distance(len(target))
        translation = distance * translation / np.linalg.norm(translation)
    motion = {"rotation": np.clip(rotation, -1, 1), "translation": translation}
    return {"mobile": mobile, "target": target, "pairs": pairs.astype(np.int64), **motion}


def _unit_of_distance(size):
    return max(1.24 * (size - 15) ** (1 / 3) - 1.8, 0.5) if size > 15 else 0.5
