import numpy as np

from biomlbench.verify.cases import Transformed, within


def _sets(inputs, label):
    p, t = np.asarray(inputs["prediction"]), np.asarray(inputs["truth"])
    kept = np.ones(t.shape, bool) if inputs["ignore"] is None else t != inputs["ignore"]
    return (p == label) & kept, (t == label) & kept


def extremes_mean_equal_and_apart(inputs, output):
    """A Dice is 1 just where both sets are equal, and 0 just where only disjoint sets are not."""
    for value, label in zip(np.asarray(output, float), inputs["labels"], strict=True):
        p, t = _sets(inputs, label)
        if (value == 1) != np.array_equal(p, t):
            return "1 does not go with equal sets"
        if (value == 0) != (not (p & t).any() and bool((p | t).any())):
            return "0 does not go with sets apart"
    return None


def agrees_with_jaccard(inputs, output):
    """Dice and the Jaccard index J of the same sets belong together: Dice = 2 J / (1 + J)."""
    worst = 0.0
    for value, label in zip(np.asarray(output, float), inputs["labels"], strict=True):
        p, t = _sets(inputs, label)
        union = (p | t).sum()
        jaccard = (p & t).sum() / union if union else 1.0
        off = abs(value - 2 * jaccard / (1 + jaccard))
        worst = max(worst, np.inf if np.isnan(off) else off)
    return within(worst, 1e-10, "it does not go with the Jaccard index")


def rename_labels(inputs, rng):
    """Give every label another number, in the images, in the list and for `ignore`."""
    used = {int(x) for name in ("prediction", "truth") for x in np.unique(inputs[name])}
    used |= set(inputs["labels"]) | ({inputs["ignore"]} - {None})
    old = np.array(sorted(used))
    new = rng.permutation(200)[: len(old)]
    names = dict(zip(old.tolist(), new.tolist(), strict=True))

    def renamed(image):
        return new[np.searchsorted(old, image)].astype(np.int64)

    ignore = inputs.get("ignore")
    return Transformed(
        [
            {
                "prediction": renamed(inputs["prediction"]),
                "truth": renamed(inputs["truth"]),
                "labels": [names[label] for label in inputs["labels"]],
                "ignore": None if ignore is None else names[ignore],
            }
        ]
    )


def add_ignored_voxels(inputs, rng):
    """Append voxels whose truth is to be ignored, with predictions at random."""
    size = 20
    ignore = inputs.get("ignore")
    ignore = 77 if ignore is None else ignore
    guess = rng.choice(np.ravel(inputs["prediction"]), size)
    return Transformed(
        [
            {
                **inputs,
                "prediction": np.concatenate([np.ravel(inputs["prediction"]), guess]),
                "truth": np.append(np.ravel(inputs["truth"]), np.full(size, ignore, np.uint8)),
                "ignore": ignore,
            }
        ]
    )


def labels_of_the_dtypes(**values):
    """Inputs in which a dtype holds each label; what is ignored may be none of them."""
    infos = [np.iinfo(values[name].dtype) for name in ("prediction", "truth")]
    low, high = min(int(info.min) for info in infos), max(int(info.max) for info in infos)
    return {**values, "labels": [min(max(label, low), high) for label in values["labels"]]}


def voxels(inputs):
    """Number of pixels or voxels of an image."""
    return np.size(inputs["truth"])
