import ctypes
import os

GET = {"x86_64": (64, 68), "aarch64": (190, 186)}


def attack():
    semaphores, messages = GET[os.uname().machine]
    call = ctypes.CDLL(None).syscall
    made = [call(semaphores, 4711, 1, 0o1600), call(messages, 4711, 0o1600)]
    return [one for one in made if one >= 0]
