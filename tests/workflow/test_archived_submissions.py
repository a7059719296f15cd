"""What of a benchmark's submissions an archive holds, whatever files its run tables name."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from urllib.parse import unquote, urljoin

import pyarrow as pa
import pytest
from rocrate.rocrate import ROCrate

from biomlbench.contracts import from_rows, read_table, write_table
from biomlbench.export import _submissions
from biomlbench.export import archive as module
from biomlbench.export._contents import Contents
from biomlbench.export.archive import ArchiveError, archive, unpack
from biomlbench.reproduce.inputs import APART, Inputs, place_apart
from biomlbench.reproduce.layout import lay_out
from biomlbench.reproduce.received import restricted
from biomlbench.workflow.record import RECORD, read_record
from tests.workflow.conftest import predictions
from tests.workflow.test_reproduce import biomlbench, reproduce

LINE, CIRCLE = "toy/line", "toy/circle"
ANSWERS = f"data/{LINE}/prepared/private/answers.csv"
OTHERS = f"data/{CIRCLE}/prepared/private/answers.csv"


@pytest.fixture
def base(finished, tmp_path):
    """A copy of the finished run's inputs, data and results."""
    for name in ("results", "subs", "toy", "group", "data"):
        shutil.copytree(finished / name, tmp_path / "base" / name)
    shutil.copy(finished / "runs.csv", tmp_path / "base")
    return tmp_path / "base"


def hand_in(base, path, content=None, *, kind="predictions", reason="missing_columns"):
    """Let one more run have handed in a file, which is written where a content is given."""
    file = base / path
    if content is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    record = read_record(base / "results")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    record["submissions"][path] = {"sha256": digest, "is": "file"}
    (base / "results" / RECORD).write_text(json.dumps(record))
    pairs = read_table("pairs", base / "results/pairs.parquet")
    row = next(row for row in pairs.to_pylist() if row["kind"])
    row |= {"run_id": f"x{len(pairs)}", "submission": path, "kind": kind}
    row |= {"reason": reason, "fault": "submission"}
    pairs = pa.concat_tables([pairs, from_rows("pairs", [row])])
    write_table("pairs", pairs, base / "results/pairs.parquet")


def from_list(base):
    """Let the run that was handed in last be one of an agent's own list."""
    pairs = read_table("pairs", base / "results/pairs.parquet").to_pylist()
    pairs[-1]["source"] = "group/submission.jsonl:7"
    write_table("pairs", from_rows("pairs", pairs), base / "results/pairs.parquet")


def packed(base, to):
    """Archive without `--partial`; return what was said, and the contents by name."""
    said = archive(base / "results", to / "a.zip")
    with zipfile.ZipFile(to / "a.zip") as file:
        assert len(file.namelist()) == len(set(file.namelist()))
        return said, {name: file.read(name) for name in file.namelist()}


def test_what_grading_refused_is_left_out_and_named(base, tmp_path):
    hand_in(base, ANSWERS, reason="private_file")
    hand_in(base, "secret.txt", "hunter2", reason="wrong_format")
    hand_in(base, "submissions/.netrc", "password x", reason="wrong_format")
    hand_in(base, "submissions/key.txt", "hunter2", kind="functions", reason="missing_function")
    said, contents = packed(base, tmp_path)
    named = [ANSWERS, "secret.txt", "submissions/.netrc", "submissions/key.txt"]
    assert not set(named) & set(contents)
    assert len(said) == 4
    for path, line in zip(named, said, strict=True):
        assert repr(path) in line
        assert line in contents["ARCHIVE.md"].decode()
    assert "private file" in said[0]
    assert "no file of a format that grading reads" in said[1]
    assert b"hunter2" not in b"".join(contents.values())


def test_a_file_that_some_run_hands_in_as_it_should_stays(base, tmp_path):
    hand_in(base, "subs/near.csv", kind="program", reason="syntax_error")
    hand_in(base, "subs/note.md", "# of a task of its own format\n")
    said, contents = packed(base, tmp_path)
    assert said == []
    assert {"subs/near.csv", "subs/note.md", "subs/broken.py"} <= set(contents)


@pytest.mark.parametrize("way", ["plain", "link", "copy"])
@pytest.mark.parametrize("answers", [ANSWERS, OTHERS])
def test_answers_of_any_task_are_left_out_whatever_grading_said(base, tmp_path, way, answers):
    path = answers if way == "plain" else "subs/mine.csv"
    if way == "link":
        os.link(base / answers, base / path)
    elif way == "copy":
        shutil.copy(base / answers, base / path)
    hand_in(base, path)
    (said,), contents = packed(base, tmp_path)
    assert repr(path) in said
    assert "own" in said
    assert (base / answers).read_bytes() not in contents.values()


WRITTEN = ["manifest.json", "ro-crate-metadata.json", "ARCHIVE.md", "environment/environment.json"]


@pytest.mark.parametrize(
    "path",
    [
        *WRITTEN,
        *(f"{name}/a.csv" for name in WRITTEN),
        "config/config.yaml/a.csv",
        f"{APART}/a.csv",
        f"{APART}/{hashlib.sha256(b'a').hexdigest()}",
        "data/a.csv",
        "results/mine.csv",
    ],
)
def test_no_submission_takes_a_name_that_the_archive_needs(base, tmp_path, path):
    hand_in(base, path, "a submission")
    said, contents = packed(base, tmp_path)
    assert said == []
    assert contents[place_apart(path)] == b"a submission"
    assert list(contents.values()).count(b"a submission") == 1
    folder = unpack(tmp_path / "a.zip", tmp_path / "out")
    crate = json.loads(contents["ro-crate-metadata.json"])["@graph"]
    assert f"{APART}/" in {entity["@id"] for entity in crate}
    # it is found again, and archived into the same bytes
    inputs = Inputs(read_record(folder / "results"), folder / "results")
    missing = lay_out(inputs, tmp_path / "again")
    if not path.startswith(("results", "config")):  # where the workflow itself writes
        assert (tmp_path / "again" / path).read_text() == "a submission"
        assert missing == []
    assert archive(folder / "results", tmp_path / "b.zip") == []
    assert (tmp_path / "b.zip").read_bytes() == (tmp_path / "a.zip").read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "results/tasks/toy/line/prepare.parquet",
        "toy/toy/line/prepare.py",
        f"data/{LINE}/prepared/public/test.csv",
    ],
)
def test_a_file_that_the_archive_holds_anyway_is_in_it_once(base, tmp_path, path):
    hand_in(base, path, kind="program" if path.endswith(".py") else "predictions")
    assert archive(base / "results", tmp_path / "a.zip", with_answers=True) == []
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        names = file.namelist()
    assert names.count(path) == 1
    assert place_apart(path) not in names


def test_a_run_table_that_is_handed_in_is_no_second_file(base, tmp_path):
    hand_in(base, "runs.csv")
    said, contents = packed(base, tmp_path)
    assert said == []
    assert contents["runs.csv"] == (base / "runs.csv").read_bytes()


def test_a_submission_beside_the_folders_is_described_as_a_file(base, tmp_path):
    hand_in(base, "a.csv", "id,y\n")
    _, contents = packed(base, tmp_path)
    graph = json.loads(contents["ro-crate-metadata.json"])["@graph"]
    kinds = {entity["@id"]: entity["@type"] for entity in graph}
    assert kinds["a.csv"] == "File"
    assert "a.csv/" not in kinds


ODD_FOLDERS = ["javascript:alert(1)", "http:", "%2e%2e", "a b", "Größe?#", "c:"]


def test_every_part_of_a_path_is_only_a_name_in_the_description(base, tmp_path):
    for folder in ODD_FOLDERS:
        hand_in(base, f"{folder}/a.csv", "id,y\n")
    hand_in(base, "http:x.csv", "id,y\n")
    packed(base, tmp_path)
    folder = unpack(tmp_path / "a.zip", tmp_path / "out")
    graph = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    (root,) = [entity for entity in graph if entity["@id"] == "./"]
    parts = {part["@id"] for part in root["hasPart"]}
    for part in parts:
        meant = urljoin("https://example.org/crate/", part)
        assert meant.startswith("https://example.org/crate/")
        assert (folder / unquote(meant.removeprefix("https://example.org/crate/"))).exists()
    assert {"%252e%252e/", "javascript%3Aalert%281%29/", "http%3A/", "http%3Ax.csv"} <= parts
    read = {entity.id for entity in ROCrate(folder).data_entities}
    assert parts <= read


def test_no_name_is_written_twice(base, tmp_path, monkeypatch):
    def collected(inputs, **_):
        contents = Contents(inputs.base)
        contents.add("manifest.json", b"mine")
        return contents

    monkeypatch.setattr(module, "collect", collected)
    with pytest.raises(ArchiveError, match=r"manifest\.json: two files of the archive"):
        archive(base / "results", tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


@pytest.mark.slow
def test_the_rest_is_run_again(fresh, tmp_path):
    rows = {"answers": ANSWERS, "key": "subs/.netrc", "made": "manifest.json", "both": "ok.csv"}
    for name in ("subs/.netrc", "manifest.json"):
        (fresh.path / name).write_text("password")
    (fresh.path / "ok.csv").write_text(predictions(2.0))
    text = "run_id,agent,task_id,submission\nright,ada,line,subs/right.csv\n"
    text += "".join(f"{run},eve,line,{path}\n" for run, path in rows.items())
    (fresh.path / "runs.csv").write_text(text)
    fresh.snakemake("--until", "pairs", check=False)
    fresh.snakemake()
    done = biomlbench(fresh.path, "archive", "--out", tmp_path / "a.zip", "--json")
    left_out = json.loads(done.stdout)["left_out"]
    assert len(left_out) == 3
    assert "private file" in left_out[0]
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        assert b"password" not in {file.read(name) for name in file.namelist()}
    fresh.path.rename(tmp_path / "moved away")
    call = [tmp_path / "a.zip", "--into", tmp_path / "again", "--cores", 2, "--trust-code"]
    code, found = reproduce(tmp_path, *call)
    assert code == 1  # what grading refused is not there
    assert {item["path"] for item in found["not_again"]} == {
        ANSWERS,
        "subs/.netrc",
        "manifest.json",
    }
    assert {row["run_id"] for row in found["differences"] if row["task_id"]} <= set(rows) - {"both"}


@pytest.mark.parametrize("with_answers", [False, True])
def test_a_file_of_an_own_task_that_is_a_private_one_is_named_and_kept(
    base, tmp_path, with_answers
):
    own = "toy/toy/line/src/truth.csv"
    (base / own).parent.mkdir(parents=True)
    content = "".join(f"{number},{number}\n" for number in range(100))
    for path in (own, ANSWERS):
        (base / path).write_text(content)
    told = []
    archive(
        base / "results", tmp_path / "a.zip", with_answers=with_answers, partial=True,
        note=told.append,
    )  # fmt: skip
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        note = file.read("ARCHIVE.md").decode()
        assert own in file.namelist()
    assert [own in line for line in told] == ([] if with_answers else [True])
    assert (f"- {own}" in note) is not with_answers
    assert "The tasks' answers are not included" not in note


@pytest.mark.parametrize("harm", ["odd", "gone", "changed", "link", "long", "large"])
def test_what_a_list_names_does_not_stop_the_archive_of_others(base, tmp_path, harm, monkeypatch):
    path = {"odd": "group/a\\b.csv", "long": f"group/{'x' * 250}" * 8 + ".csv"}.get(
        harm, "group/x.csv"
    )
    hand_in(base, path, "id,y\n")
    if harm == "gone":
        (base / path).unlink()
    elif harm == "changed":
        (base / path).write_text("id,y\nr00,1\n")
    elif harm == "link":
        (base / path).rename(base / "group/y.csv")
        (base / path).symlink_to("y.csv")
    elif harm == "large":
        other = (base / "group/a.csv").stat().st_size
        monkeypatch.setattr(_submissions, "MAX_LISTED_BYTES", other + 3)
    if harm in ("odd", "gone", "changed", "link"):
        with pytest.raises(ArchiveError, match="would not be whole"):
            archive(base / "results", tmp_path / "a.zip")
    from_list(base)
    said, _ = packed(base, tmp_path)
    assert [ascii(path)[1:-1] in line for line in said] == ([] if harm == "long" else [True])
    inputs = Inputs(
        restricted(read_record(base / "results"))[0],
        unpack(tmp_path / "a.zip", tmp_path / "out") / "results",
    )
    missing = [item.path for item in lay_out(inputs, tmp_path / "again") if item.path != "toy"]
    assert missing == ([] if harm == "long" else [path])
    assert (tmp_path / "again" / path).is_file() == (harm == "long")


def test_a_list_that_was_not_read_does_not_stop_the_archive_of_others(base, tmp_path):
    record = read_record(base / "results")
    record["run_tables"]["group/submission.jsonl"] = None
    (base / "results" / RECORD).write_text(json.dumps(record))
    said, contents = packed(base, tmp_path)
    assert said == ["run table group/submission.jsonl: could not be read"]
    assert said[0] in contents["ARCHIVE.md"].decode()
