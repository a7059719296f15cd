"""What this host gives: every provider, whether it can be used, and what it stops."""

from __future__ import annotations

from biomlbench.sandbox import probe, providers
from biomlbench.sandbox.model import SandboxFault, SandboxUnavailable

__all__ = ["report"]


def report() -> list[dict[str, object]]:
    """Attack every provider of this host and return one row for each attack.

    Returns
    -------
    list of dict
        With ``provider``, ``level``, ``automatic`` (whether ``auto`` may choose it),
        ``usable``, ``reason`` (why it is not usable), ``remedy`` (what to do about that),
        and, where the provider starts at all, ``attack``, ``needed`` (whether the provider is
        refused without), ``stopped`` and ``detail``.
    """
    rows: list[dict[str, object]] = []
    for provider in providers.all_providers():
        head: dict[str, object] = {
            "provider": provider.name,
            "level": provider.level,
            "automatic": provider.automatic,
        }
        none = {"attack": "", "needed": False, "stopped": False, "detail": ""}
        refusal = provider.obstacle()
        findings: list[probe.Finding] = []
        if refusal is None:
            try:
                findings = probe.attack(provider)
                refusal = probe.judge(findings)
            except SandboxUnavailable as error:
                refusal = error.refusal
            except SandboxFault as error:
                refusal = probe.refusal_of(error)
        head["usable"] = refusal is None
        head["reason"] = "" if refusal is None else refusal.cause
        head["remedy"] = "" if refusal is None else refusal.remedy
        if not findings:
            rows.append({**head, **none})
        rows += [
            {
                **head,
                "attack": finding.title,
                "needed": finding.needed,
                "stopped": finding.stopped,
                "detail": finding.detail,
            }
            for finding in findings
        ]
    return rows
