"""The typeface of text and charts: where its files are, and how wide a text is in it.

The widths are the font's own advances (its tables ``cmap`` and ``hmtx``), without kerning.
"""

from __future__ import annotations

import functools
import importlib.util
import struct
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import MissingPartError

_PACKAGE = "font_source_sans_pro"
END = 0xFFFF
"""The code point of the segment that ends a ``cmap``."""

REGULAR, BOLD = "SourceSansPro-Regular", "SourceSansPro-Bold"


@functools.cache
def folder() -> Path:
    """The folder of the font files; MissingPartError when the wheel is not installed."""
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise MissingPartError("the typeface is missing; pip install font-source-sans-pro")
    return Path(found.origin).parent / "files"


def file(face: str) -> Path:
    """The TrueType file of a face; MissingPartError when it is not there."""
    path = folder() / f"{face}.ttf"
    if not path.is_file():
        raise MissingPartError(f"the typeface {path.name} is missing; install its wheel again")
    return path


ZERO_WIDTH_SPACE = "\u200b"
"""A place where a line may break inside a word; it prints nothing."""


def width_em(text: str, *, bold: bool = False) -> float:
    """How wide a line of text is; a letter that the typeface lacks is taken for as wide as high."""
    widths = _advances(BOLD if bold else REGULAR)
    return sum(widths.get(ord(letter), 1.0) for letter in text if letter != ZERO_WIDTH_SPACE)


def lacking(text: str) -> str:
    """The letters of a text that the typeface does not have, each once."""
    known = _advances(REGULAR)
    return "".join(dict.fromkeys(letter for letter in text if ord(letter) not in known))


def spelled(text: str) -> str:
    """The text, each letter that the typeface does not have as its code."""
    codes = {ord(one): one.encode("unicode_escape").decode() for one in lacking(text)}
    return text.translate(codes)


@functools.cache
def _advances(face: str) -> dict[int, float]:
    """Code point -> advance width in em."""
    data = file(face).read_bytes()
    count = struct.unpack_from(">H", data, 4)[0]
    records = (struct.unpack_from(">4sIII", data, 12 + 16 * i) for i in range(count))
    table = {tag: start for tag, _, start, _ in records}
    units = struct.unpack_from(">H", data, table[b"head"] + 18)[0]
    metrics = struct.unpack_from(">H", data, table[b"hhea"] + 34)[0]

    def advance(glyph: int) -> float:
        # glyphs beyond the last metric share it
        place = table[b"hmtx"] + 4 * min(glyph, metrics - 1)
        return float(struct.unpack_from(">H", data, place)[0] / units)

    return {code: advance(glyph) for code, glyph in _glyphs(data, table[b"cmap"]).items()}


def _glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """Code point -> glyph, of the Windows Unicode subtable (platform 3, encoding 1, format 4)."""
    count = struct.unpack_from(">H", data, cmap + 2)[0]
    tables = (struct.unpack_from(">HHI", data, cmap + 4 + 8 * i) for i in range(count))
    start = cmap + next(at for platform, encoding, at in tables if (platform, encoding) == (3, 1))
    found = {}
    for segment in _segments(data, start):
        for code in range(segment.first, segment.last + 1):
            glyph = segment.glyph(data, code)
            if glyph:
                found[code] = glyph
    return found


@dataclass(frozen=True)
class _Segment:
    """Code points in a row of a ``cmap`` of format 4, and how they become glyphs."""

    first: int
    last: int
    delta: int
    offset: int
    place: int  # of the offset itself: it counts from there

    def glyph(self, data: bytes, code: int) -> int:
        if not self.offset:
            return (code + self.delta) & 0xFFFF
        at = self.place + self.offset + 2 * (code - self.first)
        found: int = struct.unpack_from(">H", data, at)[0]
        return (found + self.delta) & 0xFFFF if found else 0


def _segments(data: bytes, start: int) -> list[_Segment]:
    size = struct.unpack_from(">H", data, start + 6)[0]  # twice the number of segments
    ends, firsts = start + 14, start + 16 + size
    found = []
    for at in range(0, size, 2):
        last, first, delta, offset = (
            struct.unpack_from(">H", data, begin + at)[0]
            for begin in (ends, firsts, firsts + size, firsts + 2 * size)
        )
        if first != END:
            found.append(_Segment(first, last, delta, offset, firsts + 2 * size + at))
    return found
