"""The server under hostile load: others are answered, and soon."""

from __future__ import annotations

import gzip
import os
import socket
import threading
import time
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
import requests

from biomlbench.sandbox import accounting
from biomlbench.serve._worker import NICER
from biomlbench.serve.uploads import MAX_ARRIVALS
from tests.serve.conftest import post, predictions, serving

CARD = "kernels/gc-v2"
HOSTILE = {
    "f-strings.py": ("evaluate", b"x = " + b"f'{" * 300_000),
    "brackets.py": ("evaluate", b"(" * 1_000_000),
    "minus.py": ("evaluate", b"-" * 1_000_000 + b"1"),
    "many-columns.csv": ("validate", b"," * 1_500_000 + b"\n"),
    "quotes.csv": ("validate", b'id,y\n"' + b'"",' * 500_000),
    "numbers.csv": ("validate", b"id,y\n" + b"r00," + b"9" * 1_500_000 + b"\n"),
    "rows.csv.gz": ("validate", gzip.compress(b"id,y\n" + b"r00,1\n" * 20_000_000, 1)),
    "zip.csv.gz": ("validate", b"\x1f\x8b\x08\x00" + b"\0" * 1_000_000),
    "broken.parquet": ("validate", b"PAR1" + b"\xff" * 1_000_000 + b"PAR1"),
    "form.csv": ("validate", b"\r\n--" * 400_000),
}
SLOW = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
SLOW += b"Content-Length: 5000\r\n\r\n--b\r\n"


def slow_clients(url, count):
    """Clients that begin to send a form, and never end."""
    address = urlsplit(url)
    found = []
    for _ in range(count):
        client = socket.create_connection((address.hostname, address.port))
        client.sendall(SLOW)
        found.append(client)
    return found


@pytest.mark.parametrize("name", HOSTILE)
def test_health_and_an_answer_while_a_hostile_upload_is_worked_on(url, name):
    path, content = HOSTILE[name]
    answers = []
    sender = threading.Thread(
        target=lambda: answers.append(post(url, path, content, name, task_id="toy/line"
                                           if path == "validate" else CARD))
    )  # fmt: skip
    sender.start()
    waits = []
    while sender.is_alive():
        start = time.monotonic()
        assert requests.get(f"{url}/health", timeout=30).status_code == 200
        waits.append(time.monotonic() - start)
        time.sleep(0.02)
    sender.join()
    assert answers[0].status_code in (200, 400, 413), answers[0].text
    print(f"{name}: {len(waits)} times, longest {max(waits, default=0) * 1000:.0f} ms")


def test_work_has_a_lower_priority_than_answers(settings):
    def priority(pid):
        return os.getpriority(os.PRIO_PROCESS, pid)

    before = set(accounting.tree(os.getpid()))
    with serving(settings) as url:
        assert post(url, "validate", predictions(), "a.csv").status_code == 200
        workers = [pid for pid in accounting.tree(os.getpid()) if pid not in before]
        assert min(19, priority(os.getpid()) + NICER) in {priority(pid) for pid in workers}


@pytest.mark.parametrize("count", [60, MAX_ARRIVALS + 20])
def test_slow_clients_keep_nobody_out(settings, count):
    few = replace(settings, jobs=1, waiting=1, upload_s=60)
    with serving(few) as url:
        clients = slow_clients(url, count)
        try:
            for _ in range(5):
                answer = post(url, "validate", predictions(), "a.csv")
                assert answer.status_code == 200, answer.text
                assert "valid" in answer.json()["result"]
        finally:
            for client in clients:
                client.close()
