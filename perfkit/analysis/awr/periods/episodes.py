"""What changed with what: the episodes of a history, and what was different in them.

An episode is a stretch of time in which a quantity that does not grow with the load, or the
average active sessions, lies above its usual level (``levels``). Stretches of several quantities
that overlap by half of the shorter one are one episode. What an episode is held against are the
periods in no episode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from statistics import median
from typing import Any

from perfkit.analysis.awr.periods.levels import (
    APART,
    FEWEST,
    LEAST,
    SHORTEST,
    TO_SIGMA,
    Level,
    Turns,
    levels,
    mad,
    spread,
    turns,
)
from perfkit.analysis.awr.periods.worst import SESSIONS
from perfkit.core.keys import rows_by
from perfkit.core.schema import Row

PER_TRANSACTION = "db_time_per_transaction_s"
WEIGHT = "transactions_per_s"

DRIVERS = (PER_TRANSACTION, SESSIONS, "read_wait_s", "log_file_sync_s",
           "log_file_parallel_write_s", "cpu_busy_ratio")  # fmt: skip
"""The quantities by which episodes are found, the first that tells of one leading."""

LEAST_SESSIONS = 0.5
"""A change of fewer average active sessions is none."""

LEAST_BUSY = 0.1
"""A change of the host's busy share by less is none."""

SMALL = 0.1
"""A change by less than this share of the sessions is small: it comes last."""

ENOUGH_TRANSACTIONS = 1.0
"""DB time per transaction is asked where most periods have so many a second."""

_LEAST_OF = {SESSIONS: LEAST_SESSIONS, "cpu_busy_ratio": LEAST_BUSY}


@dataclass(frozen=True)
class Moved:
    """A quantity within an episode and outside: medians, and whether they differ (+1, 0, -1)."""

    value: float
    usual: float
    way: int
    lowest: float
    highest: float


@dataclass(frozen=True)
class History:
    """The periods of one history in time, and what each of them lists."""

    name: str
    rows: tuple[Row, ...]
    parts: Mapping[tuple[str, str, str | None], Mapping[str, float]]
    """(kind, name, class) -> sessions by ``source``: parts of DB time, events and statements."""
    weights: tuple[float, ...]
    """Transactions per second of each period, where the load is told by them; else 1."""

    def values(self, quantity: str) -> list[float | None]:
        """A quantity of every period; None where it is not known."""
        if quantity != PER_TRANSACTION:
            return [row[quantity] for row in self.rows]
        if set(self.weights) == {1.0}:
            return [None] * len(self.rows)
        return [
            None if row[SESSIONS] is None else row[SESSIONS] / weight
            for row, weight in zip(self.rows, self.weights, strict=True)
        ]


@dataclass(frozen=True)
class Episode:
    """Periods in which something was above its usual level.

    ``leads`` is the quantity that tells of it; ``moved`` are all that are known on both sides.
    ``by_turns``: it came and went all the time.
    """

    history: str
    places: tuple[int, ...]
    begin: Any
    end: Any
    leads: str
    moved: Mapping[str, Moved]
    open_end: bool
    excess: float | None = None
    read_event: str | None = None
    rises: tuple[Rise, ...] = field(default=())
    by_turns: bool = False

    def way(self, quantity: str) -> int | None:
        """Whether a quantity moved: 1 up, -1 down, 0 not; None where it is not known."""
        found = self.moved.get(quantity)
        return None if found is None else found.way

    @property
    def change(self) -> float | None:
        """The change in average active sessions; None where DB time is not known."""
        sessions = self.moved.get(SESSIONS)
        if self.excess is None and sessions is not None:
            return sessions.value - sessions.usual
        return self.excess

    @property
    def is_small(self) -> bool:
        """Whether it changes average active sessions by less than a tenth."""
        sessions, change = self.moved.get(SESSIONS), self.change
        whole = max(sessions.value, sessions.usual) if sessions else 0.0
        return change is not None and abs(change) < SMALL * whole

    def rise(self, kind: str, test: Callable[[Rise], bool] = lambda _: True) -> Rise | None:
        """What of a kind rose most."""
        return next((one for one in self.rises if one.kind == kind and test(one)), None)


@dataclass(frozen=True)
class Rise:
    """How many average active sessions of a part, an event or a statement came on top.

    ``usual`` is what the load of the episode would have asked for; None where too few of the
    other periods list it, and all of it counts.
    """

    kind: str
    name: str
    wait_class: str | None
    value: float
    usual: float | None

    @property
    def by(self) -> float:
        """The change."""
        return self.value - (self.usual or 0.0)


def histories(
    over_time: Sequence[Row], sessions: Sequence[Row], listed: Sequence[Row]
) -> list[History]:
    """The histories of the frames ``OVER_TIME``, ``SESSIONS`` and ``LISTED``."""
    found = []
    parts = rows_by(sessions, lambda row: row["history"])
    names = rows_by(listed, lambda row: row["history"])
    for history, rows in rows_by(over_time, lambda row: row["history"]).items():
        by: dict[tuple[str, str, str | None], dict[str, float]] = {}
        sources = {(row["report"], row["begin_time"]): row["source"] for row in rows}
        for row in parts.get(history, []):
            source = sources[row["report"], row["begin_time"]]
            by.setdefault(("part", row["part"], None), {})[source] = row[SESSIONS]
        for row in names.get(history, []):
            key = (row["kind"], row["name"], row["wait_class"])
            by.setdefault(key, {})[row["source"]] = row["sessions"]
        found.append(History(history, tuple(rows), by, _weights(rows)))
    return found


def _weights(rows: Sequence[Row]) -> tuple[float, ...]:
    given = [row[WEIGHT] for row in rows]
    if None in given or min(given) < ENOUGH_TRANSACTIONS:
        return (1.0,) * len(rows)
    return tuple(given)


@dataclass(frozen=True)
class Alternation:
    """Two levels of a quantity by turns: the high ones as an episode, and when they began.

    ``known`` are the periods that know the quantity.
    """

    episode: Episode
    begins: tuple[datetime, ...]
    known: int
    regular: bool


def alternations(history: History) -> list[Alternation]:
    """What goes to and fro between two levels, the sessions first; what does so in step is one."""
    found: list[Alternation] = []
    for quantity in dict.fromkeys((SESSIONS, *DRIVERS)):
        places, by_turns = _turns_of(history, quantity)
        if by_turns is None:
            continue
        sides: dict[bool, list[int]] = {True: [], False: []}
        for place, is_high in zip(places, by_turns.high, strict=True):
            sides[is_high].append(place)
        if any(_overlap(set(one.episode.places), set(sides[True])) for one in found):
            continue
        begins = tuple(history.rows[places[first]]["begin_time"] for first, _ in by_turns.runs)
        one = replace(episode_of(history, sides[True], quantity, sides[False]), by_turns=True)
        found.append(Alternation(one, begins, len(places), by_turns.regular))
    return found


def _turns_of(history: History, quantity: str) -> tuple[list[int], Turns | None]:
    """The two levels that a quantity takes by turns; the periods that know it."""
    places, known = _known(history, quantity)
    found = turns(known)
    if found is None:
        return places, None
    upper = median(value for value, up in zip(known, found.high, strict=True) if up)
    low = median(value for value, up in zip(known, found.high, strict=True) if not up)
    return places, found if upper - low > _LEAST_OF.get(quantity, 0.0) else None


def _known(history: History, quantity: str) -> tuple[list[int], list[float]]:
    """The periods that know a quantity, and its values in them."""
    values = history.values(quantity)
    places = [place for place, value in enumerate(values) if value is not None]
    return places, [value for value in values if value is not None]


def episodes(history: History) -> list[Episode]:
    """The episodes of a history, in time."""
    found: list[tuple[set[int], str]] = []
    for quantity in DRIVERS:
        for places in _raised(history, quantity):
            same = next((one for one in found if _overlap(one[0], places)), None)
            if same is None:
                found.append((set(places), quantity))
            else:
                same[0].update(places)
    inside = set().union(*(places for places, _ in found))
    usual = [place for place in range(len(history.rows)) if place not in inside]
    made = [episode_of(history, sorted(places), leads, usual) for places, leads in found]
    return sorted(made, key=lambda one: one.begin)


def _overlap(one: set[int], other: set[int]) -> bool:
    return 2 * len(one & other) >= min(len(one), len(other))


def levels_of(history: History, quantity: str) -> tuple[list[int], list[Level]]:
    """The levels of a quantity over the periods that know it, and the places of these periods."""
    places, known = _known(history, quantity)
    return places, levels(known) if len(known) >= FEWEST else []


def _raised(history: History, quantity: str) -> list[set[int]]:
    """The periods of each other level than the usual one, and of its high stretches.

    A stretch within such a level is told by that level. Where the load is told by transactions,
    fewer sessions are less of it, as at night: that they did more each is told by DB time for one.
    Of two levels that take turns neither is unusual.
    """
    if _turns_of(history, quantity)[1] is not None:
        return []
    places, found = levels_of(history, quantity)
    whole = [one for one in found if not one.stretch]
    if not whole:
        return []
    base = _usual(whole)
    least = max(_LEAST_OF.get(quantity, 0.0), LEAST * abs(base.median))
    falls = quantity != SESSIONS or set(history.weights) == {1.0}
    size = abs if falls else float
    told = [one for one in whole if size(one.median - base.median) > least]
    within = [
        one
        for one in found
        if one.stretch
        and one.median - base.median > least
        and not any(level.holds(one) for level in told)
    ]
    ordered = sorted([*told, *within], key=lambda one: one.first)
    return [set(places[one.first : one.end]) for one in ordered]


def _usual(whole: Sequence[Level]) -> Level:
    """The level that lasts longest; of one that began with a rise, what lasted before it."""
    longest = max(whole, key=lambda one: one.end - one.first)
    before = [
        one
        for one in whole
        if one.end <= longest.first
        and one.end - one.first >= FEWEST
        and longest.median - one.median > LEAST * abs(one.median)
    ]
    return max(before, key=lambda one: one.end - one.first, default=longest)


def episode_of(
    history: History, places: Sequence[int], leads: str, usual: Sequence[int]
) -> Episode:
    """Some periods of a history held against others."""
    quantities = [
        name
        for name, value in history.rows[0].items()
        if name.endswith(("_s", "_ratio", "sessions", "iops", "_write"))
        and name not in {"elapsed_s", "log_file_parallel_writes"}
    ]
    moved = {}
    for quantity in [*quantities, PER_TRANSACTION]:
        found = _moved(history.values(quantity), places, usual, _LEAST_OF.get(quantity, 0.0))
        if found is not None:
            moved[quantity] = found
    rises = _rises(history, places, usual)
    total = [one.by for one in rises if one.kind == "part"]
    return Episode(
        history.name,
        tuple(places),
        history.rows[places[0]]["begin_time"],
        history.rows[places[-1]]["end_time"],
        leads,
        moved,
        places[-1] == len(history.rows) - 1,
        math.fsum(total) if total else None,
        history.rows[places[0]]["read_event"],
        tuple(rises),
    )


def _moved(
    values: Sequence[float | None], places: Sequence[int], usual: Sequence[int], least: float
) -> Moved | None:
    own = [value for place in places if (value := values[place]) is not None]
    rest = [value for place in usual if (value := values[place]) is not None]
    if not own or len(rest) < SHORTEST:
        return None
    value, middle = median(own), median(rest)
    noise = max(APART * spread(rest, middle), LEAST * abs(middle), least)
    if min(own) <= max(rest) and max(own) >= min(rest):
        # what varies within the episode itself is not a change either, unless all of it lies apart
        noise = max(noise, TO_SIGMA * mad(own, value))
    way = (value - middle > noise) - (middle - value > noise)
    return Moved(value, middle, way, min(own), max(own))


def _rises(history: History, places: Sequence[int], usual: Sequence[int]) -> list[Rise]:
    """What rose, by the change in sessions, the largest first."""
    scale = median(history.weights[place] for place in places)
    found = []
    for (kind, name, wait_class), by in history.parts.items():
        own, rest = (
            [
                by[source] / history.weights[place]
                for place in side
                if (source := history.rows[place]["source"]) in by
            ]
            for side in (places, usual)
        )
        if 2 * len(own) < len(places):
            continue
        known = rest and 2 * len(rest) >= len(usual)
        found.append(
            Rise(
                kind, name, wait_class, median(own) * scale, median(rest) * scale if known else None
            )
        )
    return sorted(found, key=lambda one: (-one.by, one.name))
