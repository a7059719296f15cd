"""Tables over all pairs, figures and report that are not what their jobs have written.

A full disk has cut one short, an editor has changed it, or what was put together of the pairs that
were done after a failed job lies there. Snakemake compares times alone, so it would let all of
these stand. Each job that writes one records its content; what has another at the next run is
made again.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.runtime.hashing import file_sha256
from biomlbench.runtime.json_lines import read_record, write_json

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["RECORD", "Summaries"]

log = logging.getLogger(__name__)

RECORD = ".summaries.json"
"""Hash of each summary as its job wrote it, in the folder of the results."""


class Summaries:
    """What jobs over all pairs have written, as they wrote it.

    Parameters
    ----------
    results : path
        Folder of the results.
    """

    def __init__(self, results: str | Path) -> None:
        self._results = Path(results)
        self._writing = threading.Lock()

    def note(self, paths: Iterable[str]) -> None:
        """Record what a job has written.

        Parameters
        ----------
        paths : iterable of str
            Its output, below the folder of the results.
        """
        with self._writing, contextlib.suppress(OSError, ValueError):
            found = {self._name(path): file_sha256(Path(path)) for path in paths}
            write_json(self._results / RECORD, {**read_record(self._results / RECORD), **found})

    def changed(self) -> list[str]:
        """Return the paths of the summaries that are there, and are not what was recorded.

        Returns
        -------
        list of str
            Each is named in a warning, too. One whose record is lost counts as unchanged.
        """
        found = []
        for name, known in read_record(self._results / RECORD).items():
            path = self._results / name
            with contextlib.suppress(OSError):
                if path.is_file() and file_sha256(path) != known:
                    log.warning("%s: is not what its job has written, so it is made again", path)
                    found.append(str(path))
        return found

    def _name(self, path: str) -> str:
        return Path(path).relative_to(self._results).as_posix()
