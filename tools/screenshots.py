"""Take the pictures of the documentation from a report.

`python tools/screenshots.py results/report.html docs/assets` needs chromium with chromedriver and
Selenium. The pictures have few colours and are cut after some screens, so that they stay small.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.browser.driver import DESKTOP, PHONE, chromium, screenshot
from tools.pictures import shrink

TALLEST = {"desktop": 1400, "phone": 1500}  # pixels
PAGES = {"desktop": ("overview", "tasks", "runs", "trust"), "phone": ("overview", "runs", "trust")}
DARK = ("overview",)


def take(report: Path, out: Path, pages: dict[str, tuple[str, ...]]) -> list[Path]:
    """Write `report-<page>-<device>[-dark].png` for every page and device."""
    out.mkdir(parents=True, exist_ok=True)
    made = []
    for device, size in (("desktop", DESKTOP), ("phone", PHONE)):
        for dark in (False, True):
            wanted = [page for page in pages[device] if not dark or page in DARK]
            with chromium(size=size, dark=dark) as driver:
                for page in wanted:
                    driver.get("about:blank")
                    driver.get(f"{report.resolve().as_uri()}#{page}")
                    time.sleep(1)  # the tables are drawn
                    path = out / f"report-{page}-{device}{'-dark' if dark else ''}.png"
                    screenshot(driver, path)
                    shrink(path, TALLEST[device])
                    made.append(path)
    return made


def main() -> None:
    """Take all pictures, or those of some pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pages", nargs="+", help="by default all")
    options = parser.parse_args()
    pages = {
        device: tuple(page for page in names if not options.pages or page in options.pages)
        for device, names in PAGES.items()
    }
    for path in take(options.report, options.out, pages):
        print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
