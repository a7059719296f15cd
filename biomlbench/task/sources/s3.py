"""A file in a public bucket of S3, read without an account."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import Checksum, checksum_of, client
from biomlbench.task.sources.delivery import DELIVERY, DownloadedFile, delivery_of
from biomlbench.task.sources.download import TIMEOUT_S, Meter, PassingError, cached

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SOURCE", "S3File"]

_ADDRESS = re.compile(r"s3://[a-z0-9][a-z0-9.-]+/\S+[^/\s]")
_CHUNK = 8 << 20


@dataclass(frozen=True)
class S3File(DownloadedFile):
    """An object of a public bucket.

    Attributes
    ----------
    address : str
        ``s3://bucket/path``.
    checksum : Checksum or None
    endpoint : str
        Address of another server that speaks S3; empty for that of Amazon.
    to, member, unpack
        As in :class:`.delivery.DownloadedFile`.
    """

    KEY = "s3"
    OPTIONAL = ("endpoint", "sha256", "md5", *DELIVERY)
    EXAMPLE = "{s3: s3://lab/table.csv}"

    address: str
    checksum: Checksum | None
    endpoint: str
    to: str
    member: str = ""
    unpack: bool = False

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> S3File:
        """Return the source of an entry ``s3``, optionally a checksum and ``endpoint``."""
        cls.check(entry, where)
        address = str(entry[cls.KEY])
        if not _ADDRESS.fullmatch(address):
            raise TaskError(f"{where}: `s3` must be s3://BUCKET/PATH of a file, not {address!r}")
        delivery = delivery_of(entry, PurePosixPath(address).name, where)
        return cls(address, checksum_of(entry, where), str(entry.get("endpoint") or ""), **delivery)

    @property
    def origin(self) -> str:
        """The address."""
        return self.address

    def download(self) -> tuple[Any, ...]:
        """Return address and checksum."""
        return self.address, self.endpoint, self.checksum

    def fetch(self) -> Path:
        """Return the downloaded file, from the cache where it is there."""
        name = PurePosixPath(self.address).name
        ways = [(self.address, self._fetch)]
        identity = {"s3": [self.address, self.endpoint]}
        return cached(identity, name, ways, what=self.address, checksum=self.checksum)

    def _fetch(self, path: Path) -> None:
        s3fs = client("s3fs", "s3")
        try:
            files = s3fs.S3FileSystem(
                anon=True,
                endpoint_url=self.endpoint or None,
                skip_instance_cache=True,
                # Attempts are counted in one place, ours.
                config_kwargs={
                    "retries": {"total_max_attempts": 1},
                    "connect_timeout": TIMEOUT_S,
                    "read_timeout": TIMEOUT_S,
                },
            )
            files.retries = 1
            size = files.info(self.address)["size"]
            with (
                files.open(self.address, "rb", cache_type="readahead") as source,
                Meter(path, path.name) as meter,
            ):
                meter.expect(size)
                while chunk := source.read(_CHUNK):
                    meter.write(chunk)
            if path.stat().st_size != size:
                raise PassingError(f"{path.stat().st_size:,} of {size:,} bytes came")
        except FileNotFoundError as error:
            raise DataSourceError("there is no such object; check the address") from error
        except PermissionError as error:
            raise DataSourceError(
                "the bucket is not public, or has no such object; check the address"
            ) from error
        except _errors_of_client() as error:
            raise PassingError(f"the connection failed or was cut ({str(error)[:200]})") from error
        except OSError as error:
            if error.filename is None and error.errno in (None, 5, 16):
                # What s3fs makes of the answers of the server: try later, internal error.
                raise PassingError(f"the server answers {str(error)[:200]}") from error
            raise


def _errors_of_client() -> tuple[type[Exception], ...]:
    import aiohttp
    from botocore import exceptions

    return (
        *(TimeoutError, ConnectionError, aiohttp.ClientError),
        *(exceptions.BotoCoreError, exceptions.ClientError),
    )


SOURCE = S3File
