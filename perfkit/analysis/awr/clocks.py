"""By how much the clocks of the host and of the array are ahead of the database's.

No file says it. Where the load varies from period to period, the load tells it: the host's busy
share and its reads are in the reports and in the recording, so that one lag joins them
(``lags.matched``). Nothing is shifted by less than that: an offset that the load does not tell is
not judged, and the clocks are then taken as one unless the study states their offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.awr.lags import BLOCK, Match, matched
from perfkit.analysis.awr.recorded import Recorded, Signal, Untimed, recorded, seconds, tables_of
from perfkit.analysis.curves.series import require_columns
from perfkit.core.answers import (
    Answer,
    Estimate,
    Gives,
    Subject,
    from_frame,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import Row

if TYPE_CHECKING:
    from perfkit.analysis.awr.lags import Numbers

_GIVEN: Gives = frozenset({("measured", "="), ("not_judged", "=")})
CLOCK, TIMES = register_questions(
    ("clock_offset", "s", "by how much the clock of a recording is ahead of the database's: the "
     "lag at which the changes of the load, less those of the period before, go together in both",
     "greatest likelihood over all lags of up to 26 hours", "lags of 99% of the likelihood",
     _GIVEN),
    ("recording_times", "ratio", "correlation of the changes of the host's idle share in a "
     "recording without times with those of one that has them, sample by sample",
     "at the best shift", "none", _GIVEN),
)  # fmt: skip

LONGEST_S = 26 * 3600
"""The local times of two places differ by at most so much."""
STEPS = 60
"""Lags tried in the length of a period."""
LEAST_STEP_S = 1.0
GAP_RATIO = 0.1
"""Periods that are further apart than this share of one do not change from one to the other."""

TOLD_BY = ("cpu_busy_ratio", "read_iops", "read_bytes_per_s")
"""What the reports and a host's recording both state."""

_NEEDED = ("history", "source", "begin_time", "end_time", "iops", *TOLD_BY)


def clock_offsets(over_time: Measured, reading: Reading) -> Measured:
    """What the load tells of the clocks, and which recordings have the times of another one.

    Args:
        over_time: What ``over_time`` gave.
        reading: The evidence: the recordings of the host's tools, and ONTAP's ``qos_statistics``.

    Returns:
        ``answers.ANSWERS``: ``clock_offset`` of each history, for the host and the array;
        ``recording_times`` of each recording without times.

    Raises:
        AbsentError: No recording.
    """
    return _clock_offsets(
        over_time,
        report=reading["report"],
        host=tables_of(reading),
        array=reading.get("qos_statistics"),
    )


@step(version=1, name="awr.clock_offsets")
def _clock_offsets(
    over_time: Measured, *, report: Measured, host: Mapping[str, Measured], array: Measured | None
) -> pl.DataFrame:
    require_columns(over_time.frame, _NEEDED, "over_time")
    if not host and array is None:
        raise AbsentError(
            "nothing was recorded of the host or the array during the reports' periods"
        )
    known = recorded(host)
    found = [_times(one) for one in known.untimed]
    hosts = hosts_of(report)
    for history, rows in rows_by(over_time.frame.rows(named=True), lambda r: r["history"]).items():
        own = hosts.get(rows[0]["source"])
        found += _of_history(history, rows, known.of(own), array, named=own is not None)
    return to_frame(found)


def hosts_of(report: Measured) -> dict[str | None, str | None]:
    """File of a report -> the host that it names."""
    if not {"host", "source"} <= set(report.frame.columns):
        return {}
    return dict(report.frame.select("source", "host").rows())


def _times(one: Untimed) -> Answer:
    subject = Subject(one.file, (("file", one.file), ("beside", one.beside)))
    if one.match is None:
        return TIMES.answer("idle_ratio", subject, None, one.reason, without="not_judged")
    return TIMES.answer("idle_ratio", subject, one.match.r, n=one.match.n)


def _of_history(
    history: str, rows: Sequence[Row], known: Recorded, array: Measured | None, *, named: bool
) -> Iterator[Answer]:
    signals = known.signals()
    if signals:
        tried = {key: signal for key, signal in signals.items() if key[0] in TOLD_BY}
        names = ", ".join(dict.fromkeys(known.hosts.values())) or None
        subject = _subject(
            history, rows, "host", host=names, same="yes" if named and names else None
        )
        yield _offset(subject, rows, tried)
    served = _served(array)
    if served is not None:
        yield _offset(_subject(history, rows, "array"), rows, {("iops", "array"): served})


def _subject(history: str, rows: Sequence[Row], place: str, **more: str | None) -> Subject:
    times = (("begin", rows[0]["begin_time"]), ("end", rows[-1]["end_time"]))
    return Subject(
        history,
        (("place", place), *more.items(), *((name, time.isoformat()) for name, time in times)),
    )


def _served(array: Measured | None) -> Signal | None:
    """The requests of all workloads of an array over time."""
    from perfkit.analysis.awr.watched import array_of

    if array is None:
        return None
    samples = array_of(array.frame, "read").samples
    length = (pl.col("end") - pl.col("begin")).dt.total_microseconds() / 1e6
    timed = samples.with_columns(value=pl.col("operations") / length)
    return Signal.of(timed) if timed.height else None


def _offset(
    subject: Subject,
    rows: Sequence[Row],
    tried: Mapping[tuple[str, str], Signal],
) -> Answer:
    """The offset that the quantity tells which fits best, unless another one contradicts it."""
    found = [
        (quantity, lag_of(rows, [row[quantity] for row in rows], signal))
        for (quantity, _), signal in tried.items()
    ]
    good = [(quantity, one) for quantity, one in found if isinstance(one, Match)]
    if not good:
        why = next((one for _, one in found if isinstance(one, str)), "none of it has times")
        return CLOCK.answer("load", subject, None, why, without="not_judged")
    quantity, best = max(good, key=lambda item: item[1].gain)
    apart = next((name for name, one in good if one.low > best.high or one.high < best.low), None)
    if apart is not None:
        reason = "what they recorded matches at several offsets"
        return CLOCK.answer("load", subject, None, reason, without="not_judged")
    within = best.low <= 0 <= best.high
    conditions = where_conditions(
        ("correlation", best.r, "ratio"), ("taken", 0.0 if within else best.lag, "s")
    )
    estimate = Estimate(best.lag, "s", best.low, best.high, 0.99, best.n)
    return Answer(CLOCK.name, quantity, subject, "measured", estimate, conditions=conditions)


def lag_of(rows: Sequence[Row], values: Sequence[float | None], signal: Signal) -> Match | str:
    """The lag at which a recording goes together with the values of the periods.

    The ends of what fits are a step wider than the lags that were tried.
    """
    import numpy as np

    begin, end = (seconds([row[name] for row in rows]) for name in ("begin_time", "end_time"))
    length = median(end - begin)
    tick = max(LEAST_STEP_S, length / STEPS)
    # the recording may begin after the reports end, by its own clock
    low = max(-LONGEST_S, signal.at[0] - end[-1])
    high = min(LONGEST_S, signal.at[-1] - begin[0])
    lags = np.arange(np.ceil(low / tick), np.floor(high / tick) + 1) * tick
    follows = begin[1:] - end[:-1] <= GAP_RATIO * length

    def changes(means: Numbers) -> Numbers:
        found: Numbers = np.diff(np.where(follows, np.diff(means, axis=1), np.nan), axis=1)
        return found

    stated = np.array([[np.nan if value is None else value for value in values]], dtype=float)
    own = changes(stated)[0]
    blocks = (lags[at : at + BLOCK, None] for at in range(0, len(lags), BLOCK))
    other = [changes(signal.means(begin + block, end + block)) for block in blocks]
    found = matched(lags, own, np.concatenate(other or [np.zeros((0, len(own)))]))
    if isinstance(found, str):
        return found
    if found.high - found.low > length:
        return "the load varies too little to give the offset to within a period"
    return replace(found, low=found.low - tick, high=found.high + tick)


def taken(clocks: Measured | None, history: str, place: str) -> float:
    """The offset that the load tells of a place, 0 where it tells none."""
    answers = [] if clocks is None else from_frame(clocks.frame)
    return next(
        (
            item.value
            for one in answers
            if one.question == CLOCK.name
            and one.subject.label == history
            and one.subject.get("place") == place
            for item in one.conditions
            if item.metric == "taken"
        ),
        0.0,
    )
