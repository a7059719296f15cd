"""Tools for the `prepare.py` of a prediction task.

Everything here is deterministic down to the byte, whatever the version of pandas, so that the
checksums of prepared files hold on every machine.
"""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING, Any

from biomlbench.frames import as_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd

__all__ = [
    "hash_order",
    "read_csv",
    "read_nifti",
    "require",
    "write_array",
    "write_csv",
    "write_tables",
]


def hash_order(keys: Iterable[object], salt: str) -> np.ndarray:
    """Return an order of `keys` that is random-like, yet the same everywhere for ever.

    Sorting by a hash does not depend on any random generator's stream, which a library may
    change between versions.

    Parameters
    ----------
    keys : sequence
        What tells the items apart; their ``str`` is hashed. Equal keys keep their order.
    salt : str
        Another salt gives another order.

    Returns
    -------
    ndarray of int, shape (n,)

    Examples
    --------
    >>> order = hash_order(range(6), "example")
    >>> sorted(order.tolist())
    [0, 1, 2, 3, 4, 5]
    """
    import numpy as np

    digests = [hashlib.sha256(f"{salt}:{key}".encode()).hexdigest() for key in keys]
    return np.array(sorted(range(len(digests)), key=digests.__getitem__), dtype=int)


def read_csv(path: Path | io.BytesIO, **options: Any) -> pd.DataFrame:
    """Read a CSV with every float exact; the default parser of pandas 2 may be off by one ulp."""
    import pandas as pd

    # exact by default, and the option deprecated, from pandas 3 on
    if int(pd.__version__.partition(".")[0]) < 3:
        options.setdefault("float_precision", "round_trip")
    result: pd.DataFrame = pd.read_csv(path, **options)
    return result


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    r"""Write a CSV with shortest exact floats, ``\n`` line ends and no index."""
    path.parent.mkdir(parents=True, exist_ok=True)
    as_frame(frame).to_csv(path, index=False, lineterminator="\n", encoding="utf-8")


def write_array(array: np.ndarray, path: Path) -> None:
    """Write a ``.npy`` file (format 1.0, C order, no pickle)."""
    import numpy as np

    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), (1, 0), allow_pickle=False)
    path.write_bytes(buffer.getvalue())


def write_tables(
    public: Path,
    private: Path,
    train: pd.DataFrame,
    test: pd.DataFrame,
    targets: Sequence[str],
    sample: Mapping[str, Any],
) -> None:
    """Write a tabular task: ``train``, ``test``, ``sample_submission`` and ``answers``.

    Parameters
    ----------
    public, private : Path
    train, test : DataFrame
        Both with the same columns, ``id`` first.
    targets : sequence of str
        Columns to be predicted: they leave the public test table.
    sample : mapping of str to object
        Prediction column to the value that the sample submission holds in every row.
    """
    train, test = as_frame(train), as_frame(test)
    hidden = list(targets)
    write_csv(train, public / "train.csv")
    write_csv(test.drop(columns=hidden), public / "test.csv")
    sample_frame = test[["id"]].copy()
    for column, value in sample.items():
        sample_frame[column] = value
    write_csv(sample_frame, public / "sample_submission.csv")
    write_csv(test[["id", *hidden]], private / "answers.csv")


def read_nifti(path: Path) -> np.ndarray:
    """Read the voxels of a gzipped little-endian NIfTI-1 image.

    Parameters
    ----------
    path : Path

    Returns
    -------
    ndarray, shape (x, y, z)
        Values as stored, unscaled.

    Raises
    ------
    ValueError
        If the file is of another form.

    References
    ----------
    R. W. Cox et al., "A (sort of) new image data format standard: NIfTI-1", HBM 2004.
    """
    import gzip
    import struct

    import numpy as np

    data = gzip.decompress(path.read_bytes())
    types = {2: "<u1", 4: "<i2", 8: "<i4", 16: "<f4", 64: "<f8", 512: "<u2"}
    # offsets of the header: dim at 40, datatype at 70, vox_offset at 108
    dims = struct.unpack_from("<8h", data, 40)
    (code,) = struct.unpack_from("<h", data, 70)
    if struct.unpack_from("<i", data)[0] != 348 or dims[0] < 3 or code not in types:
        raise ValueError(f"{path.name} is not a little-endian NIfTI-1 image of numbers")
    start = int(struct.unpack_from("<f", data, 108)[0])
    shape = dims[1:4]
    voxels = np.frombuffer(data, types[code], count=int(np.prod(shape)), offset=start)
    return voxels.reshape(shape, order="F")


def require(module: str) -> Any:
    """Import a module that only some tasks' preparers need.

    Raises
    ------
    DataSourceError
        If it is not installed; the message says how to install it.
    """
    import importlib

    from biomlbench.runtime.files import install_command
    from biomlbench.task.sources.archives import DataSourceError

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DataSourceError(
            f"preparing this task needs the package {module}, which is not installed; install it "
            f"with `{install_command('tasks')}`"
        ) from error
