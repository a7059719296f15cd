"""Where there is no process-id namespace: a process above the harness that ends all below it.

A namespace ends with its first process. Without one, what a case has started would live on when
the harness is killed, or when the process that asked for it is.
"""

from __future__ import annotations

import ctypes
import os
import signal

from . import clean

__all__ = ["stay_above"]

# linux/prctl.h
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
MAX_DESCRIPTOR = 1 << 20
_SIGNALS = (signal.SIGTERM, signal.SIGCHLD)


def stay_above() -> None:
    """Return in a child, which goes on as the harness; the caller stays until nothing is left.

    It waits for the child's end, or for SIGTERM, which the kernel sends as well when the process
    that asked ends; then it kills every descendant, waits for all of them and exits as the child
    did.
    """
    asker = os.getppid()
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    harness = os.fork()
    if not harness:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    code = 128 + signal.SIGTERM
    try:
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        os.closerange(0, MAX_DESCRIPTOR)
        if os.getppid() == asker:
            code = _end_of(harness)
        clean.kill_everything(False)
        # A process that a look at the tree misses has lost its parent meanwhile. That one is
        # waited for here, and each wait is followed by another look.
        clean.reap(False)
    finally:
        os._exit(code)


def _end_of(harness: int) -> int:
    """Wait for the harness's end or for SIGTERM; return how it ended, as a shell would."""
    while signal.sigwait(_SIGNALS) == signal.SIGCHLD:
        pid, status = os.waitpid(harness, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code
    return 128 + signal.SIGTERM
