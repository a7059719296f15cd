"""Pages of the documentation that are made from the sources, as hooks of MkDocs.

Configuration keys come from the config's schema, columns from the tables' contracts, reason
codes, metrics, tasks and commands from the package itself, so that none of them can be out of
date. Links to files outside `docs/` become plain text, for the built pages do not have them.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = {
    "tutorial": "Tutorial",
    "how-to": "How to",
    "extending": "How to",
    "explanation": "Explanation",
    "reference": "Reference",
}
TABLES = {
    "results": ("pairs", "checks", "agents", "tasks", "telemetry"),
    "results/history": ("history",),
    "results/pairs/<task>/<run>": STAGES,
    "results/tasks/<task>": ("prepare",),
    "reproduced": ("differences",),
}
API = {
    "Grade submissions": (
        "biomlbench.grade",
        "biomlbench.grade_helpers",
        "biomlbench.scoring.task_report",
        "biomlbench.scoring.medals",
        "biomlbench.scoring.humans",
        "biomlbench.metrics",
        "biomlbench.metrics.rle",
    ),
    "Tasks and their data": (
        "biomlbench.registry",
        "biomlbench.task.registry",
        "biomlbench.task.task",
        "biomlbench.task.task_files",
        "biomlbench.task.prepare",
        "biomlbench.task.sources.data_source",
        "biomlbench.audit",
    ),
    "Results and reports": (
        "biomlbench.results",
        "biomlbench.report.inputs",
        "biomlbench.report.plots",
        "biomlbench.report.compare",
        "biomlbench.summary.agents",
        "biomlbench.summary.mean_intervals",
        "biomlbench.calibrate.intervals",
    ),
    "Keep, publish, run again": (
        "biomlbench.export",
        "biomlbench.export.archive",
        "biomlbench.export.site",
        "biomlbench.reproduce",
    ),
    "Checks": (
        "biomlbench.verify",
        "biomlbench.verify.cases",
        "biomlbench.verify.library",
        "biomlbench.verify.policy",
        "biomlbench.verify.predictions",
        "biomlbench.verify.properties",
    ),
    "Tables, codes and the workflow": (
        "biomlbench.outcomes",
        "biomlbench.contracts",
        "biomlbench.workflow.runs",
        "biomlbench.stages.specification",
        "biomlbench.stages.kinds",
        "biomlbench.sandbox.providers",
    ),
}
"""Modules for users, by what they are for."""
VARIABLES = {
    "BIOMLBENCH_DATA_DIR": "Folder of raw and prepared task data, where neither `--data-dir` nor "
    "`data_dir` names one. By default `data` in the cache folder.",
    "BIOMLBENCH_CACHE_DIR": "Cache folder. By default `~/.cache/biomlbench`.",
    "BIOMLBENCH_SUITES": "Folder of suites: what `biomlbench suite get` fetches, and suites of "
    "your own. By default `~/.cache/biomlbench/suites`.",
    "BIOMLBENCH_OFFLINE": "If not empty, nothing is downloaded: raw data must be in the cache. The "
    "same as `biomlbench prepare --offline`.",
    "BIOMLBENCH_NO_PROGRESS": "If not empty, downloads show no bar. Without a terminal there is "
    "none in any case.",
    "BIOMLBENCH_POLARIS_PYTHON": "Python interpreter that has the package `polaris`, for data "
    "sources of that type.",
}
"""Environment variables for users."""


def row(*cells: Any) -> str:
    """Return a row of a Markdown table."""
    return (
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
    )


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a Markdown table."""
    header = list(header)
    return "\n".join([row(*header), row(*["---"] * len(header)), *(row(*cells) for cells in rows)])


def configuration() -> str:
    """Return the page of configuration keys."""
    schema = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text("utf-8"))
    rows = [
        (f"`{key}`", f"`{json.dumps(value['default'])}`" if "default" in value else "",
         _allowed(value), value.get("description", ""))
        for key, value in _keys(schema, schema)
        if value.get("type") != "object"
    ]  # fmt: skip
    return (
        "# Configuration\n\n`snakemake --cores N` reads `config/config.yaml`; "
        "`--configfile mine.yaml` adds or replaces keys. An unknown key or value is refused with "
        "its name and what is allowed. Threads, memory and retries belong to the profile, "
        "`profiles/default/config.yaml`.\n\n"
        + table(("key", "default", "allowed", "meaning"), rows)
        + "\n\n"
        + _run_table_columns()
        + "\n\n## Environment variables\n\n"
        + table(("variable", "meaning"), [(f"`{name}`", text) for name, text in VARIABLES.items()])
    )


def _keys(value: JsonObject, schema: JsonObject, prefix: str = "") -> Iterator[Any]:
    for name, child in value.get("properties", {}).items():
        yield from _key(f"{prefix}{name}", child, schema)
    more = value.get("additionalProperties")
    if isinstance(more, dict):
        yield from _keys(_resolved(more, schema), schema, f"{prefix}<id>.")


def _key(name: str, child: JsonObject, schema: JsonObject) -> Iterator[Any]:
    child = _resolved(child, schema)
    yield name, child
    yield from _keys(child, schema, f"{name}.")


def _resolved(value: JsonObject, schema: JsonObject) -> JsonObject:
    if "$ref" not in value:
        return value
    return schema["$defs"][value["$ref"].rsplit("/", 1)[-1]]


def _allowed(value: JsonObject) -> str:
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"])
    if "x-choices" in value:
        from biomlbench.workflow.config import CHOICES

        return ", ".join(f"`{choice}`" for choice in CHOICES[value["x-choices"]]())
    words = {"array": "list", "string": "text", "integer": "whole number", "boolean": "yes or no"}
    kind = value.get("type", "")
    text = value["x-expects"] if isinstance(kind, list) else words.get(kind, kind)
    for key, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤")):
        if key in value:
            text += f", {sign} {value[key]}"
    return text


def _run_table_columns() -> str:
    text = (ROOT / "config" / "README.md").read_text("utf-8")
    found = re.search(r"^## Columns of a run table\n.*", text, re.MULTILINE | re.DOTALL)
    assert found, "config/README.md has no section `Columns of a run table`"
    return found[0].replace("](../docs/", "](../")  # the page is one folder below docs


def tables() -> str:
    """Return the page of the tables' columns."""
    from biomlbench.contracts import SCHEMA_VERSION, SCHEMAS

    start = (
        "# Tables\n\nEvery table is a Parquet file with these columns, checked on writing and on "
        f"reading (version {SCHEMA_VERSION} of the schema). A column marked ≈ may differ between "
        "two runs of the same thing; all others are equal in a rerun. Cells may be empty where "
        "“may be null” says so."
    )
    parts = [start]
    listed = {name for names in TABLES.values() for name in names}
    others = {"results/calibration": tuple(name for name in SCHEMAS if name not in listed)}
    for folder, names in (TABLES | others).items():
        parts.append(f"## In `{folder}/`")
        parts += [f"### {name}\n\n" + _columns(SCHEMAS[name]) for name in names]
    return "\n\n".join(parts)


def _columns(schema: pa.Schema) -> str:
    rows = []
    for field in schema:
        metadata = field.metadata or {}
        mark = " ≈" if b"volatile" in metadata else ""
        null = "may be null" if field.nullable else ""
        doc = metadata.get(b"doc", b"").decode()
        rows.append((f"`{field.name}`{mark}", _type(field.type), null, doc))
    return table(("column", "type", "", "meaning"), rows)


def _type(kind: pa.DataType) -> str:
    text = str(kind).replace("element: ", "").replace("item: ", "")
    return text.replace("double", "float").replace("<", " of ").replace(">", "")


def reason_codes() -> str:
    """Return the page of reason codes."""
    from biomlbench.outcomes import FAULT_OF, SENTENCES, Fault

    titles = {
        Fault.NONE: "Nobody's fault",
        Fault.SUBMISSION: "The submission's fault",
        Fault.TASK: "The task's fault",
        Fault.GRADER: "The grader's fault",
        Fault.INFRASTRUCTURE: "The infrastructure's fault",
        Fault.RUN_TABLE: "The run table's fault",
    }
    start = (
        "# Reason codes\n\nThe first code of a run is in the column `reason` of `pairs`, each "
        "check's in `checks`. Only the submission's own faults count against an agent; rates are "
        "given with and without the runs that other faults took away."
    )
    parts = [start]
    for fault, title in titles.items():
        rows = [(f"`{r}`", SENTENCES[r]) for r, whose in FAULT_OF.items() if whose == fault]
        parts.append(f"## {title}\n\n" + table(("code", "meaning"), rows))
    return "\n\n".join(parts)


def metrics() -> str:
    """Return the page of metrics."""
    from biomlbench.metrics import get_metric, list_metrics
    from biomlbench.metrics._base import KINDS
    from biomlbench.metrics._columns import columns_of

    rows = []
    for metric in map(get_metric, list_metrics()):
        low, high = metric.range
        options = ", ".join(f"`{key}={value!r}`" for key, value in metric.options.items())
        first = (metric.function.__doc__ or "").strip().splitlines()[0]
        rows.append((f"`{metric.name}`", first, metric.direction, f"{low:g} to {high:g}",
                     *columns_of(metric), metric.kind, options))  # fmt: skip
    return (
        "# Metrics\n\nA task names one in its `config.yaml`, under `grader: metric:`, and its "
        "options under `grader: options:`. Case does not matter, and a hyphen is read as an "
        "underscore. [What metrics read, and their options](values-and-options.md) says what each "
        "option means. `target` and `prediction` are the columns that stand there under "
        "`submission`. A metric that compares one column refuses several: of two targets the error "
        "is `matrix_rmse`, not `rmse`. For several labels a row write [a function of your own]"
        "(../extending/add-a-task.md#several-labels-a-row). `biomlbench metrics` prints this "
        "list.\n\n"
        + table(
            ("name", "what", "direction", "range", "target", "prediction", "input", "options"), rows
        )
        + "\n\n## Kinds of input\n\nWhat a metric is called with in Python.\n\n"
        + table(("kind", "truth; predictions"), [(f"`{k}`", v) for k, v in KINDS.items()])
    )


def published_graders() -> str:
    """Return the page of what is known of the graders of published suites."""
    from biomlbench.suites.published import known_graders

    parts = []
    head = (
        "# Published graders\n\nWhat is known of the graders of the built-in suites, read and "
        "compared at the commit named. Where the code of a grader is another one, nothing of this "
        "counts. A task that is not here is graded by the published code; see [Grade a published "
        "benchmark](../how-to/published-suites.md)."
    )
    for suite, commit, graders in known_graders():
        rows = [
            (f"`{path}`", f"`{native.metric}`" if native.metric else "the published code",
             "<br>".join(native.notes))
            for path, native in graders
        ]  # fmt: skip
        columns = ("task", "computed by", "where it differs from its description")
        parts.append(f"## {suite}, commit `{commit[:12]}`\n\n" + table(columns, rows))
    return "\n\n".join((head, *parts))


def checks() -> str:
    """Return the page of modes of verification and of checks of predictions."""
    from biomlbench.verify.modes import all_modes
    from biomlbench.verify.predictions import all_checks

    modes = [
        (f"`{name}`", _claim(mode), "yes" if mode.SEMANTIC else "no", f"`{mode.REASON}`",
         ", ".join(f"`{option}`" for option in mode.OPTIONS))
        for name, mode in all_modes().items()
    ]  # fmt: skip
    found = [
        (f"`{name}`", _claim(check), f"`{check.MODE}`", check.SEVERITY, f"`{check.REASON}`",
         check.PATTERN)
        for name, check in all_checks().items()
    ]  # fmt: skip
    return (
        "# Checks\n\n## Modes of verification\n\nA problem card's `verifier.yaml` names the mode "
        "of each of its checks.\n\n"
        + table(("mode", "what holds", "evidence", "reason of a failure", "options"), modes)
        + "\n\n## Checks of predictions\n\nEvery one that applies looks at every table of "
        "predictions, submitted or written by a program.\n\n"
        + table(("check", "what holds", "mode", "severity", "reason", "catches"), found)
    )


def data_sources() -> str:
    """Return the page of types of data sources."""
    from biomlbench.task.sources.base import all_sources

    rows = []
    for key, kind in sorted(all_sources().items()):
        first = (kind.__doc__ or "").strip().splitlines()[0]
        required, optional = (
            ", ".join(f"`{name}`" for name in names) for names in (kind.REQUIRED, kind.OPTIONAL)
        )
        published = ", ".join(f"`{name}`" for name in kind.PUBLISHED)
        rows.append((f"`{key}`", first, required, optional, published, f"`{kind.EXAMPLE}`"))
    header = ("type", "what", "needs", "may have", "published `type`", "example")
    return (
        "# Data sources\n\nTypes of the entries of `source` in a task's `config.yaml`; see [Where "
        "raw data come from](../how-to/data-sources.md).\n\n" + table(header, rows)
    )


def exports() -> str:
    """Return the page of forms that results are exported in."""
    from biomlbench.export.forms import all_forms, summary

    rows = [(f"`{name}`", summary(form)) for name, form in all_forms().items()]
    return (
        "# Forms of export\n\nWhat `biomlbench export --format` writes; see [Import and "
        "export](../how-to/import-and-export.md).\n\n" + table(("form", "gives"), rows)
    )


def audit_findings() -> str:
    """Return the page of what audits find."""
    from biomlbench.audit import card_findings
    from biomlbench.audit.detectors import all_detectors

    rows = [
        (f"`{name}`", detector.__doc__.strip().partition(":")[0].lower(), remedy)
        for detector in (*all_detectors().values(), card_findings)
        for name, remedy in detector.FINDINGS.items()
    ]
    return (
        "# Findings of the audit\n\nWhat `biomlbench audit` and `snakemake audit` can find in a "
        "task; [Audit a task](../how-to/audit-a-task.md) says how to read it. Those about code "
        "are of problem cards.\n\n" + table(("finding", "about", "remedy"), rows)
    )


def _claim(module: Any) -> str:
    first: str = module.__doc__.strip().splitlines()[0]
    return first.partition(": ")[2]


def tasks() -> str:
    """Return the page of built-in tasks."""
    from biomlbench.registry import Registry

    registry = Registry()
    rows = []
    for task in map(registry.get_task, registry.list_task_ids()):
        metric = task.metric.name if task.metric else "hidden score"
        medals = "yes" if task.leaderboard else "no leaderboard"
        rows.append((f"`{task.id}`", task.name, task.kind, task.difficulty, metric, medals))
    header = ("task", "title", "kind", "difficulty", "metric", "medals")
    return "# Built-in tasks\n\n" + table(header, rows)


def figures() -> str:
    """Return the gallery of figures, each with the code that draws it."""
    from biomlbench.report import plots

    start = (
        "# Figures\n\nEvery figure of the report, and the code that draws it from a results "
        "folder. Each is also in `results/plots`, as PNG and SVG; all take `axes=` of yours and "
        "`tables=` that you have filtered, see [Query the results](../how-to/query-results.md). "
        "The pictures here are drawn from made-up tables by `python tools/figures.py "
        "docs/assets/figures`; the agents do not exist. A figure of your own is one file: [Add a "
        "plot](../how-to/add-a-plot.md)."
    )
    parts = [start]
    by_category: dict[str, list[str]] = {}
    for name, category in plots.categories().items():
        by_category.setdefault(category, []).append(name)
    for category, names in by_category.items():
        parts.append(f"## {category}")
        for name in names:
            plot = plots.load(name)
            code = (
                "from biomlbench import Results\n\n"
                f'Results("results").plot.{name}().savefig("{name}.png")'
            )
            picture = f"assets/figures/{name}.png"
            shown = (ROOT / "docs" / picture).is_file()
            parts += [
                f"### {plot.TITLE}",
                *([f"![{plot.TITLE}](../{picture})"] if shown else []),
                plot.CAPTION,
                f"```python\n{code}\n```",
            ]
    return "\n\n".join(parts)


def command_line() -> str:
    """Return the page of commands, from their help."""
    import click

    from biomlbench.cli import _cli

    context = click.Context(_cli, info_name="biomlbench", **_cli.context_settings)
    parts = [
        "# Command line\n\n`biomlbench COMMAND --help` says the same. For completion in your "
        'shell: `eval "$(_BIOMLBENCH_COMPLETE=bash_source biomlbench)"` (or `zsh_source`, '
        "`fish_source`).\n\n"
        + table(
            ("exit code", "meaning"),
            [
                ("0", "all is well"),
                ("1", "invalid, not passed, not the same, or a file that cannot be imported"),
                ("2", "the command line is wrong"),
                ("3", "the task, its data or the machine is at fault"),
            ],
        )
    ]
    for name in _cli.list_commands(context):
        command = _cli.get_command(context, name)
        assert command is not None
        parts.append(f"## {name}\n\n" + _help(command, name, context))
        if isinstance(command, click.Group):
            inner = click.Context(command, info_name=name, parent=context)
            for sub in command.list_commands(inner):
                found = command.get_command(inner, sub)
                assert found is not None
                parts.append(f"### {name} {sub}\n\n" + _help(found, sub, inner))
    return "\n\n".join(parts)


def _help(command: Any, name: str, parent: Any) -> str:
    import click

    context = click.Context(command, info_name=name, parent=parent, max_content_width=100,
                            terminal_width=100)  # fmt: skip
    return f"```text\n{command.get_help(context)}\n```"


def api() -> str:
    """Return the page of the Python interface; mkdocstrings fills it in."""
    import biomlbench

    names = ", ".join(f"`{name}`" for name in biomlbench.__all__)
    groups = [
        (words, ", ".join(f"[`{name}`](#{name})" for name in modules))
        for words, modules in API.items()
    ]
    modules = [name for group in API.values() for name in group]
    return (
        f"# Python interface\n\n`import biomlbench` offers what is used most: {names}. "
        "[Grading API](grading-api.md) and [Query the results](../how-to/query-results.md) show "
        "how. A module that is not here may change without notice.\n\n"
        + table(("for", "modules"), groups)
        + "\n\n"
        + "\n\n".join(f"::: {name}" for name in modules)
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/configuration.md": configuration,
    "reference/tables.md": tables,
    "reference/reason-codes.md": reason_codes,
    "reference/metrics.md": metrics,
    "reference/published-graders.md": published_graders,
    "reference/checks.md": checks,
    "reference/data-sources.md": data_sources,
    "reference/exports.md": exports,
    "reference/audit-findings.md": audit_findings,
    "reference/tasks.md": tasks,
    "reference/figures.md": figures,
    "reference/command-line.md": command_line,
    "reference/api.md": api,
}


def on_config(config: Any) -> Any:
    """Put pages that the navigation does not list under the heading of their folder."""
    listed = set(re.findall(r"[\w/.-]+\.md", json.dumps(config["nav"])))
    docs = Path(config["docs_dir"])
    for path in sorted(docs.rglob("*.md")):
        place = path.relative_to(docs).as_posix()
        if place in listed:
            continue
        title = SECTIONS.get(place.partition("/")[0], "Reference")
        section = next(entry for entry in config["nav"] if title in entry)
        section[title].append(place)
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made from the sources."""
    from mkdocs.structure.files import File

    for place, make in PAGES.items():
        files.append(File.generated(config, place, content=make() + "\n"))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Make plain text of links that lead out of `docs/`."""
    here = Path(page.file.src_uri).parent
    return re.sub(
        r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)",
        lambda found: found[1] if _leads_out(here, found[2]) else found[0],
        markdown,
    )


def _leads_out(here: Path, target: str) -> bool:
    return "://" not in target and os.path.normpath(here / target).startswith("..")
