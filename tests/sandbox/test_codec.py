"""The codec: what survives the trip, what never does, and what hostile bytes can do to it."""

from __future__ import annotations

import collections
import contextlib
import enum
import math
import random
import struct
import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from biomlbench.sandbox import codec, protocol
from biomlbench.sandbox.inside import arrays, layout, wire
from tests.fuzzing import TIMES

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(max_size=50),
)
KEYS = st.one_of(st.integers(), st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
ARRAYS = hnp.arrays(
    dtype=st.one_of(
        hnp.boolean_dtypes(),
        hnp.integer_dtypes(endianness="<"),
        hnp.floating_dtypes(endianness="<"),
        hnp.complex_number_dtypes(endianness="<"),
        hnp.datetime64_dtypes(endianness="<"),
        hnp.timedelta64_dtypes(endianness="<"),
        hnp.byte_string_dtypes(endianness="<"),
    ),
    shape=hnp.array_shapes(min_dims=0, min_side=0, max_side=4),
)
VALUES = st.recursive(
    st.one_of(SCALARS, ARRAYS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.lists(st.floats(), min_size=16, max_size=20),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
        st.sets(KEYS, max_size=4),
        st.frozensets(KEYS, max_size=4),
    ),
    max_leaves=12,
)


def same(a, b):
    """Equal in type and bits: NaN equals NaN, -0.0 differs from 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        if a.dtype.kind == "O":
            return a.shape == b.shape and same(a.ravel().tolist(), b.ravel().tolist())
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, (float, complex)):
        pair = struct.pack("dd", complex(a).real, complex(a).imag)
        other = struct.pack("dd", complex(b).real, complex(b).imag)
        return pair == other or (a != a and b != b)
    return a == b


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_plain_data_survives_the_trip(value):
    assert same(codec.decode(codec.encode(value)), value)


@pytest.mark.parametrize(
    "value",
    [
        -0.0,
        math.nan,
        math.inf,
        10**4000,
        -(2**63),
        complex(math.nan, -0.0),
        "a\0b \U0001f9ec",
        [math.nan, -math.inf] * 20,
        [2**70] * 20,
        np.float32(1.5),
        np.datetime64("NaT"),
        np.array(["a", "", "ccc"]),
        np.array([], dtype="U"),
        np.zeros((0, 3)),
        np.array(3.0),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([1, "a", None, 2.5], dtype=object),
        np.longdouble(1) / 3,
        {(1, 2): {None: [True, (False,)]}},
    ],
    ids=repr,
)
def test_chosen_values_survive_the_trip(value):
    got = codec.decode(codec.encode(value))
    assert same(got, value) or (value != value and got != got) or isinstance(value, np.generic)
    assert type(got) is type(value)


@given(hnp.arrays(np.dtype("U3"), hnp.array_shapes(), elements=st.text("abc\u00e9", max_size=3)))
@settings(max_examples=50, deadline=None)
def test_string_arrays_survive_the_trip(array):
    assert codec.decode(codec.encode(array)).tolist() == array.tolist()


def test_layout_and_byte_order_do_not_change_values():
    array = np.arange(24, dtype=">i4").reshape(2, 3, 4)[:, ::-1, ::2]
    got = codec.decode(codec.encode(array))
    assert got.tolist() == array.tolist()
    assert got.dtype == np.dtype("<i4")
    assert got.flags.writeable
    assert got.flags.owndata or got.base.flags.owndata


def test_tables_survive_the_trip():
    frame = pd.DataFrame(
        {
            "number": [1, 2, 3],
            "float": [1.0, math.nan, -0.0],
            "text": ["a", None, "c"],
            "time": pd.to_datetime(["2020-01-01", None, "2021-02-03"]),
            "category": pd.Categorical(["x", "y", "x"]),
            "flag": [True, False, True],
            5: pd.array([1, None, 3], dtype="Int64"),
        },
        index=["r1", "r2", "r3"],
    )
    got = codec.decode(codec.encode(frame))
    assert type(got) is pd.DataFrame
    assert got.columns.tolist() == frame.columns.tolist()
    assert got.index.tolist() == frame.index.tolist()
    for name in ("number", "float", "time", "flag"):
        pd.testing.assert_series_equal(got[name], frame[name])
    assert got["text"].isna().tolist() == [False, True, False]
    assert got["category"].tolist() == ["x", "y", "x"]
    assert got[5].tolist()[0] == 1
    series = codec.decode(codec.encode(frame["number"]))
    pd.testing.assert_series_equal(series, frame["number"])
    empty = codec.decode(codec.encode(pd.DataFrame({"a": []})))
    assert empty.shape == (0, 1)


class _Number(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class _Items(list):
    pass


class _Color(enum.IntEnum):
    RED = 1


class _Fake:
    @property
    def __class__(self):
        return np.ndarray


class _Frame(pd.DataFrame):
    pass


@pytest.mark.parametrize(
    "value",
    [
        _Number(1.0),
        _Items(),
        _Color.RED,
        _Fake(),
        _Frame({"a": [1]}),
        object(),
        len,
        np.array([1]).view(np.recarray),
        np.ma.array([1]),
        np.zeros(1, dtype=[("a", "i4")]),
        np.array([object()], dtype=object),
        np.rec.array([(1,)]),
        range(3),
        bytearray(b"x"),
        pd.Series(pd.to_datetime(["2020-01-01"]).tz_localize("UTC")),
        pd.DataFrame({"a": [object()]}),
        "\ud800",
        1 << 100_000,
        [[[]]] and [_Number(2.0)],
    ],
    ids=lambda value: type.__repr__(type(value)),
)
def test_whatever_is_not_plain_data_is_refused(value):
    with pytest.raises(codec.CodecError):
        codec.encode(value)


def test_known_containers_come_out_as_their_base_type():
    point = collections.namedtuple("point", "x y")
    assert codec.decode(codec.encode(point(1, 2))) == (1, 2)
    assert type(codec.decode(codec.encode(point(1, 2)))) is tuple
    for value in (collections.OrderedDict(a=1), collections.Counter("aab")):
        assert type(codec.decode(codec.encode(value))) is dict


def message(manifest, *blobs):
    head = struct.pack("<4sII", b"BMV1", len(manifest), len(blobs)) + manifest
    return head + b"".join(struct.pack("<Q", len(blob)) + blob for blob in blobs)


def npy(descr="<f8", shape="(2, )", body=b"\0" * 16, order="False"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


GOOD = npy(shape="(2,)")


@pytest.mark.parametrize(
    ("what", "data"),
    [
        ("nothing", b""),
        ("another mark", b"PK\x03\x04" + b"\0" * 20),
        ("a pickle", b"\x80\x04\x95\x05\0\0\0\0\0\0\0K\x01."),
        ("bytes after the end", message(b"1") + b"x"),
        ("a manifest longer than the message", struct.pack("<4sII", b"BMV1", 1 << 31, 0)),
        ("many arrays announced", struct.pack("<4sII", b"BMV1", 1, 1 << 31) + b"1"),
        ("an array not referred to", message(b"1", GOOD)),
        ("an array referred to twice", message(b'[{"a":0},{"a":0}]', GOOD)),
        ("an array that is not there", message(b'{"a":1}', GOOD)),
        ("a negative reference", message(b'{"a":-1}', GOOD)),
        ("duplicate keys", message(b'{"a":0,"a":0}', GOOD)),
        ("two tags", message(b'{"t":[],"f":"nan"}')),
        ("an unknown tag", message(b'{"eval":"1"}')),
        ("NaN in JSON", message(b"NaN")),
        ("infinity in JSON", message(b"1e999")),
        ("a long integer", message(b"1" * 5000)),
        ("nesting", message(b"[" * 100_000 + b"]" * 100_000)),
        ("brackets in strings", message(b'"' + b"[" * 100 + b'" [')),
        ("a lone surrogate", message(b'"\\ud800"')),
        ("not UTF-8", message(b'"\xff"')),
        ("a list as key", message(b'{"d":[[[1],2]]}')),
        ("a repeated key", message(b'{"d":[[1,2],[1,3]]}')),
        ("an object dtype", message(b'{"a":0}', npy(descr="|O"))),
        ("a structured dtype", message(b'{"a":0}', npy(descr="[('a', '<f8')]"))),
        ("an item of size 0", message(b'{"a":0}', npy(descr="<U0", body=b""))),
        ("a missing byte", message(b'{"a":0}', npy(shape="(2,)", body=b"\0" * 15))),
        ("a huge shape", message(b'{"a":0}', npy(shape="(99999999999, 99999999999)"))),
        ("a huge empty shape", message(b'{"a":0}', npy(shape="(0, 99999999999)", body=b""))),
        ("a boolean of 2", message(b'{"a":0}', npy("|b1", "(1,)", b"\2"))),
        ("not a character", message(b'{"a":0}', npy("<U1", "(1,)", b"\xff\xff\xff\x7f"))),
        ("a surrogate in an array", message(b'{"a":0}', npy("<U1", "(1,)", b"\0\xd8\0\0"))),
        ("an unknown unit", message(b'{"m":["M","parsec",1,0]}', npy("<i8", "(2,)"))),
        ("times as floats", message(b'{"m":["M","s",1,0]}', GOOD)),
        ("a scalar with axes", message(b'{"n":{"a":0}}', GOOD)),
        ("a packed list of complex", message(b'{"l":["z",0]}', b"\0" * 16)),
        ("a packed list cut short", message(b'{"l":["d",0]}', b"\0" * 15)),
        ("hexadecimal with sign", message(b'{"i":"+1"}')),
        ("a table without fields", message(b'{"p":[]}')),
        ("a table of unequal columns", message(b'{"p":["frame",2,["a"],[[1]],null]}')),
        ("a table of objects", message(b'{"p":["frame",1,["a"],[[[1]]],null]}')),
        ("a table of a billion rows", message(b'{"p":["frame",2000000000,[],[],null]}')),
        ("a table with a list as name", message(b'{"p":["frame",1,[[1]],[[1]],null]}')),
        ("object array of wrong shape", message(b'{"o":[[3],[1]]}')),
        ("object array, huge axis", message(b'{"o":[[0,99999999999],[]]}')),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_malformed_messages_are_refused(what, data):
    with pytest.raises(codec.CodecError):
        codec.decode(data)
    with pytest.raises(codec.CodecError):
        codec.weigh(data)


def test_a_small_message_cannot_ask_for_much_memory_or_time():
    bombs = [
        message(b"[" + b"[]," * 1_500_000 + b"[]]"),
        message(b'{"a":0}', npy(shape="(1000000, 1000000)")),
        message(b'{"d":[' + b'[{"i":"ffffffffffffffffffff"},1],' * 100_000 + b"[1,1]]}"),
        message(b'"' + b"\\" * (layout.MAX_MANIFEST - 10) + b'"'),
        message(b'{"p":["frame",999999999,[],[],null]}'),
    ]
    for bomb in bombs:
        tracemalloc.start()
        start = time.process_time()
        with contextlib.suppress(codec.CodecError):
            codec.decode(bomb)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 50 * len(bomb) + (64 << 20)
        assert time.process_time() - start < 20


def test_arrays_of_numpys_own_writer_are_read():
    import io

    for array in (np.arange(6).reshape(2, 3), np.float32(2).reshape(()), np.array(["ab", "c"])):
        file = io.BytesIO()
        np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
        assert arrays.array_from_bytes(file.getvalue()).tolist() == array.tolist()
        assert np.load(io.BytesIO(arrays.array_to_bytes(array))).tolist() == array.tolist()


SEEDS = [
    codec.encode(value)
    for value in (
        {"a": [1, 2.5, None, "text"], "b": (True, -(2**70))},
        np.arange(12.0).reshape(3, 4),
        [np.array(["ab", "c"]), np.float32(1), np.array([1, None, "x"], dtype=object)],
        pd.DataFrame({"x": [1.0, 2.0], "y": ["a", None]}, index=["i", "j"]),
        [float(i) for i in range(40)],
        np.array(["2020-01-01", "NaT"], dtype="M8[ns]"),
        {1, 2, 3},
    )
]


def mutate(rng, data):
    """Flip, cut, repeat, insert or splice a few bytes."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(6)
        place = rng.randrange(len(data) + 1)
        if kind == 0 and place < len(data):
            data[place] = rng.randrange(256)
        elif kind == 1:
            del data[place : place + rng.randint(1, 8)]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.randint(1, 8))
        elif kind == 3:
            data[place:place] = data[place : place + rng.randint(1, 32)]
        elif kind == 4:
            other = rng.choice(SEEDS)
            data[place:] = other[rng.randrange(len(other)) :]
        elif place < len(data):
            data[place : place + 1] = rng.choice(b'[]{}",:0123456789-eE.<|bfUSO').to_bytes(1)
    return bytes(data)


def attack_decoders(count, seed):
    rng = random.Random(seed)
    decoded = 0
    for number in range(count):
        data = (
            rng.randbytes(rng.randrange(80)) if number % 10 == 0 else mutate(rng, rng.choice(SEEDS))
        )
        start = time.process_time()
        try:
            codec.decode(data)
            decoded += 1
        except codec.CodecError:
            pass
        reply = protocol.Reply(
            protocol.ReplyHead(wire.DONE, b"", 0, True, 0, 0.0, 0.0, 0, 0, len(data), None),
            b"",
            b"",
            data,
            None,
        )
        status, text, payload = protocol.interpret(reply)
        assert status in (*wire.CHILD_STATUSES, "crashed", "sandbox_violation")
        assert isinstance(text, str)
        assert payload is None or status == "ok"
        head = mutate(
            rng, wire.REPLY.pack(wire.REPLY_MAGIC, 2, b"t" * 16, 0, 1, 0, 1.0, 1.0, 1, 2, 3, 4)
        )
        try:
            parsed = protocol.parse_head(head, log_bytes=1 << 16, output_bytes=1 << 20)
            assert parsed.body_bytes <= (1 << 21) + (1 << 18)
        except protocol.ProtocolError:
            pass
        assert time.process_time() - start < 5
    return decoded


def test_decoders_survive_random_and_mutated_frames():
    assert 0 < attack_decoders(2_500, seed=1) < 2_500


@pytest.mark.slow
def test_decoders_survive_many_frames():
    tracemalloc.start()
    count = 10_000 * TIMES
    decoded = attack_decoders(count, seed=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0 < decoded < count
    assert peak < 64 << 20


@given(st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_bytes_raise_anything_but_the_typed_error(data):
    for prefix in (b"", b"BMV1"):
        try:
            codec.decode(prefix + data)
        except codec.CodecError:
            continue
