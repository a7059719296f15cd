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
    "data_key",
    "hash_order",
    "read_csv",
    "read_nifti",
    "require",
    "split_rows",
    "write_array",
    "write_csv",
    "write_tables",
]


def hash_order(keys: Iterable[object], salt: str) -> np.ndarray:
    """Return an order of `keys` that is random-like, yet the same everywhere for ever.

    Sorting by a hash does not depend on any random generator's stream, which a library may
    change between versions. Whoever has the keys and the salt can compute it: where the keys are
    not themselves published (row numbers, frames, tiles), let the salt have a :func:`data_key`.

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


def data_key(salt: str, *parts: Path | pd.DataFrame) -> str:
    """Return a key that is the same everywhere, and that only whoever has all the data can compute.

    A competitor has the code of a preparer and the public files, but not the hidden part of the
    data; orders and noise that hang on this key cannot be computed again from the first two.

    Parameters
    ----------
    salt : str
        Another salt gives another key.
    *parts : Path or DataFrame
        Files and tables with all of the raw data, the answers among them.

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas as pd
    >>> one, two = (data_key("example", pd.DataFrame({"y": [0.5, y]})) for y in (1, 2))
    >>> one == two
    False
    """
    from pathlib import Path

    # the salt comes first: digests of raw files are published, and could be continued
    whole = hashlib.sha256(salt.encode())
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else _csv_text(part).encode()
        whole.update(b"%d:" % len(data) + data)
    return whole.hexdigest()


def split_rows(
    frame: pd.DataFrame, share: float, key: str, name: str, within: str | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split rows at random, and give them ids that tell nothing about them.

    Parameters
    ----------
    frame : DataFrame
        All rows.
    share : float
        Share of the rows in the test set.
    key : str
        From :func:`data_key`; the split, the order of each part and the ids hang on it.
    name : str
        Format of an id, such as ``patient_{:03d}``.
    within : str, optional
        Column of classes; the share is taken from each.

    Returns
    -------
    train, test : DataFrame
        With the ids in a column ``id``, the first; those of the test come before those of training.
    """
    import pandas as pd

    frame = as_frame(frame).reset_index(drop=True)
    drawn = frame.iloc[hash_order(frame.index, key)]
    groups = [drawn] if within is None else [rows for _, rows in drawn.groupby(within)]
    chosen = pd.concat([rows.head(round(share * len(rows))) for rows in groups]).index
    # drawn again: in the first order, rows of a class end where its share is full
    parts, start = [], 0
    for side, rows in (("test", frame.loc[chosen]), ("train", frame.drop(index=chosen))):
        rows = rows.iloc[hash_order(rows.index, f"{key}:{side}")].reset_index(drop=True)
        rows.insert(0, "id", [name.format(start + i) for i in range(len(rows))])
        parts.append(rows)
        start += len(rows)
    test, train = parts
    return train, test


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
    path.write_bytes(_csv_text(frame).encode())


def _csv_text(frame: pd.DataFrame) -> str:
    text: str = as_frame(frame).to_csv(index=False, lineterminator="\n")
    return text


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
