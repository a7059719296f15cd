"""bubblewrap started by a plain user: every namespace, with a user namespace under them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from biomlbench.sandbox import cgroups
from biomlbench.sandbox.model import Refusal
from biomlbench.sandbox.providers import _bubblewrap
from biomlbench.sandbox.providers.base import Provider, Setup

if TYPE_CHECKING:
    from biomlbench.sandbox.process import Running

__all__ = ["PROVIDER"]

_ALL = ("--unshare-all", "--unshare-user", "--cap-drop", "ALL")
# Some hosts refuse to forbid further user namespaces; the seccomp filter forbids them anyway.
ISOLATIONS = ((*_ALL, "--disable-userns"), _ALL)


class BwrapUser(Provider):
    """See the module."""

    name = "bwrap-user"
    family = "bwrap"
    level = "full"
    automatic = True
    rank = 20

    def obstacle(self) -> Refusal | None:
        """Return why this host cannot have it."""
        if os.geteuid() == 0:
            return Refusal("is for users other than root", applies=False)
        return _bubblewrap.refusal(ISOLATIONS)

    def fingerprint(self) -> str:
        """Return the binary's hash."""
        return _bubblewrap.find_binary(ISOLATIONS).sha256

    def start(self, setup: Setup) -> Running:
        """Start the harness as the same user in a user namespace that allows no further one."""
        binary = _bubblewrap.find_binary(ISOLATIONS)
        hierarchy = cgroups.find()
        group = None if hierarchy is None else cgroups.ControlGroup(hierarchy, setup.limits)
        return _bubblewrap.launch(setup, binary, uid=None, group=group)


PROVIDER = BwrapUser()
