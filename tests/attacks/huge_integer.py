def attack():
    return 1 << 79_999
