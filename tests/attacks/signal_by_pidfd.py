import os
import signal
import time


def attack():
    try:
        signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGINT)
    except OSError:
        return "stopped"
    time.sleep(0.2)
    return "sent"
