"""What the config's section `calibration` may say, with defaults."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biomlbench.calibrate.gate import Allowed
from biomlbench.calibrate.mutants import HELD_OUT, INPUTS, SECOND_ORDER, TRAINING, WANTED
from biomlbench.calibrate.unused_rows import FLAKE_RUNS, IN_CONFIG, Unused
from biomlbench.errors import TaskError
from biomlbench.runtime.words import counted
from biomlbench.stages.kinds import has_cases
from biomlbench.workflow.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from biomlbench.task.registry import Registry
    from biomlbench.workflow.runs import Run

__all__ = ["BATCH_SIZE", "LABELLED", "Settings", "batches"]

logger = logging.getLogger(__name__)

LABELLED = "labelled"
"""Batch of all controls that are no mutants."""
BATCH_SIZE = 10
"""Mutants of one job: what a kill may cost."""

_NAMED = 10  # tasks that an example of the config has at most
_KEYS = ("tasks", "mutants", "held_out", "second_order", "inputs", "flake_trials", "flake_limit",
         "flake_runs", "adjudications", "allowed", "strict")  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """How to calibrate.

    Attributes
    ----------
    tasks : tuple of str
        Full ids; empty for all problem cards and all prediction tasks that have runs.
    mutants, held_out, second_order : int
        Live mutants a card, of each family.
    inputs : int
        Generated inputs for equivalence.
    flake_trials : int
        Repeats under each changed condition.
    flake_limit : float
        Flake rate from which on a check is proposed to be advisory.
    flake_runs : tuple of (str, str)
        Tasks and runs whose submissions are run again and again, beside the cards' own right
        solutions.
    adjudications : str or None
        CSV file.
    allowed : Allowed
    strict : bool
        Whether a task above the allowed rates fails the run.
    """

    tasks: tuple[str, ...] = ()
    mutants: int = WANTED[TRAINING]
    held_out: int = WANTED[HELD_OUT]
    second_order: int = WANTED[SECOND_ORDER]
    inputs: int = INPUTS
    flake_trials: int = 2
    flake_limit: float = 0.0
    flake_runs: tuple[tuple[str, str], ...] = ()
    adjudications: str | None = None
    allowed: Allowed = field(default_factory=Allowed)
    strict: bool = False

    @classmethod
    def of(cls, section: Mapping[str, Any] | None) -> Settings:
        """Read the section.

        Parameters
        ----------
        section : mapping or None

        Returns
        -------
        Settings

        Raises
        ------
        ConfigError
            If there is a key that is not known.
        """
        section = dict(section or {})
        if unknown := sorted(set(section) - set(_KEYS)):
            raise ConfigError(
                f"config: `calibration`: unknown key(s) {', '.join(unknown)}; "
                f"allowed: {', '.join(_KEYS)}"
            )
        section["tasks"] = tuple(section.get("tasks", ()))
        runs = section.get("flake_runs", ())
        section["flake_runs"] = tuple((run["task_id"], run["run_id"]) for run in runs)
        section["allowed"] = Allowed.of(section.get("allowed", {}))
        return cls(**section)

    @property
    def wanted(self) -> dict[str, int]:
        """Live mutants a card, by family."""
        return {TRAINING: self.mutants, HELD_OUT: self.held_out, SECOND_ORDER: self.second_order}

    def task_ids(self, registry: Registry, with_runs: Iterable[str] = ()) -> list[str]:
        """Return the tasks to be calibrated, sorted.

        Parameters
        ----------
        registry : Registry
        with_runs : iterable of str
            Tasks that have runs; their data is prepared anyway.

        Returns
        -------
        list of str
        """
        if self.tasks:
            return sorted(registry.get_task(name).id for name in self.tasks)
        names = registry.list_task_ids()
        cards = [n for n in names if _has_verifier(registry, n)]
        return sorted({*cards, *with_runs})

    def why_these(self, task_ids: Iterable[str], with_runs: Iterable[str] = ()) -> str:
        """Say why tasks are calibrated that have no runs, and how to leave them out.

        Parameters
        ----------
        task_ids, with_runs : iterable of str
            As :meth:`task_ids` returns and takes them.

        Returns
        -------
        str
            Empty where the config names the tasks, or all have runs.
        """
        own = sorted(set(with_runs))
        names = list(task_ids)
        others = len(set(names) - set(own))
        if self.tasks or not others:
            return ""
        example = f"[{', '.join(own)}]" if 0 < len(own) <= _NAMED else "[<task>, ...]"
        return (
            f"calibrating {counted(len(names), 'task')}: all problem cards, {others} of them "
            "without runs here, and the prediction tasks that have runs, as the config names none; "
            f"to calibrate fewer, name them there: `calibration: {{tasks: {example}}}`"
        )

    def runs_to_repeat(
        self, runs: Mapping[tuple[str, str], Run]
    ) -> tuple[list[tuple[str, str]], list[Unused]]:
        """Return the runs that are to be run again and again.

        Parameters
        ----------
        runs : mapping
            (task, run) to configured run.

        Returns
        -------
        found : list of (str, str)
            Sorted.
        unused : list of Unused
            Those that are not configured, or are no runs of a problem card.
        """
        found, unused = [], []
        for key in sorted(set(self.flake_runs)):
            if key not in runs:
                why = "there is no such run in the run tables; correct the task or the run"
            elif not has_cases(runs[key].kind):
                why = "only problem cards have cases that can be repeated; delete the entry"
            else:
                found.append(key)
                continue
            unused.append(Unused(FLAKE_RUNS, IN_CONFIG, *key, why))
        return found, unused


def _has_verifier(registry: Registry, name: str) -> bool:
    try:
        task = registry.get_task(name)
    except TaskError as error:
        # A broken task must not keep the others from being calibrated.
        logger.warning("%s is not calibrated: %s", name, error)
        return False
    return task.is_card and (task.folder / "verifier.yaml").is_file()


def batches(kind: str, wanted: Mapping[str, int]) -> list[str]:
    """Return the names of a task's batches.

    Parameters
    ----------
    kind : str
        Of the task: functions or predictions.
    wanted : mapping
        Live mutants that are wanted, by family.

    Returns
    -------
    list of str

    Examples
    --------
    >>> batches("functions", {"mutant": 15, "held_out_mutant": 10})
    ['labelled', 'mutant-1', 'mutant-2', 'held_out_mutant-1']
    >>> batches("predictions", {"mutant": 15})
    ['labelled']
    """
    if not has_cases(kind):
        return [LABELLED]
    return [
        LABELLED,
        *(
            f"{family}-{number + 1}"
            for family, count in wanted.items()
            for number in range(-(-count // BATCH_SIZE))
        ),
    ]
