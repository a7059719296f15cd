"""Pictures of the documentation, kept small."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COLOURS = 128


def shrink(path: Path, tallest: int | None = None) -> None:
    """Cut a picture below and reduce its colours, in place."""
    from PIL import Image

    with Image.open(io.BytesIO(path.read_bytes())) as image:
        height = min(image.height, tallest or image.height)
        cut = image.convert("RGB").crop((0, 0, image.width, height))
    cut.quantize(COLOURS, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)
