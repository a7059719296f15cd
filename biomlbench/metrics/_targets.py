"""Reading and comparing of the structures of several targets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Fault

from ._errors import MetricError

if TYPE_CHECKING:
    from biomlbench.structures import Comparison, Structure

__all__ = ["as_list", "comparisons"]


def as_list(values: Any) -> list[Any]:
    """Return a list of structures; a lone one is a list of one."""
    from biomlbench.structures import Structure

    if isinstance(values, (Structure, os.PathLike, str, bytes)):
        return [values]
    return list(values)


def _loaded(value: Any, fault: Fault, number: int, only_ca: bool) -> Structure:
    """Read one structure.

    Raises
    ------
    MetricError
        ``malformed_structure``.
    """
    from biomlbench.structures import Structure, StructureError, parse_structure, read_structure

    if isinstance(value, Structure):
        return value
    try:
        if isinstance(value, os.PathLike):
            return read_structure(value, only_ca=only_ca)
        if isinstance(value, (str, bytes)):
            return parse_structure(value, "the structure", only_ca=only_ca)
    except StructureError as error:
        raise MetricError(error.reason, f"target {number}: {error}", fault) from None
    raise MetricError(
        "malformed_structure",
        f"target {number} is neither a file, nor the text of one, nor a structure",
        fault,
    )


def comparisons(y_true: Any, y_pred: Any, measure: str, lddt_atoms: str = "ca") -> list[Comparison]:
    """Compare each model with its native.

    Raises
    ------
    MetricError
        ``malformed_structure``, ``no_common_residues``, ``shape_mismatch`` or ``empty``.
    """
    from biomlbench.structures import StructureError, compare_structures

    natives, models = as_list(y_true), as_list(y_pred)
    if len(natives) != len(models):
        raise MetricError(
            "shape_mismatch", f"there are {len(models)} models for {len(natives)} targets"
        )
    if not natives:
        raise MetricError("empty", "there are no targets to score", Fault.TASK)
    only_ca = lddt_atoms == "ca"
    results = []
    for number, (native, model) in enumerate(zip(natives, models, strict=True), start=1):
        native = _loaded(native, Fault.TASK, number, only_ca)
        model = _loaded(model, Fault.SUBMISSION, number, only_ca)
        try:
            results.append(
                compare_structures(model, native, measures=[measure], lddt_atoms=lddt_atoms)
            )
        except StructureError as error:
            # A native that nothing can be superposed on is malformed; all else is the model's.
            fault = Fault.TASK if error.reason == "malformed_structure" else Fault.SUBMISSION
            raise MetricError(error.reason, f"target {number}: {error}", fault) from None
    return results
