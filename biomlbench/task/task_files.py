"""Where the files of a task are: its own ones, raw and prepared data, board and baselines."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from biomlbench.errors import LeaderboardError, TaskError
from biomlbench.runtime.regular_file import TooLargeError, kind_in_words, read_regular
from biomlbench.task.submission_columns import is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.contracts.mappings import Config
    from biomlbench.suites.published import Published

__all__ = ["SECTIONS", "TaskFiles", "description_file"]

_BUILT_IN = Path(__file__).absolute().parents[1] / "tasks"
_MOST_OF_A_DESCRIPTION_MB = 16
_WITHOUT_END = frozenset({"cpu_s", "total_wall_s", "total_cpu_s", "total_output_mb"})
"""Limits that there need not be: null."""
_LIMITS = _WITHOUT_END | {
    *("wall_s", "memory_mb", "processes", "file_mb", "open_files", "output_mb", "log_kb"),
    "restarts",
}
_REQUIREMENTS = frozenset({"cpus", "memory_mb", "runtime_min", "gpus", "estimated_runtime_minutes"})
_AMOUNTS = _LIMITS | _REQUIREMENTS
"""Keys of `limits` and `compute_requirements` whose values are numbers."""
SECTIONS = {
    "limits": _LIMITS,
    "compute_requirements": _REQUIREMENTS | {"recommended_gpu_memory_gb"},
    "dataset": frozenset({"answers", "sample_submission", "gold_submission"}),
    "verifier": frozenset({"version"}),
}
"""Keys of sections of a config that no other module checks."""


@dataclass(frozen=True, eq=False)
class TaskFiles:
    """The files of a task, by what its folder and its config say.

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
    """

    id: str
    folder: Path
    data_dir: Path
    config: Mapping[str, Any] = field(repr=False)
    published: Published | None = field(default=None, repr=False)

    @property
    def _where(self) -> str:
        return str(self.folder / "config.yaml")

    def _section(self, key: str) -> Config:
        value = self.config.get(key) or {}
        if not isinstance(value, dict):
            raise TaskError(f"{self._where}: `{key}` must be a mapping, not {value!r}")
        return value

    def _amounts(self, key: str) -> Config:
        """Return a section whose known entries are amounts: of memory, of time, of processes."""
        section = dict(self._section(key))
        for name in sorted(section.keys() & _AMOUNTS):
            value = section[name]
            usable = is_finite(value) and value >= 0
            if not usable and not (value is None and name in _WITHOUT_END):
                raise TaskError(
                    f"{self._where}: `{key}.{name}` must be a number, finite and not negative, "
                    f"not {value!r:.200}"
                )
        return section

    @property
    def kind(self) -> str:
        """``predictions``, or ``functions`` for a problem card."""
        return str(self.config.get("kind") or "predictions")

    @cached_property
    def description(self) -> str:
        """Text of the description, bytes that are no UTF-8 replaced; empty if there is none."""
        path = self.own_description
        try:
            data = read_regular(path, _MOST_OF_A_DESCRIPTION_MB) if path else b""
        except TooLargeError as error:
            raise TaskError(
                f"{path}: larger than {_MOST_OF_A_DESCRIPTION_MB} MiB; shorten it"
            ) from error
        except OSError as error:
            raise TaskError(f"{path}: cannot be read ({error.strerror}); allow it") from error
        return data.decode("utf-8-sig", errors="replace")

    @property
    def own_description(self) -> Path | None:
        """File of the description, or None.

        Raises
        ------
        TaskError
            If it is a link that leads out of the folder of the tasks.
        """
        path = description_file(self.folder, self.config)
        if path.is_file():
            return self._within(path)
        if "description" in self.config and self.published is None and not path.exists():
            raise TaskError(
                f"{self._where}: `description` names {path.name!r}, which does not exist; put the "
                "file there, or correct the name"
            )
        return None

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
        if path.is_file():
            return self._within(path)
        error_of = LeaderboardError if key == "leaderboard" else TaskError
        try:
            kind = kind_in_words(path.stat().st_mode)
        except (OSError, ValueError):
            if isinstance(declared, str):
                told = f"{self._where}: `{key}` names {declared!r}, which does not exist"
                raise error_of(told) from None
            return None
        raise error_of(f"{path}: is {kind}, where a CSV file is wanted; put a file there")

    def _within(self, path: Path) -> Path:
        """Return a file of the task's folder; refuse a link to what does not belong to the tasks.

        What it holds is shown to competitors, and may be any file of who runs the benchmark.
        """
        real = path.resolve()
        in_domain = self.id == f"{self.folder.parent.name}/{self.folder.name}"
        roots = [self.folder, self.folder.parent.parent if in_domain else self.folder.parent]
        if self.published is not None:
            roots.append(self.published.tree)
        # an installer may have made the built-in tasks of links to its own store
        if self.folder.is_relative_to(_BUILT_IN):
            return path
        if not any(real.is_relative_to(root.resolve()) for root in roots):
            raise TaskError(
                f"{path}: is a link that leads out of {roots[1]}, the folder of the tasks; put the "
                "file itself there"
            )
        return path

    def is_prepared(self) -> bool:
        """Whether the answers and the sample submission are there."""
        return self.answers.is_file() and self.sample_submission.is_file()


def description_file(folder: Path, config: Mapping[str, Any]) -> Path:
    """Return where a task's description is: beside its config, whatever path that states.

    Parameters
    ----------
    folder : Path
        Folder of ``config.yaml``.
    config : mapping
        The config, as read.
    """
    return folder / PurePosixPath(str(config.get("description") or "description.md")).name
