"""Axes that fit their data: where they begin and end, their ticks, and a unit for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfkit.analysis.curves.metrics import load_number
from perfkit.core.text_size import lines_of, width_of
from perfkit.showing.figures.canvas import HEADROOM, Plotly

K_FROM = 10_000
"""Rates from here on have ticks in K and M."""

WIDE = 100.0
"""Values that lie further apart than this factor stand on a logarithmic axis."""

_KILO, _MEGA = 1e3, 1e6
_NICE = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_STEPS = (1, 2, 5)
_TICK_PX, _TICK_HIGH_PX = 38, 30
_NARROW_PX = 250
"""A panel this narrow gets as many ticks as have room: Plotly would give it one or two."""

_DECADE_PX = 60
"""Height of a decade that has room for ticks at 2 and 5."""

_BEFORE = 0.04
_FEW = 8
"""Whole numbers of which each is a tick."""


@dataclass(frozen=True)
class Scale:
    """An axis.

    Attributes:
        title: With its unit; that it is logarithmic is added.
        log: Whether it is logarithmic.
        rate: Whether its numbers are rates, which have K and M.
        low: Where it begins, or at the lowest value below that; None: a little before the first.
        high: Where it ends; None: a little above the highest value.
        ticks: Value -> text, of an axis over loads.
        time: Whether its values are times, which have a logarithmic axis where that shows more.
        whole: Whether only whole numbers are ticks.
        own: Whether each panel may have its own range, where a common one would squeeze some.
    """

    title: str
    log: bool = False
    rate: bool = False
    low: float | None = 0.0
    high: float | None = None
    ticks: Mapping[float, str] = field(default_factory=dict)
    own: bool = False
    whole: bool = False
    time: bool = False

    def at(self, value: float) -> float:
        """Where a value stands: itself, or its power of ten."""
        return math.log10(value) if self.log else value

    def range(self, values: Sequence[float]) -> tuple[float, float]:
        """From where to where, in places as ``at`` gives them."""
        if self.log:
            return self.at(min(values)) - 0.08, self.at(max(values)) + 0.08
        least, most = min(values), max(values)
        low = least - _BEFORE * (most - least) if self.low is None else min(self.low, least)
        if self.low is None and least >= 0:
            low = max(0.0, low)
        high = most + (HEADROOM - 1) * abs(most) if self.high is None else max(self.high, most)
        if low < 0 and self.low is not None:
            low *= HEADROOM
        return low, high

    def heading(self, px: float) -> list[str]:
        """The title in lines of at most so many pixels."""
        title = self.title
        if self.log:
            title = f"{title[:-1]}, log scale)" if title.endswith(")") else f"{title} (log scale)"
        return lines_of(title, px, 13)

    def axis(self, ends: tuple[float, float], px: float, *, high: bool) -> Plotly:
        """The properties of the axis over so many pixels; ``high`` of one that stands."""
        if self.log:
            return {"range": list(ends), **log_ticks(_ticks(ends, px, high=high))}
        if self.ticks:
            return {"range": list(ends), "showgrid": False, **_named(self.ticks, ends, px)}
        found: Plotly = {"range": list(ends), "tickformat": ",.6~g"}
        if self.rate and ends[1] >= K_FROM:
            found |= {"tickformat": "~s", "labelalias": _aliases(ends[1])}
        if self.whole and ends[1] - ends[0] < _FEW:
            found["dtick"] = 1
        if not high and px < _NARROW_PX and "dtick" not in found:
            return found | {"dtick": _step(ends, px, found), "tickangle": 0}
        most = max(4, int(px / (_TICK_HIGH_PX if high else _TICK_PX)))
        return found | {"nticks": most, **({} if high else {"tickangle": 0})}


def _step(ends: tuple[float, float], px: float, axis: Plotly) -> float:
    """The least round step between ticks whose numbers stand apart over so many pixels."""
    span = ends[1] - ends[0]
    least = 10.0 ** math.floor(math.log10(span) - 2)
    steps = (step * least * 10.0**power for power in range(4) for step in (1, 2, 2.5, 5))
    aliased = "labelalias" in axis

    def fits(step: float) -> bool:
        numbers = [step * n for n in range(math.ceil(ends[0] / step), int(ends[1] / step) + 1)]
        texts = [load_number(v / 1e3).text + "K" if aliased else f"{v:,.6g}" for v in numbers]
        return max(map(width_of, texts), default=0.0) + 6 <= step / span * px

    return next(step for step in steps if fits(step) or step >= span / 2)


def wide(values: Sequence[float]) -> bool:
    """Whether the values cross orders of magnitude, so that a linear axis would hide the small."""
    return min(values) > 0 and max(values) >= WIDE * min(values)


def nice_above(value: float) -> float:
    """The next round number above a value, where an axis ends: 40 above 38."""
    if value <= 0:
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in _NICE if step * power >= value * 1.02 or step == _NICE[-1])


def share_above(highest: float) -> float:
    """Where an axis of percents ends; a line at 100% is drawn whole."""
    return min(nice_above(highest), 104.0)


def log_ticks(ticks: list[float]) -> Plotly:
    """The properties of a log axis with these ticks."""
    text = [load_number(tick).text for tick in ticks]
    return {"type": "log", "tickmode": "array", "tickvals": ticks, "ticktext": text}


def _ticks(ends: tuple[float, float], px: float, *, high: bool) -> list[float]:
    """1, 2 and 5 of each decade, decades where those would be crowded, or every second, third."""
    low, end = ends
    decades = end - low
    steps = _STEPS if px / decades >= (_DECADE_PX if high else 3 * _TICK_PX) else (1,)
    found = [
        factor * 10.0**power
        for power in range(math.floor(low), math.ceil(end) + 1)
        for factor in steps
        if low <= math.log10(factor) + power <= end
    ]
    if len(found) <= 1 and steps == (1,):
        return _ticks(ends, math.inf, high=high)
    every = math.ceil(len(found) * (18 if high else 40) / px) if math.isfinite(px) else 1
    return found[::every]


def _named(ticks: Mapping[float, str], ends: tuple[float, float], px: float) -> Plotly:
    """As many of the ticks as stand apart, the first always."""
    inside = [value for value in ticks if ends[0] <= value <= ends[1]]
    step = px / (ends[1] - ends[0])
    widest = max((width_of(ticks[value]) for value in inside), default=0.0)
    every = max(1, math.ceil((widest + 6) / step))
    shown = inside[::every]
    return {
        "tickmode": "array",
        "tickvals": shown,
        "ticktext": [ticks[v] for v in shown],
        "tickangle": 0,
    }


def _aliases(high: float) -> dict[str, str]:
    """Plotly writes 100k; the field writes 100K, on an axis made longer by a band or bound too."""
    power = math.floor(math.log10(high))
    steps = [step * 10.0**e for e in (power - 2, power - 1, power) for step in _STEPS]
    values = {step * n for step in steps for n in range(1, 21)}
    return {f"{v / 1e3:g}k": f"{v / 1e3:g}K" for v in sorted(values) if _KILO <= v < _MEGA}
