"""Progress bars that show nothing, for graders in an interpreter without tqdm."""

__all__ = ["tqdm", "trange"]


class tqdm:
    """Goes through what it is given."""

    def __init__(self, iterable=(), *_args, **_kwargs):
        self.iterable = iterable

    def __iter__(self):
        return iter(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None

    def update(self, *_args):
        """Show nothing."""

    set_description = set_postfix = close = write = update

    @classmethod
    def pandas(cls, *_args, **_kwargs):
        """Show nothing."""


def trange(*args, **_kwargs):
    """Go through a range."""
    return tqdm(range(*args))
