"""A Slurm of two nodes, brought up for these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.slurm.slurm_cluster import SlurmCluster, missing
from tests.workflow.conftest import finished, fresh  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Iterator


# For a module and no longer: another worker's tests wait for it.
@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    """A running Slurm whose nodes each have this machine's cores and memory."""
    if problem := missing():
        pytest.skip(problem)
    pytest.importorskip("snakemake_executor_plugin_slurm", reason="pip install .[slurm]")
    cluster = SlurmCluster(tmp_path_factory.mktemp("slurm"))
    try:
        yield cluster.start()
    finally:
        cluster.stop()
