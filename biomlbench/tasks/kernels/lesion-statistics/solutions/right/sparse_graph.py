from itertools import product

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def _parts(image):
    """Component of each voxel in `places`, where neighbours of one value are joined."""
    places = np.argwhere(image != 0)
    number = np.full(np.add(image.shape, 2), -1)
    number[tuple(places.T + 1)] = np.arange(len(places))
    value = image[tuple(places.T)]
    rows, columns = [], []
    for step in product((-1, 0, 1), repeat=3):
        near = number[tuple((places + 1 + step).T)]
        joined = (near >= 0) & (value[near] == value) if len(places) else near >= 0
        rows.append(np.flatnonzero(joined))
        columns.append(near[joined])
    pairs = np.concatenate(rows), np.concatenate(columns)
    if not len(places):
        return places, np.zeros(0, int), 0
    graph = coo_array((np.ones(len(pairs[0])), pairs), shape=(len(places), len(places)))
    count, part = connected_components(graph, directed=False)
    return places, part, count


def resample_labels(labels, affine, new_shape, new_affine):
    axes = [np.arange(n) for n in new_shape]
    i, j, k = np.meshgrid(*axes, indexing="ij")
    world = [
        new_affine[r, 0] * i + new_affine[r, 1] * j + new_affine[r, 2] * k + new_affine[r, 3]
        for r in range(3)
    ]
    inverse = np.linalg.inv(affine)
    padded = np.pad(labels, 1)
    index = []
    for r in range(3):
        at = (
            inverse[r, 0] * world[0]
            + inverse[r, 1] * world[1]
            + inverse[r, 2] * world[2]
            + inverse[r, 3]
        )
        index.append(np.clip(np.rint(at), -1, labels.shape[r]).astype(int) + 1)
    return padded[tuple(index)].astype(np.int64)


def lesions(labels, affine, min_mm3):
    places, part, count = _parts(labels)
    voxels = np.bincount(part, minlength=count)
    first = np.array([np.flatnonzero(part == p)[0] for p in range(count)], int)
    size = abs(np.linalg.det(affine[:3, :3]))
    keep = [p for p in np.lexsort((first, -voxels)) if voxels[p] * size >= min_mm3]
    world = places @ affine[:3, :3].T + affine[:3, 3]
    return {
        "label": labels[tuple(places[first[keep]].T)].astype(np.int64)
        if keep
        else np.zeros(0, np.int64),
        "voxels": voxels[keep].astype(np.int64),
        "volume": voxels[keep] * size,
        "centroid": np.array([world[part == p].mean(axis=0) for p in keep]).reshape(-1, 3),
    }


def detection(truth, predicted, min_overlap):
    places, part, count = _parts(np.where(truth != 0, 1, 0))
    hit = predicted[tuple(places.T)] != 0
    shares = [hit[part == p].mean() for p in range(count)]
    found = sum(bool(share >= min_overlap) for share in shares)
    places, part, others = _parts(np.where(predicted != 0, 1, 0))
    true = truth[tuple(places.T)] != 0
    false = sum(not true[part == p].any() for p in range(others))
    return {"found": found, "missed": count - found, "false": false}
