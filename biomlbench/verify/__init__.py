"""Verification: checks in five modes, evidence for every problem, verdicts one can defend.

The way of a candidate::

    card = load(folder)                          # a problem card, held to the rules
    plan = card.plan()                           # every call that the sandbox makes
    oracle = compute(card, plan)                 # what the reference gives, outside the sandbox
    rows = judge(card, plan, oracle, outputs)    # one row a check
    verdict = decide(rows)                       # pass, partial or fail, with reasons

or, in one step and by the verifier that the card asks for, ``evaluate(...)``.
"""

from biomlbench.verify.card import Card, load
from biomlbench.verify.evaluation import Evaluation, evaluate
from biomlbench.verify.feedback import Feedback, feedback
from biomlbench.verify.judging import Results, judge
from biomlbench.verify.oracle import Oracle, compute
from biomlbench.verify.plan import Plan, PlannedCase
from biomlbench.verify.policy import CheckOutcome, Decision, decide

__all__ = [
    "Card",
    "CheckOutcome",
    "Decision",
    "Evaluation",
    "Feedback",
    "Oracle",
    "Plan",
    "PlannedCase",
    "Results",
    "compute",
    "decide",
    "evaluate",
    "feedback",
    "judge",
    "load",
]
