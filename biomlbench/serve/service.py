"""What the server answers, without the web: an upload in, plain data out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.pool import Pool
from biomlbench.serve.refusal import Refusal

if TYPE_CHECKING:
    from typing import BinaryIO

    from biomlbench.serve.settings import Settings

__all__ = ["Service", "WorkFault"]

_CHUNK = 1 << 20
_WORKER = Path(__file__).with_name("_worker.py")


class WorkFault(Exception):  # noqa: N818
    """A request that could not be answered, not by its own fault; the message is for the log.

    Parameters
    ----------
    name : str
        Of the exception.
    reason : str or None
        Its reason code.
    text : str
        Its message or traceback.
    """

    def __init__(self, name: str, reason: str | None, text: str) -> None:
        super().__init__(text)
        self.name, self.reason = name, reason


class Service:
    """Has files validated and evaluated by worker processes; may be called from many threads.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pool = Pool(Path(__file__).parents[2])

    def validate(self, file: BinaryIO, filename: str, task_id: str | None) -> Any:
        """Check the structure of a submission; see :func:`biomlbench.serve.work.validate`.

        Parameters
        ----------
        file : binary file
        filename : str
            As the client calls it.
        task_id : str or None
            By default the server's task.

        Returns
        -------
        dict

        Raises
        ------
        Refusal
            By the request's own fault.
        WorkFault
            By that of the task or the machine.
        """
        return self._work("validate", file, filename, task_id)

    def evaluate(self, file: BinaryIO, filename: str, task_id: str | None) -> Any:
        """Evaluate a candidate on a problem card; see :func:`biomlbench.serve.work.evaluate`.

        Parameters, result and exceptions are those of :meth:`validate`.
        """
        return self._work("evaluate", file, filename, task_id)

    def warm(self) -> None:
        """Start a worker, so that the first request does not wait for its imports."""
        self._ask({"what": "warm"})

    def close(self) -> None:
        """Stop the workers."""
        self._pool.close()

    def _work(self, what: str, file: BinaryIO, filename: str, task_id: str | None) -> Any:
        with tempfile.TemporaryDirectory(prefix="biomlbench-") as folder:
            upload = Path(folder) / "upload"
            _store(file, upload)
            job = {"what": what, "upload": str(upload), "filename": filename, "task_id": task_id}
            return self._ask({**job, "settings": self.settings})

    def _ask(self, job: dict[str, Any]) -> Any:
        found = self._pool.run(_WORKER, job)
        if refusal := found.get("refusal"):
            raise Refusal(*refusal)
        if fault := found.get("fault"):
            raise WorkFault(fault, found["reason"], found["text"])
        return found["answer"]


def _store(file: BinaryIO, path: Path) -> None:
    file.seek(0)
    with path.open("xb") as copy:
        while chunk := file.read(_CHUNK):
            copy.write(chunk)
