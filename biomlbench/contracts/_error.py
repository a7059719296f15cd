"""What is raised for a table that is not as declared."""

from __future__ import annotations

from biomlbench.errors import UserError

__all__ = ["ContractError"]


class ContractError(UserError, ValueError):
    """A table does not have the schema that its name declares."""
