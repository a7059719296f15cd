import os


def attack():
    with open(os.__file__, "rb", 0) as file:
        try:
            os.preadv(file.fileno(), [bytearray(4096)], 0, os.RWF_NOWAIT)
        except OSError:
            return "stopped"
    return "told"
