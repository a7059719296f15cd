"""Tables of which Snakemake does not know what they were made from, as they came from elsewhere.

Snakemake keeps that in ``.snakemake``, by a table's path. Where it has no record, as in a copied
or renamed folder of results, it compares times alone, and a changed setting reruns nothing. But
each table of a stage has the hash of its job.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from biomlbench.contracts import ContractError, job_digest
from biomlbench.workflow.job import is_digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from biomlbench.workflow.job import JobParameters

__all__ = ["made_otherwise"]

log = logging.getLogger(__name__)

_MOST_NAMED = 5
_WHY = "was not made here, and does not say that it is of the config, tasks and submissions of now"
_SAME_S = 0.001
"""Seconds by which the time of a file and a record of it may differ."""


def made_otherwise(
    tables: Iterable[tuple[str, Callable[[], JobParameters]]],
    recorded: Callable[[str], float | None],
) -> list[str]:
    """Return the tables that are there, were not made here, and do not say that they are current.

    Parameters
    ----------
    tables : iterable of (str, callable)
        Path of each stage's table, and what returns the parameters of its job.
    recorded : callable
        From a table's path to the time that it had when Snakemake recorded how it was made, in
        seconds since 1970; None where it did not.

    Returns
    -------
    list of str
        Their paths.
    """
    found = []
    for path, params_of in tables:
        try:
            time = Path(path).stat().st_mtime
        except OSError:  # Snakemake tells of what is neither there nor missing.
            continue
        known = recorded(path)
        if known is not None and abs(known - time) < _SAME_S:
            continue
        if not is_digest_of(params_of(), _digest_in(path)):
            found.append(path)
    for path in found[:_MOST_NAMED]:
        log.warning("%s: %s, so it is made again", path, _WHY)
    if (more := len(found) - _MOST_NAMED) > 0:
        log.warning("and %d more such tables", more)
    return found


def _digest_in(path: str) -> str | None:
    try:
        return job_digest(path)
    except (ContractError, OSError, pa.ArrowException):
        return None  # what reads it next quarantines it
