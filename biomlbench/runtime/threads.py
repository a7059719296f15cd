"""How many threads numerical libraries may use: as many as a job was given, never more."""

from __future__ import annotations

import os
import sys

__all__ = ["KERNELS", "VARIABLES", "kernels", "limit_threads", "variables"]

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
    "PYTHON_CPU_COUNT",
)
"""What libraries read when they are loaded; the last is `os.cpu_count` from Python 3.13 on."""

KERNELS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "MKL_CBWR")
"""By these a user has libraries use the same code on every processor, for equal last digits."""

_now = 0


def variables(threads: int) -> dict[str, str]:
    """Return the environment variables that give libraries so many threads.

    Parameters
    ----------
    threads : int

    Returns
    -------
    dict of str to str
    """
    return dict.fromkeys(VARIABLES, str(threads))


def kernels() -> dict[str, str]:
    """Return those of :data:`KERNELS` that are set: submitted code gets them as well."""
    return {name: os.environ[name] for name in KERNELS if os.environ.get(name)}


def limit_threads(threads: int) -> None:
    """Let this process's libraries use so many threads, loaded already or later.

    Parameters
    ----------
    threads : int
    """
    global _now
    if threads == _now:
        return
    _now = threads
    os.environ.update(variables(threads))
    if "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads)
    if "pyarrow" in sys.modules:
        import pyarrow as pa

        pa.set_cpu_count(threads)
