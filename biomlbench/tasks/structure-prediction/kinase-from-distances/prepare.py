"""Prepare the kinase task from a trajectory of the transition."""

from pathlib import Path

from biomlbench.task.toolbox import hash_order
from biomlbench.tasks.conformations import alpha_carbons_of_psf, read_dcd
from biomlbench.tasks.distances import write_distance_task

NOISE = 1.0
N_TEST = 33


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split the frames by a hash of their number."""
    carbons, names = alpha_carbons_of_psf(raw / "adk.psf")
    frames = read_dcd(raw / "adk_dims.dcd")[:, carbons]
    order = hash_order(range(len(frames)), "kinase-from-distances")
    test, train = frames[order[:N_TEST]], frames[order[N_TEST:]]
    write_distance_task(train, test, names, NOISE, public, private)
