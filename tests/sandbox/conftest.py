"""Providers that this machine has."""

from __future__ import annotations

import pytest

from biomlbench.sandbox import providers

USABLE = [
    provider.name
    for provider in providers.all_providers()
    if provider.level != "unsafe" and provider.obstacle() is None
]


@pytest.fixture(params=[*USABLE, "unsafe"])
def provider(request):
    """Every provider of this machine, one after the other."""
    return request.param


@pytest.fixture
def confined():
    """The machine's best real sandbox, already probed: what a test kills must be its own."""
    if not USABLE:
        pytest.skip("this machine has no sandbox")
    return providers.choose(USABLE[0]).name
