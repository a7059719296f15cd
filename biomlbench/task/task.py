"""A task: what its folder and its config say, read once and checked."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from biomlbench.errors import LeaderboardError, TaskError
from biomlbench.task.submission_columns import SubmissionSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from biomlbench.contracts.mappings import Config
    from biomlbench.metrics import Metric
    from biomlbench.scoring.grader import Grader
    from biomlbench.suites.published import Native, Published

__all__ = ["DIRECTIONS", "KINDS", "TASK_ID", "Task"]

DIRECTIONS = ("maximize", "minimize")
TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
"""``domain/name``: two names of folders that every path, log and address can hold."""
KINDS = ("predictions", "functions")
# Keys that change what is graded and how: one that is misspelt must not pass for a default.
_DECIDING = (
    "compute_requirements",
    "dataset",
    "datasets",
    "environment",
    "grader",
    "installed_data",
    "leaderboard",
    "leaderboard_note",
    "leaderboard_of",
    "limits",
    "preparer",
    "source",
    "submission",
    "verify",
)
_ALIKE = 0.85
_DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, eq=False)
class Task:
    """A task as its folder declares it.

    Attributes
    ----------
    id : str
        ``domain/name``; the folder decides.
    folder : Path
        Folder of ``config.yaml``.
    data_dir : Path
        Folder under which prepared data lie, in ``<data_dir>/<task id>/``.
    config : Mapping
        The config, as read.
    published : Published or None
        Where a folder in the published form comes from.

    Notes
    -----
    Everything else is derived from these when it is asked for, so that loading a task reads
    one small file.
    """

    id: str
    folder: Path
    data_dir: Path
    config: Mapping[str, Any] = field(repr=False)
    published: Published | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", MappingProxyType(dict(self.config)))
        if self.kind not in KINDS:
            raise TaskError(f"{self._where}: kind is {' or '.join(KINDS)}, not {self.kind!r}")
        if self.published is None:
            self._refuse_misspelt()
        if not self.is_card and not isinstance(self.config.get("grader"), dict):
            raise TaskError(
                f"{self._where}: there is no `grader`; name a `metric` or a `grade_fn` under it"
            )

    def _refuse_misspelt(self) -> None:
        """Refuse a key that looks like one that decides how submissions are graded."""
        for key in self.config:
            near = difflib.get_close_matches(str(key), _DECIDING, 1, _ALIKE)
            if near and key not in _DECIDING and near[0] not in self.config:
                raise TaskError(f"{self._where}: unknown key `{key}`; did you mean `{near[0]}`?")

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
    def _where(self) -> str:
        return str(self.folder / "config.yaml")

    def _section(self, key: str) -> Config:
        value = self.config.get(key) or {}
        if not isinstance(value, dict):
            raise TaskError(f"{self._where}: `{key}` must be a mapping, not {value!r}")
        return value

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
    def kind(self) -> str:
        """``predictions``, or ``functions`` for a problem card."""
        return str(self.config.get("kind") or "predictions")

    @property
    def is_card(self) -> bool:
        """Whether it is a problem card: checks judge its submissions, and no grader does."""
        return is_card(self.config)

    @cached_property
    def description(self) -> str:
        """Text of the description; empty if there is none."""
        path = self.folder / PurePosixPath(self.config.get("description") or "description.md").name
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    @property
    def raw_dir(self) -> Path:
        """Folder of the raw files."""
        return self.home / "raw"

    @property
    def home(self) -> Path:
        """Folder of the task's raw and prepared files.

        That of the suite's own id, where the suite's id is another one and has data.
        """
        if self.published is not None:
            own = self.data_dir / self.published.path
            if self.published.path != self.id and own.is_dir():
                return own
        return self.data_dir / self.id

    @property
    def prepared_dir(self) -> Path:
        """Folder that holds the public and the private one."""
        return self.home / "prepared"

    @property
    def public_dir(self) -> Path:
        """Folder of the files that a competitor gets.

        That of the sample submission, but where a published config has that among the answers.
        """
        folder, private = self._data_file("sample_submission").parent, self.private_dir
        if folder == private or folder in private.parents:
            return self.prepared_dir / "public"
        return folder

    @property
    def private_dir(self) -> Path:
        """Folder of the answers."""
        return self._data_file("answers").parent

    @cached_property
    def answers(self) -> Path:
        """File of the answers."""
        return self._data_file("answers")

    @cached_property
    def sample_submission(self) -> Path:
        """File of the sample submission."""
        return self._data_file("sample_submission")

    @cached_property
    def gold_submission(self) -> Path:
        """File of a submission with the metric's best value."""
        declared = self._dataset.get("gold_submission")
        return self._place(declared) if declared else self.private_dir / "gold_submission.csv"

    @property
    def _dataset(self) -> Config:
        if "datasets" not in self.config:
            return self._section("dataset")
        datasets = self._section("datasets")
        if len(datasets) != 1 or not isinstance(next(iter(datasets.values())), dict):
            raise TaskError(f"{self._where}: `datasets` must hold exactly one dataset")
        ((dataset_id, dataset),) = datasets.items()
        folders = {"answers": "private", "sample_submission": "public"}
        return {
            key: f"prepared/{dataset_id}/{folders[key]}/{value}" if key in folders else value
            for key, value in dataset.items()
        }

    def _data_file(self, key: str) -> Path:
        default = {
            "answers": "prepared/private/answers.csv",
            "sample_submission": "prepared/public/sample_submission.csv",
        }[key]
        return self._place(self._dataset.get(key) or default)

    def _place(self, declared: str) -> Path:
        """Resolve a path of the config.

        The published format starts its paths with the task's own id, ours with ``prepared``.
        Where both places exist the task's own folder comes first.
        """
        path = PurePosixPath(declared)
        if path.is_absolute() or ".." in path.parts:
            raise TaskError(f"{self._where}: {declared!r} must be a path inside the data folder")
        own = path
        if "prepared" in path.parts:
            own = PurePosixPath(*path.parts[path.parts.index("prepared") :])
        first = self.home / own
        if not first.exists() and path != own and (self.data_dir / path).exists():
            return self.data_dir / path
        return first

    @property
    def leaderboard(self) -> Path | None:
        """File of the leaderboard, or None: then the task awards no medals.

        A ``leaderboard.csv`` among the prepared data, which belongs to these very data; without
        one, the suite's for a published task, else the task's own.
        """
        if self.kind == "predictions":
            for folder in (self.public_dir, self.private_dir, self.prepared_dir):
                if (path := folder / "leaderboard.csv").is_file():
                    return path
        own = self._own_file("leaderboard")
        if self.published is None:
            return own
        from biomlbench.suites.checkout import is_pointer

        return self.published.board or (own if own and not is_pointer(own) else None)

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

    @property
    def human_baselines(self) -> Path | None:
        """File of the human baselines, or None; those among the prepared data come first."""
        prepared = self.public_dir / "human_baselines.csv"
        own = prepared if prepared.is_file() else self._own_file("human_baselines")
        if own is None and self.published and self.published.humans and self.leaderboard:
            from biomlbench.suites.published import derived_humans

            return derived_humans(self.published, self.leaderboard)
        return own

    def _own_file(self, key: str) -> Path | None:
        declared = self.config.get(key)
        path = self.folder / (declared if isinstance(declared, str) else f"{key}.csv")
        if isinstance(declared, str) and not path.is_file():
            kind = LeaderboardError if key == "leaderboard" else TaskError
            raise kind(f"{self._where}: `{key}` names {declared!r}, which does not exist")
        return path if path.is_file() else None

    @cached_property
    def grader(self) -> Grader:
        """What turns a submission and the answers into a score."""
        if self.may_grade_apart:
            from biomlbench.suites.graders import published_grader

            return published_grader(self)
        from biomlbench.scoring.grader import Grader

        return Grader.from_config(self._section("grader"), self.folder, self.submission)

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
        return dict(self._section("limits"))

    @property
    def compute(self) -> Config:
        """Compute requirements, for instance ``memory_mb``.

        The published form says ``estimated_runtime_minutes``; the GPU that it recommends is not
        asked for, as the work can be done without.
        """
        values = dict(self._section("compute_requirements"))
        if self.published is not None and values.get("estimated_runtime_minutes"):
            values.setdefault("runtime_min", values["estimated_runtime_minutes"])
        return values

    @property
    def verify(self) -> Path | None:
        """File of the verifier's config, or None."""
        declared = self.config.get("verify")
        path = self.folder / (declared if isinstance(declared, str) else "verifier.yaml")
        return path if path.is_file() else None

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

    def is_prepared(self) -> bool:
        """Whether the answers and the sample submission are there."""
        return self.answers.is_file() and self.sample_submission.is_file()


def is_card(config: Mapping[str, Any]) -> bool:
    """Tell whether a config is that of a problem card."""
    return config.get("kind") == "functions"


def slug(text: str) -> str:
    """Return a lower-case word with hyphens, as task ids are made of.

    Examples
    --------
    >>> slug("Drug discovery")
    'drug-discovery'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
