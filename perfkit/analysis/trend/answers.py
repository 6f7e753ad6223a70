"""What histories say, as answers: got worse or not, when it changed, and what changed with it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import polars as pl

from perfkit.analysis.trend.levels import Change, History, Split, Verdict, change_between, mean
from perfkit.analysis.trend.recorded import NEAR, near, told
from perfkit.analysis.trend.runs import LEFT_OUT, Break, breaks
from perfkit.analysis.trend.shape import FEWEST
from perfkit.core import answers as claims
from perfkit.core.answers import (
    FOUND,
    MEASURED,
    Answer,
    Condition,
    Gives,
    Question,
    Relation,
    Subject,
    register_questions,
)
from perfkit.core.cautions import Caution, caution, from_json
from perfkit.core.errors import AbsentError, AnalysisError, UsageError
from perfkit.core.intervals import LEVEL
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

MARGIN = 0.05
"""The smallest change that matters, where none is given."""

_INTERVAL = "moderated t on logarithms"
_RATIO = "ratio of geometric means"
_BESIDE = "least squares on logarithms, beside any shifts"
_BOUNDS: Gives = FOUND | {("measured", ">="), ("measured", "<=")}

VERDICT, SHIFT, DRIFT, SEASON, BREAK, LEFT, COUNT = QUESTIONS = register_questions(
    ("trend_verdict", "ratio", "the latest runs of a history over those that they are held against",
     _RATIO, _INTERVAL, _BOUNDS),
    ("trend_shift", "ratio", "a level of a history over the one before it",
     f"{_RATIO}; places of least squares with a penalty for each", _INTERVAL, FOUND),
    ("trend_drift", "ratio", "what a history drifted by, from its first run to its last",
     _BESIDE, "none", MEASURED),
    ("trend_season", "ratio", "the highest of a season of a history over its lowest",
     _BESIDE, "none", MEASURED),
    ("trend_break", "1", "histories that end where the conditions of runs change",
     "a count", "none", MEASURED),
    ("trend_left_out", "1", "answers that are in no history", "a count", "none", MEASURED),
    ("trend_histories", "1", "histories that are worse than what they are held against",
     "a count", "none", MEASURED),
)  # fmt: skip

_ORDER = ("regression", "improvement", "undecided", "no change", None)
"""The verdicts in the order in which a report tells them."""

ENDED = "later runs were measured under other conditions"
NO_DIRECTION = "nothing says whether more or less of it is better"


@step(version=2, name="trend.answers")
def answers(histories: Measured, *, margin: float = MARGIN) -> pl.DataFrame:
    """What each history says, regressions first, and last what is in none.

    - ``trend_verdict``: the latest runs against the baseline, or the runs before the last shift
      (the first of several in a row that go the same way), or those before the last seven. With its
      whole interval beyond the margin it is a regression or an improvement (relation ">="), with
      all of it within there is no change (relation "<="), else it is undecided. Which of them it is
      stands in the subject's key ``verdict``.
    - ``trend_shift``: each shift, and what was recorded to change with it. Of one that is not told
      by a regression or an improvement the subject's key ``beside_verdict`` is "yes".
    - ``trend_drift``, ``trend_season``: what is not a shift at a point.
    - ``trend_break``: where conditions change, so that runs are not joined.
    - ``trend_left_out``, ``trend_histories``: of all together.

    Args:
        histories: What ``histories`` gave.
        margin: The smallest change that matters: 0.05 is 5%.

    Raises UsageError for a margin that is not between 0 and 1.
    """
    if not 0 < margin < 1:
        raise UsageError(f"margin {margin:g}: give a share between 0 and 1, such as 0.05")
    rows = histories.frame.rows(named=True)
    parted = breaks(row for row in rows if row["line"] is not None)
    judged = _judged(rows, margin)
    of_each = [one for own, verdict in judged for one in (verdict, *_shape_of(own, verdict))]
    every = [*of_each, *_breaks(parted)]
    left = _left_out(rows)
    counted = [_counted([verdict for _, verdict in judged], margin)] if judged else []
    if not every and left is None:
        raise AbsentError("the histories have no runs")
    return claims.to_frame([*counted, *every, *([left] if left else [])])


def of_runs(rows: Sequence[Row]) -> list[History]:
    """The histories of runs (``RUNS``), in their order; AnalysisError for other rows."""
    if rows and "history" not in rows[0]:
        raise AnalysisError("these are not histories: there is no column 'history'")
    kept = (row for row in rows if row["history"] is not None)
    own = rows_by(kept, lambda row: row["history"])
    return [
        History(name, tuple(sorted(found, key=lambda row: (row["time"], row["run"]))))
        for name, found in own.items()
    ]


def by_verdict(rows: Sequence[Row], margin: float) -> list[History]:
    """The histories of runs (``RUNS``), regressions first."""
    return [history for history, _ in _judged(rows, margin)]


def _judged(rows: Sequence[Row], margin: float) -> list[tuple[History, Answer]]:
    """Each history with its verdict, in the order in which a report tells them."""
    parted = breaks(row for row in rows if row["line"] is not None)
    lines = rows_by((row for row in rows if row["line"] is not None), lambda row: row["line"])
    last = {max(own, key=lambda row: row["time"])["history"] for own in lines.values()}
    ended = {item.before["history"] for item in parted} - last
    found = [(own, _verdict(own, margin, ended=own.name in ended)) for own in of_runs(rows)]
    return sorted(found, key=lambda pair: _ORDER.index(pair[1].subject.get("verdict")))


def _shape_of(history: History, verdict: Answer) -> Iterator[Answer]:
    """What a history looks like, whatever it is held against."""
    decided = verdict.subject.get("verdict") in {"regression", "improvement"}
    yield from _shifts(history, history.split.shift if decided else None)
    shape, n = history.shape, len(history.runs)
    if shape.kind == "level":
        return
    if shape.kind == "drift":
        question, subject = DRIFT, _subject(history)
        ratio = math.exp(shape.beside[-1] - shape.beside[0])
    else:
        question, subject = SEASON, _subject(history, season=shape.kind)
        ratio = math.exp(max(shape.beside) - min(shape.beside))
    where = _where(runs=n, period=shape.period)
    yield question.answer(history.runs[0]["metric"], subject, ratio, n=n, conditions=where)


def _subject(history: History, **more: str | None) -> Subject:
    """A history from its first run to its last, and what else an answer is of."""
    ends = {"begin": _iso(history.runs[0]), "end": _iso(history.runs[-1])}
    given = {"history": history.name, **ends, **more}
    return Subject(
        history.name, tuple((name, value) for name, value in given.items() if value is not None)
    )


def _iso(run: Row) -> str:
    at: str = run["time"].isoformat()
    return at


def _where(**values: float | None) -> tuple[Condition, ...]:
    return tuple(
        Condition(name, float(value), "1", "where")
        for name, value in values.items()
        if value is not None
    )


def _of_change(
    question: Question,
    history: History,
    subject: Subject,
    change: Change,
    after: Sequence[int],
    *where: Condition,
    at: tuple[Condition, ...] = (),
    relation: Relation = "=",
) -> Answer:
    """A change to the runs ``after``, with both values that it is the ratio of and their runs."""
    metric, unit = history.runs[0]["metric"], history.runs[0]["unit"]
    sides = (("after", change.after), ("before", change.before))
    return question.answer(
        metric,
        subject,
        change.ratio,
        low=change.low,
        high=change.high,
        level=None if change.low is None else LEVEL,
        n=min(len(change.after), len(change.before)),
        relation=relation,
        conditions=(
            *at,
            *(Condition(name, mean(side), unit, "where") for name, side in sides),
            *_where(**{f"runs_{name}": len(side) for name, side in sides}),
            *where,
        ),
        cautions=_cautions(history, change),
        inputs=tuple(history.runs[place]["run"] for place in after),
    )


# --- against the baseline ---------------------------------------------------------------------


def _verdict(history: History, margin: float, *, ended: bool) -> Answer:
    split, worse = history.split, history.worse
    metric = history.runs[0]["metric"]
    at = Condition("margin", margin, "ratio")
    why = ENDED if ended else _not_judged(split, worse)
    if why or worse is None:
        return VERDICT.answer(
            metric, _subject(history), None, why or NO_DIRECTION, conditions=(at,)
        )
    change = _change(history, split.latest, split.against)
    verdict = change.verdict(margin, worse)
    more = change.more_runs(margin) if verdict == "undecided" else None
    subject = _subject(
        history,
        verdict=verdict,
        by=split.by,
        since=_iso(history.runs[split.latest[0]]),
        baseline_end=_iso(history.runs[split.against[-1]]),
        changed_with=_facts(history, split.shift),
    )
    relations: dict[Verdict, Relation] = {"no change": "<=", "undecided": "="}
    return _of_change(
        VERDICT,
        history,
        subject,
        change,
        split.latest,
        *_where(more_runs=more),
        at=(at,),
        relation=relations.get(verdict, ">="),
    )


def _not_judged(split: Split, worse: int | None) -> str | None:
    if worse is None:
        return NO_DIRECTION
    if split.latest and split.against:
        return None
    alone = "it has one run, and none to compare it with"
    return "there is no run after those of the baseline" if split.by == "baseline" else alone


def _change(history: History, after: Sequence[int], before: Sequence[int]) -> Change:
    return change_between(*([history.values[place] for place in side] for side in (after, before)))


def _facts(history: History, place: int | None) -> str | None:
    return None if place is None else told(near(history.facts, place), place)


_KEPT = frozenset({"unverified_dialect", "memory_target", "fits_memory", "fits_array_cache"})
"""Cautions of single runs that hold for what is said of all of them."""


def _cautions(history: History, change: Change) -> tuple[Caution, ...]:
    """What must be known of a change: too few runs, bounds, neighbours that are alike."""
    found = [
        item for row in history.runs for item in from_json(row["cautions"]) if item.name in _KEPT
    ]
    bounds = sum(row["relation"] != "=" for row in history.runs)
    if bounds:
        count = {"some": str(bounds), "all": str(len(history.runs))}
        found.append(caution("bounds_in_history", of=history.name, **count))
    if min(len(change.after), len(change.before)) < FEWEST_TOLD:
        found.append(
            caution(
                "few_runs",
                of=history.name,
                after=str(len(change.after)),
                before=str(len(change.before)),
            )
        )
    if history.shape.alike:
        found.append(caution("autocorrelated", of=history.name))
    return tuple(dict.fromkeys(found))


FEWEST_TOLD = 3
"""Fewer runs on a side say little of their spread."""

# --- shifts -----------------------------------------------------------------------------------


def _shifts(history: History, judged: int | None) -> Iterator[Answer]:
    """Each shift between neighbouring levels; where there is none, why.

    That at ``judged`` is what a verdict tells; the subject of the others says ``beside_verdict``.
    """
    shape, metric = history.shape, history.runs[0]["metric"]
    n, places = len(history.runs), shape.starts[1:]
    if not places:
        why = _TOO_FEW if n < FEWEST else _WITHOUT[shape.kind]
        yield SHIFT.answer(metric, _subject(history), None, why, conditions=_where(runs=n))
    for before, (start, end) in enumerate(zip(places, shape.ends[1:], strict=True)):
        change = _change(history, range(start, end), range(shape.starts[before], start))
        run = history.runs[start]
        own = {"at": _iso(run), "run": run["run"], "changed_with": _facts(history, start)}
        if change.low is not None and change.high is not None and change.low <= 1 <= change.high:
            subject = _subject(history, **own)
            yield SHIFT.answer(metric, subject, None, TOO_WIDE, conditions=_where(runs=n))
            continue
        subject = _subject(history, **own, beside_verdict=None if start == judged else "yes")
        elsewhere = _where(elsewhere=_elsewhere(history, start))
        yield _of_change(SHIFT, history, subject, change, range(start, end), *elsewhere)


TOO_WIDE = "most of its runs step, and the interval over all of them includes no change"
_TOO_FEW = f"fewer than {FEWEST} cannot show a shift from chance"
_WITHOUT = {
    "level": "its runs differ by no more than chance explains",
    "drift": "it drifts",
    "week": "it follows the days of the week",
    "season": "it swings",
}


def _elsewhere(history: History, place: int) -> int | None:
    """How often the facts that changed with a shift changed without one; None for never."""
    names = {item.name for item in near(history.facts, place)}
    without = [
        item
        for item in history.facts
        if item.name in names
        and not any(abs(item.place - start) <= NEAR for start in history.shape.starts[1:])
    ]
    return len(without) or None


# --- of all together --------------------------------------------------------------------------


def _breaks(found: Sequence[Break]) -> Iterator[Answer]:
    """An answer for each change of conditions, with how many histories end there."""
    for own in rows_by(found, lambda item: (_iso(item.after), item.what)).values():
        first = own[0]
        names = tuple(dict.fromkeys(item.before["history"] for item in own))
        key = (("history", names[0]), ("at", _iso(first.after)), ("what", first.what))
        yield BREAK.answer(
            "", Subject(names[0], key), len(names), inputs=(first.before["run"], first.after["run"])
        )


def _left_out(rows: Sequence[Row]) -> Answer | None:
    """How many answers are in no history, why, and of which runs."""
    left = [row for row in rows if row["left_out"] is not None]
    if not left:
        return None
    counts = Counter(row["left_out"] for row in left)
    return LEFT.answer(
        "",
        Subject("all histories"),
        len(left),
        n=len(rows),
        conditions=_where(**{why: counts.get(why) for why in LEFT_OUT}),
        inputs=tuple(dict.fromkeys(row["run"] for row in left)),
    )


def _counted(verdicts: Sequence[Answer], margin: float) -> Answer:
    counts = Counter(item.subject.get("verdict") or "not judged" for item in verdicts)
    return COUNT.answer(
        "",
        Subject("all histories"),
        counts["regression"],
        n=len(verdicts),
        conditions=(
            Condition("margin", margin, "ratio"),
            *_where(
                **{
                    name: counts.get(name)
                    for name in ("improvement", "no change", "undecided", "not judged")
                }
            ),
        ),
    )
