"""A headless Chromium, driven by Selenium, that fails no test where there is none."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.waiting import HANG_S

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
]
DESKTOP, PHONE = (1280, 900), (390, 844)


@contextmanager
def chromium(downloads: Path | None = None, size=DESKTOP, dark: bool = False):
    """Yield a Selenium driver with an empty profile of its own."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("no chromium with chromedriver (Debian: apt-get install chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
    from selenium.webdriver.chrome.service import Service

    with TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for flag in [*FLAGS, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        if downloads is not None:
            options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        made = webdriver.Chrome(options=options, service=Service(driver))
        made.set_script_timeout(HANG_S)
        made.set_page_load_timeout(HANG_S)
        try:
            # a window cannot be as narrow as a phone; the emulated device can
            made.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {
                    "width": size[0],
                    "height": size[1],
                    "deviceScaleFactor": 1,
                    "mobile": size[0] < 600,
                },
            )
            made.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {
                    "features": [
                        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
                    ]
                },
            )
            yield made
        finally:
            made.quit()


def screenshot(driver, path: Path) -> None:
    """Save the whole page, not only what fits the window."""
    import base64

    shot = driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"captureBeyondViewport": True, "format": "png"}
    )
    Path(path).write_bytes(base64.b64decode(shot["data"]))
