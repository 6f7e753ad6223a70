"""The parts of a chart as plotly draws it: axes with their units, points, gaps, bars, hover texts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claims import facts
from claims.reader import demand

if TYPE_CHECKING:
    from claims.facts import Fact
    from claims.shown import Case, Shown

Trace = dict[str, Any]
Place = tuple[float, float] | None
"""Where a point is drawn, in the units of the axes; None for a gap in the line."""

TITLES = {
    "Total IOPS": ("iops", 1.0), "IOPS": ("iops", 1.0),
    "Mean latency (µs)": ("lat", 1e-6), "Mean latency (ms)": ("lat", 1e-3),
    "Mean latency (s)": ("lat", 1.0), "Host CPU busy (%)": ("cpu", 0.01),
    "Latency (µs)": ("", 1e-6), "Latency (ms)": ("", 1e-3), "Latency (s)": ("", 1.0),
    "Share of the host's CPU time (%)": ("cpu", 0.01), "iodepth": ("load", 1.0),
}  # fmt: skip


@dataclass(frozen=True)
class Axes:
    """What the two axes are of, and how many SI base units are one of theirs."""

    x: str
    y: str
    x_scale: float
    y_scale: float


def axes(shown: Shown) -> Axes:
    layout = layout_of(shown)
    titles = [title_of(layout[name]) for name in ("xaxis", "yaxis")]
    demand(all(title in TITLES for title in titles), f"axes {titles}")
    (x, xs), (y, ys) = (TITLES[title] for title in titles)
    return Axes(x, y, xs, ys)


def title_of(axis: dict[str, Any]) -> str:
    """The title of an axis, which says in words whether it is logarithmic."""
    title = axis["title"]["text"]
    demand(("log scale" in title) == (axis.get("type") == "log"), f"the scale of {title}")
    return title.replace(", log scale", "")


def layout_of(shown: Shown) -> dict[str, Any]:
    assert shown.data is not None
    return shown.data["layout"]


def traces_of(shown: Shown, names: Sequence[str]) -> dict[str, Trace]:
    """The traces by name: exactly these, each once, in this order."""
    assert shown.data is not None
    found = [trace["name"] for trace in shown.data["data"]]
    demand(found == list(names), f"traces {found} of {list(names)}")
    return {trace["name"]: trace for trace in shown.data["data"]}


def same(one: Any, true: float | None) -> bool:
    if one is None or true is None:
        return one is None and true is None
    return math.isclose(one, true, rel_tol=1e-9, abs_tol=1e-12)


def points_of(trace: Trace, expected: Sequence[Place], what: str) -> None:
    """The points of a trace, in order, with a gap wherever one is expected."""
    demand(len(trace["x"]) == len(trace["y"]), f"{what}: x and y")
    places = places_of(trace)
    xs, ys = [p and p[0] for p in places], [p and p[1] for p in places]
    demand(len(xs) == len(ys) == len(expected), f"{what}: {len(xs)} points of {len(expected)}")
    for x, y, true in zip(xs, ys, expected, strict=True):
        place = true or (None, None)
        demand(same(x, place[0]) and same(y, place[1]), f"{what}: ({x}, {y}) for {place}")
    demand(None not in expected or trace.get("connectgaps") is not True, f"{what}: over a gap")


def places_of(trace: Trace) -> list[Place]:
    """The points of a trace; what lacks x or y is a gap, of which one stands for several."""
    found: list[Place] = []
    for x, y in zip(trace["x"], trace["y"], strict=True):
        place = None if x is None or y is None else (x, y)
        if place is not None or (found and found[-1] is not None):
            found.append(place)
    return found[:-1] if found and found[-1] is None else found


def known_of(curve: Sequence[Fact], *names: str) -> list[Fact | None]:
    """The load points that have every value, with None between two that others lie between."""
    found: list[Fact | None] = []
    gap = False
    for fact in curve:
        if any(fact.values[name] is None for name in names):
            gap = True
            continue
        found += [None, fact] if gap and found else [fact]
        gap = False
    return found


def drawn_of(of: Case, *names: str) -> dict[str, list[Fact | None]]:
    found = {who: known_of(curve, *names) for who, curve in facts.curves(of.points).items()}
    return {who: own for who, own in found.items() if own}


def bars_of(trace: Trace, axis: str, own: Sequence[Fact | None], name: str, scale: float) -> None:
    """The interval bars of every point; no bar at one that has no interval, 0 long."""
    bars = trace.get(f"error_{axis}")
    ends = [_ends(fact, name) for fact in own]
    if not any(end and end[0] is not None for end in ends):
        demand(bars is None, "bars without an interval")
        return
    demand(bars is not None and bars["symmetric"] is False, "no bars")
    assert bars is not None
    demand(len(bars["array"]) == len(bars["arrayminus"]) == len(own), "a bar a point")
    for up, down, fact, end in zip(bars["array"], bars["arrayminus"], own, ends, strict=True):
        if fact is None or end is None:
            demand(up is None and down is None, "a bar in a gap")
            continue
        middle, (low, high) = fact.values[name] or 0.0, end
        for length, true in ((up, high), (down, low)):
            reach = 0.0 if true is None else abs(true - middle) / scale
            near = abs(length - reach) <= 1e-6 * reach + 1e-9 * middle / scale
            demand(near, f"a bar of {length} for {reach}")


def _ends(fact: Fact | None, name: str) -> tuple[float | None, float | None] | None:
    return None if fact is None else (fact.values[f"{name}_low"], fact.values[f"{name}_high"])


def hover_of(
    trace: Trace,
    own: Sequence[Fact | None],
    who: str,
    names: Sequence[str],
    scales: Sequence[float],
) -> None:
    """What a point says under the pointer: load, values, the interval of the last, repeats."""
    told = [None if fact is None else f"{fact.load:.0f}" for fact in own]
    demand(trace["customdata"] == told, f"loads {trace['customdata']} of {told}")
    form = f"{who}<br>load %{{customdata}}<br>%{{text}}<extra></extra>"
    demand(trace["hovertemplate"] == form, f"hover text {trace['hovertemplate']}")
    demand(len(trace["text"]) == len(own), "a hover text a point")
    for text, fact in zip(trace["text"], own, strict=True):
        if fact is None or text is None:
            demand(fact is text, f"{text} in a gap")
        else:
            _point_told(text, fact, names, scales)


def _point_told(text: str, fact: Fact, names: Sequence[str], scales: Sequence[float]) -> None:
    """Each number of a hover text, read back, is the fact's to four digits."""
    *values, repeats = text.split("<br>")
    demand(repeats == f"{fact.repeat} repeat{'s' * (fact.repeat != 1)}", f"{text}: repeats")
    ends = [fact.values.get(f"{names[-1]}_{end}") for end in ("low", "high")]
    true = [(fact.values[name], scale) for name, scale in zip(names, scales, strict=True)]
    if None not in ends:
        demand(values[-1].startswith("interval ") and " to " in values[-1], f"{text}: interval")
        true += [(end, scales[-1]) for end in ends]
    numbers = re.findall(r"[−\d][\d,]*\.?\d*", " ".join(values))
    demand(len(numbers) == len(true), f"{text}: {len(true)} numbers")
    for number, (value, scale) in zip(numbers, true, strict=True):
        shown = float(number.replace(",", "").replace("−", "-")) * scale
        demand(math.isclose(shown, value or 0.0, rel_tol=5.1e-4, abs_tol=1e-12), f"{text}: {value}")


def load_places(shown: Shown, loads: Sequence[float]) -> dict[float, float]:
    """Load -> its place on the axis, which says so at its ticks."""
    axis = layout_of(shown)["xaxis"]
    demand(axis["ticktext"] == [f"{load:.0f}" for load in loads], f"ticks {axis['ticktext']}")
    demand(axis["tickvals"] == list(range(len(loads))), f"ticks at {axis['tickvals']}")
    return {load: float(place) for place, load in enumerate(loads)}
