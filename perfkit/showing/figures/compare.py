"""Charts of a comparison: how large each change is, and how sure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from perfkit.analysis.compare.asked import NAMES, asked_at, changes_asked, tells
from perfkit.analysis.compare.printing import BOUND, Form, form_of, ratio_printed, signed
from perfkit.analysis.curves.metrics import (
    METRICS,
    exact_printed,
    limit_printed,
    load_number,
    metric_of,
    printed,
    workload_name,
)
from perfkit.analysis.curves.questions import CURVE_QUESTIONS, IOPS_PER_BUSY_CORE
from perfkit.core.answers import Answer
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import hover, legend
from perfkit.showing.figures.canvas import (
    HEIGHT_MM,
    Box,
    Canvas,
    Plotly,
    base_layout,
    escape,
    figure,
    whiskers,
)
from perfkit.showing.figures.line_chart import MM_PX
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.words import Words

_CHANGE = Format("%", decimals=1)
_GIVEN = {"latency": "Mean latency", "iops": "IOPS", "load": "Load", "cpu_busy_ratio": "Host CPU"}
_SIDE = 0.76
"""Series at one value stand side by side over this part of its width."""

_ROOM = 0.14
_EDGE = 0.55
"""Room left of the first and right of the last value, of the distance of two."""


@step(version=7, name="figure.differences")
def plot_differences(comparison: Measured, *, question: str = "iops_at_latency") -> Figure:
    """The change at each value of one question, with its 95% interval as whiskers.

    One mark a value and pair of curves (or workload); above the line at no change the subject has
    more. Changes are in percent; where one is twofold or more, or a tenth or less, all stand as
    ratios on a log scale. What has no ratio is not drawn, and the caption counts it; where no
    difference is shown (``tells``) the caption says so instead. A mark without whiskers has no
    interval; an arrow ends one that reaches beyond the axis.

    ``layout.meta`` has the values asked at, which stand at 0, 1, 2 ... along the axis, and how far
    marks reach to the sides of one, so that a range brushed in the chart is known.

    Raises AnalysisError for a question that the comparison does not hold, or one without a ratio.
    """
    changes = changes_asked(comparison, question)
    known = [item for item in changes if item.estimate is not None]
    if not known:
        raise AbsentError(
            "at no value do both sides have a number, so there is no change of "
            f"{NAMES[question]} to draw"
        )
    drawn = [item for item in known if tells(item)]
    if not drawn:
        raise AbsentError(
            f"no difference of {NAMES[question]} is shown: every interval holds no change, and its "
            "upper end is more than twice its lower"
        )
    values = sorted({_place(item) for item in drawn})
    series: dict[str, list[Answer]] = {}
    for item in drawn:
        series.setdefault(_name(item, changes), []).append(item)
    forms = {form_of(item.got.value) for item in drawn}
    form: Form = "percent" if forms == {"percent"} else "times"
    traces = [
        _trace(index, len(series), name, own, values=values, form=form)
        for index, (name, own) in enumerate(series.items())
    ]
    layout = _layout(list(series.values()), values, traces, form)
    more = legend.add(layout, list(series)) / MM_PX if len(series) > 1 else 0.0
    words = Words()
    alt = _alt(words, series)
    return Figure(
        f"change-{question.replace('_', '-')}",
        figure(traces, layout),
        _caption(drawn) + _beside(changes, drawn, layout),
        alt,
        HEIGHT_MM + more,
        printed=tuple(words.printed),
        cautions=tuple(dict.fromkeys(told for item in changes for told in item.cautions)),
    )


def _beside(changes: Sequence[Answer], drawn: Sequence[Answer], layout: Plotly) -> str:
    """What the caption says of changes and ends of whiskers that are not drawn."""
    found = []
    without = sum(item.estimate is None for item in changes)
    if without:
        found.append(f" Not drawn, for lack of a ratio: {without}.")
    unshown = [item for item in changes if item.estimate is not None and item not in drawn]
    if unshown:
        names = "; ".join(f"{_name(item, changes)} {_at(item)}" for item in unshown)
        found.append(f" Not drawn, because no difference is shown: {names}.")
    if any(not note["text"] for note in layout["annotations"]):
        found.append(" An arrow ends an interval that reaches beyond the axis.")
    return "".join(found)


def _bounds(change: Answer) -> tuple[float, float] | None:
    got = change.estimate
    return None if got is None or got.low is None or got.high is None else (got.low, got.high)


def _place(change: Answer) -> float:
    at = asked_at(change)
    return at.value if at else 0.0


def _pair(change: Answer) -> tuple[str, str]:
    subject, against = change.sides
    return subject.subject.label, against.subject.label


def _name(change: Answer, changes: Sequence[Answer]) -> str:
    """What tells a mark: the pair where there are several, the workload where there are."""
    workload = change.subject.get("workload")
    several = len({_pair(item) for item in changes}) > 1
    parts = [" against ".join(_pair(change))] if several else []
    if len({item.subject.get("workload") for item in changes}) > 1 or not parts:
        parts.append(workload_name(str(workload)))
    return ", ".join(parts)


def _shown(ratio: float, form: Form) -> float:
    """Where a ratio stands on the axis: percent of change, or itself."""
    return (ratio - 1) * 100 if form == "percent" else ratio


def _trace(
    index: int, count: int, name: str, own: Sequence[Answer], *, values: Sequence[float], form: Form
) -> Plotly:
    look = style.series(index)
    shift = (index - (count - 1) / 2) * _SIDE / count
    ys = [_shown(item.got.value, form) for item in own]
    text = [f"{BOUND[i.relation]}{signed(i.got.value, form_of(i.got.value))}" for i in own]
    trace: Plotly = {
        "type": "scatter",
        "mode": "markers",
        "name": escape(name),
        "x": [values.index(_place(item)) + shift for item in own],
        "y": ys,
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": 9},
        "customdata": [_hover(item, change) for item, change in zip(own, text, strict=True)],
        "hovertemplate": f"{escape(name)}<br>%{{customdata}}<extra></extra>",
    }
    if any(_bounds(item) for item in own):
        bounds = [_bounds(item) or (item.got.value,) * 2 for item in own]
        up, down = (
            [abs(_shown(ends[i], form) - y) for ends, y in zip(bounds, ys, strict=True)]
            for i in (1, 0)
        )
        trace["error_y"] = whiskers(up, down, look["color"], width=6, thickness=1.5)
    return trace


def _hover(change: Answer, text: str) -> str:
    """The change with its interval, and below it what either side has, with its repeats."""
    bounds = _bounds(change)
    if bounds is not None:
        low, high = (signed(end, form_of(end)) for end in bounds)
        text += f" (95% interval {low} to {high})"
    sides = [
        f"{side.subject.label}: {BOUND[side.relation]}{printed(side.metric, side.got.value).text}"
        f"{hover.after(hover.repeats(side.got.n))}"
        for side in change.sides
        if side.estimate
    ]
    return "<br>".join([f"{_at(change)}: {text}", *map(escape, sides)])


def _layout(
    series: Sequence[Sequence[Answer]],
    values: Sequence[float],
    traces: Sequence[Plotly],
    form: Form,
) -> Plotly:
    drawn = [item for own in series for item in own]
    layout = base_layout(_x_title(drawn[0]), _y_title(drawn[0], form))
    marks, arrows = within(_marks(traces, series, form))
    high = max(0.0, *(mark.high for mark in marks))
    low = min(0.0, *(mark.low for mark in marks))
    room = _ROOM * (high - low) or 1.0
    canvas = Canvas(
        x_min=-_EDGE, x_max=len(values) - 1 + _EDGE, y_min=low - room, y_max=high + room
    )
    if form == "percent":
        layout["yaxis"] |= {"tickformat": ",.4~g"}
    else:
        layout["yaxis"] |= Scale("", log=True).axis(
            (canvas.y_min, canvas.y_max), canvas.height, high=True
        )
    layout["yaxis"] |= {"range": [canvas.y_min, canvas.y_max]}
    layout["xaxis"] |= {
        "range": [canvas.x_min, canvas.x_max],
        "tickmode": "array",
        "showgrid": False,
        "tickvals": list(range(len(values))),
        "ticktext": [_at(next(i for i in drawn if _place(i) == value)) for value in values],
    }
    none = _shown(1.0, form)
    if asked_at(drawn[0]):
        layout["meta"] = {"values": list(values), "reach": _SIDE / 2}
    layout["shapes"] = [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": none,
            "y1": none,
            "line": {"color": style.AXIS, "width": 1.5},
            "layer": "below",
        }
    ]
    layout["annotations"] = [*numbers(marks, canvas), *arrows]
    return layout


def _x_title(change: Answer) -> str:
    given = CURVE_QUESTIONS[change.question].at
    at = asked_at(change)
    if given is None or at is None:
        return ""
    if given == "latency":
        return metric_of(at.metric).title(change.subject.get("direction") or "total")
    return _GIVEN[given]


def _y_title(change: Answer, form: Form) -> str:
    direction = change.subject.get("direction") or "total"
    quantity = METRICS[change.metric].quantity
    name = {"ratio": "host CPU", "rate": "IOPS"}.get(quantity) or metric_of(change.metric).phrase(
        direction
    )
    if change.question == IOPS_PER_BUSY_CORE.name:
        name = "IOPS per busy core"
    return f"Change of {name} (%)" if form == "percent" else f"Ratio of {name}"


def _marks(traces: Sequence[Plotly], series: Sequence[Sequence[Answer]], form: Form) -> list[Mark]:
    """Every mark with the reach of its whiskers and its number; logarithms on a log axis."""
    place = math.log10 if form == "times" else float
    found = []
    for trace, own in zip(traces, series, strict=True):
        bars = trace.get("error_y") or {}
        nothing = [0.0] * len(trace["y"])
        up, down = bars.get("array", nothing), bars.get("arrayminus", nothing)
        color = trace["marker"]["color"]
        for item, x, y, more, less in zip(own, trace["x"], trace["y"], up, down, strict=True):
            reach = place(y - less), place(y + more)
            found.append(Mark(x, place(y), *reach, _label(item), color))
    return found


def _label(change: Answer) -> str:
    """The number beside a mark: +59.4%, 2.4 times, or ≥ 2.4 times of a bound."""
    ratio = change.got.value
    form, sign = form_of(ratio), BOUND[change.relation]
    if form != "percent":
        return f"{sign}{signed(ratio, form)}"
    return f"{sign}{'+' if ratio > 1 else ''}{_CHANGE.show(ratio - 1).text}"


def _at(change: Answer) -> str:
    """The value asked at, as printed."""
    at = asked_at(change)
    if at is None:
        return "at the peak"
    if at.metric not in METRICS:
        return load_number(at.value).text
    return (
        limit_printed(at.value)
        if METRICS[at.metric].quantity == "time"
        else exact_printed(at.metric, at.value)
    ).text


def _caption(drawn: Sequence[Answer]) -> str:
    pairs = {_pair(item) for item in drawn}
    pair = f", {' against '.join(_pair(drawn[0]))}" if len(pairs) == 1 else ""
    whiskers = any(_bounds(item) for item in drawn)
    note = (
        " Whiskers are 95% intervals over the repeats."
        if whiskers
        else (" One repeat or no spread, so no intervals.")
    )
    return f"Change of {NAMES[drawn[0].question]}{pair}.{note}"


def _alt(words: Words, series: dict[str, list[Answer]]) -> str:
    said = []
    for name, own in series.items():
        parts = []
        for item in own:
            form = form_of(item.got.value)
            text = f"{_at(item)} {BOUND[item.relation]}{_word(words, item.got.value, form)}"
            bounds = _bounds(item)
            if bounds:
                low, high = (_word(words, end, form) for end in bounds)
                text += f" ({low} to {high})"
            parts.append(text)
        said.append(f"{name}: {', '.join(parts)}")
    return f"Marks of the change at each value. {'; '.join(said)}."


def _word(words: Words, ratio: float, form: Form) -> str:
    if form == "percent":
        return words.keep(_CHANGE.show(ratio - 1))
    number = words.keep(ratio_printed(ratio, form))
    return f"{number} times" if form == "times" else number


# --- numbers beside the marks --------------------------------------------------------------------

MARK_PX = 5
CAP_PX = 6
"""Half the width of a whisker's cap."""

SIZE_PX = 11


@dataclass(frozen=True)
class Mark:
    """One mark: its place, how far its whiskers go, its number and colour."""

    x: float
    y: float
    low: float
    high: float
    text: str
    color: str


_TYPICAL = 3.0


def within(marks: Sequence[Mark]) -> tuple[list[Mark], list[Plotly]]:
    """The marks with whiskers that leave the others readable, and an arrow for each that is cut.

    A whisker is cut where it is longer than the marks lie apart, and than three typical ones.
    """
    ends = ((mark.high - mark.y, mark.y - mark.low) for mark in marks)
    reaches = [reach for both in ends for reach in both if reach > 0] or [0.0]
    ys = [0.0, *(mark.y for mark in marks)]
    most = max(max(ys) - min(ys), _TYPICAL * statistics.median(reaches))
    kept = [
        replace(mark, low=max(mark.low, mark.y - most), high=min(mark.high, mark.y + most))
        for mark in marks
    ]
    arrows = [
        _arrow(mark, end, up=up)
        for mark, cut in zip(marks, kept, strict=True)
        for end, whole, up in ((cut.high, mark.high, True), (cut.low, mark.low, False))
        if end != whole
    ]
    return kept, arrows


def _arrow(mark: Mark, end: float, *, up: bool) -> Plotly:
    return {
        "x": mark.x,
        "y": end,
        "ax": 0,
        "ay": 12 if up else -12,
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 1.5,
        "arrowcolor": mark.color,
    }


_Place = tuple[str, Callable[[Mark], float]]
_BESIDE: _Place = ("right", lambda mark: mark.y)
_ABOVE: _Place = ("above", lambda mark: mark.high)
_BELOW: _Place = ("below", lambda mark: mark.low)
_ANYWHERE: tuple[_Place, ...] = (
    _BESIDE, _ABOVE, _BELOW, ("left", lambda mark: mark.y),
    ("above right", lambda mark: mark.high), ("below right", lambda mark: mark.low),
    ("above left", lambda mark: mark.high), ("below left", lambda mark: mark.low),
)  # fmt: skip
_LIFTS = (0, 1, -1)


def numbers(marks: Sequence[Mark], canvas: Canvas) -> list[Plotly]:
    """An annotation for each mark that has room for one; the canvas remembers what is taken.

    All stand on the same side of their marks where that is free for all; otherwise each takes the
    first free place, and one that finds none is left out: the table and the hover text have it.
    """
    for mark in marks:
        _take(canvas, mark)
    _, zero = canvas.pixel(canvas.x_min, 0.0)
    canvas.take(Box(0, zero - 1, canvas.width, zero + 1))
    before = set(canvas.taken)
    for place in (_BESIDE, _ABOVE, _BELOW):
        found = [_placed(canvas, mark, (place,), (0,)) for mark in marks]
        if None not in found:
            return [note for note in found if note]
        canvas.taken = set(before)
    return [note for mark in marks if (note := _placed(canvas, mark, _ANYWHERE, _LIFTS))]


def _take(canvas: Canvas, mark: Mark) -> None:
    canvas.mark([mark.x], [mark.y], radius=MARK_PX)
    left, bottom = canvas.pixel(mark.x, mark.low)
    _, top = canvas.pixel(mark.x, mark.high)
    if mark.high > mark.low:
        canvas.take(Box(left - CAP_PX, bottom - 1, left + CAP_PX, top + 1))


def _placed(
    canvas: Canvas, mark: Mark, places: Sequence[_Place], lifts: Sequence[int]
) -> Plotly | None:
    for lift in lifts:
        for name, of in places:
            note = canvas.label(
                mark.text,
                mark.x,
                of(mark),
                places=(name,),
                size=SIZE_PX,
                color=mark.color,
                lifts=(lift,),
            )
            if note:
                return note
    return None
