"""The task as arrays for the model zoo: one row a pixel."""

from pathlib import Path

import numpy as np

from biomlbench.task.toolbox import read_csv
from biomlbench.zoo.pixels import pixel_features, pixel_problem
from biomlbench.zoo.problem import Problem


def problem(public: Path) -> Problem:
    """Classify pixels by smoothed intensities and gradients in the neighbourhood."""
    images = np.load(public / "train_images.npy", allow_pickle=False)
    masks = np.load(public / "train_masks.npy", allow_pickle=False) > 0
    test_images = np.load(public / "test_images.npy", allow_pickle=False)
    ids = read_csv(public / "test.csv")["id"]
    return pixel_problem(pixel_features(images), masks, pixel_features(test_images), ids)
