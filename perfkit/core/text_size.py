"""How much room a text takes in a chart: in lines of a width, or shortened to one."""

from __future__ import annotations

from collections.abc import Iterator

from perfkit.core.typeface import width_em

FONT_SIZE_PX = 12
"""The size of a chart's text."""

LINE_PX = 15
"""From one line of text to the next."""

MOST_LINES = 3
"""Lines of a name; of a longer one the middle is left out."""


def width_of(text: str, size: int = FONT_SIZE_PX, *, bold: bool = False) -> float:
    """The width of one line of text, in pixels."""
    return width_em(text, bold=bold) * size


def lines_of(text: str, px: float, size: int = FONT_SIZE_PX, *, bold: bool = False) -> list[str]:
    """The text in lines of at most this width, broken at spaces where it has them."""
    lines = [""]
    for word in _pieces(text, px, size, bold=bold):
        joined = f"{lines[-1]} {word}".strip()
        if width_of(joined, size, bold=bold) <= px:
            lines[-1] = joined
        else:
            lines += [word] if lines[-1] else []
            lines[-1] = word
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], shortened(text, px, size, bold=bold, whole=False)]


def shortened(
    text: str, px: float, size: int = FONT_SIZE_PX, *, bold: bool = False, whole: bool = True
) -> str:
    """The text, or the end of it that one line has room for, where names differ most."""
    if whole and width_of(text, size, bold=bold) <= px:
        return text
    while text and width_of(f"…{text}", size, bold=bold) > px:
        text = text[1:]
    return f"…{text}"


def _pieces(text: str, px: float, size: int, *, bold: bool) -> Iterator[str]:
    """The words, those that are wider than a line in pieces."""
    for word in text.split(" "):
        begun = 0
        for end in range(1, len(word) + 1):
            if end > begun + 1 and width_of(word[begun:end], size, bold=bold) > px:
                yield word[begun : end - 1]
                begun = end - 1
        yield word[begun:]
