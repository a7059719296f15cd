"""Where a task's raw files come from."""
