"""What the profiles for clusters have in common, and that they name rules that are there."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.workflow.conftest import ROOT

SLURM, PBS = ROOT / "profiles" / "slurm", ROOT / "profiles" / "cluster-generic"
SHARED = (
    *("jobs", "local-cores", "config", "default-resources"),
    *("group-components", "resources", "set-resource-scopes"),
)


@pytest.fixture(scope="module")
def profiles():
    names = ("default", "slurm", "cluster-generic")
    return {
        name: yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())
        for name in names
    }


def test_the_clusters_profiles_agree(profiles):
    slurm, generic = profiles["slurm"], profiles["cluster-generic"]
    assert {key: slurm[key] for key in SHARED} == {key: generic[key] for key in SHARED}


def test_a_cluster_profile_sets_nothing_that_the_default_would_override(profiles):
    # The default is loaded beside them and would win.
    for name in ("slurm", "cluster-generic"):
        assert not set(profiles[name]) & set(profiles["default"])


@pytest.mark.parametrize("name", ["default", "slurm", "cluster-generic"])
def test_every_option_says_why_it_is_there(name):
    lines = (ROOT / "profiles" / name / "config.yaml").read_text().splitlines()
    said, bare = False, []
    for line in lines:
        # A comment stands above its options, which follow it without a gap.
        said = line.startswith("#") or (said and line != "")
        if re.match(r"[a-z-]+:", line) and not said:
            bare.append(line)
    assert bare == []
