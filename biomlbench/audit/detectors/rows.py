"""Rows and columns: ids and names that are not read; missing, repeated or unknown rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.outcomes import Gravity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.subject import Subject

ORDER = 20
SCORES = True
MEDAL = "whose rows are not matched by id"
FINDINGS = {
    "positional": "match the rows of submission and answers by id, and refuse unknown ids",
    "row-order-counts": "match the rows of submission and answers by id before comparing them",
    "ids-as-text": "compare ids as what they are, or refuse those written in another way",
    "columns-by-place": "take the predictions by the columns' names",
    "key-ignored": "match the rows by all columns of the id",
    "rows-dropped": "refuse a submission that lacks rows, instead of joining what there is",
    "group-dropped": "refuse a submission that lacks rows; a group without any is not left out",
    "duplicates-counted": "refuse a submission in which an id occurs twice",
    "best-of-duplicates": "refuse a submission in which an id occurs twice",
    "extra-rows-counted": "refuse rows with an unknown id",
    "rows-unchecked": "refuse missing, repeated and unknown ids with a message",
}
COPIES = 25
LEADING = 0.25
ORDERS = 4
HALF = 0.5


def find(subject: Subject) -> Iterable[Found]:
    """Vary the rows of the half-right submission."""
    positional = list(subject.part(_ids(subject)))
    yield from positional
    yield from subject.part(_columns(subject))
    yield from subject.part(_missing(subject))
    yield from subject.part(_repeated(subject))
    if not positional:
        yield from subject.part(_unchecked(subject))


def _turned(subject: Subject, columns: list[str], number: int = 0) -> pd.DataFrame:
    """Return the perfect submission with some columns' values in another order."""
    frame = subject.perfect.copy()
    order = subject.rng(5, number).permutation(subject.n)
    for name in columns:
        frame[name] = frame[name].to_numpy()[order]
    return frame


def _unread(subject: Subject, columns: list[str]) -> bool:
    """Whether values of some columns change no score.

    Several orders of them, as a score of few values is perfect by chance now and then.
    """
    tried = (_turned(subject, columns, number) for number in range(ORDERS))
    return all(subject.same(subject.doors.alone(one).score, subject.best) for one in tried)


def _ids(subject: Subject) -> Iterator[Found]:
    order = subject.rng(6).permutation(subject.n)
    moved = subject.perfect.iloc[order].reset_index(drop=True)
    after = subject.doors.alone(moved)
    if _unread(subject, list(subject.ids)):
        honest = ""
        if after.score is not None and not subject.same(after.score, subject.best):
            honest = f"; right predictions in another order of the rows have {after.score:.6g}"
        yield subject.exploit(
            "positional", Gravity.SEVERE,
            f"other ids beside the predictions change no score: rows are taken by position{honest}",
            _turned(subject, list(subject.ids)), subject.chance,
        )  # fmt: skip
        return
    yield from _misgraded(subject, "row-order-counts", "in another order of the rows", moved)
    first = subject.perfect[subject.ids[0]]
    if first.str.fullmatch(r"\d{1,15}").all():
        # As a table of an id that was joined with missing ones is written.
        pointed = subject.perfect.assign(**{subject.ids[0]: first + ".0"})
        yield from _misgraded(subject, "ids-as-text", "with ids written as 1.0 for 1", pointed)
    if len(subject.ids) > 1:
        for name in subject.ids:
            frame = _turned(subject, [name])
            if _unread(subject, [name]):
                yield subject.exploit(
                    "key-ignored", Gravity.SEVERE,
                    f"values of the id column {name} change no score",
                    frame, subject.chance,
                )  # fmt: skip


def _columns(subject: Subject) -> Iterator[Found]:
    if len(subject.names) > 1:
        ids, names = list(subject.ids), subject.names
        for what, order in (
            ("with the columns in another order", [*ids, *names[1:], names[0]]),
            ("with the ids in the last column", [*names, *ids]),
        ):
            found = list(_misgraded(subject, "columns-by-place", what, subject.perfect[order]))
            yield from found
            if found:
                return


def _misgraded(subject: Subject, name: str, what: str, frame: pd.DataFrame) -> Iterator[Found]:
    """Look whether right predictions in another form have a worse score."""
    after = subject.doors.alone(frame)
    if after.score is None or not subject.better(subject.best, after.score):
        return
    here = subject.doors.here(frame)
    yield Found(
        name=name,
        severity=Gravity.SEVERE if subject.gain(after.score) < HALF else Gravity.MODERATE,
        what=f"right predictions, {what}, have a worse score",
        before=subject.best,
        after=after.score,
        submission=frame,
        here=here.words,
        open=not subject.same(here.score, subject.best),
    )


def _missing(subject: Subject) -> Iterator[Found]:
    """Leave out the wrong rows: of half-right, of nearly right, of one group."""
    score, n = subject.doors.alone, subject.n
    leading = np.arange(n) < max(1, int(LEADING * n))
    single = np.arange(n) == n // 2
    for what, wrong in (("half of the rows", subject.wrong), ("a leading block", leading),
                        ("one row", single)):  # fmt: skip
        spoilt = subject.spoilt(wrong)
        before = score(spoilt).score
        if before is None or not subject.better(subject.best, before):
            continue
        frame = spoilt[~wrong].reset_index(drop=True)
        after = score(frame).score
        enough = after is not None and subject.better(after, before) and (
            subject.gain(after) - subject.gain(before) > (subject.gain(subject.best)
                                                          - subject.gain(before)) / 2)  # fmt: skip
        if enough:
            yield subject.exploit(
                "rows-dropped", Gravity.SEVERE,
                f"leaving out {what}, the wrong ones, raises the score", frame, before,
            )  # fmt: skip
            return
    yield from _group(subject)


def _group(subject: Subject) -> Iterator[Found]:
    for column in [c for c in subject.answers if c not in subject.truths]:
        found = list(subject.part(_by(subject, column), f"column {column!r} of the answers"))
        yield from found
        if found:
            return


def _by(subject: Subject, column: str) -> Iterator[Found]:
    """Leave out a group of a column; rows with an empty cell are in none."""
    score, values = subject.doors.alone, subject.answers[column]
    groups = pd.factorize(values.mask(values.eq("")))[0]
    sizes = np.bincount(groups[groups >= 0])
    if len(sizes) < 2 or sizes.min() < 2 or len(sizes) > subject.n // 2:
        return
    wrong = groups == 0
    spoilt = subject.spoilt(wrong)
    before = score(spoilt).score
    frame = spoilt[~wrong].reset_index(drop=True)
    after = score(frame)
    if before is not None and subject.raises(after, before):
        yield subject.exploit(
            "group-dropped", Gravity.SEVERE,
            f"leaving out a whole group of {column}, the wrong one, raises the score",
            frame, before,
        )  # fmt: skip


def _repeated(subject: Subject) -> Iterator[Found]:
    score, right = subject.doors.alone, subject.mixed[~subject.wrong]
    for copies in (1, COPIES):
        frame = pd.concat([subject.mixed, *[right] * copies], ignore_index=True)
        if subject.raises(score(frame), subject.start):
            yield subject.exploit(
                "duplicates-counted", Gravity.SEVERE,
                f"{copies} more cop{'y' if copies == 1 else 'ies'} of the right rows raise the "
                "score", frame,
            )  # fmt: skip
            break
    opposite = subject.spoilt(~subject.wrong)
    both = pd.concat([subject.mixed, opposite], ignore_index=True)
    if subject.same(score(both).score, subject.best):
        yield subject.exploit(
            "best-of-duplicates", Gravity.SEVERE,
            "of two rows with one id the better one counts", both,
        )  # fmt: skip


def _unchecked(subject: Subject) -> Iterator[Found]:
    """Look for what is accepted, or crashes, without a gain."""
    score, mixed = subject.doors.alone, subject.mixed
    strange = mixed.iloc[: max(1, subject.n // 10)]
    strange = strange.assign(**subject.unknown_ids(len(strange)))
    extra = pd.concat([mixed, strange], ignore_index=True)
    after = score(extra)
    if subject.raises(after, subject.start):
        yield subject.exploit("extra-rows-counted", Gravity.SEVERE,
                              "rows with unknown ids raise the score", extra)  # fmt: skip
        return
    doubled = pd.concat([mixed, mixed.iloc[:1]], ignore_index=True)
    kinds = {
        "a missing row": mixed.iloc[1:],
        "a repeated row": doubled,
        "unknown ids": extra,
        "no rows": mixed.iloc[:0],
    }
    bad = {what: frame for what, frame in kinds.items() if score(frame).kind != "invalid"}
    if bad:
        said = "; ".join(f"{what}: {score(frame).words[:60]}" for what, frame in bad.items())
        frame = next(iter(bad.values()))
        # That unknown ids are left out changes nothing; all else hides a mistake.
        severity = Gravity.NOTE if set(bad) == {"unknown ids"} else Gravity.MINOR
        yield subject.accepted("rows-unchecked", severity, f"not refused as invalid: {said}", frame)
