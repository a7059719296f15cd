"""The server under hostile load: others are answered, and soon."""

from __future__ import annotations

import asyncio
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
from biomlbench.serve import http
from biomlbench.serve._worker import NICER
from biomlbench.serve.uploads import MAX_ARRIVALS, Arrivals
from tests.serve.conftest import post, predictions, serving
from tests.waiting import HANG_S, wait_until

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


CHUNKED = b"POST /validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
CHUNKED += b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"


def in_chunks(url, body, size):
    """Send a body in chunks; return the beginning of the answer."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(CHUNKED)
        parts = (body[start : start + size] for start in range(0, len(body), size))
        try:
            for part in parts:
                client.sendall(b"%x\r\n" % len(part) + part + b"\r\n")
            client.sendall(b"0\r\n\r\n")
        except ConnectionError:
            pass  # refused before all was sent
        try:
            return client.recv(4096)
        except ConnectionError:
            return b"cut off"


def ended(client):
    """Whether the server has closed a connection without an answer."""
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_idle_connections_give_way_and_keep_nobody_out(url):
    address = urlsplit(url)
    clients = []
    try:
        for number in range(http.MOST_CONNECTIONS + 40):
            client = socket.create_connection((address.hostname, address.port))
            client.sendall(b"" if number % 2 else b"POST /validate HTTP/1.1\r\nHo")
            clients.append(client)
        wait_until(lambda: sum(map(ended, clients)) >= 40, "the oldest to give way")
        assert requests.get(f"{url}/health", timeout=30).status_code == 200
        wait_until(lambda: all(map(ended, clients)), "the others to be given up")
    finally:
        for client in clients:
            client.close()


def form_of(content):
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    return head + content + b"\r\n--b--\r\n"


def test_a_body_of_tiny_chunks_is_refused_and_one_of_honest_chunks_read(url):
    rows = predictions().encode()
    for size in (3, 400, 1 << 16):  # few chunks may be small
        assert in_chunks(url, form_of(rows), size).startswith(b"HTTP/1.1 200 ")
    long = form_of(rows + b"#" * 200_000)
    assert in_chunks(url, long, 4).startswith((b"HTTP/1.1 400 ", b"cut off"))
    assert in_chunks(url, long, 1 << 12).startswith(b"HTTP/1.1 200 ")


def test_a_body_whose_length_is_given_twice_is_refused_with_what_follows_it(url):
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=HANG_S) as client:
        head = SLOW.replace(b"\r\n\r\n--b\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.sendall(head + b"0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_a_client_is_read_a_little_at_a_time():
    protocol = http.BoundedProtocol.__new__(http.BoundedProtocol)
    seen = []
    protocol._buffer = bytearray(http._READ_BYTES)
    protocol.data_received = seen.append
    assert len(protocol.get_buffer(1 << 30)) == http._READ_BYTES <= 1 << 15
    protocol._buffer[:3] = b"abc"
    protocol.buffer_updated(3)
    assert seen == [b"abc"]


async def ended_by(arrivals, sizes):
    """Return which of some uploads give way, when each has received so many bytes."""
    given_way = []

    async def one(number, size):
        try:
            async with arrivals.within(30) as deadline:
                arrivals.count(deadline, size)
                await asyncio.sleep(0.2)
        except TimeoutError:
            given_way.append(number)

    await asyncio.gather(*(one(number, size) for number, size in enumerate(sizes)))
    return sorted(given_way)


def test_the_oldest_uploads_give_way_when_the_disk_would_fill():
    assert asyncio.run(ended_by(Arrivals(most_bytes=100), [40, 40, 10])) == []
    assert asyncio.run(ended_by(Arrivals(most_bytes=100), [40, 40, 60])) == [0]
    assert asyncio.run(ended_by(Arrivals(most_bytes=100), [40, 40, 500])) == [0, 1]
    assert asyncio.run(ended_by(Arrivals(most=2), [0, 0, 0])) == [0]
