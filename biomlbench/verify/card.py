"""A problem card: its folder, read and held to the rules."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError, faults_as
from biomlbench.scoring.effective_task import declared_verifier
from biomlbench.task.loading import load_module
from biomlbench.task.task import entry_points_of, is_card
from biomlbench.verify import config as verifier_config
from biomlbench.verify import declaration_rules, solutions
from biomlbench.verify._lines import YamlError, read
from biomlbench.verify.alternates import DEFAULT_LAYOUTS
from biomlbench.verify.card_rules import hold
from biomlbench.verify.cases import SUITES, Case
from biomlbench.verify.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.contracts.mappings import Arguments, Config
    from biomlbench.outcomes import Verifier
    from biomlbench.verify.config import Check, VerifierConfig
    from biomlbench.verify.declarations import EdgesSpec
    from biomlbench.verify.plan import Plan, PlannedCase
    from biomlbench.verify.solutions import Solution
    from biomlbench.verify.space import Space

__all__ = ["Card", "config_of", "load"]


@dataclass(frozen=True, eq=False)
class Card:
    """A problem card.

    Parameters
    ----------
    folder : Path
    config : dict
        ``config.yaml``.
    version : Verifier
        Which verifier decides: v1, shadow or v2.
    verifier : VerifierConfig or None
        None for a v1 card without ``verifier.yaml``.
    entry_points : tuple of str
        Functions that a candidate must define.
    reference : dict
        The reference solution's functions by name.
    cases : dict
        Cases of ``cases.py`` by suite.
    library : Library
        Properties, transforms and relations, the card's own included.
    solutions : tuple of Solution
    """

    folder: Path
    config: Config
    version: Verifier
    verifier: VerifierConfig | None
    entry_points: tuple[str, ...]
    reference: dict[str, Callable[..., Any]]
    cases: dict[str, tuple[Case, ...]]
    library: Library
    solutions: tuple[Solution, ...] = field(default=())

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @property
    def title(self) -> str:
        """Title of the card."""
        return str(self.config.get("name") or self.name)

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules to be imported before the candidate's code is."""
        return tuple(self.config.get("preload") or ())

    @property
    def limits(self) -> Config:
        """Limits of the sandbox."""
        return dict(self.config.get("limits") or {})

    @property
    def layouts(self) -> tuple[str, ...]:
        """How arrays may lie in memory when they arrive."""
        return tuple(self.config.get("layouts", DEFAULT_LAYOUTS))

    @property
    def rules(self) -> VerifierConfig:
        """The ``verifier.yaml`` of a card that has one."""
        if self.verifier is None:
            raise TaskError(f"{self.folder}: has no verifier.yaml")
        return self.verifier

    @property
    def checks(self) -> tuple[Check, ...]:
        """Checks of ``verifier.yaml``; none for a card without it."""
        return self.verifier.checks if self.verifier else ()

    @property
    def spaces(self) -> tuple[Space, ...]:
        """Declared input spaces; none for a card without ``verifier.yaml``."""
        return self.verifier.generate if self.verifier else ()

    def function_of(self, space: Space) -> str:
        """Return the entry point that a declared input space is of."""
        return space.get("function", self.entry_points[0])

    def build_of(self, declared: Space | EdgesSpec) -> Callable[..., Any] | None:
        """Return the card's own function that makes inputs of drawn values, if one is named."""
        return self.library.own(declared["build"]) if "build" in declared else None

    @cached_property
    def _signatures(self) -> dict[str, inspect.Signature]:
        return {name: inspect.signature(function) for name, function in self.reference.items()}

    def bind(self, function: str, args: tuple[Any, ...], kwargs: Arguments) -> Arguments:
        """Return a call's inputs by argument name, without defaults."""
        return dict(self._signatures[function].bind(*args, **kwargs).arguments)

    def inputs_of(self, case: PlannedCase) -> Arguments:
        """Return a planned call's inputs by argument name, defaults filled in."""
        bound = self.bind(case.function, case.args, case.kwargs)
        return self.with_defaults(case.function, bound)

    def unbind(self, function: str, inputs: Arguments) -> tuple[tuple[Any, ...], Arguments]:
        """Return args and kwargs of a call with these inputs."""
        bound = self._signatures[function].bind(**inputs)
        return bound.args, bound.kwargs

    def with_defaults(self, function: str, inputs: Arguments) -> Arguments:
        """Return the inputs with the reference's defaults filled in."""
        bound = self._signatures[function].bind(**inputs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def plan(self) -> Plan:
        """Return all cases to be executed; the same ones every time."""
        return self._plan

    @cached_property
    def _plan(self) -> Plan:
        from biomlbench.verify.planning import make

        return make(self)


def load(folder: str | Path) -> Card:
    """Load a problem card.

    Parameters
    ----------
    folder : path
        Folder with ``config.yaml``, ``reference.py``, ``cases.py`` and, from v2 on,
        ``verifier.yaml``.

    Returns
    -------
    Card

    Raises
    ------
    VerifierError
        If a file breaks a rule of verification; the message names file, line and rule.
    TaskError
        If a file is missing or broken in another way.
    """
    folder = Path(folder).resolve()
    config = _card_config(folder)
    entry_points = entry_points_of(folder, config)
    declaration_rules.hold_form(folder / "config.yaml", config, entry_points)
    reference_module = _module(folder, "reference.py")
    reference = {}
    for name in entry_points:
        function = getattr(reference_module, name, None)
        if not callable(function):
            raise TaskError(f"{folder / 'reference.py'}: there is no function `{name}`")
        reference[name] = function
    own = _module(folder, "properties.py") if (folder / "properties.py").is_file() else None
    checks = folder / "verifier.yaml"
    card = Card(
        folder=folder,
        config=config,
        version=declared_verifier(folder, config),
        verifier=verifier_config.load(checks) if checks.is_file() else None,
        entry_points=entry_points,
        reference=reference,
        cases=_cases(folder, reference),
        library=_library(own, reference, entry_points),
        solutions=solutions.find(folder),
    )
    declaration_rules.hold_functions(card)
    if card.verifier:
        hold(card)
    return card


def config_of(folder: Path) -> Config:
    """Read the ``config.yaml`` of a task of either kind.

    Raises
    ------
    TaskError
        If the file is missing, or is no YAML mapping.
    """
    path = folder / "config.yaml"
    try:
        data, _ = read(path)
    except FileNotFoundError:
        raise TaskError(f"{path}: the file does not exist") from None
    except YamlError as error:
        raise TaskError(str(error)) from error
    if not isinstance(data, dict):
        raise TaskError(f"{path}: the file must hold a mapping of keys to values")
    return data


def _card_config(folder: Path) -> Config:
    data = config_of(folder)
    if not is_card(data):
        raise TaskError(f"{folder / 'config.yaml'}: a problem card needs `kind: functions`")
    return data


def _module(folder: Path, name: str) -> Any:
    path = folder / name
    if not path.is_file():
        raise TaskError(f"{path}: the file does not exist")
    with faults_as(f"{path}: "):
        return load_module(path)


def _cases(folder: Path, reference: dict[str, Callable[..., Any]]) -> dict[str, tuple[Case, ...]]:
    path, module = folder / "cases.py", _module(folder, "cases.py")
    signatures = {name: inspect.signature(function) for name, function in reference.items()}
    found: dict[str, tuple[Case, ...]] = {}
    seen: set[str] = set()
    for suite in SUITES:
        make = getattr(module, suite, None)
        with faults_as(f"{path}: {suite}() raised "):
            cases = tuple(make()) if make else ()
        for case in cases:
            if not isinstance(case, Case):
                raise TaskError(
                    f"{path}: {suite}() must return a list of what `case(...)` of "
                    f"biomlbench.verify.cases returns, not of {type(case).__name__}"
                )
            if case.function not in reference:
                raise TaskError(
                    f"{path}: case `{case.name}` calls `{case.function}`, which is not one of the "
                    f"entry points {list(reference)}"
                )
            if case.name in seen:
                raise TaskError(f"{path}: two cases are called `{case.name}`; rename one")
            seen.add(case.name)
            try:
                signatures[case.function].bind(*case.args, **case.kwargs)
            except TypeError as error:
                raise TaskError(
                    f"{path}: case `{case.name}` does not fit "
                    f"`{case.function}{signatures[case.function]}` of reference.py: {error}"
                ) from error
        found[suite] = cases
    if not any(found.values()):
        raise TaskError(f"{path}: there are no cases; define visible() and hidden()")
    return found


def _library(
    own: Any, reference: dict[str, Callable[..., Any]], entry_points: tuple[str, ...]
) -> Library:
    first = reference[entry_points[0]]

    def right(inputs: Arguments) -> Any:
        return first(**inputs)

    return Library(own, right)
