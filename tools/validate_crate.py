"""Validate RO-Crates by the validator of the RO-Crate community, without the network.

Runs in the environment of `envs/requirements-crate.lock`: `python tools/validate_crate.py FOLDER`
prints a line for each requirement of RO-Crate 1.1 that the crate in the folder does not meet, and
ends with exit code 1 if there is any.
"""

from __future__ import annotations

import importlib.util
import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PROFILE = "ro-crate-1.1"


def _fill(cache: Path) -> None:
    """Put the context, as the package `rocrate` has it, where the validator looks first."""
    from requests.adapters import HTTPAdapter
    from requests_cache import CachedSession
    from urllib3 import HTTPResponse

    package = Path(importlib.util.find_spec("rocrate").origin).parent
    text = (package / "data" / "ro-crate.jsonld").read_bytes()
    if f'"{CONTEXT}"'.encode() not in text:
        raise SystemExit(f"{package}: has another context than {CONTEXT}")

    class Packaged(HTTPAdapter):
        def send(self, request, **_):
            raw = HTTPResponse(
                body=io.BytesIO(text),
                status=200,
                headers={"Content-Type": "application/ld+json"},
                preload_content=False,
                request_method="GET",
                request_url=request.url,
            )
            return self.build_response(request, raw)

    with CachedSession(str(cache), expire_after=-1) as session:
        session.mount("https://", Packaged())
        session.get(CONTEXT)


def problems(crate: Path) -> list[str]:
    """Return what RO-Crate 1.1 requires and a crate has not."""
    from rocrate_validator import services
    from rocrate_validator.models import Severity, ValidationSettings

    with TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        _fill(cache)
        settings = ValidationSettings(
            rocrate_uri=str(crate),
            profile_identifier=PROFILE,
            requirement_severity=Severity.REQUIRED,
            offline=True,
            cache_path=cache,
        )
        found = services.validate(settings).get_issues()
    return [f"{issue.check.identifier}: {issue.message}" for issue in found]


def main() -> int:
    """Print the problems of a crate."""
    found = problems(Path(sys.argv[1]))
    for line in found:
        print(line)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
