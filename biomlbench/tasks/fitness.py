"""What the preparers of protein fitness tasks share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from biomlbench.task.toolbox import hash_order, read_csv, write_tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: Sequences that the wild type is read off.
SAMPLE = 5000

__all__ = ["mutations_of", "prepare_fitness", "wild_type_of"]


def wild_type_of(sequences: Sequence[str]) -> str:
    """Return the most frequent residue at each position, which is the wild type's.

    Examples
    --------
    >>> wild_type_of(["MKA", "MRA", "MKA"])
    'MKA'
    """
    return "".join(Counter(column).most_common(1)[0][0] for column in zip(*sequences, strict=True))


def mutations_of(sequence: str, wild_type: str, first: int = 1) -> str:
    """Return the substitutions in the usual notation.

    Parameters
    ----------
    sequence, wild_type : str
        Of equal length.
    first : int
        Number of the first residue.

    Examples
    --------
    >>> mutations_of("MRV", "MKA")
    'K2R:A3V'
    """
    pairs = enumerate(zip(wild_type, sequence, strict=True), start=first)
    return ":".join(f"{old}{number}{new}" for number, (old, new) in pairs if old != new)


def prepare_fitness(
    table: Path,
    public: Path,
    private: Path,
    *,
    salt: str,
    n_train: int,
    n_test: int,
    first: int = 1,
) -> None:
    """Write a fitness task from a deep mutational scan of MAVE-NN.

    Parameters
    ----------
    table : Path
        CSV with columns ``set`` (training, validation or test), ``x`` (sequence) and ``y``.
    public, private : Path
    salt : str
        Of the hash by which the variants are drawn.
    n_train, n_test : int
        Variants drawn from the training set, and from the other two.
    first : int
        Number of the first residue.
    """
    frame = read_csv(table, compression="gzip", comment="#")
    frame = frame.rename(columns={"x": "sequence", "y": "fitness"})
    # a scan may list variants by position, so that only a spread sample shows the wild type
    spread = frame["sequence"].iloc[:: max(1, len(frame) // SAMPLE)]
    wild_type = wild_type_of(spread.tolist())
    parts = {}
    for part, size in (("train", n_train), ("test", n_test)):
        own = frame[(frame["set"] == "training") == (part == "train")]
        own = own.iloc[hash_order(own["sequence"], salt)[:size]].reset_index(drop=True)
        mutations = [mutations_of(s, wild_type, first) for s in own["sequence"]]
        own = own[["sequence", "fitness"]].assign(mutations=mutations)
        own.insert(0, "id", [f"{part}_{i:04d}" for i in range(len(own))])
        parts[part] = own[["id", "mutations", "sequence", "fitness"]]
    (public / "wild_type.txt").write_text(wild_type + "\n", encoding="utf-8")
    write_tables(public, private, parts["train"], parts["test"], ["fitness"], {"fitness": 0.0})
