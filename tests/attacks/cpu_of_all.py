import time


def attack():
    while time.process_time() < 0.5:
        pass
    return 1
