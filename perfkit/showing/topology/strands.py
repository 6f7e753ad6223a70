"""The lines of a test bed: from box to box through the bands between the rows.

As many lines as paths, where they can be told apart; else one for each link. They leave a box in
the order of where they go, so that those of one link run side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from perfkit.showing.topology.drawing import Box, Point, Strand
from perfkit.showing.topology.parts import Bed, BedError, Link

MOST_LINES = 8
"""Of more paths one line is drawn, and the label says how many there are."""

APART_PX, LEAST_APART_PX = 9.0, 3.5
EDGE_PX = 10.0
"""What stays free at both ends of a box's edge."""

CHANNEL_PX = 5.0
MOST_PASSING = 12
"""Lines that pass a row side by side; of more, one is drawn for each link of two boxes."""


Band = tuple[int, int]
"""The room between two rows, or that of one."""

FABRICS = frozenset({"switches", "networks"})


@dataclass(frozen=True)
class _Run:
    """A link of one box with one other; equal runs are told apart by their number."""

    number: int
    link: Link
    upper: Box
    lower: Box


@dataclass
class Wiring:
    """The links of a test bed between the boxes of its parts.

    Attributes:
        bed: The test bed.
        boxes: The boxes of each part, by its name.
        channels: Where the lines run that pass a row.
    """

    bed: Bed
    boxes: Mapping[str, Sequence[Box]]
    channels: Sequence[float]

    @cached_property
    def levels(self) -> list[tuple[float, float]]:
        """Where the boxes of each row begin and end."""
        first = {box.row: box for boxes in self.boxes.values() for box in boxes}
        return [(first[row].top, first[row].bottom) for row in self.bed.rows]

    def strands(self) -> list[Strand]:
        """The lines of every link, box by box."""
        return [Strand(tuple(self._lines(run)), self._switch(run.link)) for run in self._runs]

    @property
    def one_each(self) -> bool:
        """Whether each line is a path, wherever paths are stated."""
        return not self._thin

    @cached_property
    def _runs(self) -> list[_Run]:
        pairs = [
            (link, *pair)
            for link in self.bed.links
            for pair in product(self.boxes[link.upper], self.boxes[link.lower])
        ]
        return [_Run(number, *pair) for number, pair in enumerate(pairs)]

    def _levels(self, run: _Run) -> tuple[int, int]:
        return self.bed.level(run.link.upper), self.bed.level(run.link.lower)

    def _flat(self, run: _Run) -> bool:
        upper, lower = self._levels(run)
        return upper == lower

    # --- how many lines

    def _bands(self, run: _Run) -> set[Band]:
        """Where a run begins and ends: below its upper row, and above its lower one."""
        upper, lower = self._levels(run)
        return {(upper, lower)} if upper == lower else {(upper, upper + 1), (lower - 1, lower)}

    @cached_property
    def _thin(self) -> set[Band]:
        """The bands in which the paths are too many to be told apart."""
        thin: set[Band] = set()
        for run in self._runs:
            if (run.link.paths or 1) > MOST_LINES or self._crowded(run):
                thin |= self._bands(run)
        for level in range(len(self.bed.rows)):
            passing = self._passers(level)
            if sum(run.link.paths or 1 for run in passing) > MOST_PASSING:
                thin |= {band for run in passing for band in self._bands(run)}
        return thin

    def _crowded(self, run: _Run) -> bool:
        """Whether the lines do not fit side by side at a box of the run."""
        for box, side in ((run.upper, "below"), (run.lower, "above")):
            lines = sum(other.link.paths or 1 for other in self._at(box, side))
            if (lines - 1) * LEAST_APART_PX > box.right - box.left - 2 * EDGE_PX:
                return True
        return False

    def _passers(self, level: int) -> list[_Run]:
        """The runs that pass a row."""
        return [run for run in self._runs if self._levels(run)[0] < level < self._levels(run)[1]]

    def _count(self, run: _Run) -> int:
        return 1 if self._bands(run) & self._thin else run.link.paths or 1

    # --- where they leave a box

    def _at(self, box: Box, side: str) -> list[_Run]:
        """The runs at one side of a box, ordered by where they go."""
        own = [
            run
            for run in self._runs
            if not self._flat(run) and box is (run.upper if side == "below" else run.lower)
        ]
        return sorted(own, key=lambda run: (self._goal(run, side), run.number))

    def _goal(self, run: _Run, side: str) -> float:
        upper, lower = self._levels(run)
        if lower - upper > 1:
            return self.channels[upper + 1 if side == "below" else lower - 1]
        return (run.lower if side == "below" else run.upper).middle

    def _ports(self, run: _Run, side: str) -> list[float]:
        """Where the lines of a run meet a side of its box."""
        box = run.upper if side == "below" else run.lower
        runs = self._at(box, side)
        total = sum(self._count(other) for other in runs)
        before = sum(self._count(other) for other in runs[: runs.index(run)])
        room = (box.right - box.left) - 2 * EDGE_PX
        apart = min(APART_PX, room / max(total - 1, 1))
        start = box.middle - apart * (total - 1) / 2
        return [start + apart * (before + number) for number in range(self._count(run))]

    # --- the lines

    def _lines(self, run: _Run) -> list[tuple[Point, ...]]:
        if self._flat(run):
            return self._beside(run)
        upper, lower = self._levels(run)
        starts, ends = self._ports(run, "below"), self._ports(run, "above")
        return [
            (
                (start, self.levels[upper][1]),
                *self._passing(run, number),
                (end, self.levels[lower][0]),
            )
            for number, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]

    def _passing(self, run: _Run, number: int) -> list[Point]:
        """The corners of a line beside the rows that it passes."""
        found = []
        for level, (top, bottom) in enumerate(self.levels):
            passing = self._passers(level)
            if run not in passing:
                continue
            before = sum(self._count(other) for other in passing[: passing.index(run)])
            total = sum(map(self._count, passing))
            apart = min(CHANNEL_PX, CHANNEL_PX * MOST_PASSING / total)
            x = self.channels[level] + apart * (before + number)
            found += [(x, top), (x, bottom)]
        return found

    def _beside(self, run: _Run) -> list[tuple[Point, ...]]:
        """Lines between neighbours of a row.

        Raises BedError where the two are none.
        """
        left, right = sorted((run.upper, run.lower), key=lambda box: box.left)
        row = [box for boxes in self.boxes.values() for box in boxes if box.row == left.row]
        if any(left.left < box.left < right.left for box in row):
            place = self.bed.links.index(run.link)
            raise BedError(
                ("links", place),
                f"{run.link.upper!r} and {run.link.lower!r} are of one row and do not stand side "
                "by side: in a row only neighbours are linked",
            )
        beside = [
            other
            for other in self._runs
            if {id(other.upper), id(other.lower)} == {id(left), id(right)}
        ]
        total = sum(self._count(other) for other in beside)
        before = sum(self._count(other) for other in beside[: beside.index(run)])
        apart = min(APART_PX, (left.bottom - left.top - 2 * EDGE_PX) / max(total - 1, 1))
        start = (left.top + left.bottom) / 2 - apart * (total - 1) / 2
        heights = [start + apart * (before + number) for number in range(self._count(run))]
        return [((left.right, y), (right.left, y)) for y in heights]

    def _switch(self, link: Link) -> int | None:
        """The fabric that a link belongs to, counted from the left; None: to none, or to two."""
        fabrics = [part for part in self.bed.parts if part.row in FABRICS]
        own = [part for part in fabrics if part.name in {link.upper, link.lower}]
        return fabrics.index(own[0]) if len(own) == 1 else None
