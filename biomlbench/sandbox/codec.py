"""Plain data to bytes and back, safe to use on bytes from a hostile process.

The implementation is shared with the harness inside the sandbox and lives in
:mod:`biomlbench.sandbox.inside.codec`, which is written to run there as a bare file.

Examples
--------
>>> decode(encode({"a": [1, float("inf")], "b": (None, -0.0)}))
{'a': [1, inf], 'b': (None, -0.0)}
"""

from __future__ import annotations

from biomlbench.sandbox.inside.codec import CodecError, decode, encode, weigh

__all__ = ["CodecError", "decode", "encode", "weigh"]
