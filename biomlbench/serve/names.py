"""Names: what an upload is called here, and what a client may read of the server's folders."""

from __future__ import annotations

import re
import site
import sys
import sysconfig
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from biomlbench.stages.kinds import all_kinds, get_kind
from biomlbench.submission.reading import FORMATS

if TYPE_CHECKING:
    from biomlbench.serve.settings import Settings

__all__ = ["Screen", "stored_name"]

_MAX_SUFFIX = 12
_LEAST_PARTS = 3


def stored_name(filename: str, kind: str) -> str:
    r"""Return the name under which an upload is stored: ours, but for its ending.

    Parameters
    ----------
    filename : str
        As the client says; it may be empty, a path, or hostile.
    kind : str
        The task's kind.

    Returns
    -------
    str
        ``submission`` with a known ending, or else with the client's last suffix reduced to
        letters and digits. Without any it is what the task's kind expects, as old clients do
        not care for the name.

    Examples
    --------
    >>> stored_name("C:\\runs\\My Submission.CSV.GZ", "predictions")
    'submission.csv.gz'
    >>> stored_name("../../etc/passwd", "predictions")
    'submission.csv'
    >>> stored_name("table.x/../l sx", "functions")
    'submission.py'
    """
    base = PurePosixPath(filename.replace("\\", "/")).name.lower()
    # The longest first: `.csv.gz` before `.gz` would be cut to it.
    known = {*FORMATS, *(found.SUFFIX for found in all_kinds().values())}
    for ending in sorted(known, key=len, reverse=True):
        if base.endswith(ending):
            return f"submission{ending}"
    suffix = re.sub(r"[^a-z0-9]", "", PurePosixPath(base).suffix)[:_MAX_SUFFIX]
    return f"submission.{suffix}" if suffix else f"submission{get_kind(kind).SUFFIX}"


class Screen:
    """Takes the server's own paths out of what a client gets to read.

    Parameters
    ----------
    settings : Settings

    Notes
    -----
    Answers are made not to hold any. This is the second line: what submitted code prints, for
    instance a traceback through the interpreter's libraries, is not ours to word.
    """

    def __init__(self, settings: Settings) -> None:
        places = {
            str(Path(__file__).parents[1]): "<biomlbench>",
            sys.prefix: "<python>",
            sys.base_prefix: "<python>",
            sysconfig.get_path("stdlib"): "<python>",
            str(Path.home()): "<home>",
            str(Path.cwd()): "<server>",
            **dict.fromkeys(site.getsitepackages(), "<python>"),
            **dict.fromkeys(map(str, settings.context.tasks_dirs), "<tasks>"),
        }
        data = settings.context.registry.get_data_dir()
        places[str(data)] = "<data>"
        found = {}
        for place, label in places.items():
            for path in {str(Path(place).absolute()), str(Path(place).resolve())}:
                # `/usr` and `/root` are on every machine and tell nothing.
                if len(PurePosixPath(path).parts) >= _LEAST_PARTS:
                    found[path] = label
        self._labels = found
        longest_first = sorted(map(re.escape, found), key=len, reverse=True)
        self._paths = re.compile("|".join(longest_first) or r"(?!)")

    def text(self, text: str) -> str:
        """Return a text with the server's folders replaced by labels."""
        return self._paths.sub(lambda match: self._labels[match[0]], text)

    def clean(self, value: Any) -> Any:
        """Return plain data with every string in it passed through :meth:`text`."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.clean(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.clean(item) for item in value]
        return value
