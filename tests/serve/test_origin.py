"""A page of another origin cannot have a browser send submissions to the server."""

from __future__ import annotations

import pytest
import requests

from biomlbench.serve.origin import is_foreign
from tests.waiting import HANG_S

from .conftest import predictions


@pytest.mark.parametrize(
    ("host", "origin", "site", "foreign"),
    [
        ("localhost:5000", None, None, False),
        ("bench.example", None, None, False),
        ("localhost:5000", "http://localhost:5000", "same-origin", False),
        ("LOCALHOST:5000", "http://localhost:5000", None, False),
        ("127.0.0.1:5000", "http://127.0.0.1:5000", None, False),
        ("[::1]:5000", "http://[::1]:5000", None, False),
        # Behind a proxy, which may say another name to the server.
        ("127.0.0.1:5000", "https://bench.example", "same-origin", False),
        ("bench.example", "https://bench.example", "same-origin", False),
        # Another page, another port of this machine, a file, a frame without an origin.
        ("localhost:5000", "https://evil.example", "cross-site", True),
        ("localhost:5000", "http://evil.example", None, True),
        ("localhost:5000", "http://localhost:8000", "same-site", True),
        ("localhost:5000", "http://localhost:8000", None, True),
        ("localhost:5000", "null", "cross-site", True),
        ("localhost:5000", "null", None, True),
        ("localhost:5000", None, "cross-site", True),
        ("localhost:5000", None, "", True),
        # A name that was made to point here.
        ("evil.example:5000", "http://evil.example:5000", "same-origin", True),
        ("localhost.evil.example:5000", "http://localhost.evil.example:5000", None, True),
        ("127.0.0.1.evil.example", "http://127.0.0.1.evil.example", "same-origin", True),
        # What no browser sends.
        ("localhost:5000", "https://evil.example", None, True),
        ("localhost:5000", "http://[localhost:5000", None, True),
        ("localhost:5000", "", None, True),
        ("", "http://", None, True),
        ("localhost:5000", "http://evil@localhost:5000", None, True),
    ],
)
def test_pages_of_other_origins_are_told_from_all_else(host, origin, site, foreign):
    headers = {"host": host, "origin": origin, "sec-fetch-site": site}
    assert is_foreign({k: v for k, v in headers.items() if v is not None}) is foreign


@pytest.mark.parametrize("path", ["validate", "evaluate"])
def test_what_a_foreign_page_sends_is_not_worked_on(url, path):
    files = {"file": ("a.csv", predictions(), "text/csv")}
    for headers in (
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://evil.example:5000", "Host": "evil.example:5000"},
    ):
        answer = requests.post(f"{url}/{path}", files=files, headers=headers, timeout=HANG_S)
        assert answer.status_code == 403
        assert answer.json()["error"] == "A page of another origin sent it."
        assert "access-control-allow-origin" not in answer.headers
    # A large one gets the answer too.
    large = {"file": ("a.csv", b"x" * 1_500_000, "text/csv")}
    headers = {"Origin": "null"}
    answer = requests.post(f"{url}/{path}", files=large, headers=headers, timeout=HANG_S)
    assert answer.status_code == 403


def test_a_page_of_the_server_itself_may_send(url):
    files = {"file": ("a.csv", predictions(), "text/csv")}
    answer = requests.post(f"{url}/validate", files=files, headers={"Origin": url}, timeout=HANG_S)
    assert answer.json() == {"result": "Submission is valid."}
