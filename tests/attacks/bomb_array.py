import os
import struct
import sys


def attack():
    wire = sys.modules["inside.wire"]
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n"
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    manifest = b'{"a":0}'
    payload = struct.pack("<4sII", b"BMV1", len(manifest), 1) + manifest
    payload += struct.pack("<Q", len(npy)) + npy
    payload = sys.modules["inside.calls"].pack([], payload)
    os.write(3, wire.CHILD.pack(wire.CHILD_MAGIC, 0, 0, len(payload)) + payload)
    os._exit(0)
