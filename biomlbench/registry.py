"""The registry of the documented grading API: tasks by id."""

from biomlbench.task.registry import (
    Registry,
    Task,
    cache_dir,
    default_data_dir,
    prepare_command,
    registry,
)

__all__ = ["Registry", "Task", "cache_dir", "default_data_dir", "prepare_command", "registry"]
