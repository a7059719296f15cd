"""A web server on loopback that serves files and, as told, every fault of the real ones."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Loopback:
    """What a server holds, how it fails, and what it was asked for.

    `files`: content by path. `faults`: by path, what is done instead for each request in turn, then
    no more: a status, ("cut", bytes sent), "reset", "slow", "silent", or (status, headers, body).
    `routes`: by path, a function of the handler that answers.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list] = {}
        self.routes: dict = {}
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()

    def put(self, path: str, content: bytes) -> str:
        self.files[path] = content
        return self.address + path

    def fail(self, path: str, *faults) -> None:
        self.faults[path] = list(faults)


@contextmanager
def loopback(port: int = 0):
    """Yield a running :class:`Loopback`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def answer(self, status, body=b"", headers=()):
            self.send_response(status)
            headers = dict(headers)
            headers.setdefault("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def serve(self):
            if length := int(self.headers.get("Content-Length") or 0):
                self.rfile.read(length)
            path = self.path.partition("?")[0]
            with box.lock:
                box.asked[path] += self.command != "HEAD"
                fault = box.faults[path].pop(0) if box.faults.get(path) else None
            if fault is None and (route := box.routes.get(path)):
                return route(self)
            body = box.files.get(path)
            if isinstance(fault, int):
                return self.answer(fault, b"no")
            if fault == "reset":
                self.close_connection = True
                return None
            if fault == "silent":
                stop.wait(20)
                self.close_connection = True
                return None
            if fault == "slow":
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                for i in range(len(body)):
                    self.wfile.write(body[i : i + 1])
                    self.wfile.flush()
                    time.sleep(0.02)
                return None
            if isinstance(fault, tuple) and fault[0] == "cut":
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body[: fault[1]])
                self.close_connection = True
                return None
            if isinstance(fault, tuple):
                return self.answer(fault[0], fault[2], fault[1])
            if body is None:
                return self.answer(404, b"not here")
            return self.answer(200, body)

        do_GET = do_HEAD = do_POST = serve

    stop = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # a client that goes away is part of the tests
    box = Loopback(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield box
    finally:
        stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
