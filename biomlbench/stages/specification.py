"""What a stage declares of itself: all that the workflow must know of it, in one place.

Rules and batches, hashes, provenance, pruning, the comparison of two results, the archive, the
report and the documentation's pages of tables follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from biomlbench.contracts.mappings import TypedRow
    from biomlbench.stages import Context, Pair
    from biomlbench.task.task import Task

__all__ = [
    *(
        "CARD_FILES",
        "FETCHING",
        "PREPARING",
        "PROBED",
        "RANKING",
        "RERUNNING",
        "RUNNING",
        "SCORING",
    ),
    *("SCORING_A_PAIR", "Dependencies", "Stage"),
]

CARD_FILES = (
    *("entry_points", "preload", "verifier.yaml"),
    *("cases.py", "properties.py", "reference.py"),
)
"""What makes up a problem card: keys of its config.yaml, and files."""
PROBED = (
    *("inputs", "edges", "sizes", "quantities", "product"),
    *("*.md", "solutions/right/*.py"),
)
"""What the cases that are drawn for one candidate depend on beside it."""

# Parts of the library that a stage's imports may reach through `Task`, its grader, or the kinds
# of submissions, though the stage never calls them.
SCORING = (
    "biomlbench.metrics",
    "biomlbench.scoring.grader",
    "biomlbench.scoring.score",
    "biomlbench.scoring.bootstrap",
    "biomlbench.grading.isolated",
    "biomlbench.grading.process",
    "biomlbench.suites.graders",
)
ANSWERS = ("biomlbench.submission.answers",)
FETCHING = ("biomlbench.suites.data", "biomlbench.suites.check")
RANKING = ("biomlbench.scoring.medals", "biomlbench.scoring.humans")
PREPARING = ("biomlbench.stages.preparing",)
RUNNING = ("biomlbench.stages.running",)
RERUNNING = ("biomlbench.stages.reruns",)
SCORING_A_PAIR = ("biomlbench.stages.scored", "biomlbench.stages.judged")


@dataclass(frozen=True, kw_only=True)
class Dependencies:
    """What a job's result depends on beside its inputs; a change of it makes the job run again.

    Attributes
    ----------
    task : tuple of str
        Keys of a task's ``config.yaml``, and, with a dot in the name, files of its folder.
    settings : mapping of str to str
        Fields of `biomlbench.stages.Context`, and the key of the config that each is: ``seed``
        is ``grading.seed``.
    overrides : tuple of str
        Keys of a task's section in the config.
    files : tuple of str
        Those of the overrides that name a file: provenance has the file's hash, by ``sources``,
        and no path.
    input_files : bool
        Whether the task's own code runs in it: then all files of the task's folder count that
        such code may read (`biomlbench.task.input_files`).
    unused : tuple of str
        Modules and packages of the library that its imports reach and that it never calls.
    """

    task: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    input_files: bool = False
    unused: tuple[str, ...] = ()


def _no_sources(_task: Task, _context: Context) -> dict[str, str]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Stage(Dependencies):
    """A stage of a pair.

    Attributes
    ----------
    compute : callable
        Returns the rows of its table for a pair, from the tables of the stages that it reads.
    reads : tuple of str
        Those stages, which also says where in the chain it comes: after them.
    table : pyarrow.Schema
        Its table, which begins with ``task_id`` and ``run_id``.
    key : tuple of str
        What names a row of a pair in it.
    sources : callable
        Returns hashes of hidden files that it is the first to read, for the provenance.
    seeded : bool
        Whether the run's seed matters.
    runs_code : bool
        Whether it runs submitted code: then the scheduler is asked for what the task asks for.
    measured : bool
        Whether time and memory of its jobs are kept, in ``benchmarks``.
    """

    compute: Callable[[Pair, Context, dict[str, pa.Table]], Sequence[TypedRow]]
    reads: tuple[str, ...] = ()
    table: pa.Schema
    key: tuple[str, ...] = ()
    sources: Callable[[Task, Context], dict[str, str]] = _no_sources
    seeded: bool = False
    runs_code: bool = False
    measured: bool = False
