"""Prepare the nuclei segmentation task from StarDist's example image."""

from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from biomlbench.metrics.rle import rle_encode
from biomlbench.task.toolbox import data_key, hash_order, write_array, write_csv

TILE = 64
TRAIN_COLUMNS = 5  # of the image's 8 columns of tiles


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Cut the image into tiles; the left ones are for training, the right ones for the test."""
    image = np.asarray(Image.open(raw / "img2d.tif"))
    labels = np.asarray(Image.open(raw / "mask2d.tif"))
    if image.shape != (512, 512) or labels.shape != image.shape or image.max() > 255:
        raise ValueError(f"unexpected image: shape {image.shape}, maximum {image.max()}")
    corners = [(y, x) for x in range(0, 512, TILE) for y in range(0, 512, TILE)]
    # tiles whose place is known can be put together, with the nuclei that a border cuts
    key = data_key("nuclei-segmentation", raw / "img2d.tif", raw / "mask2d.tif")
    for part in ("train", "test"):
        own = [c for c in corners if (c[1] < TRAIN_COLUMNS * TILE) == (part == "train")]
        own = [own[i] for i in hash_order(own, f"{key}:{part}")]
        tiles = np.stack([image[y : y + TILE, x : x + TILE] for y, x in own]).astype(np.uint8)
        masks = np.stack([labels[y : y + TILE, x : x + TILE] for y, x in own]).astype(np.uint16)
        table = pd.DataFrame({"id": [f"{part}_{i:02d}" for i in range(len(own))]})
        table["index"] = range(len(own))
        rle = [rle_encode(mask > 0) for mask in masks]
        write_array(tiles, public / f"{part}_images.npy")
        if part == "train":
            write_array(masks, public / "train_masks.npy")
            write_csv(table.assign(rle=rle), public / "train.csv")
            continue
        write_csv(table.assign(height=TILE, width=TILE), public / "test.csv")
        write_csv(table[["id"]].assign(rle="1 1"), public / "sample_submission.csv")
        answers = table[["id"]].assign(rle=rle, height=TILE, width=TILE)
        write_csv(answers, private / "answers.csv")
