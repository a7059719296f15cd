"""Results that runs keep: when, what of them, by which name, and what an older version left."""

import shutil
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from biomlbench import Results
from biomlbench.cli import _cli
from biomlbench.contracts import from_rows, read_table, write_table
from biomlbench.report.inputs import Tables
from biomlbench.report.overview import build
from biomlbench.reproduce.standings import standings
from biomlbench.summary.history import FOLDER, NotKeptError, find, history_of, keep, kept_in
from tests.report import fixtures

MONDAY = datetime(2025, 3, 31, 4, 17, tzinfo=UTC)


def changed(root, change):
    pairs = read_table("pairs", root / "pairs.parquet").to_pylist()
    for row in pairs:
        change(row)
    write_table("pairs", from_rows("pairs", pairs), root / "pairs.parquet")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("history")
    fixtures.write(root, 55, calibrated=False, weeks=3)
    return root


@pytest.fixture
def results(made, tmp_path):
    return shutil.copytree(made, tmp_path / "results")


def test_only_what_is_another_result_is_kept(results):
    first = keep(results, MONDAY)
    assert first == results / FOLDER / "2025-03-31T041700Z"
    assert keep(results, MONDAY + timedelta(days=7)) is None

    # Times and words are no result.
    changed(results, lambda row: row.update(wall_s=1e3, message="other words", source="other:1"))
    assert keep(results, MONDAY + timedelta(days=7)) is None
    changed(results, lambda row: row.update(verdict="partial"))
    again = keep(results, MONDAY)
    assert again is not None
    assert again != first
    assert [kept.folder for kept in kept_in(results)][-2:] == [first, again]
    assert not [path for path in (results / FOLDER).iterdir() if path.name.startswith(".")]


def test_what_is_kept_is_a_results_folder_to_compare_with(results):
    keep(results, MONDAY)
    assert standings(results / FOLDER / "2025-03-31T041700Z", results).equal
    changed(results, lambda row: row.update(score=0.5) if row["score"] is not None else None)
    found = standings(find(results, "2025-W14").folder, results)
    assert {pair["state"] for pair in found.pairs} == {"changed"}
    assert all("score" in pair["changes"] for pair in found.pairs)
    assert Results(results).kept[-1].agents.equals(Results(results).agents)


def test_what_is_not_kept_is_no_change(results):
    facts = {"meta_log": "https://logs.org/1", "meta_other": '{"team": "A"}', "meta_tokens": 5}
    changed(results, lambda row: row.update(facts))
    folder = keep(results, MONDAY)
    assert standings(folder, results).equal
    changed(results, lambda row: row.update(meta_tokens=6, meta_log="https://logs.org/2"))
    found = standings(folder, results)
    assert {tuple(pair["changes"]) for pair in found.pairs} == {("meta_tokens",)}
    assert {tuple(pair["why"]) for pair in found.pairs} == {("run table",)}


def test_another_benchmark_in_the_same_folder_is_no_history_of_this(results):
    other = keep(results, MONDAY, "Demo benchmark")
    assert keep(results, MONDAY + timedelta(days=1), "Ours") is not None
    changed(results, lambda row: row.update(verdict="partial"))
    mine = keep(results, MONDAY + timedelta(days=2), "Ours")
    assert other not in [kept.folder for kept in kept_in(results)]
    assert kept_in(results)[-1].folder == mine
    assert len(set(history_of(results)["kept"].to_pylist())) == 2
    assert find(results, "previous").time == MONDAY + timedelta(days=1)


def test_no_place_message_or_board_is_kept(results):
    marks = {"message": "SECRET-MESSAGE", "source": "/home/otto/runs.csv:1",
             "submission": "/home/otto/a.csv", "meta_log": "/home/otto/log"}  # fmt: skip
    changed(results, lambda row: row.update(marks))
    folder = keep(results, MONDAY)
    text = str([pq.read_table(path).to_pylist() for path in sorted(folder.iterdir())])
    assert "aide" in text
    assert not [mark for mark in marks.values() if mark in text]
    assert not [row for row in read_table("tasks", folder / "tasks.parquet").to_pylist()
                if row["leaderboard"] or row["humans"]]  # fmt: skip


def test_history_has_each_ranking_of_then(results):
    history = history_of(results).to_pandas()
    assert history["kept"].is_monotonic_increasing
    assert [*history["week"].unique()] == ["2025-W02", "2025-W03", "2025-W04"]
    for kept in kept_in(results):
        of_then = history[history["kept"].str.startswith(kept.time.strftime("%Y-%m-%d"))]
        ranking = build(Tables.load(kept.folder)).ranking
        assert [*of_then["agent"]] == [row.agent for row in ranking]
        assert [*of_then["place"]] == [row.place for row in ranking]
    assert history["task_set"].nunique() == 1


@pytest.mark.parametrize("column", ["agent", "pass_rate", "runs", "domain"])
def test_odd_columns_cost_only_their_own_result(results, column, caplog):
    odd = kept_in(results)[1].folder
    agents = pq.read_table(odd / "agents.parquet")
    nested = pa.array([["all"]] * len(agents))
    place = agents.schema.get_field_index(column)
    pq.write_table(agents.set_column(place, column, nested), odd / "agents.parquet")
    history = history_of(results).to_pandas()
    assert "2025-01-06T04:17:00Z" in set(history["kept"])
    assert column == "domain" or str(odd) in caplog.text
    pq.write_table(agents.drop_columns([column]), odd / "agents.parquet")
    assert "2025-01-20T04:17:00Z" in set(history_of(results).to_pandas()["kept"])


def test_another_version_and_damage_cost_only_themselves(results, caplog):
    old, damaged, whole = (kept.folder for kept in kept_in(results))
    agents = pq.read_table(old / "agents.parquet")
    other = agents.drop_columns(["mean_rank"]).append_column("gone", agents["agent"])
    pq.write_table(other, old / "agents.parquet")
    (damaged / "agents.parquet").write_bytes(b"PAR1")
    history = history_of(results).to_pandas().set_index("kept")
    assert history.index.nunique() == 2
    assert history.loc["2025-01-06T04:17:00Z", "mean_rank"].isna().all()
    assert history.loc["2025-01-20T04:17:00Z", "mean_rank"].notna().all()
    assert str(damaged) in caplog.text
    assert whole.is_dir()


@pytest.mark.parametrize(
    ("when", "name"),
    [
        ("previous", "2025-01-13T041700Z"),
        ("2025-W02", "2025-01-06T041700Z"),
        ("2025-01-13", "2025-01-13T041700Z"),
        ("2025", "2025-01-20T041700Z"),
    ],
)
def test_kept_results_have_names(made, when, name):
    assert find(made, when).folder.name == name


@pytest.mark.parametrize("when", ["2024-W02", "nonsense", ""])
def test_a_name_that_nothing_has_lists_what_there_is(made, tmp_path, when):
    with pytest.raises(NotKeptError, match="2025-01-20T041700Z; name one"):
        find(made, when)
    with pytest.raises(NotKeptError, match="run it, or name a folder"):
        find(tmp_path, when)


def test_compare_takes_kept_results_by_name(results):
    keep(results, MONDAY)
    told = CliRunner().invoke(_cli, ["compare", f"{results}@previous", f"{results}@2025-W14"])
    assert told.exit_code == 1, told.output
    assert "changed" in told.output
    same = CliRunner().invoke(_cli, ["compare", f"{results}@2025-03-31", str(results)])
    assert (same.exit_code, same.output.strip()) == (0, "Nothing changed in 55 runs.")
    odd = shutil.copytree(results, results.parent / "odd@previous")
    assert CliRunner().invoke(_cli, ["compare", str(odd), str(results)]).exit_code == 0
    nowhere = CliRunner().invoke(_cli, ["compare", "nowhere@previous", str(results)])
    assert nowhere.exit_code == 2
    assert "'nowhere'" in nowhere.output
