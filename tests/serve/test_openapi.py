"""The server does what its OpenAPI document says, whatever it is sent."""

from __future__ import annotations

import re
import subprocess
import sys

import jsonschema
import pytest
import requests

from tests.fuzzing import TIMES
from tests.waiting import HANG_S

from .conftest import TEMPLATE, post, predictions

pytest.importorskip("schemathesis", reason="schemathesis is not installed")


def fuzz(url, tmp_path, examples):
    call = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json"]
    call += ["--max-examples", str(examples), "--seed", "1", "--workers", "1", "--no-color"]
    call += ["--request-timeout", str(HANG_S), "--suppress-health-check", "all"]
    # An empty list in place of a text is "invalid data" to it, but in a form it is no field at all.
    call += ["--exclude-checks", "negative_data_rejection"]
    return subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=HANG_S)


def test_schemathesis_finds_nothing(url, tmp_path):
    done = fuzz(url, tmp_path, 15)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"\d+ generated", done.stdout), done.stdout[-2000:]


@pytest.mark.slow
def test_schemathesis_finds_nothing_in_many_examples(url, tmp_path):
    done = fuzz(url, tmp_path, 60 * TIMES)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_answers_have_the_declared_form(url):
    api = requests.get(f"{url}/openapi.json", timeout=HANG_S).json()

    def check(answer, name):
        schema = {"$ref": f"#/components/schemas/{name}", "components": api["components"]}
        jsonschema.Draft202012Validator(schema).validate(answer.json())

    check(post(url, "validate", predictions(), "a.csv"), "Result")
    check(post(url, "validate", predictions(), "a.csv", task_id="none"), "Error")
    for code in (TEMPLATE / "reference.py", *(TEMPLATE / "solutions/bad").glob("l*.py")):
        check(post(url, "evaluate", code.read_bytes(), "a.py", task_id="gc-v2"), "Evaluation")


def test_the_page_needs_no_other_host(url):
    answer = requests.get(f"{url}/docs", timeout=HANG_S)
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    for path in ("/health", "/validate", "/evaluate"):
        assert path in answer.text
    assert not re.search(r"(?:src|href)=\"?(?:https?:)?//", answer.text)
    assert "<script" not in answer.text
