# What the rules of audit.smk use: which tasks there are, and what their audits depend on.
from biomlbench.workflow.code_hash import code_hash as code_of_module


def audited_tasks():
    """Return the prediction tasks that have runs; looked up only when their jobs are planned."""
    tasks = map(BENCHMARK.registry.get_task, BENCHMARK.tasks_with_runs)
    return [task.id for task in tasks if not task.is_card]


def audit_job(wildcards):
    """Return what an audit depends on: what a grade does."""
    return BENCHMARK.task_job("grade", wildcards.task)


def waivers_of(wildcards):
    path = BENCHMARK.registry.get_task(wildcards.task).folder / "audit.yaml"
    return [str(path)] if path.is_file() else []


def all_audits(wildcards):
    return [f"<results>/audit/{task}/findings.json" for task in audited_tasks()]
