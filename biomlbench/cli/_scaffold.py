"""Copies a template of `biomlbench/templates` under a name."""

from __future__ import annotations

import ast
import json
import keyword
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from biomlbench.errors import UserError
from biomlbench.task.registry import Registry
from biomlbench.task.task import ALL_DOMAINS

__all__ = ["KINDS", "Made", "ScaffoldError", "make"]

TASKS_DIR = "my-tasks"
"""Where tasks go unless another folder is named; listed in the config under `tasks_dirs`."""
_TEMPLATES = Path(__file__).parents[1] / "templates"
_CARD = Path(__file__).parents[1] / "verify" / "template"
_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
KINDS = tuple(sorted(path.parent.name for path in _TEMPLATES.glob("*/template.toml")))
"""What there is a template of, by the folders of templates."""


class ScaffoldError(UserError, ValueError):
    """Nothing was made; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class _Template:
    """A `template.toml`.

    `taken` gives the names in use, an expression of `package`; `remade` is a file that is made
    from the new one, by `remake`.
    """

    next: str
    page: str
    package: str = ""
    taken: str = ""
    files: dict[str, str] = field(default_factory=dict)
    remake: str = ""
    remade: str = ""


def _template(kind: str) -> _Template:
    return _Template(**tomllib.loads((_TEMPLATES / kind / "template.toml").read_text("utf-8")))


@dataclass(frozen=True, slots=True)
class Made:
    """What was made.

    Attributes
    ----------
    files : tuple of Path
    next_step : str
        Command that shows that it works.
    page : str
        Page of the documentation that goes on from here.
    """

    files: tuple[Path, ...]
    next_step: str
    page: str


def make(kind: str, name: str, to: str | Path | None = None) -> Made:
    """Copy a template.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    name : str
        Lower-case words joined by hyphens or underscores; for a task `domain/name`.
    to : path, optional
        For tasks and problems the folder of tasks, by default `my-tasks`; for the others the
        clone of this project, by default the one that the working directory is in.

    Returns
    -------
    Made

    Raises
    ------
    ScaffoldError
        If the name cannot be used, something is there already, or there is no clone.
    """
    if kind not in KINDS:
        raise ScaffoldError(f"no template {kind!r}; there are: {', '.join(KINDS)}")
    return _module(kind, name, to) if _template(kind).files else _task(kind, name, to)


def _checked(name: str, kind: str) -> str:
    if keyword.iskeyword(name):
        raise ScaffoldError(
            f"{name!r} is a reserved word of Python, and cannot be the name of a {kind}; use "
            f"another one, such as {name}-of-mine"
        )
    if not _NAME.fullmatch(name):
        raise ScaffoldError(
            f"{name!r} cannot be the name of a {kind}; use lower-case words joined by hyphens, "
            "such as liver-toxicity"
        )
    return name


def _task(kind: str, name: str, to: str | Path | None) -> Made:
    domain, slash, bare = name.rpartition("/")
    if kind == "problem":
        if slash and domain != "kernels":
            raise ScaffoldError(f"problem cards live in kernels/: name it kernels/{bare}")
        domain = "kernels"
    elif not slash:
        raise ScaffoldError(f"name the domain as well, such as clinical/{name}")
    for part in (domain, bare):
        _checked(part, kind)
    if domain == ALL_DOMAINS:
        raise ScaffoldError(
            f"{domain!r} is all domains together in tables of results; give the domain another "
            f"name, such as clinical/{bare}"
        )
    root = Path(TASKS_DIR if to is None else to)
    folder = root / domain / bare
    if folder.exists():
        raise ScaffoldError(f"{folder} is there already; choose another name or remove it")
    known = Registry([root] if root.is_dir() else [])
    if f"{domain}/{bare}" in known.list_task_ids():
        raise ScaffoldError(f"there is a task {domain}/{bare} already; choose another name")
    template = _CARD if kind == "problem" else _TEMPLATES / "task"
    shutil.copytree(template, folder, ignore=shutil.ignore_patterns("__pycache__", "template.toml"))
    files = tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
    # The card is a whole one, so only its title changes: its texts still speak of the example.
    rename = [folder / "config.yaml"] if kind == "problem" else files
    for path in rename:
        text = path.read_text(encoding="utf-8")
        if kind == "problem":
            text = re.sub(r"(?m)^name: .*$", f"name: {_title(bare)}", text, count=1)
        text = text.replace("my-domain", domain)
        path.write_text(_named(text, bare), encoding="utf-8")
    return _made(kind, bare, files, id=f"{domain}/{bare}", folder=str(root))


def _module(kind: str, name: str, to: str | Path | None) -> Made:
    snake = _checked(name, kind).replace("-", "_")
    root = _clone() if to is None else Path(to)
    if not _is_clone(root):
        raise ScaffoldError(f"{root} is not a clone of biomlbench-workflow; name one with --to")
    template = _template(kind)
    places = {
        _TEMPLATES / kind / source: root / place.format(snake=snake)
        for source, place in template.files.items()
    }
    for place in places.values():
        if place.exists():
            raise ScaffoldError(f"{place} is there already; choose another name")
    if snake in _taken(kind, template, root):
        raise ScaffoldError(
            f"there is a {kind} {name} already, or the name is used by the project "
            "itself; choose another name"
        )
    for source, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_named(source.read_text(encoding="utf-8"), snake), encoding="utf-8")
    files = tuple(places.values())
    if template.remade:
        files = (*files, _remake(template, root))
    return _made(kind, name, files)


def _taken(kind: str, template: _Template, root: Path) -> set[str]:
    """Return the names in snake case that would clash with others, in code or in use."""
    code = (
        f"import importlib, json, sys; package = importlib.import_module({template.package!r}); "
        f"sys.stdout.write(json.dumps([*map(str, {template.taken}), *vars(package)]))"
    )
    done = _in_clone(code, root)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        raise ScaffoldError(f"{root} cannot be added to before this is fixed: {said}")
    names = {name.replace("-", "_") for name in json.loads(done.stdout.splitlines()[-1])}
    return names | _words_of(_TEMPLATES / kind / "my_name.py")


def _words_of(module: Path) -> set[str]:
    """Return the names that a template's code uses, where its definition would hide them."""
    text = module.read_text(encoding="utf-8")
    if "def my_name(" not in text:
        return set()
    nodes = list(ast.walk(ast.parse(text)))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return used | {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}


def _in_clone(code: str, root: Path) -> subprocess.CompletedProcess[str]:
    # `-c` puts the working directory, the clone, before an installed package
    call = [sys.executable, "-c", code]
    return subprocess.run(call, cwd=root, capture_output=True, text=True, check=False)


def _remake(template: _Template, root: Path) -> Path:
    """Make the file anew that depends on which files there are, in a process that knows the new."""
    call = template.remake.format(path=f"Path({template.remade!r})")
    _in_clone(f"from pathlib import Path; {call}", root).check_returncode()
    return root / template.remade


def _made(kind: str, name: str, files: tuple[Path, ...], **more: str) -> Made:
    template, snake = _template(kind), name.replace("-", "_")
    step = template.next.format(snake=snake, kebab=snake.replace("_", "-"), **more)
    return Made(files, step, template.page)


def _named(text: str, name: str) -> str:
    snake = name.replace("-", "_")
    for token, value in (
        ("my_name", snake),
        ("my-name", snake.replace("_", "-")),
        ("My name", _title(name)),
    ):
        text = text.replace(token, value)
    return text


def _title(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").capitalize()


def _clone() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        if _is_clone(folder):
            return folder
    raise ScaffoldError(
        "all but tasks and problems are files of the project: run this in a clone of "
        "biomlbench-workflow, or name one with --to"
    )


def _is_clone(folder: Path) -> bool:
    project = folder / "pyproject.toml"
    return (
        (folder / "biomlbench" / "__init__.py").is_file()
        and project.is_file()
        and 'name = "biomlbench-workflow"' in project.read_text(encoding="utf-8")
    )
