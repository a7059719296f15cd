"""The process that a published grader runs in: it imports the grader once and forks for each file.

Started by path, in whatever interpreter the grader needs, so it imports nothing but the standard
library by itself and nothing of this package. Each submission is read and graded in a fork with
limits of its own, so that none sees another and what the grader changes is gone afterwards.
"""

import contextlib
import io
import json
import math
import numbers
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _biomlbench_loading import Job, MissingModuleError, read_csv

del sys.path[0]

OWN = {__file__, sys.modules["_biomlbench_loading"].__file__}

HEAD = struct.Struct("<cQ")
"""Frames: kind and length of the body."""
CONFIG, READY, BROKEN, GRADE, RESULT, ASK, ANSWER = (bytes([code]) for code in b"CYBGRQA")
MAX_RESULT = 1 << 16
MAX_QUESTION = 256 << 20
MB = 1 << 20


def main():
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    try:
        config = json.loads(_receive(requests, CONFIG))
        _drop(config)
        job = Job(config)
    except BaseException as error:
        _send(replies, BROKEN, json.dumps(_why(error)).encode())
        return
    _send(replies, READY, json.dumps({"absent": sorted(job.absent.names)}).encode())
    while True:
        head = _receive(requests, GRADE)
        if head is None:
            return
        body = _receive(requests, GRADE)
        _serve(job, json.loads(head), body, requests, replies, null)


def _receive(fd, kind):
    head = _exactly(fd, HEAD.size)
    if head is None:
        return None
    found, length = HEAD.unpack(head)
    if found != kind:
        raise ValueError("a frame of the wrong kind")
    return _exactly(fd, length)


def _exactly(fd, length):
    data = bytearray()
    while len(data) < length:
        part = os.read(fd, min(length - len(data), MB))
        if not part:
            return None
        data += part
    return bytes(data)


def _send(fd, kind, body):
    view = memoryview(HEAD.pack(kind, len(body)) + body)
    while view:
        view = view[os.write(fd, view) :]


def _drop(config):
    """Become the sandbox's own user for good, where root started the sandbox."""
    if config.get("uid") is not None:
        uid = config["uid"]
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    # Libraries ask for a home and for caches; what they write is gone with the process.
    os.chdir(config["box"])
    os.umask(0o077)
    os.environ["HOME"] = os.environ["TMPDIR"] = config["box"]


def _serve(job, head, body, requests, replies, null):
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        try:
            ours.close()
            os.setsid()
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            theirs_fd = os.dup(theirs.fileno())
            os.dup2(theirs_fd, 3)
            os.closerange(4, 4096)
            _grade(job, head, body, 3)
        finally:
            os._exit(70)
    theirs.close()
    result = _watch(job, pid, ours, requests, replies)
    _send(replies, RESULT, json.dumps(result).encode())


def _watch(job, pid, channel, requests, replies):
    """Follow a fork until it has a result, ends or runs out of time, then end all it started."""
    deadline = time.monotonic() + job.limits["wall_s"]
    buffer = bytearray()
    result = None
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while result is None:
        left = deadline - time.monotonic()
        if left <= 0:
            result = {"error": "time", "message": f"it took longer than {job.limits['wall_s']:g} s"}
            break
        if not poll.poll(left * 1000 + 1):
            continue
        try:
            part = channel.recv(MB)
        except ConnectionError:
            part = b""
        if not part:
            break
        buffer += part
        while len(buffer) >= HEAD.size:
            kind, length = HEAD.unpack_from(buffer)
            if kind not in (RESULT, ASK) or length > (
                MAX_RESULT if kind == RESULT else MAX_QUESTION
            ):
                result = {"error": "output", "message": "it sent what it may not send"}
                break
            if len(buffer) < HEAD.size + length:
                break
            frame = bytes(buffer[HEAD.size : HEAD.size + length])
            del buffer[: HEAD.size + length]
            if kind == RESULT:
                result = json.loads(frame)
                break
            _send(replies, ASK, frame)
            channel.sendall(_framed(ANSWER, _receive(requests, ANSWER)))
    _end(job, pid)
    _, status = os.waitpid(pid, 0)
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            break
    channel.close()
    if result is None:
        result = {"error": "crash", "message": _ending(status)}
    return result


def _framed(kind, body):
    return HEAD.pack(kind, len(body)) + body


def _end(job, pid):
    try:
        if job.config["own_pids"]:
            os.kill(-1, signal.SIGKILL)
        else:
            os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _ending(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "it used more CPU time than it may, in several threads"
        if number == signal.SIGKILL:
            return "it was killed, for its memory or by itself"
        return f"it was ended by {signal.Signals(number).name}"
    return f"it left Python with exit code {os.WEXITSTATUS(status)}"


def _limit(limits):
    spare = 0
    with open("/proc/self/statm") as file:
        spare = int(file.read().split()[0]) * resource.getpagesize()
    memory = limits["memory_mb"] * MB + spare
    # One second more than the clock has: one thread that never ends is found by the clock, which
    # says so, and the kernel's signal means several threads.
    cpu = math.ceil(limits["cpu_s"]) + 1
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, limits["file_mb"] * MB, limits["file_mb"] * MB),
        (resource.RLIMIT_NOFILE, 256, 256),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        resource.setrlimit(kind, (soft, hard))


def _grade(job, head, body, fd):
    result = None
    try:
        _limit(job.limits)
        _connect(fd)
        result = _score(job, head, body)
    except MemoryError:
        result = {"error": "memory", "message": f"it took more than {job.limits['memory_mb']} MiB"}
    except BaseException as error:
        result = _judge(error)
    result["parameters"] = job.parameters
    data = json.dumps(result).encode("utf-8", "replace")
    _send(fd, RESULT, data)
    os._exit(0)


def _judge(error):
    if isinstance(error, _Refused):
        return {"refused": True}
    names = [kind.__name__ for kind in type(error).__mro__]
    if "InvalidSubmissionError" in names:
        cause = error.__cause__ or error.__context__
        while cause is not None:
            if isinstance(cause, (MissingModuleError, MemoryError, _Refused)):
                return _judge(cause)
            cause = cause.__cause__ or cause.__context__
        return {"invalid": str(error)[:2000]}
    return _why(error)


def _why(error):
    """Say what went wrong without the text of the error, which may hold true answers."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename not in OWN and not code.co_filename.startswith("<"):
            place = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    result = {"error": "exception", "type": type(error).__name__, "where": place}
    if isinstance(error, ImportError):
        result["missing"] = error.name or ""
        result["message"] = str(error)[:500]
    elif isinstance(error, (AttributeError, FileNotFoundError, SyntaxError, PermissionError)):
        result["message"] = str(error)[:500]
    return result


def _score(job, head, body):
    if head["mode"] == "path":
        import pathlib

        path = pathlib.Path(job.config["box"], "submission" + head["suffix"])
        path.write_bytes(body)
        submission = path
    else:
        submission = _frame(head, body, job.answers)
        if submission is None:
            return {"unreadable": True}
    score = job.function(submission, job.answers)
    if score is None:
        return {"error": "none", "message": "it gave no score"}
    if getattr(score, "size", None) == 1 and hasattr(score, "item"):
        score = score.item()
    if isinstance(score, bool) or not isinstance(score, (numbers.Real, Decimal)):
        return {"error": "type", "message": f"it returned {type(score).__name__}, not a number"}
    return {"score": float(score).hex()}


def _frame(head, body, answers):
    """Return the submission as a table, its rows in the order of the answers."""
    length = struct.unpack_from("<Q", body)[0]
    text = body[8 : 8 + length]
    frame = read_csv(io.BytesIO(text))
    if len(frame) != head["rows"] or list(frame.columns) != head["columns"]:
        return None
    if "wanted" in head:  # as in the sample submission: some graders go by place
        frame = frame[head["wanted"]]
    if len(body) > 8 + length:
        import numpy as np

        frame = frame.iloc[np.frombuffer(body, "<i8", offset=8 + length)].reset_index(drop=True)
    return _as_answers(frame, head["ids"], answers)


def _as_answers(frame, ids, answers):
    columns = getattr(answers, "columns", None)
    if not ids or columns is None or any(name not in columns for name in ids):
        return frame
    if len(answers) != len(frame) or answers[ids].equals(frame[ids]):
        return frame
    if answers.duplicated(ids).any():
        return frame
    rows = frame[ids].assign(_row=range(len(frame)))
    try:
        order = answers[ids].merge(rows, on=ids, how="left")["_row"]
    except ValueError:
        return frame  # ids of another type there
    if order.isna().any():
        return frame
    return frame.iloc[order.astype(int).to_numpy()].reset_index(drop=True)


class _Refused(BaseException):
    """Whoever evaluates for us has refused the predictions; the grader is not to go on."""


def _connect(fd):
    """Let the stand-in of a hub ask whoever started us to evaluate predictions."""

    def ask(question):
        data = json.dumps(question).encode()
        if len(data) > MAX_QUESTION:
            raise MemoryError
        _send(fd, ASK, data)
        answer = json.loads(_receive(fd, ANSWER) or b"{}")
        if answer.get("refused"):
            raise _Refused
        return answer

    sys.modules["_biomlbench_evaluate"].ask = ask


def prepare():
    """Run a published preparer: ``prepare(raw=, public=, private=)``."""
    config = json.loads(sys.stdin.buffer.read())
    job = Job({**config, "limits": {}})
    import pathlib

    folders = {name: pathlib.Path(path) for name, path in config["folders"].items()}
    job.function(**folders)


if __name__ == "__main__":
    prepare() if sys.argv[1:] == ["prepare"] else main()
