"""Prepare the kinase task from two trajectories made in different ways."""

from pathlib import Path

from biomlbench.task.toolbox import data_key, hash_order
from biomlbench.tasks.conformations import alpha_carbons_of_psf, read_dcd
from biomlbench.tasks.distances import split_transition, write_distance_task

NOISE = 0.5
#: Every so manieth frame of the other simulation is a test target.
EVERY = 4
OTHER = "adk_gbis_tmd-fast1_NAMD.dcd"


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Train on the frames of one trajectory that no task asks for, test on frames of the other."""
    train, _, names = split_transition(raw)
    carbons, other = alpha_carbons_of_psf(raw / "adk_closed_NAMD.psf")
    if len(other) != len(names):
        raise ValueError("the two simulations have different residues")
    key = data_key("kinase-other-simulation", raw / "adk_dims.dcd", raw / OTHER)
    train = train[hash_order(range(len(train)), f"{key}:train")]
    test = read_dcd(raw / OTHER)[::EVERY, carbons]
    test = test[hash_order(range(len(test)), f"{key}:test")]
    write_distance_task(train, test, names, NOISE, key, public, private)
