import os
import socket
import time


def attack():
    with socket.socket(socket.AF_UNIX) if hasattr(socket, "AF_UNIX") else None as client:
        try:
            client.connect("\0mark-of-a-case")
            found = ["still there"]
        except OSError:
            found = []
    if not os.fork():
        os.setsid()
        server = socket.socket(socket.AF_UNIX)
        server.bind("\0mark-of-a-case")
        server.listen()
        time.sleep(60)
        os._exit(0)
    time.sleep(0.1)
    return found
