"""Adapter of the rule `calibrate_strict`."""

from biomlbench.calibrate.gate import write_proof


def main(snakemake):
    """Fail where a task is above the allowed rates; otherwise say which are within them."""
    write_proof(snakemake.input["allowed_rates"], snakemake.output["strict"])
