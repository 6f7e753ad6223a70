"""A test bed as it is drawn: boxes, frames, lines and labels in CSS pixels from the upper left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.core.typeface import width_em

WIDTH_PX = 626.0
"""The width of the text on the narrower paper, A4: there nothing is scaled."""

TITLE_PX, TEXT_PX = 12, 11
LINE_OF_TEXT = 1.3
"""From one line to the next, as Plotly sets them, in heights of the letters."""

SLACK = 1.25
"""Room for a browser that has another sans family in place of the report's."""

FACTS = " · "
"""Between two facts of a text."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Words:
    """Lines of text around a centre; ``left`` is where they begin instead, where they do."""

    lines: tuple[str, ...]
    x: float
    y: float
    size_px: int
    bold: bool = False
    left: bool = False


@dataclass(frozen=True)
class Box:
    """A part: a rectangle with its name and text; of many alike, a stack."""

    left: float
    top: float
    right: float
    bottom: float
    words: tuple[Words, ...]
    row: str
    stacked: bool = False

    @property
    def middle(self) -> float:
        """Where its centre lies across."""
        return (self.left + self.right) / 2


@dataclass(frozen=True)
class Frame:
    """What a group of boxes belongs to: a dotted rectangle, its name on the right."""

    left: float
    top: float
    right: float
    bottom: float
    words: Words


@dataclass(frozen=True)
class Strand:
    """The lines of one link between two boxes; ``switch`` counts the fabric they belong to."""

    lines: tuple[tuple[Point, ...], ...]
    switch: int | None


@dataclass(frozen=True)
class Drawing:
    """All of it. ``one_each`` says that each line is a path, wherever paths are stated."""

    height: float
    boxes: tuple[Box, ...]
    frames: tuple[Frame, ...]
    strands: tuple[Strand, ...]
    labels: tuple[Words, ...]
    one_each: bool


def room_px(text: str, size_px: int, *, bold: bool = False) -> float:
    """The width that is kept for a line of text."""
    return width_em(text, bold=bold) * size_px * SLACK


def wrap(text: str, width: float, size_px: int, *, bold: bool = False) -> tuple[str, ...]:
    """A text in lines of a width; a word that is wider is broken between letters.

    Facts that dots set apart (" · ") stay whole where they fit, and a dot at the end of a line is
    left out.
    """
    lines: list[str] = []
    for fact in text.split(FACTS):
        whole = room_px(fact, size_px, bold=bold) <= width
        for number, word in enumerate([fact] if whole else fact.split(" ")):
            longer = (FACTS if number == 0 else " ").join([*lines[-1:], word])
            if lines and room_px(longer, size_px, bold=bold) <= width:
                lines[-1] = longer
            else:
                pieces = [""]
                for letter in word:
                    if pieces[-1] and room_px(pieces[-1] + letter, size_px, bold=bold) > width:
                        pieces.append("")
                    pieces[-1] += letter
                lines += pieces
    return tuple(lines)


def height_of(lines: Sequence[str], size_px: int) -> float:
    """The height of lines of text."""
    return len(lines) * size_px * LINE_OF_TEXT
