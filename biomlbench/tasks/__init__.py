"""Built-in tasks, one folder each as ``<domain>/<name>``, and tools for their preparers.

Importing this package loads nothing; tasks are found by :mod:`biomlbench.task.registry`.
"""
