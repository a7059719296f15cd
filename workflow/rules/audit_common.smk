# What the rules of audit.smk use: which tasks there are, and what their audits depend on.
from biomlbench.calibrate.currency import code_of_controls
from biomlbench.calibrate.currency import job_of as job_of_controls
from biomlbench.workflow.code_hash import code_hash as code_of_module


def audited_tasks():
    """Return the tasks that have runs; looked up only when their jobs are planned."""
    return BENCHMARK.tasks_with_runs


def audited_card(wildcards):
    return BENCHMARK.registry.get_task(wildcards.task).is_card


def audit_job(wildcards):
    """Return what an audit depends on: what a grade does, or running and judging candidates.

    An audit of predictions looks into the public files of all tasks in the data folder. Those of
    this benchmark's own are inputs.
    """
    if audited_card(wildcards):
        return job_of_controls(BENCHMARK, wildcards.task)
    # Late: it imports pandas, which no other run needs while it is planned.
    from biomlbench.audit.other_tables import other_public_hash

    task = BENCHMARK.registry.get_task(wildcards.task)
    others = other_public_hash(task, besides=audited_tasks())
    return {**BENCHMARK.task_job("grade", wildcards.task), "others": others}


def others_of(wildcards):
    """Return the prepared tasks, beside its own, whose public files an audit looks into."""
    others = [task for task in audited_tasks() if task != wildcards.task]
    if audited_card(wildcards):
        return []
    return [f"<results>/tasks/{task}/prepare.parquet" for task in others]


def audit_code(wildcards):
    """Return the hash of the code that audits tables, or of that which audits cards."""
    if audited_card(wildcards):
        return "-".join(
            (
                code_of_controls(BENCHMARK),
                code_of_module("biomlbench.calibrate.card_audit"),
            )
        )
    return code_of_module("biomlbench.audit")


def waivers_of(wildcards):
    path = BENCHMARK.registry.get_task(wildcards.task).folder / "audit.yaml"
    return [str(path)] if path.is_file() else []


def all_audits(wildcards):
    return [f"<results>/audit/{task}/findings.json" for task in audited_tasks()]
