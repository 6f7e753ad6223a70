"""Wait events and classes: the rows that every dialect of one instance prints."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Instance, Wait, ratio
from forges.awr.printing import BLANK, MICRO, Shown, percent, shortest

IDLE = "Idle"
"""The class of what waits for work: listed as an event, and part of no total, share or class."""


def cpu_row(instance: Instance) -> tuple[Decimal, Decimal | None]:
    """The row DB CPU of the tables of events and classes: seconds, and share of DB time."""
    return instance.db_cpu_us * MICRO, ratio(instance.db_cpu_us, instance.db_time_us)


def top_rows(instance: Instance) -> list[Wait | None]:
    """The ten foreground events (None: DB CPU) with the most time, most first."""
    rows: list[tuple[int, Wait | None]] = [
        (wait.time_us, wait) for wait in instance.foreground if wait.wait_class != IDLE
    ]
    rows.append((instance.db_cpu_us, None))
    rows.sort(key=lambda row: -row[0])
    return [wait for _, wait in rows[:10]]


def total_seconds(seconds: Decimal, new: bool) -> Shown:
    """Time waited in all, as the top events print it."""
    if new and seconds >= _THOUSANDS:
        scaled = shortest(seconds / 1000, 1, 1000)
        return Shown(scaled.text + "K", scaled.says)
    return shortest(seconds)


_THOUSANDS = 10_000
"""From so many seconds on, 12.2 and later print 26.4K."""


def class_rows(waits: tuple[Wait, ...], instance: Instance) -> list[Wait | None]:
    """The wait classes (None: DB CPU), most time first."""
    names = dict.fromkeys(wait.wait_class for wait in waits if wait.wait_class != IDLE)
    rows: list[tuple[int, Wait | None]] = [(instance.db_cpu_us, None)]
    for name in names:
        part = [wait for wait in waits if wait.wait_class == name]
        whole = Wait(
            name, name, sum(w.waits for w in part), sum(w.timeouts for w in part),
            sum(w.time_us for w in part),
        )  # fmt: skip
        rows.append((whole.time_us, whole))
    rows.sort(key=lambda row: -row[0])
    return [wait for _, wait in rows]


def timeouts(wait: Wait) -> Shown:
    """Whole percent of the waits; nothing where none timed out."""
    return percent(ratio(wait.timeouts, wait.waits), 0) if wait.timeouts else BLANK
