"""A file of a data set (or model) on the Hugging Face hub."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import Checksum, checksum_of, client
from biomlbench.task.sources.delivery import DELIVERY, DownloadedFile, delivery_of
from biomlbench.task.sources.download import PASSING, TIMEOUT_S, PassingError, cached, check_room

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SOURCE", "HuggingFaceFile"]

_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class HuggingFaceFile(DownloadedFile):
    """A file of a repository on the hub, at a commit.

    Attributes
    ----------
    repository : str
        ``owner/name``.
    file : str
        Path inside it.
    revision : str
        The commit, 40 hexadecimal digits: what a branch holds may change.
    kind : str
        ``dataset``, ``model`` or ``space``.
    checksum : Checksum or None
    to, member, unpack
        As in :class:`.delivery.DownloadedFile`.
    """

    KEY = "huggingface"
    REQUIRED = ("file", "revision")
    OPTIONAL = ("kind", "sha256", "md5", *DELIVERY)
    EXAMPLE = (
        "{huggingface: lab/assay, file: data/table.csv, "
        'revision: "0123456789abcdef0123456789abcdef01234567"}'
    )

    repository: str
    file: str
    revision: str
    kind: str
    checksum: Checksum | None
    to: str
    member: str = ""
    unpack: bool = False

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> HuggingFaceFile:
        """Return the source of an entry ``huggingface``, ``file``, ``revision``."""
        cls.check(entry, where)
        repository, revision = str(entry[cls.KEY]), str(entry["revision"])
        kind = str(entry.get("kind", "dataset"))
        if not _NAME.fullmatch(repository):
            raise TaskError(f"{where}: `huggingface` must be OWNER/NAME, not {repository!r}")
        if not re.fullmatch(r"[0-9a-f]{40}", revision):
            raise TaskError(
                f"{where}: `revision` must be a commit, 40 hexadecimal digits, in quotes: what a "
                "branch holds may change"
            )
        if kind not in ("dataset", "model", "space"):
            raise TaskError(f"{where}: `kind` must be dataset, model or space, not {kind!r}")
        file = str(entry["file"])
        return cls(
            *(repository, file, revision, kind, checksum_of(entry, where)),
            **delivery_of(entry, PurePosixPath(file).name, where),
        )

    @property
    def origin(self) -> str:
        """The repository."""
        return f"the {self.kind} {self.repository} of the Hugging Face hub"

    def download(self) -> tuple[Any, ...]:
        """Return repository, commit and file."""
        return self.kind, self.repository, self.revision, self.file, self.checksum

    def fetch(self) -> Path:
        """Return the downloaded file, from the cache where it is there."""
        identity = {"huggingface": [self.kind, self.repository, self.revision, self.file]}
        return cached(
            identity,
            PurePosixPath(self.file).name,
            [(f"huggingface.co/{self.repository}", self._fetch)],
            what=f"{self.file} of {self.repository}",
            checksum=self.checksum,
        )

    def _fetch(self, path: Path) -> None:
        hub = client("huggingface_hub", "huggingface")
        from huggingface_hub import errors

        wanted = {
            "repo_id": self.repository,
            "filename": self.file,
            "repo_type": self.kind,
            "revision": self.revision,
            "local_dir": path.parent / "hub",
            "etag_timeout": TIMEOUT_S,
            "endpoint": os.environ.get("HF_ENDPOINT") or None,
        }
        page = f"https://huggingface.co/datasets/{self.repository}"
        try:
            size = hub.hf_hub_download(**wanted, dry_run=True).file_size
            check_room(path.parent, size or 0, self.file)
            shutil.move(hub.hf_hub_download(**wanted), path)
        except errors.GatedRepoError as error:
            raise DataSourceError(
                f"access to it must be asked for: open {page}, accept its conditions, and log in "
                "with `hf auth login`"
            ) from error
        except errors.EntryNotFoundError as error:
            if isinstance(error, errors.LocalEntryNotFoundError):
                raise PassingError(f"the hub cannot be reached ({_brief(error)})") from error
            raise DataSourceError(f"it has no file {self.file} at that commit") from error
        except errors.RepositoryNotFoundError as error:
            raise DataSourceError(
                f"there is no such repository, or it is private: check {page}, and log in with "
                "`hf auth login`"
            ) from error
        except errors.HfHubHTTPError as error:
            code = error.response.status_code if error.response is not None else 0
            kind = PassingError if code in PASSING else DataSourceError
            raise kind(f"the hub answers {code} ({_brief(error)})") from error
        except _connection_error() as error:
            raise PassingError(f"the connection failed or was cut ({_brief(error)})") from error
        finally:
            shutil.rmtree(path.parent / "hub", ignore_errors=True)


def _connection_error() -> type[Exception]:
    """Return what the library that the client speaks through raises."""
    from huggingface_hub import errors

    error: type[Exception] = errors.HfHubHTTPError.__mro__[1]
    return error


def _brief(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


SOURCE = HuggingFaceFile
