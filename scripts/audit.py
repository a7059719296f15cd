"""Adapter of the rule `audit`."""

from pathlib import Path

from biomlbench.audit.write import read_audit, write_page


def main(snakemake):
    """Write the page over all audits."""
    found = snakemake.input["findings"]
    paths = [Path(path) for path in ([found] if isinstance(found, str) else found)]
    write_page(map(read_audit, paths), Path(snakemake.output["page"]))
