"""What tasks are made from cannot be read by programs, wherever a package brings it along."""

from __future__ import annotations

import ast
import importlib.metadata
import sysconfig
from pathlib import Path

import pytest

from biomlbench.errors import TaskError
from biomlbench.registry import Registry
from biomlbench.sandbox import providers, run_program
from biomlbench.stages import Context
from biomlbench.stages.running import hidden_paths
from biomlbench.task.installed_data import RECORD, declared, installed_data, recorded_reads
from biomlbench.task.prepare import prepare_task

REGISTRY = Registry()
TASKS = [task for task in map(REGISTRY.get_task, REGISTRY.list_task_ids()) if not task.is_card]
SITE = Path(sysconfig.get_path("purelib"))
FROM_LIBRARIES = ["clinical/breast-cancer-wisconsin", "clinical/diabetes-progression"]
#: Libraries that compute and bring no data; all else that a preparer imports must be accounted for.
WITHOUT_DATA = {"numpy", "pandas", "pyarrow", "scipy", "h5py", "PIL"}
LOOK = b"""
import json, os, sys, sysconfig
site = sysconfig.get_path("purelib")
seen = []
for name in sys.argv[1:]:
    try:
        with open(os.path.join(site, name), "rb") as file:
            if file.read():
                seen.append(name)
    except OSError:
        pass
open(os.environ["OUTPUT_PATH"], "w").write(json.dumps(seen))
"""
USABLE = [p.name for p in providers.all_providers() if p.level == "full" and p.obstacle() is None]


def imported(path: Path, seen: set[Path]) -> set[str]:
    """Return the top packages that a module and the project's modules behind it import."""
    if path in seen:
        return set()
    seen.add(path)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            found.add(name.partition(".")[0])
            if name.startswith("biomlbench.tasks"):
                inner = Path(__file__).parents[2] / (name.replace(".", "/") + ".py")
                if inner.is_file():
                    found |= imported(inner, seen)
    return found


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_preparer_reads_no_package_that_the_task_does_not_name(task):
    third_party = set(importlib.metadata.packages_distributions())
    used = set()
    for path in task.folder.glob("prepare*.py"):
        used |= imported(path, set()) & third_party
    named = {name.partition("/")[0] for name in installed_data(task)}
    assert used - {"biomlbench"} - WITHOUT_DATA <= named


@pytest.mark.parametrize("task_id", FROM_LIBRARIES)
def test_what_preparing_reads_is_what_the_config_names(task_id, tmp_path):
    task = REGISTRY.set_data_dir(tmp_path).get_task(task_id)
    prepare_task(task)
    data = {n for n in installed_data(task) if "/descr/" not in n}
    assert data == set(declared(task))
    assert all((SITE / name).is_file() for name in data)
    assert (tmp_path / task_id / RECORD).is_file()


@pytest.mark.parametrize("provider", USABLE)
def test_no_task_shows_what_it_was_made_from(provider, tmp_path):
    """One sandbox for the files of all tasks, those of packages that are not here included."""
    public = tmp_path / "public"
    public.mkdir()
    names = sorted({name for task in TASKS for name in installed_data(task)})
    assert len(names) > 20
    hidden = {path for task in TASKS for path in hidden_paths(Context(), task)}
    control = "sklearn/datasets/data/iris.csv"
    done = run_program(
        LOOK, public, output="seen.json", provider=provider, argv=[*names, control],
        hidden=sorted(hidden),
    )  # fmt: skip
    assert done.status == "ok", done
    assert done.output == f'["{control}"]'.encode()


def test_members_of_an_archive_are_covered_where_its_package_is_installed():
    (name,) = installed_data(REGISTRY.get_task("lung-cancer-survival"))
    assert name == "lifelines/datasets/lung.csv"


def test_what_is_read_while_preparing_is_noted_and_what_imports_need_is_not():
    with recorded_reads() as found:
        (SITE / "sklearn" / "datasets" / "data" / "wine_data.csv").read_bytes()
        Path(__file__).read_bytes()
        (SITE / "sklearn" / "__init__.py").read_bytes()
    assert found == {"sklearn/datasets/data/wine_data.csv"}
    (SITE / "sklearn" / "datasets" / "data" / "iris.csv").read_bytes()
    assert len(found) == 1


@pytest.mark.parametrize("wrong", ["x.csv", ["/etc/passwd"], ["../x"], [1]])
def test_a_wrong_declaration_is_refused(wrong, tmp_path):
    folder = tmp_path / "tasks" / "other" / "toy"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"grader: {{metric: rmse}}\ninstalled_data: {wrong}\n")
    tasks = Registry(tasks_dirs=[tmp_path / "tasks"], data_dir=tmp_path / "data")
    with pytest.raises(TaskError, match="installed_data"):
        tasks.get_task("toy")
