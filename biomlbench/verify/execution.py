"""Executes a candidate on planned cases, by default in the sandbox."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from biomlbench.sandbox.requests import Sent
    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import PlannedCase

__all__ = ["PRELOADABLE", "Executor", "in_process", "in_sandbox", "preload_for"]

PRELOADABLE = (
    "numpy",
    "pandas",
    "scipy",
    "scipy.fft",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.signal",
    "scipy.sparse",
    "scipy.spatial",
    "scipy.spatial.distance",
    "scipy.spatial.transform",
    "scipy.special",
    "scipy.stats",
    "sklearn",
    "sklearn.decomposition",
    "sklearn.linear_model",
    "sklearn.metrics",
    "sklearn.metrics.pairwise",
    "sklearn.preprocessing",
)
"""Modules that the sandbox may import before the candidate is, where the candidate uses them.

Each case runs in a fork, which would otherwise import them anew for every case.
"""

_IMPORT = re.compile(
    rb"^[ \t]*(?:import|from)[ \t]+([A-Za-z_][\w.]{0,60})(?:[ \t]+import[ \t]+([\w, \t]{1,200}))?",
    re.MULTILINE,
)
_MAX_SCANNED = 1 << 20


class Executor(Protocol):
    """Runs the file of a candidate on cases and returns a result for each case id.

    A result has ``status`` ("ok" or a reason code) and ``value``.
    """

    def __call__(
        self, candidate: Path, cases: Sequence[PlannedCase], card: Card
    ) -> Mapping[str, Any]:
        """Run one candidate."""


def preload_for(card: Card, source: bytes) -> tuple[str, ...]:
    """Return the modules to import before a candidate: the card's, and heavy ones it uses.

    Parameters
    ----------
    card : Card
    source : bytes
        The candidate's source. It is searched for import lines, not parsed: it is hostile.

    Returns
    -------
    tuple of str
        Only modules of the card's `preload` and of :data:`PRELOADABLE`.
    """
    named = set()
    for match in _IMPORT.finditer(source[:_MAX_SCANNED]):
        module = match[1].decode("ascii", "replace")
        named.add(module)
        for part in (match[2] or b"").decode("ascii", "replace").split(","):
            named.add(f"{module}.{part.split()[0]}" if part.split() else module)
    extra = [name for name in PRELOADABLE if name in named and name not in card.preload]
    if "numpy" in (*card.preload, *extra):
        # `np.unique` imports it, in every fork where it is not there yet.
        extra.append("numpy.ma")
    return (*card.preload, *extra)


def in_sandbox(candidate: Path, cases: Sequence[PlannedCase], card: Card) -> Mapping[str, Any]:
    """Run a candidate in one sandbox, with the card's limits and preloaded modules.

    Parameters
    ----------
    candidate : Path
    cases : sequence of PlannedCase
    card : Card

    Returns
    -------
    mapping
        Case id to result.

    Raises
    ------
    biomlbench.sandbox.SandboxUnavailable
        If this host gives no sandbox.
    """
    from biomlbench import sandbox

    calls = [sandbox.Case(case.id, case.function, case.args, case.kwargs) for case in cases]
    source = Path(candidate).read_bytes()
    execution = sandbox.run_functions(
        source, calls, limits=sandbox.Limits(**card.limits), preload=preload_for(card, source)
    )
    return {result.id: result for result in execution.cases}


def in_process(
    candidate: Path,
    cases: Sequence[PlannedCase],
    card: Card,
    sent: dict[PlannedCase, Sent] | None = None,
) -> Mapping[str, Any]:
    """Run a trusted file in this process; see :func:`biomlbench.verify.local.run`."""
    from biomlbench.verify.local import run

    return run(candidate, cases, sent)
