"""Validation: each structural fault has its check, and nothing of the answers leaks."""

import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biomlbench.contracts import from_rows
from biomlbench.errors import NotPreparedError
from biomlbench.grade import validate_submission
from biomlbench.submission.code_checks import CODE_CHECKS, code_rows
from biomlbench.submission.validation import CHECKS, validate_rows

TYPED = {"submission": {"id": "id", "target": "y", "columns": {"y": {"minimum": 0, "maximum": 1}}}}


def failed(rows):
    return {row["check"]: row["reason"] for row in rows if row["outcome"] == "failed"}


def test_a_good_submission_passes_every_check(factory, good):
    rows = validate_rows(factory.submission(good), factory.task())
    assert [row["check"] for row in rows] == list(CHECKS)
    assert {row["outcome"] for row in rows} == {"passed"}
    assert {row["message"] for row in rows} == {""}
    from_rows("validate", [{"task_id": "a/b", "run_id": "1", **row} for row in rows])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,y\nr0,1\n", {"missing_ids": "missing_ids"}),
        (
            "id,y\nr0,1\nr0,1\nr1,1\nr2,1\nr3,1\nr4,1\nr5,1\nx,1\n",
            {"duplicate_ids": "duplicate_ids", "extra_ids": "extra_ids"},
        ),
        ("id,y\nr0,1\nr1,1\nr2,1\nr3,1\nr4,1\nr5,\n", {"missing_values": "nan_predictions"}),
        ("id,y\nr0,1\nr1,1\nr2,1\nr3,1\nr4,1\nr5,NaN\n", {"missing_values": "nan_predictions"}),
        ("id,y\nr0,1\nr1,1\nr2,1\nr3,1\nr4,1\nr5,-inf\n", {"missing_values": "nan_predictions"}),
        ("id,y\nr0,1\nr1,1\nr2,1\nr3,1\nr4,1\nr5,1e999\n", {"missing_values": "nan_predictions"}),
        ("id,y\nr0,1\nr1,1\nr2,1\nr3,1\nr4,1\nr5,1.01\n", {"values": "out_of_range"}),
        ("id,y\nr0,1\nr1,1\nr2,1\nr3,1\nr4,1\nr5,x\n", {"types": "wrong_type"}),
        ("id,y\n", {"rows": "empty"}),
        ("id,y", {"rows": "empty"}),
        ("", {"format": "empty"}),
        ("id,z\nr0,1\n", {"columns": "missing_columns"}),
        ("id,y,z\nr0,1,2\n", {"columns": "extra_columns"}),
    ],
)
def test_each_fault_has_its_check(factory, text, expected):
    task = factory.task(config=TYPED)
    assert failed(validate_rows(factory.submission(text=text), task)) == expected


def test_checks_after_a_fatal_one_are_skipped(factory):
    rows = validate_rows(factory.root / "none.csv", factory.task())
    assert rows[0]["reason"] == "missing_file"
    assert {row["outcome"] for row in rows[1:]} == {"skipped"}
    assert {row["reason"] for row in rows[1:]} == {"not_reached"}


def test_counts_and_first_rows(factory):
    task = factory.task()
    text = "id,y\nr0,1\nr1,1\nr1,2\nnew,1\nr2,1\nr1,1\n"
    messages = {
        row["check"]: row["message"]
        for row in validate_rows(factory.submission(text=text), task)
        if row["message"]
    }
    assert messages == {
        "duplicate_ids": "2 row(s) repeat an id, first in data row 3",
        "missing_ids": "3 of the 6 ids of the sample submission have no row "
        "(the submission has 6 rows)",
        "extra_ids": "1 row(s) have an id that the sample submission does not have, first in "
        "data row 4",
    }


@pytest.mark.parametrize("ids", [None, list(range(6))])
@pytest.mark.parametrize("end", [",\n", ",\n , \n,", '"",\r\n\r\n'])
def test_empty_rows_at_the_end_are_told_with_the_remedy(factory, ids, end):
    task = factory.task(ids=ids or [f"r{n}" for n in range(6)])
    whole = "id,y\n" + "".join(f"{name},1\n" for name in ids or [f"r{n}" for n in range(6)])
    rows = len(end.split())
    valid, message = validate_submission(factory.submission(text=whole + end), task)
    assert not valid
    assert message.endswith(f"; the last {rows} row(s) have nothing but empty cells: delete them")
    told = validate_submission(factory.submission(text=whole + end + "\nx,1\n"), task)[1]
    assert "delete them" not in told
    assert validate_submission(factory.submission(text=f"{whole}\n\r\n"), task)[0]


def test_the_answers_are_never_opened(factory, good):
    task = factory.task()
    shutil.rmtree(task.private_dir)
    assert validate_submission(factory.submission(good), task) == (True, "Submission is valid.")
    is_valid, message = validate_submission(factory.submission(good[:3]), task)
    assert not is_valid
    assert message.startswith("Submission invalid! 3 of the 6 ids")


def test_without_prepared_data_the_task_is_at_fault(factory, good):
    task = factory.task()
    shutil.rmtree(factory.data)
    with pytest.raises(NotPreparedError, match="prepare the task's data first"):
        validate_submission(factory.submission(good), task)


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)
@given(
    st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), max_size=8), st.text(max_size=3)
)
def test_messages_hold_no_id_and_no_value(factory, rows, extra):
    """Ids are secrets here: whatever is submitted, no message repeats one."""
    ids = [f"SECRET{i}" for i in range(6)]
    task = factory.task(ids=ids, config=TYPED)
    cells = [*rows, ("SECRET0", "0.777"), ("SECRET0", "888"), ("OWNID", "x" + extra)]
    text = "id,y\n" + "".join(f'"{a}","{b}"\n' for a, b in cells).replace("\0", "")
    rows = validate_rows(factory.submission(text=text.encode("utf-8", "replace")), task)
    shown = " ".join(row["message"] for row in rows)
    assert failed(rows)
    for secret in ("SECRET", "OWNID", "777", "888"):
        assert secret not in shown


@pytest.mark.parametrize(("metric", "wrong"), [("panoptic_quality", []), ("dice", ["values"])])
def test_a_cell_has_several_instances_where_the_metric_takes_them(factory, metric, wrong):
    columns = {"mask": {"type": "rle", "height": 2, "width": 2}}
    grader = {"name": "x", "metric": metric}
    task = factory.task(
        config={"submission": {"id": "id", "columns": columns}, "grader": grader},
        sample="id,mask\nr0,\nr1,1 1\n",
    )
    for cell, also in (("1 1;3 2", wrong), ("1 1;1 2", ["values"])):
        text = f"id,mask\nr0,1 2\nr1,{cell}\n"
        assert [*failed(validate_rows(factory.submission(text=text), task))] == also


def test_declared_labels_integers_and_masks(factory):
    columns = {
        "label": {"type": "string", "allowed": ["T cell", "B cell"]},
        "count": {"type": "integer"},
        "mask": {"type": "rle", "height": 2, "width": 2},
    }
    task = factory.task(
        config={"submission": {"id": "id", "columns": columns}},
        sample="id,label,count,mask\nr0,T cell,0,\nr1,T cell,0,1 1\n",
    )

    def reasons(*rows):
        header = ("id", "label", "count", "mask")
        text = "\n".join(",".join(row) for row in (header, *rows)) + "\n"
        return failed(validate_rows(factory.submission(text=text), task))

    assert reasons(("r1", "B cell", "7", ""), ("r0", "T cell", "-3.0", "1 2 4 1")) == {}
    assert reasons(("r1", "A cell", "1", ""), ("r0", "T cell", "0", "")) == {
        "values": "out_of_range"
    }
    assert reasons(("r1", "", "1", ""), ("r0", "T cell", "0", "")) == {
        "missing_values": "nan_predictions"
    }
    assert reasons(("r1", "B cell", "1.5", ""), ("r0", "T cell", "0", "")) == {
        "types": "wrong_type"
    }
    assert reasons(("r1", "B cell", "1", "1 9"), ("r0", "T cell", "0", "")) == {
        "values": "wrong_type"
    }
    assert reasons(("r1", "B cell", "1", "-1 2"), ("r0", "T cell", "0", "")) == {
        "values": "wrong_type"
    }


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(x):\n    return x\n", {}),
        ("def f(x:\n", {"syntax": "syntax_error"}),
        ("", {"syntax": "empty"}),
        ("  \n", {"syntax": "empty"}),
        ("(" * 10_000, {"syntax": "syntax_error"}),
        ("-" * 100_000 + "1", {"syntax": "syntax_error"}),
        ("x = " + "[" * 99 + "]" * 99, {}),
        ("x = '\\d'\n", {}),
        (b"\xff\xfe", {"file": "unreadable"}),
        (b"x = 1\0", {"file": "unreadable"}),
    ],
)
def test_code_is_parsed_and_not_run(factory, code, expected, recwarn):
    rows = code_rows(factory.submission(name="s.py", text=code))
    assert [row["check"] for row in rows] == list(CODE_CHECKS)
    assert failed(rows) == expected
    assert not recwarn.list


@pytest.mark.parametrize(
    "code",
    ["id,y\nr1,0.5\nr2,-1e-3\n", "'a text'\n", "# nothing\n", "pass\n", "fit\n", "lambda x: x\n"],
)
def test_code_that_defines_nothing_cannot_define_the_cards_functions(factory, code):
    path = factory.submission(name="s.csv", text=code)
    assert failed(code_rows(path)) == {}
    rows = code_rows(path, functions=("fit", "predict"))
    assert failed(rows) == {"syntax": "missing_function"}
    told = "hand in the code that defines fit, predict"
    kind = "Python code is asked for, and this is a '.csv' file"
    assert rows[1]["message"].endswith(f"{told}; {kind}")
    named = factory.submission(name="s.py", text=code)
    assert code_rows(named, functions=("fit", "predict"))[1]["message"].endswith(told)


@pytest.mark.parametrize(
    "code",
    [
        "from m import *\n",
        "fit = len\n",
        "if 1:\n    fit = len\n",
        "for fit in [len]:\n    pass\n",
        "exec('def fit(): pass')\n",
        "globals()['fit'] = len\n",
        "globals().update(fit=len)\n",
        "[print(0), [[setattr]]]\n",
        "(fit := len)\n",
        "[0 for __builtins__.fit in [len]]\n",
        "class C:\n    pass\n",
        "try:\n    1 / 0\nexcept Exception as fit:\n    pass\n",
        "match len:\n    case fit:\n        pass\n",
        "del x\n",
    ],
)
def test_odd_ways_to_define_a_function_are_for_a_run_to_judge(factory, code):
    rows = code_rows(factory.submission(name="s.py", text=code), functions=("fit",))
    assert failed(rows) == {}


def test_code_that_would_harm_is_not_run(factory, tmp_path):
    harm = tmp_path / "harmed"
    rows = code_rows(factory.submission(name="s.py", text=f"open({str(harm)!r}, 'w')\n"))
    assert failed(rows) == {}
    assert not harm.exists()


def test_syntax_error_names_the_line(factory):
    rows = code_rows(factory.submission(name="s.py", text="x = 1\ny = = 2\n"))
    assert rows[1]["message"].startswith("line 2: ")


def test_a_program_is_parsed_and_not_run(factory):
    task = factory.task()
    path = factory.submission(name="model.py", text="raise SystemExit(1)\n")
    valid, message = validate_submission(path, task)
    assert valid
    assert message.startswith("Submission is valid. It is a program")
    path = factory.submission(name="model.py", text="print(1\n")
    valid, message = validate_submission(path, task)
    assert not valid
    assert "line 1" in message
