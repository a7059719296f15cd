"""`my_name`: an example of a mode of verification, to be replaced by your own.

It asks whether every number of the output is among the values of one of the inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biomlbench.outcomes import Reason
from biomlbench.verify.cases import Finding
from biomlbench.verify.library import LibraryError

MODE = "my_name"
SEMANTIC = True
ORACLE = False
DEFAULT_SUITE = "hidden"
DEFAULT_WEIGHT = 1.0
REASON = Reason.PROPERTY_VIOLATED
REQUIRED = ["of"]

OPTIONS: dict[str, Any] = {
    "of": {"type": "string", "description": "argument whose values the output may have"},
}


def resolve(check: Any, library: Any) -> None:
    """Refuse options that cannot work, when the card is loaded."""
    if not check.options["of"].isidentifier():
        raise LibraryError(f"`of` names an argument, which {check.options['of']!r} cannot be")


def claim(check: Any, library: Any) -> str:
    """Say what a failure means, without any value."""
    return f"a number of the output is not among those of `{check.options['of']}`"


def judge(check: Any, unit: Any, library: Any) -> Finding:
    """Look at one case."""
    allowed = np.asarray(unit.inputs[check.options["of"]], float)
    strange = ~np.isin(np.asarray(unit.output, float), allowed)
    if strange.any():
        return Finding(False, f"{int(strange.sum())} number(s) are not among those of the input")
    return Finding(True)
