"""Which pages of a browser may have it send submissions: those of this server alone.

A browser sends a form wherever any page tells it to, also to this machine. It names the page's
origin in a header that the page cannot change; other clients send no such header.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_foreign"]

_OWN = ("same-origin", "none")


def is_foreign(headers: Mapping[str, str]) -> bool:
    """Tell whether a page of another origin has a browser send a request.

    Parameters
    ----------
    headers : mapping of str to str
        Of the request, by names in lower case.

    Returns
    -------
    bool
        Also True for a page by plain HTTP whose host has a name other than ``localhost``: the
        name may have been made to point here after the page was loaded (DNS rebinding). Over
        HTTPS the certificate rules that out.

    Examples
    --------
    >>> is_foreign({"host": "localhost:5000"})
    False
    >>> is_foreign({"host": "localhost:5000", "origin": "http://localhost:5000"})
    False
    >>> is_foreign({"host": "localhost:5000", "origin": "http://example.org"})
    True
    >>> is_foreign({"host": "example.org:5000", "origin": "http://example.org:5000"})
    True
    """
    site = headers.get("sec-fetch-site")
    if site not in (None, *_OWN):
        return True
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        parts = urlsplit(origin)
        name = parts.hostname or ""
    except ValueError:
        return True
    if parts.scheme == "https" and site == "same-origin":
        return False
    same = parts.scheme == "http" and parts.netloc.lower() == headers.get("host", "").lower()
    return not (same and _is_fixed(name))


def _is_fixed(name: str) -> bool:
    """Tell whether nobody can have a host's name point elsewhere."""
    if name == "localhost":
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
