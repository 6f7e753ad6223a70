"""The questions that a curve can be asked, and how what it answers is found in its load points.

A number that is not there is never stood in for: a load point that lacks it is passed over with a
caution (``gap``, ``no_io``) where the answer does not need it; where it might have changed the
answer, the relation says "at least" or "at most", or the status is "missing".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from perfkit.analysis.curves.curves import BUSY
from perfkit.analysis.curves.metrics import (
    LATENCIES,
    in_words,
    load_text,
    loads_text,
    unit_of,
    within_printed,
)
from perfkit.analysis.curves.series import Rows
from perfkit.core.answers import (
    FOUND,
    QUESTIONS,
    Condition,
    Gives,
    Question,
    Relation,
    Status,
    register_questions,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.schema import Row

CHOSEN_LATENCY = "latency"
"""Stands for the latency metric of a request."""


@dataclass(frozen=True)
class Request:
    """One question put to one curve."""

    label: str
    kind: str
    at: float
    metric: str
    cores: float | None

    def column(self, name: str) -> str:
        """The column of a quantity: that of the latency asked for, or ``name`` itself."""
        return self.metric if name == CHOSEN_LATENCY else name

    def load(self, row: Row) -> str:
        """The load of one load point in words."""
        return load_text(self.kind, row["load"])

    def loads(self, rows: Rows) -> str:
        """Those of several: "180 and 210 threads"."""
        return loads_text(self.kind, [row["load"] for row in rows])


@dataclass(frozen=True)
class Finding:
    """What one curve answers, before its interval; ``rows`` are those that it rests on.

    ``among`` are the load points of which the answer is the highest or lowest.
    """

    status: Status
    value: float | None = None
    relation: Relation = "="
    conditions: tuple[Condition, ...] = ()
    rows: tuple[Row, ...] = ()
    reason: str | None = None
    cautions: tuple[Caution, ...] = ()
    among: tuple[Row, ...] = ()


@dataclass(frozen=True)
class CurveQuestion:
    """How a question is put to a curve.

    Attributes:
        find: The rows of a curve in order of load, and the request -> what it answers.
        at: What is given: a metric, "load" or CHOSEN_LATENCY; None for nothing.
        wanted: What is asked for, in the same words.
    """

    find: Callable[[Rows, Request], Finding]
    at: str | None
    wanted: str


def _where(request: Request, row: Row, *names: str) -> tuple[Condition, ...]:
    """The load point found, and those of its values that are known."""
    return where_conditions(
        (request.kind, row["load"], "1"), *((name, row.get(name), unit_of(name)) for name in names)
    )


def _missing(reason: str, *cautions: Caution) -> Finding:
    return Finding("missing", reason=reason, cautions=cautions)


def _lacking(rows: Rows, *names: str) -> list[Row]:
    """Load points that did I/O, or may have, and lack one of the numbers."""
    return [row for row in rows if row["iops"] != 0 and any(row[name] is None for name in names)]


def _idle(request: Request, rows: Rows) -> tuple[Caution, ...]:
    """The caution for load points without I/O."""
    idle = [row for row in rows if row["iops"] == 0]
    return (caution("no_io", of=request.label, place=request.loads(idle)),) if idle else ()


def _gap(request: Request, rows: Rows, *names: str) -> tuple[Caution, ...]:
    """The caution for numbers that are missing."""
    lacking = _lacking(rows, *names)
    if not lacking:
        return ()
    where = {"of": request.label, "place": request.loads(lacking)}
    return (caution("gap", what=in_words(*names), **where),)


def _none_known(request: Request, rows: Rows, *names: str) -> Finding:
    """Where no load point has the numbers: no I/O at all, or they are missing."""
    idle = _idle(request, rows)
    if idle and all(row["iops"] == 0 for row in rows):
        return _missing("it did no I/O at any load", *idle)
    return _missing(
        f"{in_words(*names)} missing at {request.loads(_lacking(rows, *names) or rows)}", *idle
    )


# --- the value of one quantity where another one is given -------------------------------------


def _meeting(given: str, wanted: str) -> CurveQuestion:
    """``wanted`` where ``given`` has the value asked at.

    Between two neighbouring load points it is interpolated linearly; nothing is extrapolated, nor
    interpolated over a load point whose value is not known.
    """

    def find(rows: Rows, request: Request) -> Finding:
        column = request.column(given)
        found = _meet(rows, request, column, request.column(wanted))
        asked = Condition(column, request.at, unit_of(column))
        return replace(found, conditions=(asked, *found.conditions))

    return CurveQuestion(find, given, wanted)


def _meet(rows: Rows, request: Request, given: str, wanted: str) -> Finding:
    if all(row[given] is None for row in rows):
        return _none_known(request, rows, given)
    meetings = _meetings(rows, given, request.at)
    if not meetings:
        return _beside(rows, request, given, wanted)
    cautions = (*_gap(request, rows, given), *_idle(request, rows))
    places = tuple(
        Condition(request.kind, row["load"], "1", "where" if len(between) == 1 else "between")
        for between, _ in meetings
        for row in between
    )
    if len(meetings) > 1:
        again = caution("comes_back", of=request.label)
        return Finding(
            "ambiguous",
            conditions=places,
            cautions=(again, *cautions),
            rows=tuple(row for between, _ in meetings for row in between),
        )
    ((between, whole),) = meetings
    why = _not_there(request, between, given, wanted, whole=whole)
    if why:
        return _missing(why, *cautions)
    value = _between(between, given, wanted, request.at)
    if wanted == "iops" and value == 0:
        return _missing(f"it did no I/O at {request.load(between[0])}", *cautions)
    return Finding(
        "measured" if len(between) == 1 else "interpolated",
        value,
        conditions=places,
        rows=between,
        cautions=cautions,
    )


def _not_there(
    request: Request, between: tuple[Row, ...], given: str, wanted: str, *, whole: bool
) -> str | None:
    """Why there is nothing between two load points; None where there is."""
    if not whole:
        return f"{in_words(given)} missing between {' and '.join(map(request.load, between))}"
    lacking = [row for row in between if row[wanted] is None]
    return f"{in_words(wanted)} missing at {request.loads(lacking)}" if lacking else None


EQUAL = 1e-11
"""Values that differ by less than this share are equal: they print alike."""


def _same(value: float, other: float) -> bool:
    return math.isclose(value, other, rel_tol=EQUAL)


def _keeps(value: float, limit: float) -> bool:
    return value <= limit or _same(value, limit)


def _meetings(rows: Rows, given: str, at: float) -> list[tuple[tuple[Row, ...], bool]]:
    """Where the curve has the value: a load point, or two neighbours with it between them.

    With each goes whether it is whole: no load point lies between the two whose value is missing.
    """
    found: list[tuple[tuple[Row, ...], bool]] = []
    last: Row | None = None
    whole = True
    for row in rows:
        value = row[given]
        if value is None:
            whole = False
            continue
        if _same(value, at):
            found.append(((row,), True))
        elif last is not None and not _same(last[given], at) and (last[given] < at) != (value < at):
            found.append(((last, row), whole))
        last, whole = row, True
    return found


def _between(rows: tuple[Row, ...], given: str, wanted: str, at: float) -> float:
    first, last = rows[0], rows[-1]
    if first is last:
        return float(first[wanted])
    share = (at - first[given]) / (last[given] - first[given])
    ends = (first[wanted], last[wanted])
    value = ends[0] + share * (ends[1] - ends[0])
    return float(min(max(value, min(ends)), max(ends)))  # rounding must not leave what was measured


def _beside(rows: Rows, request: Request, given: str, wanted: str) -> Finding:
    """A curve that lies below the value everywhere, or above it."""
    lacking, idle = _lacking(rows, given), _idle(request, rows)
    if lacking:  # it might be where the number is missing
        return _missing(f"{in_words(given)} missing at {request.loads(lacking)}", *idle)
    known = [row for row in rows if row[given] is not None]
    below = known[0][given] < request.at
    nearest = (max if below else min)(known, key=lambda row: row[given])
    return Finding(
        "not_reached" if below else "beyond_measured",
        cautions=idle,
        rows=(nearest,),
        conditions=_where(request, nearest, given, wanted),
    )


# --- the best load point ----------------------------------------------------------------------


def _most_within(rows: Rows, request: Request) -> Finding:
    """The highest measured IOPS among all load points at or under the limit."""
    metric = request.metric
    limit = Condition(metric, request.at, "s", "limit")
    known = [row for row in rows if row["iops"] and row[metric] is not None]
    within = [row for row in known if _keeps(row[metric], request.at)]
    most = max((row["iops"] for row in within), default=0.0)
    unknown = [
        row
        for row in _lacking(rows, metric, "iops")
        if (row["iops"] is None or row["iops"] > most)
        and (row[metric] is None or _keeps(row[metric], request.at))
    ]
    cautions = (*_gap(request, unknown, metric, "iops"), *_idle(request, rows))
    if not within:
        if unknown or not known:
            return replace(_none_known(request, rows, metric, "iops"), conditions=(limit,))
        nearest = min(known, key=lambda row: row[metric])
        return Finding(
            "beyond_measured",
            conditions=(limit, *_where(request, nearest, metric, "iops")),
            rows=(nearest,),
            cautions=cautions,
        )
    best = next(row for row in within if row["iops"] == most)
    ends = all(_keeps(row[metric], request.at) for row in rows if row[metric] is not None)
    if ends:
        highest = within_printed(metric, max(row[metric] for row in within), request.at).text
        cautions = (caution("limit_not_reached", of=request.label, highest=highest), *cautions)
    return Finding(
        "highest_within",
        most,
        ">=" if ends or unknown else "=",
        (limit, *_where(request, best, metric)),
        (best,),
        cautions=cautions,
        among=tuple(within),
    )


def _peak(rows: Rows, request: Request) -> Finding:
    known = [row for row in rows if row["iops"]]
    if not known:
        return _none_known(request, rows, "iops")
    best = max(known, key=lambda row: row["iops"])
    cautions = [*_gap(request, rows, "iops"), *_idle(request, rows)]
    bound = bool(_lacking(rows, "iops"))
    if len(rows) == 1:
        cautions.insert(0, caution("one_load", of=request.label))
    elif rows[-1]["iops"] == best["iops"]:
        cautions.insert(0, caution("highest_load", of=request.label))
    bound |= bool(cautions) and cautions[0].name in {"one_load", "highest_load"}
    return Finding(
        "measured",
        best["iops"],
        ">=" if bound else "=",
        _where(request, best, "lat_mean_s"),
        (best,),
        cautions=tuple(cautions),
        among=tuple(known),
    )


def _lowest(rows: Rows, request: Request) -> Finding:
    metric = request.metric
    known = [row for row in rows if row[metric] is not None]
    if not known:
        return _none_known(request, rows, metric)
    best = min(known, key=lambda row: row[metric])
    gap = _gap(request, rows, metric)
    return Finding(
        "measured",
        best[metric],
        "<=" if gap else "=",
        _where(request, best, "iops"),
        (best,),
        cautions=(*gap, *_idle(request, rows)),
        among=tuple(known),
    )


def _per_core(rows: Rows, request: Request) -> Finding:
    peak = _peak(rows, request)
    if peak.value is None:
        return peak
    busy = peak.rows[0][BUSY]
    if not busy or not request.cores:
        return _missing(f"{'host CPU' if not busy else 'the number of cores'} is not known")
    return replace(
        peak,
        value=peak.value / (busy * request.cores),
        relation="=",
        among=(),
        conditions=(
            *peak.conditions,
            Condition(BUSY, busy, "ratio", "where"),
            Condition("cores", request.cores, "1", "where"),
        ),
    )


def _at_load(wanted: str) -> CurveQuestion:
    """A load is what was set: nothing lies between two of them."""

    def find(rows: Rows, request: Request) -> Finding:
        name = request.column(wanted)
        asked = (Condition(request.kind, request.at, "1"),)
        found = next((row for row in rows if row["load"] == request.at), None)
        if found is None:
            none = _no_such_load(rows, request)
            return replace(none, conditions=(*asked, *none.conditions))
        if found["iops"] == 0 and name != BUSY:
            none = _missing(f"it did no I/O at {request.load(found)}", *_idle(request, [found]))
            return replace(none, conditions=asked)
        if found[name] is None:
            none = _missing(f"{in_words(name)} missing at {request.load(found)}")
            return replace(none, conditions=asked)
        return Finding("measured", found[name], conditions=asked, rows=(found,))

    return CurveQuestion(find, "load", wanted)


def _no_such_load(rows: Rows, request: Request) -> Finding:
    low, high = rows[0], rows[-1]
    if low["load"] < request.at < high["load"]:
        return _missing("this load was not measured")
    below = high["load"] < request.at
    end = high if below else low
    return Finding(
        "not_reached" if below else "beyond_measured", rows=(end,), conditions=_where(request, end)
    )


# --- the questions ----------------------------------------------------------------------------

_MEAN = "arithmetic mean over the repeats (percentiles: merged histograms)"
_T = "Student's t over the repeats' own answers, on logarithms"
_CHOSEN = (
    "bounds for all load points together, on logarithms, their spread pooled where it is alike"
)

_MEETING: Gives = frozenset({
    ("interpolated", "="), ("measured", "="), ("not_reached", "="), ("beyond_measured", "="),
    ("ambiguous", "="), ("missing", "="),
})  # fmt: skip
_POINT: Gives = frozenset({
    ("measured", "="), ("not_reached", "="), ("beyond_measured", "="), ("missing", "="),
})  # fmt: skip


CHOSEN = frozenset({"peak_iops", "most_iops_within_latency", "lowest_latency"})
"""The questions whose answer is the highest or the lowest of several load points."""

_ASKED: tuple[tuple[str, str, CurveQuestion, Gives, str], ...] = (
    ("iops_at_latency", "1/s", _meeting(CHOSEN_LATENCY, "iops"), _MEETING,
     "the IOPS where the curve has the latency"),
    ("latency_at_iops", "s", _meeting("iops", CHOSEN_LATENCY), _MEETING,
     "the latency where the curve has the IOPS"),
    ("cpu_at_iops", "ratio", _meeting("iops", BUSY), _MEETING,
     "the busy share of the hosts where the curve has the IOPS"),
    ("iops_at_cpu", "1/s", _meeting(BUSY, "iops"), _MEETING,
     "the IOPS where the hosts have the busy share"),
    ("iops_at_load", "1/s", _at_load("iops"), _POINT, "the IOPS at the load"),
    ("latency_at_load", "s", _at_load(CHOSEN_LATENCY), _POINT, "the latency at the load"),
    ("throughput_at_load", "B/s", _at_load("bw_bytes_per_s"), _POINT, "the throughput at the load"),
    ("cpu_at_load", "ratio", _at_load(BUSY), _POINT, "the busy share of the hosts at the load"),
    ("most_iops_within_latency", "1/s", CurveQuestion(_most_within, CHOSEN_LATENCY, "iops"),
     frozenset({("highest_within", "="), ("highest_within", ">="), ("beyond_measured", "="),
                ("missing", "=")}),
     "the highest IOPS of all load points with the latency at or under the limit"),
    ("peak_iops", "1/s", CurveQuestion(_peak, None, "iops"), FOUND | {("measured", ">=")},
     "the highest IOPS of all load points"),
    ("lowest_latency", "s", CurveQuestion(_lowest, None, CHOSEN_LATENCY),
     FOUND | {("measured", "<=")}, "the lowest latency of all load points"),
    ("iops_per_busy_core", "1/s", CurveQuestion(_per_core, None, "iops"), FOUND,
     "at the peak: IOPS / (busy share of the hosts x cores)"),
)  # fmt: skip

CURVE_QUESTIONS = {name: asked for name, _, asked, _, _ in _ASKED}
"""Every question that a curve can be asked, by name."""

(
    IOPS_AT_LATENCY,
    LATENCY_AT_IOPS,
    CPU_AT_IOPS,
    IOPS_AT_CPU,
    IOPS_AT_LOAD,
    LATENCY_AT_LOAD,
    THROUGHPUT_AT_LOAD,
    CPU_AT_LOAD,
    MOST_IOPS_WITHIN_LATENCY,
    PEAK_IOPS,
    LOWEST_LATENCY,
    IOPS_PER_BUSY_CORE,
) = register_questions(
    *(
        (name, unit, estimand, _MEAN, _CHOSEN if name in CHOSEN else _T, gives)
        for name, unit, _, gives, estimand in _ASKED
    )
)


def question_at_load(metric: str) -> Question:
    """The question what a metric is at a load."""
    wanted = CHOSEN_LATENCY if metric in LATENCIES else metric
    return next(
        QUESTIONS[name]
        for name, asked in CURVE_QUESTIONS.items()
        if (asked.at, asked.wanted) == ("load", wanted)
    )
