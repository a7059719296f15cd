# pattern: size-limited
# caught_by: gate
# a lesion is followed by a function that calls itself, once for each of its voxels
import numpy as np


def components(image):
    seen = np.zeros(image.shape, bool)

    def follow(voxel, members):
        seen[voxel] = True
        members.append(voxel)
        low = [max(i - 1, 0) for i in voxel]
        around = tuple(slice(a, i + 2) for a, i in zip(low, voxel, strict=True))
        for step in np.argwhere((image[around] == image[voxel]) & ~seen[around]):
            near = tuple(int(a + b) for a, b in zip(low, step, strict=True))
            if not seen[near]:
                follow(near, members)
        return members

    for start in map(tuple, np.argwhere(image).tolist()):
        if not seen[start]:
            yield int(image[start]), sorted(follow(start, []))


def resample_labels(labels, affine, new_shape, new_affine):
    result = np.zeros(new_shape, dtype=np.int64)
    if not result.size or not labels.size:
        return result
    old = np.linalg.solve(affine, new_affine)
    grid = np.stack(np.meshgrid(*map(np.arange, new_shape), indexing="ij"), axis=-1)
    where = np.floor(grid @ old[:3, :3].T + old[:3, 3] + 0.5).astype(int)
    ok = ((where >= 0) & (where < labels.shape)).all(axis=-1)
    result[ok] = labels[tuple(where[ok].T)]
    return result


def lesions(labels, affine, min_mm3):
    volume = abs(float(np.linalg.det(affine)))
    rows = [row for row in components(labels) if len(row[1]) * volume >= min_mm3]
    rows.sort(key=lambda row: (-len(row[1]), row[1][0]))
    voxels = np.array([len(row[1]) for row in rows], dtype=np.int64)
    middles = np.array([np.mean(row[1], axis=0) for row in rows]).reshape(-1, 3)
    return {
        "label": np.array([row[0] for row in rows], dtype=np.int64),
        "voxels": voxels,
        "volume": voxels * volume,
        "centroid": middles @ affine[:3, :3].T + affine[:3, 3],
    }


def detection(truth, predicted, min_overlap):
    true = [members for _, members in components((truth > 0).astype(int))]
    found = sum(
        sum(bool(predicted[voxel]) for voxel in members) / len(members) >= min_overlap
        for members in true
    )
    false = sum(
        not any(truth[voxel] for voxel in members)
        for _, members in components((predicted > 0).astype(int))
    )
    return {"found": found, "missed": len(true) - found, "false": false}
