"""A task as a pair is graded on it: what its folder declares, and what the config changes.

Whoever needs a task's verifier, leaderboard, limits, metric or direction takes it from here, so
that no two parts of the library have different opinions of one task.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.outcomes import Verifier

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from biomlbench.contracts.mappings import Config
    from biomlbench.scoring.leaderboard import Leaderboard
    from biomlbench.scoring.stored_audit import StoredAudit
    from biomlbench.task.task import Task

__all__ = ["EffectiveTask", "declared_verifier"]

_SHARE = (0.0, 1.0)
"""Range of the score of a problem card: a share of its checks."""


@dataclass(frozen=True)
class EffectiveTask:
    """A task after the config's changes.

    Attributes
    ----------
    task : Task
        As its folder declares it.
    overrides : mapping
        The task's section under ``tasks`` in the workflow's config, or a part of it.
    """

    task: Task
    overrides: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def check(self) -> None:
        """Refuse changes that contradict the task.

        Raises
        ------
        TaskError
            Naming the key of the config.
        """
        self._refuse_verifier()

    @property
    def verifier(self) -> Verifier:
        """Which verifier decides: ``v1``, ``shadow`` or ``v2``.

        Raises
        ------
        TaskError
            If the config asks for a verifier that the task does not have.
        """
        self._refuse_verifier()
        if not self.task.is_card:
            return Verifier.V2
        wanted = self.overrides.get("verifier")
        return Verifier(wanted) if wanted else declared_verifier(self.task.folder, self.task.config)

    @property
    def _has_checks(self) -> bool:
        return (self.task.folder / "verifier.yaml").is_file()

    def _refuse_verifier(self) -> None:
        wanted = self.overrides.get("verifier")
        if wanted is None:
            return
        there: tuple[str, ...] = tuple(Verifier)
        why = ""
        if not self.task.is_card:
            there, why = (Verifier.V2,), "only problem cards have the old checks"
        elif not self._has_checks:
            there, why = (Verifier.V1,), f"{self.task.folder} has no verifier.yaml"
        if wanted not in there:
            raise TaskError(
                f"config: `tasks.{self.task.id}.verifier` is {wanted}, but {why}; leave it out"
            )

    @property
    def ranks_by_hidden(self) -> bool:
        """Whether a card's score counts the hidden checks: only where these decide alone."""
        return self.verifier is Verifier.V2

    @property
    def metric_name(self) -> str:
        """What the score is called: the metric, or for a card which checks are counted."""
        if self.task.is_card:
            return f"{'hidden' if self.ranks_by_hidden else 'visible'}_checks"
        metric = self.task.metric
        return metric.name if metric else self.task.grader.name

    @property
    def direction(self) -> str:
        """``maximize`` or ``minimize``; the config's leaderboard does not change it.

        Raises
        ------
        TaskError
            If the task does not say.
        """
        return self.task.direction

    @property
    def score_range(self) -> tuple[float, float] | None:
        """Lowest and highest score there can be; None where a function of the task grades."""
        if self.task.is_card:
            return _SHARE
        return self.task.metric.range if self.task.metric else None

    @cached_property
    def leaderboard(self) -> Path | None:
        """File that scores are ranked against, or None: then there are no medals."""
        changed = self.overrides.get("leaderboard")
        return Path(changed) if changed else self.task.leaderboard

    @property
    def leaderboard_note(self) -> str | None:
        """How the leaderboard came to be; the task's own note says nothing of another board."""
        if "leaderboard" in self.overrides:
            return "another than the task's own, named in the benchmark's config"
        note: str | None = self.task.config.get("leaderboard_note")
        return note

    def read_leaderboard(self, direction: str | None = None) -> Leaderboard | None:
        """Return the leaderboard, checked against direction and range of the score.

        Parameters
        ----------
        direction : str, optional
            By default the task's.

        Raises
        ------
        LeaderboardError
            If it is empty, broken, or contradicts the metric.
        """
        if self.leaderboard is None:
            return None
        from biomlbench.scoring.leaderboard import read_leaderboard

        own = "leaderboard" not in self.overrides
        return read_leaderboard(
            *(self.leaderboard, direction or self.direction, self.score_range),
            team_names=not (own and self.task.published),
        )

    def medal_note(self, board: Leaderboard | None, direction: str) -> str:
        """Return what is to be known of medals on a leaderboard of this task."""
        from biomlbench.scoring.medals import medal_note

        inferred = self.task.direction_source == "leaderboard"
        contestants = "" if "leaderboard" in self.overrides else self.task.contestants
        return medal_note(board, direction, contestants, inferred=inferred)

    @cached_property
    def human_baselines(self) -> Path | None:
        """File of the human baselines, or None."""
        return self.task.human_baselines

    def read_humans(self, *, quiet: bool = True) -> np.ndarray | None:
        """Return the human scores, or None.

        Parameters
        ----------
        quiet : bool
            As for :func:`biomlbench.scoring.humans.read_human_baselines`.

        Raises
        ------
        TaskError
            If the file is broken, or holds a score that the metric cannot have.
        """
        if self.human_baselines is None:
            return None
        from biomlbench.scoring.humans import read_human_baselines

        return read_human_baselines(self.human_baselines, self.score_range, quiet=quiet)

    @cached_property
    def audit(self) -> Path | None:
        """File with the findings of an audit: the results' own, or else beside the data."""
        from biomlbench.scoring.stored_audit import FILE

        stored = self.overrides.get("audit")
        path = Path(stored) if stored else self.task.home / "audit" / FILE
        return path if path.is_file() else None

    def read_audit(self) -> StoredAudit | None:
        """Return what an audit has found, or None where there was none.

        Raises
        ------
        TaskError
            If the file is broken.
        """
        if self.audit is None:
            return None
        from biomlbench.scoring.stored_audit import read_stored_audit

        return read_stored_audit(self.audit, self.task)

    def limits(self, defaults: Mapping[str, Any]) -> Config:
        """Return the sandbox's limits as declared: defaults, the task's, the config's for it."""
        return {**defaults, **self.task.limits, **self.overrides.get("limits", {})}

    def repeats(self, default: int) -> int:
        """Return how often each hidden case is executed."""
        return int(self.overrides.get("repeats", default))


def declared_verifier(folder: Path, config: Mapping[str, Any]) -> Verifier:
    """Return the verifier that a card asks for.

    Parameters
    ----------
    folder : Path
        The card's.
    config : mapping
        Its ``config.yaml``.

    Returns
    -------
    Verifier
        By default v2, or v1 for a card without checks of its own.

    Raises
    ------
    TaskError
        If there is no such verifier, or it needs checks that the card does not have.
    """
    declared = config.get("verifier") or {}
    version = declared.get("version") if isinstance(declared, dict) else declared
    has_checks = (folder / "verifier.yaml").is_file()
    if not version:
        return Verifier.V2 if has_checks else Verifier.V1
    if version not in set(Verifier):
        raise TaskError(
            f"{folder / 'config.yaml'}: verifier version is one of {', '.join(Verifier)}, "
            f"not {version!r}"
        )
    if version != Verifier.V1 and not has_checks:
        raise TaskError(
            f"{folder / 'config.yaml'}: verifier version {version} needs a verifier.yaml; "
            "`biomlbench migrate` writes a first one"
        )
    return Verifier(version)
