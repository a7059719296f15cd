"""Values and bytes that nobody expects, and the way from there to a written table."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from types import SimpleNamespace

import numpy as np
import pandas as pd

from biomlbench.contracts import from_rows
from biomlbench.outcomes import Fault, fault_of
from biomlbench.sandbox import codec
from biomlbench.sandbox.inside import layout
from biomlbench.sandbox.inside.arrays import array_to_bytes
from biomlbench.verify import compute, decide, feedback, judge, v1
from biomlbench.verify.plan import Plan

UNITS = ("Y", "M", "W", "D", "h", "s", "ms", "ns", "as", "generic")
TEXTS = ("", "\0", "\u202e", "\x1b[2J", "nan", "=1+1", "a" * 5000, "\U0010ffff" * 50, "1e999")
SHAPES = ((), (0,), (1,), (3,), (2, 3), (0, 4), (1, 1, 1, 1), (1,) * 30)


def message(manifest, *blobs):
    """Return a message of the codec, well formed or not."""
    head = layout.HEAD.pack(layout.MAGIC, len(manifest), len(blobs)) + manifest
    return head + b"".join(layout.LENGTH.pack(len(blob)) + blob for blob in blobs)


def scalar(rng):
    """Return a scalar at the edge of what its type can be."""
    return rng.choice(
        [
            lambda: None,
            lambda: rng.choice([True, False, np.True_]),
            lambda: rng.choice([0, -1, 1 << 63, -(1 << 64), 1 << 14_000, -(1 << 79_999)]),
            lambda: rng.choice([0.0, -0.0, 5e-324, 1.8e308, float("nan"), float("-inf")]),
            lambda: complex(rng.choice([0.0, float("nan"), 1e308]), float("inf")),
            lambda: rng.choice(TEXTS),
            lambda: rng.randbytes(rng.randrange(40)),
            lambda: np.float16(rng.choice([6e4, 1e-7, float("nan")])),
            lambda: np.longdouble(rng.random()) / 3,
            lambda: np.datetime64("NaT", rng.choice(UNITS)),
            lambda: np.timedelta64(rng.randrange(-(1 << 62), 1 << 62), rng.choice(UNITS)),
            lambda: np.uint64((1 << 64) - 1),
            lambda: np.str_(rng.choice(TEXTS)),
            lambda: np.bytes_(b"\xff\0x"),
        ]
    )()


def array(rng):
    """Return an array of any dtype and of an odd shape."""
    shape = rng.choice(SHAPES)
    count = int(np.prod(shape))
    kind = rng.choice(["?", "i1", "i8", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32"])
    choice = rng.randrange(5)
    if choice == 0:
        raw = np.frombuffer(rng.randbytes(8 * count), dtype="i8")
        unit = rng.choice(UNITS)
        code = rng.choice("mM")
        return raw.view(f"{code}8" if unit == "generic" else f"{code}8[{unit}]").reshape(shape)
    if choice == 1:
        made = np.empty(count, dtype=object)
        for position in range(count):
            made[position] = value(rng, 2)
        return made.reshape(shape)
    if choice == 2:
        return np.array([rng.choice(TEXTS) for _ in range(count)], dtype="U").reshape(shape)
    if kind == "?":
        return np.array([rng.random() < 0.5 for _ in range(count)], dtype=bool).reshape(shape)
    raw = rng.randbytes(np.dtype(kind).itemsize * count)
    return np.frombuffer(raw, dtype=kind).reshape(shape)


def table(rng):
    """Return a table or a column of one with odd labels and contents."""
    rows = rng.choice([0, 1, 3, 100])
    columns = {}
    for name in rng.sample([0, -1, 2.5, float("nan"), "", "a", "a" * 500, True], rng.randint(0, 3)):
        dtype = rng.choice(["f2", "f8", "i1", "?", "M8[s]", "object"])
        if dtype == "object":
            cells = (rng.choice([None, 1 << 70, "x", float("nan")]) for _ in range(rows))
            columns[name] = list(cells)
        else:
            columns[name] = np.zeros(rows, dtype)
    frame = pd.DataFrame(columns, index=range(rows))
    if rows and rng.random() < 0.3:
        frame.index = pd.Index(rng.choice([[None] * rows, ["x"] * rows, np.full(rows, np.nan)]))
    if rng.random() < 0.4:
        if frame.shape[1]:
            frame = frame.iloc[:, 0]
        else:
            frame = pd.Series([0.5] * rows, dtype=rng.choice(["category", "Sparse[float]", "f4"]))
    return frame


def value(rng, depth=4):
    """Return a value of any kind, nested up to `depth`."""
    kind = rng.randrange(9 if depth else 3)
    if kind < 2:
        return scalar(rng)
    if kind == 2:
        return array(rng) if depth else scalar(rng)
    if kind == 3:
        return table(rng)
    items = [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 4:
        return items * rng.choice([1, 1, 30])
    if kind == 5:
        return tuple(items)
    if kind == 6:
        return {scalar_key(rng): item for item in items}
    if kind == 7:
        return rng.choice([set, frozenset])(scalar_key(rng) for _ in range(3))
    for _ in range(rng.randrange(70)):
        items = [items]
    return items


def scalar_key(rng):
    """Return something that can be a key."""
    return rng.choice([None, True, 1 << 80, 0.5, float("nan"), "", "x", (1, ("y",)), b"z"])


def crafted(rng):
    """Return a message that the encoder would not make, of parts that the decoder knows."""
    index = rng.choice(["f2", "f8", "i8", "u1", "c16", "f16"])
    column = np.zeros(2, index)
    blob = array_to_bytes(column)
    manifest, blobs = rng.choice(
        [
            (b'{"p":["frame",2,["a"],[[1,2]],{"a":0}]}', [blob]),
            (b'{"p":["series",2,[null],[{"a":0}],{"a":1}]}', [blob, blob]),
            (b'{"p":["frame",2,["a","a"],[[1,null],[true,"x"]],{"a":0}]}', [blob]),
            (b'{"m":["M","generic",1,0]}', [array_to_bytes(np.array([1, -(1 << 63)]))]),
            (b'{"n":{"m":["m","generic",1,0]}}', [array_to_bytes(np.array(7))]),
            (b'{"m":["M","Y",2147483647,0]}', [array_to_bytes(np.array([1 << 62]))]),
            (b'{"i":"-' + b"f" * 20_000 + b'"}', []),
            (b'{"d":[[{"f":"nan"},1],[{"f":"nan"},2]]}', []),
            (b'{"o":[[],[{"t":[]}]]}', []),
            (b'{"o":[[1,0,5],[]]}', []),
            (b'{"s":[{"t":[{"f":"nan"}]},1,true]}', []),
            (b'"' + b"\\u0000" * 2000 + b'"', []),
            (b'["' + b"x" * 500_000 + b'"' + b',"y"' * 3000 + b"]", []),
            (b'{"l":["d",0]}', [rng.randbytes(800)]),
        ]
    )
    return message(manifest, *blobs)


class Judged:
    """A card cut down to few cases, and what becomes of an output that somebody else has chosen.

    Parameters
    ----------
    card : Card
    suite : str
        Whose first case bears the output.
    """

    def __init__(self, card, suite="hidden"):
        whole = card.plan()
        bases = [next(c for c in whole.cases if c.suite == s) for s in ("visible", "hidden")]
        names = {case.id for case in bases}
        for units in whole.units.values():
            spec = next((s for s in units if s.variant_ids), None)
            if spec is not None:
                names |= {spec.case_id, *spec.variant_ids}
        cases = tuple(case for case in whole.cases if case.id in names)
        units = {
            key: tuple(s for s in specs if names.issuperset((s.case_id, *s.variant_ids)))
            for key, specs in whole.units.items()
        }
        self.card = card
        same_as = {key: base for key, base in whole.same_as.items() if {key, base} <= names}
        sequences = {key: steps for key, steps in whole.sequences.items() if {key, *steps} <= names}
        self.plan = dataclasses.replace(
            whole, cases=cases, units=units, same_as=same_as, sequences=sequences
        )
        assert isinstance(self.plan, Plan)
        self.oracle = compute(card, self.plan)
        self.target = next(case.id for case in cases if case.suite == suite)

    def book(self, payload):
        """Judge a payload as one case's output beside right ones; return verdict and table.

        The rows are held to what must be true of any candidate: they fit their table, and
        nothing in them is the fault of the grader, the task or the machine.
        """
        outputs = {
            key: SimpleNamespace(status="ok", value=expected, message="", stdout="")
            for key, expected in self.oracle.values.items()
        }
        outputs[self.target].value = lambda: codec.decode(payload)
        rows = judge(self.card, self.plan, self.oracle, outputs)
        rows += v1.judge(self.plan, self.oracle, outputs)
        for seen in feedback(self.card, self.plan, self.oracle, outputs):
            assert len(seen.got) <= 300
            assert fault_of(seen.reason) in (Fault.NONE, Fault.SUBMISSION), seen
        ruling = decide(rows)
        common = {
            "task_id": "kernels/x",
            "run_id": "r",
            "verdict": ruling.verdict,
            "verdict_reasons": ruling.reasons,
            "verifier": "v2",
            "hidden_score": ruling.hidden_score,
            "calibrated": True,
        }
        made = from_rows("verify", [{**common, **outcome.row()} for outcome in rows])
        for row in rows:
            assert fault_of(row.reason) in (Fault.NONE, Fault.SUBMISSION), row
            assert row.outcome != "error", row
        assert made.num_rows == len(rows)
        return ruling.verdict, made


def frames(count, seed):
    """Yield well-formed messages, most of them changed in a few bytes, and random bytes."""
    rng = random.Random(seed)
    seeds = list(payloads(300, seed))
    for number in range(count):
        if number % 20 == 0:
            yield rng.randbytes(rng.randrange(80))
            continue
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randint(0, 3)):
            place = rng.randrange(len(data) + 1)
            kind = rng.randrange(4)
            if kind == 0 and place < len(data):
                data[place] = rng.randrange(256)
            elif kind == 1:
                del data[place : place + rng.randint(1, 4)]
            elif kind == 2:
                data[place : place + 1] = rng.choice(b'[]{}",:0123456789-eE.<|bfUSO').to_bytes(1)
            else:
                data[place:place] = data[place : place + rng.randint(1, 16)]
        yield bytes(data)


def decodes(data):
    """Whether bytes are a message; anything but the codec's own error passes through."""
    with contextlib.suppress(codec.CodecError):
        codec.decode(data)
        return True
    return False


def payloads(count, seed):
    """Yield encoded odd values; one that the encoder refuses never leaves the sandbox."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        if rng.random() < 0.1:
            made += 1
            yield crafted(rng)
            continue
        try:
            payload = codec.encode(value(rng))
        except codec.CodecError:
            continue
        made += 1
        yield payload
