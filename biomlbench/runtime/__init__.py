"""Processes, threads, locks and resources of the machine."""
