"""Whatever a submitted file is packed to be, reading it keeps the grader below 1 GB."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biomlbench.stages import Context
from biomlbench.stages.prepare import compute
from biomlbench.submission import sample

MIB = 1 << 20
# Little less than is read; what is larger is refused while it is unpacked.
FULL = sample._LEAST_MOST_BYTES // MIB - 1
MOST_MIB = 1000
ROOT = Path(__file__).resolve().parents[2]
READ = """
import sys
from biomlbench.grade import validate_submission
from biomlbench.stages import Context

home, path = sys.argv[1:]
task = Context(data_dir=home + "/data", tasks_dirs=(home + "/tasks",)).task("toy/line")
assert not validate_submission(path, task)[0]
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    path = tmp_path_factory.mktemp("read")
    shutil.copytree(ROOT / "tests/workflow/toy/toy/line", path / "tasks/toy/line")
    compute("toy/line", Context(data_dir=str(path / "data"), tasks_dirs=(str(path / "tasks"),)))
    return path


def packed(path, head, middle, tail=b""):
    with gzip.open(path, "wb", 1) as file:
        for part in (head, *[middle] * FULL, tail):
            file.write(part)


def packed_columns(path, columns):
    pq.write_table(pa.table(columns), path, compression="zstd")


FILES = {
    "bomb.csv.gz": lambda path: packed(path, b"id,y\n", b"r" * 20 * MIB),
    "cell.csv.gz": lambda path: packed(path, b"id,y\n", b"r" * MIB, b",1\n"),
    "quoted-rows.csv.gz": lambda path: packed(path, b'id,y\n"r",1\n', b"r00,1\n" * 170_000),
    "number.csv.gz": lambda path: packed(path, b"id,y\na,", b"1" * MIB, b"x\n"),
    "wide.csv.gz": lambda path: packed(
        path, "\ufeffid,y\na,".encode("utf-16-le"), "中".encode("utf-16-le") * (MIB // 2)
    ),
    "commas.csv.gz": lambda path: packed(path, b"id,y\n", b"," * MIB),
    "ends.csv.gz": lambda path: packed(path, b"", b"\r\n" * (MIB // 2)),
    "texts.parquet": lambda path: packed_columns(
        path, {"id": ["r" * 500] * 230_000, "y": [1.0] * 230_000}
    ),
    "text.parquet": lambda path: packed_columns(path, {"id": ["r" * FULL * MIB], "y": [1.0]}),
    "bomb.parquet": lambda path: packed_columns(
        path, {"id": pa.DictionaryArray.from_arrays(
            pa.array([0] * 900_000, "int32"), pa.array(["r" * 10_000])), "y": [1.0] * 900_000}
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_reading_keeps_below_a_gigabyte(name, home, tmp_path):
    path = tmp_path / name
    FILES[name](path)
    done = subprocess.run(
        [sys.executable, "-c", READ, home, path], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    print(f"{name}: {path.stat().st_size >> 10} KiB, {done.stdout.strip()} MiB")
    assert int(done.stdout) < MOST_MIB


def test_a_task_of_many_cells_reads_larger_files():
    def of(rows, columns):
        keys = type("Keys", (), {"__len__": lambda _: rows, "values": pa.nulls(rows, "string")})()
        return sample.Sample(dict.fromkeys(map(str, range(columns)), "number"), keys, ())

    assert of(30, 2).most_bytes == sample._LEAST_MOST_BYTES
    assert of(1_000, 5_000).most_bytes > 2 * sample._LEAST_MOST_BYTES
    assert of(1_000_000, 5_000).most_bytes == sample.MAX_BYTES
