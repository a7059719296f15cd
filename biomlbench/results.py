"""A results folder as one object, for notebooks and scripts: tables, pairs, figures.

Nothing is read before it is asked for.

Examples
--------
>>> import biomlbench
>>> results = biomlbench.Results("results")                           # doctest: +SKIP
>>> results.agents[["agent", "verified_medal_rate"]]                  # doctest: +SKIP
>>> results.pair("breast-cancer-wisconsin", "aurora-seed1").verdict   # doctest: +SKIP
>>> results.plot.leaderboards().savefig("boards.png")                 # doctest: +SKIP
"""

from __future__ import annotations

import difflib
import html
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from biomlbench.contracts import QUERIED, ContractError, provenance
from biomlbench.errors import UserError
from biomlbench.frames import in_form
from biomlbench.notebook import html_fields, html_table
from biomlbench.outcomes import Fault
from biomlbench.plain_text import as_python
from biomlbench.report import plots
from biomlbench.report.inputs import Tables, arrow_table, is_run
from biomlbench.scoring.task_report import TaskReport
from biomlbench.stages import STAGES
from biomlbench.summary.history import history_of, kept_in
from biomlbench.workflow.pair_tables import PairTables

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from biomlbench.contracts.mappings import AnyRow, JsonObject
    from biomlbench.report.differing_rows import Differing

__all__ = ["NoSuchPairError", "Pair", "Plots", "Results", "task_among"]

_SHOWN = ("verdict", "reason", "message", "score", "metric", "medal", "leaderboard_percentile")


class NoSuchPairError(UserError, LookupError):
    """A results folder has no such task, or the task no such run."""


@dataclass(frozen=True)
class Pair:
    """A run of a task, with all that was found out about it.

    Attributes
    ----------
    row : dict
        Its row of `pairs`; each column is an attribute as well: ``pair.verdict``.
    checks : object
        Its rows of `checks`, in the form of the results that it is of.
    """

    row: AnyRow
    checks: Any = field(repr=False)
    _results: Results = field(repr=False)

    def __getattr__(self, name: str) -> Any:
        row = self.__dict__.get("row", {})
        if name in row:
            return row[name]
        raise AttributeError(f"a pair has no {name!r}; there are: {', '.join(row)}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.row})

    def stage(self, name: str) -> Any:
        """Return the table that a stage wrote of the pair.

        Parameters
        ----------
        name : str
            ``validate``, ``execute``, ``grade``, ``verify`` or ``medal``.

        Raises
        ------
        ValueError
            If there is no such stage.
        biomlbench.contracts.ContractError
            If there is no such table, as of a row of a run table that could not be used, or it
            cannot be read.
        """
        self._check_stage(name)
        found = PairTables(self._results.folder).read(name, *self._key)
        return in_form(found, self._results.form)

    def made_from(self, stage: str) -> JsonObject:
        """Return what the table of a stage was made from: hashes and versions.

        Parameters
        ----------
        stage : str
            As for :meth:`stage`.

        Raises
        ------
        ValueError, biomlbench.contracts.ContractError
            As for :meth:`stage`.
        """
        self._check_stage(stage)
        return PairTables(self._results.folder).provenance(stage, *self._key)

    def _check_stage(self, name: str) -> None:
        """Refuse a stage that there is not, and any of a pair that no stage has seen."""
        if name not in STAGES:
            raise ValueError(f"no stage {name!r}; there are: {', '.join(STAGES)}")
        if self.row["fault"] == Fault.RUN_TABLE:
            raise ContractError(
                f"{self.row['task_id']} {self.row['run_id']}: is a row of a run table that could "
                f"not be used, so no stage has a table of it: {self.row['message']}"
            )

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.row["task_id"], self.row["run_id"], self.row["kind"]

    def differing_rows(self, other: Pair, most: int = 50) -> Differing:
        """Return the rows on which the predictions of this pair and of another one differ.

        Parameters
        ----------
        other : Pair
            Of the same task and results.
        most : int
            Rows to return.

        Raises
        ------
        biomlbench.report.differing_rows.NotComparableError
            If one has no table of predictions, or it is not what was graded any more.
        """
        from biomlbench.report.differing_rows import Predictions, differing_rows

        return differing_rows(Predictions(self._results.folder), self.row, other.row, most)

    @property
    def report(self) -> TaskReport:
        """The pair as a report of the grading API."""
        return TaskReport.from_pair(self.row)

    def _facts(self) -> AnyRow:
        return {name: self.row[name] for name in _SHOWN if self.row[name] not in (None, "")}

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}={value!r}" for name, value in self._facts().items())
        return f"Pair({self.row['task_id']!r}, {self.row['run_id']!r}: {facts})"

    def _repr_html_(self) -> str:
        return html_fields(
            {"task": self.row["task_id"], "run": self.row["run_id"], **self._facts()}
        )


_OTHER_TABLES = (
    "to change a table, give `dataclasses.replace(results.tables, agents=...)` with a pandas "
    "DataFrame of the same columns"
)
_OF_FIGURES = """Parameters
----------
tables : Tables, optional
    As :attr:`Results.tables`, with all tables; by default those of the results. To draw some of
    their rows: ``dataclasses.replace(results.tables, agents=some)``, where `some` is a pandas
    DataFrame of the same columns.
axes : matplotlib.axes.Axes, optional
    Where to draw; by default in a figure of its own.
"""


class Plots:
    """The figures of the report, each a method: ``results.plot.agent_rates(axes=axes)``.

    Each takes ``tables=``, the :attr:`Results.tables` of these or other results or a changed copy
    of them, and ``axes=``.

    Parameters
    ----------
    results : Results
    """

    def __init__(self, results: Results) -> None:
        self._results = results

    def __getattr__(self, name: str) -> Callable[..., Figure]:
        names = plots.names()
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"no figure {name!r}{meant} There are: {', '.join(names)}")

        def draw(tables: Tables | None = None, axes: Axes | None = None) -> Figure:
            from biomlbench.report.inputs import Tables as AllTables

            if tables is None:
                tables = self._results.tables
            if not isinstance(tables, AllTables):
                raise TypeError(
                    f"tables: a `Tables` is taken, as `Results.tables` of another folder, not a "
                    f"{type(tables).__name__}; {_OTHER_TABLES}"
                )
            return plots.draw(name, tables, axes)

        draw.__name__ = name
        draw.__doc__ = f"{plots.load(name).TITLE}. {plots.load(name).CAPTION}\n\n{_OF_FIGURES}"
        return draw

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *plots.names()]

    def __repr__(self) -> str:
        return f"figures: {', '.join(plots.names())}"


class Results:
    """The results of a benchmark.

    Parameters
    ----------
    folder : path
        Holds `pairs.parquet` and the other tables over all pairs.
    as_ : str
        Form of the tables: ``pandas``, ``polars`` or ``arrow``.

    Attributes
    ----------
    folder : Path
    form : str
    plot : Plots
        The figures.

    Raises
    ------
    biomlbench.contracts.ContractError
        If there are no results.
    ValueError
        If there is no such form.
    """

    def __init__(self, folder: str | Path = "results", as_: str = "pandas") -> None:
        self.folder = Path(folder)
        self.form = as_
        self._read: dict[str, pa.Table] = {}
        in_form(None, as_)
        if not (self.folder / "pairs.parquet").is_file():
            raise ContractError(
                f"{self.folder}: no results, as it has no pairs.parquet; name the folder of a "
                "benchmark, or run the workflow to make it"
            )
        self.plot = Plots(self)

    def table(self, name: str, as_: str | None = None) -> Any:
        """Return a table.

        Parameters
        ----------
        name : str
            ``pairs``, ``checks``, ``agents``, ``tasks`` or ``telemetry``.
        as_ : str, optional
            Form; by default that of the results.

        Returns
        -------
        object
            One that the benchmark has not made yet has no rows.
        """
        return in_form(self._arrow(name), as_ or self.form)

    def _arrow(self, name: str) -> pa.Table:
        if name not in QUERIED:
            raise ValueError(f"no table {name!r}; there are: {', '.join(QUERIED)}")
        if name not in self._read:
            self._read[name] = arrow_table(name, self.folder)
        return self._read[name]

    @property
    def pairs(self) -> Any:
        """All pairs, controls and rows that could not be used as well."""
        return self.table("pairs")

    @property
    def runs(self) -> Any:
        """The pairs that are real runs of agents."""
        pairs = self._arrow("pairs")
        real = is_run(pairs.select(["label", "fault"]).to_pandas())
        return in_form(pairs.filter(real.to_numpy(bool)), self.form)

    @property
    def agents(self) -> Any:
        """Rates of every agent, in all (domain ``all``) and by domain."""
        return self.table("agents")

    @property
    def tasks(self) -> Any:
        """Every task: metric, leaderboard, evidence of its checks."""
        return self.table("tasks")

    @property
    def checks(self) -> Any:
        """Every check of every pair."""
        return self.table("checks")

    @property
    def telemetry(self) -> Any:
        """Week, attempt, hints and times of every pair."""
        return self.table("telemetry")

    @property
    def history(self) -> Any:
        """Rates of every agent in each result that was kept, the oldest first."""
        return in_form(history_of(self.folder), self.form)

    @property
    def kept(self) -> list[Results]:
        """The results that were kept, the oldest first; each has pairs, agents and tasks."""
        return [Results(kept.folder, self.form) for kept in kept_in(self.folder)]

    @cached_property
    def tables(self) -> Tables:
        """All tables, calibration's as well, as figures and report take them."""
        return Tables.load(self.folder)

    @cached_property
    def provenance(self) -> JsonObject:
        """What the tables were made from: hashes of submissions, tasks, code, environment."""
        return provenance(self.folder / "pairs.parquet")

    def pair(self, task: str, run: str) -> Pair:
        """Return a run of a task.

        Parameters
        ----------
        task : str
            Full id, or the bare name where only one task has it.
        run : str

        Raises
        ------
        NoSuchPairError
            If there is none; the message names the nearest.
        TypeError
            If an id is no text.
        """
        for what, given in (("task", task), ("run", run)):
            if not isinstance(given, str):
                raise TypeError(
                    f"the id of a {what} is text: write {str(given)!r}, not {as_python(given)!r}"
                )
        pairs = self._arrow("pairs")
        known = pairs.column("task_id").unique().to_pylist()
        name = task_among(task, known, str(self.folder))
        of_task = pairs.filter(pc.field("task_id") == name)
        rows = of_task.filter(pc.field("run_id") == run).to_pylist()
        if not rows:
            runs = of_task.column("run_id").to_pylist()
            raise NoSuchPairError(f"{self.folder}: {name} has no run {run!r}{_near(run, runs)}")
        both = (pc.field("task_id") == name) & (pc.field("run_id") == run)
        return Pair(rows[0], in_form(self._arrow("checks").filter(both), self.form), self)

    def _sizes(self) -> list[AnyRow]:
        paths = ((name, self.folder / f"{name}.parquet") for name in QUERIED)
        return [
            {"table": name, "rows": pq.read_metadata(path).num_rows}
            for name, path in paths
            if path.is_file()
        ]

    def __repr__(self) -> str:
        counts = {size["table"]: size["rows"] for size in self._sizes()}
        if "agents" in counts:  # which has a row for each of their domains, too
            counts["agents"] = len(self._arrow("agents").column("agent").unique())
        sizes = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        return f"Results({str(self.folder)!r}: {sizes})"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(str(self.folder))}</p>" + html_table(
            ["table", "rows"], self._sizes()
        )


def task_among(task: str, known: list[str], where: str) -> str:
    """Return a task's full id.

    Parameters
    ----------
    task : str
        Full id, or the bare name where only one task has it.
    known : list of str
        Full ids.
    where : str
        What has these tasks, for the message.

    Raises
    ------
    NoSuchPairError
        If none or several are meant; the message names the nearest.

    Examples
    --------
    >>> task_among("caco2-wang", ["drug-discovery/caco2-wang"], "results")
    'drug-discovery/caco2-wang'
    """
    found = [name for name in known if name == task] or [
        name for name in known if name.rpartition("/")[2] == task
    ]
    if len(found) != 1:
        what = f"{len(found)} tasks are named {task!r}" if found else f"no task {task!r}"
        raise NoSuchPairError(f"{where}: {what}{_near(task, found or known)}")
    return found[0]


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 3) or sorted(known)[:3]
    return f"; there are {', '.join(near)}" + (" and others" if len(known) > len(near) else "")
