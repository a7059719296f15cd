"""Check the links of the built documentation.

`python tools/check_links.py docs-site` follows every link inside the pages, with its anchor, and
needs no network. `--external` asks for the addresses elsewhere instead, once each; that depends on
the network and on others' servers, so nothing runs it by itself.
"""

from __future__ import annotations

import argparse
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

TIMEOUT_S = 20
AT_ONCE = 8
LEFT_OUT = ("localhost", "127.0.0.1", "example.org", "example.com")  # of examples in the pages
REFUSED = (401, 403, 429)  # the address is there, but not for programs


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect `id`, `name`, `href` and `src`."""
        for name, value in attrs:
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.anchors.add(value)
            if value and name in ("href", "src"):
                self.links.append(value)


def pages_of(site: Path) -> dict[Path, Page]:
    """Read all pages of a built site."""
    return {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.resolve().rglob("*.html"))
    }


def broken_inside(site: Path) -> list[str]:
    """Return the links that lead to no file, or to no anchor, of the site."""
    pages = pages_of(site)
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlparse(link)
            if parts.scheme or parts.netloc:
                continue
            place, anchor = urldefrag(link)
            place = unquote(place.partition("?")[0])
            root = site.resolve() if place.startswith("/") else path.parent
            target = (root / place.lstrip("/")).resolve() if place else path
            target = target / "index.html" if target.is_dir() else target
            here = path.relative_to(site.resolve())
            if not target.is_file():
                found.append(f"{here}: {link}: no such file")
            elif target in pages and unquote(anchor) not in pages[target].anchors:
                found.append(f"{here}: {link}: no such anchor")
    return found


def addresses_of(site: Path) -> dict[str, str]:
    """Return the addresses elsewhere, each with one page that has it."""
    found: dict[str, str] = {}
    for path, page in pages_of(site).items():
        for link in page.links:
            parts = urlparse(link)
            if parts.scheme in ("http", "https") and parts.hostname not in LEFT_OUT:
                found.setdefault(urldefrag(link)[0], str(path.relative_to(site.resolve())))
    return found


def ask(address: str) -> str | None:
    """Return what is wrong with an address; None if it answers."""
    request = urllib.request.Request(address, headers={"User-Agent": "link-check"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):  # noqa: S310
            return None
    except urllib.error.HTTPError as error:
        return None if error.code in REFUSED else f"{error.code} {error.reason}"
    except (OSError, ValueError) as error:
        return str(error)


def broken_outside(site: Path) -> list[str]:
    """Return the addresses elsewhere that do not answer."""
    addresses = addresses_of(site)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(ask, addresses))
    return [
        f"{page}: {address}: {answer}"
        for (address, page), answer in zip(addresses.items(), answers, strict=True)
        if answer is not None
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print what is broken; return 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path, nargs="?", default=Path("docs-site"))
    parser.add_argument("--external", action="store_true", help="ask for addresses elsewhere")
    options = parser.parse_args(arguments)
    if not options.site.is_dir():
        parser.error(f"{options.site} is not there; run `make docs` first")
    broken = (broken_outside if options.external else broken_inside)(options.site)
    for line in broken:
        print(line)
    print(f"{len(broken)} broken links", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
