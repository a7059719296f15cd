# What a compiler that computes constants would compute.
NUMBER = ((1 << 8000) ** 100) ** 1000
TEXT = ("a" * 4000) * 4000 * 4000


def attack():
    return 1
