"""Another pandas: scores that depend on the version of a library."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from biomlbench.audit.doors import Doors
from biomlbench.audit.findings import Found
from biomlbench.outcomes import Gravity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from biomlbench.audit.subject import Subject

ORDER = 100
SCORES = False
MEDAL = "whose score depends on a library's version"
FINDINGS = {
    "another-pandas": "say which version grades, and take what is computed from no default of it",
}


def find(subject: Subject) -> Iterable[Found]:
    """Score with the pandas of another environment, where one is named."""
    if subject.doors.grader == "metric":
        return  # it is part of this package, whose dependencies are pinned
    if subject.pandas_env is None:
        subject.not_tried.append("another pandas: no environment with one was named")
        return
    there, own = _version(subject.pandas_env), version("pandas")
    if there in ("", own):
        subject.not_tried.append(f"another pandas: {subject.pandas_env.name} has "
                                 + (f"{there}, as here" if there else "none"))  # fmt: skip
        return
    other = Doors(subject.task, subject.pandas_env)
    if other.alone(subject.perfect).score is None:
        said = other.alone(subject.perfect).words
        subject.not_tried.append(f"another pandas: the grader does not run with {there}: {said}")
        return
    for what, frame in (
        ("the answers", subject.perfect),
        ("half-right predictions", subject.mixed),
        ("the sample submission", subject.sample),
        ("a submission without its first row", subject.mixed.iloc[1:]),
    ):
        before, after = subject.doors.alone(frame), other.alone(frame)
        if before.kind != after.kind or (
            before.score is not None and not subject.same(before.score, after.score)
        ):
            yield Found(
                name="another-pandas",
                severity=Gravity.MODERATE,
                what=f"{what}: {before.words} with pandas {own}, {after.words} with {there}",
                before=before.score,
                after=after.score,
                submission=frame,
                here=subject.doors.here(frame).words,
            )
            return


def _version(environment: Path) -> str:
    """Return the version of pandas that an environment has; empty for none."""
    found = sorted(environment.glob("lib/python*/site-packages/pandas-*.dist-info"))
    return found[0].name.removeprefix("pandas-").removesuffix(".dist-info") if found else ""
