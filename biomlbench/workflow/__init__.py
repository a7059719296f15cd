"""What the rules of the Snakemake workflow ask the library for."""
