"""The process inside the sandbox that forks one process for each case.

It gives up its privileges, imports what the task declares, and then reads cases one by one.
It never runs a line of the candidate itself: the candidate is compiled, imported and called
in the forked process only. In a process-id namespace it is process 1, which no process inside
can signal, trace or read. It is still not trusted by the side that reads its replies, because
a candidate of the same user might find a way to speak in its place.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import marshal
import os
import select
import signal
import stat
import sys

from . import calls, case, clean, clock, codec, confine, keeper, wire
from .buffers import Buffer

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .settings import Settings

__all__ = ["main"]

# linux/prctl.h
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
RESULT_FD = 3
MAX_DESCRIPTOR = 1 << 20
MAX_CODE = 8 << 20
"""Bytes of a compiled candidate beyond which every case compiles it for itself."""
WARMING_CALLS = 16
"""After eight the interpreter puts specialised instructions in place of a function's own."""
# Looked up once: a case's process would make the handle of the library anew for each call.
_libc_prctl = ctypes.CDLL(None, use_errno=True).prctl


def main() -> None:
    """Serve cases from standard input until it ends."""
    # The channel moves away from the standard descriptors before anything else may print.
    requests, replies = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        config = json.loads(_request(requests, wire.CONFIG) or b"")
        if not config["own_pids"]:
            keeper.stay_above()
        _drop(config)
        _prepare(config)
        source = _request(requests, wire.SOURCE) or b""
        buffers = _buffers(config)
        code = _compiled(config, source) if config["mode"] == "functions" else b""
    except BaseException as error:
        _reply(replies, wire.FAILED, result=f"{type(error).__name__}: {error}".encode())
        return
    _reply(replies, wire.READY)
    while (head := wire.read_exactly(requests, wire.CASE_HEAD.size)) is not None:
        magic, kind, token = wire.CASE_HEAD.unpack(head)
        if magic != wire.REQUEST_MAGIC or kind != wire.CASE:
            raise ValueError("a request of the wrong kind")
        _serve(config, (source, code), token, buffers, (requests, replies))
        for buffer in buffers.values():
            buffer.clear()


def _request(fd: int, kind: int) -> bytes | None:
    head = wire.read_exactly(fd, wire.REQUEST.size)
    if head is None:
        return None
    magic, found, length = wire.REQUEST.unpack(head)
    if magic != wire.REQUEST_MAGIC or found != kind:
        raise ValueError("a request of the wrong kind")
    return wire.read_exactly(fd, length)


def _reply(
    fd: int,
    kind: int,
    token: bytes = b"",
    end: tuple[int, bool, int, float, float] = (0, True, 0, 0.0, 0.0),
    logs: tuple[Buffer, ...] = (),
    result: bytes | Buffer = b"",
    file: bytes | int = 0,
) -> None:
    lengths = [len(log) for log in logs] or [0, 0]
    skipped = len(wire.CASE_TAKEN) if isinstance(result, Buffer) else 0
    lengths += [len(result) - skipped, wire.NO_FILE + file if isinstance(file, int) else len(file)]
    wire.write_all(fd, wire.REPLY.pack(wire.REPLY_MAGIC, kind, token, *end, *lengths))
    for log in logs:
        log.write(fd)
    if isinstance(result, Buffer):
        result.write(fd, skipped)
    else:
        wire.write_all(fd, result)
    if not isinstance(file, int):
        wire.write_all(fd, file)


def _drop(config: Settings) -> None:
    """Become the sandbox's own user for good, where the sandbox was started by root."""
    if config["uid"] is not None:
        os.setgroups([])
        os.setresgid(config["uid"], config["uid"], config["uid"])
        os.setresuid(config["uid"], config["uid"], config["uid"])
        if os.getresuid() != (config["uid"],) * 3:
            raise PermissionError("the sandbox's user could not be taken on")
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    if config["uid"] is not None and int(lines["CapEff"], 16) | int(lines["CapPrm"], 16):
        raise PermissionError("capabilities are left after taking on the sandbox's user")
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    if config["own_pids"]:
        # Taking on another user clears what bwrap has set. Without a namespace, dying at once
        # would leave behind what a case has started.
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    config["ruleset"] = confine.make_ruleset(config["confine"]) if config["confine"] else None


def _prepare(config: Settings) -> None:
    os.chdir(config["box"])
    os.umask(0o077)
    # Of all processes only the first one's handlers could be reached by a signal from inside.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    config["folders"] = [clean.Folder(path, config["own_pids"]) for path in config["clean"]]
    gc.disable()  # while modules are made, of which nothing is garbage
    for name in config["preload"]:
        importlib.import_module(name)
    for name in config["preload_if_there"]:
        try:
            importlib.import_module(name)
        except BaseException:
            continue
    for folder in config["folders"]:
        folder.settle()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # not yet replaced
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    # Other processes of the same user may then neither read nor write this one's memory.
    _prctl(PR_SET_DUMPABLE, 0)
    _warm_up()
    gc.enable()
    gc.collect()
    gc.freeze()


def _buffers(config: Settings) -> dict[str, Buffer]:
    limits = config["limits"]
    result = limits["output_bytes"] + wire.CHILD.size + wire.MAX_MESSAGE + len(wire.CASE_TAKEN)
    return {
        "out": Buffer(limits["log_bytes"]),
        "err": Buffer(limits["log_bytes"]),
        "result": Buffer(result),
    }


def _warm_up() -> None:
    """Run what every case runs, so that its process finds it ready instead of changing it.

    Whatever a process changes of the memory that it has from this one, the kernel copies first.
    """
    values: list[Any] = [[0, 0.5, "", None, True]]
    if numpy := sys.modules.get("numpy"):
        values += [numpy.zeros((2, 2), dtype) for dtype in ("f8", "U1")]
    for value in values:
        request = codec.encode([[value, {"": 0}], {}])
        for _ in range(WARMING_CALLS):
            calls.run({"": _echo}.get, "", request)
            case.memory_now()


def _compiled(config: Settings, source: bytes) -> bytes:
    """Compile a candidate in a process as a case's, once; empty where that fails in any way.

    The compiler is not trusted with hostile source in this process, and no line of it runs. What
    is returned is loaded in cases' processes only.
    """
    reader, writer = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        return b""
    if not pid:
        try:
            null = os.open("/dev/null", os.O_RDWR)
            _become_case(null, null, writer, config)
            case.confine_itself(config, RESULT_FD)
            wire.write_all(RESULT_FD, marshal.dumps(case.compiled(config, source)))
            os._exit(0)
        finally:
            os._exit(70)
    os.close(writer)
    code = Buffer(MAX_CODE)
    limit = clock.Limit(clock.Clock(1, _case_processes(config)), config["limits"]["wall_s"])
    ended = False
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    while not ended and not code.full and (left := limit.left()) > 0:
        ended = bool(poll.poll(left * 1000 + 1)) and not code.take(reader)
    clean.kill_everything(config["own_pids"])
    _, status = os.waitpid(pid, 0)
    clean.reap(config["own_pids"])
    os.close(reader)
    return code.kept() if ended and not status else b""


def _echo(value: Any, other: Any) -> Any:
    return [value, other]


def _prctl(option: int, value: int) -> None:
    if _libc_prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


def _serve(
    config: Settings,
    candidate: tuple[bytes, bytes],
    token: bytes,
    buffers: dict[str, Buffer],
    channel: tuple[int, int],
) -> None:
    """Fork a process for one case, follow it to its end, clean up after it, and reply.

    The process reads the rest of the request, so that it never is in this one's memory.
    """
    requests, replies = channel
    for folder in config["folders"]:
        folder.touch()
    limits = config["limits"]
    time_limit = clock.Limit(
        clock.Clock(limits["cores"], _case_processes(config)), limits["wall_s"]
    )
    try:
        # What earlier cases have started and opened is gone: these fail for the machine's sake.
        pipes = {name: os.pipe() for name in buffers}
        pid = os.fork()
    except OSError as error:
        _say(f"no process for a case: {error}")
        os._exit(wire.NOT_STARTED)
    if not pid:
        try:
            function, arguments = _take_request(requests)
            _become_case(pipes["out"][1], pipes["err"][1], pipes["result"][1], config)
            case.confine_itself(config, RESULT_FD)
            wire.write_all(RESULT_FD, wire.CASE_TAKEN)
            case.run(config, candidate, function, arguments, RESULT_FD)
        except BaseException as error:
            _say(f"{type(error).__name__}: {error}")
        finally:
            os._exit(70)
    readers = {}
    for name, (fd, end) in pipes.items():
        os.close(end)
        readers[fd] = buffers[name]
    result = buffers["result"]
    reason = _watch(pid, requests, readers, result, time_limit)
    clean.kill_everything(config["own_pids"])
    if reason is None:
        clean.reap(config["own_pids"])
        os._exit(0)
    _, status, usage = os.wait4(pid, 0)
    cpu = usage.ru_utime + usage.ru_stime + clean.reap(config["own_pids"])
    clean.collect_descriptors()
    for fd, buffer in readers.items():
        os.set_blocking(fd, False)
        while buffer.take(fd):
            pass
        os.close(fd)
    if not len(result):
        if os.WIFSIGNALED(status):
            os._exit(wire.REQUEST_LOST)
        buffers["err"].write(2)
        os._exit(wire.NOT_STARTED)
    if result.full and reason == wire.ENDED:
        reason = wire.TOO_MUCH_OUTPUT
    file: bytes | int = 0
    if config["mode"] == "program" and reason == wire.ENDED:
        file, too_large = _output(config)
        reason = wire.TOO_MUCH_OUTPUT if too_large else reason
    clear = all(folder.restore() for folder in config["folders"])
    _reply(
        replies,
        wire.DONE,
        token,
        (reason, clear, status, cpu, usage.ru_maxrss / 1024),
        (buffers["out"], buffers["err"]),
        result if reason == wire.ENDED else b"",
        file,
    )


def _say(text: str) -> None:
    os.write(2, text.encode("utf-8", "replace"))


def _case_processes(config: Settings) -> Callable[[], list[int]]:
    """Return what tells the processes of the case that runs, and only those."""
    if config["own_pids"]:
        return clock.others
    own = os.getpid()
    return lambda: clean.descendants(own)


def _take_request(fd: int) -> tuple[str, bytes]:
    """Read what follows a case's head: the function's name and the encoded arguments."""
    head = wire.read_exactly(fd, wire.CASE_BODY.size) or b""
    length, name_length = wire.CASE_BODY.unpack(head)
    name, arguments = (wire.read_exactly(fd, count) for count in (name_length, length))
    if name is None or arguments is None:
        raise EOFError("a request that is cut short")
    return name.decode("utf-8"), arguments


def _become_case(out: int, err: int, res: int, config: Settings) -> None:
    # Opened here: an open file has flags, which the next case would find as this one left them.
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    kept = [os.dup(fd) for fd in (res, config["ruleset"]) if fd is not None]
    for target, fd in enumerate(kept, RESULT_FD):
        os.dup2(fd, target, inheritable=False)
    os.closerange(RESULT_FD + len(kept), MAX_DESCRIPTOR)
    os.setsid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    _prctl(PR_SET_DUMPABLE, 1)


def _watch(
    pid: int, requests: int, readers: dict[int, Buffer], result: Buffer, limit: clock.Limit
) -> int | None:
    """Follow the case's streams until it ends, runs out of time, or says too much.

    None means that whoever asked for the case is gone. bwrap's own watch over its parent does
    not reach a harness that has taken on another user.
    """
    pidfd = os.pidfd_open(pid)
    poll = select.poll()
    for fd in (*readers, pidfd):
        poll.register(fd, select.POLLIN)
    poll.register(requests, 0)
    try:
        while True:
            left = limit.left()
            if left <= 0:
                return wire.WALL
            for fd, _ in poll.poll(left * 1000 + 1):
                if fd == pidfd:
                    return wire.ENDED
                if fd == requests:
                    return None
                if not readers[fd].take(fd):
                    poll.unregister(fd)
                if result.full:
                    return wire.TOO_MUCH_OUTPUT
    finally:
        os.close(pidfd)


def _output(config: Settings) -> tuple[bytes | int, bool]:
    """Read the program's output, or tell what lies in its place; and whether it is too large."""
    path = os.path.join(config["box"], config["output"])
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        kind = os.stat(path, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0, False
    except OSError:
        return wire.LOCKED_FOLDER, False
    try:
        fd = os.open(path, flags)
    except OSError:  # a socket, a link, or a file that must not be read
        return stat.S_IFMT(kind) >> 12, False
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            return stat.S_IFMT(info.st_mode) >> 12, False
        if info.st_nlink != 1:
            return wire.SECOND_NAME, False
        if info.st_size > config["limits"]["output_bytes"]:
            return 0, True
        found = wire.read_exactly(fd, info.st_size)
        return 0 if found is None else found, False
    finally:
        os.close(fd)
