"""Reading of mmCIF files: the loop of atom sites, nothing else.

The dictionary is PDBx/mmCIF, https://mmcif.wwpdb.org; the syntax is that of STAR 1.1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .model import Structure, StructureError, assemble

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["parse_mmcif"]

_PREFIX = b"_atom_site."
#: Most columns that the loop may have; the dictionary defines fewer than half as many.
_MAX_COLUMNS = 200
#: Longest value accepted; an atom site has no use for longer ones.
_MAX_VALUE = 64
#: Longest name of a chain, residue or atom, twice what the archive has: the longest one sets how
#: much room all of them take.
_MAX_NAME = 10
#: Most atoms of all models together, as many as lines of a PDB file.
_MAX_ATOMS = 1_000_000
_UNPRINTABLE = re.compile(rb"[^\t\r\n\x20-\x7e]")
_END = re.compile(rb"^[ \t]*(?:#|_|loop_|data_|save_|stop_|global_)", re.IGNORECASE | re.MULTILINE)
_ABSENT = (b".", b"?")
_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")


def parse_mmcif(data: bytes, name: str, model: int = 1, only_ca: bool = False) -> Structure:
    """Read one model of an mmCIF file.

    Parameters
    ----------
    data, name, model, only_ca
        As for :func:`biomlbench.structures.pdb.parse_pdb`.

    Returns
    -------
    Structure
        Chains and residues as the authors named and numbered them (``auth_asym_id``,
        ``auth_seq_id``), which is what a PDB file of the same entry has; the ``label_``
        columns where those are absent.

    Raises
    ------
    StructureError
    """
    site = _atom_site(data, name)
    atom = _unquoted(site.column("auth_atom_id", "label_atom_id"), name)
    residue = site.column("auth_comp_id", "label_comp_id")
    models = site.column("pdbx_PDB_model_num", default=b"1")
    keep = (site.column("group_PDB", default=b"ATOM") == b"ATOM") | (residue == b"MSE")
    keep &= models == _nth_model(models, model, name)
    if only_ca:
        keep &= atom == b"CA"

    def text(*names: str) -> NDArray[np.str_]:
        return _text(site.column(*names, default=b".")[keep], name)

    occupancy = site.column("occupancy", default=b"1")[keep]
    coordinates = [
        _numbers(site.column(f"Cartn_{axis}")[keep], f"Cartn_{axis}", name) for axis in "xyz"
    ]
    return assemble(
        name,
        coordinates=np.column_stack(coordinates),
        chain=text("auth_asym_id", "label_asym_id"),
        number=_whole(site.column("auth_seq_id", "label_seq_id")[keep], name),
        insertion=text("pdbx_PDB_ins_code"),
        residue=_text(residue[keep], name),
        atom=_short(atom[keep], name).astype(np.str_),
        altloc=text("label_alt_id"),
        occupancy=_numbers(np.where(_absent(occupancy), b"1", occupancy), "occupancy", name),
    )


class _AtomSite(NamedTuple):
    """Values of the atom site loop, row after row, and the names of its columns."""

    name: str
    columns: dict[str, int]
    values: list[bytes]

    def column(self, *names: str, default: bytes | None = None) -> NDArray[np.bytes_]:
        """Return the first column there is of those named."""
        for wanted in names:
            if wanted in self.columns:
                return np.array(self.values[self.columns[wanted] :: len(self.columns)])
        if default is None:
            raise StructureError(f"{self.name} has no column _atom_site.{names[0]}")
        return np.full(len(self.values) // len(self.columns), default)


def _atom_site(data: bytes, name: str) -> _AtomSite:
    """Find and split the atom site loop."""
    start = data.find(b"\n" + _PREFIX)
    if start < 0:
        raise StructureError(f"{name} has no loop of _atom_site")
    if not re.search(rb"(?i)loop_\s*$", data[max(0, start - 200) : start + 1]):
        raise StructureError(f"{name} does not list its atoms in a loop_")
    position = start + 1
    columns: dict[str, int] = {}
    while data[position : position + len(_PREFIX)] == _PREFIX:
        end = data.find(b"\n", position)
        if end < 0 or len(columns) > _MAX_COLUMNS:
            raise StructureError(f"{name} has no rows of _atom_site, or too many columns")
        label = data[position + len(_PREFIX) : end].strip().decode("ascii", "replace")
        if label in columns:
            raise StructureError(f"{name} has the column _atom_site.{label} twice")
        columns[label] = len(columns)
        position = end + 1
    end_of_loop = _END.search(data, position)
    body = data[position : end_of_loop.start() if end_of_loop else len(data)]
    if body.startswith(b";") or b"\n;" in body:
        raise StructureError(f"{name} has a text field among its atom sites")
    if _UNPRINTABLE.search(body):
        raise StructureError(f"{name} has bytes that are not printable ASCII in its atom sites")
    values = body.split()
    if len(values) == 0 or len(values) % len(columns):
        raise StructureError(
            f"{name} has {len(values)} values of _atom_site for {len(columns)} columns "
            "(a quoted value with a space in it is not supported there)"
        )
    if len(values) // len(columns) > _MAX_ATOMS:
        raise StructureError(f"{name} has more than {_MAX_ATOMS:,} atom sites; leave out models")
    if max(map(len, values)) > _MAX_VALUE:
        raise StructureError(f"{name} has a value longer than {_MAX_VALUE} in its atom sites")
    return _AtomSite(name, columns, values)


def _nth_model(models: NDArray[np.bytes_], model: int, name: str) -> bytes:
    values, first = np.unique(models, return_index=True)
    if not 1 <= model <= len(values):
        raise StructureError(f"{name} has {len(values)} models, number {model} was asked for")
    result: bytes = values[np.argsort(first)][model - 1]
    return result


def _absent(values: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = (values == _ABSENT[0]) | (values == _ABSENT[1])
    return result


def _unquoted(values: NDArray[np.bytes_], name: str) -> NDArray[np.bytes_]:
    """Take the quotes off quoted values, such as the atom name "O5'"."""
    quoted = np.char.startswith(values, b"'") | np.char.startswith(values, b'"')
    if not quoted.any():
        return values
    values = values.copy()
    for i in np.flatnonzero(quoted):
        value = values[i]
        if len(value) < 3 or value[:1] != value[-1:]:
            raise StructureError(f"{name}: a quoted value of atom {i + 1} does not end")
        values[i] = value[1:-1]
    return values


def _text(values: NDArray[np.bytes_], name: str) -> NDArray[np.str_]:
    values = _short(_unquoted(values, name), name)
    return np.where(_absent(values), b"", values).astype(np.str_)


def _short(values: NDArray[np.bytes_], name: str) -> NDArray[np.bytes_]:
    """Return names in no more room than names need."""
    if (too_long := np.strings.str_len(values) > _MAX_NAME).any():
        raise StructureError(
            f"{name}: a name of atom {int(too_long.argmax()) + 1} is longer than {_MAX_NAME}; "
            "chains, residues and atoms have short ones"
        )
    return values.astype(f"S{_MAX_NAME}") if values.dtype.itemsize > _MAX_NAME else values


def _numbers(values: NDArray[np.bytes_], label: str, name: str) -> NDArray[np.float64]:
    try:
        result = values.astype(np.float64)
    except ValueError:
        result = np.full(len(values), np.nan)
    # The cast reads nan, inf and digits with underscores, which CIF does not have.
    if not np.isfinite(result).all() or not all(map(_DECIMAL.fullmatch, values.tolist())):
        wrong = [i for i, v in enumerate(values.tolist()) if not _DECIMAL.fullmatch(v)]
        row = wrong[0] + 1 if wrong else int(np.argmin(np.isfinite(result))) + 1
        raise StructureError(f"{name}: {label} of atom {row} is not a number")
    return result


def _whole(values: NDArray[np.bytes_], name: str) -> NDArray[np.int64]:
    wrong = [i for i, v in enumerate(values.tolist()) if not re.fullmatch(rb"-?[0-9]{1,6}", v)]
    if wrong:
        raise StructureError(f"{name}: atom {wrong[0] + 1} has no valid residue number")
    return values.astype(np.int64)
