"""How many values slow tests make up; seeds are fixed, so that more are needed only at times."""

from __future__ import annotations

import os

TIMES = int(os.environ.get("BIOMLBENCH_FUZZ", "1"))
"""Ten for 100,000 frames, 10,000 values and 600 requests an operation; see CONTRIBUTING.md."""
