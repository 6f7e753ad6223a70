"""Whether bytes are a picture of the type that they are said to be."""

from __future__ import annotations

_BEGINNINGS = {
    "image/png": b"\x89PNG\r\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
}


def is_picture(data: bytes, mime: str) -> bool:
    """Whether a picture begins as one of its type does; a drawing (SVG) names its element."""
    begins = _BEGINNINGS.get(mime)
    return data.startswith(begins) if begins else b"<svg" in data
