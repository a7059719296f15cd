"""Prepare the kinase task from two trajectories made in different ways."""

from pathlib import Path

from biomlbench.task.toolbox import hash_order
from biomlbench.tasks.conformations import alpha_carbons_of_psf, read_dcd
from biomlbench.tasks.distances import write_distance_task

NOISE = 0.5
#: Every so manieth frame of the other simulation is a test target.
EVERY = 4


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Train on all frames of one trajectory, test on frames of the other."""
    carbons, names = alpha_carbons_of_psf(raw / "adk.psf")
    train = read_dcd(raw / "adk_dims.dcd")[:, carbons]
    train = train[hash_order(range(len(train)), "kinase-other-simulation")]
    carbons, other = alpha_carbons_of_psf(raw / "adk_closed_NAMD.psf")
    if len(other) != len(names):
        raise ValueError("the two simulations have different residues")
    test = read_dcd(raw / "adk_gbis_tmd-fast1_NAMD.dcd")[::EVERY, carbons]
    test = test[hash_order(range(len(test)), "kinase-other-simulation")]
    write_distance_task(train, test, names, NOISE, public, private)
