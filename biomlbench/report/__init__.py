"""The report: agents' summary, figures and the page."""

from __future__ import annotations

from biomlbench.summary.agents import summarize_agents

__all__ = ["summarize_agents"]
