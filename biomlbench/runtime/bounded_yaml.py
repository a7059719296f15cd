"""Reading of YAML that somebody else wrote: tasks, cards, suites, what is beside published data.

A few hundred bytes of YAML can stand for more than memory holds (aliases of aliases), end the
process (nesting that overflows the parser's stack), keep it busy (a number of a million digits),
or raise what is no YAML error at all (a date with a 13th month); of a key that is given twice the
parser keeps the last and says nothing. So the parser's events, which are made without recursion,
are looked at before anything is built from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.regular_file import TooLargeError, read_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_yaml", "load_yaml", "read_yaml", "with_short_floats"]

_SHORT_FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]{1,3}$", re.ASCII)
MAX_MB = 16
"""Largest file, MiB: a published list of checksums has a few."""
MAX_DEPTH = 60
"""Deepest nesting. Python's own parser gives up at about 150."""
MAX_NODES = 1_000_000
"""Most values, those that an alias repeats counted each time."""
MAX_NUMBER = 1000
"""Longest number or tagged value, characters; making one takes the square of its length."""


def read_yaml(path: str | Path, *, as_text: bool = False) -> Any:
    """Read a YAML file.

    Parameters
    ----------
    path : path
    as_text : bool
        Whether all scalars stay text.

    Returns
    -------
    object

    Raises
    ------
    yaml.YAMLError
        If it is no YAML, more than can be meant, or not in UTF-8.
    OSError
        If it cannot be read, or is no regular file.
    """
    import yaml

    try:
        text = read_regular(path, MAX_MB).decode("utf-8")
    except TooLargeError as error:
        raise yaml.YAMLError(f"larger than {MAX_MB} MiB") from error
    except UnicodeDecodeError as error:
        raise yaml.YAMLError(
            f"is no text in UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    return load_yaml(text, as_text=as_text)


def load_yaml(text: str, *, as_text: bool = False) -> Any:
    """Return what YAML says; parameters and errors as for :func:`read_yaml`."""
    import yaml

    check_yaml(text)
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader) if as_text else _safe_loader()
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506 - neither makes objects
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        # What its constructors make of dates and numbers that there are not.
        raise yaml.YAMLError(f"a value is not what it seems to be: {str(error)[:200]}") from error


@cache
def _safe_loader() -> Any:
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return with_short_floats(type("Loader", (base,), {}))


def with_short_floats(loader: Any) -> Any:
    """Have a loader read numbers as YAML 1.2 and JSON do, and return it.

    Parameters
    ----------
    loader : type
        Of PyYAML, which holds ``1e6`` and ``-1.0e6`` for text, as YAML 1.1 asks for a point and a
        signed power. A longer power, as by chance in a hash of digits, stays text.

    Examples
    --------
    >>> load_yaml("[1e6, -1.0e6, 1E-9, 12e3456, 1.0e+6]")
    [1000000.0, -1000000.0, 1e-09, '12e3456', 1000000.0]
    """
    loader.add_implicit_resolver("tag:yaml.org,2002:float", _SHORT_FLOAT, list("-+.0123456789"))
    return loader


def check_yaml(text: str) -> None:
    """Refuse what is nested too deep, stands for too much, takes too long, or gives a key twice.

    Parameters
    ----------
    text : str

    Raises
    ------
    yaml.YAMLError
        Saying which, or that it is no YAML.
    """
    import yaml

    anchors: dict[str, tuple[int, int]] = {}
    open_ = [_Open()]
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.NodeEvent) and (key := open_[-1].repeated(event)) is not None:
            raise _refusal(f"gives the key `{key[:80]}` twice; remove one", event)
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append(
                _Open(anchor, set() if isinstance(event, yaml.MappingStartEvent) else None)
            )
            if len(open_) > MAX_DEPTH:
                raise _refusal("is nested too deep", event)
            continue
        if isinstance(event, yaml.ScalarEvent):
            looks_like_number = not event.style and event.value[:1] in tuple("+-.0123456789")
            if len(event.value) > MAX_NUMBER and (event.tag or looks_like_number):
                raise _refusal("holds a number that is too long", event)
            found = (1, 0)
        elif isinstance(event, yaml.AliasEvent):
            if anchor not in anchors:
                raise _refusal("refers to itself, or to what is not there", event)
            found = anchors[anchor]
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = open_.pop()
            anchor, found = closed.anchor, (closed.nodes, closed.levels + 1)
        else:
            continue
        if anchor is not None and not isinstance(event, yaml.AliasEvent):
            anchors[anchor] = found
        above = open_[-1]
        above.nodes += found[0]
        above.levels = max(above.levels, found[1])
        if above.nodes > MAX_NODES:
            raise _refusal("stands for too many values", event)
        if len(open_) + found[1] > MAX_DEPTH:
            raise _refusal("is nested too deep", event)


@dataclass
class _Open:
    """A collection whose end has not come yet; its values and the levels below it so far."""

    anchor: str | None = None
    keys: set[str] | None = None
    """Of a mapping, those given so far."""
    nodes: int = 1
    levels: int = 0
    _at_key: bool = True

    def repeated(self, event: Any) -> str | None:
        """Count one more key, value or item; return it if it is a key that was there before."""
        if self.keys is None:
            return None
        key = getattr(event, "value", None) if self._at_key else None
        self._at_key = not self._at_key
        if key is None or key == "<<":
            return None
        if key in self.keys:
            return str(key)
        self.keys.add(key)
        return None


def _refusal(what: str, event: Any) -> Exception:
    import yaml

    return yaml.MarkedYAMLError(problem=f"the YAML {what}", problem_mark=event.start_mark)
