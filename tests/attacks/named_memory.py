from multiprocessing import shared_memory


def attack():
    try:
        block = shared_memory.SharedMemory("mark-of-a-case")
        return ["still there"]
    except (OSError, ImportError):
        pass
    try:
        block = shared_memory.SharedMemory("mark-of-a-case", create=True, size=4096)
        block.buf[0] = 1
    except OSError:
        pass
    return []
