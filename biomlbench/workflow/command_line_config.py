"""What ``--config`` gave, with its types: Snakemake makes text of all that is nested in it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import yaml

from biomlbench.runtime.bounded_yaml import with_short_floats

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["typed_config"]

_QUOTES = "'\""


class _Loader(yaml.SafeLoader):
    """YAML as of a config file, but all keys are text, as Snakemake has them."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    return {key.value: loader.construct_object(item, deep=True) for key, item in node.value}


with_short_floats(_Loader)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def typed_config(
    config: Mapping[str, Any], entries: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the values of the command line the types that they would have in a config file.

    Parameters
    ----------
    config : mapping
        As Snakemake has made it.
    entries : iterable of str
        Those of ``--config``, ``key=value``. A value that is a mapping or a list is YAML, and one
        in quotation marks is text; any other is what Snakemake took it for.

    Returns
    -------
    config : dict
        A copy. A value that is not the one that Snakemake made of an entry stays as it is.
    given : dict
        The entries alone, to tell where a value came from.

    Examples
    --------
    >>> typed_config({"grading": {"seed": 1, "bootstrap": "0"}}, ["grading={bootstrap: 0}"])
    ({'grading': {'seed': 1, 'bootstrap': 0}}, {'grading': {'bootstrap': 0}})
    """
    found, given = copy.deepcopy(dict(config)), {}
    for entry in entries:
        key, _, text = entry.partition("=")
        bare = text.strip(_QUOTES)  # as Snakemake does
        value = _read(bare, _Loader)
        if isinstance(value, (dict, list)):
            _put(found, key, _read(bare, yaml.BaseLoader), value)
        elif text[:1] in tuple(_QUOTES) and str(found.get(key)) == bare:
            found[key] = bare
        given[key] = value
    return found, given


def _read(text: str, loader: type[yaml.SafeLoader] | type[yaml.BaseLoader]) -> Any:
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506 - neither makes objects
    except (yaml.YAMLError, ValueError, TypeError):
        return text


def _put(config: dict[str, Any], key: str, untyped: Any, value: Any) -> None:
    """Replace what is as Snakemake reads it by what it is."""
    at_hand = config.get(key)
    if isinstance(value, dict) and isinstance(at_hand, dict):
        for name, inner in value.items():
            _put(at_hand, name, untyped[name], inner)
    elif at_hand == untyped:
        config[key] = value
