"""Lines of code as wide as the page: they get smaller, then they are broken."""

from __future__ import annotations

from perfkit.reporting.document.grids import PT_PER_MM
from perfkit.reporting.document.verbatim import folded

CODE_PT, LEAST_CODE_PT = 8.2, 6.0
"""The size of code, and to what it shrinks before its lines are broken."""

SHORT_LINES = 20
"""Code of so many lines is not broken over pages."""

_CODE_EM, _CODE_INSET_PT = 0.603, 16.0
"""How wide a letter of code is, and the blank beside it."""


def code_lines(text: str, width_mm: float) -> tuple[str, float]:
    """Lines of code that fit the width, and their size: 95 letters at 8.2 pt, 130 at 6 pt."""
    room_em = (width_mm * PT_PER_MM - _CODE_INSET_PT) / _CODE_EM
    longest = max(map(len, text.expandtabs(4).splitlines()), default=0)
    size = max(min(CODE_PT, room_em / max(longest, 1)), LEAST_CODE_PT)
    most = int(room_em / size)
    if longest <= most:
        return text, size
    return folded(text.expandtabs(4), most), size
