# In: the aggregated tables.
# Out: one figure a file (PNG and SVG), and the self-contained report.html.
for figure, category in plots.categories().items():

    rule:
        name:
            f"plot_{figure}"
        input:
            pairs="<results>/pairs.parquet",
            checks="<results>/checks.parquet",
            agents="<results>/agents.parquet",
            tasks="<results>/tasks.parquet",
            telemetry="<results>/telemetry.parquet",
        output:
            png=report(
                f"<results>/plots/{figure}.png",
                caption=f"../report/{figure}.rst",
                category=category,
                labels={"figure": figure.replace("_", " ")},
            ),
            svg=f"<results>/plots/{figure}.svg",
        log:
            f"<results>/logs/plot_{figure}.log",
        priority: plots.priority(figure)
        localrule: True
        params:
            figure=figure,
            code=BENCHMARK.code("report"),
        run:
            run_summary("plot", input, output, params, wildcards, threads, log)


rule report:
    input:
        pairs="<results>/pairs.parquet",
        checks="<results>/checks.parquet",
        agents="<results>/agents.parquet",
        tasks="<results>/tasks.parquet",
        telemetry="<results>/telemetry.parquet",
        plots=expand("<results>/plots/{figure}.svg", figure=plots.names()),
    output:
        report=report(
            "<results>/report.html",
            caption="../report/report.rst",
            category="Report",
            labels={"figure": "whole report"},
        ),
    log:
        "<results>/logs/report.log",
    localrule: True
    params:
        # By a function, whose result is taken as it is: braces in a text would be wildcards.
        title=lambda wildcards: BENCHMARK.config["title"],
        code=BENCHMARK.code("report"),
    run:
        run_summary("report", input, output, params, wildcards, threads, log)
