"""The accent: white text stands on it, and it is the colour of headings on white."""

from __future__ import annotations

LEAST_CONTRAST = 4.5
"""Between text and ground, for people with weak eyes (WCAG 2.2, success criterion 1.4.3)."""


_DARKEST = 0.04045
"""Up to this part of full light, sRGB is linear."""


def readable(colour: str) -> tuple[str, str | None]:
    """The colour, darkened where white on it could not be read, and then a remark on that."""
    shown, given = colour, contrast_with_white(colour)
    parts = _parts(colour)
    for percent in range(99, -1, -1):
        if contrast_with_white(shown) >= LEAST_CONTRAST:
            break
        shown = "#" + "".join(f"{part * percent // 100:02x}" for part in parts)
    if shown == colour:
        return colour, None
    return shown, (
        f"accent {colour}: white on it has a contrast of {given:.1f} to 1, and {LEAST_CONTRAST} is "
        f"the least; darkened to {shown}"
    )


def contrast_with_white(colour: str) -> float:
    """The ratio of luminances as WCAG defines it: 1 for white, 21 for black."""
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _parts(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def _linear(part: float) -> float:
    return part / 12.92 if part <= _DARKEST else float(((part + 0.055) / 1.055) ** 2.4)
