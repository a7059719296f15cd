"""What happens in the process of one case: limits, the candidate's import, the call.

From the first line of the candidate on this process belongs to the candidate. Nothing here
guards against it; the guards are the limits set before, the harness that waits, the sandbox
around both, and the distrust of whoever reads the result.
"""

from __future__ import annotations

import errno
import linecache
import marshal
import os
import resource
import sys
import traceback
import types

from . import calls, codec, confine, wire

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import NoReturn

    from .settings import CaseLimits, Settings

__all__ = ["compiled", "confine_itself", "memory_now", "run"]

MODULE = "submission"
MB = 1 << 20
SPARE_ADDRESS_SPACE = 1 << 30
"""Room in the address space for libraries' code, thread stacks and reservations, which
RLIMIT_DATA does not count as memory."""
SPARE_PROCESSES = 4
"""The harness, the sandbox's init and the case itself run under the same user."""


def confine_itself(config: Settings, result_fd: int) -> None:
    """Set this process's limits; what fails here is no doing of the candidate's.

    Parameters
    ----------
    config : dict
        The harness's settings.
    result_fd : int
        Where the frame will go; the next descriptor is that of the rules for files, if any.
    """
    _limit(config["limits"])
    if config["confine"]:
        confine.enter(result_fd + 1, config["confine"]["filter"])


def compiled(config: Settings, source: bytes) -> CodeType:
    """Compile a candidate.

    Raises
    ------
    SyntaxError, ValueError
        As :func:`compile`.
    """
    return compile(source, _path(config), "exec", dont_inherit=True)


def _path(config: Settings) -> str:
    return os.path.join(config["box"], MODULE + ".py")


def run(
    config: Settings,
    candidate: tuple[bytes, bytes],
    function: str,
    arguments: bytes,
    result_fd: int,
) -> NoReturn:
    """Run one case in a confined process and write its frame; does not return.

    Parameters
    ----------
    config : dict
        The harness's settings.
    candidate : tuple of bytes
        Its source code, and the same compiled and marshalled; the latter empty where it is not.
    function : str
        Function to call; empty to import the candidate only.
    arguments : bytes
        The request, as :func:`calls.run` takes it.
    result_fd : int
        Where the frame goes.
    """
    status, message, payload = "crashed", "", b""
    try:
        status, message, payload = _evaluate(config, candidate, function, arguments)
    except BaseException as error:
        status, message = _classify(error, "exception")
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            continue
    text = message.encode("utf-8", "replace")[: wire.MAX_MESSAGE]
    head = wire.CHILD.pack(
        wire.CHILD_MAGIC, wire.CHILD_STATUSES.index(status), len(text), len(payload)
    )
    wire.write_all(result_fd, head + text + payload)
    os._exit(0)


def memory_now() -> tuple[int, int]:
    """Return the bytes of address space and of data that this process has already."""
    fd = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fields = os.read(fd, 256).split()
    finally:
        os.close(fd)
    page = os.sysconf("SC_PAGE_SIZE")
    return int(fields[0]) * page, int(fields[5]) * page


def _limit(limits: CaseLimits) -> None:
    size, data = memory_now()
    memory = limits["memory_mb"] * MB
    cpu = int(limits["cpu_s"]) + 1
    space = size + 2 * memory + SPARE_ADDRESS_SPACE
    if limits["gpus"]:
        # The driver reserves addresses for all memory of host and devices together.
        space = resource.RLIM_INFINITY
    for name, soft, hard in (
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_CPU", cpu, cpu + 1),
        ("RLIMIT_FSIZE", limits["file_mb"] * MB, limits["file_mb"] * MB),
        ("RLIMIT_NOFILE", limits["open_files"], limits["open_files"]),
        ("RLIMIT_MSGQUEUE", 0, 0),
        ("RLIMIT_DATA", data + memory, data + memory),
        ("RLIMIT_AS", space, space),
        (
            "RLIMIT_NPROC",
            limits["processes"] + SPARE_PROCESSES + limits["other_processes"],
            limits["processes"] + SPARE_PROCESSES + limits["other_processes"],
        ),
    ):
        number = getattr(resource, name)
        ceiling = resource.getrlimit(number)[1]
        if ceiling != resource.RLIM_INFINITY:
            unlimited = resource.RLIM_INFINITY
            soft, hard = (ceiling if n == unlimited else min(n, ceiling) for n in (soft, hard))
        resource.setrlimit(number, (soft, hard))


def _evaluate(
    config: Settings, candidate: tuple[bytes, bytes], function: str, arguments: bytes
) -> tuple[str, str, bytes]:
    name = "__main__" if config["mode"] == "program" else MODULE
    path = _path(config)
    source, ready = candidate
    try:
        # The import by itself compiles, so that the compiler's warnings are in some log.
        code = marshal.loads(ready) if ready and function else compiled(config, source)
    except (SyntaxError, ValueError) as error:
        return "syntax_error", _describe(error), b""
    linecache.cache[path] = (
        len(source),
        None,
        source.decode("utf-8", "replace").splitlines(keepends=True),
        path,
    )
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    if config["mode"] == "program":
        return _program(config, source, path, code, module)
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        return (*_classify(error, "import_error"), b"")
    if not function:
        return "ok", "", b""
    try:
        report, payload = calls.run(module.__dict__.get, function, arguments)
    except calls.MissingFunctionError as error:
        return "missing_function", f"the code defines no function {str(error)!r}", b""
    except codec.CodecError as error:
        return "malformed_output", str(error), b""
    except BaseException as error:
        return (*_classify(error, "exception"), b"")
    if len(payload) > config["limits"]["output_bytes"]:
        return "output_limit", f"the result takes {len(payload)} bytes", b""
    return "ok", "", calls.pack(report, payload)


def _program(
    config: Settings, source: bytes, path: str, code: CodeType, module: types.ModuleType
) -> tuple[str, str, bytes]:
    with open(path, "wb") as file:
        file.write(source)
    sys.argv = [path, *config["argv"]]
    if config["data"]:
        os.symlink(config["data"], os.path.join(config["box"], "data"))
        os.environ["PUBLIC_DIR"] = config["data"]
    os.environ["OUTPUT_PATH"] = os.path.join(config["box"], config["output"])
    os.environ["SEED"] = str(config["seed"])
    _seed(config["seed"])
    try:
        try:
            exec(code, module.__dict__)
        finally:
            _as_at_the_end_of_python()
    except SystemExit as error:
        if error.code not in (None, 0):
            return "exception", f"the program exited with status {str(error.code)[:200]}", b""
    except BaseException as error:
        return (*_classify(error, "exception"), b"")
    return "ok", "", b""


def _as_at_the_end_of_python() -> None:
    """Wait for the program's threads, and call what it has registered for its end."""
    import atexit

    if threading := sys.modules.get("threading"):
        threading._shutdown()
    atexit._run_exitfuncs()


def _seed(seed: int) -> None:
    import random

    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))


def _classify(error: BaseException, otherwise: str) -> tuple[str, str]:
    """Return the status and message of an exception that the candidate let through."""
    number = getattr(error, "errno", None)
    status = otherwise
    if isinstance(error, MemoryError):
        status = "memory_limit"
    elif isinstance(error, OSError) and number in (errno.EFBIG, errno.ENOSPC, errno.EDQUOT):
        status = "output_limit"
    elif (isinstance(error, BlockingIOError) and number == errno.EAGAIN) or (
        isinstance(error, RuntimeError) and "can't start new thread" in str(error)
    ):
        status = "process_limit"
    return status, _describe(error)


def _describe(error: BaseException) -> str:
    try:
        place = ""
        for frame in traceback.extract_tb(error.__traceback__):
            if os.path.basename(frame.filename) == MODULE + ".py":
                place = f" (line {frame.lineno} in {frame.name})"
        return f"{type(error).__name__}: {error}"[: wire.MAX_MESSAGE - 200] + place
    except BaseException:
        return "an exception that cannot be described"
