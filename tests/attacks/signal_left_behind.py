import signal
import time


def attack():
    found = [signal.getitimer(signal.ITIMER_REAL)[0] > 0, bool(signal.sigpending())]
    found.append(signal.getsignal(signal.SIGINT) is not signal.default_int_handler)
    found.append(bool(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    signal.raise_signal(signal.SIGUSR1)
    time.sleep(0.01)
    return found
