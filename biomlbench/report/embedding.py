"""Figures as they are put into a page: small, in a light and a dark variant."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from PIL.Image import Image

__all__ = ["darkened", "embedded"]

COLOURS = 256  # of an embedded figure's palette, which shrinks it to about a third
PAPER = np.array([26.0, 33.0, 42.0])  # the dark theme's cards, as in report.css
INK = np.array([230.0, 235.0, 241.0])
LUMA = np.array([0.2126, 0.7152, 0.0722])  # ITU-R BT.709
NEUTRAL = (0.12, 0.03)  # chroma up to which a dark, a light colour is a grey
VIVID = (0.30, 0.12)  # chroma from which it is not
FULL = (0.30, 0.42)  # saturation, chroma over brightest, at which a tint is a colour of its own
BRIGHT = (0.70, 0.78)  # mean brightness at which it is too light to carry light text
BOOST = (0.20, 0.40)  # chroma up to which a tint's colour is doubled, and from which it is not
LIFT = 0.2  # how far full colours are moved to white, to stand out from the dark


def darkened(colours: np.ndarray) -> np.ndarray:
    """Return the colours of a figure on white as they are on a dark page.

    Greys are turned over, so that ink is light. Tints, which are a colour on white, become the
    same colour on the dark page. Full colours, which legends name, keep their hue.

    Parameters
    ----------
    colours : ndarray of uint8, shape (n, 3)

    Returns
    -------
    ndarray of uint8, shape (n, 3)

    Examples
    --------
    >>> darkened(np.array([[255, 255, 255], [0, 114, 178]], np.uint8)).tolist()
    [[26, 33, 42], [51, 142, 193]]
    """
    given = colours.astype(float)
    least, most = (end(axis=1, keepdims=True) for end in (given.min, given.max))
    chroma = (most - least) / 255
    grey = given @ LUMA[:, None] / 255
    turned = INK + (PAPER - INK) * _ramp(grey, 0.15, 1.0)  # the figures' ink is not quite black
    boost = 2 - _ramp(chroma, *BOOST)
    tint = PAPER * least / 255 + boost * (given - least)
    full = given + LIFT * (255 - given)
    light = _ramp(most / 255, 0.70, 0.85)
    neutral, vivid = (a + (b - a) * light for a, b in (NEUTRAL, VIVID))
    coloured = _ramp(chroma, neutral, vivid)
    own = _ramp(255 * chroma / np.maximum(most, 1), *FULL) * (1 - _ramp(grey, *BRIGHT))
    mixed = (1 - coloured) * turned + coloured * ((1 - own) * tint + own * full)
    colours_there: np.ndarray = np.clip(np.rint(mixed), 0, 255).astype(np.uint8)
    return colours_there


def _ramp(values: np.ndarray, start: np.ndarray | float, end: np.ndarray | float) -> np.ndarray:
    return np.clip((values - start) / (end - start), 0, 1)


def embedded(path: Path) -> tuple[bytes, bytes, tuple[int, int]]:
    """Return a PNG with few colours, the same for a dark page, and its width and height."""
    from PIL import Image

    with Image.open(path) as image:
        # A seventh of the time that the median cut takes, and smaller files.
        light = image.convert("RGB").quantize(
            COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        )
        size = image.size
    dark = light.copy()
    palette = np.array(light.getpalette("RGB"), np.uint8).reshape(-1, 3)
    dark.putpalette(darkened(palette).ravel().tolist(), "RGB")
    return _png(light), _png(dark), size


def _png(image: Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()
