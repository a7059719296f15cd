"""Make the public files and the answers. The data here are made up: read yours from `raw`."""

from pathlib import Path

import numpy as np
import pandas as pd

from biomlbench.task.toolbox import data_key, split_rows, write_tables

ROWS = 240
TEST_SHARE = 0.4


def measurements() -> pd.DataFrame:
    """Return made-up viabilities of cells under two drugs: a Hill curve each, and noise."""
    # by the task's name: no two tasks may have the same rows
    rng = np.random.default_rng([*b"my-domain/my-name"])
    doses = rng.uniform(-3, 2, (ROWS, 2))
    hours = rng.choice([24, 48, 72], ROWS)
    genes = rng.normal(0, 1, (ROWS, 6))
    shift = 0.5 * genes[:, 0] - 0.3 * genes[:, 1]
    left = 1 / (1 + 10 ** (1.2 * (doses[:, 0] - 0.2))) / (1 + 10 ** (0.8 * (doses[:, 1] - shift)))
    frame = pd.DataFrame(genes, columns=[f"gene_{i}" for i in range(1, 7)])
    frame.insert(0, "log_dose_a", doses[:, 0])
    frame.insert(1, "log_dose_b", doses[:, 1])
    frame.insert(2, "hours", hours)
    frame["viability"] = 100 * left ** (hours / 48) + rng.normal(0, 4, ROWS)
    # rounded, so that another machine's last digit changes nothing
    return frame.round(3)


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split at random; split by patient, molecule or family where rows share one."""
    frame = measurements()
    key = data_key("my-domain/my-name", frame)
    train, test = split_rows(frame, TEST_SHARE, key, "well_{:03d}")
    # the sample's constant says nothing about the answers
    write_tables(public, private, train, test, ["viability"], {"viability": 0.0})
