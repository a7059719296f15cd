"""The failure taxonomy is complete, and other vocabularies fit into it."""

from __future__ import annotations

from biomlbench.outcomes import FAULT_OF, SENTENCES, Fault, Reason, fault_of
from biomlbench.sandbox import STATUSES


def test_every_reason_has_a_fault_and_a_sentence():
    assert set(FAULT_OF) == set(SENTENCES) == set(Reason)
    for sentence in SENTENCES.values():
        assert sentence[0].isupper()
        assert sentence.endswith(".")


def test_every_status_of_the_sandbox_is_the_submissions_fault():
    for status in STATUSES:
        if status != "ok":
            assert fault_of(status) is Fault.SUBMISSION, status


def test_sentences_hold_for_every_metric():
    """A reason is given on tasks of any metric, so that its sentence may speak of none."""
    words = {"rank", "auc", "correlation", "accuracy", "rmse"}
    for reason, text in SENTENCES.items():
        if FAULT_OF[reason] == Fault.SUBMISSION:
            assert not words & set(text.lower().rstrip(".").split()), reason
