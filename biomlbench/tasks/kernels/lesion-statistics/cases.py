import numpy as np
from scipy import ndimage

from biomlbench.verify.cases import case

GRID, TABLE, FOUND = "resample_labels", "lesions", "detection"
PLAIN = np.diag([2.0, 3.0, 5.0, 1.0])


def image(seed, shape=(14, 12, 9), labels=3, share=0.12, smooth=0.8):
    """Blobs of several labels, some of which touch one another at faces, edges and corners."""
    rng = np.random.default_rng(seed)
    field = ndimage.gaussian_filter(rng.random(shape), smooth)
    kinds = ndimage.gaussian_filter(rng.random((labels, *shape)), (0, 1, 1, 1)).argmax(axis=0) + 1
    return np.where(field > np.quantile(field, 1 - share), kinds, 0).astype(np.int64)


def sheared(shear):
    affine = np.diag([2.0, 1.0, 1.0, 1.0])
    affine[0, 1], affine[1, 2] = shear, 0.3
    return affine


def oblique(seed, spacing=(1.0, 1.3, 2.7), flip=False, shear=0.0):
    """Affine of a turned grid, with an origin somewhere."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    if (np.linalg.det(turn) < 0) != flip:
        turn[:, 0] *= -1
    affine = np.eye(4)
    affine[:3, :3] = turn @ np.diag(spacing) @ (np.eye(3) + shear * np.eye(3, k=1))
    affine[:3, 3] = rng.uniform(-60, 60, 3)
    return affine


def noise(seed, shape, share):
    """Voxels each for itself: parts wind, and meet late in a scan."""
    return (np.random.default_rng(seed).random(shape) < share).astype(np.int64)


def around(affine, shape, seed, spacing):
    """A grid over the same region, turned a little and of another spacing."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(np.eye(3) + 0.15 * rng.normal(size=(3, 3)))
    new = np.eye(4)
    new[:3, :3] = turn * np.sign(np.diag(turn)) @ np.diag(spacing)
    new[:3, 3] = affine[:3, 3] + rng.uniform(-3, 3, 3)
    return new


def resampled(name, labels, affine, shape, new_affine):
    """A case in which no new center lies at the border between two old voxels."""
    to_old = np.linalg.inv(affine) @ new_affine
    places = to_old[:3, :3] @ np.indices(shape).reshape(3, -1) + to_old[:3, 3:]
    if (np.abs(places - np.floor(places) - 0.5) < 1e-6).any():
        raise ValueError(f"case {name}: a new center is as near to two old voxels")
    return case(name, GRID, labels, affine, shape, new_affine)


def line(*values):
    return np.array(values, np.int64).reshape(-1, 1, 1)


def visible():
    thick = np.diag([1.0, 1, 2, 1])
    small = image(1, (6, 5, 4), share=0.3)
    return [
        case("worked", TABLE, line(2, 2, 0, 1), PLAIN, 0.0),
        case("small", TABLE, small, oblique(1), 4.0),
        case("worked-found", FOUND, line(2, 2, 0, 1), line(0, 1, 0, 0), 0.5),
        case("small-found", FOUND, small, np.roll(small, 1, axis=0), 0.4),
        resampled("coarser", small, thick, (3, 3, 4), np.diag([1.9, 1.9, 1.9, 1])),
        resampled("same-grid", small, oblique(2), (6, 5, 4), oblique(2)),
    ]


def hidden():
    a = image(10)
    turned = oblique(34, flip=True)
    large = image(20, (60, 60, 60), labels=4, share=0.01, smooth=2.0)
    return [
        case("table", TABLE, a, oblique(10), 0.0),
        case("table-flipped", TABLE, image(11), oblique(11, flip=True), 5.0),
        case("table-sheared", TABLE, image(12), oblique(12, shear=0.4), 10.0),
        case("table-thick-slices", TABLE, image(13), oblique(13, (0.5, 0.5, 6.0)), 4.0),
        case("table-crowded", TABLE, image(14, labels=5, share=0.35), oblique(14), 9.0),
        case("table-one-label", TABLE, image(15, labels=1), oblique(15), 0.0),
        case("table-large", TABLE, large, oblique(20), 50.0),
        case("table-noise", TABLE, noise(26, (16, 16, 16), 0.1), oblique(26), 0.0),
        case("table-flat-noise", TABLE, noise(27, (1, 48, 48), 0.38), oblique(27), 0.0),
        case("found-noise", FOUND, noise(28, (48, 48, 1), 0.38), noise(29, (48, 48, 1), 0.2), 0.2),
        case("found", FOUND, image(21), image(22), 0.1),
        case("found-shifted", FOUND, a, np.roll(a, 1, axis=1), 0.5),
        case("found-crowded", FOUND, image(23, share=0.2, smooth=0.6), image(24, share=0.2), 0.3),
        case("found-whole", FOUND, a, np.where(image(25, share=0.5) > 0, 7, a), 1.0),
        case("found-large", FOUND, large, np.roll(large, 3, axis=2), 0.35),
        resampled("grid", a, oblique(30), (16, 13, 11), around(oblique(30), 0, 30, (1, 1, 2))),
        resampled("grid-turned", a, PLAIN, (14, 18, 20), around(PLAIN, 0, 31, (2.2, 2.1, 2.3))),
        resampled("grid-finer", image(32), PLAIN, (29, 35, 42), np.diag([0.93, 1.13, 1.03, 1])),
        resampled("grid-coarser", image(33), PLAIN, (5, 6, 7), np.diag([5.3, 6.7, 6.1, 1])),
        resampled("grid-flipped", a, turned, (14, 12, 9), shifted(turned)),
        resampled("grid-large", large, PLAIN, (60, 60, 60), around(PLAIN, 0, 35, (2, 3, 5))),
    ]


def shifted(affine):
    """The same grid, moved by a part of a voxel along each axis and turned round in one."""
    new = affine.copy()
    new[:3, 3] += affine[:3, :3] @ [13.3, 0.7, -1.4]
    new[:3, 0] *= -1
    return new


def adversarial():
    corner = np.zeros((4, 4, 4), np.int64)
    corner[0, 0, 0] = corner[1, 1, 1] = corner[2, 2, 1] = corner[2, 3, 1] = 4
    touching = line(1, 1, 2, 2, 2, 1, 0, 3)
    a = image(40, (7, 6, 5), share=0.3)
    frozen = image(41)
    frozen.setflags(write=False)
    none = np.zeros((5, 4, 3), np.int64)
    far = np.diag([0.9, 0.9, 0.9, 1]) + 500 * np.eye(4, k=3)
    empty = np.zeros((0, 3, 3), np.int64)
    ends = np.zeros((5, 5, 5), np.int64)
    ends[::4, ::4, ::4] = 1
    # one lesion from end to end, which takes as many steps as it has voxels
    serpentine = np.ones((41, 41, 1), np.int64)
    serpentine[1::2] = 0
    serpentine[1::4, -1] = serpentine[3::4, 0] = 1
    return [
        case("serpentine", FOUND, serpentine, np.zeros_like(serpentine), 0.5),
        case("serpentine-table", TABLE, serpentine, PLAIN, 0.0),
        case("corners-connect", TABLE, corner, PLAIN, 0.0),
        case("labels-touch", TABLE, touching, PLAIN, 0.0),
        case("equal-sizes", TABLE, ends * 9, oblique(40), 0.0),
        case("equal-sizes-of-labels", TABLE, line(3, 0, 1, 0, 2), PLAIN, 0.0),
        case("no-lesion", TABLE, none, PLAIN, 0.0),
        case("empty", TABLE, empty, PLAIN, 1.0),
        case("all-too-small", TABLE, a, PLAIN, 1e6),
        case("filled", TABLE, none + 100, oblique(42), 0.0),
        case("many-alike", TABLE, lattice(), oblique(45), 0.0),
        case("beyond-a-thousand", TABLE, beyond_a_thousand(), oblique(48), 0.0),
        case("large-beside-small", TABLE, large_beside_small(), PLAIN, 0.0),
        case("past-words", TABLE, past_words(), oblique(49), 0.0),
        case("past-words-found", FOUND, past_words(), np.minimum(past_words(), 8), 0.5),
        case("largest", TABLE, np.ones((60, 60, 60), np.int64), PLAIN, 0.0),
        case("beyond-a-thousand-found", FOUND, beyond_a_thousand(), beyond_a_thousand()[::-1], 0.5),
        case("many-found", FOUND, lattice(), np.roll(lattice(), 1, axis=2) * 9, 0.5),
        case("some-of-many-found", FOUND, *some_of_many(), 0.5),
        # 0.14 times 50 is above 7 in floating point
        case("seven-of-fifty", FOUND, line(*[1] * 50), line(*[1] * 7, *[0] * 43), 0.14),
        case("fortran-order", TABLE, np.asfortranarray(a), oblique(43, flip=True), 3.0),
        case("read-only-view", TABLE, frozen[::-1, ::2], oblique(44), 3.0),
        case("nothing-true", FOUND, none, none + 1, 0.5),
        case("nothing-predicted", FOUND, corner, corner * 0, 0.5),
        case("empty-found", FOUND, empty, empty, 0.5),
        case("exactly-half", FOUND, line(1, 1, 0, 2, 2, 2), line(1, 0, 0, 5, 0, 0), 0.5),
        case("all-of-it", FOUND, line(1, 1, 0, 2, 2, 2), line(1, 1, 1, 1, 1, 0), 1.0),
        case("other-labels-join", FOUND, touching, line(0, 0, 9, 9, 9, 9, 0, 0), 0.6),
        case("joined-prediction", FOUND, line(1, 0, 1, 0, 0, 1), line(1, 1, 1, 0, 0, 0), 0.1),
        case("corners-found", FOUND, corner, np.where(corner, 1, 0)[::-1], 0.01),
        resampled("far-away", a, PLAIN, (3, 3, 3), far),
        resampled("nothing-new", a, PLAIN, (0, 4, 4), PLAIN),
        resampled("nothing-old", empty, PLAIN, (2, 2, 2), PLAIN),
        resampled("beyond-the-edge", none + 1, np.eye(4), (9, 8, 7), edge()),
        resampled("view-to-grid", a[::-1].swapaxes(0, 2), PLAIN, (5, 6, 7), shifted(PLAIN)),
        case("empty-rows", TABLE, empty.transpose(1, 0, 2), PLAIN, 0.0),
        case("empty-slices", TABLE, empty.transpose(1, 2, 0), PLAIN, 0.0),
        case("highest-found", FOUND, corner * 25, np.roll(corner, 1) * 25, 0.5),
        resampled("highest-labels", np.where(a > 2, 100, a), PLAIN, (6, 6, 6), np.eye(4) * 1.01),
        resampled("high-labels", a * 33, PLAIN, (9, 9, 9), np.diag([1.43, 1.9, 2.6, 1])),
        case("slab-found", FOUND, slab(), slab()[::-1], 0.5),
        case("winding", TABLE, winding(), oblique(47), 100.0),
        *(
            case(f"voxels-of-{size:g}", TABLE, a, oblique(49, (size, size, 3 * size)), 0.0)
            for size in (1e-5, 1e-4, 1e4)
        ),
        # a voxel of 2 mm³ between edges that are all but parallel
        case("strongly-sheared", TABLE, a, sheared(2e5), 5.0),
        case("hardly-too-little", FOUND, line(1, 1, 0, 2, 2), line(1, 0, 0, 1, 1), 0.5 + 1e-12),
        resampled("micrometres", a, oblique(48, (1e-4, 1e-4, 3e-4)), (7, 6, 5), micro()),
        *(
            resampled(f"{side}-by-{apart:g}", none + 1, PLAIN, (2, 2, 2), at_edges(way * apart))
            for apart in (2e-6, 4e-5, 1e-3)
            for side, way in (("inside", 1), ("outside", -1))
        ),
        *(
            resampled(f"{how}-where-numbers-are-large", a, far_out(0), a.shape, far_out(part))
            for how, part in (("below-borders", 0.5 - 2e-5), ("above-borders", 0.5 + 2e-5))
        ),
        *(
            resampled(f"{side}-borders-of-axis-{axis}", *along(axis, way * (0.5 - 1.2e-6)))
            for axis in range(3)
            for side, way in (("below", 1), ("above", -1))
        ),
        resampled("whole-words-away", none + 1, np.eye(4), (3, 3, 3), np.eye(4) + away()),
    ]


def large_beside_small():
    """Lesions of tens of thousands of voxels beside small ones, in an image as large as may be."""
    labels = np.zeros((60, 60, 60), np.int64)
    labels[10:13] = 4
    labels[20:29] = 100
    labels[40, 30, 30] = 7
    labels[50:52, 3:8, 3:8] = 9
    return labels


def past_words():
    """Lesions of more voxels than 15 and 16 bits count, beside one that they can."""
    labels = np.zeros((60, 60, 60), np.int64)
    labels[:10] = 8
    labels[11:31] = 100
    labels[32:35] = 7
    return labels


def beyond_a_thousand():
    """More lesions of one label than a number of three digits counts, beside another label."""
    labels = np.zeros((22, 21, 21), np.int64)
    labels[::2, ::2, ::2] = 1
    labels[::2, ::2, 20] = 2
    return labels


def lattice():
    """More lesions of one label than a byte can count, all of one voxel."""
    labels = np.zeros((16, 13, 11), np.int64)
    labels[::2, ::2, ::2] = 2
    return labels


def some_of_many():
    """Thousands of places, of which each image has some: one lesion is found, the next is not."""
    rng = np.random.default_rng(50)
    images = np.zeros((2, 40, 36, 9), np.int64)
    images[:, ::2, ::2, ::2] = rng.random((2, 20, 18, 5)) < 0.6
    return images


def edge():
    """A grid whose first centers lie just outside and just inside of the old voxels."""
    affine = np.eye(4)
    affine[:3, 3] = [-1.6, -0.4, -0.6]
    return affine


def at_edges(inside):
    """A grid of eight centers that lie so far inside of the corners of the old grid."""
    affine = np.eye(4)
    sides = np.array([5, 4, 3])
    affine[:3, :3] = PLAIN[:3, :3] @ np.diag(sides - 2 * inside)
    affine[:3, 3] = PLAIN[:3, :3] @ np.full(3, inside - 0.5) + PLAIN[:3, 3]
    return affine


def micro():
    """A grid a little off that of the tiny voxels."""
    affine = oblique(48, (1e-4, 1e-4, 3e-4))
    affine[:3, 3] += affine[:3, :3] @ [-0.7, 0.3, 0.2]
    return affine


def far_out(part):
    """A grid a meter away, moved by a part of a voxel: single precision cannot tell where."""
    affine = np.diag([0.7, 1.1, 2.3, 1.0])
    affine[:3, 3] = [1234.56789, -987.654321, 456.789123] + part * np.array([0.7, 1.1, 2.3])
    return affine


def along(axis, part):
    """All voxels along an axis, and the same grid moved by a part of a voxel.

    Each center is as near to a border as may be: single precision is too coarse for high places.
    """
    labels = np.arange(360).reshape(60, 2, 3) // 4 + 1
    new = np.eye(4)
    new[axis, 3] = part
    labels = np.moveaxis(labels, 0, axis)
    return labels, np.eye(4), labels.shape, new


def away():
    """So far off that places cut to 16 bits are those at the origin."""
    return 2.0**16 * np.eye(4, k=3)


def slab():
    """One lesion of thousands of voxels in an image of the largest size."""
    labels = np.zeros((60, 60, 60), np.int64)
    labels[:, :, 29:31] = 3
    return labels


def winding():
    """One lesion a voxel wide that winds through the whole image, past thousands of voxels."""
    labels = np.zeros((60, 60, 60), np.int64)
    labels[:, ::2, ::4] = 1
    # turned round at alternate ends, within a slice and from one to the next
    for k in range(0, 60, 4):
        labels[np.arange(29) % 2 * 59, 1:59:2, k] = 1
    for k in range(1, 57, 4):
        labels[59, 58 if k % 8 == 1 else 0, k : k + 3] = 1
    return labels
