"""Submissions: where they lie, what they hold, and which rows match which answers."""
