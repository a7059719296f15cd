from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from biomlbench.cli import _cli
from biomlbench.errors import TaskError
from biomlbench.verify import card, compute, evidence, explore, migrate, stock
from biomlbench.verify.execution import in_process, preload_for
from biomlbench.verify.kill_matrix import KillMatrix, KillRow


def status(matrix):
    return {item.item: item.status for item in matrix.items}


def test_a_complete_card_is_calibrated(template):
    found = evidence.matrix(template)
    assert set(status(found).values()) == {"present"}
    assert found.complete
    assert found.missing == []


@pytest.mark.parametrize(
    ("pattern", "item", "expected"),
    [
        ("solutions/right/loop.py", "right solutions", "weak"),
        ("solutions/right/*.py", "right solutions", "missing"),
        ("description.md", "description", "missing"),
    ],
)
def test_what_is_missing_is_told(template, pattern, item, expected):
    for path in template.glob(pattern):
        path.unlink()
    found = evidence.matrix(template)
    assert status(found)[item] == expected
    assert not found.complete
    assert any(text.startswith(item) for text in found.missing)


def test_too_few_hidden_cases_are_weak(template, change):
    change(template, "lengths = [1, 2, 3, 7, 20, 50, 101, 250]", "lengths = [5]", "cases.py")
    change(template, "    count: 6", "    count: 1")
    found = evidence.matrix(template)
    assert status(found)["hidden oracle cases"] == "weak"
    assert "hidden oracle cases: 8 of at least 12" in found.missing


def test_a_draft_is_uncalibrated(template, change):
    (template / "solutions" / "bad" / "length.py").unlink()
    change(template, "complex: true", "complex: true\ndraft: true")
    found = evidence.matrix(template)
    assert status(found)["failure patterns"] == "weak"
    assert "unknown-counted" in "".join(found.missing)
    assert any("draft" in text for text in found.missing)


def test_missing_is_looked_up_anew_when_a_file_changes(template):
    assert evidence.missing(template) == []
    (template / "solutions" / "right" / "loop.py").unlink()
    assert evidence.missing(template) == ["right solutions: 2 of at least 3"]


def test_kill_matrix_of_the_template(template):
    found = evidence.kill_matrix(card.load(template), in_process)
    assert found.problems == []
    assert found.idle == []
    assert found.uncaught_patterns == []
    kills = found.kills()
    assert "bad/division" in kills["gate"]
    assert "bad/only_g" in kills["complement"]
    assert "complement" in found.redundant
    records = found.records()
    assert len(records) == len(found.rows) * len(found.checks)
    caught = {(r["solution"], r["check"]) for r in records if r["caught"]}
    assert ("bad/text", "form") in caught
    assert not any(r["caught"] for r in records if r["right"])


def test_kill_matrix_tells_what_is_wrong_with_a_card(template, change):
    wrong = template / "solutions" / "right" / "percent.py"
    wrong.write_text((template / "solutions" / "bad" / "percent.py").read_text())
    harmless = template / "solutions" / "bad" / "harmless.py"
    harmless.write_text(
        "# pattern: wrong-unit\n# caught_by: oracle\n"
        + (template / "solutions" / "right" / "loop.py").read_text()
    )
    found = evidence.kill_matrix(card.load(template), in_process, with_stock=False)
    problems = "\n".join(found.problems)
    assert "right/percent: right solution gets fail" in problems
    assert "bad/harmless: wrong solution passes" in problems
    assert "bad/harmless: not caught by oracle, as it claims; caught by nothing" in problems
    assert "reference" not in problems


RIGHT = (
    "def gc_content(sequence):\n    s = sequence.upper()\n    known = sum(map(s.count, 'ACGT'))\n"
)
SHARE = "(s.count('G') + s.count('C')) / known if known else 0.0"


@pytest.mark.parametrize(
    ("source", "check", "case", "why"),
    [
        ("def other(sequence):\n    return 0.0\n", "gate", None, "no function gc_content"),
        (
            RIGHT + "    return 1 / (len(s) != 250) and SHARE",
            "gate",
            "plain-250",
            "ZeroDivisionError",
        ),
        (RIGHT + "    return 'x' if known == 20 else SHARE", "form", "plain-20", "got 'x'"),
        (RIGHT + "    return SHARE + (known == 20)", "oracle", "plain-20", "; expected 0."),
    ],
)
def test_a_right_solution_that_fails_is_told_with_a_case_and_why(
    template, source, check, case, why
):
    path = template / "solutions" / "right" / "new.py"
    path.write_text(source.replace("SHARE", f"({SHARE})"))
    found = evidence.kill_matrix(card.load(template), in_process, only=["right/new"])
    told = found.problems[0]
    assert told.startswith("right/new: right solution gets ")
    assert f"(`{check}` on case `{case or ''}" in told
    assert why in told
    # an outcome may be shown to learners
    if case:
        assert case not in str(found.rows[0].outcomes)


def test_what_catches_a_solution_in_place_of_its_claim_is_told(template):
    path = template / "solutions" / "bad" / "only_g.py"
    lines = path.read_text().splitlines()
    lines[1] = "# caught_by: gate"
    path.write_text("\n".join(lines) + "\n")
    found = evidence.kill_matrix(card.load(template), in_process, only=["bad/only_g"])
    (told,) = [text for text in found.problems if "as it claims" in text]
    assert "not caught by gate, as it claims; caught by oracle-visible, oracle" in told


def test_a_check_that_raises_is_told_with_what_it_raised(template, change):
    change(template, "property: {name: bounded, low: 0, high: 1}", "property: consistent")
    with (template / "properties.py").open("a") as file:
        file.write(
            "\n\ndef consistent(inputs, output):\n"
            '    """The share is that of the bases."""\n'
            '    return output == inputs["bases"]\n'
        )
    found = evidence.kill_matrix(card.load(template), in_process, only=["right/loop"])
    told = found.problems[0]
    assert told.startswith(
        "right/loop: checks that broke, or refuse the reference: is-a-share (`is-a-share` on case `"
    )
    assert told.endswith("KeyError: 'bases')")
    # an outcome may be shown to learners
    assert "'bases'" not in str(found.rows[0].outcomes)


def test_a_reference_that_its_own_checks_reject_is_told(template, change):
    path = template / "reference.py"
    path.write_text(path.read_text().replace("def gc_content", "def share"))
    with path.open("a") as file:
        file.write("\n\ndef gc_content(sequence):\n    return str(share(sequence))\n")
    found = evidence.kill_matrix(card.load(template), in_process, with_stock=False)
    (told,) = [text for text in found.problems if text.startswith("reference: the card's own")]
    assert "Correct reference.py, or check `form`: " in told
    assert "not of the type and shape" in told


def test_a_reference_that_no_other_right_solution_agrees_with_is_told(template, change):
    change(template, "    kind: number\n", "")
    path = template / "reference.py"
    path.write_text(path.read_text().replace("def gc_content", "def share"))
    with path.open("a") as file:
        file.write("\n\ndef gc_content(sequence):\n    return [share(sequence)]\n")
    found = evidence.kill_matrix(card.load(template), in_process, with_stock=False)
    (told,) = [text for text in found.problems if text.startswith("reference: all other")]
    assert "fail form" in told
    assert "the type and the values that the statement says" in told


def test_a_pattern_that_nothing_catches_is_told(template, change):
    bad = template / "solutions" / "bad"
    for path in bad.glob("*.py"):
        if "wrong-bases" in path.read_text():
            path.write_text(
                "# pattern: wrong-bases\n# caught_by: oracle\n"
                + (template / "solutions" / "right" / "loop.py").read_text()
            )
    found = evidence.kill_matrix(card.load(template), in_process, with_stock=False)
    assert found.uncaught_patterns == ["wrong-bases"]
    assert "pattern wrong-bases: nothing catches it" in found.problems
    assert found.idle == ["complement"]


def test_report_of_a_card(template):
    found = evidence.report(template, in_process)
    assert found.evidence.complete
    assert found.kills.problems == []


@pytest.mark.parametrize(("weak", "passes"), list(product((False, True), repeat=2)))
def test_the_command_ends_with_what_its_exit_code_means(monkeypatch, template, weak, passes):
    items = (
        evidence.EvidenceItem("description", "present", "description.md"),
        evidence.EvidenceItem("declared inputs", "weak" if weak else "present", ""),
    )
    row = KillRow("bad/one", False, (), (), "pass" if passes else "fail", ())
    found = evidence.Report(
        evidence.EvidenceMatrix(template.name, items), KillMatrix(template.name, (), (row,), ())
    )
    monkeypatch.setattr(evidence, "report", lambda *_, **__: found)
    line = ["evidence", template.name, "--tasks-dir", str(template.parent)]
    done = CliRunner().invoke(_cli, line)
    assert done.exit_code == int(weak or passes)
    last = done.output.splitlines()[-1]
    assert ("exit code 1" in last) == (weak or passes)
    assert last.startswith("uncalibrated") == weak
    assert ("declared inputs" in last) == weak
    assert ("kill matrix" in last) == passes
    as_json = CliRunner().invoke(_cli, [*line, "--json"])
    assert as_json.exit_code == done.exit_code
    assert "exit code" not in as_json.stdout


def test_inputs_that_are_not_as_declared_are_told_with_what_lists_them(template):
    path = template / "description.md"
    path.write_text(path.read_text().replace("## For all calls", "## Others"))
    (told,) = [text for text in evidence.matrix(template).missing if "declared inputs" in text]
    assert "in all: `biomlbench statement gc-content --dry-run` lists them)" in told


def test_stock_candidates_are_python(template_card):
    from biomlbench.verify import compute

    oracle = compute(template_card)
    for name in stock.NAMES:
        compile(stock.source(name, template_card, template_card.plan(), oracle), name, "exec")


def test_a_statement_may_have_another_name(template):
    text = (template / "config.yaml").read_text()
    other = text.replace("description: ", "description: kernels/norm/statement.md # ")
    (template / "config.yaml").write_text(other)
    (template / "description.md").rename(template / "statement.md")
    assert evidence.matrix(template).complete


def test_evidence_of_a_prediction_task(tmp_path):
    (tmp_path / "description.md").write_text("# What\n")
    (tmp_path / "config.yaml").write_text(
        "name: Some task\ngrader: {name: auc, metric: roc_auc}\n"
        "dataset: {gold_submission: prepared/private/gold_submission.csv}\n"
        "submission: {id: id, target: y, columns: {y: {type: number, minimum: 0}}}\n"
    )
    assert evidence.matrix(tmp_path).complete
    assert evidence.report(tmp_path).kills is None
    text = (tmp_path / "config.yaml").read_text()
    for option, there in (("average: weighted", True), ("multi_class: ovo", False)):
        changed = text.replace("metric: roc_auc", f"metric: roc_auc, options: {{{option}}}")
        (tmp_path / "config.yaml").write_text(changed)
        told = [] if there else [f"second implementation of the score: roc_auc ({option})"]
        assert evidence.matrix(tmp_path).missing == told
    (tmp_path / "config.yaml").write_text("name: x\ngrader: {name: own, grade_fn: 'grade:grade'}\n")
    missing = " ".join(evidence.matrix(tmp_path).missing)
    assert "only a registered metric can have one" in missing
    assert "gold submission" in missing


class TestMigrate:
    def v1(self, template):
        (template / "verifier.yaml").unlink()
        (template / "properties.py").unlink()
        config = (template / "config.yaml").read_text()
        (template / "config.yaml").write_text(config.replace("version: v2", "version: v1"))
        return template

    def test_the_first_draft_loads_and_is_uncalibrated(self, template):
        folder = self.v1(template)
        assert card.load(folder).version == "v1"
        for path in (folder / "solutions" / "bad").glob("*.py"):
            path.unlink()
        text = migrate.migrate(folder)
        assert text.startswith("# yaml-language-server: $schema=")
        (folder / "verifier.yaml").write_text(text)
        loaded = card.load(folder)
        assert loaded.version == "v1"
        assert loaded.verifier.draft
        modes = {check.mode for check in loaded.checks}
        assert modes == {"shape_guard", "numeric_tolerance", "property_based", "metamorphic"}
        found = evidence.kill_matrix(loaded, in_process)
        # without declared spaces there are no near draws to tell a memory by
        told = "stock/remembers-by-size: wrong solution passes; declare under `generate`"
        assert any(problem.startswith(told) for problem in found.problems)
        assert [text for text in found.problems if not text.startswith("stock/")] == [
            f"pattern {name}: nothing catches it" for name in loaded.verifier.patterns
        ]
        assert not evidence.matrix(folder).complete

    def test_whole_numbers_get_an_exact_match(self, template):
        folder = self.v1(template)
        path = folder / "reference.py"
        path.write_text("def gc_content(sequence):\n    return len(sequence)\n")
        for solution in folder.glob("solutions/*/*.py"):
            solution.unlink()
        (folder / "verifier.yaml").write_text(migrate.migrate(folder))
        loaded = card.load(folder)
        assert "exact_match" in {check.mode for check in loaded.checks}
        assert loaded.verifier.float_drift is None

    @pytest.mark.parametrize(
        ("result", "wrong"),
        [
            ('{"gc": np.full(3, share), "ends": [np.zeros(2), (share, 1)]}', '{"gc": [np.nan]}'),
            ('[{"name": "gc", "share": share, "next": None}]', "[{'share': np.inf}]"),
            ("(share, [np.nan, -np.inf], np.empty((0, 2)))", None),
            ("{'z': share + 1j * np.arange(3), 'n': 10**400}", "[1j * np.nan]"),
            ("share if len(sequence) > 5 else None", "np.nan"),
        ],
    )
    def test_the_reference_passes_its_draft_whatever_it_returns(self, template, result, wrong):
        folder = self.v1(template)
        for solution in folder.glob("solutions/*/*.py"):
            solution.unlink()
        path = folder / "reference.py"
        path.write_text(
            path.read_text().replace("def gc_content", "def of")
            + "\n\nimport numpy as np\n\n\ndef gc_content(sequence):\n"
            + f"    share = of(sequence)\n    return {result}\n"
        )
        (folder / "verifier.yaml").write_text(migrate.migrate(folder))
        loaded = card.load(folder)
        plan = loaded.plan()
        assert evidence.refusing(loaded, plan, compute(loaded, plan)) == ""
        if wrong is not None:
            finite = next(check for check in loaded.checks if check.name == "finite")
            holds = loaded.library.property(finite.options["property"])
            assert not holds({}, eval(wrong, {"np": np})).ok

    def test_nothing_is_overwritten(self, template):
        with pytest.raises(TaskError, match="already"):
            migrate.migrate(template)

    def test_hidden_cases_are_asked_for(self, template):
        folder = self.v1(template)
        text = (folder / "cases.py").read_text().replace("def hidden", "def other")
        (folder / "cases.py").write_text(text)
        with pytest.raises(TaskError, match="hidden cases"):
            migrate.migrate(folder)


class TestCounterexample:
    def test_is_found_and_small(self, template_card):
        bad = template_card.folder / "solutions" / "bad"
        found = explore.counterexample(template_card, bad / "upper_only.py", "oracle")
        assert found.check == "oracle"
        # one lower-case letter is enough to show it
        assert len(found.inputs["sequence"]) <= 2
        assert found.inputs["sequence"].lower() != found.inputs["sequence"].upper()
        assert "oracle" in str(found)

    def test_is_found_for_a_metamorphic_check(self, template_card):
        bad = template_card.folder / "solutions" / "bad"
        found = explore.counterexample(template_card, bad / "only_g.py", "complement")
        assert sorted(found.inputs["sequence"].upper()) == ["G"] or (
            found.inputs["sequence"].upper() == "C"
        )

    def test_is_found_where_a_solution_raises(self, template_card):
        bad = template_card.folder / "solutions" / "bad" / "division.py"
        found = explore.counterexample(template_card, bad)
        assert "ZeroDivisionError" in found.message
        assert found.inputs == {"sequence": "N"}

    def test_is_not_found_for_a_right_solution(self, template_card):
        right = template_card.reference["gc_content"]
        assert explore.counterexample(template_card, right, "oracle", max_examples=30) is None

    def test_is_the_same_every_time(self, template_card):
        bad = template_card.folder / "solutions" / "bad" / "length.py"
        first = explore.counterexample(template_card, bad, "oracle", seed=1)
        assert explore.counterexample(template_card, bad, "oracle", seed=1) == first

    def test_needs_a_check_that_exists(self, template_card):
        with pytest.raises(TaskError, match="nothing"):
            explore.counterexample(template_card, len, "nothing")


def test_only_known_modules_are_preloaded(template_card):
    source = (
        b"import os\nfrom scipy import special, nothing\n  import scipy.linalg as la\n"
        b"from sklearn.metrics import roc_auc_score\nimport antigravity\nprint('import pandas')\n"
    )
    assert preload_for(template_card, source) == (
        "numpy", "scipy", "scipy.linalg", "scipy.special", "sklearn.metrics", "numpy.ma",
    )  # fmt: skip
