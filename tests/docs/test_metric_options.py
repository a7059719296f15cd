"""The page of values and options has every option of every metric, as it is declared."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from biomlbench.metrics import get_metric, list_metrics
from biomlbench.metrics._option_values import allowed_instead

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "values-and-options.md"


def test_the_page_has_every_option_with_its_values_and_default():
    told = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("| `"):
            continue
        metrics, option, values, default, meaning = (
            cell.strip() for cell in line.strip("|").split("|")
        )
        assert meaning
        for name in re.findall(r"`(\w+)`", metrics):
            assert (name, option.strip("`")) not in told
            told[name, option.strip("`")] = values, yaml.safe_load(default.strip("`"))
    declared = {
        (name, option): (allowed_instead(metric.function, option, object()) or "a label", default)
        for name, metric in ((name, get_metric(name)) for name in list_metrics())
        for option, default in metric.options.items()
    }
    assert told == declared
