"""Helpers that task folders in the published format import."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["get_logger", "load_yaml", "read_csv", "read_jsonl"]


def get_logger(name: str, level: int = logging.INFO) -> logging.Logger:
    """Return a logger; the root logger is left as it is.

    Parameters
    ----------
    name : str
    level : int
    """
    logger = logging.getLogger(name)
    logger.setLevel(level)
    return logger


def load_yaml(path: str | Path) -> Any:
    """Return the content of a YAML file.

    Parameters
    ----------
    path : path
    """
    from biomlbench.runtime.bounded_yaml import read_yaml

    return read_yaml(path)


def read_csv(path: str | Path, **options: Any) -> pd.DataFrame:
    """Read a CSV with every float exact; an empty file is an empty table.

    Parameters
    ----------
    path : path
    **options
        Passed on to :func:`pandas.read_csv`.
    """
    import pandas as pd

    # From version 3 on pandas parses floats exactly, and warns of the option.
    if int(pd.__version__.split(".")[0]) < 3:
        options.setdefault("float_precision", "round_trip")
    try:
        result: pd.DataFrame = pd.read_csv(path, **options)
        return result
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def read_jsonl(path: str | Path, skip_commented_out_lines: bool = False) -> list[Any]:
    """Return the objects of a JSON Lines file.

    Parameters
    ----------
    path : path
    skip_commented_out_lines : bool
        Skip empty lines and lines that start with ``#`` or ``//``.
    """
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    if skip_commented_out_lines:
        lines = [line for line in lines if line.strip() and not line.startswith(("#", "//"))]
    return [json.loads(line) for line in lines]
