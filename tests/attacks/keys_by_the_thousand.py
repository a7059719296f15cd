def attack():
    return {f"key {i}": {float("nan"): i} for i in range(20_000)}
