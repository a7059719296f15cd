"""Plain data to bytes and back, with nothing in between that could run.

A message is one small JSON manifest followed by the raw bytes of the arrays that it refers
to. The decoder knows a closed list of types; it checks every length against the bytes that
are really there before it asks for memory, and raises :class:`CodecError` and nothing else.

Layout: ``b"BMV1"``, manifest length (u32), number of blobs (u32), manifest, then each blob
as its length (u64) and its bytes. Little-endian throughout.
"""

from .arrays import CodecError
from .decoder import decode, weigh
from .encoder import encode

__all__ = ["CodecError", "decode", "encode", "weigh"]
