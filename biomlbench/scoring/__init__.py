"""From a submission to a score, and from a score to a medal."""
