"""Why two results differ: what changed in the provenance of a pair between them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pyarrow as pa

from biomlbench.contracts import RUN_METADATA, provenance, read_table
from biomlbench.stages import STAGES
from biomlbench.stages.chain import FINAL
from biomlbench.task.task import ALL_DOMAINS
from biomlbench.verify.near_duplicates import CHECK
from biomlbench.workflow.pair_tables import PairTables
from biomlbench.workflow.record import PLACES, Record, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from biomlbench.contracts.mappings import Config, JsonObject

__all__ = [
    "OF_RUN_TABLE",
    "OTHERS",
    "UNEXPLAINED",
    "Change",
    "Reasons",
    "changed_words",
    "changes_of",
]

UNEXPLAINED = "nothing recorded: the same inputs gave another result"
"""Reason of a difference between two runs whose provenance is the same."""
# Keys of a stage's provenance, and how a person calls what they stand for.
_WORDS = {
    "submission_sha256": "submission",
    "task_fingerprint": "task",
    "prepared": "prepared data",
    "answers_sha256": "answers",
    "leaderboard_sha256": "leaderboard",
    "humans_sha256": "human baselines",
    "audit_sha256": "audit",
    "code": "grader code",
    "settings": "config or seed",
    "environment": "environment",
}
OF_RUN_TABLE = ("agent", "kind", "seed", "label", *(field.name for field in RUN_METADATA))
"""Columns of a pair that nothing but the run table tells."""
_PAIR = ("task_id", "run_id", "domain", *OF_RUN_TABLE)
OTHERS = "other agents' results"
"""Reason of what follows from the runs of other agents."""
_SHORT = 60


class Change(NamedTuple):
    """Something of the provenance that is not the same.

    Attributes
    ----------
    what : str
        Config, run table, submission, task, grader code, environment ...
    name : str
        Which of them.
    old, new : str
        Values or the beginning of hashes; empty for none.
    """

    what: str
    name: str
    old: str
    new: str


def changes_of(old: Path, new: Path) -> list[Change]:
    """Return what differs between the provenance of two results folders.

    Parameters
    ----------
    old, new : Path

    Returns
    -------
    list of Change

    Raises
    ------
    biomlbench.workflow.record.RecordError
        If one of them has no provenance.
    """
    one, other = read_record(old), read_record(new)
    found = list(_changed("config", _settings(one["config"]), _settings(other["config"])))
    found += _changed("run table", one["run_tables"], other["run_tables"])
    found += _changed(
        "submission",
        *({path: s["sha256"] for path, s in r["submissions"].items()} for r in (one, other)),
    )
    tasks = [cast("dict[str, JsonObject]", record["tasks"]) for record in (one, other)]
    for key, what in (
        ("version", "task"),
        ("prepared_sha256", "prepared data"),
        ("leaderboard_sha256", "leaderboard"),
        ("humans_sha256", "human baselines"),
    ):
        found += _changed(what, *({task: t.get(key) for task, t in of.items()} for of in tasks))
    found += _changed("grader code", one["code"], other["code"])
    environments = [record["environment"] for record in (one, other)]
    for name in ("python", "processor", "kernels"):
        found += _changed("environment", *({name: e.get(name)} for e in environments))
    found += _changed("environment", *(e.get("packages", {}) for e in environments))
    return found


def _settings(config: Mapping[str, Any]) -> Config:
    return {key: value for key, value in config.items() if key not in (*PLACES, "runs")}


def _changed(what: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            yield Change(what, name, _text(old.get(name)), _text(new.get(name)))


def _text(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 3]}..."


class Reasons:
    """Why pairs differ between two results folders.

    Parameters
    ----------
    old, new : Path
        With their `pairs` tables.

    Attributes
    ----------
    pairs : list of tuple of str
        Task, run and kind of every pair that could be graded, of either side; sorted. The rows
        of bad lines of a run table have no kind, and no tables.
    differing : set of tuple of str
        Task and run of pairs that are known to differ: those that can make an agent differ.
    """

    def __init__(self, old: Path, new: Path) -> None:
        self._folders = (old, new)
        self._sides = [PairTables(folder) for folder in (old, new)]
        self._found: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self.differing: set[tuple[str, str]] = set()
        rows = [
            row
            for folder in (old, new)
            for row in read_table("pairs", folder / "pairs.parquet", list(_PAIR)).to_pylist()
        ]
        self._of_key: dict[tuple[str, str], list[Config]] = {}
        for row in rows:
            self._of_key.setdefault((row["task_id"], row["run_id"]), []).append(row)
        graded = {(row["task_id"], row["run_id"]): row["kind"] for row in rows if row["kind"]}
        self.pairs = sorted((*key, kind) for key, kind in graded.items())
        self._kinds = graded
        self._rows = rows

    def of(self, table: str, key: Mapping[str, Any]) -> str:
        """Return why a row differs.

        Parameters
        ----------
        table : str
        key : mapping
            What names the row: task, run, agent.

        Returns
        -------
        str
            What changed, parted by commas; :data:`UNEXPLAINED` where nothing is recorded.
        """
        task, run = key.get("task_id"), key.get("run_id")
        if table == "prepare" or (table == "tasks" and task):
            found = self._of_task(str(task))
        elif run is not None and (task, run) in self._kinds:
            last = table if table in STAGES else FINAL
            found = self._of_pair(str(task), run, last)
            if table == "checks" and key.get("check") == CHECK:
                found = (*found, OTHERS)
        elif "agent" in key:
            found = self._of_agent(key["agent"], key["domain"])
        else:
            found = ("run table",) if self._run_tables_differ else ()
        return ", ".join(found) or UNEXPLAINED

    def _of_pair(self, task: str, run: str, last: str) -> tuple[str, ...]:
        """Return what changed of the tables that a stage's is made from, and of its own."""
        if not self._configured(task, run):
            return ("run table",)
        if (task, run, last) not in self._found:
            one, other = self._of_key[task, run]
            told = any(one[name] != other[name] for name in OF_RUN_TABLE)
            words = dict.fromkeys(["run table"] if told else [])
            for stage in STAGES[: STAGES.index(last) + 1]:
                words |= dict.fromkeys(self._of_stage(stage, task, run))
            self._found[task, run, last] = tuple(words)
        return self._found[task, run, last]

    def _of_stage(self, stage: str, task: str, run: str) -> list[str]:
        kind = self._kinds[task, run]
        paths = [side.path(stage, task, run, kind) for side in self._sides]
        one, other = (_provenance(path, run) for path in paths)
        if (one is None) != (other is None):
            return ["stage failed"]
        return list(changed_words(one or {}, other or {}))

    def _configured(self, task: str, run: str) -> bool:
        """Tell whether both sides have the pair, as one that could be graded."""
        rows = self._of_key[task, run]
        return len(rows) > 1 and all(row["kind"] for row in rows)

    def _of_task(self, task: str) -> tuple[str, ...]:
        paths = [folder / "tasks" / task / "prepare.parquet" for folder in self._folders]
        one, other = (_provenance(path) or {} for path in paths)
        records = [cast("JsonObject", r["tasks"].get(task, {})) for r in self._records]
        words = changed_words(one, other)
        for name, word in (("version", "task"), ("leaderboard_sha256", "leaderboard")):
            if records[0].get(name) != records[1].get(name):
                words[word] = None
        return tuple(words)

    def _of_agent(self, agent: str, domain: str) -> tuple[str, ...]:
        words: dict[str, None] = {}
        for row in self._rows:
            key = (row["task_id"], row["run_id"])
            if row["agent"] != agent or domain not in (ALL_DOMAINS, row["domain"]):
                continue
            if row["kind"] and key in self.differing:
                words |= dict.fromkeys(self._of_pair(*key, FINAL))
            elif not row["kind"] and self._run_tables_differ:
                words["run table"] = None
        return tuple(words)

    @cached_property
    def _records(self) -> list[Record]:
        return [read_record(folder) for folder in self._folders]

    @cached_property
    def _run_tables_differ(self) -> bool:
        one, other = (record["run_tables"] for record in self._records)
        return bool(one != other)


def changed_words(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, None]:
    """Return what differs between two records of provenance, in words, each once."""
    return dict.fromkeys(w for key, w in _WORDS.items() if one.get(key) != other.get(key))


def _provenance(path: Path, run: str | None = None) -> JsonObject | None:
    try:
        return provenance(path, run)
    except (OSError, pa.ArrowException, ValueError):
        return None
