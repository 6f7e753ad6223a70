"""How much room a text takes: the advance widths of the charts' typeface, Source Sans Pro."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.showing import style

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_PX = 15
"""From one line of text to the next."""

_FIRST = 32
_REGULAR = (
    200, 289, 425, 497, 497, 824, 609, 249, 303, 303, 418, 497, 249, 311, 249, 350,
    497, 497, 497, 497, 497, 497, 497, 497, 497, 497, 249, 249, 497, 497, 497, 425,
    847, 544, 588, 571, 615, 527, 494, 617, 652, 263, 480, 579, 486, 727, 647, 664,
    566, 664, 569, 534, 536, 645, 515, 786, 513, 476, 539, 303, 350, 303, 497, 500,
    542, 504, 553, 456, 555, 496, 292, 504, 544, 246, 247, 495, 255, 829, 547, 542,
    555, 555, 347, 419, 338, 544, 467, 718, 446, 467, 425, 303, 241, 303, 497,
)  # fmt: skip
_BOLD = (
    200, 340, 536, 528, 528, 857, 667, 300, 344, 344, 457, 528, 300, 332, 300, 339,
    528, 528, 528, 528, 528, 528, 528, 528, 528, 528, 300, 300, 528, 528, 528, 463,
    903, 573, 605, 582, 635, 548, 524, 638, 674, 301, 509, 614, 518, 762, 665, 684,
    596, 684, 613, 556, 556, 665, 556, 813, 567, 525, 541, 344, 339, 344, 528, 500,
    555, 527, 573, 467, 573, 518, 341, 534, 571, 276, 278, 548, 286, 857, 572, 555,
    573, 573, 398, 443, 383, 568, 523, 776, 514, 521, 460, 344, 268, 344, 528,
)  # fmt: skip
"""Thousandths of the size, of the characters from the space to the tilde."""

_OTHER = 1000
"""Any other character: no letter of the family is wider, nor one of another script."""

_KNOWN = {"µ": 594, "±": 528, "×": 528, "–": 480, "−": 528, "≥": 528, "≤": 528, "·": 300}

MOST_LINES = 3
"""Lines of a name; of a longer one the middle is left out."""


def width_of(text: str, size: int = style.FONT_SIZE_PX, *, bold: bool = False) -> float:
    """The width of one line of text, in pixels."""
    widths = _BOLD if bold else _REGULAR
    last = _FIRST + len(widths)
    return sum(
        widths[ord(c) - _FIRST] if _FIRST <= ord(c) < last else _KNOWN.get(c, _OTHER) for c in text
    ) * size / 1000  # fmt: skip


def lines_of(
    text: str, px: float, size: int = style.FONT_SIZE_PX, *, bold: bool = False
) -> list[str]:
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
    text: str, px: float, size: int = style.FONT_SIZE_PX, *, bold: bool = False, whole: bool = True
) -> str:
    """The text, or the end of it that one line has room for, where names differ most."""
    if whole and width_of(text, size, bold=bold) <= px:
        return text
    while width_of(f"…{text}", size, bold=bold) > px:
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
