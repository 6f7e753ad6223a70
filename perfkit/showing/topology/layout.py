"""Where the parts of a test bed stand: boxes side by side in rows, rows one below the other.

Between two rows is a band in which the links run. A box is never narrower than its row allows; of
many parts that are alike one box is drawn, as a stack.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from perfkit.showing.topology.drawing import (
    TEXT_PX,
    TITLE_PX,
    WIDTH_PX,
    Box,
    Drawing,
    Frame,
    Words,
    height_of,
    room_px,
    wrap,
)
from perfkit.showing.topology.parts import Bed, BedError, Link, Part, labels
from perfkit.showing.topology.strands import CHANNEL_PX, MOST_PASSING, Wiring

MOST_APART = 4
"""Of more parts that are alike one box is drawn."""

EDGE_PX = 2.0
"""Round the whole."""

NARROWEST_PX, WIDEST_PX = 80.0, 184.0
LEAST_GAP_PX, MOST_GAP_PX = 14.0, 80.0
PAD_PX = 7.0
"""Between a box and its words."""

BETWEEN_PX = 2.0
"""Between a name and the text below it."""

STACK_PX = 4.0
"""How far the boxes of a stack show behind the first."""

FRAME_PX = 9.0
"""Between a frame and its boxes."""

NAME_PX = 62.0
"""The width of a group's name, at most."""

LABEL_PX = 94.0
"""The width of the labels at the left, at most."""

BAND_PX = 60.0
TALLEST_PX = 760.0
"""What fits on a page with its caption."""


@dataclass(frozen=True)
class _Slot:
    """One box to be drawn, of a part or of all that are alike."""

    part: Part
    title: str
    stacked: bool = False


@dataclass
class _Row:
    """A row of boxes on its way to its place."""

    name: str
    slots: list[_Slot]
    channel_px: float
    width: float = 0.0
    gap: float = 0.0
    boxes: list[Box] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    top: float = 0.0
    bottom: float = 0.0

    @property
    def groups(self) -> list[tuple[str, int, int]]:
        """Name, first and last slot of each group, from the left."""
        found: list[tuple[str, int, int]] = []
        for place, slot in enumerate(self.slots):
            group = slot.part.group
            if group and found and found[-1][0] == group and found[-1][2] == place - 1:
                found[-1] = (group, found[-1][1], place)
            elif group:
                found.append((group, place, place))
        return found


def lay_out(bed: Bed) -> Drawing:
    """The drawing of a test bed.

    Raises BedError where a row has more boxes than fit side by side, a link joins two parts of a
    row that are not neighbours, a group is torn apart, or the whole is taller than a page.
    """
    names = bed.rows
    between = {
        band: _labels(bed, [k for k in bed.links if _band(bed, k) == band])
        for band in (*range(len(names)), *((level, level) for level in range(len(names))))
    }
    column = max((_widest(lines) for lines in between.values()), default=0.0)
    rows = [_fitted(bed, name, WIDTH_PX - column - 2 * EDGE_PX) for name in names]
    for row in rows:
        _check_groups(row)
    at, notes = EDGE_PX, []
    for level, row in enumerate(rows):
        _stand(row, column, at)
        beside = between[level, level]
        notes.append(_note(beside, (row.top + row.bottom) / 2))
        below = between[level]
        band = max(BAND_PX, height_of(below, TEXT_PX) + 14) if level + 1 < len(rows) else 0.0
        notes.append(_note(below, row.bottom + band / 2))
        at = row.bottom + band
    if at > TALLEST_PX:
        raise BedError((), "is taller than a page: shorten the texts, or leave out a row")
    # links that pass a row do so right of all that stands in it
    channels = [_left(row, column) + _whole(row) + LEAST_GAP_PX for row in rows]
    wiring = Wiring(bed, _places(rows), channels)
    return Drawing(
        at + EDGE_PX,
        tuple(box for row in rows for box in row.boxes),
        tuple(frame for row in rows for frame in row.frames),
        tuple(wiring.strands()),
        tuple(note for note in notes if note.lines),
        wiring.one_each,
    )


# --- labels at the left --------------------------------------------------------------------------


def _band(bed: Bed, link: Link) -> int | tuple[int, int]:
    """Where the label of a link stands: in the band below its upper part, or in their row."""
    upper, lower = bed.level(link.upper), bed.level(link.lower)
    return (upper, upper) if upper == lower else upper


def _labels(bed: Bed, links: Sequence[Link]) -> tuple[str, ...]:
    return tuple(line for text in labels(bed, links) for line in wrap(text, LABEL_PX, TEXT_PX))


def _widest(lines: Sequence[str]) -> float:
    return max((room_px(line, TEXT_PX) for line in lines), default=-LEAST_GAP_PX) + LEAST_GAP_PX


def _note(lines: tuple[str, ...], y: float) -> Words:
    return Words(lines, 0.0, y, TEXT_PX, left=True)


# --- one row -------------------------------------------------------------------------------------


def _fitted(bed: Bed, name: str, room: float) -> _Row:
    """A row with the width of its boxes; parts that are alike become stacks until it fits."""
    parts = bed.row(name)
    stacked = {part.name for part in parts if part.count > MOST_APART}
    passing = sum(
        _lines(bed, link)
        for link in bed.links
        if bed.level(link.upper) < bed.rows.index(name) < bed.level(link.lower)
    )
    channel = LEAST_GAP_PX + min(passing, MOST_PASSING) * CHANNEL_PX if passing else 0.0
    while True:
        row = _Row(name, list(_slots(parts, stacked)), channel)
        if _set_width(row, room):
            return row
        apart = [part for part in parts if part.count > 1 and part.name not in stacked]
        if not apart:
            raise BedError(
                (name,),
                f"{len(row.slots)} parts do not fit side by side: write those that are alike as "
                "one, with their count",
            )
        stacked.add(max(apart, key=lambda part: part.count).name)


def _lines(bed: Bed, link: Link) -> int:
    """How many lines a link has, at most."""
    ends = (bed.part(link.upper), bed.part(link.lower))
    return math.prod((1 if part.count > MOST_APART else part.count) for part in ends) * (
        link.paths or 1
    )


def _slots(parts: Sequence[Part], stacked: set[str]) -> Iterator[_Slot]:
    for part in parts:
        if part.name in stacked:
            yield _Slot(part, " … ".join(part.ends), stacked=True)
        else:
            yield from (_Slot(part, name) for name in part.names)


def _set_width(row: _Row, room: float) -> bool:
    """Width and gaps of the boxes; whether they fit."""
    count = len(row.slots)
    groups = sum(2 * FRAME_PX + _name_width(name) for name, _, _ in row.groups)
    room -= groups + row.channel_px + (STACK_PX if row.slots[-1].stacked else 0)
    row.width = min(WIDEST_PX, (room - LEAST_GAP_PX * (count - 1)) / count)
    row.gap = min(MOST_GAP_PX, max(LEAST_GAP_PX, (room - count * row.width) / (count + 1)))
    return row.width >= NARROWEST_PX


def _name(group: str) -> tuple[str, ...]:
    return wrap(group, NAME_PX, TEXT_PX)


def _name_width(group: str) -> float:
    return max(room_px(line, TEXT_PX) for line in _name(group)) + 6


def _check_groups(row: _Row) -> None:
    names = [name for name, _, _ in row.groups]
    for name in names:
        if names.count(name) > 1:
            raise BedError((row.name,), f"the parts of group {name!r} do not stand side by side")


def _stand(row: _Row, column: float, at: float) -> None:
    """Put the boxes and frames of a row to their places, from the height ``at`` on."""
    words = [_words(slot, row.width) for slot in row.slots]
    inner = max(_height(*pair) for pair in words)
    framed = FRAME_PX if row.groups else 0.0
    names = max((height_of(_name(name), TEXT_PX) for name, _, _ in row.groups), default=0.0)
    height = max(inner + 2 * PAD_PX, names)
    stack = STACK_PX if any(slot.stacked for slot in row.slots) else 0.0
    top = at + framed + stack
    row.top, row.bottom = top, top + height
    x = _left(row, column)
    starts, ends = {first for _, first, _ in row.groups}, {g[2]: g for g in row.groups}
    for place, (slot, (title, text)) in enumerate(zip(row.slots, words, strict=True)):
        x += FRAME_PX if place in starts else 0
        row.boxes.append(_box(row, slot, x, title, text))
        x += row.width
        if place in ends:
            name, first, _ = ends[place]
            x += FRAME_PX
            lines, middle = _name(name), (row.top + row.bottom) / 2
            row.frames.append(
                Frame(
                    row.boxes[first].left - FRAME_PX,
                    top - stack - FRAME_PX,
                    x,
                    row.bottom + FRAME_PX,
                    Words(lines, x + 5, middle, TEXT_PX, left=True),
                )
            )
            x += _name_width(name)
        x += row.gap
    row.bottom += framed


def _whole(row: _Row) -> float:
    """The width of all boxes of a row with gaps, frames and names."""
    groups = sum(2 * FRAME_PX + _name_width(name) for name, _, _ in row.groups)
    return len(row.slots) * (row.width + row.gap) - row.gap + groups


def _words(slot: _Slot, width: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    room = width - 2 * PAD_PX
    text = wrap(slot.part.text, room, TEXT_PX) if slot.part.text else ()
    return wrap(slot.title, room, TITLE_PX, bold=True), text


def _box(row: _Row, slot: _Slot, x: float, title: Sequence[str], text: Sequence[str]) -> Box:
    middle, start = x + row.width / 2, (row.top + row.bottom - _height(title, text)) / 2
    above, below = height_of(title, TITLE_PX), height_of(text, TEXT_PX)
    words = [Words(tuple(title), middle, start + above / 2, TITLE_PX, bold=True)]
    if text:
        place = start + above + BETWEEN_PX + below / 2
        words.append(Words(tuple(text), middle, place, TEXT_PX))
    return Box(x, row.top, x + row.width, row.bottom, tuple(words), row.name, slot.stacked)


def _height(title: Sequence[str], text: Sequence[str]) -> float:
    """The height of a name and the text below it."""
    below = BETWEEN_PX + height_of(text, TEXT_PX) if text else 0.0
    return height_of(title, TITLE_PX) + below


def _places(rows: Sequence[_Row]) -> dict[str, list[Box]]:
    """The boxes of each part, by its name."""
    found: dict[str, list[Box]] = {}
    for row in rows:
        for slot, box in zip(row.slots, row.boxes, strict=True):
            found.setdefault(slot.part.name, []).append(box)
    return found


def _left(row: _Row, column: float) -> float:
    """Where a row begins that stands in the middle, right of the column of labels."""
    return column + (WIDTH_PX - column - row.channel_px - _whole(row)) / 2
