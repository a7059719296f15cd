"""The workflow's config file: checked against its JSON schema, defaults filled in."""

from __future__ import annotations

import copy
import difflib
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from biomlbench.errors import UserError
from biomlbench.runtime.schema_words import KINDS, quoted, remedy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from biomlbench.contracts.mappings import Config

__all__ = ["CHOICES", "ConfigError", "Sources", "check_config"]


def _providers() -> tuple[str, ...]:
    from biomlbench.sandbox.providers import choices

    return choices()


CHOICES = {"sandbox providers": _providers}
"""What values a key with ``x-choices`` may have: plug-ins, which no schema lists."""


class ConfigError(UserError, ValueError):
    """The config does not have the declared form; the message says where and what is allowed."""


class Sources:
    """What a config was read from, to name file and line of a key, or the command line.

    Parameters
    ----------
    files : iterable of path
        As Snakemake lists them: those of the command line, then the Snakefile's own.
    given : mapping, optional
        What ``--config`` gave, which wins over all files.
    """

    @classmethod
    def of(cls, files: Iterable[str | Path] | Sources) -> Sources:
        """Return what names the keys of files, which may be that already."""
        return files if isinstance(files, cls) else cls(cast("Iterable[str | Path]", files))

    def __init__(
        self, files: Iterable[str | Path] = (), given: Mapping[str, Any] | None = None
    ) -> None:
        self._given = dict(given or {})
        paths = [Path(file) for file in files]
        # The last one of the command line wins, and all of them over the Snakefile's own.
        self._files = [*reversed(paths[:-1]), *paths[-1:]]

    def where(self, path: Sequence[str | int]) -> str:
        """Return ``file:line`` of what a key path leads to; ``config`` if nothing has it."""
        from biomlbench.verify._lines import read

        if path and _leads(self._given, path):
            return "command line (--config)"
        for file in self._files:
            try:
                data, lines = read(file)
            except (UserError, OSError):
                continue
            if _leads(data, path):
                return f"{_short(file)}:{lines.at(*(str(p) if p == '' else p for p in path))}"
        return "config" if not self._files else _short(self._files[0])


def _short(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


def _leads(data: Any, path: Sequence[str | int]) -> bool:
    for part in path:
        if isinstance(data, list):
            if not isinstance(part, int) or part >= len(data):
                return False
            data = data[part]
        elif isinstance(data, dict) and part in data:
            data = data[part]
        else:
            return False
    return True


class _Problem(NamedTuple):
    path: tuple[str | int, ...]
    message: str


def check_config(
    config: Mapping[str, Any], schema: str | Path, files: Iterable[str | Path] | Sources = ()
) -> Config:
    """Check a config against its schema and fill in the defaults.

    Parameters
    ----------
    config : mapping
        As read from YAML.
    schema : path
        JSON schema (draft 2020-12).
    files : iterable of path, or Sources
        Files that the config was read from, for the messages; see :class:`Sources`.

    Returns
    -------
    dict
        A copy with every default of the schema filled in.

    Raises
    ------
    ConfigError
        Naming file, line, key, what is allowed, and what may have been meant.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    declared = json.loads(Path(schema).read_text(encoding="utf-8"))
    validator = extend(Draft202012Validator, {"x-choices": _is_chosen})  # type: ignore[no-untyped-call]
    problems = [
        problem
        for error in validator(declared).iter_errors(dict(config))
        for problem in _explain(error, declared)
    ]
    problems += _not_finite(config, ())
    if problems:
        sources = Sources.of(files)
        problems.sort(key=lambda problem: [str(part) for part in problem.path])
        raise ConfigError(
            "\n".join(f"{sources.where(p.path)}: {p.message}" for p in dict.fromkeys(problems))
        )
    filled: Config = _with_defaults(copy.deepcopy(dict(config)), declared, declared)
    return filled


def _explain(error: Any, declared: Mapping[str, Any]) -> Iterator[_Problem]:
    path = tuple(error.absolute_path)
    key = ".".join(str(part) for part in path) or "top level"
    allowed = error.schema.get("properties") if isinstance(error.schema, dict) else None
    if error.validator == "additionalProperties" and allowed:
        for name in error.instance:
            if name not in allowed:
                hint = _meant(str(name), path, allowed, declared)
                yield _Problem((*path, name), f"`{_joined((*path, name))}`: unknown key; {hint}")
        return
    if error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                described = (allowed or {}).get(name, {}).get("description", "")
                message = f"`{_joined((*path, name))}` is missing; {described}".rstrip("; ")
                yield _Problem(path, message)
        return
    yield _Problem(path, f"`{key}`: {_wrong_value(error, path)}")


def _is_chosen(_validator: Any, plugins: str, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    # The default is one, and plug-ins take time to load: every job reads the config.
    if value != schema.get("default") and value not in CHOICES[plugins]():
        yield ValidationError(f"{value!r} is none of the {plugins}")


def _joined(path: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in path)


def _meant(
    name: str,
    path: tuple[str | int, ...],
    allowed: Mapping[str, Any],
    declared: Mapping[str, Any],
) -> str:
    """Say which key may have been meant: a like one here, or the same one elsewhere."""
    elsewhere = [place for place in _places(declared) if place[-1] == name]
    if elsewhere:
        return f"did you mean `{_joined(elsewhere[0])}`?"
    near = difflib.get_close_matches(name, allowed, n=1)
    if near:
        return f"did you mean `{_joined((*path, near[0]))}`?"
    everywhere = {place[-1]: place for place in _places(declared)}
    if near := difflib.get_close_matches(name, everywhere, n=1):
        return f"did you mean `{_joined(everywhere[near[0]])}`?"
    return f"allowed: {', '.join(allowed)}"


def _places(declared: Mapping[str, Any], at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, schema in declared.get("properties", {}).items():
        yield (*at, key)
        yield from _places(schema, (*at, key))


def _wrong_value(error: Any, path: tuple[str | int, ...]) -> str:
    shown = quoted(error.instance)
    if error.instance is None and error.validator == "type":
        return "is empty; give it a value, or leave the key out"
    if error.validator in ("enum", "x-choices"):
        value = error.validator_value
        allowed = [str(v) for v in (value if error.validator == "enum" else CHOICES[value]())]
        near = difflib.get_close_matches(str(error.instance), allowed, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        return f"{shown} is not allowed; {hint}use one of {', '.join(allowed)}"
    if error.validator == "pattern":
        expects = error.schema.get("x-expects", f"text like {error.validator_value}")
        return f"{shown} is not {expects}"
    if error.validator == "minItems":
        return "the list is empty; name at least one"
    if error.validator == "minLength":
        return "is empty; give it a value, or leave the key out"
    if error.validator != "type":
        return str(error.message)
    kinds = error.validator_value
    wanted = " or ".join(KINDS.get(k, k) for k in ([kinds] if isinstance(kinds, str) else kinds))
    return f"{shown} is not {wanted}{remedy(error.instance, path, kinds)}"


def _not_finite(value: Any, path: tuple[str | int, ...]) -> Iterator[_Problem]:
    """Yield numbers that a JSON schema cannot refuse: NaN is not below any minimum."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _not_finite(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _not_finite(inner, (*path, number))
    elif isinstance(value, float) and not math.isfinite(value):
        yield _Problem(path, f"`{_joined(path)}`: {value} is no finite number; give it one")


def _with_defaults(value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    """Fill in defaults, and turn 2000.0 into 2000 where a whole number is declared."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict):
        for key, declared in schema.get("properties", {}).items():
            if key not in value and "default" in declared:
                value[key] = copy.deepcopy(declared["default"])
            if key in value:
                value[key] = _with_defaults(value[key], declared, whole)
        inner = schema.get("additionalProperties")
        if isinstance(inner, dict):
            value = {key: _with_defaults(item, inner, whole) for key, item in value.items()}
    elif "integer" in schema.get("type", ()) and isinstance(value, float):
        return int(value)
    return value
