# In: every prediction task's prepared data, its grader, and its waivers.
# Out: results/audit: what each task and its grader let through, with the submissions that show it,
# and one page. Run by `snakemake audit`; nothing else asks for it.
rule audit_task:
    input:
        prepare="<results>/tasks/{task}/prepare.parquet",
        waivers=waivers_of,
    output:
        findings="<results>/audit/{task}/findings.json",
        table="<results>/audit/{task}/findings.csv",
        submissions=directory("<results>/audit/{task}/submissions"),
    log:
        "<results>/logs/audit/{task}.log",
    localrule: IN_JOB
    params:
        job=audit_job,
        code=code_of_module("biomlbench.audit"),
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
