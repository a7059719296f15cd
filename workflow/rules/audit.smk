# In: every task's prepared data, its grader or its checks, and its waivers; and the other tasks'
# prepared data, as an audit of predictions looks into their public files.
# Out: results/audit: what each task lets through, with the submissions that show it, texts to be
# filed, a badge, and one page. Run by `snakemake audit`; nothing else asks for it.
rule audit_task:
    input:
        prepare="<results>/tasks/{task}/prepare.parquet",
        others=others_of,
        waivers=waivers_of,
    output:
        findings="<results>/audit/{task}/findings.json",
        table="<results>/audit/{task}/findings.csv",
        page="<results>/audit/{task}/audit.html",
        badge="<results>/audit/{task}/badge.svg",
        submissions=directory("<results>/audit/{task}/submissions"),
        upstream=directory("<results>/audit/{task}/upstream"),
    log:
        "<results>/logs/audit/{task}.log",
    localrule: IN_JOB
    threads: task_resource("cpus")
    resources:
        mem_mb=task_resource("memory_mb"),
        gpu=task_resource("gpus"),
    params:
        job=audit_job,
        code=audit_code,
    run:
        run_script("audit_task", input, output, params, wildcards, threads, log)


rule audit:
    input:
        findings=all_audits,
    output:
        page="<results>/audit/audit.html",
    log:
        "<results>/logs/audit/audit.log",
    localrule: True
    params:
        code=code_of_module("biomlbench.audit.write"),
    run:
        run_script("audit", input, output, params, wildcards, threads, log)
