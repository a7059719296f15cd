def attack():
    return [[[]] * 10] * 20_000
