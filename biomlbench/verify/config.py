"""`verifier.yaml`: reading it, and refusing one that breaks a rule of verification."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError, faults_as
from biomlbench.outcomes import Severity, Suite
from biomlbench.runtime.schema_words import in_words
from biomlbench.verify._lines import Lines, YamlError, read
from biomlbench.verify.modes import all_modes, get_mode

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from biomlbench.contracts.mappings import Config
    from biomlbench.verify.space import Space

__all__ = ["Check", "VerifierConfig", "VerifierError", "load"]


class VerifierError(TaskError):
    """A card's file breaks a rule; the message names the file, the line and the rule."""

    def __init__(self, path: Path, line: int, rule: str, message: str) -> None:
        super().__init__(f"{path}:{line}: [{rule}] {message}")
        self.path, self.line, self.rule, self.detail = path, line, rule, message

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.path, self.line, self.rule, self.detail)


@dataclass(frozen=True)
class Check:
    """One check of the matrix.

    Parameters
    ----------
    name, mode : str
    severity : Severity
    suites : tuple of Suite
    weight : float
    catches : tuple of str
        Failure patterns.
    cases : tuple of str
        Wildcards over case names.
    function : str or None
    options : dict
        The mode's own keys.
    line : int
        Where it begins in `verifier.yaml`.
    """

    name: str
    mode: str
    severity: Severity
    suites: tuple[Suite, ...]
    weight: float
    catches: tuple[str, ...]
    cases: tuple[str, ...] = ("*",)
    function: str | None = None
    options: Config = field(default_factory=dict)
    line: int = 1

    @property
    def semantic(self) -> bool:
        """Whether the mode can be evidence that the work is right."""
        result: bool = get_mode(self.mode).SEMANTIC
        return result

    @property
    def against_oracle(self) -> bool:
        """Whether the mode compares the output with the oracle's."""
        result: bool = get_mode(self.mode).ORACLE
        return result

    @property
    def decides(self) -> bool:
        """Whether the check can change a verdict."""
        return self.severity != Severity.ADVISORY


@dataclass(frozen=True)
class VerifierConfig:
    """A `verifier.yaml` that has been read and follows the rules that it can be held to alone."""

    path: Path
    checks: tuple[Check, ...]
    patterns: dict[str, str]
    generate: tuple[Space, ...]
    complex: bool
    draft: bool
    float_drift: str | None
    lines: Lines

    def error(self, rule: str, message: str, *place: str | int) -> VerifierError:
        """Make an error that names this file and the line of `place`."""
        return VerifierError(self.path, self.lines.at(*place), rule, message)

    def blaming(self, rule: str, what: str, *place: str | int) -> AbstractContextManager[None]:
        """Turn what the card's own code raises into an error of a rule, in a with block."""
        return faults_as(f"{what}: ", lambda text: self.error(rule, text, *place))


_KEYS = ("name", "mode", "severity", "suite", "weight", "catches", "cases", "function")


def load(path: Path) -> VerifierConfig:
    """Read `verifier.yaml` and enforce the rules of verification.

    Parameters
    ----------
    path : Path

    Returns
    -------
    VerifierConfig

    Raises
    ------
    VerifierError
        If the file cannot be read, has an unknown key, or breaks a rule.
    """
    try:
        data, lines = read(path)
    except FileNotFoundError:
        raise VerifierError(path, 1, "file", "the file does not exist") from None
    except YamlError as error:
        raise VerifierError(path, 1, "yaml", str(error)) from error
    _against_schema(path, data, lines)
    checks = tuple(
        _check(item, lines.at("checks", index)) for index, item in enumerate(data["checks"])
    )
    config = VerifierConfig(
        path=path,
        checks=checks,
        patterns=dict(data.get("patterns", {})),
        generate=tuple(data.get("generate", [])),
        complex=data.get("complex", False),
        draft=data.get("draft", False),
        float_drift=data.get("float_drift"),
        lines=lines,
    )
    for rule in _RULES:
        rule(config)
    return config


def _against_schema(path: Path, data: Any, lines: Lines) -> None:
    from jsonschema import Draft202012Validator

    from biomlbench.verify.schema import build

    errors = list(Draft202012Validator(build()).iter_errors(data))
    if not errors:
        return
    error = max(errors, key=_depth)
    where = ".".join(str(part) for part in error.absolute_path)
    prefix = f"`{where}`: " if where else ""
    raise VerifierError(
        path, lines.at(*error.absolute_path), "schema", f"{prefix}{in_words(error)}"
    )


def _depth(error: Any) -> int:
    return len(error.absolute_path)


def _check(item: Config, line: int) -> Check:
    mode = get_mode(item["mode"])
    suite = item.get("suite", mode.DEFAULT_SUITE)
    cases = item.get("cases", "*")
    return Check(
        name=item["name"],
        mode=item["mode"],
        severity=Severity(item["severity"]),
        suites=tuple(map(Suite, [suite] if isinstance(suite, str) else suite)),
        weight=float(item.get("weight", mode.DEFAULT_WEIGHT)),
        catches=tuple(item.get("catches", ())),
        cases=(cases,) if isinstance(cases, str) else tuple(cases),
        function=item.get("function"),
        options={key: value for key, value in item.items() if key not in _KEYS},
        line=line,
    )


def _unique_names(config: VerifierConfig) -> None:
    seen: set[str] = set()
    for index, check in enumerate(config.checks):
        if check.name in seen:
            raise config.error(
                "unique-names",
                f"two checks are called `{check.name}`; rename one",
                "checks",
                index,
                "name",
            )
        seen.add(check.name)


def _patterns_are_caught(config: VerifierConfig) -> None:
    for index, check in enumerate(config.checks):
        if not check.catches:
            raise config.error(
                "check-names-pattern",
                f"check `{check.name}` names no failure pattern; list what it catches under "
                "`catches`",
                "checks",
                index,
            )
        for position, pattern in enumerate(check.catches):
            if pattern not in config.patterns:
                raise config.error(
                    "check-names-pattern",
                    f"pattern `{pattern}` is not described under `patterns`",
                    "checks",
                    index,
                    "catches",
                    position,
                )
    caught = {pattern for check in config.checks if check.decides for pattern in check.catches}
    for pattern in config.patterns:
        if pattern not in caught and not config.draft:
            raise config.error(
                "pattern-is-caught",
                f"no blocker or critical check catches pattern `{pattern}`",
                "patterns",
                pattern,
            )


def _shape_never_suffices(config: VerifierConfig) -> None:
    if not any(check.semantic and check.decides for check in config.checks):
        modes = " or ".join(name for name, mode in all_modes().items() if mode.SEMANTIC)
        raise config.error(
            "shape-guard-never-suffices",
            "no check looks at values: a shape guard is no evidence of correctness, nor is an "
            f"advisory check; add a blocker or critical check of mode {modes}",
            "checks",
        )


def _deciding(config: VerifierConfig, mode: str) -> list[Check]:
    return [check for check in config.checks if check.mode == mode and check.decides]


def _hidden_defaults_to_oracle(config: VerifierConfig) -> None:
    exact = [check for check in _deciding(config, "exact_match") if Suite.HIDDEN in check.suites]
    if exact:
        return
    if config.float_drift is None:
        raise config.error(
            "hidden-exact-match",
            "deterministic hidden cases need a blocker or critical exact_match check; where "
            "right solutions differ in the last digits, say why under `float_drift` and use "
            "numeric_tolerance",
            "checks",
        )
    numeric = [c for c in _deciding(config, "numeric_tolerance") if Suite.HIDDEN in c.suites]
    if not numeric:
        raise config.error(
            "hidden-exact-match",
            "`float_drift` is declared, but no blocker or critical numeric_tolerance check "
            "compares the hidden cases with the oracle",
            "float_drift",
        )


def _tolerance_has_property(config: VerifierConfig) -> None:
    for index, check in enumerate(config.checks):
        if check.mode != "numeric_tolerance" or not check.decides:
            continue
        beside = [
            other
            for other in _deciding(config, "property_based")
            if None in (other.function, check.function) or other.function == check.function
        ]
        if not beside:
            raise config.error(
                "tolerance-needs-property",
                f"check `{check.name}` allows a tolerance, so at least one blocker or critical "
                "property_based check must stand beside it",
                "checks",
                index,
            )


def _complex_needs_three(config: VerifierConfig) -> None:
    if not config.complex:
        return
    modes = " or ".join(name for name, mode in all_modes().items() if mode.ORACLE)
    channels = {
        f"an oracle check ({modes})": [
            check for check in config.checks if check.against_oracle and check.decides
        ],
        "a property_based check": _deciding(config, "property_based"),
        "a metamorphic check": _deciding(config, "metamorphic"),
    }
    missing = [name for name, checks in channels.items() if not checks]
    if missing:
        raise config.error(
            "complex-needs-three-channels",
            "a complex task needs independent channels; missing: " + ", ".join(missing),
            "complex",
        )


_RULES = (
    _unique_names,
    _shape_never_suffices,
    _hidden_defaults_to_oracle,
    _tolerance_has_property,
    _complex_needs_three,
    _patterns_are_caught,
)
