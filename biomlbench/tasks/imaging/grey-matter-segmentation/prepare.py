"""Prepare the grey matter task from nilearn's copy of the ICBM 152 template."""

from pathlib import Path

import numpy as np
import pandas as pd

from biomlbench.metrics.rle import rle_encode
from biomlbench.task.toolbox import read_nifti, write_array, write_csv

#: Lowest and highest slice, mm; there is little grey matter beyond them.
LOWEST, HIGHEST, STEP = 20, 146, 3
BLOCK = 4
HALF = 127  # the tissue map runs from 0 to 255


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Cut both images into axial slices at half resolution."""
    image, tissue = read_nifti(raw / "t1.nii.gz"), read_nifti(raw / "grey_matter.nii.gz")
    if image.shape != (197, 233, 189) or tissue.shape != image.shape:
        raise ValueError(f"unexpected shape {image.shape}")
    levels = np.arange(LOWEST, HIGHEST, STEP)
    is_test = (np.arange(len(levels)) // BLOCK) % 3 == 1
    for part, own in (("train", levels[~is_test]), ("test", levels[is_test])):
        slices = np.stack([image[:196:2, :232:2, level] for level in own]).astype(np.uint8)
        masks = np.stack([tissue[:196:2, :232:2, level] > HALF for level in own])
        table = pd.DataFrame({"id": [f"{part}_{i:02d}" for i in range(len(own))]})
        table = table.assign(index=range(len(own)), level=own)
        rle = [rle_encode(mask) for mask in masks]
        write_array(slices, public / f"{part}_images.npy")
        if part == "train":
            write_array(masks.astype(np.uint8), public / "train_masks.npy")
            write_csv(table.assign(rle=rle), public / "train.csv")
            continue
        height, width = masks.shape[1:]
        write_csv(table.assign(height=height, width=width), public / "test.csv")
        write_csv(table[["id"]].assign(rle="1 1"), public / "sample_submission.csv")
        answers = table[["id"]].assign(rle=rle, height=height, width=width)
        write_csv(answers, private / "answers.csv")
