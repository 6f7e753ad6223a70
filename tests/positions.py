"""Where things stand on the pages of a typeset report, and what a setter would not let pass.

The positions are read from the PDF itself: the structure tree says what a piece of text is, the
content of the page where it is drawn. Nothing here knows the template. To check a file:

    python tests/positions.py REPORT.pdf...
"""

from __future__ import annotations

import io
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from pypdf import PdfReader
from pypdf.generic import ContentStream

HEADINGS = frozenset({"H1", "H2", "H3", "H4", "H5", "H6"})
FOOT = 0.12
"""The part of a page at its foot where no heading stands without its content."""
LEAST_ROWS = 3
LEAST_FULL = 1 / 3
LEAST_SPILL = 6
"""Lines of the contents that a page of their own must have at least."""
MARGIN = 62.4
"""Blank at the top of a page, in points; at the foot it is somewhat more."""
SAME_LINE = 3.0


@dataclass
class Thing:
    """A heading, caption, row, entry of the contents, figure or other text.

    Attributes:
        tag: H1 to H6, Caption, TR, TOCI, Figure, or the tag of the text.
        group: The number of the table or list that it is part of; of the thing itself else.
        header: Whether a row is one of header cells.
        spots: (page, y) of each piece of it, in points from the page's foot.
    """

    tag: str
    group: int
    header: bool = False
    spots: list[tuple[int, float]] = field(default_factory=list)

    def pages(self) -> list[int]:
        """The pages on which it stands, in order."""
        return sorted({page for page, _ in self.spots})


@dataclass
class Layout:
    """Every thing of a report in reading order, and the heights of its pages in points."""

    things: list[Thing]
    heights: list[float]
    landscape: list[bool]

    def on(self, page: int) -> list[Thing]:
        """What stands on a page, in reading order."""
        return [thing for thing in self.things if page in thing.pages()]


def read_layout(pdf: bytes) -> Layout:
    """The positions of all that a PDF's structure tree names."""
    reader = PdfReader(io.BytesIO(pdf))
    tree = _Tree(reader)
    tree.visit(reader.trailer["/Root"]["/StructTreeRoot"]["/K"], _Place())
    boxes = [page.mediabox for page in reader.pages]
    return Layout(
        [thing for thing in tree.things if thing.spots],
        [float(box.height) for box in boxes],
        [box.width > box.height for box in boxes],
    )


@dataclass(frozen=True)
class _Place:
    """Where the walk through the tree is: in which thing, on which page, in which table or list."""

    thing: Thing | None = None
    page: int | None = None
    group: int | None = None


GROUPS = frozenset({"Table", "TOC"})
LEAVES = frozenset({"TR", "Figure", "Caption"})
KNOWN = LEAVES | HEADINGS | {"TOCI", "LI", "P", "Title"}


class _Tree:
    """Collects things from the structure tree, with the positions of their marked content."""

    def __init__(self, reader: PdfReader):
        self.things: list[Thing] = []
        self._numbers = {page.indirect_reference.idnum: n for n, page in enumerate(reader.pages)}
        self._drawn = [_marked(page, reader) for page in reader.pages]

    def visit(self, node, place: _Place) -> None:
        node = node.get_object() if hasattr(node, "get_object") else node
        if isinstance(node, list):
            for child in node:
                self.visit(child, place)
        elif isinstance(node, int):
            if place.thing is not None:
                spots = self._drawn[place.page].get(int(node), [])
                place.thing.spots += [(place.page, y) for y in spots]
        elif isinstance(node, dict):
            self._element(node, place)

    def _element(self, node, place: _Place) -> None:
        tag = str(node.get("/S", "")).lstrip("/")
        if "/Pg" in node:
            place = replace(place, page=self._numbers[node.raw_get("/Pg").idnum])
        if tag in GROUPS and place.group is None:
            place = replace(place, group=len(self.things))
        inside = place.thing.tag if place.thing else ""
        if tag in KNOWN and (inside not in LEAVES | {"TOCI"} or tag == "TOCI"):
            group = len(self.things) if place.group is None else place.group
            place = replace(place, thing=Thing(tag, group))
            self.things.append(place.thing)
        if tag == "TH":
            place.thing.header = True
        if tag == "Figure":
            boxes = [item.get_object() for item in node.get("/A", [])]
            heights = [float(box["/BBox"][n]) for box in boxes if "/BBox" in box for n in (1, 3)]
            place.thing.spots += [(place.page, y) for y in heights]
        for key in ("/K", "/MCID"):
            if key in node:
                self.visit(node[key], place)


NO_MARK = -1
UNMOVED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def _marked(page, reader) -> dict[int, list[float]]:
    """The heights at which each piece of marked content draws text."""
    found: dict[int, list[float]] = defaultdict(list)
    matrices, text = [UNMOVED], 0.0
    marks = [NO_MARK]
    for operands, operator in ContentStream(page.get_contents(), reader).operations:
        match operator:
            case b"q" | b"Q" | b"cm":
                _move(matrices, operator, operands)
            case b"Tm":
                text = _times([float(number) for number in operands], matrices[-1])[5]
            case b"BDC" | b"BMC":
                marks.append(_mark(operands, marks[-1]))
            case b"EMC":
                marks.pop()
            case b"Tj" | b"TJ":
                found[marks[-1]].append(text)
    return found


def _move(matrices: list[tuple[float, ...]], operator: bytes, operands) -> None:
    """Keep, restore or change the matrix that the page is drawn with."""
    if operator == b"q":
        matrices.append(matrices[-1])
    elif operator == b"Q":
        matrices.pop()
    else:
        matrices[-1] = _times([float(number) for number in operands], matrices[-1])


def _mark(operands, outer: int) -> int:
    """The number of the content that begins; that around it where it has none."""
    properties = operands[1] if len(operands) > 1 else None
    numbered = isinstance(properties, dict) and "/MCID" in properties
    return int(properties["/MCID"]) if numbered else outer


def _times(a, b) -> tuple[float, ...]:
    return (
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4], a[4] * b[1] + a[5] * b[3] + b[5],
    )  # fmt: skip


def faults(pdf: bytes) -> list[str]:
    """What a setter would not let pass, each with its page; empty where all is right."""
    layout = read_layout(pdf)
    return [
        *_lonely_headings(layout), *_short_parts(layout), *_split_rows(layout),
        *_empty_pages(layout), *_spilled_contents(layout),
    ]  # fmt: skip


def _lonely_headings(layout: Layout) -> list[str]:
    """A heading, or a table's caption, below which its page has nothing."""
    found = []
    for page in range(len(layout.heights)):
        below = sorted(
            layout.on(page), key=lambda thing: min(y for p, y in thing.spots if p == page)
        )
        if not below:
            continue
        last = below[0]
        y = max(y for p, y in last.spots if p == page)
        if last.tag in HEADINGS:
            place = "in the foot" if y < FOOT * layout.heights[page] else "with nothing below it"
            found.append(f"page {page + 1}: a heading {place} of the page")
        elif last.tag == "Caption" and _next(layout, last) == "TR":
            found.append(f"page {page + 1}: the caption of a table on the next page")
    return found


def _next(layout: Layout, thing: Thing) -> str:
    place = layout.things.index(thing)
    return layout.things[place + 1].tag if place + 1 < len(layout.things) else ""


def _short_parts(layout: Layout) -> list[str]:
    """A part of a table over several pages that has fewer than three rows."""
    tables: dict[int, list[Thing]] = defaultdict(list)
    for thing in layout.things:
        if thing.tag == "TR" and not thing.header:
            tables[thing.group].append(thing)
    found = []
    for rows in tables.values():
        counts: dict[int, int] = defaultdict(int)
        for row in rows:
            counts[row.pages()[0]] += 1
        if len(counts) > 1:
            found += [
                f"page {page + 1}: {count} of {len(rows)} rows of a table"
                for page, count in counts.items()
                if count < LEAST_ROWS
            ]
    return found


def _split_rows(layout: Layout) -> list[str]:
    rows = [thing for thing in layout.things if thing.tag == "TR" and not thing.header]
    return [
        f"page {row.pages()[0] + 1}: a row that goes on on the next page"
        for row in rows
        if len(row.pages()) > 1
    ]


def _empty_pages(layout: Layout) -> list[str]:
    """Pages less than a third full.

    The last one, the cover, the end of a chapter and what stands before a page turned for a wide
    table may be.
    """
    found = []
    for page in range(1, len(layout.heights) - 1):
        following = layout.on(page + 1)
        turned = layout.landscape[page + 1] > layout.landscape[page]
        if turned or (following and following[0].tag == "H1"):
            continue
        full = _full(layout, page)
        if full < LEAST_FULL:
            found.append(f"page {page + 1}: only {full:.0%} full")
    return found


def fullness(pdf: bytes) -> list[int]:
    """How full each page is, in per cent of its height between the margins."""
    layout = read_layout(pdf)
    return [round(100 * _full(layout, page)) for page in range(len(layout.heights))]


def _full(layout: Layout, page: int) -> float:
    height = layout.heights[page]
    lowest = min((y for thing in layout.on(page) for p, y in thing.spots if p == page),
                 default=height - MARGIN)  # fmt: skip
    return (height - MARGIN - lowest) / (height - 2 * MARGIN)


def _spilled_contents(layout: Layout) -> list[str]:
    """Pages that have only a few lines of the contents or of a list, continued from the last."""
    entries = [thing for thing in layout.things if thing.tag == "TOCI"]
    pages = sorted({page for thing in entries for page in thing.pages()})
    found = []
    for page in pages[1:]:
        own = sorted(y for thing in entries for p, y in thing.spots if p == page)
        lines = sum(b - a > SAME_LINE for a, b in pairwise(own)) + 1
        if lines < LEAST_SPILL:
            found.append(f"page {page + 1}: {lines} lines of the contents")
    return found


def main(paths: list[str]) -> int:
    """Print the faults of each file; 1 where there is one."""
    bad = 0
    for path in paths:
        told = faults(Path(path).read_bytes())
        bad += bool(told)
        sys.stdout.write(
            "\n".join(
                [
                    f"{path}: {len(told)} faults; full in %: {fullness(Path(path).read_bytes())}",
                    *told,
                ]
            )
            + "\n"
        )
    return min(bad, 1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
