NUMBER = int("9" * 4300) ** 200
str(NUMBER)


def attack():
    return 1
