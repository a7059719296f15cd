import os
import signal


def attack(pid, start):
    try:
        with open(f"/proc/{pid}/stat") as file:
            if file.read().rpartition(")")[2].split()[19] == start:
                return "seen"
    except OSError:
        pass
    try:
        # In a namespace of its own a low number is a process of the sandbox's.
        if pid > 1000 or os.getppid() > 1:
            os.kill(pid, signal.SIGKILL)
    except OSError:
        return "stopped"
    return "stopped" if not os.path.exists(f"/proc/{pid}") else "signalled"
