"""As the package."""

from tqdm import tqdm, trange

__all__ = ["tqdm", "trange"]
