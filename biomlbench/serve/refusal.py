"""What a client is told whose request cannot be answered."""

from __future__ import annotations

__all__ = ["Refusal"]


class Refusal(Exception):  # noqa: N818
    """A request that cannot be answered, by its own fault.

    Parameters
    ----------
    status : int
        HTTP status.
    error : str
        What is wrong, in a word or two.
    details : str
        The remedy.
    """

    def __init__(self, status: int, error: str, details: str) -> None:
        super().__init__(f"{error}: {details}")
        self.status, self.error, self.details = status, error, details
