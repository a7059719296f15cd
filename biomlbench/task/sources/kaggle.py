"""Data of a Kaggle competition, or a data set on Kaggle, through its official client."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import Checksum, checksum_of, client
from biomlbench.task.sources.delivery import DELIVERY, DownloadedFile, delivery_of
from biomlbench.task.sources.download import PassingError, cached, check_room
from biomlbench.task.sources.http import translated

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from biomlbench.contracts.mappings import Config

__all__ = ["SOURCE", "KaggleFiles"]

_SLUG = re.compile(r"[A-Za-z0-9_-]+")
_DATASET = re.compile(r"[A-Za-z0-9_-]+/[A-Za-z0-9_-]+(/versions/\d+)?")
_KEY_PAGE = "https://www.kaggle.com/settings"


@dataclass(frozen=True)
class KaggleFiles(DownloadedFile):
    """The archive of a competition or of a data set.

    Attributes
    ----------
    name : str
        The competition's, or ``owner/name`` of a data set.
    is_dataset : bool
    checksum : Checksum or None
        Of the archive.
    to, member, unpack
        As in :class:`.delivery.DownloadedFile`; by default the archive is unpacked.
    """

    KEY = "kaggle"
    PUBLISHED = ("kaggle",)
    OPTIONAL = ("dataset", "sha256", "md5", *DELIVERY)
    EXAMPLE = "{kaggle: two-drugs}"

    name: str
    is_dataset: bool
    checksum: Checksum | None
    to: str
    member: str = ""
    unpack: bool = True

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> KaggleFiles:
        """Return the source of an entry ``kaggle``: a competition, or ``dataset: true``."""
        cls.check(entry, where)
        name, is_dataset = str(entry[cls.KEY]), entry.get("dataset", False)
        if is_dataset not in (True, False):
            raise TaskError(f"{where}: `dataset` must be true or false")
        if not (_DATASET if is_dataset else _SLUG).fullmatch(name):
            form = "OWNER/NAME of a data set" if is_dataset else "the name of a competition"
            raise TaskError(f"{where}: `kaggle` must be {form}, not {name!r}")
        delivery = delivery_of(entry, "archive.zip", where, unpack=True)
        return cls(name, is_dataset, checksum_of(entry, where), **delivery)

    @classmethod
    def from_published(cls, stated: Mapping[str, Any]) -> Config:
        """Return the entry; published ids may begin with the name of the folder of tasks."""
        name = stated.get("benchmark_id") or stated.get("competition_id") or stated.get(cls.KEY)
        return {cls.KEY: str(name or "").rpartition("/")[2]}

    @property
    def page(self) -> str:
        """Address of its page."""
        kind = "datasets" if self.is_dataset else "competitions"
        return f"https://www.kaggle.com/{kind}/{self.name.partition('/versions/')[0]}"

    @property
    def origin(self) -> str:
        """The page."""
        return self.page

    def download(self) -> tuple[Any, ...]:
        """Return name and checksum."""
        return self.name, self.is_dataset, self.checksum

    def fetch(self) -> Path:
        """Return the downloaded archive, from the cache where it is there."""
        return cached(
            {"kaggle": [self.name, self.is_dataset]},
            f"{self.name.replace('/', '_')}.zip",
            [(self.page, self._fetch)],
            what=f"data of {self.name}",
            checksum=self.checksum,
        )

    def _fetch(self, path: Path) -> None:
        import requests

        folder = path.parent / "kaggle"
        folder.mkdir(exist_ok=True)
        check_room(folder, 0, self.name)
        api = _authenticated()
        with translated():
            try:
                # The client speaks to standard output, where ours may be read by a machine.
                with contextlib.redirect_stdout(io.StringIO()):
                    if self.is_dataset:
                        api.dataset_download_files(self.name, path=str(folder), quiet=True)
                    else:
                        api.competition_download_files(self.name, path=str(folder), quiet=True)
            except requests.HTTPError as error:
                self._explain(error)
                raise
            except ValueError as error:
                raise DataSourceError(f"Kaggle's client refuses it ({error})") from error
        found = [file for file in folder.iterdir() if zipfile.is_zipfile(file)]
        if len(found) != 1:
            raise PassingError("Kaggle gave no archive")
        found[0].replace(path)

    def _explain(self, error: Any) -> None:
        """Raise what Kaggle means by a refusal."""
        code = error.response.status_code if error.response is not None else 0
        said = str(error)
        if error.response is not None:
            with contextlib.suppress(ValueError, RuntimeError):
                said += f" {error.response.text[:2000]}"
        if code == 401:
            raise DataSourceError(
                f"Kaggle does not accept your key; make a new one at {_KEY_PAGE}"
            ) from error
        if code == 403 and re.search(r"phone|verif", said, re.IGNORECASE):
            raise DataSourceError(
                f"Kaggle wants your phone number verified first: {_KEY_PAGE}/phone"
            ) from error
        if code == 403 and not self.is_dataset:
            raise DataSourceError(
                f"Kaggle refuses it until you accept the competition's rules: {self.page}/rules "
                "(for some, a late submission or a verified phone number as well)"
            ) from error
        if code == 403:
            raise DataSourceError(
                f"Kaggle refuses it: it is private, or you have to agree to its licence at "
                f"{self.page}"
            ) from error


def _authenticated() -> Any:
    """Return the client, logged in."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            module = client("kaggle.api.kaggle_api_extended", "kaggle")
            api = module.KaggleApi()
            api.authenticate()
    except (SystemExit, OSError, ValueError) as error:
        # The client ends the process where there is no key.
        raise DataSourceError(
            f"there is no key for Kaggle: make one at {_KEY_PAGE} and put it where its client "
            "looks (~/.kaggle/kaggle.json, or the environment variables KAGGLE_USERNAME and "
            "KAGGLE_KEY)"
        ) from error
    return api


SOURCE = KaggleFiles
