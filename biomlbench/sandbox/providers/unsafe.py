"""No sandbox at all, for code that one trusts; stamped on every result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.sandbox.providers import _plain
from biomlbench.sandbox.providers.base import Provider, Setup

if TYPE_CHECKING:
    from biomlbench.sandbox.model import Refusal
    from biomlbench.sandbox.process import Running

__all__ = ["PROVIDER"]


class Unsafe(Provider):
    """See the module."""

    name = "unsafe"
    family = "unsafe"
    level = "unsafe"
    rank = 1000

    def obstacle(self) -> Refusal | None:
        """Return None: every host can run code without protection."""
        return None

    def start(self, setup: Setup) -> Running:
        """Start the harness as an ordinary process."""
        return _plain.launch(setup, confine=None)


PROVIDER = Unsafe()
