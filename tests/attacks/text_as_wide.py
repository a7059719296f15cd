def attack():
    return ["x" * 2_000_000, *"ab" * 200]
