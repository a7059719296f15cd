"""Random states of the process, of which functions of others must not depend."""

from __future__ import annotations

import os
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["fresh_random_states"]


@contextmanager
def fresh_random_states() -> Iterator[None]:
    """Give a block global random states of its own, of `random` and NumPy, and put back the old.

    They are other ones each time: a result that depends on them differs from call to call, however
    anything else in the process has set them, and what the block sets reaches nobody else.
    """
    import numpy as np

    kept, kept_by_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 - what functions of others use
    random.seed(os.urandom(32))
    np.random.seed(np.frombuffer(os.urandom(32), np.uint32))  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(kept_by_numpy)  # noqa: NPY002
