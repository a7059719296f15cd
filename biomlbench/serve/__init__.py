"""The evaluator as a service: ``POST /validate``, ``POST /evaluate`` and ``GET /health``.

The web side (:mod:`~biomlbench.serve.app`) needs the optional extra ``serve``; what it answers
(:mod:`~biomlbench.serve.work`) is made in worker processes, by the same stages as on the command
line and in the workflow.
"""

from __future__ import annotations

from biomlbench.serve.settings import Settings

__all__ = ["Settings"]
