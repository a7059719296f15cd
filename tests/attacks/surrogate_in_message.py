def attack():
    raise ValueError("\ud800 \udfff \x00 \x1b[2J" * 500)
