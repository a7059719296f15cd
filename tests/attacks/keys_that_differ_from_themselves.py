def attack():
    return {float("nan"): 1, float("nan"): 2}
