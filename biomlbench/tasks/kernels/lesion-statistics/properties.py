import numpy as np

from biomlbench.verify.cases import Transformed, within


def _sparse(drawn):
    """Labels of the few voxels in which a high number was drawn, which leaves room between."""
    return np.where(drawn > 6, drawn - 6, 0)


def _affine(sheared, origin):
    """A matrix that is never far from that of voxels of 2, 3 and 4 mm."""
    affine = np.diag([2.0, 3.0, 4.0, 1.0])
    affine[:3, :3] += sheared
    affine[:3, 3] = origin
    return affine


def small_image(drawn, sheared, origin):
    """An image of few voxels, and where they are."""
    return {"labels": _sparse(drawn), "affine": _affine(sheared, origin), "min_mm3": 0.0}


def small_resampling(drawn, sheared, origin, new_sheared, new_shape):
    """An image of few voxels, and a grid over the same region."""
    affine, new_affine = _affine(sheared, origin), _affine(new_sheared, origin)
    places = _old_places(affine, new_affine, new_shape)
    if (np.abs(places - np.floor(places) - 0.5) < 1e-6).any():
        raise ValueError("a new center is as near to two old voxels")
    labels = _sparse(drawn)
    return {
        "labels": labels,
        "affine": affine,
        "new_shape": tuple(new_shape),
        "new_affine": new_affine,
    }


def small_images(truth, predicted, min_overlap):
    """Two images of few voxels."""
    return {"truth": _sparse(truth), "predicted": _sparse(predicted), "min_overlap": min_overlap}


def no_new_labels(inputs, output):
    """Only labels of the old image and 0 appear."""
    return set(np.unique(output).tolist()) <= set(np.unique(inputs["labels"]).tolist()) | {0}


def voxels_and_volumes(inputs, output):
    """Volumes are voxels times the volume of one, none too small, all of them if none is."""
    affine = inputs["affine"]
    a, b, c = affine[:3, 0], affine[:3, 1], affine[:3, 2]
    of_one = abs(np.dot(a, np.cross(b, c)))
    voxels, volume = np.asarray(output["voxels"]), np.asarray(output["volume"])
    if (volume < inputs["min_mm3"]).any() or (np.diff(voxels) > 0).any():
        return "a lesion is too small, or larger than the one before it"
    for label in np.unique(inputs["labels"]):
        there = int(np.sum(inputs["labels"] == label)) if label else 0
        listed = int(voxels[np.asarray(output["label"]) == label].sum())
        if listed > there or (inputs["min_mm3"] == 0 and listed != there):
            return "a label has another number of voxels"
    off = np.abs(volume - voxels * of_one).max(initial=0) / max(1.0, voxels.max(initial=0) * of_one)
    return within(off, 1e-6, "volumes are not those of the voxels")


def centroids_weighted(inputs, output):
    """Without a smallest volume, centroids weighted by voxels are the mean of all voxels."""
    places = np.argwhere(inputs["labels"] != 0)
    if inputs["min_mm3"] > 0 or not len(places):
        return None
    if not len(output["voxels"]):
        return "there are voxels, and no lesion"
    want = (np.c_[places, np.ones(len(places))] @ inputs["affine"].T)[:, :3].mean(axis=0)
    got = np.average(output["centroid"], axis=0, weights=output["voxels"])
    return within(np.abs(got - want).max(), 1e-6, "centroids are not where the voxels are")


def move_scanner(inputs, rng):
    """Turn and move both grids in the same way."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = turn, rng.uniform(-20, 20, 3)
    new = {name: move @ inputs[name] for name in ("affine", "new_affine")}
    return Transformed([{**inputs, **new}])


def turn_array(inputs, rng):
    """Store the same image with its axes exchanged, and the last one backwards."""
    labels = inputs["labels"].transpose(2, 0, 1)[:, :, ::-1].copy()
    affine = inputs["affine"].copy()
    affine[:3, :3] = affine[:3, [2, 0, 1]]
    affine[:3, 3] += affine[:3, 2] * (labels.shape[2] - 1)
    affine[:3, 2] *= -1
    return Transformed([{**inputs, "labels": labels, "affine": affine}])


def same_lesions(base, variants, info):
    """The same lesions are found at the same places; equal sizes may change places."""
    old, new = (_rows(one.output) for one in (base, variants[0]))
    if old.shape != new.shape:
        return "another number of lesions"
    return within(np.abs(old - new).max(initial=0), 1e-5, "the lesions are not the same")


def _rows(output):
    columns = [
        np.asarray(output[key], float).reshape(-1, 1) for key in ("voxels", "label", "volume")
    ]
    rows = np.hstack([*columns, np.asarray(output["centroid"], float).reshape(-1, 3)])
    # rounded for the order alone, so that the last digits do not decide it
    return rows[np.lexsort(np.round(rows, 4).T[::-1])]


def relabel(inputs, rng):
    """Give each voxel of a lesion any label."""
    new = {
        name: np.where(inputs[name] != 0, rng.integers(1, 6, inputs[name].shape), 0)
        for name in ("truth", "predicted")
    }
    return Transformed([{**inputs, **new}])


def _stretched(spacing, sheared, origin):
    """A matrix of voxels with sides of at least half a millimetre."""
    affine = np.eye(4)
    affine[:3, :3] = np.diag(spacing + np.copysign(0.5, spacing)) @ (np.eye(3) + sheared)
    affine[:3, 3] = origin
    return affine


def lesions_at_edges(labels, spacing, sheared, origin, min_mm3):
    """An image, and a smallest volume that is that of no lesion."""
    affine = _stretched(spacing, sheared, origin)
    one = abs(np.linalg.det(affine[:3, :3]))
    if (np.abs(one * np.arange(labels.size + 1) - min_mm3) < 1e-5).any() and min_mm3 > 0:
        return None
    return {"labels": labels, "affine": affine, "min_mm3": min_mm3}


def resampling_at_edges(
    labels, spacing, sheared, oblique, new_shape, new_spacing, origin, which, axis, edge, beside
):
    """An image and a grid whose centers are not at borders between voxels.

    One of them is moved to just `beside` such a border, or the edge of all voxels.
    """
    affine = _stretched(spacing, oblique * sheared, origin)
    new_affine = _stretched(new_spacing, oblique * sheared.T, origin / 7)
    places = _old_places(affine, new_affine, new_shape)
    if beside is not None and places.size:
        here, size = places[axis, which % places.shape[1]], labels.shape[axis]
        border = {"first": 0, "last": size, "within": which % (size + 1)}[edge] - 0.5
        new_affine[:3, 3] += affine[:3, axis] * (border + beside - here)
        places = _old_places(affine, new_affine, new_shape)
    if (np.abs(places - np.floor(places) - 0.5) < 1.5e-6).any():
        return None
    grid = {"new_shape": new_shape, "new_affine": new_affine}
    return {"labels": labels, "affine": affine, **grid}


def _old_places(affine, new_affine, new_shape):
    """Centers of new voxels in old voxel coordinates, one a column."""
    to_old = np.linalg.inv(affine) @ new_affine
    return to_old[:3, :3] @ np.indices(new_shape).reshape(3, -1) + to_old[:3, 3:]
