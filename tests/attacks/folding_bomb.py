# Each is refused at once: what takes long to compute ends by the time limit instead, on some days.
try:
    NUMBER = 1 << (8 << 36)
except (MemoryError, OverflowError):
    NUMBER = 0
try:
    LIST = [None] * (1 << 40)
except MemoryError:
    LIST = []
TEXT = ("a" * 4000) * 4000 * 4000


def attack():
    return 1
