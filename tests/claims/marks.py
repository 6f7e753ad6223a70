"""Reads charts of load points back from the JSON that plotly draws: every mark against the points.

Only the chart is read: titles of the axes with their units, names, points, bars, hover texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from claims import cells, drawing, facts
from claims.reader import Untrue, demand

if TYPE_CHECKING:
    from claims.drawing import Axes, Place, Trace
    from claims.facts import Fact
    from claims.shown import Case, Shown

PERCENTILES = ("p50", "p95", "p99", "p99.9", "p99.99")


def check(shown: Shown, of: Case) -> str | None:
    """What is untrue in a chart, or in the refusal to draw it; None for nothing."""
    name = shown.name.partition(" ")[0]
    able = DRAWABLE.get(shown.name, DRAWABLE[name])(of, shown.question)
    try:
        demand(able == (shown.data is not None), shown.refusal or "there is nothing to draw")
        if shown.data is not None:
            READERS[name](shown, of)
    except Untrue as why:
        return str(why)
    return None


# --- charts of curves ---------------------------------------------------------------------------


def _latency_curve(shown: Shown, of: Case) -> None:
    drawn = drawing.drawn_of(of, "iops", "lat")
    if drawn and all(len(own) == 1 for own in drawn.values()):
        _single_loads(shown, of, {who: own[0] for who, own in drawn.items()})
        return
    bands = shown.name.endswith("bands")
    marked = [] if bands else _marked(of)
    names = [name for name, _ in marked]
    traces, scale = _curves(shown, of, bands=bands, repeats=not bands, beside=names)
    for name, (x, y) in marked:
        demand(traces[name]["mode"] == "markers", "a mark")
        drawing.points_of(traces[name], [(x / scale.x_scale, y / scale.y_scale)], name)
    _limit(shown, None if bands else of.asked.limits[0], scale)


def _single_loads(shown: Shown, of: Case, facts_of: dict[str, Fact | None]) -> None:
    """A row for each result, a panel for IOPS and one for latency: bars, whiskers, numbers."""
    assert shown.data is not None
    layout, data = drawing.layout_of(shown), shown.data["data"]
    own = [fact for fact in facts_of.values() if fact]
    loads = {fact.load for fact in own}
    names = [
        who if len(loads) == 1 else f"{who}, iodepth {fact.load:.0f}"
        for who, fact in zip(facts_of, own, strict=True)
    ]
    demand(layout["yaxis"]["ticktext"] == names, f"rows {layout['yaxis']['ticktext']}")
    demand(layout["yaxis"]["tickvals"] == list(range(len(names))), "a name a row")
    demand(len(data) == 2, "a panel a quantity")
    for trace, axis, name in zip(data, ("x", "x2"), ("iops", "lat"), strict=True):
        title = layout[f"xaxis{axis[1:]}"]["title"]["text"]
        demand(drawing.TITLES.get(title, ("",))[0] == name, f"the axis {title}")
        demand(trace["name"] == title and trace["xaxis"] == axis, f"the panel {title}")
        scale = drawing.TITLES[title][1]
        places = [((fact.values[name] or 0.0) / scale, n) for n, fact in enumerate(own)]
        drawing.points_of(trace, places, title)
        drawing.bars_of(trace, "x", own, name, scale)
        notes = [note for note in layout["annotations"] if note["xref"] == axis]
        demand([note["y"] for note in notes] == list(range(len(own))), "a number a bar")
        told = [f"{who}: {note['text']}, {fact.repeat} repeat{'s' * (fact.repeat != 1)}"
                for who, note, fact in zip(names, notes, own, strict=True)]  # fmt: skip
        demand(trace["customdata"] == told, f"{trace['customdata']} for {told}")
        for note, fact in zip(notes, own, strict=True):
            number, _, unit = note["text"].rpartition(" ")
            true = fact.values[name] or 0.0
            demand((unit == "IOPS") == (name == "iops"), f"the unit {unit}")
            letter = {"K": 1e3, "M": 1e6}.get(number[-1], 1.0)
            size = {"IOPS": 1.0, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit] * letter
            cells.digits(number.rstrip("KM"), true / size, 3)
            high = fact.values[f"{name}_high"]
            end = max(true, true if high is None else high) / scale
            demand(abs(note["x"] - end) <= 1e-6 * end, f"the number stands at {note['x']}")
    limit = None if shown.name.endswith("bands") else of.asked.limits[0]
    lines = layout.get("shapes", [])
    demand(limit is not None or not lines, "a line of no limit")
    for line in lines:
        demand(drawing.same(line["x0"], (limit or 0) / scale) and line["x0"] == line["x1"], "limit")


def _curves(
    shown: Shown, of: Case, *, bands: bool, repeats: bool, beside: Sequence[str] = ()
) -> tuple[dict[str, Trace], Axes]:
    """Latency against IOPS: each curve, with its intervals as bars or bands, and its repeats."""
    scale = drawing.axes(shown)
    demand((scale.x, scale.y) == ("iops", "lat"), "the axes")
    drawn = drawing.drawn_of(of, "iops", "lat")
    banded = [who for who, own in drawn.items() if bands and any(
        fact and fact.values["lat_low"] is not None for fact in own) and any(
        len(part) > 1 for part in _parts(own))]  # fmt: skip
    names = [f"{who}, interval" for who in banded]
    names += [f"{who}, repeats" for who in drawn] if repeats else []
    traces = drawing.traces_of(shown, [*names, *drawn, *beside])
    for who, own in drawn.items():
        _line(traces[who], own, who, ("iops", "lat"), scale, bars=not bands)
        if bands:
            _bars_alone(traces[who], own, scale)
        if repeats:
            _repeats(traces[f"{who}, repeats"], of, who, scale)
    for who in banded:
        _band(traces[f"{who}, interval"], drawn[who], scale)
    return traces, scale


def _line(
    trace: Trace, own: Sequence[Fact | None], who: str, names: tuple[str, str], scale: Axes, *,
    bars: bool = True,
) -> None:  # fmt: skip
    x, y = names
    expected = [
        None if f is None else (
            (f.values[x] or 0.0) / scale.x_scale, (f.values[y] or 0.0) / scale.y_scale
        ) for f in own
    ]  # fmt: skip
    drawing.points_of(trace, expected, who)
    drawing.hover_of(trace, own, who, names, (scale.x_scale, scale.y_scale))
    demand(trace["mode"] == "lines+markers", f"{who}: a line with a mark a point")
    if bars:
        drawing.bars_of(trace, "x", own, x, scale.x_scale)
        drawing.bars_of(trace, "y", own, y, scale.y_scale)
    else:
        demand("error_x" not in trace, "bars of IOPS beside bands")


def _parts(own: Sequence[Fact | None]) -> list[list[Fact]]:
    """The parts of a curve between its gaps."""
    parts: list[list[Fact]] = [[]]
    for fact in own:
        if fact is None:
            parts.append([])
        else:
            parts[-1].append(fact)
    return parts


def _bars_alone(trace: Trace, own: Sequence[Fact | None], scale: Axes) -> None:
    """A bar at each load point that stands alone and has an interval; none beside a band."""
    alone = [part[0] for part in _parts(own) if len(part) == 1]
    wanted = [fact for fact in alone if fact.values["lat_low"] is not None]
    demand(("error_y" in trace) == bool(wanted), "bars beside bands")
    if not wanted:
        return
    bars = trace["error_y"]
    for up, down, fact in zip(bars["array"], bars["arrayminus"], own, strict=True):
        if fact is None:
            demand(up is None and down is None, "a bar in a gap")
            continue
        middle = fact.values["lat"] or 0.0
        for length, end in ((up, "lat_high"), (down, "lat_low")):
            true = (
                abs((fact.values[end] or 0.0) - middle) / scale.y_scale if fact in wanted else 0.0
            )
            near = abs(length - true) <= 1e-6 * true + 1e-9 * middle / scale.y_scale
            demand(near, f"a bar of {length} for {true}")


def _repeats(trace: Trace, of: Case, who: str, scale: Axes) -> None:
    own = [fact for fact in facts.repeats(of.points) if fact.who == who]
    own = [f for f in own if f.values["iops"] is not None and f.values["lat"] is not None]
    true = sorted(((f.values["iops"] or 0.0) / scale.x_scale, (f.values["lat"] or 0.0) / scale.y_scale)
                  for f in own)  # fmt: skip
    demand(len(trace["x"]) == len(true), f"{who}: {len(trace['x'])} repeats of {len(true)}")
    given = sorted(zip(trace["x"], trace["y"], strict=True))
    for one, other in zip(given, true, strict=True):
        demand(
            drawing.same(one[0], other[0]) and drawing.same(one[1], other[1]),
            f"{who}: {one} for {other}",
        )
    demand(trace["mode"] == "markers", "repeats are not a line")


def _band(trace: Trace, own: Sequence[Fact | None], scale: Axes) -> None:
    """An area over each part of the curve without a gap: up one end and back along the other."""
    expected: list[Place] = []
    for part in (part for part in _parts(own) if len(part) > 1):
        ends = [(f.values["lat_low"] or f.values["lat"], f.values["lat_high"] or f.values["lat"])
                for f in part]  # fmt: skip
        xs = [(f.values["iops"] or 0.0) / scale.x_scale for f in part]
        up = [(x, (high or 0.0) / scale.y_scale) for x, (_, high) in zip(xs, ends, strict=True)]
        low = [(x, (end or 0.0) / scale.y_scale) for x, (end, _) in zip(xs, ends, strict=True)]
        expected += [*([None] if expected else []), *up, *reversed(low)]
    drawing.points_of(trace, expected, trace["name"])
    demand(trace["fill"] == "toself", "an area")


def _marked(of: Case) -> list[tuple[str, tuple[float, float]]]:
    """The marks of the answers to the limit: name -> IOPS and latency."""
    found = []
    limit = of.asked.limits[0]
    for who, curve in facts.curves(of.points).items():
        for question in ("most_iops_within_latency", "iops_at_latency"):
            side = facts.answer(curve, question, limit)
            if side.value is not None:
                high = side.at.values["lat"] if side.at and question[:4] == "most" else limit
                found.append((f"{who}, {question.replace('_', ' ')}", (side.value, high or 0.0)))
    return found


def _limit(shown: Shown, limit: float | None, scale: Axes) -> None:
    shapes = drawing.layout_of(shown).get("shapes", [])
    if limit is None or not shapes:
        told = [
            n["text"]
            for n in drawing.layout_of(shown).get("annotations", [])
            if "limit" in n["text"]
        ]
        demand(not shapes and len(told) == (limit is not None), "the limit")
        return
    (line,) = shapes
    demand(all(drawing.same(line[end], limit / scale.y_scale) for end in ("y0", "y1")), "the limit")


def _by_load(shown: Shown, of: Case, name: str) -> None:
    drawn = drawing.drawn_of(of, name)
    loads = sorted({fact.load for own in drawn.values() for fact in own if fact})
    places = drawing.load_places(shown, loads)
    scale = drawing.axes(shown)
    demand((scale.x, scale.y) == ("load", name), "the axes")
    traces = drawing.traces_of(shown, list(drawn))
    for who, own in drawn.items():
        expected = [
            None if f is None else (places[f.load], (f.values[name] or 0.0) / scale.y_scale)
            for f in own
        ]
        drawing.points_of(traces[who], expected, who)
        drawing.hover_of(traces[who], own, who, (name,), (scale.y_scale,))
        demand("error_x" not in traces[who], "a load has no interval")
        if name == "iops":
            drawing.bars_of(traces[who], "y", own, name, scale.y_scale)


def _scaling(shown: Shown, of: Case) -> None:
    _by_load(shown, of, "iops")


def _cpu(shown: Shown, of: Case) -> None:
    scale = drawing.axes(shown)
    drawn = drawing.drawn_of(of, "iops", "cpu")
    traces = drawing.traces_of(shown, list(drawn))
    for who, own in drawn.items():
        _line(traces[who], own, who, ("iops", "cpu"), scale, bars=False)


MOST_NUMBERED = 16
"""Bars that always have room for their numbers."""


def _cpu_by_load(shown: Shown, of: Case) -> None:
    curves = facts.curves(of.points)
    curves = {w: c for w, c in curves.items() if any(f.values["cpu"] is not None for f in c)}
    loads = sorted({f.load for c in curves.values() for f in c if f.values["cpu"] is not None})
    demand(
        drawing.axes(shown).y == "cpu" and drawing.layout_of(shown)["barmode"] == "group",
        "bars side by side",
    )
    traces = drawing.traces_of(shown, list(curves))
    for who, curve in curves.items():
        own = {fact.load: fact.values["cpu"] for fact in curve}
        trace = traces[who]
        demand(trace["x"] == [f"{load:.0f}" for load in loads], f"{who}: loads {trace['x']}")
        texts = trace.get("text") or [None] * len(loads)
        demand(len(trace["y"]) == len(texts) == len(loads), "a bar a load")
        demand("text" in trace or len(loads) * len(curves) > MOST_NUMBERED, "numbers at the bars")
        for load, y, text in zip(loads, trace["y"], texts, strict=True):
            true = own.get(load)
            demand(
                drawing.same(y, None if true is None else true * 100),
                f"{who} at {load}: {y} for {true}",
            )
            if true is None:
                demand(not text, f"{text} where nothing is known")
            elif text is not None:
                cells.agrees(text, true, 0.01, fine=False)
        form = f"{who}<br>load %{{x}}: %{{y:.1f}}%<extra></extra>"
        demand(trace["hovertemplate"] == form, "hover")


def _fan(shown: Shown, of: Case) -> None:
    curves = facts.curves(of.points)
    fans = {w: c for w, c in curves.items() if any(f.values["p50"] is not None for f in c)}
    assert shown.data is not None
    data = shown.data["data"]
    expected = [(who, name) for who in fans for name in PERCENTILES]
    demand([t["name"] for t in data] == [name for _, name in expected], "a line a percentile")
    demand(len({(t.get("xaxis"), t["name"]) for t in data}) == len(data), "two lines of one name")
    title = drawing.title_of(drawing.layout_of(shown)["yaxis"])
    demand(title in drawing.TITLES, f"axis {title}")
    scale = drawing.TITLES[title][1]
    for number, (trace, (who, name)) in enumerate(zip(data, expected, strict=True)):
        panel = number // len(PERCENTILES)
        axis = f"x{panel + 1}" if panel else "x"
        demand(trace.get("xaxis", "x") == axis, "the panel")
        loads = [f.load for f in fans[who]]
        ticks = drawing.layout_of(shown)[f"xaxis{panel + 1}" if panel else "xaxis"]
        demand(ticks["ticktext"] == [f"{load:.0f}" for load in loads], f"ticks {ticks['ticktext']}")
        places = dict(zip(loads, ticks["tickvals"], strict=True))
        true = [
            None if f is None else (places[f.load], (f.values[name] or 0.0) / scale)
            for f in drawing.known_of(fans[who], name)
        ]
        drawing.points_of(trace, true, f"{who} {name}")
        unit = title.rpartition("(")[2].rstrip(")")
        form = f"{who}<br>%{{customdata}}<br>{name} %{{y:,.4~g}} {unit}<extra></extra>"
        demand(trace["hovertemplate"] == form, f"hover text {trace['hovertemplate']}")
        told = [f"load {f.load:.0f}, {f.repeat} repeat{'s' * (f.repeat != 1)}" for f in fans[who]]
        demand(trace["customdata"] == told, f"{trace['customdata']} for {told}")
    heads = [
        n["text"]
        for n in drawing.layout_of(shown).get("annotations", [])
        if n["text"].startswith("<b>")
    ]
    names = [f"<b>{who}</b>" for who in fans] if len(fans) > 1 else []
    each = [f"<b>{name}</b>" for name in PERCENTILES] * len(fans)
    legend = {t["name"] for t in data if t.get("showlegend")}
    demand(heads == [*names, *each] or (heads == names and legend == set(PERCENTILES)),
           f"names {heads}, legend {legend}")  # fmt: skip


def _plateau(shown: Shown, of: Case) -> None:
    """The curve without bars of answers, and a band over the IOPS of each plateau."""
    _, scale = _curves(shown, of, bands=False, repeats=False)
    flat = [ends for curve in facts.curves(of.points).values() if (ends := _flat(curve))]
    bands = [s for s in drawing.layout_of(shown)["shapes"] if s["type"] == "rect"]
    demand(len(bands) == len(flat), f"{len(bands)} bands of {len(flat)}")
    for band, (low, high) in zip(bands, flat, strict=True):
        same = drawing.same(band["x0"] * scale.x_scale, low) and drawing.same(
            band["x1"] * scale.x_scale, high
        )
        demand(same, f"a band from {band['x0']} to {band['x1']} for {low} to {high}")


def _flat(curve: Sequence[Fact]) -> tuple[float, float] | None:
    """The IOPS of the last load points, three or more, that lie within 5% of the highest of them."""
    if any(fact.values["iops"] is None for fact in curve):
        return None
    flat: list[float] = []
    for fact in reversed(curve):
        value = fact.values["iops"]
        if not value or min([*flat, value]) < 0.95 * max([*flat, value]):
            break
        flat.append(value)
    return (min(flat), max(flat)) if len(flat) >= 3 else None


# --- charts of comparisons ----------------------------------------------------------------------


def _differences(shown: Shown, of: Case) -> None:
    question = str(shown.question)
    sides = _sides(of, question)
    ratio = _ratio(sides)
    assert ratio is not None
    trace = drawing.traces_of(shown, ["mix"])["mix"]
    percent = cells.form(ratio) == "percent"
    title = drawing.layout_of(shown)["yaxis"]["title"]["text"]
    demand(title.startswith("Change of" if percent else "Ratio of"), f"the axis {title}")
    noun = {"iops": "IOPS", "lat": "mean latency", "cpu": "host CPU"}[facts.GIVEN[question][1]]
    demand(noun in title, f"the axis {title}")
    demand(
        (drawing.layout_of(shown)["yaxis"].get("type") == "log") != percent, "a log axis for ratios"
    )

    def at(value: float) -> float:
        return (value - 1) * 100 if percent else value

    drawing.points_of(trace, [(0.0, at(ratio))], "the change")
    low, high = of.intervals().get(question, (None, None))
    bars = trace.get("error_y")
    demand((bars is None) == (low is None), "whiskers")
    if bars is not None and low is not None and high is not None:
        demand(_near(bars["array"], at(high) - at(ratio)), "the upper whisker")
        demand(_near(bars["arrayminus"], at(ratio) - at(low)), "the lower whisker")
    told, *beside = trace["customdata"][0].split("<br>")
    told, _, interval = told.partition(" (95% interval ")
    demand(bool(interval) == (low is not None), f"the interval {interval}")
    place, _, text = told.rpartition(": ")
    names = [line.partition(": ")[0] for line in beside]
    demand(names == list(facts.curves(of.points))[::-1], f"sides {beside}")
    demand(place == drawing.layout_of(shown)["xaxis"]["ticktext"][0], f"at {place}")
    _asked(place, question, of)
    _told(text, ratio, sides, cells.signed)
    for note in drawing.layout_of(shown).get("annotations", []):
        if note.get("text"):
            _told(note["text"], ratio, sides, _beside)


def _near(values: Sequence[float], true: float) -> bool:
    return len(values) == 1 and math.isclose(values[0], true, rel_tol=1e-9, abs_tol=1e-9)


def _sides(of: Case, question: str) -> list[facts.Side]:
    asked = of.asked_at(question)
    return [facts.answer(c, question, asked) for c in facts.curves(of.points).values()]


def _ratio(sides: Sequence[facts.Side]) -> float | None:
    """The change of the second curve against the first; None where one has no value."""
    one, other = (side.value for side in sides)
    if not one or not other:
        return None
    return 1.0 if math.isclose(one, other, rel_tol=1e-12) else other / one


def _told(
    text: str, ratio: float, sides: Sequence[facts.Side],
    read: Callable[[str, float, str], None],
) -> None:  # fmt: skip
    """A printed change with the sign of its bound."""
    sign = cells.bound(sides)
    demand(text.startswith(sign) and (sign or text[:1] not in "≥≤"), f"{text}: its bound")
    read(text.removeprefix(sign), ratio, cells.form(ratio))


def _beside(text: str, ratio: float, shape: str) -> None:
    """The number beside a mark: as in a cell, but a change in percent has one decimal."""
    if shape != "percent":
        cells.signed(text, ratio, shape)
        return
    value, half = cells.parsed(text.removeprefix("+").removesuffix("%"))
    demand(half == 0.05 and text.endswith("%"), f"{text}: its decimals")
    demand(abs(value - (ratio - 1) * 100) <= half * (1 + 1e-9) + 1e-9, f"{text} for {ratio}")
    demand(text.startswith("+") == (ratio > 1), f"{text}: its sign")


def _asked(place: str, question: str, of: Case) -> None:
    asked = of.asked_at(question)
    if asked is None:
        demand(place == "at the peak", place)
        return
    match = re.fullmatch(r"([\d.,]+) ?(.+)?", place)
    demand(match, f"no value: {place}")
    assert match
    value = cells.parsed(match[1])[0] * cells.SCALES[match[2] or ""]
    demand(math.isclose(value, asked, rel_tol=1e-9), f"{place} for {asked}")


def _compared_curves(shown: Shown, of: Case) -> None:
    question = str(shown.question)
    asked = of.asked_at(question) or 0.0
    expected = []
    for who, curve in facts.curves(of.points).items():
        side = facts.answer(curve, question, asked)
        other = facts.answer(curve, "latency_at_load", asked) if "load" in question else None
        if side.value is None or (other is not None and other.value is None):
            continue
        place = {"iops_at_latency": (side.value, asked), "latency_at_iops": (asked, side.value),
                 "iops_at_load": (side.value, other.value if other else None)}[question]  # fmt: skip
        expected.append((who, (place[0], place[1] or 0.0)))
    beside = ["compared"] if expected else []
    traces, scale = _curves(shown, of, bands=True, repeats=True, beside=beside)
    if not expected:
        return
    places: list[Place] = [(x / scale.x_scale, y / scale.y_scale) for _, (x, y) in expected]
    drawing.points_of(traces["compared"], places, "compared")
    texts = traces["compared"].get("hovertext", [])
    demand(len(texts) == len(expected), "a hover text a value")
    for text, (who, place) in zip(texts, expected, strict=True):
        demand(text.startswith(f"{who}: "), f"{text}: of {who}")
        numbers = re.findall(r"([\d.,]*\d) ?(µs|ms|s|IOPS|K IOPS|M IOPS)\b", text)
        demand(len(numbers) == 2, f"no numbers: {text}")
        for digits, unit in numbers:
            true = place[0] if "IOPS" in unit else place[1]
            cells.digits(digits, true / cells.SCALES[unit], 3)


# --- what there is to draw ----------------------------------------------------------------------


def _has(*names: str) -> Callable[[Case, str | None], bool]:
    return lambda of, _: bool(drawing.drawn_of(of, *names))


def _several_loads(of: Case, _: str | None) -> bool:
    """Whether IOPS of a curve are known at two loads: of one nothing scales."""
    return any(len([f for f in own if f]) > 1 for own in drawing.drawn_of(of, "iops").values())


def _any_flat(of: Case, _: str | None) -> bool:
    return bool(drawing.drawn_of(of, "iops", "lat")) and any(
        map(_flat, facts.curves(of.points).values())
    )


def _told_apart(of: Case, question: str) -> bool:
    """Whether an interval excludes no change, or its ends lie less than twofold apart."""
    low, high = of.intervals().get(question, (None, None))
    return low is None or high is None or not low <= 1 <= high or high <= 2 * low


DRAWABLE: dict[str, Callable[[Case, str | None], bool]] = {
    "plot_latency_curve": _has("iops", "lat"), "plot_scaling": _several_loads,
    "plot_cpu": _has("iops", "cpu"), "plot_cpu_by_load": _has("cpu"),
    "plot_percentile_fan": _has("p50"),
    "plot_plateau": _any_flat, "plot_compared_curves": _has("iops", "lat"),
    "plot_differences": lambda of, question: _ratio(_sides(of, str(question))) is not None
    and _told_apart(of, str(question)),
}  # fmt: skip
READERS: dict[str, Callable[[Shown, Case], None]] = {
    "plot_latency_curve": _latency_curve, "plot_scaling": _scaling, "plot_cpu": _cpu,
    "plot_cpu_by_load": _cpu_by_load, "plot_percentile_fan": _fan,
    "plot_plateau": _plateau, "plot_differences": _differences,
    "plot_compared_curves": _compared_curves,
}  # fmt: skip
