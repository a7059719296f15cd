from itertools import permutations

import numpy as np

from biomlbench.verify.cases import case

F = "dice_coefficient"
DTYPES = (np.uint8, np.int16, np.int32, np.int64)


def _random(name, seed, shape, values, labels, agree=0.6, ignore=None, dtype=np.uint8):
    """A truth at random, and a prediction that copies a part of it."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(values, size=shape).astype(dtype)
    guess = rng.choice(values, size=shape).astype(dtype)
    prediction = np.where(rng.random(shape) < agree, truth, guess)
    return case(name, F, prediction, truth, labels, ignore)


def _discs(size, *discs):
    rows, columns = np.mgrid[:size, :size]
    image = np.zeros((size, size), np.uint8)
    for row, column, radius, label in discs:
        image[(rows - row) ** 2 + (columns - column) ** 2 <= radius**2] = label
    return image


def _up_to(top, dtype):
    """Labels up to one that is the largest of a narrower type, or near the root of a wider one."""
    values = [top, top - 1, top // 2 + 1, top // 3, 1, 0]
    name = f"{np.dtype(dtype).name}-up-to-{top}"
    return _random(name, top % 1000, (7, 6), values, values[:5], ignore=values[4], dtype=dtype)


def _last_voxels_differ():
    """All voxels agree but the last ones, which are all that there is of a label."""
    truth = np.zeros(199_993, np.uint8)
    truth[-5:] = 2
    prediction = truth.copy()
    prediction[-4:] = 1
    return case("last-voxels-differ", F, prediction, truth, [0, 1, 2])


def _same_in_the_type(dtype):
    """`ignore` is a number that would be one of the labels, were it put into the images' type."""
    width = 2 ** np.iinfo(dtype).bits
    top = int(np.iinfo(dtype).max)
    for name, label, ignore in (
        ("above", 3, 3 + width),
        ("below", 3, 3 - width),
        ("beside-the-top", top, top - width),
        ("doubled-width", 0, 2 * width),
        ("beyond-words", 3, 3 + 2**63),
        ("far-beyond-words", 3, -(3 + 2**200)),
    ):
        values = [label, 5, top // 2]
        yield _random(
            f"ignore-{name}-of-{np.dtype(dtype).name}",
            40,
            (6, 6),
            values,
            values,
            ignore=ignore,
            dtype=dtype,
        )


def _same_in_the_narrower_type():
    """Labels in neither image that a label of one would be in the type of the other."""
    for one, other in permutations(DTYPES, 2):
        narrow, broad = (np.iinfo(dtype) for dtype in (one, other))
        width = 2**narrow.bits
        there = [narrow.max, narrow.max - 55, 3, 0]
        labels = [label + turns * width for label in there for turns in (-2, -1, 1)]
        labels = [label for label in labels if broad.min <= label <= broad.max]
        if labels:
            image = np.array([*there, *there[:2]], one)
            wide = np.array([0, 3, 3, 0, 1, 1], other)
            labels = [-1 if narrow.min == 0 else 4, *labels, 3, narrow.max]
            name = f"labels-of-{np.dtype(other).name}-beside-{np.dtype(one).name}"
            yield case(name, F, image, wide, labels)
            yield case(f"{name}-as-truth", F, wide, image, labels, labels[1])


def visible():
    return [
        case("line", F, np.array([1, 1, 0, 2]), np.array([1, 0, 0, 0]), [1, 2, 3]),
        _random("binary", 1, (6, 6), [0, 1], [1]),
        _random("with-ignore", 2, (5, 8), [0, 1, 2, 9], [1, 2], ignore=9),
    ]


def hidden():
    organ = _discs(24, (12, 12, 8, 1), (8, 8, 3, 2))
    moved = _discs(24, (13, 11, 8, 1), (9, 7, 2, 2))
    return [
        _random("multi-label", 10, (8, 9), [0, 1, 2, 3], [1, 2, 3]),
        _random("background-too", 11, (8, 8), [0, 1, 2], [0, 1, 2]),
        _random("volume", 12, (4, 5, 6), [0, 1, 2], [1, 2]),
        _random("one-line", 13, (40,), [0, 1], [1]),
        _random("order-of-labels", 14, (9, 9), [0, 1, 2, 3], [3, 1, 2]),
        _random("high-labels", 15, (8, 8), [0, 127, 128, 200, 255], [128, 200, 255]),
        _random("gaps-in-labels", 16, (8, 8), [0, 4, 17], [17, 4]),
        _random("ignore-255", 17, (8, 8), [0, 1, 255], [0, 1], ignore=255),
        _random("ignore-background", 18, (8, 8), [0, 1, 2], [1, 2], ignore=0),
        _random("rare-label", 19, (12, 12), [0] * 30 + [1], [1, 0]),
        _random("poor", 20, (10, 10), [0, 1, 2, 3, 4], [1, 2, 3, 4], agree=0.05),
        _random("wide-dtype", 21, (8, 8), [0, 1000, 70_000], [70_000, 1000], dtype=np.int64),
        _random("signed", 22, (8, 8), [-1, 0, 1], [-1, 1], dtype=np.int16),
        case("discs", F, moved, organ, [1, 2]),
        case("same-image", F, organ, organ, [0, 1, 2]),
        case("label-twice", F, moved, organ, [2, 1, 2]),
        _random("thirty-two-bits", 30, (7, 9), [-5, 0, 65_536], [65_536, 0], dtype=np.int32),
        _random("ignore-negative", 31, (9, 9), [-1, 0, 1], [0, 1], ignore=-1, dtype=np.int16),
        _random("scan", 32, (60, 50, 50), list(range(7)), [3, 1], ignore=6),
        _random("hundred-labels", 33, (40, 50), list(range(120)), list(range(100))),
    ]


def adversarial():
    organ = _discs(16, (8, 8, 5, 1))
    nothing = np.zeros_like(organ)
    voids = organ.copy()
    voids[:4] = 255
    full = np.ones((300, 300), np.uint8)
    # numbers that are alike in their lowest 32 bits
    fine = 2**53 + np.array([0, 1, 2, 3, 1, 0, 1, 2, 1, 1, 3, 0])
    wide_many = np.arange(150) % 7 * 2**32 + np.arange(150) % 3
    wide = np.array([0, 2**32, 0, 2**40, -(2**40), 0, 2**32, 2**32, 0, -(2**40)])
    # 300 is 44 in eight bits
    narrow = np.array([44, 44, 0, 7], np.uint8)
    broad = np.array([300, 300, 0, 7], np.int16)
    return [
        case("label-of-one-dtype", F, narrow, broad, [44, 300, 7]),
        case("label-of-the-other-dtype", F, broad, narrow, [44, 300, 7]),
        case("absent-in-both", F, organ, organ, [1, 7]),
        case("both-empty", F, nothing, nothing, [1]),
        case("nothing-predicted", F, nothing, organ, [1, 0]),
        case("nothing-there", F, organ, nothing, [1]),
        case("apart", F, _discs(16, (3, 3, 2, 1)), _discs(16, (12, 12, 2, 1)), [1]),
        case("all-ignored", F, organ, np.full_like(organ, 255), [0, 1], 255),
        case("predicted-ignore", F, voids, organ, [0, 1, 255], 255),
        case("ignore-is-listed", F, voids, voids, [255, 1], 255),
        case("ignore-not-there", F, organ, organ.T.copy(), [1], 255),
        case("ignore-beyond-the-type", F, organ, organ.T.copy(), [1, 0], -1),
        case("sum-of-two-labels", F, np.full(8, 1, np.uint8), np.full(8, 3, np.uint8), [2, 1, 3]),
        case("many-voxels", F, full, full * (np.arange(300) % 3 > 0).astype(np.uint8), [1, 0]),
        case("beyond-32-bits", F, wide[::-1] + 3, wide + 3, [3, 3 + 2**32, 3 - 2**40], 3 + 2**40),
        case(
            "beyond-doubles", F, fine[::-1].copy(), fine, [2**53 + 1, 2**53, 2**53 + 2], 2**53 + 3
        ),
        *[
            case(
                f"{axes}-axes",
                F,
                lattice.reshape((2,) * axes),
                lattice[::-1].reshape((2,) * axes),
                [1, 2, 0],
                3,
            )
            for axes, lattice in ((a, np.arange(2**a, dtype=np.int16) // 3 % 4) for a in (6, 8, 12))
        ],
        case("hundred-wide-labels", F, wide_many[::-1].copy(), wide_many, wide_many[:100].tolist()),
        *(_up_to(top, np.int16) for top in (127, 128, 181, 255, 256, 2**15 - 1)),
        *(_up_to(top, np.int32) for top in (255, 46_341, 65_535, 65_536, 2**31 - 1)),
        *(_up_to(top, np.int64) for top in (255, 65_535, 2**31, 2**32 - 1, 2**32, 2**63 - 1)),
        *(
            c
            for dtype in (np.uint8, np.int16, np.int32, np.int64)
            for c in _same_in_the_type(dtype)
        ),
        *_same_in_the_narrower_type(),
        # as many voxels as there may be, in blocks of any size with a rest
        _random("largest-volume", 41, (40, 50, 100), range(5), [3, 0, 4], ignore=2),
        _random("largest-plane", 42, (400, 500), [0, 1], [1, 0], dtype=np.int16),
        _random("nearly-largest-line", 43, (199_999,), [0] * 9 + [1], [0, 1], dtype=np.int64),
        _last_voxels_differ(),
        # one image in the other byte order: other labels of the same bytes
        *(
            case(
                f"same-bytes-of-{dtype}",
                F,
                alike,
                alike.view(f">{dtype}").copy(),
                [1, 0, int(alike[0])],
            )
            for dtype in ("i2", "i4", "i8")
            for alike in [np.array([1, 0, 1, 1], f">{dtype}").view(f"<{dtype}")]
        ),
        case("no-labels", F, organ, organ, []),
        case("no-voxels", F, np.zeros((0, 5), np.uint8), np.zeros((0, 5), np.uint8), [0, 1]),
    ]
