import time


def attack():
    time.sleep(0.4)
    return 1
