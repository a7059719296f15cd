"""The threat model's claims point to tests that there are, the battery's page to its attacks."""

from __future__ import annotations

import re

from tests.docs.test_site import load

battery = load("tools/battery.py")
MODEL = (battery.ROOT / "docs/explanation/threat-model.md").read_text(encoding="utf-8")


def named_tests(text):
    return re.findall(r"`(tests/[\w/]+\.py)`", text)


def test_every_claim_names_tests_or_attacks_that_there_are():
    named = named_tests(MODEL)
    assert len(named) >= 10
    for file in named:
        assert (battery.ROOT / file).is_file(), file
    known = {path.stem for path in battery.ATTACKS.glob("*.yaml")}
    section = MODEL.partition("## Between cases")[2].partition("## Providers")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ") and "_of_" in line]
    for line in rows:
        cells = line.strip("| ").split(" | ")
        for name in re.findall(r"`([a-z]\w+)`", cells[-1]):
            assert name in known or "total" in cells[0], name
    claims = MODEL.partition("## Beside the sandbox")[2].partition("**Run tables")[0]
    for line in claims.splitlines():
        if line.startswith("| ") and "what an attacker does" not in line:
            assert named_tests(line.rpartition(" | ")[2]), line


def test_the_page_of_the_battery_tells_every_attack():
    cases = "".join(
        f'<testcase classname="tests.attacks.test_attacks" name="{battery.ONE_ATTACK}[{name}]">'
        f"{inside}</testcase>"
        for name, inside in {
            "spin-bwrap-root": "",
            "sleep-bwrap-root": "<failure/>",
            "x32_calls-bwrap-root": "<skipped/>",
            "spin-bwrap-user": "",
        }.items()
    )
    results = battery.read_results(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    page = battery.page_of(results, "a machine")
    assert "| `bwrap-root` | 3 | 1 | 1 | 1 |" in page
    assert "| `bwrap-user` | 1 | 1 | 0 | 0 |" in page
    assert re.search(r"\| `sleep` \| .+ \| failed \| – \|", page)
    assert "Run on: a machine." in page
    assert battery.users_of(results) == "root and as an ordinary user"
    assert battery.users_of(results[3:]) == "an ordinary user"


def test_the_written_page_is_of_the_present_battery():
    page = battery.PAGE.read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert {path.stem for path in battery.ATTACKS.glob("*.yaml")} <= told


def test_every_test_beside_the_sandbox_is_run_with_the_battery():
    claims = MODEL.partition("## Beside the sandbox")[2].partition("**Run tables")[0]
    doors = {file for files in battery.DOORS.values() for file in files}
    assert {file for file in named_tests(claims) if "/sandbox/" not in file} <= doors
    assert all((battery.ROOT / file).is_file() for file in doors)
    results = [battery.Result(file, "test_a", "held") for file in sorted(doors)]
    page = battery.page_of(results, "a machine")
    for door, files in battery.DOORS.items():
        for file in files:
            assert f"| {door} | `{file}` | 1 | 1 | 0 | 0 |" in page
