"""A task: what its folder and its config say, read once and checked."""

from __future__ import annotations

import difflib
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.submission_columns import SubmissionSchema, is_finite
from biomlbench.task.task_files import SECTIONS, TaskFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from biomlbench.contracts.mappings import Config
    from biomlbench.metrics import Metric
    from biomlbench.scoring.grader import Grader
    from biomlbench.suites.published import Native

__all__ = ["ALL_DOMAINS", "DIRECTIONS", "KINDS", "TASK_ID", "Task", "entry_points_of"]

DIRECTIONS = ("maximize", "minimize")
TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
"""``domain/name``: two names of folders that every path, log and address can hold."""
ALL_DOMAINS = "all"
"""All domains together, in a table of results; no domain may be called so."""
KINDS = ("predictions", "functions")
# Keys that change what is graded and how: one that is misspelt must not pass for a default.
_DECIDING = (
    "compute_requirements",
    "dataset",
    "datasets",
    "environment",
    "grader",
    "human_baselines",
    "installed_data",
    "kind",
    "leaderboard",
    "leaderboard_note",
    "leaderboard_of",
    "limits",
    "noise_floor",
    "preparer",
    "source",
    "submission",
    "verifier",
)
_TEXTS = (
    *("name", "id", "domain", "task_type", "difficulty", "kind", "description"),
    *("leaderboard_note", "leaderboard_of"),
)
"""Keys whose values are text; tables and pages show them."""
_MOST_OF_A_TEXT = 4096
"""Longest value of such a key, bytes: a description stands in a file of its own."""
_ALIKE = 0.85
_DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, eq=False)
class Task(TaskFiles):
    """A task as its folder declares it.

    Notes
    -----
    Its files, and its fields, are those of :class:`biomlbench.task.task_files.TaskFiles`.
    Everything is derived from the fields when it is asked for, so that loading a task reads one
    small file.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", MappingProxyType(dict(self.config)))
        if self.kind not in KINDS:
            raise TaskError(f"{self._where}: kind is {' or '.join(KINDS)}, not {self.kind!r}")
        if self.published is None:
            self._refuse_misspelt()
            self._refuse_other_than_text()
            self._refuse_unusable()
            for section in ("limits", "compute_requirements"):
                self._amounts(section)
        if not self.is_card and not isinstance(self.config.get("grader"), dict):
            told = "there is no `grader`"
            if (given := self.config.get("grader")) is not None:
                told = f"`grader` must be a mapping, as {{metric: rmse}}, not {given!r}"
            raise TaskError(f"{self._where}: {told}; name a `metric` or a `grade_fn` under it")

    def _refuse_misspelt(self) -> None:
        """Refuse a key that looks like one that decides how submissions are graded.

        Others are ignored, as those of the published form that are of no use here; only `limits`
        are none of that form's.
        """
        self._refuse_alike("", self.config, _DECIDING)
        for name, known in SECTIONS.items():
            if isinstance(section := self.config.get(name), dict):
                self._refuse_alike(f"{name}.", section, known)
        limits, own = self.config.get("limits"), sorted(SECTIONS["limits"])
        if isinstance(limits, dict) and (unknown := [key for key in limits if key not in own]):
            raise TaskError(f"{self._where}: `limits` has unknown key(s) {unknown}; known: {own}")

    def _refuse_other_than_text(self) -> None:
        """Refuse a value that is no text, or too long, where tables and pages show it as text."""
        values = {key: self.config.get(key) for key in _TEXTS}
        if isinstance(grader := self.config.get("grader"), dict):
            values["grader.name"] = grader.get("name")
        for key, value in values.items():
            if value is not None and not isinstance(value, str):
                made = "; put it in quotes" if not isinstance(value, (dict, list)) else ""
                raise TaskError(f"{self._where}: `{key}` must be text, not {value!s:.200}{made}")
            if value and len(value.encode("utf-8", "replace")) > _MOST_OF_A_TEXT:
                raise TaskError(
                    f"{self._where}: `{key}` has more than {_MOST_OF_A_TEXT} bytes; shorten it"
                )

    def _refuse_unusable(self) -> None:
        """Refuse values that a stage could only stumble over once submissions are there."""
        floor, own = self.config.get("noise_floor"), self.config.get("environment")
        if isinstance(floor, str):  # as `1e-3` is to YAML
            with suppress(ValueError):
                floor = float(floor)
        if floor is not None and not is_finite(floor):
            raise TaskError(f"{self._where}: `noise_floor` must be a finite number, not {floor!r}")
        is_below = isinstance(own, str) and not own.startswith("/") and ".." not in own.split("/")
        if own is not None and not (is_below and own.strip("./ ")):
            raise TaskError(
                f"{self._where}: `environment` must be the name of a folder in the task's own or "
                f"in envs/, not {own!r}"
            )
        if "installed_data" in self.config:
            from biomlbench.task.installed_data import declared

            declared(self)

    def _refuse_alike(self, place: str, section: Mapping[str, Any], known: Collection[str]) -> None:
        for key in section:
            if near := key not in known and _meant(str(key), known):
                raise TaskError(
                    f"{self._where}: unknown key `{place}{key}`; did you mean `{place}{near}`?"
                )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Task):
            return False
        names = ("id", "folder", "data_dir", "config", "published")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        return hash((self.id, self.folder, self.data_dir))

    def _repr_html_(self) -> str:
        """Return the task's facts as a table, for notebooks."""
        from biomlbench.notebook import html_fields

        of_metric = {}
        if not self.is_card:
            of_metric = {"metric": self.grader.name, "direction": self.direction}
        return html_fields(
            {
                "task": self.id,
                "name": self.name,
                "kind": self.kind,
                "difficulty": self.difficulty,
                **of_metric,
                "leaderboard": "yes" if self.leaderboard else "no",
                "public_data": self.public_dir,
                "prepared": self.public_dir.is_dir(),
            }
        )

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        values = (self.id, self.folder, self.data_dir, dict(self.config), self.published)
        return type(self), values

    @property
    def name(self) -> str:
        """Title."""
        return str(self.config.get("name") or self.id)

    @property
    def domain(self) -> str:
        """First part of the id."""
        return self.id.partition("/")[0]

    @property
    def task_type(self) -> str:
        """What is predicted, for instance ``classification``."""
        return str(self.config.get("task_type") or "prediction")

    @property
    def difficulty(self) -> str:
        """``easy``, ``medium`` or ``hard``."""
        value = str(self.config.get("difficulty") or "medium")
        if value not in _DIFFICULTIES:
            raise TaskError(
                f"{self._where}: difficulty is {', '.join(_DIFFICULTIES)}, not {value!r}"
            )
        return value

    @property
    def is_card(self) -> bool:
        """Whether it is a problem card: checks judge its submissions, and no grader does."""
        return is_card(self.config)

    @property
    def contestants(self) -> str:
        """Who stands on the leaderboard, for instance ``fitted models``; empty: not known."""
        declared = self.config.get("leaderboard_of")
        return str(declared or (self.published.contestants if self.published else ""))

    @property
    def may_grade_apart(self) -> bool:
        """Whether its grader may be one that runs in a process of its own; costs no grader."""
        return self.kind == "predictions" and (
            self.published is not None or "python" in self._section("grader")
        )

    @cached_property
    def grader(self) -> Grader:
        """What turns a submission and the answers into a score."""
        if self.may_grade_apart:
            from biomlbench.suites.graders import published_grader

            return published_grader(self)
        from biomlbench.scoring.grader import Grader

        try:
            return Grader.from_config(self._section("grader"), self.folder, self.submission)
        except TaskError as error:
            raise TaskError(f"{self._where}: {error.message}", error.reason) from error

    @property
    def metric(self) -> Metric | None:
        """The registered metric, or None where a function of the task grades."""
        return None if self.is_card else self.grader.metric

    @cached_property
    def direction(self) -> str:
        """``maximize`` or ``minimize``.

        Raises
        ------
        TaskError
            If neither the grader nor the leaderboard says which.
        """
        return self._direction[0]

    @property
    def direction_source(self) -> str:
        """Where the direction is from: ``declared``, or ``leaderboard`` for an inferred one."""
        # The config alone tells in most cases, and costs no grader.
        if self._section("grader").keys() & {"metric", "direction", "is_lower_better"}:
            return "declared"
        return self._direction[1]

    @cached_property
    def _direction(self) -> tuple[str, str]:
        if self.is_card:
            return "maximize", "declared"
        if self.grader.direction:
            return self.grader.direction, "declared"
        from biomlbench.scoring.leaderboard import direction_of_file

        if self.leaderboard and (direction := direction_of_file(self.leaderboard)):
            return direction, "leaderboard"
        raise TaskError(
            f"{self._where}: whether a lower score is better is not declared, and no leaderboard "
            "shows it; add `direction: minimize` or `direction: maximize` under `grader`"
        )

    @property
    def is_lower_better(self) -> bool:
        """Whether a lower score is better."""
        return self.direction == "minimize"

    @cached_property
    def submission(self) -> SubmissionSchema:
        """Columns of a submission, as far as the config, or a known grader, declares them."""
        section: Mapping[str, Any] = self._section("submission")
        if "submission" not in self.config and self._known_grader is not None:
            section = dict(self._known_grader.submission)
        return SubmissionSchema.from_config(section, self._where)

    @property
    def grader_notes(self) -> tuple[str, ...]:
        """Where a published grader differs from its task's description, as far as is known."""
        return self._known_grader.notes if self._known_grader else ()

    @cached_property
    def _known_grader(self) -> Native | None:
        if self.published is None:
            return None
        from biomlbench.suites.published import native_grader

        return native_grader(self.published, self.folder)

    @property
    def limits(self) -> Config:
        """Limits of the sandbox, for submitted programs."""
        return self._amounts("limits")

    @property
    def compute(self) -> Config:
        """Compute requirements, for instance ``memory_mb``.

        The published form says ``estimated_runtime_minutes``; the GPU that it recommends is not
        asked for, as the work can be done without.
        """
        values = self._amounts("compute_requirements")
        if self.published is not None and values.get("estimated_runtime_minutes"):
            values.setdefault("runtime_min", values["estimated_runtime_minutes"])
        return values

    @property
    def prepare_fn(self) -> Callable[..., Any]:
        """Function that prepares the data.

        Raises
        ------
        TaskError
            If the config names none, or one that does not exist.
        """
        from biomlbench.task.loading import load_function

        reference = self.config.get("preparer")
        if not reference:
            raise TaskError(f"{self._where}: there is no `preparer`")
        return load_function(reference, self.folder)


def _meant(key: str, known: Collection[str]) -> str:
    """Return the known key that an unknown one is like, or the beginning of; empty for none."""
    near = difflib.get_close_matches(key.lower(), known, 1, _ALIKE)
    near += sorted(name for name in known if name.startswith(f"{key.lower()}_"))
    return near[0] if near else ""


def is_card(config: Mapping[str, Any]) -> bool:
    """Tell whether a config is that of a problem card."""
    return config.get("kind") == "functions"


def entry_points_of(folder: Path, config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the functions that a submission to a problem card defines.

    Raises
    ------
    TaskError
        If the config does not list them.
    """
    names: Any = config.get("entry_points")
    valid = (
        isinstance(names, list)
        and names
        and all(isinstance(name, str) and name.isidentifier() for name in names)
    )
    if not valid:
        raise TaskError(
            f"{folder / 'config.yaml'}: `entry_points` must list the functions that a candidate "
            "defines, such as [fit]"
        )
    return tuple(names)


def slug(text: str) -> str:
    """Return a lower-case word with hyphens, as task ids are made of.

    Examples
    --------
    >>> slug("Drug discovery")
    'drug-discovery'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
