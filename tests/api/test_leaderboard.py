"""Leaderboards as people have them, and the ones that cannot be right."""

import os

import pytest

from biomlbench.errors import LeaderboardError
from biomlbench.scoring.leaderboard import as_leaderboard, direction_of_file, read_leaderboard
from biomlbench.workflow.fingerprints import fingerprint


def write(tmp_path, text, name="leaderboard.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_kaggle_export_with_missing_and_repeated_teams(tmp_path):
    path = write(
        tmp_path,
        "scoreNullable,teamId,hasTeamName,submissionDate,score,hasScore\n"
        "0.7,1,True,2020-01-01,0.7,True\n"
        ",2,True,2020-01-01,,False\n"
        "0.9,3,True,2020-01-01,0.9,True\n"
        "0.8,1,True,2020-01-02,0.8,True\n",
    )
    board = read_leaderboard(path, "maximize")
    assert board.ascending.tolist() == [0.8, 0.9]
    assert board.notes == (
        "1 team(s) without a score left out",
        "1 more row(s) of teams that are there already left out",
    )
    assert read_leaderboard(path, "minimize").ascending.tolist() == [0.7, 0.9]
    with pytest.raises(LeaderboardError, match="row 4 repeats a `teamId`"):
        read_leaderboard(path)


def test_every_kaggle_file_reads_as_it_is(shared):
    folder = shared / "data" / "leaderboards_kaggle"
    sizes = {path.name: len(read_leaderboard(path)) for path in folder.glob("*.csv")}
    lines = {path.name: len(path.read_text().splitlines()) - 1 for path in folder.glob("*.csv")}
    assert sizes == lines
    assert len(sizes) == 6


def test_boards_of_other_origin_read_as_they_are(shared):
    folder = shared / "data" / "leaderboards_other"
    assert len(read_leaderboard(folder / "tdcommons-caco2-wang.csv", "minimize")) == 7
    names = list(folder.glob("proteingym_*.csv"))
    assert [len(read_leaderboard(path, "maximize")) for path in names] == [11, 11]


TEAM_NAMES = [
    "TeamName",
    "teamName",
    "teamname",
    "Team Name",
    "team_name",
    "Team",
    "team",
    "TEAM ID",
]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("score", ["score", "Private Score", "PrivateScore", "SCORE"])
@pytest.mark.parametrize("team", TEAM_NAMES)
def test_teams_count_once_however_their_column_is_called(tmp_path, team, score, mark):
    rows = [["Rank", team, "PublicScore", score], "1 A 0 0.9", "2 B 0 0.8", "3 A 0 0.7"]
    text = "\n".join(mark.join(row if isinstance(row, list) else row.split()) for row in rows)
    path = write(tmp_path, f"{text}\n4{mark}C{mark}0{mark}\n")
    board = read_leaderboard(path, "maximize")
    assert board.ascending.tolist() == [0.8, 0.9]
    assert board.notes[0] == "1 team(s) without a score left out"


def test_an_id_tells_teams_apart_before_a_name_and_an_empty_name_is_nobodys(tmp_path):
    text = "TeamName,TeamId,Score\nA,1,0.9\nA,2,0.8\nB,2,0.7\n"
    assert read_leaderboard(write(tmp_path, text), "maximize").ascending.tolist() == [0.8, 0.9]
    text = "TeamName,Score\n,0.9\n,0.8\n"
    assert len(read_leaderboard(write(tmp_path, text), "maximize")) == 2
    text = "name,model,score\nA,x,0.9\nA,x,0.8\n"
    assert len(read_leaderboard(write(tmp_path, text), "maximize")) == 2


def test_published_boards_count_every_row_of_a_name(tmp_path):
    path = write(tmp_path, "teamName,score\nA,0.9\nA,0.8\n")
    assert len(read_leaderboard(path, "maximize", team_names=False)) == 2
    assert len(read_leaderboard(path, "maximize")) == 1


@pytest.mark.parametrize(
    "text", ["Rank,TeamName,Score\n1,a,0.9\n2,b,0.5\n", "team;score\na;0.5\nb;0.9\n"]
)
def test_spellings_of_exports(tmp_path, text):
    board = read_leaderboard(write(tmp_path, text), "maximize")
    assert board.ascending.tolist() == [0.5, 0.9]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("score\n91%\n", "row 1: the score '91%' is not a finite number; write 0.5 for 50 %"),
        ('score\n"0,5"\n', "row 1: the score '0,5' is not a finite number; write decimals"),
        ("team,score\na,0,5\n", "row 1 has 3 cells .* has 2; write decimals with a point"),
        ("score,score\n1,2\n", "more than one column `score`"),
        ("", "no column `score`"),
        ("points\n1\n", "no column `score`"),
        ("score\n", "there are no scores"),
        ("score\n0.5\nnan\n", "row 2: the score 'nan' is not a finite number"),
        ("score\n0.5\n-inf\n", "row 2"),
        ("score\n0.5\nbest\n", "row 2: the score 'best'"),
        ("score,model\n0.5,a\n,b\n", "missing, NaN or infinite, first in row 2"),
        ("score,team\n0.5,a\n0.4\n", "row 2 has 1 cells where the header has 2"),
    ],
)
def test_broken_files_are_refused_by_name_and_row(tmp_path, text, message):
    with pytest.raises(LeaderboardError, match=message) as error:
        read_leaderboard(write(tmp_path, text), "maximize")
    assert "leaderboard.csv" in str(error.value)


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (os.mkfifo, "cannot be read as CSV: a pipe"),
        (os.mkdir, "cannot be read as CSV: Is a directory"),
        (lambda path: path.symlink_to("/dev/zero"), "cannot be read as CSV: a device"),
        (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 2**38), "larger than 128"),
        (lambda path: path.write_text("score\n0.5\n", "utf-16"), "no text in UTF-8 .* save it as"),
        (lambda path: path.write_text("score,é\n0.5,1\n", "latin-1"), "no text in UTF-8 .* save"),
        (lambda path: path.write_text("score\n２０\n"), "row 1: the score '２０' is not a finite"),
    ],
)
def test_what_is_no_text_of_numbers_is_refused_at_once(tmp_path, odd, message):
    path = tmp_path / "leaderboard.csv"
    odd(path)
    with pytest.raises(LeaderboardError, match=message):
        read_leaderboard(path, "maximize")


def test_ranks_in_other_digits_are_no_ranks(tmp_path):
    path = write(tmp_path, "rank,score\n²,0.9\n1,0.8\n")
    assert len(read_leaderboard(path, "maximize")) == 2


@pytest.mark.parametrize("declared", [None, "leaderboard.csv"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_tasks_leaderboard_that_is_no_file_is_told(factory, make, declared):
    task = factory.task(leaderboard=None, config={"leaderboard": declared})
    make(task.folder / "leaderboard.csv")
    assert fingerprint(task, "medal")  # nothing is waited for
    with pytest.raises(LeaderboardError, match=r"leaderboard\.csv: is a (pipe|folder), where a"):
        _ = task.leaderboard


def test_a_missing_file(tmp_path):
    with pytest.raises(LeaderboardError, match="cannot be read"):
        read_leaderboard(tmp_path / "none.csv")


def test_order_does_not_matter_but_an_exact_contradiction_is_refused(tmp_path):
    shuffled = "score\n0.2\n0.9\n0.4\n0.7\n0.5\n0.6\n"
    assert len(read_leaderboard(write(tmp_path, shuffled, "a.csv"), "maximize")) == 6
    worst_first = "score\n0.1\n0.2\n0.3\n0.4\n0.5\n"
    path = write(tmp_path, worst_first, "b.csv")
    with pytest.raises(LeaderboardError, match="declared to be maximized"):
        read_leaderboard(path, "maximize")
    assert len(read_leaderboard(path, "minimize")) == 5
    few = write(tmp_path, "score\n0.1\n0.2\n0.3\n", "c.csv")
    assert len(read_leaderboard(few, "maximize")) == 3


def test_a_rank_column_decides_over_the_order_of_the_rows(tmp_path):
    text = "rank,score\n5,0.1\n4,0.2\n3,0.3\n2,0.4\n1,0.5\n"
    path = write(tmp_path, text)
    assert len(read_leaderboard(path, "maximize")) == 5
    with pytest.raises(LeaderboardError, match="rank column runs against"):
        read_leaderboard(path, "minimize")


def test_scores_that_the_metric_cannot_have(tmp_path):
    path = write(tmp_path, "score\n12.5\n11.0\n")
    with pytest.raises(LeaderboardError, match="outside the metric's range 0 to 1"):
        read_leaderboard(path, "maximize", (0.0, 1.0))


def test_a_changed_file_is_read_again(tmp_path):
    path = write(tmp_path, "score\n1\n")
    first = read_leaderboard(path, "maximize")
    assert read_leaderboard(path, "maximize") is first
    path.write_text("score\n1\n2\n")
    assert len(read_leaderboard(path, "maximize")) == 2


@pytest.mark.parametrize(
    ("scores", "direction"),
    [("3 2 2 1", "maximize"), ("1 2", "minimize"), ("1 3 2", None), ("1 1", None), ("1", None)],
)
def test_direction_shown_by_a_whole_file(tmp_path, scores, direction):
    path = write(tmp_path, "\n".join(["score", *scores.split()]) + "\n")
    assert direction_of_file(path) == direction


def test_leaderboard_passes_through():
    board = as_leaderboard([1, 2])
    assert as_leaderboard(board) is board
