"""The test bed, drawn: what stands where, and what is linked with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures.canvas import Plotly, escape, note
from perfkit.showing.tables.run import fact_text
from perfkit.showing.tables.sheet import measured_rows
from perfkit.showing.topology.drawing import (
    TEXT_PX,
    WIDTH_PX,
    Box,
    Drawing,
    Frame,
    Point,
    Strand,
    Words,
    height_of,
    wrap,
)
from perfkit.showing.topology.layout import STACK_PX, lay_out
from perfkit.showing.topology.parts import Bed, Link, Part, alt_text

MM_PER_PX = 25.4 / 96
CORNER_PX = 3.0
KEY_GAP_PX = 10.0
TINT = "rgba(138,148,156,0.12)"
"""Of the boxes in which data lie; it lets a dark page through."""

_TINTED = frozenset({"controllers", "shelves", "volumes"})
_EACH = "Each line is a path."
_SOME = "Where lines have a number of paths beside them, each line is a path."
_THIN = "Lines show what is linked with what; the words at the left give the number of paths."
_BARE = "Lines show what is linked with what, but not over how many paths."
_RECORDED = "The host that generated the load, and the storage under test as the host sees it."
_HOST = ("product", "cpu_model", "memory_bytes", "os")
_TARGET = ("device.kind", "device.model", "device.size_bytes", "filesystem")
"""What is drawn of the record, in order."""

_STACK = "A stack stands for several like parts; the lines drawn are those of each one."


def draw_test_bed(bed: Bed, *, value_id: str, caption: str) -> Figure:
    """The drawing of a test bed, with what its lines mean below it.

    Raises BedError for a test bed that cannot be drawn.
    """
    drawing = _with_key(lay_out(bed), bed)
    return Figure(
        check_id(value_id),
        _plotly(drawing),
        caption,
        alt_text(bed),
        height_mm=drawing.height * MM_PER_PX,
    )


def _with_key(drawing: Drawing, bed: Bed) -> Drawing:
    """The drawing with a line of words below it: what lines and stacks stand for."""
    lines = wrap(" ".join(_key(bed, drawing)), WIDTH_PX, TEXT_PX)
    if not lines:
        return drawing
    height = height_of(lines, TEXT_PX) + KEY_GAP_PX
    words = Words(lines, 0.0, drawing.height + height / 2, TEXT_PX, left=True)
    return replace(drawing, height=drawing.height + height, labels=(*drawing.labels, words))


@step(version=2, name="figure.test_bed")
def plot_test_bed(host: Measured) -> Figure:
    """The host that made the load and the storage it saw, from a run's ``host`` table.

    What lies between them is not recorded, and not drawn. A study that says more of its test bed
    draws it: ``study.test_bed()``.

    Raises AbsentError where several hosts made the load, or no target was recorded.
    """
    facts = measured_rows(host, "host", ("group", "fact", "value"))
    if any(row.get("host") for row in facts):
        raise AbsentError("the test bed: whether its hosts saw the same storage is not recorded")
    known = {(row["group"], row["fact"]): row["value"] for row in facts if row["value"]}
    target = _recorded(known, "target", _TARGET)
    if not target:
        raise AbsentError("the test bed: no facts of the target were recorded")
    parts = (
        Part(known.get(("host", "hostname"), "Host"), "hosts", _recorded(known, "host", _HOST)),
        Part(f"Target {known.get(('target', 'device.name'), '')}".rstrip(), "volumes", target),
    )
    bed = Bed(parts, (Link(parts[0].name, parts[1].name),))
    return draw_test_bed(bed, value_id="test-bed", caption=_RECORDED)


def _recorded(known: Mapping[tuple[str, str], str], group: str, facts: Sequence[str]) -> str | None:
    """The facts of a group that were found, as a box says them."""
    found = [fact_text(fact, known[group, fact]) for fact in facts if (group, fact) in known]
    return " · ".join(text for text in found if text) or None


def _key(bed: Bed, drawing: Drawing) -> Iterator[str]:
    """What lines and stacks stand for."""
    stated = [link.paths is not None for link in bed.links]
    if any(stated):
        yield _THIN if not drawing.one_each else _EACH if all(stated) else _SOME
    elif stated:
        yield _BARE
    if any(box.stacked for box in drawing.boxes):
        yield _STACK


def _plotly(drawing: Drawing) -> Any:
    """The drawing on axes of pixels; its size is fixed, as its letters do not grow with a page."""
    import plotly.graph_objects as go

    axis = {"visible": False, "fixedrange": True, "automargin": False}
    return go.Figure(
        {
            "data": [],
            "layout": {
                "template": style.TEMPLATE,
                "width": WIDTH_PX,
                "height": drawing.height,
                "autosize": False,
                "margin": dict.fromkeys("lrtb", 0),
                "xaxis": {**axis, "range": [0, WIDTH_PX]},
                "yaxis": {**axis, "range": [drawing.height, 0]},
                "dragmode": False,
                "showlegend": False,
                "shapes": [
                    *map(_strand, drawing.strands),
                    *map(_frame, drawing.frames),
                    *(shape for box in drawing.boxes for shape in _box(box)),
                ],
                "annotations": [
                    *(
                        _words(words, style.TEXT if words.bold else style.MUTED)
                        for words in _all_words(drawing)
                    )
                ],
            },
        }
    )


def _all_words(drawing: Drawing) -> Iterator[Words]:
    for box in drawing.boxes:
        yield from box.words
    yield from (frame.words for frame in drawing.frames)
    yield from drawing.labels


def _strand(strand: Strand) -> Plotly:
    look = {"color": style.AXIS, "dash": "solid"}
    if strand.switch is not None:
        look = style.series(strand.switch)
    path = " ".join(_path(line) for line in strand.lines)
    line = {"color": look["color"], "dash": look["dash"], "width": 1.5}
    return {"type": "path", "path": path, "name": "link", "line": line}


def _path(points: tuple[Point, ...]) -> str:
    (x, y), *others = points
    return f"M{x:.1f},{y:.1f}" + "".join(f"L{x:.1f},{y:.1f}" for x, y in others)


def _box(box: Box) -> list[Plotly]:
    line = {"color": style.AXIS, "width": 1.2}
    edges = (box.left, box.top, box.right, box.bottom)
    fill = TINT if box.row in _TINTED else "rgba(0,0,0,0)"
    own = {"type": "path", "path": _rounded(*edges), "name": "box", "line": line, "fillcolor": fill}
    if not box.stacked:
        return [own]
    behind = [
        {"type": "path", "path": _behind(box, shift), "name": "stack", "line": line}
        for shift in (STACK_PX / 2, STACK_PX)
    ]
    return [*behind, own]


def _behind(box: Box, shift: float) -> str:
    """The upper and right edge of a box that stands behind."""
    top, right = box.top - shift, box.right + shift
    left, bottom, inner = box.left + shift, box.bottom - shift, STACK_PX / 2
    return _path(
        ((left, top + inner), (left, top), (right, top), (right, bottom), (right - inner, bottom))
    )


def _rounded(left: float, top: float, right: float, bottom: float) -> str:
    r = CORNER_PX
    return (
        f"M{left + r:.1f},{top:.1f}L{right - r:.1f},{top:.1f}Q{right:.1f},{top:.1f},{right:.1f},"
        f"{top + r:.1f}L{right:.1f},{bottom - r:.1f}Q{right:.1f},{bottom:.1f},{right - r:.1f},"
        f"{bottom:.1f}L{left + r:.1f},{bottom:.1f}Q{left:.1f},{bottom:.1f},{left:.1f},"
        f"{bottom - r:.1f}L{left:.1f},{top + r:.1f}Q{left:.1f},{top:.1f},{left + r:.1f},{top:.1f}Z"
    )


def _frame(frame: Frame) -> Plotly:
    return {
        "type": "rect",
        "name": "group",
        "x0": frame.left,
        "x1": frame.right,
        "y0": frame.top,
        "y1": frame.bottom,
        "line": {"color": style.MUTED, "width": 1.2, "dash": "dot"},
    }


def _words(words: Words, color: str) -> Plotly:
    lines = [escape(line) for line in words.lines]
    text = "<br>".join(f"<b>{line}</b>" if words.bold else line for line in lines)
    side, at = "left" if words.left else "center", (words.x, words.y)
    middle = side, "middle"
    return note(text, at, size=words.size_px, color=color, anchor=middle, align=side, borderpad=0)
