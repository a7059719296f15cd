"""YAML that remembers its lines, so that an error can name one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from biomlbench.errors import UserError
from biomlbench.runtime.bounded_yaml import MAX_MB, load_yaml
from biomlbench.runtime.regular_file import read_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Lines", "YamlError", "read"]

Path_ = tuple[str | int, ...]


class YamlError(UserError, ValueError):
    """A YAML file cannot be read; the message names file and line."""


class Lines:
    """Line numbers of the keys and items of a YAML file, by path."""

    def __init__(self) -> None:
        self._lines: dict[Path_, int] = {(): 1}

    def put(self, path: Path_, line: int) -> None:
        """Remember that what is at `path` begins at `line`."""
        self._lines[path] = line

    def at(self, *path: str | int) -> int:
        """Return the line of `path`, or of its nearest known parent."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]


def read(path: Path) -> tuple[Any, Lines]:
    """Read one YAML document.

    Parameters
    ----------
    path : Path

    Returns
    -------
    data : object
    lines : Lines

    Raises
    ------
    YamlError
        If the file is not UTF-8, is no YAML, or repeats a key.
    """
    try:
        text = read_regular(path, MAX_MB).decode("utf-8")
        data = load_yaml(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise YamlError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or str(error) or "not YAML"
        raise YamlError(f"{path}:{line}: {problem}") from error
    lines = Lines()
    if node is None:
        return None, lines
    _walk(node, (), lines)
    return data, lines


def _walk(node: yaml.Node, at: Path_, lines: Lines) -> None:
    lines.put(at, lines.at(*at) if at in lines._lines else node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            lines.put((*at, key.value), key.start_mark.line + 1)
            _walk(value, (*at, key.value), lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*at, index), lines)
