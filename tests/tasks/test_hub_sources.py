"""Data sources with clients of their own: the real clients, against servers on loopback."""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from biomlbench.errors import TaskError
from biomlbench.task.sources import base, download, polaris, proteingym
from biomlbench.task.sources.archives import DataSourceError, cache_dir
from biomlbench.task.sources.base import all_sources
from biomlbench.task.sources.data_source import parse_sources, place, sources_of

TABLE = b"smiles,y\nCCO,1.5\n"
COMMIT = "a" * 40
SHA256 = hashlib.sha256(TABLE).hexdigest()


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.csv", content)
    return buffer.getvalue()


def placed(raw, *entries):
    return place(parse_sources(list(entries)), raw, "d/t")


@pytest.fixture
def raw(tmp_path):
    return tmp_path / "raw"


# Hugging Face

HUB_PATH = f"/datasets/lab/assay/resolve/{COMMIT}/data/table.csv"
HUB = {"huggingface": "lab/assay", "file": "data/table.csv", "revision": COMMIT}


@pytest.fixture
def hub(server, monkeypatch):
    pytest.importorskip("huggingface_hub")
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")

    def answer(handler):
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{SHA256}"', "Accept-Ranges": "bytes"}
        handler.answer(200, TABLE, headers)

    server.routes[HUB_PATH] = answer
    return server


def test_hub_file_is_fetched_once(hub, raw):
    placed(raw, HUB)
    assert (raw / "table.csv").read_bytes() == TABLE
    placed(raw, {**HUB, "to": "again.csv"})
    assert (raw / "again.csv").read_bytes() == TABLE
    assert hub.asked[HUB_PATH] == 1


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ((404, {"X-Error-Code": "EntryNotFound"}, b""), "has no file data/table.csv"),
        ((401, {"X-Error-Code": "RepoNotFound"}, b""), "no such repository, or it is private"),
        ((403, {"X-Error-Code": "GatedRepo"}, b""), "access to it must be asked for"),
    ],
)
def test_hub_refusals_are_told(hub, raw, answer, complaint):
    hub.fail(HUB_PATH, *[answer] * 20)
    with pytest.raises(DataSourceError, match=complaint):
        placed(raw, HUB)


def test_hub_file_with_another_hash_is_refused(hub, raw):
    with pytest.raises(DataSourceError, match="gives another file"):
        placed(raw, {**HUB, "sha256": "0" * 64})


# S3


@pytest.fixture
def bucket(server, monkeypatch):
    pytest.importorskip("s3fs")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")

    def answer(handler):
        headers = {"ETag": '"x"', "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"}
        wanted, status = handler.headers.get("Range"), 200
        body = TABLE
        if wanted:
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            last = min(int(last), len(TABLE) - 1)
            body, status = TABLE[int(first) : last + 1], 206
            headers["Content-Range"] = f"bytes {first}-{last}/{len(TABLE)}"
        handler.answer(status, body, headers)

    server.routes["/lab/assay/table.csv"] = answer
    return server


def in_bucket(server, **more):
    return {"s3": "s3://lab/assay/table.csv", "endpoint": server.address, **more}


def test_public_object_is_fetched_once(bucket, raw):
    placed(raw, in_bucket(bucket, sha256=SHA256))
    assert (raw / "table.csv").read_bytes() == TABLE
    placed(raw, in_bucket(bucket, sha256=SHA256, to="again.csv"))
    assert bucket.asked["/lab/assay/table.csv"] == 1


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [(404, "no such object"), (403, "not public"), (503, "attempts"), (("cut", 3), "attempts")],
)
def test_bucket_refusals_are_told(bucket, raw, monkeypatch, fault, complaint):
    monkeypatch.setattr(download, "ATTEMPTS", 2)
    bucket.files["/lab/assay/table.csv"] = TABLE
    bucket.fail("/lab/assay/table.csv", *[fault] * 40)
    with pytest.raises(DataSourceError, match=complaint):
        placed(raw, in_bucket(bucket))
    assert not list(cache_dir().rglob("table.csv"))


# Kaggle

SERVICE = "/v1/competitions.CompetitionApiService/DownloadDataFiles"


@pytest.fixture
def kaggle(server, monkeypatch, tmp_path):
    for name in ("KAGGLE_API_TOKEN", "KAGGLE_API_ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KAGGLE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KAGGLE_USERNAME", "somebody")
    monkeypatch.setenv("KAGGLE_KEY", "0123456789abcdef")
    env = pytest.importorskip("kagglesdk.kaggle_env")
    monkeypatch.setitem(env._env_to_endpoint, env.KaggleEnv.PROD, server.address)
    archive = server.put("/storage/archive.zip", zipped(train=TABLE, test=b"smiles\n"))

    def answer(handler):
        handler.answer(302, b"", {"Location": archive})

    for prefix in ("", "/api"):
        server.routes[prefix + SERVICE] = answer
    return server


def test_competition_is_unpacked(kaggle, raw):
    placed(raw, {"kaggle": "two-drugs"})
    assert (raw / "train.csv").read_bytes() == TABLE
    placed(raw, {"kaggle": "two-drugs", "member": "test.csv", "to": "t.csv"})
    assert (raw / "t.csv").read_bytes() == b"smiles\n"
    assert kaggle.asked["/storage/archive.zip"] == 1


@pytest.mark.parametrize(
    ("status", "said", "complaint"),
    [
        (401, "Unauthorized", "does not accept your key"),
        (403, "You must accept this competition's rules", "competitions/two-drugs/rules"),
        (403, "Please verify your phone number", "phone number verified"),
        (404, "Not found", "answers 404"),
    ],
)
def test_refusals_of_kaggle_are_told_with_the_address(kaggle, raw, status, said, complaint):
    body = b'{"code": %d, "message": "%s"}' % (status, said.encode())
    kaggle.routes = dict.fromkeys(
        kaggle.routes,
        lambda handler: handler.answer(status, body, {"Content-Type": "application/json"}),
    )
    with pytest.raises(DataSourceError, match=complaint):
        placed(raw, {"kaggle": "two-drugs"})


def test_no_key_for_kaggle_is_told(kaggle, raw, monkeypatch):
    monkeypatch.delenv("KAGGLE_USERNAME")
    monkeypatch.delenv("KAGGLE_KEY")
    with pytest.raises(DataSourceError, match="no key for Kaggle: make one at"):
        placed(raw, {"kaggle": "two-drugs"})


# ProteinGym


def test_assay_is_found_in_the_first_archive_that_has_it(server, raw):
    single, multiple, _ = (f"/pg/{name}" for name in proteingym.ARCHIVES)
    server.put(single, zipped(cv_folds_singles__A=b"one"))
    folder = zipfile.ZipInfo("cv_folds_multiples_substitutions/B_2020.csv")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(folder, TABLE)
    server.put(multiple, buffer.getvalue())
    where = {"mirrors": [f"{server.address}/pg"]}
    placed(raw, {"proteingym": "B_2020", **where})
    placed(raw, {"proteingym": "B_2020", "to": "again.csv", **where})
    assert (raw / "B_2020.csv").read_bytes() == (raw / "again.csv").read_bytes() == TABLE
    assert (server.asked[single], server.asked[multiple]) == (1, 1)
    server.put(f"/pg/{proteingym.ARCHIVES[2]}", zipped(C=b""))
    with pytest.raises(TaskError, match="has no assay D_2021"):
        placed(raw, {"proteingym": "D_2021", **where})


# Polaris


@pytest.fixture
def polaris_client(server, monkeypatch, tmp_path):
    """An interpreter with a stand-in for the client, which cannot be installed beside this one."""
    package = tmp_path / "site" / "polaris.py"
    package.parent.mkdir()
    python = tmp_path / "python"
    call = f'PYTHONPATH="{package.parent}" exec "{sys.executable}" "$@"'
    python.write_text(f"#!/bin/sh\n{call}\n")
    python.chmod(0o755)
    monkeypatch.setenv(polaris.PYTHON, str(python))
    return package


CLIENT = """
import pandas as pd

class Rows:
    def as_dataframe(self):
        return pd.DataFrame({"smiles": ["CCO"], "y": [1.5]})

class Benchmark:
    def get_train_test_split(self):
        return Rows(), None

    def _get_test_sets(self, hide_targets):
        assert not hide_targets
        return {"test": Rows()}

def load_benchmark(name):
    if name != "lab/assay":
        raise RuntimeError(f"404 {name} not found")
    return Benchmark()
"""


def test_benchmark_of_the_hub_gives_both_tables(polaris_client, raw):
    polaris_client.write_text(CLIENT)
    assert placed(raw, {"polaris": "lab/assay"}) == [raw / polaris.TRAIN, raw / polaris.TEST]
    assert (raw / polaris.TEST).read_bytes() == TABLE
    with pytest.raises(DataSourceError, match="the hub has no benchmark lab/other"):
        placed(raw, {"polaris": "lab/other"})


@pytest.mark.parametrize(
    ("client", "complaint"),
    [
        ("import absent_package", "pip install polaris-lib"),
        ("def load_benchmark(name): raise RuntimeError('401 Unauthorized')", "polaris login"),
        ("def load_benchmark(name): raise RuntimeError('reset')", "reset.*attempts"),
    ],
)
def test_what_the_client_lacks_is_told(polaris_client, raw, client, complaint):
    polaris_client.write_text(client)
    with pytest.raises(DataSourceError, match=complaint):
        placed(raw, {"polaris": "lab/assay"})


# All of them

EXAMPLES = {key: yaml.safe_load(kind.EXAMPLE) for key, kind in all_sources().items()}


def test_every_file_of_the_folder_that_says_so_is_a_source():
    files = Path(base.__file__).parent.glob("*.py")
    assert {p.stem for p in files if "\nSOURCE = " in p.read_text()} == all_sources().keys()


@pytest.mark.parametrize("key", sorted(all_sources()))
def test_contract_of_a_source(key, tmp_path, monkeypatch):
    monkeypatch.setenv("BIOMLBENCH_OFFLINE", "1")
    monkeypatch.setenv("BIOMLBENCH_CACHE_DIR", str(tmp_path / "cache"))
    (source,) = parse_sources([EXAMPLES[key]], "my/config.yaml")
    kind = all_sources()[key]
    assert isinstance(source, kind)
    assert kind.__doc__.strip()
    for missing in kind.REQUIRED:
        with pytest.raises(TaskError, match="missing key"):
            parse_sources([{k: v for k, v in EXAMPLES[key].items() if k != missing}])
    assert (source,) == tuple(parse_sources([EXAMPLES[key]]))
    assert hash(source) == hash(parse_sources([EXAMPLES[key]])[0])
    assert source.origin
    assert all(not Path(name).is_absolute() for name in source.places)
    with pytest.raises(TaskError, match=r"my/config\.yaml: source\[0\]: unknown key"):
        parse_sources([{**EXAMPLES[key], "surprise": 1}], "my/config.yaml")
    with pytest.raises(TaskError, match=r"my/config\.yaml: source\[0\]"):
        parse_sources([{**EXAMPLES[key], key: "../ /x"}], "my/config.yaml")
    # Offline, every one of them says where the file would have to be.
    with pytest.raises(DataSourceError, match=str(tmp_path)):
        place([source], tmp_path / "raw", "d/t")


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"type": "kaggle", "benchmark_id": "kaggle/two-drugs"}, {"kaggle": "two-drugs"}),
        ({"type": "polaris", "benchmark_id": "lab/assay"}, {"polaris": "lab/assay"}),
        ({"type": "proteingym-dms", "benchmark_id": "A_2019"}, {"proteingym": "A_2019"}),
        ({"type": "http", **EXAMPLES["http"]}, EXAMPLES["http"]),
    ],
)
def test_published_key_maps_onto_them(stated, expected):
    assert sources_of({"data_source": stated}) == parse_sources([expected])


def test_published_key_of_other_forms():
    assert sources_of({"data_source": {"type": "manual"}}) == []
    assert sources_of({"data_source": {"type": "polaris"}, "source": []}) == []
    with pytest.raises(TaskError, match="there is no type 'ftp'; there are: http"):
        sources_of({"data_source": {"type": "ftp"}})
    with pytest.raises(TaskError, match="missing key"):
        sources_of({"data_source": {"type": "polaris"}})
    with pytest.raises(TaskError, match="must be a mapping"):
        sources_of({"data_source": "polaris"})


@pytest.mark.parametrize("key", ["huggingface", "kaggle", "s3"])
def test_missing_client_is_named_with_its_install_line(key, server, raw, monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(base.importlib, "import_module", absent)
    (source,) = parse_sources([EXAMPLES[key]])
    with pytest.raises(DataSourceError, match=rf"pip install .*\[{key}\]"):
        place([source], raw)
