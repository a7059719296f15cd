"""Forms are parsed by us: whatever is sent is read as it was meant, or refused."""

from __future__ import annotations

import encodings

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biomlbench.serve.forms import read_form
from biomlbench.serve.refusal import Refusal

KIND = "multipart/form-data; boundary=frontier"
HEAD = b'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n'


@pytest.fixture
def read(tmp_path):
    def read(body, kind=KIND, most=1 << 20):
        (tmp_path / "body").write_bytes(body)
        (tmp_path / "file").unlink(missing_ok=True)
        sent = read_form(tmp_path / "body", kind, most, tmp_path / "file")
        return sent, (tmp_path / "file").read_bytes()

    return read


def form(content, more=b""):
    return more + b"--frontier\r\n" + HEAD + b"\r\n" + content + b"\r\n--frontier--\r\n"


quiet = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@quiet
@given(
    content=st.lists(
        st.one_of(
            st.binary(max_size=20),
            st.sampled_from([b"\r\n--", b"--frontier", b"\r\n--frontie", b"\r\n\r\n", b"--"]),
        ),
        max_size=12,
    ).map(b"".join).filter(lambda content: b"\r\n--frontier" not in b"\r\n" + content),
    name=st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=20),
    task=st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=20),
)  # fmt: skip
def test_what_a_client_library_sends_is_read_back(read, content, name, task):
    request = requests.Request(
        "POST", "http://x", files={"file": ("a.csv", content)}, data={"task_id": task}
    ).prepare()
    sent, found = read(request.body, request.headers["content-type"])
    assert (sent.filename, sent.task_id, found) == ("a.csv", task.strip() or None, content)


@quiet
@given(st.binary(max_size=200), st.integers(0, 200), st.integers(0, 30))
def test_a_damaged_form_is_read_or_refused(read, junk, at, gone):
    body = form(b"id,y\na,1\n")
    for damaged in (body[:at], body[:at] + junk + body[at + gone :], junk, junk + body):
        status, said = 200, "read"
        try:
            read(damaged)
        except Refusal as refusal:
            status, said = refusal.status, refusal.details
        assert status in (200, 400)
        assert said


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", form(b"")),
        ("multipart/form-data; boundary=" + "x" * 300, form(b"")),
        (KIND, b""),
        (KIND, b"text" + form(b"")),
        (KIND, form(b"").replace(b"frontier\r\n", b"frontier \r\n", 1)),
        (KIND, form(b"").replace(b"frontier--", b"frontier")),
        (KIND, b"--frontier\r\n" + b"a: b\r\n" * 100_000),
        (KIND, b"--frontier\r\n\r\nno headers\r\n--frontier--"),
        (KIND, form(b"", b"".join(b'--frontier\r\n%sname="f"\r\n\r\n\r\n' % HEAD[:32]
                                   for _ in range(20)))),
        (KIND, form(b"", b'--frontier\r\nContent-Disposition: form-data; name="task_id"\r\n\r\n'
                         + b"t" * 20_000 + b"\r\n")),
    ],
    ids=["none", "long", "empty", "before", "blank", "cut", "head", "nameless", "many", "field"],
)  # fmt: skip
def test_broken_forms_are_refused(read, kind, body):
    with pytest.raises(Refusal) as caught:
        read(body, kind)
    assert caught.value.status == 400
    assert caught.value.details


@pytest.mark.parametrize("name", [b"filename*=UTF-8''a.csv", b"FileName*0=a.csv"])
def test_a_file_name_in_a_form_that_none_may_have_is_told(read, name):
    with pytest.raises(Refusal) as caught:
        read(form(b"x").replace(b'filename="a.csv"', name))
    assert caught.value.status == 400
    assert "only in `filename*`, which forms may not use (RFC 7578); send it as `filename`" in (
        caught.value.details
    )
    plain = b'filename="a.csv"'
    assert read(form(b"x").replace(plain, plain + b"; " + name))[0].filename == "a.csv"


def test_a_file_that_is_too_large_is_refused(read):
    assert read(form(b"x" * 100), most=100)[1] == b"x" * 100
    with pytest.raises(Refusal) as caught:
        read(form(b"x" * 101), most=100)
    assert caught.value.status == 413


@pytest.mark.parametrize("name", ["q" * 14_000, "q1", "utf_8_", "base64", "\u00fcber", "utf--8"])
def test_of_an_unknown_encoding_nothing_is_kept(read, name):
    def kept():
        return len(encodings._cache)

    read(form("é".encode()))
    before = kept()
    for number in range(20):
        sent, _ = read(
            form(b"x").replace(b"a.csv", "é.csv".encode()), f"{KIND}; charset={name}{number}"
        )
        assert sent.filename == "é.csv"
    assert kept() == before


@pytest.mark.parametrize("name", ["latin-1", "ISO-8859-1", "windows-1252", "Latin1"])
def test_a_known_encoding_is_used(read, name):
    sent, _ = read(form(b"x").replace(b"a.csv", b"\xe9.csv"), f"{KIND}; charset={name}")
    assert sent.filename == "é.csv"


@pytest.mark.parametrize("sign", ["\0", "\x1f", "\x7f", "\x85"])
def test_a_file_s_name_holds_no_control_character(read, sign):
    name = f"x.csv{sign}.py".encode()
    with pytest.raises(Refusal) as refusal:
        read(form(b"x").replace(b"a.csv", name))
    assert (refusal.value.status, "control character" in refusal.value.details) == (400, True)
