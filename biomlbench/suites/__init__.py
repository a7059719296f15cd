"""Suites: benchmarks of others, as they are published, at one commit each.

A suite is a YAML file in ``builtin`` or in the folder of suites (:func:`suites_home`). Its tasks
are fetched by :func:`get_suite_files` and then known to every registry.
"""

from __future__ import annotations

from .suite import Suite, SuiteError, find_suite, list_suites, suites_home

__all__ = ["Suite", "SuiteError", "find_suite", "list_suites", "suites_home"]
