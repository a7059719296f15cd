def attack():
    return b"x" * (7 << 20)
