"""Run a benchmark again in another folder, and compare the results."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.contracts import read_table, write_table
from biomlbench.reproduce.compare import Comparison, compare
from biomlbench.reproduce.inputs import Inputs, NotAgain
from biomlbench.reproduce.layout import ReproduceError, lay_out
from biomlbench.reproduce.left_out_rows import leave_out_outside
from biomlbench.reproduce.received import check_record, own_tasks, restricted
from biomlbench.runtime.files import is_workflow, workflow_root
from biomlbench.runtime.threads import KERNELS
from biomlbench.runtime.words import counted
from biomlbench.stages.provenance import environment
from biomlbench.workflow.command import place_of_profile
from biomlbench.workflow.record import RECORD, read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from biomlbench.workflow.record import Record


__all__ = ["DIFFERENCES", "find_workflow", "reproduce", "run", "same_kernels"]

DIFFERENCES = "differences.parquet"
"""Table of the differences, in the folder of the rerun."""

_WITHOUT_AVX512 = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SKX AVX512_ICL AVX512_SPR",
}

log = logging.getLogger(__name__)


def reproduce(
    results: str | Path,
    into: str | Path,
    *,
    cores: int = 1,
    profile: str | None = None,
    keep_data: bool = False,
    workflow: str | Path | None = None,
    archived: bool = False,
    trust_code: bool = False,
    say: Callable[[str], None] = log.info,
) -> tuple[Comparison, list[NotAgain]]:
    """Run a benchmark again and compare.

    Parameters
    ----------
    results : path
        Results of the benchmark, with their provenance.
    into : path
        Folder for the rerun; absent or empty. The results will be in ``<into>/results``, the
        differences in ``<into>/differences.parquet``.
    cores : int
        CPU cores for the workflow.
    profile : str, optional
        Profile of Snakemake beside the default one: a folder, or the name of one of ours.
    keep_data : bool
        Take the prepared data as they are instead of preparing them again.
    workflow : path, optional
        Folder of the Snakefile; by default as :func:`find_workflow` finds it.
    archived : bool
        The results come out of an archive: nothing outside it is read for them, and the workflow
        is never one that lies beside them.
    trust_code : bool
        Run an archive's own tasks, which are code outside the sandbox.
    say : callable
        Told what is being done.

    Returns
    -------
    Comparison
    list of NotAgain
        What could not be run again as it was; its pairs are among the differences.

    Raises
    ------
    ReproduceError
        If it cannot be laid out or run.
    biomlbench.contracts.ContractError
        If the results have no provenance, or cannot be read.
    """
    results, into = Path(results), Path(into)
    folder = None if profile is None else _folder_of(profile)
    record, untrusted = read_record(results), list[NotAgain]()
    check_record(record)
    if archived:
        record, untrusted = restricted(record, trust_code=trust_code)
    inputs = Inputs(record, results)
    if untrusted:
        runs = inputs.runs_of()
        untrusted = [item._replace(runs=runs.get(item.path, item.runs)) for item in untrusted]
    left_out = _untrusted(record, inputs) if archived and not trust_code else None
    if left_out:
        say(left_out.told)
    root = Path(workflow) if workflow else find_workflow(Path.cwd() if archived else inputs.base)
    say(f"laying out {len(inputs.record['submissions'])} submissions in {into}")
    without = left_out.rows if left_out else ()
    missing = untrusted + lay_out(inputs, into, keep_data=keep_data, without=without)
    if archived and not trust_code:
        leave_out_outside(dict.fromkeys([*record["run_tables"], *record["config"]["runs"]]), into)
    say(f"running {root / 'Snakefile'} in {into}")
    kernels = same_kernels(inputs.record["environment"], environment())
    run(root, into, cores, kernels, folder)
    comparison = compare(results, into / "results", left_out.tasks if left_out else ())
    write_table("differences", comparison.table(), into / DIFFERENCES)
    return comparison, missing


class _LeftOut(NamedTuple):
    """The tasks that are not run again, the rows of run tables that name them, what is told."""

    tasks: frozenset[str]
    rows: tuple[str, ...]
    told: str


def _untrusted(record: Record, inputs: Inputs) -> _LeftOut | None:
    """Return which tasks of an archive are not trusted; None if all are built in.

    Raises
    ------
    ReproduceError
        If there are runs of no other task.
    """
    tasks = own_tasks(record)
    runs = read_table("pairs", inputs.results / "pairs.parquet", ["task_id", "source"]).to_pylist()
    rows = tuple(run["source"] for run in runs if run["task_id"] in tasks)
    if not rows:
        return None
    told = (
        f"{counted(len(rows), 'run')} of {counted(len(tasks), 'task')} that are not built in need "
        "--trust-code, since such tasks are code that runs outside the sandbox: read them in "
        f"{inputs.base}, then say --trust-code, with another folder for --into"
    )
    if all(run["task_id"] in tasks for run in runs if run["task_id"] in record["tasks"]):
        raise ReproduceError(f"nothing is left to be run again: {told}")
    return _LeftOut(tasks, rows, f"left out and not compared: {told}")


def find_workflow(base: str | Path) -> Path:
    """Return the folder of the workflow: beside the results, here, or the library's own.

    Parameters
    ----------
    base : path
        Folder of the benchmark.

    Raises
    ------
    ReproduceError
        If it is in none of them.
    """
    for place in (Path(base), Path.cwd()):
        if is_workflow(place):
            return place.absolute()
    try:
        return workflow_root()
    except FileNotFoundError as error:
        raise ReproduceError(str(error)) from None


def same_kernels(then: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables by which numerical libraries use the code that they used then.

    Parameters
    ----------
    then, now : mapping
        As :func:`biomlbench.stages.provenance.environment` returns them.

    Returns
    -------
    dict of str to str
        On the same level of processor those that were set; on one that could do more, those that
        keep it to what was there; none where that code may not run.
    """
    kernels = then.get("kernels", {})
    recorded = {name: kernels[name] for name in KERNELS if name in kernels}
    if then.get("processor") == now["processor"]:
        return recorded
    if (then.get("processor"), now["processor"]) == ("x86_64-v3", "x86_64-v4"):
        return _WITHOUT_AVX512 | recorded
    return {}


def _folder_of(profile: str) -> Path:
    folder = Path(place_of_profile(profile))
    if not any((folder / name).is_file() for name in ("config.yaml", "config.v9+.yaml")):
        raise ReproduceError(
            f"{profile}: there is no such profile; name a folder with a config.yaml, "
            "or one that comes with the workflow: slurm, cluster-generic"
        )
    return folder.absolute()


def run(
    root: Path, into: Path, cores: int, kernels: Mapping[str, str], profile: Path | None = None
) -> None:
    """Run the workflow in a folder; its output goes to this process's.

    Parameters
    ----------
    root : Path
        Folder of the Snakefile.
    into : Path
        Working directory, with its config.
    cores : int
    kernels : mapping of str to str
        Variables that choose the code of numerical libraries; no others of them are set.
    profile : Path, optional
        Folder of a profile.

    Raises
    ------
    ReproduceError
        If it ended without results. One that failed for some pairs is compared all the same.
    """
    call = [sys.executable, "-P", "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
    call += ["--workflow-profile", str(root / "profiles" / "default")]
    call += ["--directory", str(into.absolute()), "--cores", str(cores)]
    if profile is not None:
        call += ["--profile", str(profile)]
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    env = {name: text for name, text in os.environ.items() if name not in KERNELS}
    # Jobs are started in the folder of the rerun, whose files anybody may have named: json.py.
    env |= {"PYTHONPATH": path, "PYTHONSAFEPATH": "1", **kernels}
    done = subprocess.run(call, cwd=root, env=env, stdout=sys.stderr, check=False)
    if not (into / "results" / RECORD).is_file():
        raise ReproduceError(
            f"the rerun left no results (exit code {done.returncode}); its messages are above, "
            f"its logs in {into / 'results' / 'logs'}"
        )
