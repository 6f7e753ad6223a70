"""Reads printed tables of load points back: each cell against the load points themselves.

Only what is printed is read: headers with their units, and the text of the cells. The raw values
that travel beside them are held against the same truth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from claims import facts
from claims.reader import Untrue, demand

if TYPE_CHECKING:
    from claims.facts import Fact
    from claims.shown import Case, Shown

NULL = "–"
UNITS = {"": 1.0, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "%": 0.01, "MB/s": 1e6, "B": 1.0}
NUMBER = re.compile(r"(−?)(\d{1,3}(?:,\d{3})*)(?:\.(\d+))?")
TIME_OR_RATE = re.compile(r"([\d.,]+) ?(µs|ms|s|IOPS|K IOPS|M IOPS)")
SCALES = {**UNITS, "IOPS": 1.0, "K IOPS": 1e3, "M IOPS": 1e6}
METRICS = {
    "IOPS": "iops",
    "Throughput": "bw",
    "Mean latency": "lat",
    "Max latency": "max",
    "Host CPU": "cpu",
    **{name: name for name in facts.OF_LATENCY if name != "max"},
}
Row = list[str]
WIDEST = 1000.0
"""By how many times the low end the high end may be above it: the repeats leave more open."""


def check(shown: Shown, of: Case) -> str | None:
    """What is untrue in a table; None for nothing."""
    try:
        demand(shown.data is not None, f"{shown.name} was refused: {shown.refusal}")
        READERS[shown.name](shown, of)
    except Untrue as why:
        return str(why)
    return None


# --- numbers ------------------------------------------------------------------------------------


def parsed(text: str) -> tuple[float, float]:
    """A printed number and half a unit of its last digit."""
    match = NUMBER.fullmatch(text)
    demand(match, f"no number: {text!r}")
    assert match
    sign, whole, rest = match.groups()
    value = float(whole.replace(",", "") + "." + (rest or "0"))
    return (-value if sign else value), 0.5 * 10.0 ** -len(rest or "")


def agrees(text: str, true: float | None, scale: float = 1.0, *, fine: bool = True) -> None:
    """The cell prints this value, rounded; where it is missing, a dash.

    ``fine``: at least two digits tell of it, so that nothing above 0 reads as 0.
    """
    if true is None:
        demand(text == NULL, f"{text} where nothing is known")
        return
    value, half = parsed(text)
    off = abs(value - true / scale)
    demand(off <= half * (1 + 1e-9) + 1e-9 * abs(value), f"{text} for {true / scale}")
    exact = value == true / scale
    demand(not fine or exact or half <= 0.051 * abs(true / scale), f"{text} for {true / scale}")


def digits(text: str, true: float, count: int) -> None:
    """The text has so many significant digits of the value."""
    value, _ = parsed(text)
    near = 0.5 * 10.0 ** (math.floor(math.log10(value)) + 1 - count) if value else 0.0
    demand(abs(value - true) <= near * (1 + 1e-9), f"{text} for {true}")


def unit(label: str) -> tuple[str, float]:
    """A header without its unit, and the unit in SI base units."""
    match = re.fullmatch(r"(.+) \((µs|ms|s|%|MB/s|B)\)", label)
    return (match[1], UNITS[match[2]]) if match else (label, 1.0)


# --- tables of facts ----------------------------------------------------------------------------


def _table(shown: Shown) -> tuple[list[str], list[Row], list[list[Any]]]:
    assert shown.data is not None
    labels = [column["label"] for column in shown.data["columns"]]
    return labels, shown.data["rows"], shown.data["values"]


def _facts(shown: Shown, own: Sequence[Fact], wanted: Sequence[str], *, repeat: bool) -> None:
    """A row a fact, in order; every value that is known has its column."""
    labels, rows, values = _table(shown)
    demand(len(rows) == len(own), f"{len(rows)} rows of {len(own)}")
    several = len({fact.who for fact in own}) > 1
    expected = [*(["System"] if several else []), "iodepth", *(["Repeat"] if repeat else [])]
    demand(labels[: len(expected)] == expected, f"columns {labels}")
    for row, fact in zip(rows, own, strict=True):
        keys = [*([fact.who] if several else []), f"{fact.load:.0f}",
                *([str(fact.repeat)] if repeat else [])]  # fmt: skip
        demand(row[: len(keys)] == keys, f"{row[: len(keys)]} for {keys}")
    told, metric, scale = [], "", 1.0
    for place, label in list(enumerate(labels))[len(expected) :]:
        end = {"95% low": "_low", "95% high": "_high"}.get(label)
        if end is None:
            head, scale = unit(label)
            demand(head in METRICS, f"no column {label}")
            metric = METRICS[head]
        name = f"{metric}{end or ''}"
        told.append(name)
        for row, raw, fact in zip(rows, values, own, strict=True):
            true = _printed(fact, name)
            agrees(row[place], true, scale)
            _raw(raw[place], true)
    known = [name for name in wanted if any(_printed(fact, name) is not None for fact in own)]
    demand(told == known, f"columns {told} of {known}")


def _printed(fact: Fact, name: str) -> float | None:
    """What is printed of a value: of an interval whose ends are far apart neither end."""
    metric, _, end = name.rpartition("_")
    if end not in {"low", "high"}:
        return fact.values[name]
    low, high = (fact.values[f"{metric}_{side}"] for side in ("low", "high"))
    is_open = low is not None and high is not None and high > WIDEST * low
    return None if is_open else fact.values[name]


def _raw(value: Any, true: float | None) -> None:
    same = value is None if true is None else (
        value is not None and math.isclose(value, true, rel_tol=1e-9)
    )  # fmt: skip
    demand(same, f"the value behind the cell is {value}, not {true}")


def _load_points(shown: Shown, of: Case) -> None:
    own = [fact for curve in facts.curves(of.points).values() for fact in curve]
    wanted = ("iops", "iops_low", "iops_high", "bw", "lat", "lat_low", "lat_high", "p99", "cpu")
    _facts(shown, own, wanted, repeat=False)


def _points(shown: Shown, of: Case) -> None:
    wanted = ("iops", "bw", "lat", "p99", "max", "cpu")
    _facts(shown, facts.repeats(of.points), wanted, repeat=True)


def _percentiles(shown: Shown, of: Case) -> None:
    labels, _, _ = _table(shown)
    scales = {unit(label)[1] for label in labels if unit(label)[0] in METRICS}
    demand(len(scales) <= 1, "one unit for all")
    own = [fact for curve in facts.curves(of.points).values() for fact in curve]
    _facts(shown, own, ("lat", "p50", "p95", "p99", "p99.9", "p99.99", "max"), repeat=False)


def _same(shown: Shown) -> dict[str, str]:
    """What the note says of all rows: "All rows: Points: 3; Repeats: 2."."""
    assert shown.data is not None
    found = re.match(r"All rows: (.*?)\.(?= |$)", shown.data["note"] or "")
    return dict(part.split(": ", 1) for part in found[1].split("; ")) if found else {}


def _conditions(shown: Shown, of: Case) -> None:
    labels, rows, _ = _table(shown)
    systems = sorted({p.system for p in of.points})
    demand(len(rows) == len(systems), "a row a curve")
    for row, who in zip(rows, systems, strict=True):
        own = [p for p in of.points if p.system == who]
        loads = sorted({p.load for p in own})
        any_io = any(p.iops for p in own)
        ends = f"{loads[0]:.0f} to {loads[-1]:.0f}" if len(loads) > 1 else f"{loads[0]:.0f}"
        cell = {**_same(shown), **dict(zip(labels, row, strict=True))}
        expected = {
            "Workload": "mix", "System": who, "Loads": f"{ends} iodepth",
            "Points": str(len(loads)), "Repeats": str(len({p.repeat for p in own})),
        }  # fmt: skip
        for label in ("Mean read size (B)", "Mean write size (B)"):
            expected[label] = f"{facts.BLOCK:,}" if any_io else NULL
        expected["Reads (%)"] = f"{facts.READS:.1%}".rstrip("%") if any_io else NULL
        for label, text in expected.items():
            demand(cell.get(label, NULL) == text, f"{label}: {cell.get(label)} for {text}")
        demand(set(labels) <= set(expected), f"columns {labels}")


# --- tables of answers --------------------------------------------------------------------------

SIGNS = {"=": "", ">=": "≥ ", "<=": "≤ "}


def _answered(text: str, side: facts.Side, scale: float) -> None:
    sign = SIGNS[side.relation]
    demand(text.startswith(sign) and text[:1] in {sign[:1], *"0123456789"}, f"{text}: its bound")
    agrees(text.removeprefix(sign), side.value, scale)


def _comparison(shown: Shown, of: Case) -> None:
    labels, rows, _ = _table(shown)
    question = str(shown.question)
    given, _ = facts.GIVEN[question]
    asked = of.asked_at(question)
    (against, one), (subject, other) = facts.curves(of.points).items()
    demand(len(rows) == 1, "a row a change")
    cell = dict(zip(labels, rows[0], strict=True))
    heads = {unit(label)[0]: (label, unit(label)[1]) for label in labels}
    place = 0
    if given is not None:
        head = {"lat": "Mean latency", "iops": "IOPS", "load": "Load", "cpu": "Host CPU"}[given]
        demand(head in heads and asked is not None, f"it was asked at: {labels}")
        agrees(cell[heads[head][0]], asked, heads[head][1])
        place = 1
    demand([unit(label)[0] for label in labels[place : place + 2]] == [against, subject], "sides")
    sides = [facts.answer(curve, question, asked) for curve in (one, other)]
    for who, side in zip((against, subject), sides, strict=True):
        label, scale = heads[who]
        if side.value is None:
            _why(cell[label], side, given, asked)
        else:
            _answered(cell[label], side, scale)
    _changed(cell, sides, one, other, of.intervals().get(question))


def _why(text: str, side: facts.Side, given: str | None, asked: float | None) -> None:
    """A side without a value: why, and how far it got, told apart from the value asked at."""
    words = {"not reached": "not reached", "beyond measured": "all above", "missing": "missing",
             "ambiguous": "passed more than once"}  # fmt: skip
    match = re.fullmatch(r"([a-z ]+?)(?: \((.+)\))?", text)
    demand(match and match[1] == words[side.status], f"{text} for {side.status}")
    assert match
    demand((match[2] is not None) == (side.at is not None), f"{text}: how far")
    if side.at is None or given is None or asked is None:
        return
    if given == "load":
        demand(match[2] == f"{side.at.load:.0f}", f"{text} for {side.at.load}")
        return
    found = TIME_OR_RATE.fullmatch(match[2]) or re.fullmatch(r"([\d.,]+)(%)", match[2])
    demand(found, f"{text}: no value")
    assert found
    scale, true = SCALES[found[2]], side.at.values[given]
    digits(found[1], (true or 0.0) / scale, 3)
    shown = parsed(found[1])[0] * scale
    beyond = (
        shown < asked * (1 - 1e-9) if side.status == "not reached" else shown > asked * (1 + 1e-9)
    )
    demand(beyond, f"{text} beside {asked}")


def _changed(
    cell: dict[str, str], sides: Sequence[facts.Side], one: Sequence[Fact], other: Sequence[Fact],
    ends: tuple[float | None, float | None] | None,
) -> None:  # fmt: skip
    values = [side.value for side in sides]
    if not all(values):
        for label in ("Change", "95% interval", "Difference", "Repeats"):
            told = label == "Repeats" and None not in values
            demand(told or cell.get(label, NULL) == NULL, f"{label} without two values")
        return
    ratio = 1.0 if math.isclose(values[1], values[0], rel_tol=1e-12) else values[1] / values[0]
    sign = bound(sides)
    text = cell["Change"]
    demand(text.startswith(sign) and text[:1] in {sign[:1], *"0123456789+−l"}, f"{text}: its bound")
    signed(text.removeprefix(sign), ratio, form(ratio))
    counts = list(dict.fromkeys(str(curve[0].repeat) for curve in (one, other)))
    demand(cell["Repeats"] == ", ".join(counts), f"{cell['Repeats']} repeats of {counts}")
    low, high = ends or (None, None)
    told = cell["95% interval"]
    if low is None or high is None:
        demand(told == "none", f"{told} for no interval")
        demand(cell.get("Difference", NULL) == NULL, "a difference without an interval")
        return
    demand(low <= ratio <= high, "the change is outside")
    interval(told, (low, high), form(ratio))
    shown = "not shown" if low <= 1 <= high else NULL
    demand(cell.get("Difference", NULL) == shown, f"{cell.get('Difference')} for {low} to {high}")


def bound(sides: Sequence[facts.Side]) -> str:
    """The sign of the second side's change against the first: none where they pull apart."""
    turned = {"=": "=", ">=": "<=", "<=": ">="}[sides[0].relation]
    said = {sides[1].relation, turned} - {"="}
    return SIGNS[said.pop()] if len(said) == 1 else ""


def form(ratio: float) -> str:
    """How a ratio is printed: from twice on a multiple, up to a tenth a share, else in percent."""
    return "times" if ratio >= 2 else "share" if ratio <= 0.1 else "percent"


def interval(text: str, ends: tuple[float, float], shape: str) -> None:
    parts = text.removesuffix(" times").split(" to ")
    demand(
        len(parts) == 2 and (shape != "times" or text.endswith(" times")), f"no interval: {text}"
    )
    for part, end in zip(parts, ends, strict=True):
        signed(f"{part} times" if shape == "times" else part, end, shape)


def signed(text: str, ratio: float, shape: str) -> None:
    """A ratio as printed: 2.4 times, 0.010%, +59%, −8.4%, or less than +0.1%."""
    if shape == "times":
        demand(text.endswith(" times"), f"{text} for {ratio}")
        digits(text.removesuffix(" times"), ratio, 2)
        return
    demand(text.endswith("%"), f"{text} for {ratio}")
    if shape == "share":
        digits(text.removesuffix("%"), ratio * 100, 2)
        return
    match = re.fullmatch(r"(less than )?([+−]?)([\d.,]+)%", text)
    demand(match, f"no change: {text}")
    assert match
    sign = "" if ratio == 1 else "+" if ratio > 1 else "−"
    demand(match[2] == sign, f"{text} for {ratio}")
    value, half = parsed(match[3])
    size = abs(ratio - 1) * 100
    if match[1]:
        demand(value == 0.1 and 0 < size < 0.05, f"{text} for {size}%")
    else:
        demand(abs(value - size) <= half * (1 + 1e-9) + 1e-9, f"{text} for {size}%")
        demand(size == 0 or value > 0, f"{text} for {size}%")
        demand(ratio > 0 or value < 100, f"{text} for {ratio}")


def _criteria(shown: Shown, of: Case) -> None:
    labels, rows, _ = _table(shown)
    cells = [dict(zip(labels, row, strict=True)) for row in rows]
    curves = facts.curves(of.points)
    expected = [(name, fact) for name in ("rate", "time") for c in curves.values() for fact in c]
    demand(len(cells) == len(expected), f"{len(cells)} rows of {len(expected)}")
    several = len(curves) > 1
    for cell, (name, fact) in zip(cells, expected, strict=True):
        who = fact.who if several else of.points[0].system
        where = f"{who}, mix, iodepth {fact.load:.0f}"
        demand((cell["Criterion"], cell["Where"]) == (name, where), f"{cell['Where']} for {where}")
        rule = {"rate": "IOPS ≥ 1,000, mean over repeats",
                "time": "mean latency ≤ 1 ms, every repeat"}[name]  # fmt: skip
        demand(cell["Rule"] == rule, f"the rule {cell['Rule']}")
        value = _judged(of, fact, name)
        if value is None:
            demand((cell["Verdict"], cell["Value"]) == ("not judged", NULL), "it is not known")
            demand(cell.get("Remark", NULL) != NULL, "why it is not judged")
            continue
        found = TIME_OR_RATE.fullmatch(cell["Value"])
        demand(found and ("IOPS" in found[2]) == (name == "rate"), f"no value: {cell['Value']}")
        assert found
        printed = parsed(found[1])[0] * SCALES[found[2]]
        limit = 1000.0 if name == "rate" else 1e-3
        demand(abs(printed - value) <= 0.0051 * value, f"{cell['Value']} for {value}")
        digits(found[1], value / SCALES[found[2]], 3)
        holds = value >= limit if name == "rate" else value <= limit
        demand(cell["Verdict"] == ("pass" if holds else "fail"), f"{cell['Verdict']} at {value}")
        kept = printed >= limit if name == "rate" else printed <= limit * (1 + 1e-12)
        demand(kept == holds, f"{cell['Value']} beside the limit")


def _judged(of: Case, fact: Fact, name: str) -> float | None:
    """The value that a criterion judges: the mean, or of every repeat the worst."""
    if name == "rate":
        return fact.values["iops"] or None  # without I/O there is nothing to judge
    own = [r for r in facts.repeats(of.points) if (r.who, r.load) == (fact.who, fact.load)]
    values = [r.values["lat"] for r in own]
    return None if None in values else max(v for v in values if v is not None)


def _scaling(shown: Shown, of: Case) -> None:
    """The law is the best there is: no small change of a parameter leaves less over."""
    labels, rows, values = _table(shown)
    curves = facts.curves(of.points)
    demand([row[0] for row in rows] == list(curves), "the curves")
    for row, raw, curve in zip(rows, values, curves.values(), strict=True):
        text, value = (dict(zip(labels, cells, strict=True)) for cells in (row, raw))
        sound = all(fact.values["iops"] for fact in curve) and len(curve) > 3
        law = [value.get(label) for label in LAW]
        if not sound:
            demand(all(item is None for item in law), "a law of too little")
            whole = all(fact.values["iops"] for fact in curve)
            why = "fewer than 4 loads" if whole else "IOPS are missing or 0 at a load point"
            demand(text.get("Not fitted because") == why, f"{text.get('Not fitted because')}")
            continue
        demand(all(item is not None for item in law), "no law")
        _fitted(text, value, [item for item in law if item is not None], curve)


LAW = ("IOPS of one unit of load", "Contention (%)", "Coherency (%)")
NEAR = 1e-3


def _fitted(text: dict[str, str], value: dict[str, Any], law: list[float], curve: Sequence[Fact]):
    left = _left(law, curve)
    for place in range(3):
        for step in (1 - NEAR, 1 + NEAR):
            moved = [x * step if i == place else x for i, x in enumerate(law)]
            demand(
                _square(_left(moved, curve)) >= _square(left) * (1 - 1e-6) - 1e-12, "a better law"
            )
    rms = math.sqrt(_square(left) / len(left))
    scale, sigma, kappa = law
    agrees(text[LAW[0]], scale)
    agrees(text[LAW[1]], sigma, 0.01, fine=False)
    agrees(text[LAW[2]], kappa, 0.01, fine=False)
    agrees(text["RMS residual (%)"], rms, 0.01, fine=False)
    agrees(text["Largest residual (%)"], max(map(abs, left)), 0.01, fine=False)
    top = math.sqrt((1 - sigma) / kappa) if kappa > 0 and sigma < 1 else math.inf
    top_load = top if top <= 10 * curve[-1].load else None
    agrees(text.get("Load at the peak", NULL), top_load)
    inside = top_load is not None and curve[0].load <= top_load <= curve[-1].load
    peak = _law(law, top) if inside else None
    agrees(text.get("Peak (IOPS)", NULL), peak)


def _law(law: Sequence[float], load: float) -> float:
    scale, sigma, kappa = law
    return scale * load / (1 + sigma * (load - 1) + kappa * load * (load - 1))


def _left(law: Sequence[float], curve: Sequence[Fact]) -> list[float]:
    return [_law(law, fact.load) / (fact.values["iops"] or 1.0) - 1 for fact in curve]


def _square(values: Sequence[float]) -> float:
    return math.fsum(x * x for x in values)


READERS: dict[str, Callable[[Shown, Case], None]] = {
    "table_load_points": _load_points, "table_points": _points,
    "table_percentiles": _percentiles,
    "table_conditions": _conditions, "table_scaling": _scaling,
    "table_criteria": _criteria, "table_comparison": _comparison,
}  # fmt: skip
