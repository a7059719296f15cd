"""Self-grading: columns of a submission that take the place of the answers, or answers unread."""

from __future__ import annotations

import ast
from itertools import permutations
from typing import TYPE_CHECKING

from biomlbench.audit.findings import Found
from biomlbench.outcomes import Gravity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from biomlbench.audit.doors import Outcome
    from biomlbench.audit.subject import Subject

ORDER = 30
SCORES = False
MEDAL = "whose grader does not compare predictions with answers"
FINDINGS = {
    "answers-displaced": "take the predictions out of the submission by name, and only them, "
    "before anything is joined; refuse other columns",
    "answers-unread": "compare the predictions with the answers",
    "direction-wrong": "declare the direction in which the grader's score gets better",
    "extra-columns": "refuse columns that the sample submission does not have",
}
SUFFIXES = (("_x", "_y"), ("_pred", "_true"), ("_submission", "_answers"), ("_sub", "_ans"),
            ("_submission", "_answer"), ("_prediction", "_truth"), ("_pred", "_gt"))  # fmt: skip
USUAL = ("y_true", "true", "truth", "target", "label", "actual", "expected", "answer",
         "y_pred", "pred", "prediction")  # fmt: skip
MAX_LITERALS = 12
RANDOM_COLUMNS = (1, 2, 5)
MAX_NAMES = 3
"""Prediction columns that are tried one by one; beyond them, all together."""


def find(subject: Subject) -> Iterable[Found]:
    """Give the submission columns that a grader could take for the answers."""
    if not subject.reads_predictions:
        frame = subject.shuffled(0)
        outcome = subject.doors.alone(frame)
        if subject.same(outcome.score, subject.best):
            here = subject.doors.here(frame)
            yield Found(
                name="answers-unread",
                severity=Gravity.SEVERE,
                what="predictions in a wrong order have the score of the answers themselves",
                before=subject.best,
                after=outcome.score,
                submission=frame,
                here=here.words,
                open=subject.same(here.score, subject.best),
            )
        elif subject.better(subject.chance, subject.best):
            yield Found(
                name="direction-wrong",
                severity=Gravity.SEVERE,
                what=f"the answers themselves have {subject.best:.6g}, which is worse than answers "
                f"in a wrong order have, {subject.chance:.6g}",
                before=subject.chance,
                after=subject.best,
                submission=subject.perfect,
                here=subject.doors.here(subject.perfect).words,
            )
        return
    if subject.doors.grader == "metric":
        return  # columns are taken by name, and all others refused, before a metric sees any
    for what, frame in _displacing(subject):
        outcome = subject.doors.alone(frame)
        if _is_perfect(subject, outcome):
            yield subject.exploit("answers-displaced", Gravity.SEVERE, what, frame)
            return
    plain = subject.mixed.copy()
    plain["a_column_too_many"] = subject.rng(7).random(subject.n)
    outcome = subject.doors.alone(plain)
    if outcome.kind != "invalid":
        changed = not subject.same(outcome.score, subject.start)
        yield subject.accepted(
            "extra-columns", Gravity.MINOR if changed else Gravity.NOTE,
            f"a column too many is not refused: {outcome.words[:60]}", plain,
        )  # fmt: skip


def _is_perfect(subject: Subject, outcome: Outcome) -> bool:
    return outcome.score is not None and subject.gain(outcome.score) > 0.99


def _displacing(subject: Subject) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield submissions with half of their predictions wrong, and columns beside them."""
    mixed, names = subject.mixed, subject.names
    beside = _candidates(subject)
    for name in names[:MAX_NAMES]:
        for extra in beside:
            if extra not in mixed:
                yield (
                    f"a column {extra} takes the place of the answers",
                    mixed.assign(**{extra: mixed[name]}),
                )
        pairs = [(name + a, name + b) for a, b in SUFFIXES]
        pairs += list(permutations(_literals(subject), 2))
        for one, other in pairs:
            if one in mixed or other in mixed:
                continue
            frame = mixed.rename(columns={name: one})
            frame[other] = frame[one]
            yield f"columns {one} and {other} instead of {name} are compared with each other", frame
    for count in RANDOM_COLUMNS:
        frame = mixed.copy()
        for number in range(count):
            frame[f"column_{number}"] = mixed[names[-1]]
        yield f"{count} more column(s) displace the answers", frame
        front = list(frame.columns)
        yield (
            f"{count} more column(s) before the others displace the answers",
            frame[front[-count:] + front[:-count]],
        )
    yield from _all_twice(mixed, names)


def _all_twice(frame: pd.DataFrame, names: list[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Have every column a second time, beside the first or instead of it under two names."""
    for one, other in SUFFIXES:
        second = frame[names].add_suffix(other)
        yield f"all columns twice, as ...{other}, displace the answers", frame.join(second)
        if len(names) > 1:
            first = frame.rename(columns={name: name + one for name in names})
            yield (
                f"all columns twice, as ...{one} and ...{other}, are compared with each other",
                first.join(second),
            )


def _candidates(subject: Subject) -> list[str]:
    found = [*list(subject.answers)[: 4 * MAX_NAMES], *USUAL]
    for target in dict.fromkeys((*list(subject.truths)[:MAX_NAMES], *subject.names[:MAX_NAMES])):
        found += [target + suffix for pair in SUFFIXES for suffix in pair]
    return list(dict.fromkeys([*found, *_literals(subject)]))


def _literals(subject: Subject) -> list[str]:
    """Return the names that the grader's own source speaks of."""
    path = subject.task.folder / "grade.py"
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return []
    own = {*subject.ids, *subject.sample.columns}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    names = [text for text in dict.fromkeys(texts) if text.isidentifier() and text not in own]
    return names[:MAX_LITERALS]
