"""`POST /validate` and `GET /health`, as clients of BioML-bench's grading server know them."""

from __future__ import annotations

import http.client
import io
import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import requests

from biomlbench.grade import validate_submission
from biomlbench.serve.answers import as_json
from biomlbench.serve.service import Service
from tests.waiting import HANG_S

from .conftest import context_of, post, predictions, serving

VALID = {"result": "Submission is valid."}


def multipart(content: str, name: str = "submission.csv") -> tuple[bytes, dict[str, str]]:
    body = (
        "--frontier\r\n"
        f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: text/csv\r\n\r\n"
        f"{content}\r\n--frontier--\r\n"
    ).encode()
    return body, {"Content-Type": "multipart/form-data; boundary=frontier"}


def old_client(url: str, content: str) -> tuple[int, str, bytes]:
    """Post with nothing but the standard library, as `curl -F file=@...` does."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=HANG_S)
    body, headers = multipart(content)
    connection.request("POST", "/validate", body, headers)
    answer = connection.getresponse()
    return answer.status, answer.headers["content-type"], answer.read()


def test_an_old_client_is_told_that_its_csv_is_valid(url):
    status, kind, body = old_client(url, predictions())
    assert (status, kind) == (200, "application/json")
    assert body == b'{"result":"Submission is valid."}'


def test_an_old_client_is_told_what_is_wrong_with_its_file(url, home, tmp_path):
    path = tmp_path / "short.csv"
    path.write_text(predictions(28))
    valid, message = validate_submission(path, context_of(home).task("toy/line"))
    assert not valid
    assert "2 of the 30 ids" in message
    answer = post(url, "validate", path.read_bytes(), "short.csv")
    assert (answer.status_code, answer.json()) == (200, {"result": message})


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "empty"), ("what,ever\n1,2\n", "column"), ("\0\0", "binary"), ("id,y\n", "no rows")],
)
def test_every_wrong_file_gets_a_result(url, content, said):
    answer = post(url, "validate", content, "submission.csv")
    assert answer.status_code == 200
    assert list(answer.json()) == ["result"]
    assert answer.json()["result"].startswith("Submission invalid!")
    assert said in answer.json()["result"]


def test_health(url):
    answer = requests.get(f"{url}/health", timeout=HANG_S)
    assert (answer.status_code, answer.json()) == (200, {"status": "running"})


def test_the_file_keeps_its_format(url):
    columns = {"id": [f"r{i:02d}" for i in range(30)], "y": [float(i) for i in range(30)]}
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    parquet = buffer.getvalue()
    assert post(url, "validate", parquet, "my.PARQUET").json() == VALID
    assert "Parquet" in post(url, "validate", parquet, "my.csv").json()["result"]
    assert post(url, "validate", predictions().replace(",", "\t"), "a.tsv").json() == VALID
    assert "must end in" in post(url, "validate", predictions(), "a.xlsx").json()["result"]


@pytest.mark.parametrize(
    "name", ["../../../../etc/cron.d/x.csv", "C:\\x\\y.csv", "x", ".", "é.csv"]
)
def test_a_client_does_not_choose_where_its_file_goes(url, name):
    assert post(url, "validate", predictions(), name).json() == VALID


def test_a_field_names_another_task(url):
    answer = post(url, "validate", "def gc_content(sequence:\n", "a.py", task_id="gc-v2")
    assert answer.status_code == 200
    assert "line 1" in answer.json()["result"]
    answer = post(url, "validate", "print(1)\n", "model.py", task_id="line")
    assert answer.json()["result"].startswith("Submission is valid. It is a program")
    assert post(url, "validate", predictions(), "a.csv", task_id="line").json() == VALID
    assert post(url, "validate", predictions(), "a.csv", task_id="").json() == VALID


def test_what_is_not_answered_is_named(url):
    answer = requests.get(f"{url}/no such page%1b" + "x" * 500, timeout=HANG_S)
    assert answer.status_code == 404
    details = answer.json()["details"]
    assert details.startswith("GET `/no such page\\x1bxx")
    assert "is not answered. There are: " in details
    assert len(details) < 500


@pytest.mark.parametrize("task_id", ["no-such-task", "../../etc", "toy/line/", "\x7f", "ü" * 200])
def test_an_unknown_task_is_the_clients_mistake(url, task_id):
    answer = post(url, "validate", predictions(), "a.csv", task_id=task_id)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error", "details"}


def test_a_server_error_names_no_path(url, home):
    for path in ("validate", "evaluate"):
        for task in ("toy/unprepared", "kernels/gc-unprepared"):
            answer = post(url, path, predictions(), "a.csv", task_id=task)
            if (path, task) == ("evaluate", "toy/unprepared"):
                assert answer.status_code == 404  # no problem card
            elif (path, task) == ("validate", "kernels/gc-unprepared"):
                assert answer.status_code == 200  # code needs no data to be parsed
            else:
                assert answer.status_code == 503
                assert answer.json()["error"] == "The task is not prepared."
                assert "retry-after" not in answer.headers
                assert set(answer.json()) == {"error", "details"}
                assert "not_prepared" in answer.json()["details"]
            assert str(home) not in answer.text
            assert "/tmp" not in answer.text


def test_bad_requests_get_json(url):
    body, headers = multipart(predictions())
    bad = [
        (400, {"files": {"other": ("a.csv", "x")}}),
        (400, {"files": {"file": ("a.csv", "x")}, "data": {"task_id": "x" * 201}}),
        (400, {"files": [("file", ("a.csv", "x")), ("file", ("b.csv", "x"))]}),
        (400, {"files": {"file": ("a.csv", "x")}, "data": {"taskid": "line"}}),
        (400, {"files": {"file": (None, "no file name")}}),
        (400, {"data": body, "headers": {"Content-Type": "multipart/form-data"}}),
        (400, {"data": body[:60], "headers": headers}),
        (400, {"data": b"nothing of the kind", "headers": headers}),
        (415, {"json": {"file": "x"}}),
        (415, {"data": {"file": "x"}}),
        (415, {}),
    ]
    for status, request in bad:
        answer = requests.post(f"{url}/validate", timeout=HANG_S, **request)
        assert (answer.status_code, set(answer.json())) == (status, {"error", "details"}), request
    assert requests.get(f"{url}/validate", timeout=HANG_S).status_code == 405
    assert "/validate" in requests.get(f"{url}/nothing", timeout=HANG_S).json()["details"]


@pytest.mark.parametrize("charset", ["utf-7", "idna", "punycode", "base64", "no-such", "utf-16"])
def test_odd_character_sets_are_no_server_error(url, charset):
    body, _ = multipart(predictions())
    odd = b'--frontier\r\nContent-Disposition: form-data; name="task_id"\r\n\r\n+2AA-\xff..\r\n'
    headers = {"Content-Type": f"multipart/form-data; boundary=frontier; charset={charset}"}
    for content in (body, odd + body):
        answer = requests.post(f"{url}/validate", content, headers=headers, timeout=HANG_S)
        assert answer.status_code < 500
        assert answer.json()


def test_a_request_that_is_too_large_is_refused(url):
    body, headers = multipart("x" * (3 << 20))

    def in_pieces():
        yield body

    for data in (body, in_pieces()):  # with and without a declared length
        answer = requests.post(f"{url}/validate", data=data, headers=headers, timeout=HANG_S)
        assert answer.status_code == 413
        assert "2097152 bytes" in answer.json()["details"]
    code = post(url, "evaluate", "#" * (1200 * 1024), "a.py", task_id="gc-v2")
    assert code.status_code == 413


def test_requests_at_one_time_do_not_share_a_file(url):
    def send(rows: int) -> str:
        return post(url, "validate", predictions(rows), "submission.csv").json()["result"]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(send, range(1, 25)))
    assert [int(re.search(r"(\d+) of the 30", text)[1]) for text in results] == [
        30 - rows for rows in range(1, 25)
    ]


def test_a_slow_sender_is_not_waited_for(settings):
    with serving(replace(settings, upload_s=0.3)) as url:
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port), timeout=HANG_S) as connection:
            connection.sendall(
                b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n"
                b"Content-Type: multipart/form-data; boundary=frontier\r\n\r\n--frontier\r\n"
            )
            assert connection.recv(4096).startswith(b"HTTP/1.1 408 ")


TWO_LENGTHS = b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
TWO_LENGTHS += b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        TWO_LENGTHS,
        b"no request\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 60_000 + b"\r\n\r\n",
    ],
    ids=["two-lengths", "words", "no-host", "long-head"],
)
def test_what_is_no_request_gets_json_as_well(settings, sent):
    with serving(settings) as url:
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port), timeout=HANG_S) as connection:
            connection.sendall(sent)
            with closing(http.client.HTTPResponse(connection)) as answer:
                answer.begin()
                assert (answer.status, answer.headers["content-type"]) == (400, "application/json")
                assert json.load(answer).keys() == {"error", "details"}


def test_a_full_server_says_so_and_stays_alive(settings, monkeypatch):
    begun, end = threading.Event(), threading.Event()

    def slow(*_):
        begun.set()
        assert end.wait(HANG_S)
        return as_json(VALID)

    monkeypatch.setattr(Service, "validate", slow)
    with serving(replace(settings, jobs=1, waiting=0)) as url, ThreadPoolExecutor(1) as pool:
        first = pool.submit(post, url, "validate", "x", "a.csv")
        assert begun.wait(HANG_S)
        second = post(url, "validate", "x", "a.csv")
        assert requests.get(f"{url}/health", timeout=HANG_S).json() == {"status": "running"}
        end.set()
        assert first.result().json() == VALID
        third = post(url, "validate", "x", "a.csv")
    assert (second.status_code, second.headers["retry-after"]) == (503, "10")
    assert third.status_code == 200


def test_a_bug_is_a_server_error_without_its_message(settings, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret of /some/where")

    monkeypatch.setattr(Service, "validate", broken)
    with serving(settings) as url:
        answer = post(url, "validate", "x", "a.csv")
    assert answer.status_code == 500
    assert answer.json()["error"] == "An unexpected error occurred."
    incident = re.search(r"incident (\w+)", answer.json()["details"])[1]
    assert "secret" not in answer.text
    assert any(incident in record.getMessage() and record.exc_info for record in caplog.records)


def test_without_a_task_the_client_must_name_one(settings):
    with serving(replace(settings, task_id=None)) as url:
        answer = post(url, "validate", predictions(), "a.csv")
        assert answer.status_code == 400
        assert "TASK_ID" in answer.json()["details"]
        assert post(url, "validate", predictions(), "a.csv", task_id="line").json() == VALID
