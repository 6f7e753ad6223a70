"""The sizes of the pages and of the text on them."""

from __future__ import annotations

TOP_MM = 20.0
"""Where the text of a page begins, from its top."""

_MARGIN_MM = 22.0
_FOOT_MM = 24.0
_PAPERS_MM = {"us-letter": (215.9, 279.4), "a4": (210.0, 297.0)}

TEXT_HEIGHT_MM = {paper: height - TOP_MM - _FOOT_MM for paper, (_, height) in _PAPERS_MM.items()}
"""The height of text on a portrait page, by paper."""

TEXT_END_MM = {paper: height - _FOOT_MM for paper, (_, height) in _PAPERS_MM.items()}
"""Where the text of a portrait page ends, from the page's top, by paper."""


def text_sizes_mm(paper: str) -> tuple[float, float]:
    """The width of text on a portrait and on a landscape page."""
    width, height = _PAPERS_MM[paper]
    return width - 2 * _MARGIN_MM, height - 2 * _MARGIN_MM
