"""Large JSON files: an entry a line, as indentation takes several times longer and more room."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["Written", "encoded", "read_record", "write_json"]


# Of bytes that are not UTF-8: no file can hold them as they are.
_HALF = re.compile("[\ud800-\udfff]")


class Written(str):
    """An entry that is JSON already, as one made by columns is."""

    __slots__ = ()


def encoded(value: Any, *, sort_keys: bool = False, allow_nan: bool = True) -> str:
    r"""Return a value as JSON that UTF-8 can hold, and that is hardly longer than its texts.

    Examples
    --------
    >>> encoded(["é", chr(0xDC80)])
    '["é", "\\udc80"]'
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=sort_keys, allow_nan=allow_nan)
    return text if text.isascii() else _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def write_json(path: Path, content: Mapping[str, Any], *, allow_nan: bool = True) -> None:
    """Write a mapping, all or nothing.

    Parameters
    ----------
    path : Path
        Its folder is made where it is not there.
    content : mapping
        Each key begins a line; of a list, iterator or mapping in it, each entry does. An
        iterator's entries of :class:`Written` are taken as they are.
    allow_nan : bool
        Whether to write infinite numbers and NaN, which only Python reads, or refuse them.
    """
    dumps = partial(encoded, sort_keys=True, allow_nan=allow_nan)
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(_lines(content, dumps))


def read_record(path: Path) -> dict[str, Any]:
    """Return a mapping that was written, empty where none is, or it cannot be read."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _lines(content: Mapping[str, Any], dumps: Callable[[Any], str]) -> Iterator[str]:
    yield "{"
    for place, key in enumerate(sorted(content)):
        value = content[key]
        yield f"{',' if place else ''}\n {dumps(key)}: "
        if (isinstance(value, list) and value) or isinstance(value, Iterator):
            items = (item if type(item) is Written else dumps(item) for item in value)
            yield from _block("[]", items)
        elif isinstance(value, dict) and value:
            items = (f"{dumps(name)}: {dumps(value[name])}" for name in sorted(value))
            yield from _block("{}", items)
        else:
            yield dumps(value)
    yield "\n}\n"


def _block(brackets: str, items: Iterator[str]) -> Iterator[str]:
    yield brackets[0]
    for place, item in enumerate(items):
        yield f"{',' if place else ''}\n  {item}"
    yield f"\n {brackets[1]}"
