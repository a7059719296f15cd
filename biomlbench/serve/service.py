"""What the server answers, without the web: an upload in, an answer out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.runtime.pool import Pool
from biomlbench.serve.refusal import Refusal

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments
    from biomlbench.serve.settings import Settings

__all__ = ["Service", "WorkFault"]

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

    def validate(self, body: Path, content_type: str, max_bytes: int) -> bytes:
        """Check the structure of a submission; see :func:`biomlbench.serve.work.validate`.

        Parameters
        ----------
        body : Path
            A form as it came, in a folder of its own.
        content_type : str
            What it came with.
        max_bytes : int
            Largest file in it.

        Returns
        -------
        bytes
            JSON.

        Raises
        ------
        Refusal
            By the request's own fault.
        WorkFault
            By that of the task or the machine.
        """
        return self._work("validate", body, content_type, max_bytes)

    def evaluate(self, body: Path, content_type: str, max_bytes: int) -> bytes:
        """Evaluate a candidate on a problem card; see :func:`biomlbench.serve.work.evaluate`.

        Parameters, result and exceptions are those of :meth:`validate`.
        """
        return self._work("evaluate", body, content_type, max_bytes)

    def warm(self) -> None:
        """Start a worker, so that the first request does not wait for its imports."""
        self._ask({"what": "warm"})

    def close(self) -> None:
        """Stop the workers."""
        self._pool.close()

    def _work(self, what: str, body: Path, content_type: str, max_bytes: int) -> bytes:
        job = {"what": what, "body": str(body), "content_type": content_type}
        return self._ask({**job, "max_bytes": max_bytes, "settings": self.settings})

    def _ask(self, job: Arguments) -> bytes:
        found = self._pool.run(_WORKER, job)
        if refusal := found.get("refusal"):
            raise Refusal(*refusal)
        if fault := found.get("fault"):
            raise WorkFault(fault, found["reason"], found["text"])
        answer: bytes = found["answer"]
        return answer
