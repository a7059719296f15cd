"""Lets ``python -m biomlbench`` be the command ``biomlbench``."""

from biomlbench.cli import main

if __name__ == "__main__":
    main()
