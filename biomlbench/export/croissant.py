"""Croissant 1.0 description of the exported tables.

References
----------
MLCommons, Croissant format specification, version 1.0 (2024).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from biomlbench import __version__
from biomlbench.contracts import SCHEMAS
from biomlbench.export._words import DESCRIPTION, MEDIA_TYPE, table_description
from biomlbench.runtime.hashing import file_sha256

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["describe"]

_TERMS = (
    *("citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
    *("references", "regex", "repeated", "replace", "separator", "source", "subField", "transform"),
)
CONTEXT: JsonObject = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}
KEYS = {
    "pairs": ("task_id", "run_id"),
    "agents": ("agent", "domain"),
    "tasks": ("task_id",),
    "telemetry": ("task_id", "run_id"),
}
"""Columns that identify a row; a check is not identified by its columns."""


def describe(paths: Sequence[Path], title: str, date: str, licence: str) -> JsonObject:
    """Describe exported Parquet tables.

    Parameters
    ----------
    paths : sequence of Path
        Named after their tables, in the folder in which the description will lie.
    title, date, licence : str
        See :func:`biomlbench.export.export`.

    Returns
    -------
    dict
        JSON-LD.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": title,
        "description": DESCRIPTION,
        "license": licence,
        "datePublished": date,
        "version": __version__,
        "isLiveDataset": False,
        "distribution": [_file(path) for path in paths],
        "recordSet": [_records(path.stem, path.name) for path in paths],
    }


def _file(path: Path) -> JsonObject:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "description": table_description(path.stem),
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": MEDIA_TYPE,
        "sha256": file_sha256(path),
    }


def _records(name: str, file: str) -> JsonObject:
    record: JsonObject = {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": table_description(name),
        "field": [_field(name, field, file) for field in SCHEMAS[name]],
    }
    if name in KEYS:
        record["key"] = [{"@id": f"{name}/{column}"} for column in KEYS[name]]
    return record


def _field(table: str, field: pa.Field, file: str) -> JsonObject:
    described: JsonObject = {
        "@type": "cr:Field",
        "@id": f"{table}/{field.name}",
        "name": field.name,
        "description": (field.metadata or {}).get(b"doc", b"").decode(),
        "dataType": _type(field.type),
        "source": {"fileObject": {"@id": file}, "extract": {"column": field.name}},
    }
    if pa.types.is_list(field.type):
        described["repeated"] = True
    return described


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
