import numpy as np
from scipy import ndimage

FULL = ndimage.generate_binary_structure(3, 3)


def resample_labels(labels, affine, new_shape, new_affine):
    if 0 in labels.shape or 0 in new_shape:
        return np.zeros(new_shape, np.int64)
    matrix = np.linalg.inv(affine) @ new_affine
    grid = np.indices(new_shape).reshape(3, -1)
    at = matrix[:3, :3] @ grid + matrix[:3, [3]]
    values = ndimage.map_coordinates(labels, at, order=0, mode="grid-constant", cval=0)
    return values.reshape(new_shape).astype(np.int64)


def lesions(labels, affine, min_mm3):
    columns = {"label": [], "voxels": [], "volume": [], "centroid": []}
    single = abs(np.linalg.det(affine[:3, :3]))
    found = []
    for label in set(labels.ravel().tolist()) - {0}:
        parts, _ = ndimage.label(labels == label, structure=FULL)
        for number, box in enumerate(ndimage.find_objects(parts), start=1):
            inside = np.argwhere(parts[box] == number) + [side.start for side in box]
            rank = int(np.ravel_multi_index(inside[0], labels.shape))
            found.append((len(inside), rank, label, inside))
    for size, _, label, inside in sorted(found, key=lambda f: (-f[0], f[1])):
        if size * single < min_mm3:
            continue
        columns["label"].append(label)
        columns["voxels"].append(size)
        columns["volume"].append(size * single)
        columns["centroid"].append((inside @ affine[:3, :3].T + affine[:3, 3]).mean(axis=0))
    return {
        "label": np.array(columns["label"], np.int64),
        "voxels": np.array(columns["voxels"], np.int64),
        "volume": np.array(columns["volume"], float),
        "centroid": np.array(columns["centroid"], float).reshape(-1, 3),
    }


def detection(truth, predicted, min_overlap):
    parts, n = ndimage.label(truth != 0, structure=FULL)
    numbers = np.arange(1, n + 1)
    shares = ndimage.mean(predicted != 0, parts, numbers) if n else np.zeros(0)
    found = int(np.count_nonzero(np.asarray(shares) >= min_overlap))
    others, m = ndimage.label(predicted != 0, structure=FULL)
    hits = ndimage.maximum(truth != 0, others, np.arange(1, m + 1)) if m else np.zeros(0)
    return {"found": found, "missed": n - found, "false": int(np.sum(np.asarray(hits) == 0))}
