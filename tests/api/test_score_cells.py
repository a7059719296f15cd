"""Scores of boards and people mean in a table in memory what they mean in its file."""

import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas._libs.parsers import STR_NA_VALUES

from biomlbench.api.grading import check_numbers
from biomlbench.errors import LeaderboardError, TaskError
from biomlbench.grade import calculate_human_performance_metrics
from biomlbench.grade_helpers import Grader
from biomlbench.metrics import MetricError, get_metric
from biomlbench.scoring.humans import human_scores, read_human_baselines
from biomlbench.scoring.leaderboard import as_leaderboard, read_leaderboard
from biomlbench.scoring.medals import rank_score
from biomlbench.scoring.score_cells import given_score

CELLS = {
    "numbers": [0.5, 1, np.int8(2)],
    "text": ["0.5", " 1", "2.0"],
    "decimals": [decimal.Decimal("0.5"), decimal.Decimal(1), 2],
}


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("table", [list, pd.Series, lambda cells: pd.DataFrame({"Score": cells})])
def test_numbers_in_any_form_are_scores(cells, table):
    for read in (human_scores, lambda scores: as_leaderboard(scores).ascending):
        assert read(table(CELLS[cells])).tolist() == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("cell", [True, np.True_, "True", "1_000", "x", float("inf"), 10**400, 1j])
def test_what_is_no_number_is_refused_with_its_row(tmp_path, cell):
    path = tmp_path / "scores.csv"
    path.write_text(f"score\n0.5\n{cell}\n")
    for column in (
        [0.5, cell],
        pd.DataFrame({"score": pd.Series([0.5, cell], dtype=object)}),
        path,
    ):
        in_file = column is path
        for read in (
            (read_human_baselines, read_leaderboard) if in_file else (human_scores, as_leaderboard)
        ):
            with pytest.raises(TaskError, match=r"row 2: the score .* is not a finite number"):
                read(column)


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (lambda: human_scores(np.array([0.5, np.inf])), "the score inf is not"),
        (lambda: as_leaderboard(np.array([0.5, -np.inf])), "the score -inf is not"),
        (lambda: given_score(np.True_), "not True"),
        (lambda: check_numbers(np.float64(1.5), 0), "bootstrap: 1.5 is"),
        (lambda: check_numbers(0, 0, 2**32), "program_seed: 4294967296 is larger"),
        (lambda: Grader("g", metric="f1", options={"average": np.str_("x")}), "not 'x'"),
        (lambda: get_metric("f1")(["a", "b"], ["a", "b"], pos_label=np.int64(7)), "pos_label 7 is"),
        (lambda: get_metric("roc_auc")([2, 1], [2, 1], pos_label=np.int64(7)), "pos_label 7 is"),
        (lambda: get_metric("f1")([0, 0], [0, 0], pos_label=np.float64(7)), "the class 7.0"),
    ],
)
def test_messages_write_numbers_of_numpy_as_people_do(refused, told):
    with pytest.raises((MetricError, TaskError, ValueError)) as error:
        refused()
    assert told in str(error.value)
    assert "np." not in str(error.value)


@pytest.mark.parametrize("given", ["0.5", decimal.Decimal("0.5"), np.float32(0.5), pa.scalar(0.5)])
def test_a_score_may_be_handed_in_as_text(given):
    given = given.as_py() if isinstance(given, pa.Scalar) else given
    assert calculate_human_performance_metrics(given, [0.4, 0.6], False) == (False, 50.0)
    assert rank_score(given, [0.4, 0.6], "maximize")["leaderboard_percentile"] == 50.0


@pytest.mark.parametrize("given", [True, np.True_, "0,5", "good", [0.5]])
def test_what_is_no_score_is_said(given):
    for compare in (
        lambda: calculate_human_performance_metrics(given, [0.4], False),
        lambda: rank_score(given, [0.4], "maximize"),
    ):
        with pytest.raises(ValueError, match="a score is a finite number, not"):
            compare()


@pytest.mark.parametrize("spelling", sorted(STR_NA_VALUES))
def test_people_without_a_score_are_those_that_pandas_sees(tmp_path, spelling):
    path = tmp_path / "human_baselines.csv"
    path.write_text(f"name,score\na,0.5\nb,{spelling}\n")
    assert pd.read_csv(path)["score"].isna().tolist() == [False, True]
    assert read_human_baselines(path).tolist() == [0.5]
    assert human_scores(pd.DataFrame({"score": [0.5, spelling]})).tolist() == [0.5]


BOARD = pd.DataFrame(
    {"TeamName": ["A", "B", "A", None, None, "C"], "score": [0.9, 0.8, 0.95, 0.2, 0.3, None]}
)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_team_counts_once_in_a_file_and_in_a_table(tmp_path, direction, end):
    path = tmp_path / "leaderboard.csv"
    BOARD.to_csv(path, index=False, lineterminator=end)
    boards = [
        read_leaderboard(path, direction),
        as_leaderboard(BOARD, direction=direction),
        as_leaderboard(pa.Table.from_pandas(BOARD), direction=direction),
    ]
    best = 0.95 if direction == "maximize" else 0.9
    assert [board.ascending.tolist() for board in boards] == [[0.2, 0.3, 0.8, best]] * 3
    assert len({board.notes for board in boards}) == 1
    assert rank_score(0.1, BOARD, direction)["leaderboard_size"] == 4
    for read in (as_leaderboard(BOARD[["score"]].dropna()), as_leaderboard(BOARD["score"][:3])):
        assert len(read) in (5, 3)  # nothing tells teams apart
    for read in (lambda: read_leaderboard(path), lambda: as_leaderboard(BOARD)):
        with pytest.raises(LeaderboardError, match="row 3 repeats a `TeamName`"):
            read()


def test_an_order_in_text_tells_the_direction():
    grader = Grader(name="own", grade_fn="operator:sub")
    assert grader.is_lower_better(pd.DataFrame({"Score": ["0.1", "0.2", "10"]}))
