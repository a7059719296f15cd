"""The whole battery once more, as a plain user made for the purpose."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.waiting import HANG_S, wait_until

REPOSITORY = Path(__file__).parents[2]

# In a mount namespace of its own: where root's home hides the interpreter from others, show
# them the interpreter there and nothing else.
SCRIPT = """
set -e
user=$1 python=$2 home=$3; shift 3
if ! setpriv --reuid "$user" --regid "$user" --clear-groups test -x "$python"; then
    mount --make-rprivate /
    hold=$(mktemp -d)
    mount --bind "$prefix" "$hold"
    top=$(echo "$prefix" | cut -d/ -f2)
    mount -t tmpfs -o mode=0755 none "/$top"
    mkdir -p "$prefix"
    mount --bind "$hold" "$prefix"
    umount "$hold"
    rmdir "$hold"
fi
cd "$repository"
exec setpriv --reuid "$user" --regid "$user" --init-groups env -i HOME="$home" \
    PATH=/usr/bin:/bin LANG=C.UTF-8 PYTHONPATH="$repository" PYTHONDONTWRITEBYTECODE=1 \
    BIOMLBENCH_CACHE_DIR="$home/cache" "$python" "$@"
"""


@pytest.fixture
def user(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make users")
    if shutil.which("useradd") is None or shutil.which("setpriv") is None:
        pytest.skip("needs useradd and setpriv")
    name = f"sbx{uuid.uuid4().hex[:8]}"
    home = Path("/var/tmp") / name
    subprocess.run(["useradd", "--create-home", "--home-dir", str(home), name], check=True)
    yield name, home
    subprocess.run(["userdel", "--remove", name], check=False, capture_output=True)


def run_as(user, *arguments, timeout=HANG_S):
    name, home = user
    environment = {
        **os.environ,
        "prefix": str(Path(sys.base_prefix).resolve()),
        "repository": str(REPOSITORY),
    }
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", SCRIPT, "sh", name, sys.executable, str(home), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def living_of(name):
    """What a user's processes run; those that only wait to be waited for have ended."""
    call = ["ps", "-o", "stat=,args=", "-u", name]
    lines = subprocess.run(call, capture_output=True, text=True).stdout.splitlines()
    return [line for line in lines if not line.startswith("Z")]


# In parts, so that no worker is left with it when the others are done.
BATTERY = {
    "attacks": ["tests/attacks"],
    "sandbox": [
        f"tests/sandbox/test_{name}.py"
        for name in ("functions", "program", "hidden", "providers", "faults")
    ],
}
WITH_SLOW_TESTS = ("attacks",)


@pytest.mark.root
@pytest.mark.slow
@pytest.mark.parametrize("part", BATTERY)
def test_the_battery_holds_for_a_plain_user(user, part, request):
    marks, more = "not root", []
    if request.config.getoption("--after-a-user"):
        # the user whose run that was is a plain one
        if part not in WITH_SLOW_TESTS:
            pytest.skip("a plain user has just run all of these")
        marks = "slow and not root"
        # what it does to others beside it, root sees as well
        more = ["-k", "is_stopped"]
    options = ["-q", "-p", "no:cacheprovider", "-m", marks, "--basetemp", f"{user[1]}/tmp", *more]
    done = run_as(user, "-m", "pytest", *options, *BATTERY[part])
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    # Python's own helper of a process pool ends a moment after the test run.
    wait_until(lambda: not living_of(user[0]), f"the end of {living_of(user[0])}")


@pytest.mark.root
def test_a_plain_user_gets_a_full_sandbox(user):
    code = (
        "from biomlbench.sandbox import Case, run_functions\n"
        "done = run_functions(b'def f(x):\\n    return x + 1\\n', [Case('a', 'f', (1,))])\n"
        "print(done.provider, done.level, done.cases[0].value())\n"
    )
    done = run_as(user, "-c", code)
    assert done.stdout.split() == ["bwrap-user", "full", "2"], done.stderr
