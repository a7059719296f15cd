"""Tables of single pairs, wherever they are: in a folder of their own or in a batch's tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.contracts import ContractError, provenance, read_table
from biomlbench.stages.kinds import shares_jobs
from biomlbench.workflow.assignment import Assignment, pair_folder
from biomlbench.workflow.batch_tables import split

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["PairTables"]


class PairTables:
    """Read the tables of a results folder's pairs.

    Parameters
    ----------
    results : path
    """

    def __init__(self, results: str | Path) -> None:
        self._results = Path(results)
        self._batch_of = Assignment.read(results).batch_of()
        self._batches: dict[tuple[Path, tuple[str, ...]], dict[str, pa.Table]] = {}

    def path(self, stage: str, task: str, run: str, kind: str = "predictions") -> Path:
        """Return the file that holds a stage's rows of a pair."""
        return self._results / self._folder(task, run, kind) / f"{stage}.parquet"

    def _folder(self, task: str, run: str, kind: str) -> str:
        batch = self._batch_of.get((task, run)) if shares_jobs(kind) else None
        return pair_folder(task, run, batch)

    def read(
        self,
        stage: str,
        task: str,
        run: str,
        kind: str = "predictions",
        columns: list[str] | None = None,
    ) -> pa.Table:
        """Return a stage's rows of a pair.

        Only some columns, if so asked: the rest is not read.

        Raises
        ------
        ContractError
            If there is no such table, or it cannot be read.
        """
        path = self.path(stage, task, run, kind)
        if not shares_jobs(kind) or (task, run) not in self._batch_of:
            return read_table(stage, path, columns)
        key = (path, tuple(columns or ()))
        if key not in self._batches:
            known = ["run_id", *(name for name in columns if name != "run_id")] if columns else None
            self._batches[key] = split(read_table(stage, path, known))
        table = self._batches[key][run]
        return table.select(columns) if columns else table

    def values(
        self, stage: str, column: str, task: str, runs: Sequence[tuple[str, str]]
    ) -> list[Any]:
        """Return a value of each of a task's runs, of a stage that has one row a run.

        Each file is read once, as far as the column goes.

        Parameters
        ----------
        stage, column, task : str
        runs : sequence of tuple
            Run and kind.

        Returns
        -------
        list
            In the order of the runs; None where there is no such table, or it cannot be read.
        """
        known: dict[str, object] = {}
        for folder in dict.fromkeys(self._folder(task, run, kind) for run, kind in runs):
            path = self._results / folder / f"{stage}.parquet"
            try:
                table = read_table(stage, path, ["run_id", column])
            except ContractError:
                continue
            both = (table.column(name).to_pylist() for name in ("run_id", column))
            known |= zip(*both, strict=True)
        return [known.get(run) for run, _ in runs]

    def provenance(self, stage: str, task: str, run: str, kind: str) -> JsonObject:
        """Return what the rows of a pair were made from."""
        return provenance(self.path(stage, task, run, kind), run)
