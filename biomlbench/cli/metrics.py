"""List the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import as_json, print_json, print_table

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.metrics import Metric


@click.command()
@as_json
def command(*, as_json: bool) -> None:
    """List the metrics that a task can name, with the columns that they compare.

    A task's config.yaml names one under `grader: metric:`. With --json their ranges and
    options are there, too.

    \b
    Examples:
      biomlbench metrics
      biomlbench metrics --json
    """  # noqa: D301
    from biomlbench.metrics import get_metric, list_metrics

    rows = [_row(get_metric(name)) for name in list_metrics()]
    if as_json:
        print_json(rows)
    else:
        print_table(rows, ("metric", "direction", "target", "prediction"))


def _row(metric: Metric) -> JsonObject:
    from biomlbench.metrics._columns import columns_of

    columns = columns_of(metric)
    return {
        "metric": metric.name,
        "direction": metric.direction,
        "target": columns.targets,
        "prediction": columns.predictions,
        "kind": metric.kind,
        "several": metric.several,
        # JSON has no infinity
        "range": [end if abs(end) < float("inf") else None for end in metric.range],
        "best": metric.best,
        "options": metric.options,
    }
