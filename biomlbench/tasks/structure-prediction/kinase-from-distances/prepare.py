"""Prepare the kinase task from a trajectory of the transition."""

from pathlib import Path

from biomlbench.task.toolbox import data_key
from biomlbench.tasks.distances import split_transition, write_distance_task

NOISE = 1.0


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Split the frames at random."""
    train, test, names = split_transition(raw)
    key = data_key("kinase-from-distances", raw / "adk_dims.dcd")
    write_distance_task(train, test, names, NOISE, key, public, private)
