"""What others have written does nothing, at whichever door it comes out."""

from __future__ import annotations

import csv
import io
import logging
import re
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import biomlbench
from biomlbench import cli, plain_text
from biomlbench.cli import main
from biomlbench.cli._common import Refusal, Trouble, echo, print_table
from biomlbench.contracts import SCHEMAS, from_rows, write_table
from biomlbench.errors import explain
from biomlbench.plain_text import (
    PlainFormatter,
    composed,
    is_unsafe_address,
    is_web_address,
    markdown_line,
    plain,
    spreadsheet_cell,
)
from biomlbench.report import shown
from biomlbench.report.plots._style import clip
from biomlbench.submission.cells import printable
from biomlbench.summary.made_tables import MADE_TOGETHER
from biomlbench.workflow.run_metadata import metadata_of

HOSTILE = "=cmd|'/C calc'!A0\x1b]0;owned\x07\x1b[2J\x9b31m\u202e<img src=x onerror=alert(1)>\x00\r"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


def of_log(text):
    record = logging.LogRecord("a", logging.WARNING, "f", 1, "%s", (text,), None)
    return PlainFormatter().format(record)


def shown_by(error):
    return lambda text: error(text).format_message()


def printed(function):
    def door(text):
        stream = io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdout", stream)
            function(text)
        return stream.getvalue()

    return door


DOORS = {
    "log": of_log,
    "echo": printed(echo),
    "table": printed(lambda text: print_table([{"a": text, "b": [text]}], ["a", "b"])),
    "refusal": shown_by(Refusal),
    "trouble": shown_by(Trouble),
    "file": lambda text: explain(FileNotFoundError(2, "No such file", text.replace("\0", ""))),
    "page": shown.printable,
    "figure": clip,
    "run table": printable,
    "cell": spreadsheet_cell,
    "markdown": markdown_line,
}  # fmt: skip


UNDONE = r"(?:^|(?<=[;\t\n]))'(?='*[^\S\t\n]*[=+\-@\uff1d\uff0b\uff0d\uff20])|^'(?='*\t)"
"""What docs/how-to/import-and-export.md takes away again."""


@pytest.mark.parametrize("door", DOORS)
def test_nothing_comes_out_that_a_terminal_obeys(door):
    shown = DOORS[door](HOSTILE)
    assert "cmd" in shown
    assert not (OBEYED if door == "cell" else UNSAFE).search(shown)


@given(st.text("[]/:\\\\xabold", max_size=20))
@example(":x:")
@example("[bold]:warning:[/bold]")
def test_a_table_shows_what_is_there(text):
    cell = f"<{text}>"
    shown = printed(lambda text: print_table([{cell: cell}], [cell], title=cell))(text)
    assert shown.count(cell) == 3
    assert shown.count("<") == 3


def test_rich_prints_by_one_console():
    """Another console would take data for markup or emoji."""
    root = Path(biomlbench.__file__).parents[1]
    for package in ("biomlbench", "snakemake_logger_plugin_biomlbench"):
        for path in (root / package).rglob("*.py"):
            text, own = path.read_text(), path.name == "consoles.py"
            assert not re.search(r"(?<!data_)\bConsole\(|rich\.print|from_markup", text) or own, (
                path
            )
            columns = re.findall(r"TextColumn\(.*description.*", text)
            assert all("markup=False" in column for column in columns), path


def test_every_command_prints_by_the_one_function():
    """A command that prints by itself would be a door without it."""
    for path in Path(cli.__file__).parent.glob("*.py"):
        found = re.findall(
            r"click\.s?echo\(|click\.ClickException\(|(?<!console\.)\bprint\(", path.read_text()
        )
        allowed = {"_common.py": ["click.secho("], "__init__.py": ["click.secho("]}
        assert found in ([], allowed.get(path.name)), path


def test_markdown_takes_nothing_for_markup():
    shown = markdown_line(HOSTILE + "[a](javascript:x) `b` &lt;\\<b>\n# c")
    assert not re.search(r"(?<!\\)(\\\\)*[<&\[]", shown)
    assert "\n" not in shown


@given(st.text())
def test_plain_text_stays_and_is_found_plain(text):
    shown = plain(text)
    assert plain(shown) == shown
    assert shown.encode() == shown.encode(errors="replace")
    if text.isprintable():
        assert shown == text
    assert plain(text, one_line=True).isprintable()


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-2+3", "'-2+3"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "\\r=1"),
        ("\n=1", "\n'=1"),
        ("a;=1", "a;'=1"),
        ("a;'@b\n-1", "a;''@b\n'-1"),
        (" =1", "' =1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\uff20SUM(1)", "'\uff20SUM(1)"),
        (" -1.5", " -1.5"),
        ("-1.5e-3", "-1.5e-3"),
        ("+7", "+7"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_cells_are_shown_and_not_computed(text, cell):
    assert spreadsheet_cell(text) == cell


@given(st.text("'=+-@\t\n;\uff1da1. ", max_size=6))
@example("'=1+1")
@example("'-1.5")
@example("' \t")
def test_two_texts_are_two_cells_and_a_cell_tells_its_text(text):
    cell = spreadsheet_cell(text)
    assert re.sub(UNDONE, "", cell) == text
    for part in re.split("[;\t\n]", cell):
        assert not part.lstrip().startswith(("=", "@", "\uff1d"))


def test_the_documentation_undoes_cells_so():
    told = Path(__file__).parents[2] / "docs/how-to/import-and-export.md"
    assert f'first = r"{UNDONE}"\n' in told.read_text()


# Without a bound a second would become hours.
@pytest.mark.parametrize("mark", ["\u0301\u0323", "\u0344\u0323", "\u0f73\u0f74"])
def test_marks_without_end_are_not_sorted(mark):
    text = "a" + mark * 1_000_000
    begin = time.process_time()
    assert composed(text) is text
    assert time.process_time() - begin < 5


def test_what_counts_as_a_letter_and_consists_of_marks_is_known():
    found = [
        c
        for c in map(chr, range(sys.maxunicode + 1))
        if not unicodedata.combining(c)
        and unicodedata.combining(unicodedata.normalize("NFD", c)[0])
    ]
    assert "".join(found) == plain_text._HIDDEN_MARKS


@given(st.text(st.sampled_from("ae\u0301\u0323\u0f73\u1e69\uac00\u1100\u1161"), max_size=40))
def test_text_of_a_script_is_composed(text):
    assert composed(text) == unicodedata.normalize("NFC", text) or len(text) > 30


def row_of(text):
    """Return a row of `pairs` all of whose texts are hostile."""
    import pyarrow as pa

    row = {}
    for field in SCHEMAS["pairs"]:
        if pa.types.is_string(field.type) or pa.types.is_dictionary(field.type):
            row[field.name] = text
        elif pa.types.is_list(field.type):
            row[field.name] = [text]
        elif not field.nullable:
            row[field.name] = pa.scalar(0).cast(field.type).as_py()
    return row


def test_an_export_holds_nothing_that_is_obeyed(tmp_path):
    for name in MADE_TOGETHER:
        rows = [row_of(HOSTILE)] if name == "pairs" else []
        write_table(name, from_rows(name, rows), tmp_path / f"{name}.parquet")
    with pytest.raises(SystemExit) as ended:
        main(["export", str(tmp_path), "--format", "csv", "--to", str(tmp_path / "out")])
    assert not ended.value.code
    text = (tmp_path / "out/pairs.csv").read_text(encoding="utf-8")
    assert not OBEYED.search(text)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["agent"].startswith("'=cmd")
    assert not [cell for cell in rows[0].values() if cell.startswith(("=", "+", "@"))]


def test_what_click_itself_says_of_an_argument_is_plain(capsys):
    with pytest.raises(SystemExit):
        main(["grade", f"{HOSTILE.replace(chr(0), '')}.csv", "\x1b[31mtask"])
    told = capsys.readouterr()
    assert not UNSAFE.search(told.out + told.err)


@pytest.mark.parametrize(
    ("text", "is_public"),
    [
        ("https://example.org/a", True),
        ("HTTP://example.org/@team/a%20b?x=a@b#c@d", True),
        ("https://user:pw@example.org/a", False),
        ("https://user@example.org", False),
        ("https:///user:pw@example.org", False),
        ("https://example.org/a%0d%0Ax", False),
        ("https://example.org/%00", False),
        ("https://example.org/%7F", False),
        ("https://example.org/\n", False),
        ("javascript:alert(1)", False),
        ("logs/a@b", False),
    ],
)
def test_an_address_for_others_names_no_user_and_holds_no_control_characters(text, is_public):
    assert is_web_address(text) is is_public
    is_address = text.lower().startswith("http")
    assert is_unsafe_address(text) is (is_address and not is_public)
    if text.isprintable():
        found = metadata_of({"meta_log": text})
        assert found.get("meta_log") == (text if is_public or not is_address else None)
        assert ("meta_note" in found) is (is_address and not is_public)
