"""RO-Crate 1.1 description of the exported tables.

References
----------
RO-Crate Metadata Specification 1.1, https://w3id.org/ro/crate/1.1 (2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from biomlbench import __version__
from biomlbench.contracts import SCHEMAS
from biomlbench.export._words import DESCRIPTION, MEDIA_TYPE, table_description
from biomlbench.runtime.hashing import file_sha256

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["Part", "describe", "describe_parts"]

SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_SOFTWARE = "#biomlbench-workflow"


class Part(NamedTuple):
    """A file of a crate.

    Attributes
    ----------
    name : str
        Path relative to the crate's root.
    size : int
        Bytes.
    sha256 : str
    description : str
    media_type : str
    table : str
        Key of :data:`biomlbench.contracts.SCHEMAS`; empty for no table.
    """

    name: str
    size: int
    sha256: str
    description: str
    media_type: str
    table: str = ""


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
        JSON-LD, flat, as the specification asks for.
    """
    parts = [
        Part(
            path.name,
            path.stat().st_size,
            file_sha256(path),
            table_description(path.stem),
            MEDIA_TYPE,
            path.stem,
        )
        for path in paths
    ]
    return describe_parts(parts, {}, title, date, licence)


def describe_parts(
    parts: Sequence[Part],
    folders: Mapping[str, str],
    title: str,
    date: str,
    licence: str,
    software: str = __version__,
) -> JsonObject:
    """Describe the files and folders of a crate.

    Parameters
    ----------
    parts : sequence of Part
    folders : mapping of str to str
        What a folder holds, by its path relative to the crate's root.
    title, date, licence : str
        See :func:`biomlbench.export.export`.
    software : str
        Version that the results were made with.

    Returns
    -------
    dict
        JSON-LD, flat, as the specification asks for.
    """
    files = [_file(part) for part in parts]
    datasets = [
        {"@id": f"{_reference(name)}/", "@type": "Dataset", "name": name, "description": text}
        for name, text in sorted(folders.items())
    ]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": title,
        "description": DESCRIPTION,
        "datePublished": date,
        "license": {"@id": licence},
        "hasPart": [{"@id": entity["@id"]} for entity in (*files, *datasets)],
        "mentions": {"@id": "#grading"},
    }
    run: JsonObject = {
        "@id": "#grading",
        "@type": "CreateAction",
        "name": "Grading and verification",
        "instrument": {"@id": _SOFTWARE},
        "result": [
            {"@id": file["@id"]} for file, part in zip(files, parts, strict=True) if part.table
        ],
    }
    if datasets:
        run["object"] = [{"@id": dataset["@id"]} for dataset in datasets]
    instrument = {
        "@id": _SOFTWARE,
        "@type": "SoftwareApplication",
        "name": "biomlbench-workflow",
        "version": software,
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": SPECIFICATION},
        "about": {"@id": "./"},
    }
    about_licence = {"@id": licence, "@type": "CreativeWork", "name": licence}
    columns = [column for part in parts if part.table for column in _columns(part.table)]
    graph = [descriptor, root, about_licence, run, instrument, *files, *datasets, *columns]
    # The terms of 1.1 are older than schema.org's `sha256`.
    context = [f"{SPECIFICATION}/context", {"sha256": "http://schema.org/sha256"}]
    return {"@context": context, "@graph": graph}


def _file(part: Part) -> JsonObject:
    entity: JsonObject = {
        "@id": _reference(part.name),
        "@type": "File",
        "name": part.name,
        "description": part.description,
        "encodingFormat": part.media_type,
        "contentSize": str(part.size),
        "sha256": part.sha256,
    }
    if part.table:
        entity["variableMeasured"] = [{"@id": column["@id"]} for column in _columns(part.table)]
    return entity


def _reference(path: str) -> str:
    """Return a path as a relative reference, in which no part is taken for anything but a name."""
    return "/".join(quote(part, safe="") for part in path.split("/"))


def _columns(table: str) -> list[JsonObject]:
    return [
        {
            "@id": f"#{table}-{field.name}",
            "@type": "PropertyValue",
            "name": field.name,
            "description": (field.metadata or {}).get(b"doc", b"").decode(),
        }
        for field in SCHEMAS[table]
    ]
