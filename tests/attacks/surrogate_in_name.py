def attack():
    return type("\ud800", (), {})()
