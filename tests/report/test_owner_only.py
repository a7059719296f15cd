"""What leaves the owner's machine tells nothing of single hidden cases."""

import csv
import json
import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import QUERIED, SCHEMAS, from_rows, read_table, write_table
from biomlbench.export import FORMATS, export
from biomlbench.export.owner_only import COARSE, FIGURES, OWNER_ONLY, for_others
from biomlbench.export.site import publish
from biomlbench.report import plots
from biomlbench.report.html import figures
from biomlbench.report.inputs import Tables
from biomlbench.report.payload_checks import checks_of
from tests.report import fixtures

MARGIN, SECONDS, TOTAL = 0.1234567, 7.654321, 98.76543
RATE = re.compile(r"_(rate|percentile|rate_fair|usd|tokens|steps|s)(_se|_low|_high)?$")
FOR_ALL = {
    # Of the run table, of public files, or of all rows and cases together.
    *("score", "score_low", "score_high", "hidden_score", "weight", "replicates", "reference_s"),
    *("gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold", "humans"),
    *("leaderboard_percentile", "leaderboard", "human_percentile", "mean_rank"),
    "outranked_share",
    *("p_gold", "p_silver", "p_bronze", "p_above_median"),
    *("meta_cost_usd", "meta_wall_time_s", "meta_cost_usd_total"),
    *("meta_tokens", "meta_steps"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    fixtures.write(root, 40)
    checks = read_table("checks", root / "checks.parquet").to_pylist()
    for number, row in enumerate(checks):
        row["suite"] = ("visible", "hidden", "adversarial")[number % 3]
        row["margin"] = 0.5 if row["suite"] == "visible" else MARGIN
    write_table("checks", from_rows("checks", checks), root / "checks.parquet")
    telemetry = read_table("telemetry", root / "telemetry.parquet").to_pylist()
    for row in telemetry:
        row["hidden_wall_s"] = [SECONDS, 2 * SECONDS]
    write_table("telemetry", from_rows("telemetry", telemetry), root / "telemetry.parquet")
    pairs = read_table("pairs", root / "pairs.parquet").to_pylist()
    for row in pairs:
        row |= dict.fromkeys(COARSE["pairs"], TOTAL)
    write_table("pairs", from_rows("pairs", pairs), root / "pairs.parquet")
    return root


@pytest.mark.parametrize("name", QUERIED)
def test_each_number_of_a_table_is_known_to_be_for_others_or_not(name):
    numbers = {
        field.name
        for field in SCHEMAS[name]
        if pa.types.is_floating(getattr(field.type, "value_type", field.type))
    }
    # Means over runs and tasks.
    rates = {name for name in numbers if RATE.search(name)} if name == "agents" else set()
    known = {*OWNER_ONLY.get(name, ()), *COARSE.get(name, ())}
    assert numbers - rates - FOR_ALL == known


def told_of_hidden_cases(folder):
    """Return which files hold a margin, a time or a total in full."""
    numbers = re.compile(r"0\.12345|(?<!\d)0\.123(?!\d)|7\.6543|15\.308|98\.765")
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix == ".parquet":
            text = json.dumps(pq.read_table(path).to_pylist(), default=str)
        else:
            text = re.sub(r"<(script|style)>.*?</\1>", "", path.read_text("utf-8"), flags=re.DOTALL)
            text = re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)
        found += [path.name] if numbers.search(text) else []
    return found


@pytest.mark.parametrize("form", FORMATS)
def test_no_form_of_export_tells_of_single_hidden_cases(results, tmp_path, form):
    export(results, form, tmp_path, date="2025-03-31")
    assert any(tmp_path.iterdir())
    assert told_of_hidden_cases(tmp_path) == []


@pytest.mark.slow
def test_no_file_of_a_site_tells_of_single_hidden_cases(results, tmp_path):
    publish(results, tmp_path / "site", date="2025-03-31")
    assert told_of_hidden_cases(tmp_path / "site") == []
    with (tmp_path / "site" / "data" / "checks.csv").open(newline="") as file:
        assert {(row["suite"], row["margin"]) for row in csv.DictReader(file)} == {
            ("visible", "0.5"), ("hidden", ""), ("adversarial", ""),
        }  # fmt: skip


def test_the_owner_s_own_results_keep_them(results):
    tables = Tables.load(results)
    assert any(0.123 in entry[2] for entry in checks_of(tables)["outcomes"])


def test_what_is_for_others_has_the_same_rows_and_schema(results):
    tables = {name: read_table(name, results / f"{name}.parquet") for name in QUERIED}
    public = for_others(tables)
    for name, table in tables.items():
        assert public[name].schema.equals(table.schema, check_metadata=True)
        kept = [c for c in table.column_names if c not in {*OWNER_ONLY.get(name, ()),
                                                           *COARSE.get(name, ())}]  # fmt: skip
        assert public[name].select(kept).equals(table.select(kept))
    assert set(public["pairs"]["wall_s"].to_pylist()) == {99.0}
    assert public["telemetry"]["hidden_wall_s"].null_count == len(public["telemetry"])
    visible = pc.equal(public["checks"]["suite"], "visible")
    assert public["checks"].filter(visible)["margin"].null_count == 0


def test_figures_of_what_is_for_the_owner_alone_are_named(results, tmp_path):
    """A figure that changes with such columns is one of those."""
    whole = Tables.load(results)
    arrow = for_others({name: read_table(name, results / f"{name}.parquet") for name in QUERIED})
    shown = Tables(
        **{name: table.to_pandas() for name, table in arrow.items()},
        **{name: getattr(whole, name) for name in ("rates", "kills", "flakes", "history")},
    )
    changed = set()
    for name in plots.names():
        both = [
            plots.render(name, tables, tmp_path / place, ("svg",))[0].read_bytes()
            for place, tables in (("whole", whole), ("shown", shown))
        ]
        changed |= {name} if both[0] != both[1] else set()
    assert changed == set(FIGURES)
    assert not {f.name for f in figures(shown, without=FIGURES)} & changed
