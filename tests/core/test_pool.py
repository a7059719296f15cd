"""The worker pool: warm, parallel, and a dead worker costs one job."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from biomlbench.runtime.pool import JobError, Pool, WorkerDiedError

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import os, sys

def main(snakemake):
    print("noise on stdout", file=sys.stdout)
    if snakemake.what == "die":
        os._exit(3)
    if snakemake.what == "raise":
        raise ValueError("said so")
    if snakemake.what == "threads":
        import numpy, pyarrow, threadpoolctl
        pools = {pool["num_threads"] for pool in threadpoolctl.threadpool_info()}
        return os.getpid(), os.environ["OMP_NUM_THREADS"], pools, pyarrow.cpu_count()
    if snakemake.what in ("state", "change"):
        import numpy
        umask = os.umask(0)
        os.umask(umask)
        seen = os.getcwd(), dict(os.environ), list(sys.path), umask, numpy.geterr()
        if snakemake.what == "change":
            os.chdir("/")
            os.environ.clear()
            sys.path.clear()
            os.umask(0o777)
            numpy.seterr(all="raise")
        return seen
    if snakemake.what == "warm":
        return os.getpid(), "colorsys" in sys.modules
    return os.getpid()
"""


@pytest.fixture
def pool(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    made = Pool(ROOT, threads=1)
    yield lambda what: made.run(tmp_path / "script.py", {"what": what})
    made.close()


def test_a_worker_is_kept_for_the_next_job(pool):
    assert pool("pid") == pool("pid") != os.getpid()


def test_an_exception_comes_back_and_the_worker_lives(pool):
    first = pool("pid")
    with pytest.raises(JobError, match="said so"):
        pool("raise")
    assert pool("pid") == first


def test_a_job_meets_nothing_that_one_before_has_set(pool):
    before = pool("pid"), pool("change")
    assert (pool("pid"), pool("state")) == before


def test_a_dead_worker_costs_only_its_job(pool):
    with pytest.raises(WorkerDiedError, match="status 3"):
        pool("die")
    assert pool("pid")


def test_jobs_of_several_threads_run_in_several_processes(pool):
    found, barrier = set(), threading.Barrier(3)

    def work():
        barrier.wait()
        found.add(pool("pid"))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) >= 2


@pytest.mark.parametrize("counts", [(1, 2, 1), (2, 1)])
def test_libraries_get_the_threads_of_the_job_loaded_before_or_during_it(tmp_path, counts):
    (tmp_path / "script.py").write_text(SCRIPT)
    pool = Pool(ROOT)
    workers = set()
    for threads in counts:
        job = {"what": "threads", "threads": threads}
        worker, variable, pools, arrow = pool.run(tmp_path / "script.py", job)
        assert (variable, pools, arrow) == (str(threads), {threads}, threads)
        workers.add(worker)
    pool.close()
    assert len(workers) == 1


def test_libraries_get_one_thread_where_the_job_says_nothing(pool):
    _, variable, pools, arrow = pool("threads")
    assert (variable, pools, arrow) == ("1", {1}, 1)


def test_workers_import_what_they_are_told_to_before_they_get_a_job(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    made = Pool(ROOT, threads=1)
    try:
        made.warm(("no_such_module", "colorsys"), workers=2)
        made.warm(("colorsys",), workers=1)
        (first, warm), (second, _) = (
            made.run(tmp_path / "script.py", {"what": "warm"}) for _ in range(2)
        )
        assert warm
        assert first == second
        assert len(made._all) == 2
    finally:
        made.close()


def test_a_warm_worker_that_died_costs_no_job(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    made = Pool(ROOT, threads=1)
    try:
        made.warm((), workers=1)
        (worker,) = made._all
        worker._process.kill()
        worker._process.wait()
        made.warm(("colorsys",))
        assert made.run(tmp_path / "script.py", {"what": "pid"})
    finally:
        made.close()
