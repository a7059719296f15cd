import pytest

from biomlbench.calibrate import gate, labels, summary
from biomlbench.calibrate.intervals import wilson
from biomlbench.calibrate.left_out import left_out
from biomlbench.calibrate.summary import Graded

T = "kernels/toy"
CATCHES = {T: {"oracle": ["off", "sign"], "sum": ["sign"]}}


def _row(
    control,
    label,
    family,
    check,
    outcome="passed",
    margin=None,
    credited=True,
    patterns=(),
    mode="numeric_tolerance",
):
    return {
        "task_id": T, "control": control, "family": family, "label": label,
        "patterns": list(patterns), "claims": [], "credited": credited, "check": check,
        "mode": mode, "severity": "critical", "outcome": outcome, "margin": margin,
    }  # fmt: skip


def _controls():
    rows = []
    for name in ("reference", "right/loop"):
        rows += [
            _row(name, "right", "right", "oracle", margin=0.9),
            _row(name, "right", "right", "sum", mode="property_based"),
        ]
    rows += [
        _row("bad/off", "wrong", "known_bad", "oracle", "failed", -3.0, False, ["off"]),
        _row(
            "bad/off", "wrong", "known_bad", "sum", "passed", None, False, ["off"], "property_based"
        ),
        _row("bad/sign", "wrong", "known_bad", "oracle", "failed", -9.0, False, ["sign"]),
        _row(
            "bad/sign",
            "wrong",
            "known_bad",
            "sum",
            "failed",
            None,
            False,
            ["sign"],
            "property_based",
        ),
        _row("mutant/a", "wrong", "mutant", "oracle", "passed", 0.2, True),
        _row("mutant/a", "wrong", "mutant", "sum", "passed", None, True, mode="property_based"),
    ]
    return rows


def _rate(table, scope, name, kind):
    found = [
        r for r in table.to_pylist() if (r["scope"], r["name"], r["kind"]) == (scope, name, kind)
    ]
    assert len(found) == 1
    return found[0]["errors"], found[0]["n"]


def test_rates_by_hand():
    table = summary.rates(summary.gather(_controls()), CATCHES, "2025-W14")
    assert _rate(table, "overall", "overall", "false_pass") == (1, 3)
    assert _rate(table, "card", T, "false_fail") == (0, 2)
    assert _rate(table, "family", "mutant", "false_pass") == (1, 1)
    assert _rate(table, "family", "known_bad", "false_pass") == (0, 2)
    # the check `sum` is only answerable for the pattern that it names
    assert _rate(table, "check", f"{T}:sum", "false_pass") == (0, 1)
    assert _rate(table, "check", f"{T}:oracle", "false_pass") == (0, 2)
    assert _rate(table, "mode", "property_based", "false_pass") == (0, 1)
    assert set(table.column("week").to_pylist()) == {"2025-W14"}


def test_checks_chosen_without_an_operator_are_tried_on_it():
    def mutant(name, *killers):
        checks = dict.fromkeys(killers, ("exact_match", "critical", True))
        return Graded(T, f"mutant/{name}-1-0123abcd", "mutant", "wrong", not killers, checks=checks)

    graded = [
        # two checks catch each of these; one is enough, the first by name
        mutant("sign", "large", "oracle"), mutant("loop", "large", "oracle"),
        # only a check that nothing else needs catches this one
        mutant("tie", "ties"),
        mutant("cache"),
        *_many("reference", "right", 2, 0),
    ]  # fmt: skip
    assert left_out(graded) == {"sign": [False], "loop": [False], "tie": [True], "cache": [True]}
    table = summary.rates(graded)
    assert _rate(table, "left_out", "tie", "false_pass") == (1, 1)
    assert _rate(table, "operator", "tie", "false_pass") == (0, 1)
    assert _rate(table, "operator", "cache", "false_pass") == (1, 1)


def test_a_person_overrides_the_label(tmp_path):
    path = tmp_path / "adjudications.csv"
    path.write_text(
        "task_id,run_id,label,who,why\nkernels/toy,mutant/a,right,ada,the same but for order\n"
    )
    table = summary.rates(summary.gather(_controls(), labels.read(path)[0]), CATCHES)
    assert _rate(table, "overall", "overall", "false_pass") == (0, 2)
    assert _rate(table, "overall", "overall", "false_fail") == (0, 3)


HEAD = "task_id,run_id,label,who,why\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a/b,r,falsch,x,y", ":2: a/b, r: `label` is right or wrong, not 'falsch'; correct it"),
        ("a/b,r,right,,y", ":2: a/b, r: `who` is empty; say who judged, and why"),
        ("a/b,r", ":2: a/b, r: `label` is right or wrong, not ''; correct it"),
        ("a/b,q,right,x,y\na/b,q,wrong,x,y", ":3: a/b, q: q has been judged right above"),
        ('a/b,"r"s,right,x,y', ":2: is no CSV (',' expected after '\"'); write the row anew"),
    ],
)
def test_a_wrong_adjudication_costs_only_itself_and_says_why(tmp_path, text, told):
    path = tmp_path / "adjudications.csv"
    path.write_text(f"{HEAD}{text}\na/b,last,wrong,x,y\n")
    found, unused = labels.read(path)
    assert found["a/b", "last"].label == "wrong"
    assert ("a/b", "r") not in found
    assert [str(row) for row in unused] == [f"{path}{told}"]


def test_a_quote_that_is_not_closed_costs_what_it_takes_in_and_no_row_before(tmp_path):
    path = tmp_path / "adjudications.csv"
    path.write_text(f'{HEAD}a/b,q,right,x,y\n\na/b,r,right,x,"y\na/b,s,wrong,x,y\n')
    found, (row,) = labels.read(path)
    assert [*found] == [("a/b", "q")]
    assert row.source == f"{path}:4"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"task_id,run_id,label,who\n", "1: the column(s) why are missing"),
        (b"", "1: the column(s) task_id"),
        (b"\xff\xfe", "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_a_file_of_adjudications_that_is_no_use_is_one_row(tmp_path, data, said):
    path = tmp_path / "adjudications.csv"
    if data is not None:
        path.write_bytes(data)
    found, (row,) = labels.read(path)
    assert not found
    assert (row.source, row.message[: len(said)]) == (str(path), said)
    assert labels.read(None) == ({}, [])


def test_power_counts_what_only_one_check_catches():
    rows = {
        r["check"]: r
        for r in summary.power(summary.gather(_controls()), {(T, "sum"): (3, 0.5)}).to_pylist()
    }
    assert (rows["oracle"]["kills"], rows["oracle"]["alone"]) == (2, 1)
    assert (rows["sum"]["kills"], rows["sum"]["alone"]) == (1, 0)
    assert rows["sum"]["redundant_with"] == "oracle"
    assert rows["oracle"]["redundant_with"] is None
    assert (rows["sum"]["cases"], rows["sum"]["seconds"]) == (3, 0.5)


def test_kills_and_margins_are_what_the_figures_read():
    from biomlbench.report.inputs import CALIBRATION_COLUMNS

    graded = summary.gather(_controls())
    for name, table in (
        ("kills", summary.kills(graded)),
        ("margins", summary.margins(graded)),
        ("rates", summary.rates(graded)),
    ):
        assert set(CALIBRATION_COLUMNS[name]) <= set(table.column_names)
    assert summary.margins(graded).num_rows == 5


def _many(family, label, n, misjudged):
    right = label == "right"
    return [Graded(T, f"{family}-{i}", family, label, right != (i < misjudged)) for i in range(n)]


@pytest.mark.parametrize(
    ("wrong_mutants", "bad", "wrong_bad", "wrong_right", "words"),
    [
        (0, 6, 0, 0, []),
        (1, 6, 0, 0, ["mutants"]),
        (0, 6, 1, 0, ["known-bad"]),
        (0, 6, 0, 1, ["right controls"]),
        (4, 6, 0, 0, ["mutants", "may be up to"]),
    ],
)
def test_the_gate_names_every_reason(wrong_mutants, bad, wrong_bad, wrong_right, words):
    graded = (
        _many("reference", "right", 4, wrong_right)
        + _many("known_bad", "wrong", bad, wrong_bad)
        + _many("mutant", "wrong", 30, wrong_mutants)
    )
    table = gate.allowed_rates(graded)
    (row,) = table.to_pylist()
    assert row["within_allowed"] == (not words)
    for word in words:
        assert any(word in reason for reason in row["reasons"]), row["reasons"]
    if words:
        with pytest.raises(gate.AllowedRatesError, match=T):
            gate.require(table)
    else:
        gate.require(table)


@pytest.mark.parametrize(("let_by", "words"), [(1, []), (4, ["wrong controls"])])
def test_what_was_held_out_counts_among_all_wrong_ones_only(let_by, words):
    graded = (
        _many("reference", "right", 4, 0)
        + _many("known_bad", "wrong", 6, 0)
        + _many("mutant", "wrong", 30, 0)
        + _many("held_out_mutant", "wrong", 20, let_by)
    )
    (row,) = gate.allowed_rates(graded).to_pylist()
    assert [reason.partition(":")[0] for reason in row["reasons"]] == words


def test_too_few_wrong_controls_cannot_show_anything():
    (row,) = gate.allowed_rates(
        _many("reference", "right", 4, 0) + _many("known_bad", "wrong", 10, 0)
    ).to_pylist()
    assert not row["within_allowed"]
    loose = gate.Allowed.of({"false_pass_high": 0.3, "title": "other keys are left alone"})
    (row,) = gate.allowed_rates(
        _many("reference", "right", 4, 0) + _many("known_bad", "wrong", 10, 0), loose
    ).to_pylist()
    assert row["within_allowed"]


def test_the_upper_bound_is_asked_of_cards_alone_and_says_what_would_show_it():
    (row,) = gate.allowed_rates(
        _many("reference", "right", 4, 0) + _many("known_bad", "wrong", 10, 0)
    ).to_pylist()
    (reason,) = row["reasons"]
    assert reason.endswith(
        "allowed 10.0% of a problem card; 35 wrong controls without a false pass would show it: "
        "ask for more mutants"
    )
    assert wilson(0, 34).high > 0.1 >= wilson(0, 35).high
    (row,) = gate.allowed_rates(
        _many("gold", "right", 4, 0) + _many("spoilt", "wrong", 8, 0)
    ).to_pylist()
    assert row["within_allowed"]


def test_a_labelled_run_is_not_called_a_known_bad_solution():
    (row,) = gate.allowed_rates(
        _many("gold", "right", 4, 0) + _many("spoilt", "wrong", 8, 0) + _many("run", "wrong", 1, 1)
    ).to_pylist()
    (reason,) = row["reasons"]
    assert reason == (
        "wrong controls that are no mutants (a run with the label `wrong`): "
        "false pass rate 11.1% (1 of 9), allowed 0.0%"
    )


def _run(run_id, label=None, task=T, kind="functions"):
    from biomlbench.workflow.runs import Run

    names = dict.fromkeys(Run.__dataclass_fields__)
    return Run(**names | {"task_id": task, "run_id": run_id, "kind": kind, "label": label})


def test_labels_of_runs_come_from_the_run_table_and_a_person_overrides_them():
    judged = {(T, run): labels.Adjudication("wrong", "ada", "looked") for run in ("b", "c")}
    runs = [_run("d"), _run("c"), _run("b", "right"), _run("a", "right"), _run("e", "right", "x/y")]
    assert labels.labelled(runs, judged, {T}) == [
        (T, "a", "functions", "right"),
        (T, "b", "functions", "wrong"),
        (T, "c", "functions", "wrong"),
    ]


def test_labelled_runs_count_as_controls(tmp_path):
    from biomlbench.calibrate.labels import Labelled
    from biomlbench.calibrate.runs import labelled_runs
    from biomlbench.contracts import SCHEMAS, from_rows, write_table

    lost = {"fault": "infrastructure", "reason": "infrastructure", "verdict": "fail"}
    good = {"fault": "none", "reason": "ok", "verdict": "pass"}
    for run_id, more in (("good", good), ("lost", lost)):
        medal = {"task_id": T, "run_id": run_id, **more}
        blank = {f.name: _blank(f) for f in SCHEMAS["medal"] if not f.nullable}
        check = {"check": "oracle", "mode": "exact_match", "severity": "blocker"}
        empty = {f.name: _blank(f) for f in SCHEMAS["verify"] if not f.nullable}
        verify = {**empty, **check, "task_id": T, "run_id": run_id, "outcome": "passed"}
        folder = tmp_path / "pairs" / T / run_id
        write_table("medal", from_rows("medal", [{**blank, **medal}]), folder / "medal.parquet")
        write_table("verify", from_rows("verify", [verify]), folder / "verify.parquet")
    runs = [Labelled(T, run_id, "functions", "wrong") for run_id in ("good", "lost")]
    (found,) = labelled_runs(tmp_path, runs, None)
    assert (found.name, found.family, found.label) == ("run/good", "run", "wrong")
    assert found.credited
    assert found.misjudged
    assert list(found.checks) == ["oracle"]


def _blank(field):
    import pyarrow as pa

    if pa.types.is_list(field.type):
        return []
    return "" if pa.types.is_string(field.type) else field.type.to_pandas_dtype()()


def test_what_was_not_measured_is_not_called_above_the_limits(tmp_path):
    from biomlbench.contracts import write_table

    assert gate.not_within_allowed(tmp_path) == {}
    graded = _many("reference", "right", 4, 1) + _many("mutant", "wrong", 40, 0)
    path = tmp_path / "calibration" / "allowed_rates.parquet"
    write_table("allowed_rates", gate.allowed_rates(graded), path)
    assert list(gate.not_within_allowed(tmp_path)) == [T]


def test_the_command_names_what_is_not_calibrated_and_fails_if_strict(tmp_path):
    from click.testing import CliRunner

    from biomlbench.cli import _cli
    from biomlbench.contracts import write_table

    def check(*options):
        arguments = ["calibrate", "check", "--results", str(tmp_path), *options]
        return CliRunner().invoke(_cli, arguments)

    assert check().exit_code != 0
    assert "allowed_rates.parquet" in str(check().exception)
    path = tmp_path / "calibration" / "allowed_rates.parquet"
    good = _many("reference", "right", 4, 0) + _many("mutant", "wrong", 40, 0)
    write_table("allowed_rates", gate.allowed_rates(good), path)
    assert check("--strict").exit_code == 0
    bad = _many("reference", "right", 4, 1) + _many("mutant", "wrong", 40, 0)
    write_table("allowed_rates", gate.allowed_rates(bad), path)
    assert check().exit_code == 0
    assert "false fail rate 25.0%" in check().output
    strict = check("--strict")
    assert strict.exit_code == 1
    assert f"1 of 1 tasks are not within the allowed error rates: {T}" in strict.output
