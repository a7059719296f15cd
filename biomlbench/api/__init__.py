"""Grading a submission, a table or a file of many; :mod:`biomlbench.grade` publishes it."""
