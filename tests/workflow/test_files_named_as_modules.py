"""Files in the benchmark's folder are data, whatever modules they are named after."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NAMES = ("json.py", "csv.py", "random.py", "numpy.py", "pyarrow.py", "snakemake.py")
SUBMIT = """\
#!/bin/sh
sh "$1" > /dev/null 2>&1 &
echo $!
"""


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["local", "cluster-generic"])
def test_no_job_imports_what_lies_in_the_folder(fresh, tmp_path, executor):
    work, imported = tmp_path / "work", tmp_path / "imported"
    for name in ("config", "runs.csv", "subs", "group", "toy"):
        work.mkdir(exist_ok=True)
        shutil.move(fresh.path / name, work / name)
    for name in NAMES:
        (work / name).write_text(
            f"with open({str(imported)!r}, 'a') as file:\n    file.write({name!r})\n"
        )
    names = ("subs/right.csv", "subs/program.py", *NAMES)
    (work / "runs.csv").write_text(
        "run_id,agent,task_id,submission\n" + "".join(f"{n[-9:]},eve,line,{n}\n" for n in names)
    )
    call = [Path(sys.executable).with_name("snakemake"), "--snakefile", fresh.path / "Snakefile"]
    call += ["--cores", "2"]
    if executor != "local":
        submit = tmp_path / "submit"
        submit.write_text(SUBMIT)
        submit.chmod(0o755)
        call += ["--executor", executor, "--cluster-generic-submit-cmd", submit, "--jobs", "4"]
        call += ["--config", "pairs_per_job=200"]
    done = subprocess.run(call, cwd=work, env=fresh.env(), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert not imported.exists()
    assert (work / "results" / "report.html").is_file()
