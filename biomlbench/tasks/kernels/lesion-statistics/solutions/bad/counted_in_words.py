# pattern: wrong-volume
# caught_by: table-edges
import numpy as np
from scipy import ndimage

NEIGHBOURS = np.ones((3, 3, 3), bool)


def resample_labels(labels, affine, new_shape, new_affine):
    new_shape = tuple(new_shape)
    to_old = np.linalg.inv(affine) @ new_affine
    index = np.indices(new_shape).reshape(3, -1)
    place = np.rint(to_old[:3, :3] @ index + to_old[:3, 3:]).astype(np.int64)
    inside = np.all((place >= 0) & (place < np.array(labels.shape)[:, None]), axis=0)
    found = np.zeros(index.shape[1], np.int64)
    found[inside] = labels[tuple(place[:, inside])]
    return found.reshape(new_shape)


def lesions(labels, affine, min_mm3):
    of_one = abs(np.linalg.det(affine[:3, :3]))
    found = []
    for label in np.unique(labels[labels != 0]):
        parts, count = ndimage.label(labels == label, NEIGHBOURS)
        for part in range(1, count + 1):
            voxels = np.argwhere(parts == part)
            if len(voxels) * of_one >= min_mm3:
                found.append((-len(voxels), tuple(voxels[0]), label, voxels.mean(axis=0)))
    found.sort(key=lambda lesion: lesion[:2])
    # the largest image has more voxels than 16 bits count
    sizes = np.array([-lesion[0] for lesion in found], np.int64).astype(np.uint16)
    middles = np.array([lesion[3] for lesion in found]).reshape(-1, 3)
    return {
        "label": np.array([lesion[2] for lesion in found], np.int64),
        "voxels": sizes.astype(np.int64),
        "volume": sizes * of_one,
        "centroid": middles @ affine[:3, :3].T + affine[:3, 3],
    }


def detection(truth, predicted, min_overlap):
    lesion, count = ndimage.label(truth != 0, NEIGHBOURS)
    other, other_count = ndimage.label(predicted != 0, NEIGHBOURS)
    size = np.bincount(lesion.ravel(), minlength=count + 1)[1:]
    hit = np.bincount(lesion[predicted != 0], minlength=count + 1)[1:]
    found = int(np.sum(hit / size >= min_overlap))
    touched = set(other[truth != 0].tolist()) - {0}
    return {"found": found, "missed": count - found, "false": other_count - len(touched)}
