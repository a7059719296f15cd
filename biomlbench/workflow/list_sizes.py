"""How large a ``submission.jsonl`` may be: it is recorded whole, and may be an agent's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.runtime.json_lines import encoded

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BYTES_A_RUN", "MOST_OF_LISTS", "too_large"]

BYTES_A_RUN = 2000
"""Of a list, for each run that it may hold: several times what a line has."""
MOST_OF_LISTS = 64 * 2**20
"""Bytes of all lists in the record, which names their files once more and is read up to 256 MiB."""


def too_large(lists: Mapping[str, str], runs_per_list: int) -> dict[str, str]:
    """Return which lists are not read since they are too large, and why.

    Parameters
    ----------
    lists : mapping
        The lists' texts, by path.
    runs_per_list : int
        Most runs of a list.

    Returns
    -------
    dict of str to str
        The reason by path. Where all lists together are too large, the largest are left out.
    """
    most = runs_per_list * BYTES_A_RUN
    # A text that is too long as it is need not be encoded.
    sizes = {
        name: len(text) if len(text) > most else len(encoded(text).encode())
        for name, text in lists.items()
    }
    found = {
        name: f"{name}: {size:,} bytes in the record; a list may have {most:,}, {BYTES_A_RUN:,} "
        "for each of `runs_per_list`; leave out what says nothing of the runs"
        for name, size in sizes.items()
        if size > most
    }
    total = sum(size for name, size in sizes.items() if name not in found)
    for name in sorted(sizes.keys() - found.keys(), key=lambda name: (-sizes[name], name)):
        if total <= MOST_OF_LISTS:
            break
        total -= sizes[name]
        found[name] = (
            f"{name}: {sizes[name]:,} bytes in the record, the most of those that are left; all "
            f"lists together may have {MOST_OF_LISTS:,}; run fewer at a time"
        )
    return found
