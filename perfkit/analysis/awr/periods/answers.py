"""What a series says, as answers: its periods, where DB time went, and when it changed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

import polars as pl

from perfkit.analysis.awr.periods.causes import causes
from perfkit.analysis.awr.periods.columns import LEFT_OUT, OVER_TIME
from perfkit.analysis.awr.periods.episodes import (
    DRIVERS,
    PER_TRANSACTION,
    Alternation,
    Episode,
    History,
    alternations,
    episodes,
    histories,
)
from perfkit.analysis.awr.periods.levels import FEWEST, LEAST
from perfkit.analysis.awr.periods.over_time import sessions_over_time
from perfkit.analysis.awr.periods.risers import listed
from perfkit.analysis.awr.periods.worst import SESSIONS
from perfkit.analysis.awr.single_time import CPU, too_much_cpu
from perfkit.core import answers as claims
from perfkit.core.answers import (
    Answer,
    Condition,
    Gives,
    Question,
    Subject,
    register_questions,
)
from perfkit.core.cautions import Caution, caution, from_json
from perfkit.core.keys import file_of, rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import Row
from perfkit.core.units import Format

_MEASURED: Gives = frozenset({("measured", "=")})
_OR_MISSING: Gives = _MEASURED | {("missing", "=")}
_MEDIANS = "medians of both sides; least absolute deviations, six scaled MADs and a quarter apart"

PERIODS, GAP, TIME, CHANGE, TURNS = register_questions(
    ("series_periods", "1", "reports of one history that form a trend", "a count", "none",
     _OR_MISSING),
    ("series_gap", "s", "time between two periods of a trend that no report is of",
     "a difference", "none", _MEASURED),
    ("series_time", "1", "average active sessions over all periods of a trend, and their parts",
     "sum of DB time / sum of elapsed time", "none", _OR_MISSING),
    ("series_change", "its metric's",
     "the level of a quantity in the periods that differ from the others", _MEDIANS, "none",
     _OR_MISSING),
    ("series_turns", "its metric's",
     "the higher of two levels between which a quantity goes to and fro", _MEDIANS, "none",
     _MEASURED),
)  # fmt: skip

UNITS = {
    SESSIONS: "1", PER_TRANSACTION: "s", "read_wait_s": "s", "log_file_sync_s": "s",
    "log_file_parallel_write_s": "s", "cpu_busy_ratio": "ratio", "commits_per_s": "1/s",
    "read_iops": "1/s", "read_bytes_per_s": "bytes/s", "write_bytes_per_s": "bytes/s",
    "log_writer_busy_ratio": "ratio", "commits_per_redo_write": "1",
}  # fmt: skip
"""The quantities that sentences tell, with their units."""

GAP_RATIO = 0.1
"""A gap counts from this share of a usual period on."""

RESIDUAL = 0.2
"""Time in neither CPU nor waits is cautioned from this share of DB time on."""


def what_changed(periods: Measured, over_time: Measured, reading: Reading) -> Measured:
    """Which reports form a trend, where DB time went, when it changed, and what changed with it.

    Args:
        periods: What ``periods`` gave.
        over_time: What ``over_time`` gave.
        reading: The reports' tables.

    Returns:
        ``answers.ANSWERS``: questions series_periods and series_gap, history by history;
        series_time, the busiest first; series_turns; and series_change, that with the most sessions
        on top first, then what fell, and last those that are small, which the subject says.
    """
    sessions, names = sessions_over_time(periods, reading), listed(over_time, reading)
    read = reading["report"], reading.get("load_points")
    return _what_changed(periods, over_time, sessions, names, report=read[0], load_points=read[1])


@step(version=2, name="awr.what_changed")
def _what_changed(
    periods: Measured,
    over_time: Measured,
    sessions: Measured,
    listed: Measured,
    *,
    report: Measured,
    load_points: Measured | None,
) -> pl.DataFrame:
    frames = (frame.frame.rows(named=True) for frame in (over_time, sessions, listed))
    own = {history.name: history for history in histories(*frames)}
    reports = {file_of(row): row for row in report.frame.rows(named=True)}
    found: list[Answer] = []
    for name, rows in rows_by(periods.frame.rows(named=True), lambda r: r["history"]).items():
        covered = coverage_of(name, rows)
        found += covered
        history = own.get(name)
        if history is not None:
            # what stands on the first page is of the trend alone
            cautions = (
                *threads_cautions(history, reports),
                *covered[0].cautions,
                *_cut_off(history, load_points),
            )
            found += [time_of(history, cautions), *changes_of(history)]
    return claims.to_frame(sorted(found, key=_rank))


def _cut_off(history: History, load_points: Measured | None) -> list[Caution]:
    """The reports in the trend that are cut off: what they no longer hold is in no chart."""
    if load_points is None or "cautions" not in load_points.frame.columns:
        return []
    own = {row["source"] for row in history.rows}
    told = [
        one
        for row in load_points.frame.rows(named=True)
        if file_of(row) in own
        for one in from_json(row["cautions"])
        if one.name == "cut_off"
    ]
    return list(dict.fromkeys(told))


def _rank(answer: Answer) -> tuple[int, bool, bool, float]:
    """Question by question; of several databases the busiest first, and by cost what changed."""
    if answer.question == CHANGE.name:
        return 3, *_cost(answer)
    busy = answer.question == TIME.name and answer.estimate
    return _ORDER.get(answer.question, 0), False, False, -busy.value if busy else 0.0


def _cost(answer: Answer) -> tuple[bool, bool, float]:
    """What rose before what fell, the most sessions first; what is small, or none, comes last."""
    change = next((one.value for one in answer.conditions if one.metric == "excess"), 0.0)
    last = answer.status == "missing" or answer.subject.get("small") is not None
    return last, change <= 0, -abs(change)


_ORDER = {TIME.name: 1, TURNS.name: 2}
"""After the periods and gaps."""


def subject(history: str, begin: datetime, end: datetime, **more: str | None) -> Subject:
    """A history over an interval of time."""
    given = [(name, value) for name, value in more.items() if value is not None]
    times = (("begin", begin.isoformat()), ("end", end.isoformat()))
    return Subject(history, (("history", history), *times, *given))


def stretch(history: str, rows: Sequence[Row], **more: str | None) -> Subject:
    """A history over some periods; where reports are of a part of that time, of how much."""
    begin, end = rows[0]["begin_time"], rows[-1]["end_time"]
    reported = math.fsum(row["elapsed_s"] for row in rows)
    part = reported < (1 - GAP_RATIO) * (end - begin).total_seconds()
    return subject(history, begin, end, reported_s=repr(reported) if part else None, **more)


def where(*values: tuple[str, float | None]) -> tuple[Condition, ...]:
    """Quantities by name as conditions; without those that are not known."""
    return tuple(
        Condition(name, value, UNITS.get(name.removeprefix("usual "), "1"), "where")
        for name, value in values
        if value is not None
    )


# --- the periods ------------------------------------------------------------------------------


def coverage_of(name: str, rows: Sequence[Row]) -> list[Answer]:
    """How many reports of a history form a trend, and its gaps and restarts."""
    return [_coverage(name, rows), *_gaps(name, rows)]


def _coverage(name: str, rows: Sequence[Row]) -> Answer:
    trend = [row for row in rows if row["in_trend"]]
    counts = Counter(row["left_out"] for row in rows if row["left_out"])
    conditions = where(
        ("reports", len(rows)), *((f"left out {why}", counts.get(why)) for why in LEFT_OUT)
    )
    some, every = str(len(rows) - len(trend)), str(len(rows))
    cautions = (caution("reports_left_out", some=some, all=every, of=name),) if counts else ()
    if not trend:
        most, _ = counts.most_common(1)[0]
        return PERIODS.answer(
            "",
            Subject(name, (("history", name),)),
            None,
            LEFT_OUT[most],
            conditions=conditions,
            cautions=cautions,
        )
    return PERIODS.answer(
        "",
        subject(name, trend[0]["begin_time"], trend[-1]["end_time"]),
        len(trend),
        conditions=conditions,
        cautions=cautions,
        inputs=tuple(row["report"] for row in rows if row["left_out"]),
    )


def _gaps(name: str, rows: Sequence[Row]) -> list[Answer]:
    trend = [row for row in rows if row["in_trend"]]
    usual = median(row["elapsed_s"] for row in trend) if trend else 0.0
    return [
        GAP.answer(
            "",
            subject(name, before["end_time"], row["begin_time"], restart=restart),
            row["gap_before_s"],
            inputs=(row["report"],),
        )
        for before, row in pairwise(trend)
        for restart in ["yes" if row["restart_before"] else None]
        if row["gap_before_s"] > GAP_RATIO * usual or row["restart_before"]
    ]


# --- where the time went ----------------------------------------------------------------------


def time_of(history: History, more: tuple[Caution, ...] = ()) -> Answer:
    """The parts of DB time over all periods that state them, and the wait that took most of it."""
    cautions = evidence_cautions(history) + more
    parts = {name: by for (kind, name, _), by in history.parts.items() if kind == "part"}
    known = [row for row in history.rows if any(row["source"] in by for by in parts.values())]
    elapsed = math.fsum(row["elapsed_s"] for row in known)
    db_time = math.fsum(row[SESSIONS] * row["elapsed_s"] for row in known)
    shares = {name: _share(by, known, db_time) for name, by in parts.items()} if db_time else {}
    unstated = None if known else "no report states DB time, DB CPU and foreground waits"
    reason = unstated or too_much_cpu(history.name, shares.get(CPU))
    if reason is not None:
        whole = stretch(history.name, history.rows)
        return TIME.answer(SESSIONS, whole, None, reason)
    ordered = sorted(shares.items(), key=lambda item: (item[0] == "residual", -item[1]))
    event = _longest(history, known, db_time) if db_time else None
    busiest = max(known, key=lambda row: row[SESSIONS])
    least = min(row[SESSIONS] for row in known)
    varies = busiest[SESSIONS] > (1 + LEAST) * least
    return TIME.answer(
        SESSIONS,
        stretch(
            history.name,
            history.rows,
            event=event.name if event else None,
            leads=_leads(ordered, event),
            busiest=busiest["begin_time"].isoformat() if varies else None,
        ),
        db_time / elapsed,
        n=len(known),
        cautions=cautions,
        conditions=(
            *(Condition(f"part {name}", share, "ratio", "where") for name, share in ordered),
            *((event.condition,) if event else ()),
            *(where(("least", least), ("most", busiest[SESSIONS])) if varies else ()),
        ),
    )


def _share(by: Mapping[str, float], rows: Sequence[Row], db_time: float) -> float:
    """The share of DB time of a part or an event; where it is not listed it counts nothing."""
    return math.fsum(by.get(row["source"], 0.0) * row["elapsed_s"] for row in rows) / db_time


@dataclass(frozen=True)
class _Event:
    """A wait by its share of DB time: at least that where not every report lists it."""

    name: str
    wait_class: str | None
    share: float
    everywhere: bool

    @property
    def condition(self) -> Condition:
        name = "event" if self.everywhere else "event at least"
        return Condition(name, self.share, "ratio", "where")


def _longest(history: History, rows: Sequence[Row], db_time: float) -> _Event | None:
    """The foreground event that took most of DB time, as far as the reports list it."""
    found = [
        _Event(name, wait_class, _share(by, rows, db_time), all(r["source"] in by for r in rows))
        for (kind, name, wait_class), by in history.parts.items()
        if kind == "event" and name != CPU
    ]
    return max(found, key=lambda one: one.share, default=None)


def _leads(parts: Sequence[tuple[str, float]], event: _Event | None) -> str | None:
    """What is told first: time in no part where that is most, else the part, or its one event."""
    if not parts:
        return None
    name, share = parts[0]
    if name != "residual" and dict(parts).get("residual", 0.0) > share:
        return "residual"
    of_it = event is not None and event.wait_class == name and event.share > share / 2
    return "event" if of_it else "part"


def evidence_cautions(history: History) -> tuple[Caution, ...]:
    """What must be known of a history's DB time."""
    shares = [
        abs(row["residual_sessions"]) / row[SESSIONS]
        for row in history.rows
        if row[SESSIONS] and row["residual_sessions"] is not None
    ]
    large = [share for share in shares if share > RESIDUAL]
    if not large:
        return ()
    share, many = Format("%").show(max(large)).text, str(len(large))
    every = str(len(history.rows))
    return (caution("residual_time", of=history.name, share=share, periods=many, all=every),)


def threads_cautions(history: History, reports: Mapping[str | None, Row]) -> tuple[Caution, ...]:
    """Where DB CPU is more than the cores: of several threads a core each busy one counts.

    ``reports`` by their file: a host is resized now and then, so each period has its own cores.
    """
    above = {
        cores
        for row in history.rows
        for cpus, cores in [(reports[row["source"]].get(name) for name in ("cpus", "cores"))]
        if cpus and cores and cpus > cores and (row["cpu_sessions"] or 0.0) > cores
    }
    return tuple(
        caution("more_than_capacity", of=history.name, cores=str(cores)) for cores in sorted(above)
    )


# --- when it changed --------------------------------------------------------------------------


def changes_of(history: History) -> list[Answer]:
    """What takes turns, then the changes of a history, by cost; or that none is shown."""
    cautions = evidence_cautions(history)
    turning = [_alternates(history, one, cautions) for one in alternations(history)]
    found = [_change(history, one, cautions) for one in episodes(history)]
    if found:
        return [*turning, *sorted(found, key=_cost)]
    known = [
        quantity
        for quantity in DRIVERS
        if sum(value is not None for value in history.values(quantity)) >= FEWEST
    ]
    why = "it alternates between two levels" if turning else "no quantity changes its level"
    return [
        *turning,
        CHANGE.answer(
            SESSIONS,
            stretch(history.name, history.rows),
            None,
            why if known else f"{FEWEST} periods are needed to tell",
            conditions=where(("periods", len(history.rows))),
        ),
    ]


def _alternates(history: History, one: Alternation, cautions: tuple[Caution, ...]) -> Answer:
    apart = [(after - before).total_seconds() for before, after in pairwise(one.begins)]
    times = where(
        ("high periods", len(one.episode.places)),
        ("periods", one.known),
        ("turns", len(one.begins)),
        ("every_s", median(apart) if one.regular else None),
    )
    return _told(TURNS, one.episode, stretch(history.name, history.rows), cautions, times)


def _change(history: History, episode: Episode, cautions: tuple[Caution, ...]) -> Answer:
    rows = history.rows[episode.places[0] : episode.places[-1] + 1]
    of = stretch(
        history.name,
        rows,
        lasts="yes" if episode.open_end else None,
        small="yes" if episode.is_small else None,
    )
    return _told(CHANGE, episode, of, cautions)


def _told(
    question: Question,
    episode: Episode,
    of: Subject,
    cautions: tuple[Caution, ...],
    more: tuple[Condition, ...] = (),
) -> Answer:
    """An episode as the answer to a question: what moved in it, and what it is put down to."""
    led = episode.moved[episode.leads]
    put_down = causes(episode)
    ways = {name: episode.moved[name].way for name in UNITS if name in episode.moved}
    shared = episode.moved.get("commits_per_redo_write")
    # where redo is written for more than commits, how many share a write says nothing
    few = {"commits_per_redo_write"} if shared and shared.value < 1 else set()
    moved = {name for name, way in ways.items() if way} - few
    told = [name for name in UNITS if name == episode.leads or name in moved]
    named = [("read_event", episode.read_event), *((f"of {one.name}", one.of) for one in put_down)]
    return question.answer(
        episode.leads,
        Subject(of.label, (*of.key, *((key, name) for key, name in named if name is not None))),
        led.value,
        unit=UNITS[episode.leads],
        n=len(episode.places),
        conditions=(
            *where(
                *((name, episode.moved[name].value) for name in told),
                *((f"usual {name}", episode.moved[name].usual) for name in told),
            ),
            *where(("excess", episode.change)),
            *where(*((f"cause {one.name}", one.sessions) for one in put_down)),
            *where(*((f"way {name}", float(ways[name])) for name in OVER_TIME if name in ways)),
            *more,
        ),
        cautions=cautions if any(one.name == "booked" for one in put_down) else (),
    )
