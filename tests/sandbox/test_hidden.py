"""What must not be visible inside, in whatever way this package is installed."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

import biomlbench
from biomlbench.sandbox import (
    Case,
    Limits,
    SandboxUnavailable,
    interpreter,
    run_functions,
    run_program,
)
from tests.waiting import HANG_S

MARK = "REFERENCE_7f3a"

LOOK = b'''
import os
import sys


def find(mark, places):
    """Every readable file below the given places that holds the mark."""
    found = []
    for place in (*places, *(path for path in sys.path if "site-packages" in path)):
        for folder, _, files in os.walk(place):
            for name in files:
                path = os.path.join(folder, name)
                try:
                    if os.path.getsize(path) < 100_000:
                        with open(path, "rb") as file:
                            if mark.encode() in file.read():
                                found.append(path)
                except OSError:
                    continue
    return found


def tops():
    return sorted(os.listdir("/"))


def modules():
    import importlib.util

    spec = importlib.util.find_spec("biomlbench")
    return None if spec is None or spec.origin is None else os.access(spec.origin, os.R_OK)


def dangling(path):
    with open(path) as file:
        return file.read()
'''


def plant(folder):
    folder.mkdir(parents=True)
    (folder / "reference.py").write_text(f"# {MARK}\n")
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A virtual environment with this package in its site-packages, secrets and all."""
    folder = tmp_path_factory.mktemp("envs") / "task env"
    venv.create(folder, symlinks=True, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "helper.py").write_text("value = 42\n")
    plant(site / "biomlbench" / "tasks" / "kernels" / "card")
    (site / "biomlbench" / "__init__.py").write_text(f"secret = '{MARK}'\n")
    (site / "biomlbench_workflow-1.0.dist-info").mkdir()
    (site / "biomlbench_workflow-1.0.dist-info" / "RECORD").write_text(MARK)
    (site / "__editable___biomlbench_finder.py").write_text(f"# {MARK}\n")
    (site / "biomlbench.pth").write_text(f"# {MARK}\n")
    return folder, site


def test_an_installed_package_is_hidden_and_its_neighbours_are_not(confined, installed):
    folder, site = installed
    code = LOOK + b"\n\ndef helper():\n    import helper\n    return helper.value\n"
    cases = [
        Case("find", "find", (MARK, [str(site), str(folder)])),
        Case("helper", "helper"),
        Case("modules", "modules"),
    ]
    done = run_functions(code, cases, provider=confined, environment=folder, preload=())
    values = {case.id: case.value() for case in done.cases}
    assert values["find"] == []
    assert values["helper"] == 42
    assert not values["modules"]


def test_an_environment_gives_its_own_interpreter(confined, installed):
    folder, _ = installed
    code = b"import sys\n\n\ndef prefix():\n    return sys.prefix\n"
    done = run_functions(
        code, [Case("a", "prefix")], provider=confined, environment=folder, preload=()
    )
    assert done.cases[0].value() == str(folder)


def test_a_task_folder_inside_site_packages_is_hidden_on_request(confined, installed):
    folder, site = installed
    tasks = site / "more_tasks"
    if not tasks.exists():
        plant(tasks / "card")
    case = [Case("find", "find", (MARK, [str(tasks)]))]
    options = {"provider": confined, "environment": folder, "preload": ()}
    assert run_functions(LOOK, case, **options).cases[0].value() != []
    assert run_functions(LOOK, case, hidden=[tasks], **options).cases[0].value() == []


def test_the_running_package_its_repository_and_the_tests_are_hidden(confined):
    package = Path(biomlbench.__file__).parent
    places = [str(package), str(package.parent), str(Path(__file__).parent)]
    cases = [Case("find", "find", ("def ", places)), Case("tops", "tops"), Case("m", "modules")]
    code = LOOK.replace(b"site-packages", b"nowhere")
    done = run_functions(code, cases, limits=Limits(wall_s=HANG_S), provider=confined)
    found, tops, modules = done.cases
    # The environment may lie inside the repository, as `.venv` does; it has to be shown.
    assert [path for path in found.value() if not path.startswith(f"{sys.prefix}/")] == []
    assert not modules.value()
    if confined.startswith("bwrap"):
        allowed = {"bin", "box", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sbx"}
        # Of sys only the number of cores.
        allowed |= {"libx32", "sys", "tmp", "usr"}
        allowed |= {Path(path).parts[1] for path in interpreter.current().paths}
        assert set(tops.value()) <= allowed


def test_only_the_inputs_are_shown_not_what_they_link_to(confined, tmp_path):
    public = tmp_path / "public"
    public.mkdir()
    (tmp_path / "answers.csv").write_text("answers")
    (public / "link.csv").symlink_to(tmp_path / "answers.csv")
    (public / "up").symlink_to("..")
    code = b"""
import os
text = []
for name in ("data/link.csv", "data/up/answers.csv", "data/../answers.csv"):
    try:
        text.append(open(name).read())
    except OSError as error:
        text.append("")
open("submission.csv", "w").write("".join(text))
"""
    done = run_program(code, public, provider=confined)
    assert done.output == b"", done


def test_which_paths_are_covered():
    python = interpreter.current()
    package = Path(biomlbench.__file__).absolute().parent
    assert str(package) in interpreter.hidden_paths([str(package.parent)], python)
    assert str(package) not in interpreter.hidden_paths(["/usr/lib"], python)
    assert interpreter.hidden_paths(["/usr/lib"], python, [Path("/usr/lib/no/such")]) == []
    assert str(package.parent) not in python.paths
    assert str(Path.home()) not in python.paths


def test_a_folder_shown_under_two_names_is_covered_under_both(tmp_path):
    site = plant(tmp_path / "lib" / "site" / "biomlbench").parent
    (tmp_path / "lib64").symlink_to("lib")
    python = interpreter.Interpreter("", (), (), (str(site),))
    shown = [str(tmp_path / "lib"), str(tmp_path / "lib64")]
    found = interpreter.hidden_paths(shown, python)
    assert found == [f"{path}/site/biomlbench" for path in shown]


def test_the_base_interpreters_own_copy_is_covered_too(tmp_path):
    inside = plant(tmp_path / "lib" / "python3.11" / "site-packages" / "biomlbench")
    other = plant(tmp_path / "lib" / "python3" / "dist-packages" / "biomlbench_tasks")
    python = interpreter.Interpreter("", (), (), ())
    found = interpreter.hidden_paths([str(tmp_path / "lib")], python)
    assert found == sorted([str(inside), str(other)])


def test_the_parts_of_an_interpreter_are_shown_not_its_prefix(tmp_path):
    for name in ("bin", "lib", "private notes"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin" / "python").write_text("")
    python = interpreter._describe(str(tmp_path / "bin/python"), str(tmp_path), "/usr", [])
    assert python.paths == (str(tmp_path / "bin"), str(tmp_path / "lib"))


def test_links_to_the_interpreter_are_followed(tmp_path):
    real = tmp_path / "opt" / "python"
    real.mkdir(parents=True)
    (real / "python3").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "hop").symlink_to(real / "python3")
    (tmp_path / "bin" / "python").symlink_to("../hop")
    python = interpreter._describe(str(tmp_path / "bin/python"), str(tmp_path), "/usr", [])
    assert str(real / "python3") in python.paths
    assert (str(tmp_path / "hop"), str(real / "python3")) in python.links


def test_a_broken_environment_is_named(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").write_text("#!/bin/sh\necho nonsense\n")
    (tmp_path / "bin" / "python").chmod(0o755)
    with pytest.raises(SandboxUnavailable, match="no working bin/python"):
        interpreter.of_environment(tmp_path)


def test_importing_the_package_is_cheap():
    code = (
        "import sys, biomlbench.sandbox\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'scipy', 'yaml'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
