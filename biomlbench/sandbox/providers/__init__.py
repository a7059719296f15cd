"""Sandbox providers: one file each, found by looking into this folder."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import TYPE_CHECKING

from biomlbench.by_name import by_name
from biomlbench.sandbox.model import SandboxUnavailable

if TYPE_CHECKING:
    from biomlbench.sandbox.model import Refusal
    from biomlbench.sandbox.providers.base import Provider

__all__ = ["all_providers", "choices", "choose"]


@functools.cache
def all_providers() -> tuple[Provider, ...]:
    """Return every provider, best first."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        if module.name == "base" or module.name.startswith("_"):
            continue
        found.append(importlib.import_module(f"{__name__}.{module.name}").PROVIDER)
    return tuple(by_name((one.name, one) for one in sorted(found, key=_rank)).values())


def _rank(provider: Provider) -> tuple[int, str]:
    return provider.rank, provider.name


def choices(*, unsafe: bool = True) -> tuple[str, ...]:
    """Return what a user may ask for: ``auto`` and the families, best first.

    Parameters
    ----------
    unsafe : bool
        Whether those that protect nothing are among them.

    Examples
    --------
    >>> choices()[0], choices(unsafe=False)[-1] == "unsafe"
    ('auto', False)
    """
    families = (p.family for p in all_providers() if unsafe or p.level != "unsafe")
    return tuple(dict.fromkeys(("auto", *families)))


def choose(wanted: str = "auto") -> Provider:
    """Return a provider that this host really has.

    Parameters
    ----------
    wanted : str
        One of :func:`choices`, or a provider's name.
        ``auto`` takes full sandboxes only: what protects less is used on request only.

    Raises
    ------
    SandboxUnavailable
        If there is none; the message says why and what to install.
    ValueError
        If `wanted` names nothing.

    Examples
    --------
    >>> choose("unsafe").level
    'unsafe'
    """
    from biomlbench.sandbox import probe

    candidates = [
        provider
        for provider in all_providers()
        if wanted in (provider.name, provider.family) or (wanted == "auto" and provider.automatic)
    ]
    if not candidates:
        raise ValueError(f"unknown sandbox provider {wanted!r}; known are {', '.join(choices())}")
    refusals: list[tuple[str, Refusal]] = []
    for provider in candidates:
        refusal = provider.obstacle()
        if refusal is None and provider.level != "unsafe":
            refusal = probe.failure(provider)
        if refusal is None:
            return provider
        refusals.append((provider.name, refusal))
    # What is meant for another user is no cause, unless there is nothing else.
    told = [entry for entry in refusals if entry[1].applies] or refusals
    causes = "; ".join(f"{name}: {refusal.cause}" for name, refusal in told)
    remedies = dict.fromkeys(refusal.remedy for _, refusal in told if refusal.remedy)
    raise SandboxUnavailable(
        f"no usable sandbox, and untrusted code is not run without one ({causes})",
        f"{'; '.join(remedies) or 'use bwrap'}. `biomlbench sandbox check` tells more; for code "
        "that you trust there is the provider `unsafe`",
    )
