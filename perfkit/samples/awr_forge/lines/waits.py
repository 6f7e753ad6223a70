"""Wait events and classes: the rows that every dialect of one instance prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.samples.awr_forge.content import Instance, Wait, ratio
from perfkit.samples.awr_forge.printing import BLANK, MICRO, Shown, percent, shortest

if TYPE_CHECKING:
    from decimal import Decimal


def cpu_row(instance: Instance) -> dict[str, object]:
    """The row DB CPU of the tables of events and classes."""
    return {
        "seconds": instance.db_cpu_us * MICRO,
        "share": ratio(instance.db_cpu_us, instance.db_time_us),
    }


def top_rows(instance: Instance) -> list[Wait | None]:
    """The ten foreground events (None: DB CPU) with the most time, most first."""
    rows: list[tuple[int, Wait | None]] = [(wait.time_us, wait) for wait in instance.foreground]
    rows.append((instance.db_cpu_us, None))
    rows.sort(key=lambda row: -row[0])
    return [wait for _, wait in rows[:10]]


def total_seconds(seconds: Decimal, new: bool) -> Shown:
    """Time waited in all, as the top events print it."""
    # 26.4K from 10,000 s on, in 12.2 and later
    if new and seconds >= 10_000:
        scaled = shortest(seconds / 1000, 1, 1000)
        return Shown(scaled.text + "K", scaled.says)
    return shortest(seconds)


def class_rows(waits: tuple[Wait, ...], instance: Instance) -> list[Wait | None]:
    """The wait classes (None: DB CPU), most time first."""
    names = dict.fromkeys(wait.wait_class for wait in waits)
    rows: list[tuple[int, Wait | None]] = [(instance.db_cpu_us, None)]
    for name in names:
        part = [wait for wait in waits if wait.wait_class == name]
        whole_of = Wait(
            name, name, sum(w.waits for w in part), sum(w.timeouts for w in part),
            sum(w.time_us for w in part),
        )  # fmt: skip
        rows.append((whole_of.time_us, whole_of))
    rows.sort(key=lambda row: -row[0])
    return [wait for _, wait in rows]


def timeouts(wait: Wait) -> Shown:
    """Whole percent of the waits; nothing where none timed out."""
    return percent(ratio(wait.timeouts, wait.waits), 0) if wait.timeouts else BLANK
