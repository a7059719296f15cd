"""For authors: look for an input on which a solution fails a check, and make it small.

Needs Hypothesis, which draws from the card's declared input spaces and shrinks what it finds.
At grading time nothing is drawn: there the inputs are a fixed set.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.sandbox.codec import decode, encode
from biomlbench.verify import space as spaces
from biomlbench.verify.cases import Finding, Observed, Unit
from biomlbench.verify.local import functions_of
from biomlbench.verify.modes import get_mode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check

__all__ = ["Counterexample", "counterexample"]


@dataclass(frozen=True)
class Counterexample:
    """The smallest input found on which a solution fails a check.

    Parameters
    ----------
    check : str
    space : str
        Declared input space that it was drawn from.
    inputs : dict
    output : object
        What the solution gave; None where it raised.
    message : str
    """

    check: str
    space: str
    inputs: Arguments
    output: Any
    message: str

    def __str__(self) -> str:
        inputs = ", ".join(f"{name}={value!r}" for name, value in self.inputs.items())
        return f"{self.check}: {self.message}\n  for {inputs}\n  it gives {self.output!r}"


class _HypothesisSource(spaces.Source):
    """Draws from Hypothesis."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        from hypothesis import strategies

        self._draw, self._st = draw, strategies

    def integer(self, low: int, high: int) -> int:
        result: int = self._draw(self._st.integers(low, high))
        return result

    def number(self, low: float, high: float) -> float:
        result: float = self._draw(self._st.floats(low, high, allow_subnormal=False))
        return result

    def floats(self, size: int, low: float, high: float) -> np.ndarray:
        one = self._st.floats(low, high, allow_subnormal=False)
        return np.array(self._draw(self._st.lists(one, min_size=size, max_size=size)), float)

    def integers(self, size: int, low: int, high: int, distinct: bool) -> np.ndarray:
        drawn = self._st.lists(
            self._st.integers(low, high), min_size=size, max_size=size, unique=distinct
        )
        return np.array(self._draw(drawn), np.int64)

    def choice(self, options: list[Any]) -> Any:
        return self._draw(self._st.sampled_from(options))

    def text(self, alphabet: str, size: int) -> str:
        result: str = self._draw(
            self._st.text(self._st.sampled_from(alphabet), min_size=size, max_size=size)
        )
        return result


def counterexample(
    card: Card,
    solution: Path | Callable[..., Any],
    check: str | None = None,
    *,
    max_examples: int = 200,
    seed: int = 0,
) -> Counterexample | None:
    """Look for a small input on which a trusted solution fails a check.

    Parameters
    ----------
    card : Card
        With declared input spaces (``generate`` in `verifier.yaml`).
    solution : Path or callable
        The author's own code; it runs in this process.
    check : str, optional
        Name of one check; by default every check of values is tried in turn.
    max_examples : int
        Inputs drawn for each space and check.
    seed : int
        The same seed finds the same counterexample.

    Returns
    -------
    Counterexample or None
        None where nothing was found, which proves nothing.

    Raises
    ------
    TaskError
        If the card declares no input space or has no such check.
    """
    if not card.spaces:
        raise TaskError(
            f"{card.folder / 'verifier.yaml'}: declare an input space under `generate` first"
        )
    checks = [c for c in card.checks if check in (None, c.name) and (check or c.semantic)]
    if not checks:
        raise TaskError(f"{card.folder / 'verifier.yaml'}: there is no check `{check}`")
    for space in card.spaces:
        function = card.function_of(space)
        candidate = solution if callable(solution) else getattr(functions_of(solution), function)
        for one in checks:
            if one.function not in (None, function):
                continue
            found = _search(card, space, function, candidate, one, max_examples, seed)
            if found:
                return found
    return None


def _search(
    card: Card,
    space: spaces.Space,
    function: str,
    candidate: Callable[..., Any],
    check: Check,
    max_examples: int,
    seed: int,
) -> Counterexample | None:
    import hypothesis
    from hypothesis import strategies

    build = card.build_of(space)
    smallest: list[Counterexample] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.given(strategies.data())
    def attempt(data: Any) -> None:
        inputs = spaces.draw(space, _HypothesisSource(data.draw), build)
        output, finding = _look(card, function, candidate, check, inputs)
        if not finding.ok:
            smallest[:] = [
                Counterexample(check.name, space["name"], inputs, output, finding.message)
            ]
            raise AssertionError

    try:
        attempt()
    except AssertionError:
        return smallest[0]
    return None


def _look(
    card: Card, function: str, candidate: Callable[..., Any], check: Check, inputs: Arguments
) -> tuple[Any, Finding]:
    """Evaluate one check on one drawn input, variants included."""
    variants: list[Arguments] = []
    info: Arguments = {}
    if check.mode == "metamorphic":
        made = card.library.transform(check.options["transform"])(inputs, np.random.default_rng(0))
        variants, info = made.variants, made.info
    output = None
    with np.errstate(all="ignore"):
        try:
            output = _call(card, candidate, function, inputs)
            seen = tuple(
                Observed(card.with_defaults(function, new), _call(card, candidate, function, new))
                for new in variants
            )
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return output, Finding(False, f"it raises {type(error).__name__}: {error}")
        expected = _call(card, card.reference[function], function, inputs)
        unit = Unit(card.with_defaults(function, inputs), output, expected, seen, info)
        return output, get_mode(check.mode).judge(check, unit, card.library)


def _call(card: Card, function: Callable[..., Any], name: str, inputs: Arguments) -> Any:
    args, kwargs = copy.deepcopy(card.unbind(name, inputs))
    return decode(encode(function(*args, **kwargs)))
