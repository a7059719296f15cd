"""Numbers written otherwise than with a point: the same advice wherever one is read."""

import pytest

from biomlbench.errors import LeaderboardError, TaskError, UserError
from biomlbench.scoring.humans import human_scores, read_human_baselines
from biomlbench.scoring.leaderboard import as_leaderboard, read_leaderboard
from biomlbench.submission.cells import RowError, integer_of
from biomlbench.submission.csv_hints import number_hint
from biomlbench.submission.csv_table import clean_numbers
from biomlbench.workflow.run_metadata import metadata_of

DECIMALS = "; write decimals with a point, not a comma, and thousands without a separator"


@pytest.mark.parametrize(
    "cell",
    ["0,85", ",5", "-1,5e-3", "1,234", "1,234.5", "1.234,5", "1.234.567", "12 345", "1'234,5",
     "1\u202f234", "1\u00a0234"],
)  # fmt: skip
def test_decimals_and_thousands_of_any_country_are_recognised(cell):
    assert number_hint([cell, "2.5", None, 3]) == DECIMALS
    assert number_hint([cell, "x"]) == ""


@pytest.mark.parametrize("cell", ["1.2.3", "2025-03-04", "1,2,3", "x,5", "", "1.5", "1234 5"])
def test_what_may_mean_something_else_is_given_no_advice(cell):
    assert number_hint([cell]) == ""


def test_every_reader_of_numbers_gives_the_advice(tmp_path):
    import pyarrow as pa

    path = tmp_path / "board.csv"
    path.write_text('score\n"0,85"\n')
    readers = {
        "submission": lambda: clean_numbers(pa.chunked_array([["0,85", "1"]]), "y"),
        "leaderboard": lambda: read_leaderboard(path),
        "leaderboard in memory": lambda: as_leaderboard([0.5, "0,85"]),
        "human baselines": lambda: read_human_baselines(path),
        "human baselines in memory": lambda: human_scores([0.5, "0,85"]),
        "run table": lambda: integer_of({"seed": "0,85"}, "seed"),
    }
    for name, read in readers.items():
        with pytest.raises((UserError, LeaderboardError, TaskError, RowError)) as error:
            read()
        assert str(error.value).endswith(DECIMALS), name
    assert metadata_of({"meta_cost_usd": "0,85"})["meta_note"].endswith(DECIMALS)
