"""An example of a provider, to be replaced by your own: it runs code, and protects from nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from biomlbench.sandbox.model import Refusal
from biomlbench.sandbox.providers import _plain
from biomlbench.sandbox.providers.base import Provider, Setup

if TYPE_CHECKING:
    from biomlbench.sandbox.process import Running

__all__ = ["PROVIDER"]


class Example(Provider):
    """See the module."""

    name = "my-name"
    family = "my-name"
    # Say `full` or `reduced` when `biomlbench sandbox check` shows that it stops the attacks.
    level = "unsafe"
    automatic = False
    rank = 900

    def obstacle(self) -> Refusal | None:
        """Return why this host cannot have it; here, as an example, a system that is not POSIX."""
        if os.name != "posix":
            return Refusal("needs a POSIX system", "use Linux")
        return None

    def start(self, setup: Setup) -> Running:
        """Start the harness as an ordinary process."""
        return _plain.launch(setup, confine=None)


PROVIDER = Example()
