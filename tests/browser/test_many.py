"""Forty agents on a hundred tasks, and the published site: all fits, and is accessible."""

from __future__ import annotations

import pytest

from biomlbench.export.site import publish
from biomlbench.report import html
from biomlbench.report.inputs import Tables
from tests.browser.conftest import _blank
from tests.browser.driver import DESKTOP, PHONE, chromium
from tests.browser.test_report import PAGES, go, no_errors, settle, show, violations, visible
from tests.report import fixtures

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LONG = [f"a-rather-long-agent-name-of-a-lab-{end}" for end in ("mini", "large", "v1", "v2")]
NAMES = [*(f"agent-{number:02d}" for number in range(36)), *LONG]
AGENTS = {name: 1.0 - number / 20 for number, name in enumerate(NAMES)}
MANY = 100


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Results of 4,000 pairs: each agent once on each task."""
    root = tmp_path_factory.mktemp("many")
    tasks = [
        (f"{task[0]}-{number}", *task[1:])
        for number, task in enumerate(fixtures.TASKS * (MANY // len(fixtures.TASKS) + 1))
    ][:MANY]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fixtures, "TASKS", tasks)
        fixtures.write(root, len(AGENTS) * MANY, agents=AGENTS)
    text = html.render_tables(Tables.load(root), title="Many", drawn=_blank(root))
    (root / "report.html").write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A published site of 110 pairs: it draws its figures."""
    root = tmp_path_factory.mktemp("published")
    fixtures.write(root, 110, calibrated=False, weeks=2)
    publish(root, root / "site", title="Many", date="2026-01-05")
    return root / "site"


def overflow(driver):
    return driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def wide_tables(driver):
    return driver.execute_script(
        "return [...document.querySelectorAll('section:not([hidden]) .scroll')]"
        ".filter(s => s.scrollWidth > s.clientWidth + 1)"
        ".map(s => s.getAttribute('aria-label') || s.getAttribute('aria-labelledby'))"
    )


def test_long_names_are_told_apart(browser, many):
    go(browser, (many / "report.html").as_uri(), "#agents")
    shown = browser.execute_script(
        "return [...document.querySelectorAll('.matrix thead a')].map(a => a.textContent)"
    )
    assert len(set(shown)) == len(AGENTS)
    assert max(map(len, shown)) <= 18


def test_the_matrix_keeps_its_headings_in_view(browser, many):
    go(browser, (many / "report.html").as_uri(), "#agents")
    gap = (
        "const place = document.querySelector('.scroll:has(.matrix)');"
        "place.scrollTop = 1000;"
        "const top = document.querySelector('.matrix thead th').getBoundingClientRect().top;"
        "return [place.scrollTop, top - place.getBoundingClientRect().top]"
    )
    scrolled, off = browser.execute_script(gap)
    assert scrolled > 500
    assert 0 <= off <= 2


def test_all_agents_and_tasks_are_in_the_matrix(browser, many):
    go(browser, (many / "report.html").as_uri(), "#agents")
    size = browser.execute_script(
        "const m = document.querySelector('.matrix');"
        "return [m.tHead.rows[0].cells.length, m.tBodies[0].rows.length]"
    )
    assert size == [1 + len(AGENTS), MANY]
    for page in PAGES:
        show(browser, page)
        assert len(visible(browser)) == 1
    no_errors(browser)


@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)])
def test_nothing_overflows(many, site, size, dark):
    with chromium(size=size, dark=dark) as driver:
        pages = ("#agent=agent-07", f"#agent={LONG[0]}", f"#versus={LONG[0]}/{LONG[1]}")
        for page in (*(f"#{p}" for p in PAGES), *pages):
            go(driver, (many / "report.html").as_uri(), page)
            settle(driver)
            assert overflow(driver) <= 0, page
            assert size == PHONE or wide_tables(driver) == [], page
        for page in sorted(site.rglob("*.html")):
            driver.get(page.as_uri())
            assert overflow(driver) <= 0, page.name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(browser, many, site, axe, theme):
    go(browser, (many / "report.html").as_uri(), "#agents")
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    settle(browser)
    found = violations(browser, axe)
    browser.execute_script("delete document.documentElement.dataset.theme")
    assert found == []
    with chromium(dark=theme == "dark") as driver:
        for page in sorted(site.rglob("*.html")):
            driver.get(page.as_uri())
            assert violations(driver, axe) == [], page.name
