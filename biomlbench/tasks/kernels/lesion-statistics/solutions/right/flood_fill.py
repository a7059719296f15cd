from itertools import product

import numpy as np

STEPS = [step for step in product((-1, 0, 1), repeat=3) if any(step)]


def components(image):
    """Lists of voxels of one value other than 0, each in C order."""
    left = {tuple(voxel): int(image[tuple(voxel)]) for voxel in np.argwhere(image).tolist()}
    while left:
        start = next(iter(left))
        value = left.pop(start)
        queue, voxels = [start], []
        while queue:
            i, j, k = queue.pop()
            voxels.append((i, j, k))
            for a, b, c in STEPS:
                near = i + a, j + b, k + c
                if left.get(near) == value:
                    del left[near]
                    queue.append(near)
        yield value, sorted(voxels)


def resample_labels(labels, affine, new_shape, new_affine):
    result = np.zeros(new_shape, dtype=np.int64)
    if not result.size or not labels.size:
        return result
    old = np.linalg.solve(affine, new_affine)
    grid = np.stack(np.meshgrid(*map(np.arange, new_shape), indexing="ij"), axis=-1)
    where = np.floor(grid @ old[:3, :3].T + old[:3, 3] + 0.5).astype(int)
    ok = ((where >= 0) & (where < labels.shape)).all(axis=-1)
    result[ok] = labels[where[ok][:, 0], where[ok][:, 1], where[ok][:, 2]]
    return result


def lesions(labels, affine, min_mm3):
    volume = abs(float(np.linalg.det(affine)))
    rows = [row for row in components(labels) if len(row[1]) * volume >= min_mm3]
    rows.sort(key=lambda row: (-len(row[1]), row[1][0]))
    voxels = np.array([len(row[1]) for row in rows], dtype=np.int64)
    centroid = np.empty((len(rows), 3))
    for n, (_, members) in enumerate(rows):
        middle = np.append(np.mean(members, axis=0), 1.0)
        centroid[n] = (affine @ middle)[:3]
    return {
        "label": np.array([row[0] for row in rows], dtype=np.int64),
        "voxels": voxels,
        "volume": voxels * volume,
        "centroid": centroid,
    }


def detection(truth, predicted, min_overlap):
    counts = {"found": 0, "missed": 0, "false": 0}
    for _, members in components((truth > 0).astype(int)):
        hits = sum(bool(predicted[voxel]) for voxel in members)
        counts["found" if hits / len(members) >= min_overlap else "missed"] += 1
    for _, members in components((predicted > 0).astype(int)):
        counts["false"] += not any(truth[voxel] for voxel in members)
    return counts
