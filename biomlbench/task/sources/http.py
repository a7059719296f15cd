"""A file at an address of the web, or in a record of Zenodo, figshare or Dataverse by its DOI."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import Checksum, checksum_of
from biomlbench.task.sources.delivery import DELIVERY, DownloadedFile, delivery_of
from biomlbench.task.sources.download import (
    MAX_BYTES,
    PASSING,
    TIMEOUT_S,
    Meter,
    PassingError,
    Way,
    cached,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    import requests

__all__ = ["SOURCE", "HttpFile", "fetch_address", "translated"]

_DOI = re.compile(r"doi:(?P<doi>10\.[^/\s]+/[^/\s]+)/(?P<file>\S+)")
_MEANINGS = {
    401: "it asks for a login",
    403: "it refuses access",
    404: "there is no such file",
    410: "the file was removed",
    429: "it asks for fewer requests",
}
_CHUNK = 1 << 18


@dataclass(frozen=True)
class HttpFile(DownloadedFile):
    """A file, or one file or all of an archive, by address.

    Attributes
    ----------
    mirrors : tuple of str
        Addresses of one and the same file, tried in this order; ``https://…``, ``http://…`` or
        ``doi:10.5281/zenodo.123/name.csv``.
    checksum : Checksum or None
        Of the file that is downloaded. Only a DOI may go without: its record states one.
    to, member, unpack
        As in :class:`.delivery.DownloadedFile`.
    limit : int
        Most bytes to download.
    """

    KEY = "http"
    OPTIONAL = ("sha256", "md5", "max_gb", *DELIVERY)
    EXAMPLE = (
        "{http: https://example.org/table.csv, "
        'sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}'
    )

    mirrors: tuple[str, ...]
    checksum: Checksum | None
    to: str
    member: str = ""
    unpack: bool = False
    limit: int = MAX_BYTES

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> HttpFile:
        """Return the source of an entry ``http`` with ``sha256`` or ``md5``."""
        cls.check(entry, where)
        stated = entry["http"] if isinstance(entry["http"], list) else [entry["http"]]
        mirrors = tuple(str(address) for address in stated)
        for address in mirrors:
            parts = urlsplit(address)
            if not _DOI.fullmatch(address) and not (
                parts.scheme in ("http", "https") and parts.hostname
            ):
                raise TaskError(
                    f"{where}: {address!r} is neither an http(s) address nor doi:DOI/FILE"
                )
        checksum = checksum_of(entry, where)
        if not mirrors or (checksum is None and not all(map(_DOI.fullmatch, mirrors))):
            raise TaskError(
                f"{where}: `http` needs an address, and `sha256` or `md5` of the file: what lies "
                "at an address may change"
            )
        limit = entry.get("max_gb", MAX_BYTES / 2**30)
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or limit <= 0:
            raise TaskError(f"{where}: `max_gb` must be a number above 0")
        delivery = delivery_of(entry, _name_of(mirrors[0]), where)
        return cls(mirrors, checksum, limit=int(limit * 2**30), **delivery)

    @property
    def origin(self) -> str:
        """The first address."""
        return _without_password(self.mirrors[0])

    def download(self) -> tuple[Any, ...]:
        """Return addresses and checksum."""
        return self.mirrors, self.checksum, self.limit

    def fetch(self) -> Path:
        """Return the downloaded file, from the cache where it is there."""
        name = _name_of(self.mirrors[0])
        ways = [way for address in self.mirrors for way in self._ways(address, name)]
        identity = {"http": list(self.mirrors)}
        return cached(identity, name, ways, what=name, checksum=self.checksum)

    def _ways(self, address: str, name: str) -> Iterator[Way]:
        shown = _without_password(address)
        if (record := _DOI.fullmatch(address)) is not None:
            yield shown, lambda path: _fetch_record(record, path, name, self.limit)
        else:
            yield shown, lambda path: fetch_address(address, path, name, self.limit)


def _name_of(address: str) -> str:
    """Return the file name that an address ends in."""
    record = _DOI.fullmatch(address)
    path = record["file"] if record else unquote(urlsplit(address).path)
    name = re.sub(r"[^\w.+-]", "_", PurePosixPath(path).name)
    return name if name.strip(".") else "download"


def _without_password(address: str) -> str:
    """Return an address for messages: no password, and no key in its query."""
    parts = urlsplit(address)
    if not parts.netloc:
        return address
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def fetch_address(address: str, path: Path, what: str, limit: int = MAX_BYTES) -> None:
    """Download what lies at an address.

    Parameters
    ----------
    address : str
    path : Path
    what : str
        For messages.
    limit : int
        Most bytes.

    Raises
    ------
    PassingError
        If another attempt may succeed.
    DataSourceError
        If not.
    """
    import pooch

    def announced(response: requests.Response, *_: Any, **__: Any) -> None:
        if response.ok and not response.is_redirect:
            length = response.headers.get("content-length", "")
            if not length.isdecimal():
                response.headers.pop("content-length", None)
            meter.expect(int(length) if length.isdecimal() else None)

    downloader = pooch.HTTPDownloader(
        chunk_size=_CHUNK,
        timeout=TIMEOUT_S,
        # A file that is compressed on the way would not have the checksum that it has there.
        headers={"Accept-Encoding": "identity"},
        hooks={"response": announced},
    )
    with translated(), Meter(path, what, limit) as meter:
        downloader(address, meter, None)


def _fetch_record(record: re.Match[str], path: Path, what: str, limit: int) -> None:
    """Download a file of a record, whose own checksum it must have."""
    import pooch
    from pooch.downloaders import doi_to_repository

    book = pooch.create(path=path.parent, base_url="")
    with translated():
        try:
            repository = doi_to_repository(record["doi"], timeout=TIMEOUT_S)
            address = repository.download_url(record["file"])
            repository.populate_registry(book)
        except (ValueError, KeyError, IndexError) as error:
            raise DataSourceError(
                f"the record of {record['doi']} does not give the file {record['file']} "
                f"({error}); check both on its page, https://doi.org/{record['doi']}"
            ) from error
    algorithm, _, digest = book.registry[record["file"]].rpartition(":")
    fetch_address(address, path, what, limit)
    stated = Checksum(algorithm or "sha256", digest.lower())
    if not stated.fits(path):
        raise PassingError(f"the file is not the one of the record, whose hash is {stated}")


def translated() -> AbstractContextManager[None]:
    """Turn what `requests` raises into errors that say what would help, in a with block."""
    return _Translated()


class _Translated:
    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import requests

        if isinstance(error, requests.HTTPError) and error.response is not None:
            code = error.response.status_code
            message = f"the server answers {code}"
            if meaning := _MEANINGS.get(code):
                message += f": {meaning}"
            if code not in PASSING:
                raise DataSourceError(message) from error
            wait = error.response.headers.get("Retry-After", "")
            raise PassingError(message, float(wait) if wait.isdecimal() else None) from error
        if isinstance(error, requests.Timeout):
            raise PassingError(f"nothing came for {TIMEOUT_S:g} seconds") from error
        if isinstance(error, requests.exceptions.SSLError):
            raise DataSourceError(f"its certificate is not trusted ({error})") from error
        if isinstance(error, requests.RequestException):
            raise PassingError(f"the connection failed or was cut ({_brief(error)})") from error


def _brief(error: BaseException) -> str:
    return re.sub(r"//[^/\s@]*@", "//***@", str(error))[:200]


SOURCE = HttpFile
