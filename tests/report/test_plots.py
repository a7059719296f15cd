"""Every figure: contract, empty, one-row and large tables, hostile names, equal files."""

import ast
import dataclasses
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from biomlbench.report import overview, plots
from biomlbench.report.inputs import CALIBRATION_COLUMNS, Tables, empty
from biomlbench.report.plots import _style, agent_rates, hint_tiers
from biomlbench.runtime.shown_numbers import percent
from biomlbench.summary.agents import summarize_agents
from tests.report import fixtures

ROOT = Path(__file__).parents[2]
NAMES = plots.names()


@pytest.fixture(scope="module")
def some():
    return fixtures.frames(165, weeks=4)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_names_need_no_matplotlib():
    code = (
        "import sys; from biomlbench.report import plots; n = plots.names(); "
        "assert len(n) >= 13, n; assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("name", NAMES)
def test_contract(name):
    module = plots.load(name)
    assert name == module.NAME
    assert module.TITLE
    assert module.CAPTION.endswith(".")
    assert module.CATEGORY in {"Agents", "Tasks", "Trust", "Telemetry"}
    source = ast.parse(Path(module.__file__).read_text())
    imported = {
        alias.name
        for node in ast.walk(source)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert not {"pyplot", "matplotlib.pyplot"} & imported


@pytest.mark.parametrize("name", NAMES)
def test_snakemake_caption_is_the_same(name):
    text = (ROOT / "workflow" / "report" / f"{name}.rst").read_text()
    assert text.split() == plots.load(name).CAPTION.split()


def test_unknown_figure():
    with pytest.raises(KeyError, match="no figure `nope`"):
        plots.load("nope")


@pytest.mark.parametrize("name", NAMES)
def test_empty_tables(name, tmp_path):
    png, svg = plots.render(name, Tables(), tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert b"</svg>" in svg.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_one_row(name, tmp_path):
    tables = fixtures.frames(1, calibrated=False)
    single = {k: frame.head(1) for k, frame in fixtures.calibration().items()}
    tables = Tables(**{n: getattr(tables, n) for n in _declared()}, **single)
    plots.render(name, tables, tmp_path, ("svg",))


def _declared():
    return [n for n in Tables.__dataclass_fields__ if n not in CALIBRATION_COLUMNS]


@pytest.mark.parametrize("name", NAMES)
def test_all_null(name, some):
    """Columns that may be null are null: nothing was scored, timed or dated."""
    pairs = some.pairs.copy()
    nullable = ["score", "score_low", "score_high", "attempt", "hint_tier", "hidden_score",
                "gold_threshold", "silver_threshold", "bronze_threshold"]  # fmt: skip
    pairs[nullable] = np.nan
    telemetry = some.telemetry.assign(hidden_wall_s=None, reference_s=np.nan, week="undated")
    assert isinstance(
        plots.load(name).figure(Tables(pairs=pairs, telemetry=telemetry, tasks=some.tasks)), Figure
    )


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names(name, some, tmp_path):
    """Agents choose their names: no mathematics, control characters or glyph may break a figure."""
    hostile = r"$\frac{1}{0}$ <b>&amp; _^ \n" + "\x00\x07" + "x" * 300
    pairs = some.pairs.assign(agent=some.pairs["agent"].replace("aide", hostile))
    agents = some.agents.assign(agent=some.agents["agent"].replace("aide", hostile))
    checks = some.checks.assign(check=some.checks["check"].replace("oracle", hostile))
    kills = some.kills.assign(check=some.kills["check"].replace("oracle", hostile))
    margins = some.margins.assign(check=some.margins["check"].replace("oracle", hostile))
    flakes = some.flakes.assign(check=some.flakes["check"].replace("bounded", hostile))
    history = some.history.assign(agent=some.history["agent"].replace("aide", hostile))
    telemetry = some.telemetry.assign(
        checks_failed=[[hostile if c == "oracle" else c for c in failed]
                       for failed in some.telemetry["checks_failed"]]
    )  # fmt: skip
    tables = Tables(
        pairs=pairs,
        agents=agents,
        checks=checks,
        tasks=some.tasks,
        flakes=flakes,
        telemetry=telemetry,
        kills=kills,
        margins=margins,
        rates=some.rates,
        history=history,
    )
    plots.render(name, tables, tmp_path, ("svg",))


@pytest.mark.parametrize("name", NAMES)
def test_equal_tables_give_equal_files(name, some, tmp_path):
    (first,) = plots.render(name, some, tmp_path / "a", ("svg",))
    (second,) = plots.render(name, fixtures.frames(165, weeks=4), tmp_path / "b", ("svg",))
    assert first.read_bytes() == second.read_bytes()
    assert b"<dc:date>" not in first.read_bytes()


@pytest.fixture(scope="module")
def many():
    return fixtures.frames(10_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_ten_thousand_pairs(name, many, tmp_path):
    (path,) = plots.render(name, many, tmp_path, ("png",))
    assert path.stat().st_size < 2_000_000


def test_many_agents_and_tasks(some, tmp_path):
    """Two hundred agents: charts are cut and say so."""
    pairs = pd.concat([some.pairs.assign(agent=some.pairs["agent"] + str(i)) for i in range(40)])
    agents = pd.concat(
        [some.agents.assign(agent=some.agents["agent"] + str(i)) for i in range(40)],
        ignore_index=True,
    )
    tables = Tables(pairs=pairs, agents=agents, tasks=some.tasks)
    for name in ("verdict_shares", "medals", "agent_rates"):
        figure = plots.load(name).figure(tables)
        assert any("first" in text.get_text() for text in figure.texts), name


def _bars(figure):
    return [bar for axes in figure.axes for bar in axes.patches if bar.get_width() > 0]


def test_verdict_shares_are_the_tables(some):
    figure = plots.load("verdict_shares").figure(some)
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    runs = some.runs
    passed = runs.groupby("agent")["verdict"].apply(lambda v: (v == "pass").mean())
    drawn = {
        labels[round(bar.get_y() + bar.get_height() / 2)]: bar.get_width()
        for bar in _bars(figure)
        if bar.get_x() == 0
    }
    assert drawn == pytest.approx(passed.to_dict())
    assert labels == [row.agent for row in overview.build(some).ranking]


def test_failure_reasons_counts(some):
    figure = plots.load("failure_reasons").figure(some)
    runs = some.runs
    counted = runs[(runs["verdict"] != "pass") & (runs["reason"] != "ok")]
    assert sum(bar.get_width() for bar in _bars(figure)) == len(counted)


def test_controls_are_not_runs(some):
    marked = Tables(pairs=some.pairs.assign(label="wrong"))
    figure = plots.load("verdict_shares").figure(marked)
    assert "no runs" in " ".join(text.get_text() for text in figure.axes[0].texts)


def test_lower_is_better_is_drawn_to_the_right(some):
    figure = plots.load("leaderboards").figure(some)
    axes = next(a for a in figure.axes if a.get_title("left") == "Diabetes progression")
    formatter = axes.xaxis.get_major_formatter()
    left, right = axes.get_xlim()
    assert float(formatter(left)) > float(formatter(right)) > 0


def test_a_check_that_fails_in_two_suites_is_one_failed_run(some):
    runs = some.telemetry.assign(checks_failed=[["twice", "twice"]] * len(some.telemetry))
    runs = runs.assign(label=None, week="2025-W14")
    figure = plots.load("weekly_trends").figure(dataclasses.replace(some, telemetry=runs))
    (axes,) = [a for a in figure.axes if a.get_title("left") == "runs in which a check failed"]
    (line,) = [line for line in axes.lines if line.get_label() == "twice"]
    assert list(line.get_ydata()) == [1.0]


def test_survival_without_censoring_is_the_empirical_one():
    rng = np.random.default_rng(0)
    attempts = rng.integers(1, 6, 200)
    times, estimate, low, high, censored = hint_tiers.survival(attempts, np.ones(200, bool))
    assert estimate[1:] == pytest.approx([(attempts > t).mean() for t in times[1:]])
    assert ((low <= estimate) & (estimate <= high)).all()
    assert not censored.any()


def test_survival_interval_covers():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        event, end = rng.geometric(0.4, 80), rng.integers(1, 7, 80)
        times, _, low, high, _ = hint_tiers.survival(np.minimum(event, end), event <= end)
        place = np.flatnonzero(times <= 2)[-1]
        hits += low[place] <= 0.6**2 <= high[place]
    assert hits / 200 > 0.9


def test_first_pass_takes_the_highest_tier_until_then():
    rows = [
        ("t", "a", 0, 1, 0, "fail", "submission"),
        ("t", "a", 0, 2, 2, "pass", "none"),
        ("t", "a", 0, 3, 5, "pass", "none"),
        ("t", "b", 0, 1, 1, "fail", "submission"),
        ("t", "c", 0, 1, 1, "fail", "infrastructure"),
    ]
    columns = ["task_id", "agent", "seed", "attempt", "hint_tier", "verdict", "fault"]
    found = hint_tiers.first_passes(pd.DataFrame(rows, columns=columns))
    assert found.to_numpy().tolist() == [["t", True, 2, 2], ["t", False, 1, 1]]


def _deuteranope(colour):
    # Machado, Oliveira & Fernandes (2009), severity 1.0, on linear RGB
    matrix = np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    )  # fmt: skip
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return _lab(linear), _lab(np.clip(matrix @ linear, 0, 1))


def _lab(linear):
    xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ) @ linear / np.array([0.9505, 1.0, 1.089])  # fmt: skip
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("palette", ["VERDICT_COLOURS", "FAULT_COLOURS", "MEDAL_COLOURS"])
def test_colours_are_told_apart_by_the_colour_blind(palette):
    colours = list(getattr(_style, palette).values())
    for seen in range(2):
        points = [_deuteranope(colour)[seen] for colour in colours]
        least = min(np.linalg.norm(a - b) for i, a in enumerate(points) for b in points[i + 1 :])
        assert least > 15, (palette, seen, least)


def test_agent_rates_intervals_stay_in_range(some):
    figure = agent_rates.figure(some)
    for axes in figure.axes:
        for collection in axes.collections:
            for segment in collection.get_segments():
                assert segment[:, 0].min() >= 0
                assert segment[:, 0].max() <= 1


def test_empty_calibration_tables_have_their_columns():
    for name, columns in CALIBRATION_COLUMNS.items():
        assert tuple(empty(name).columns) == columns


def _with_costs(tables, costs):
    agents = tables.agents
    return dataclasses.replace(
        tables, agents=agents.assign(meta_cost_usd=agents["agent"].map(costs))
    )


def test_the_front_has_the_agents_that_none_beats_at_the_same_cost(some):
    costs = {"aide": 9.0, "biomni": 2.0, "stella": 2.0, "dummy": 0.0}
    figure = plots.load("cost_and_score").figure(_with_costs(some, costs))
    (axes,) = figure.axes
    score = some.agents[some.agents["domain"] == "all"].set_index("agent")["leaderboard_percentile"]
    beaten = {
        one
        for one in costs
        for other in costs
        if costs[other] <= costs[one] and score[other] > score[one]
    }
    front = sorted((costs[agent], score[agent] / 100) for agent in costs.keys() - beaten)
    assert len(front) > 1
    assert beaten
    assert list(zip(*axes.lines[0].get_data(), strict=True)) == [pytest.approx(p) for p in front]
    assert {text.get_text() for text in axes.texts} == set(costs)


@pytest.mark.parametrize("costs", [{}, {"aide": np.inf, "stella": -1.0}], ids=["none", "no-cost"])
def test_the_page_has_no_figure_of_costs_where_none_is_known(some, costs):
    assert not plots.has_data("cost_and_score", _with_costs(some, costs))
    assert plots.has_data("cost_and_score", _with_costs(some, {"aide": 0.0}))
    assert plots.has_data("medals", Tables())


def test_boxes_of_effort_are_the_runs_quantiles(some):
    pairs = some.pairs.assign(meta_tokens=np.arange(len(some.pairs)) * 10.0)
    figure = plots.load("effort_by_verdict").figure(Tables(pairs=pairs))
    (axes,) = figure.axes
    medians = [line.get_xdata()[0] for line in axes.lines if line.get_linewidth() == 2]
    runs = Tables(pairs=pairs).runs
    runs = runs[runs["fault"].isin(["none", "submission"]) & (runs["meta_tokens"] > 0)]
    expected = runs.groupby("verdict")["meta_tokens"].median()
    assert medians == [expected[name] for name in ("pass", "partial", "fail")]
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert shown == [f"{name} ({(runs['verdict'] == name).sum()})"
                     for name in ("pass", "partial", "fail")]  # fmt: skip


@pytest.mark.parametrize("value", [None, float("nan"), 0.0, -1.0])
def test_the_page_has_no_figure_of_unknown_effort(some, value):
    assert not plots.has_data("effort_by_verdict", some)
    pairs = some.pairs.assign(meta_tokens=value, meta_wall_time_s=value)
    assert not plots.has_data("effort_by_verdict", Tables(pairs=pairs))
    assert isinstance(plots.load("effort_by_verdict").figure(Tables(pairs=pairs)), Figure)


def test_medals_are_shares_as_the_ranking_has_them(some):
    """Replicates that differ in number from task to task do not change what a task weighs."""
    one = some.pairs[some.pairs["task_id"] == some.pairs["task_id"].iloc[0]]
    more = [one.assign(run_id=one["run_id"] + f"-{n}") for n in range(3)]
    pairs = pd.concat([some.pairs, *more], ignore_index=True)
    rates = summarize_agents(pairs).query("domain == 'all'").set_index("agent")
    canvas = plots.load("medals").figure(Tables(pairs=pairs))
    axes = canvas.axes[0]
    drawn = [text.get_text() for text in axes.texts]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(names) == len(rates)
    for name, text in zip(names, drawn, strict=True):
        rate = percent(rates.loc[name, "verified_medal_rate"])
        assert text.startswith(f"{rate} verified, ")


@pytest.mark.parametrize("start", [0.003, 1.0, 40.0, 9_500.0])
@pytest.mark.parametrize("ratio", [1.02, 1.5, 4.0, 30.0, 1e5])
def test_a_logarithmic_axis_of_any_width_has_ticks(start, ratio):
    canvas = _style.canvas(2.6)
    axes = canvas.subplots()
    axes.plot([start, start * ratio], [0, 1])
    _style.log_axis(axes)
    low, high = axes.get_xlim()
    ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert axes.get_xscale() == "log"
    assert 3 <= len(ticks) <= 12
    assert len(axes.get_xticks(minor=True)) == 0


@pytest.mark.parametrize("least", [5e-324, 1e-320, 1e-300, 1e-12])
def test_what_an_agent_states_does_not_take_up_an_axis(some, least):
    costs = [least, *np.linspace(0.1, 2, len(some.agents) - 1)]
    agents = some.agents.assign(meta_cost_usd=costs, meta_cost_usd_runs=some.agents["runs"])
    figure = plots.load("cost_and_score").figure(dataclasses.replace(some, agents=agents))
    figure.draw_without_rendering()
    assert figure.axes[0].get_xlim()[0] > 1e-9
    tokens = np.where(np.arange(len(some.pairs)) % 3, 5000.0, least)
    pairs = some.pairs.assign(meta_tokens=tokens, meta_wall_time_s=tokens)
    figure = plots.load("effort_by_verdict").figure(dataclasses.replace(some, pairs=pairs))
    figure.draw_without_rendering()
    assert [axes.get_xlim()[0] > 1e-5 for axes in figure.axes] == [True, True]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_panel_shows_the_whole_interval_of_a_best_run(sign):
    from biomlbench.report.plots.leaderboards import _best, _limits

    scores = [0.5, 0.51, 0.52]
    runs = pd.DataFrame({"task_id": "t", "agent": ["a", "a", "b"], "score": scores})
    runs["direction"] = "maximize" if sign > 0 else "minimize"
    runs["score_low"], runs["score_high"] = runs["score"] - 0.2, runs["score"] + 0.2
    low, high = _limits(runs, _best(runs), np.array([]), np.array([]), [np.nan] * 3, sign)
    best = runs.iloc[[1, 2]] if sign > 0 else runs.iloc[[0, 2]]
    drawn = best[sign * best["score"] >= np.quantile(sign * runs["score"], 0.1)]
    ends = sign * drawn[["score_low", "score_high"]].to_numpy()
    assert low <= ends.min()
    assert ends.max() <= high


@given(
    others=st.lists(st.floats(0.2, 0.9), min_size=3, max_size=9),
    own=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30),
    sign=st.sampled_from([1, -1]),
)
@example(others=[0.5, 0.6, 0.7], own=[1e150, 1e150], sign=-1)
@example(others=[0.5, 0.6, 0.7], own=[1e150, 1e150], sign=1)
def test_no_agent_alone_sets_the_axis_of_others(others, own, sign):
    from biomlbench.report.plots.leaderboards import _best, _limits

    agents = [*(f"a{n}" for n in range(len(others))), *["x"] * len(own)]
    scores = np.array([*others, *own])
    runs = pd.DataFrame({"task_id": "t", "agent": agents, "score": scores})
    runs["direction"] = "maximize" if sign > 0 else "minimize"
    runs["score_low"], runs["score_high"] = runs["score"] - 0.1, runs["score"] + 0.1
    low, high = _limits(runs, _best(runs), np.array([]), np.array([]), [np.nan] * 3, sign)
    assert low < high < low + 20


def test_scores_beyond_either_end_are_marked(some):
    pairs = some.pairs.copy()
    first = pairs.index[pairs["score"].notna() & pairs["label"].isna()][0]
    task = pairs.loc[first, "task_id"]
    figures = {}
    for score in (1e150, -1e150):
        pairs.loc[first, "score"] = score
        figure = plots.load("leaderboards").figure(
            dataclasses.replace(some, pairs=pairs[pairs["task_id"] == task])
        )
        (axes,) = [axes for axes in figure.axes if axes.lines]
        figures[score] = {line.get_marker() for line in axes.lines}
        assert np.ptp(axes.get_xlim()) < 1e9
    assert {"<", ">"} <= figures[1e150] | figures[-1e150]


def test_entries_of_a_leaderboard_beyond_the_end_are_counted_and_no_bars(some):
    board = np.array([-90.0, -80.0, *np.linspace(0.4, 0.6, 40)])
    task = some.runs[some.runs["direction"] == "maximize"]["task_id"].iloc[0]
    pairs = some.pairs[some.pairs["task_id"] == task]
    tasks = some.tasks.assign(leaderboard=[board] * len(some.tasks))
    figure = plots.load("leaderboards").figure(dataclasses.replace(some, pairs=pairs, tasks=tasks))
    (axes,) = [axes for axes in figure.axes if axes.lines]
    assert "◂ 2 more" in {text.get_text() for text in axes.texts}
    assert axes.get_xlim()[0] > -80
    (bars,) = [patch for patch in axes.patches if hasattr(patch, "get_data")]
    heights = 0.4 - bars.get_data().values
    assert heights[0] == 0
    assert heights.sum() > 0


def test_the_matrix_of_checks_says_which_mutants_it_has_not(some):
    task = some.kills["task_id"].iloc[0]
    row = some.rates.iloc[0].to_dict()
    row |= {"task_id": task, "scope": "family", "name": "held_out_mutant", "kind": "false_pass"}
    others = some.rates[some.rates["name"] != "held_out_mutant"]
    rates = pd.concat([others, pd.DataFrame([row | {"errors": 0, "n": 4}])])

    def headings(rates):
        figure = plots.load("kill_matrix").figure(dataclasses.replace(some, rates=rates))
        return [axes.get_title(loc="left") for axes in figure.axes]

    assert not [text for text in headings(others) if "held-out" in text]
    (told,) = [text for text in headings(rates) if "held-out" in text]
    assert told.endswith("; 4 held-out mutants not in here")


@pytest.mark.parametrize(("name", "table"), [("flakes", "flakes"), ("margins", "margins")])
def test_a_calibration_without_rows_of_a_figure_is_no_missing_calibration(some, name, table):
    """As of tasks of predictions alone, of which nothing is run again."""
    none = dataclasses.replace(some, **{table: getattr(some, table).iloc[:0]})
    (told,) = [t.get_text() for t in plots.draw(name, none).findobj(Text) if "No " in t.get_text()]
    assert "calibration" not in told
    none = dataclasses.replace(none, rates=some.rates.iloc[:0])
    assert any("No calibration yet" in t.get_text() for t in plots.draw(name, none).findobj(Text))


@pytest.mark.parametrize("name", ["check_outcomes", "margins"])
def test_checks_of_two_tasks_of_one_name_are_not_added_up(some, name):
    new = {"kernels/layer-norm": "imaging/attention-weights"}
    both = {
        table: getattr(some, table).assign(task_id=getattr(some, table)["task_id"].replace(new))
        for table in ("pairs", "checks", "margins")
    }
    axes = plots.load(name).figure(dataclasses.replace(some, **both)).axes[0]
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    assert len(set(labels)) == len(labels)
    assert {one.partition(" ")[0] for one in labels} >= {
        "imaging/attention-weights", "kernels/attention-weights",
    }  # fmt: skip


LACKING = [name for name in NAMES if hasattr(plots.load(name), "lacks")]


@pytest.mark.parametrize("name", LACKING)
def test_a_figure_that_lacks_data_says_why_in_a_line(name, some):
    assert plots.lacks(name, some) == ""
    reason = plots.lacks(name, Tables())
    assert reason.endswith(".")
    assert reason in {text.get_text() for text in plots.draw(name, Tables()).findobj(Text)}


def test_the_legend_of_a_single_panel_ends_within_the_figure(some):
    task = some.runs[some.runs["score"].notna()]["task_id"].iloc[0]
    one = some.pairs[some.pairs["task_id"] == task]
    figure = plots.load("leaderboards").figure(dataclasses.replace(some, pairs=one))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (legend,) = figure.legends
    box = legend.get_window_extent(canvas.get_renderer())
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(4, 46))
@example("\ufdfd" * 200, 22)
@example("W" * 200, 22)
@example("\uff21" * 100, 34)
@example("a" + "\u0300" * 29 + "b", 34)
@example("z" + "\u0335\u0489" * 15 + "algo", 34)
@example("\u0300" * 29, 34)
def test_a_label_is_as_wide_and_high_as_its_place(text, width):
    shown = _style.clip(text, width).replace("\\$", "$")
    wide, high = _style._extent(shown)
    assert len(shown) <= width
    assert wide <= width * _style._LETTER
    assert high <= _style._HIGHEST


@pytest.mark.parametrize(
    "name", ["n" * 34, "breast-cancer-wisconsin", "Ng\u00f4 \u1ebe", "\u05e9\u05b8\u05c1"]
)
def test_a_label_of_ordinary_letters_stays_whole(name):
    assert _style.clip(name) == name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kept", [1, 99])
def test_titles_and_keys_end_within_a_figure_of_long_names(some, name, kept):
    frames = {field.name: getattr(some, field.name) for field in dataclasses.fields(Tables)}
    for which, frame in frames.items():
        for column in {"agent", "check", "name"} & set(frame.columns):
            chosen = list(frame[column].dropna().unique()[:kept])
            named = frame[frame[column].isin(chosen)]
            frame = named.assign(**{column: named[column] + " " + "W" * 60})
        frames[which] = frame
    figure = plots.draw(name, Tables(**frames))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    keys = [one.get_legend() for one in figure.axes if one.get_legend()]
    titles = [
        text
        for axes in figure.axes
        for text in axes.get_children()
        if isinstance(text, Text) and text.get_text() in map(axes.get_title, ("left", "center"))
    ]
    for shown in (*titles, *keys):
        assert shown.get_window_extent(canvas.get_renderer()).x1 <= figure.bbox.width


@pytest.mark.parametrize("human", [-100.0, 0.3, 100.0])
@pytest.mark.parametrize("teams", [0, 9])
def test_human_baselines_are_drawn_within_their_axes(some, human, teams, tmp_path):
    """Also those that are better than all agents and than a leaderboard, or worse."""
    none = dict.fromkeys((f"{medal}_threshold" for medal in _style.MEDAL_COLOURS), np.nan)
    number = len(some.tasks)
    board = np.linspace(0.4, 0.6, teams)
    tasks = some.tasks.assign(humans=[np.array([human])] * number, leaderboard=[board] * number)
    pairs = some.pairs[some.pairs["agent"] == "aide"].assign(**none)
    tables = dataclasses.replace(some, tasks=tasks, pairs=pairs)
    plots.render("leaderboards", tables, tmp_path, ("png",))  # a warning is an error
    for axes in [axes for axes in plots.draw("leaderboards", tables).axes if axes.lines]:
        low, high = axes.get_xlim()
        marks = [line for line in axes.lines if line.get_color() == "white"]
        assert [len(line.get_xdata()) for line in marks] == [1]
        assert low <= marks[0].get_xdata()[0] <= high
        is_beyond = teams and marks[0].get_xdata()[0] == low
        assert marks[0].get_marker() == ("<" if is_beyond else "D")
