"""As in the package: the error by which a grader refuses a submission."""

__all__ = ["InvalidSubmissionError"]


class InvalidSubmissionError(ValueError):
    """The submission cannot be graded, and that is its own fault."""
