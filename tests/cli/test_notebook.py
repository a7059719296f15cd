"""Reports show themselves as a table in a notebook."""

from __future__ import annotations

from biomlbench.scoring.task_report import TaskReport
from tests.cli.test_import import published


def test_a_report_is_a_table_and_its_text_stays_text():
    report = TaskReport.from_dict(
        published("clinical/x", "<script>alert(1)</script>.csv", 3.0, [1.0, 2.0, 3.0, 4.0])
    )
    shown = report._repr_html_()
    assert shown.startswith("<table>")
    assert "<th>score</th><td>3.0</td>" in shown
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "beats human" not in shown
