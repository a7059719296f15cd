"""What the report and the figures are made from: the aggregated tables of one results folder."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from biomlbench import contracts
from biomlbench.calibrate import dataset
from biomlbench.frames import as_frame
from biomlbench.outcomes import Fault
from biomlbench.summary.history import FOLDER, history_of

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["CALIBRATION_COLUMNS", "Tables", "arrow_table", "is_run", "loaded"]

CALIBRATION_COLUMNS: dict[str, tuple[str, ...]] = {
    "rates": ("task_id", "scope", "name", "kind", "errors", "n", "rate", "low", "high"),
    "kills": ("task_id", "solution", "label", "check", "killed"),
    "margins": ("task_id", "check", "label", "margin"),
    "flakes": ("task_id", "check", "runs", "disagreements", "rate", "low", "high"),
    "unused_rows": ("setting", "source", "task_id", "run_id", "message"),
}
"""The columns that each calibration table must have; further ones are kept."""


def empty(name: str) -> pd.DataFrame:
    """Return a table without rows: one of the contracts', or one of calibration's."""
    if name in CALIBRATION_COLUMNS:
        return pd.DataFrame(columns=list(CALIBRATION_COLUMNS[name]))
    result: pd.DataFrame = contracts.SCHEMAS[name].empty_table().to_pandas()
    return result


@dataclass(frozen=True)
class Tables:
    """The tables that figures and report read; one that does not exist yet is empty.

    Attributes
    ----------
    pairs, checks, agents, tasks, telemetry : pandas.DataFrame
        As :data:`biomlbench.contracts.SCHEMAS` declares them.
    history : pandas.DataFrame
        The agents of results that were kept, as the contract `history` declares them.
    rates, kills, margins, flakes, unused_rows : pandas.DataFrame
        Calibration's tables, with at least the columns of :data:`CALIBRATION_COLUMNS`; `rates`
        may have a column `week` as well.

    Notes
    -----
    Texts of the `checks` that :meth:`load` reads are categories. Tables of Polars or Arrow become
    pandas'; see :func:`biomlbench.frames.as_frame`.
    """

    pairs: pd.DataFrame = field(default_factory=lambda: empty("pairs"))
    checks: pd.DataFrame = field(default_factory=lambda: empty("checks"))
    agents: pd.DataFrame = field(default_factory=lambda: empty("agents"))
    tasks: pd.DataFrame = field(default_factory=lambda: empty("tasks"))
    telemetry: pd.DataFrame = field(default_factory=lambda: empty("telemetry"))
    history: pd.DataFrame = field(default_factory=lambda: empty("history"))
    rates: pd.DataFrame = field(default_factory=lambda: empty("rates"))
    kills: pd.DataFrame = field(default_factory=lambda: empty("kills"))
    margins: pd.DataFrame = field(default_factory=lambda: empty("margins"))
    flakes: pd.DataFrame = field(default_factory=lambda: empty("flakes"))
    unused_rows: pd.DataFrame = field(default_factory=lambda: empty("unused_rows"))

    def __post_init__(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, as_frame(getattr(self, item.name)))

    @property
    def runs(self) -> pd.DataFrame:
        """The pairs that are real runs, as :func:`is_run` tells them."""
        return self.pairs[is_run(self.pairs)]

    @cached_property
    def _task(self) -> dict[str, dict[Hashable, Any]]:
        return {row["task_id"]: row for row in self.tasks.to_dict("records")}

    def scores(self, column: str, task_id: str) -> np.ndarray:
        """Return a task's finite `leaderboard` or `humans` scores, empty without any."""
        values = self._task.get(task_id, {}).get(column)
        values = np.asarray([] if values is None else values, dtype=float)
        result: np.ndarray = values[np.isfinite(values)]
        return result

    def task_name(self, task_id: str) -> str:
        """Return a task's title, or its id's last part where the table has none."""
        return self._task.get(task_id, {}).get("name") or task_id.rsplit("/", 1)[-1]

    @classmethod
    def load(cls, results: str | Path) -> Tables:
        """Read the tables of a results folder.

        Parameters
        ----------
        results : path
            Holds `pairs.parquet`, and where they exist `checks.parquet`, `agents.parquet`,
            `tasks.parquet`, `telemetry.parquet` (or the data set `telemetry/`),
            `calibration/{rates,kills,margins,flakes,unused_rows}.parquet` and what was kept in
            `history/`.

        Returns
        -------
        Tables

        Raises
        ------
        biomlbench.contracts.ContractError
            If a table cannot be read or lacks a column.
        """
        root = Path(results)
        # The table of checks has by far the most rows.
        found: dict[str, pd.DataFrame | None] = {
            name: _frame(arrow_table(name, root, coded=name == "checks"))
            for name in contracts.QUERIED
        }
        found["history"] = history_of(root).to_pandas()
        found |= {name: _calibration(name, root) for name in CALIBRATION_COLUMNS}
        return cls(**{name: table for name, table in found.items() if table is not None})


def loaded(results: str | Path) -> Tables:
    """Return the tables of a results folder, read once for several figures.

    Parameters
    ----------
    results : path
        As for :meth:`Tables.load`.
    """
    found = (Path(results).glob(f"{deep}*.parquet") for deep in ("", "*/", f"{FOLDER}/*/"))
    paths = sorted(path for some in found for path in some)
    states = tuple((str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in paths)
    return _loaded(str(results), states)


@lru_cache(maxsize=1)
def _loaded(results: str, _states: tuple[tuple[str, int, int], ...]) -> Tables:
    return Tables.load(results)


def is_run(pairs: pd.DataFrame) -> pd.Series:
    """Tell which pairs are real runs.

    Parameters
    ----------
    pairs : pandas.DataFrame
        With the columns `label` and `fault`.

    Returns
    -------
    pandas.Series of bool
        False for controls, which carry a true label, and for rows of run tables that could not be
        used.
    """
    return pairs["label"].isna() & (pairs["fault"] != Fault.RUN_TABLE)


def arrow_table(name: str, root: Path, *, coded: bool = False) -> pa.Table:
    """Read a table over all pairs; one that was not made yet has no rows.

    Parameters
    ----------
    name : str
        One of :data:`biomlbench.contracts.QUERIED`.
    root : Path
        Folder of the results.
    coded : bool
        As for :func:`biomlbench.contracts.read_table`.

    Raises
    ------
    biomlbench.contracts.ContractError
        If it cannot be read, or is `pairs` and was not made.
    """
    single = root / f"{name}.parquet"
    if single.exists() or name == "pairs":
        return contracts.read_table(name, single, coded=coded)
    if name == "telemetry":
        return dataset.read(root / name)
    return contracts.SCHEMAS[name].empty_table()


def _frame(table: pa.Table) -> pd.DataFrame:
    """Return a table as pandas'; coded texts are categories, sorted; equal lists are one object."""
    columns = {name: _series(table.column(name)) for name in table.column_names}
    return pd.DataFrame(columns)


def _series(column: pa.ChunkedArray) -> pd.Series:
    if pa.types.is_dictionary(column.type):
        coded = column.unify_dictionaries().combine_chunks()
        texts = coded.dictionary.to_pylist()
        order = sorted(range(len(texts)), key=texts.__getitem__)
        codes = np.empty(len(texts) + 1, np.int32)
        codes[order] = np.arange(len(texts))
        codes[-1] = -1
        found = coded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
        categories = pd.Index([texts[place] for place in order])
        return pd.Series(pd.Categorical.from_codes(codes[found], categories))
    if pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
        return _of_lists(column)
    plain: pd.Series = column.to_pandas()
    return plain


_BETWEEN = "\x1f"


def _of_lists(column: pa.ChunkedArray) -> pd.Series:
    """Return lists of texts as pandas has them: most rows of a table have one of a few."""
    plain: pd.Series
    items = pc.list_flatten(column)
    if items.null_count or pc.any(pc.match_substring(items, _BETWEEN)).as_py():
        plain = column.to_pandas()
        return plain
    joined = pc.binary_join_element_wise(
        pc.cast(pc.list_value_length(column), pa.string()),
        pc.binary_join(column, _BETWEEN),
        _BETWEEN,
    )
    coded = joined.dictionary_encode().unify_dictionaries().combine_chunks()
    if not len(coded):
        plain = column.to_pandas()
        return plain
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    _, first = np.unique(codes, return_index=True)
    different = column.take(pa.array(first)).to_pandas().to_numpy()
    return pd.Series(different[np.searchsorted(codes[first], codes)], dtype=object)


def _calibration(name: str, root: Path) -> pd.DataFrame | None:
    path = root / "calibration" / f"{name}.parquet"
    if not path.exists():
        return None
    try:
        table: pd.DataFrame = pq.read_table(path, partitioning=None).to_pandas()
    except (pa.ArrowException, OSError) as error:
        raise contracts.ContractError(f"{path}: cannot be read ({error})") from error
    if missing := [c for c in CALIBRATION_COLUMNS[name] if c not in table.columns]:
        raise contracts.ContractError(
            f"{path}: lacks the column(s) {missing}; delete it and calibrate again"
        )
    return table
