"""What the server answers: pydantic models, which check every answer and describe it in OpenAPI."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from biomlbench.outcomes import Outcome, Reason, Severity, Verdict, Verifier

__all__ = ["Case", "Check", "Error", "Evaluation", "Health", "Result", "StatedReason", "as_json"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Health(_Answer):
    """The server runs."""

    status: Literal["running"]


class Result(_Answer):
    """What was found in a submission's structure."""

    result: str


class Error(_Answer):
    """Why a request was not answered."""

    error: str
    details: str


class StatedReason(_Answer):
    """A reason of a verdict."""

    reason: Reason
    sentence: str


class Check(_Answer):
    """What became of a check of the visible suite."""

    check: str
    mode: str
    severity: Severity
    outcome: Outcome
    reason: Reason
    message: str
    margin: FiniteFloat | None = Field(
        description="Distance to the threshold in units of it; negative: failed."
    )


class Case(_Answer):
    """What became of a case of the visible suite."""

    case: str
    function: str
    outcome: Outcome
    reason: Reason
    message: str
    inputs: str
    expected: str
    got: str
    stdout: str


class Evaluation(_Answer):
    """The verdict on a candidate."""

    task_id: str
    verifier: Verifier = Field(description="Which verifier decided.")
    verdict: Verdict
    reasons: list[StatedReason]
    calibrated: bool = Field(description="Whether the card has all the evidence that a card needs.")
    message: str = Field(
        description="Why the code was not run or could not be imported; else empty."
    )
    checks: list[Check] = Field(description="Checks of the visible suite.")
    feedback: list[Case] = Field(description="Cases of the visible suite.")


def as_json(answer: Any) -> bytes:
    """Return an answer, or plain data, as JSON.

    Parameters
    ----------
    answer : BaseModel or object
        Without infinities and NaN.
    """
    if isinstance(answer, BaseModel):
        answer = answer.model_dump(mode="json")
    # ASCII only: what a candidate returns may hold characters that UTF-8 cannot carry.
    text = json.dumps(answer, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii")
