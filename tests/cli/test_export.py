"""`biomlbench export`: every form holds the same rows, and descriptions describe them."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from pathlib import Path

import mlcroissant
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner
from rocrate.rocrate import ROCrate

from biomlbench.cli import TROUBLE, _cli, main
from biomlbench.cli._common import _as_day
from biomlbench.contracts import SCHEMAS, read_table, write_table
from biomlbench.export import FORMATS, TABLES, export, load_tables
from biomlbench.export.forms import all_forms, summary
from biomlbench.export.owner_only import for_others
from biomlbench.summary.made_tables import MADE_TOGETHER
from tests import crates
from tests.report import fixtures

NAMES = ("pairs", "checks", "agents", "tasks", "telemetry")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    frames = fixtures.frames(60)
    for name in NAMES:
        frame = getattr(frames, name)
        if name == "pairs":  # a row of a run table that names no run
            frame.loc[frame.index[0], ["fault", "kind"]] = ["run_table", ""]
        table = pa.Table.from_pandas(frame, schema=SCHEMAS[name], preserve_index=False)
        write_table(name, table, folder / f"{name}.parquet")
    return folder


def run(*args):
    return CliRunner().invoke(_cli, ["export", *map(str, args)])


@pytest.mark.parametrize("name", all_forms())
def test_contract_of_a_form(name, results, tmp_path):
    form = all_forms()[name]
    assert name == Path(form.__file__).stem.replace("_", "-")
    assert form.__doc__.startswith(f"`{name}`: ")
    assert len(summary(form)) > 10
    assert form.write.__doc__
    written = [export(results, name, tmp_path / n, date="2025-03-31") for n in ("a", "b")]
    assert written[0]
    for one, again in zip(*written, strict=True):
        assert one == tmp_path / "a" / one.name
        assert one.read_bytes() == again.read_bytes()


def test_json_is_the_published_report(results, tmp_path):
    (path,) = export(results, "json", tmp_path)
    report = json.loads(path.read_text())
    pairs = read_table("pairs", results / "pairs.parquet")
    unusable = pairs.filter(pc.equal(pairs["fault"], "run_table"))
    assert 0 < len(unusable) == report["total_errors"]
    assert report["total_runs"] == len(pairs) - len(unusable)
    pairs = pairs.filter(pc.not_equal(pairs["fault"], "run_table"))
    assert report["total_gold_medals"] == sum(pairs["gold_medal"].to_pylist())
    assert {r["task_id"] for r in report["task_reports"]} == set(pairs["task_id"].to_pylist())


def test_csv_holds_every_value(results, tmp_path):
    paths = {path.stem: path for path in export(results, "csv", tmp_path)}
    assert list(paths) == list(NAMES)
    pairs = read_table("pairs", results / "pairs.parquet").to_pylist()
    with paths["pairs"].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(pairs)
    for row, pair in zip(rows, pairs, strict=True):
        assert row["agent"] == pair["agent"]
        assert row["message"] == pair["message"]
        assert json.loads(row["verdict_reasons"]) == pair["verdict_reasons"]
        assert (float(row["score"]) if row["score"] else None) == pair["score"]


def test_parquet_has_the_declared_tables(results, tmp_path):
    for path in export(results, "parquet", tmp_path):
        whole = read_table(path.stem, results / path.name)
        expected = for_others({path.stem: whole})[path.stem]
        assert read_table(path.stem, path).equals(expected)


@pytest.mark.parametrize("form", ["croissant", "ro-crate"])
def test_a_description_names_every_file_with_its_hash(results, tmp_path, form):
    *tables, description = export(results, form, tmp_path, title="Mine", date="2025-03-31")
    told = json.loads(description.read_text())
    entries = told["distribution"] if form == "croissant" else told["@graph"]
    hashes = {e["@id"]: e["sha256"] for e in entries if "sha256" in e}
    assert hashes == {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in tables}
    assert '"Mine"' in description.read_text()


def test_croissant_describes_every_column(results, tmp_path):
    description = export(results, "croissant", tmp_path, date="2025-03-31")[-1]
    records = {r["name"]: r for r in json.loads(description.read_text())["recordSet"]}
    for name in TABLES:
        assert [f["name"] for f in records[name]["field"]] == SCHEMAS[name].names
        assert all(len(f["description"]) > 2 for f in records[name]["field"])


def test_croissant_is_read_by_its_reference_reader(results, tmp_path):
    description = export(results, "croissant", tmp_path, date="2025-03-31")[-1]
    dataset = mlcroissant.Dataset(description)
    assert not dataset.metadata.ctx.issues.errors
    pairs = read_table("pairs", results / "pairs.parquet").to_pylist()
    rows = list(dataset.records("pairs"))
    assert len(rows) == len(pairs)
    assert {row["pairs/agent"].decode() for row in rows} == {pair["agent"] for pair in pairs}


def test_ro_crate_is_flat_and_complete(results, tmp_path):
    description = export(results, "ro-crate", tmp_path, date="2025-03-31")[-1]
    graph = {entity["@id"]: entity for entity in json.loads(description.read_text())["@graph"]}
    root = graph[graph["ro-crate-metadata.json"]["about"]["@id"]]
    assert {"name", "description", "datePublished", "license", "hasPart"} <= root.keys()
    for entity in graph.values():
        for value in entity.values():
            for reference in value if isinstance(value, list) else [value]:
                if isinstance(reference, dict):
                    target = reference["@id"]
                    assert target in graph or target.startswith("https://w3id.org/ro/crate")


def test_ro_crate_is_read_by_a_reader(results, tmp_path):
    export(results, "ro-crate", tmp_path, title="Mine", date="2025-03-31")
    crate = ROCrate(tmp_path)
    assert crate.name == "Mine"
    assert {e.id for e in crate.data_entities} == {f"{name}.parquet" for name in NAMES}


@pytest.mark.slow
def test_ro_crate_is_valid(results, tmp_path):
    export(results, "ro-crate", tmp_path, title="Mine", date="2025-03-31")
    assert crates.problems(tmp_path) == []
    description = tmp_path / "ro-crate-metadata.json"
    told = json.loads(description.read_text())
    description.write_text(json.dumps(told | {"@context": told["@context"][0]}))
    assert any('"sha256"' in line for line in crates.problems(tmp_path))


def test_telemetry_that_was_not_made_is_left_out(results, tmp_path):
    for name in MADE_TOGETHER:
        (tmp_path / f"{name}.parquet").write_bytes((results / f"{name}.parquet").read_bytes())
    assert list(load_tables(tmp_path)) == [*MADE_TOGETHER]
    names = [path.name for path in export(tmp_path, "croissant", tmp_path / "out")]
    assert names == [*(f"{name}.parquet" for name in MADE_TOGETHER), "croissant.json"]


@pytest.mark.parametrize("lost", ["checks", "agents", "tasks"])
@pytest.mark.parametrize(
    "command",
    [["report"], ["publish", "--to", "site"], *(["export", "--format", f] for f in FORMATS)],
    ids=" ".join,
)
def test_results_that_lost_a_table_are_refused(
    results, tmp_path, monkeypatch, capsys, command, lost
):
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in TABLES:
        if name != lost:
            shutil.copy(results / f"{name}.parquet", broken)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main([command[0], "broken", *command[1:]])
    assert stop.value.code == TROUBLE
    told = capsys.readouterr().err
    assert f"broken/{lost}.parquet" in told
    assert "run the workflow" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken"]
    assert not (broken / "report.html").exists()


@pytest.mark.parametrize("lost", ["agents", "tasks"])
@pytest.mark.parametrize("first", [True, False])
def test_results_that_lost_a_table_are_not_compared(results, tmp_path, capsys, lost, first):
    for name in TABLES:
        if name != lost:
            shutil.copy(results / f"{name}.parquet", tmp_path)
    both = [str(tmp_path), str(results)]
    with pytest.raises(SystemExit) as stop:
        main(["compare", *(both if first else both[::-1])])
    assert stop.value.code == TROUBLE
    assert f"{lost}.parquet: no such table" in capsys.readouterr().err


def test_a_folder_without_results_ends_with_a_sentence(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["export", str(tmp_path)])
    assert stop.value.code == TROUBLE
    assert "run the workflow" in capsys.readouterr().err


def test_command(results, tmp_path):
    made = run(results, "--format", "csv", "--to", tmp_path / "out", "--json")
    assert made.exit_code == 0, made.output
    assert [p.rsplit("/")[-1] for p in json.loads(made.output)] == [f"{n}.csv" for n in NAMES]
    assert run(results, "--format", "xml").exit_code == 2
    refused = run(results, "--format", "croissant", "--date", "31st", "--to", tmp_path / "out")
    assert refused.exit_code == 2
    assert "YYYY-MM-DD" in refused.output


def test_a_day_has_one_form_however_it_is_given():
    for form in ("2025-03-31", "20250331", "2025-W14-1"):
        assert _as_day(None, None, form) == "2025-03-31"
    assert _as_day(None, None, "") == ""


def test_the_command_offers_every_form():
    from biomlbench.cli.export import command

    choices = next(p for p in command.params if p.name == "form").type.choices
    assert list(choices) == list(FORMATS)
