# Grade, verify and calibrate submissions of AI agents on biomedical machine-learning tasks.
# Rules are in workflow/rules, one file a stage; what they do is in the library, biomlbench.
import os

from snakemake.utils import min_version

min_version("9.27")


# A folder that has no config, and is given none, gets the demo's.
if os.path.isfile("config/config.yaml") or workflow.overwrite_configfiles:

    configfile: "config/config.yaml"

elif "runs" not in config:

    configfile: workflow.source_path("config/config.yaml")


include: "workflow/rules/common.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/demo.smk"
include: "workflow/rules/stages_common.smk"
include: "workflow/rules/stages.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/telemetry.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/calibrate_common.smk"
include: "workflow/rules/calibrate.smk"
include: "workflow/rules/audit_common.smk"
include: "workflow/rules/audit.smk"


rule all:
    default_target: True
    input:
        BENCHMARK.gaps(),
        "<results>/pairs.parquet",
        "<results>/checks.parquet",
        "<results>/agents.parquet",
        "<results>/tasks.parquet",
        "<results>/grading_report.json",
        "<results>/provenance.json",
        "<results>/telemetry.parquet",
        "<results>/calibration/usage.json",
        "<results>/report.html",


onstart:
    start_run()
    SNAKEMAKE.no_rate_limit()
    SNAKEMAKE.no_input_sizes()
    SNAKEMAKE.in_turns(turn_of)
    SNAKEMAKE.ask_soon()


onsuccess:
    name_report()


onerror:
    report_what_is_there()
