"""Wait classes and wait events, RAC-global."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, Instance, Wait, spread
from forges.awr.printing import MICRO, Shown, fixed
from forges.awr.rac.cells import by_instance, level
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.rac.dialect import RacDialect

CLASSES = (
    ("User I/O(s)", "User I/O"), ("Sys I/O(s)", "System I/O"), ("Other(s)", "Other"),
    ("Applic (s)", "Application"), ("Commit (s)", "Commit"), ("Network (s)", "Network"),
    ("Concurcy (s)", "Concurrency"), ("Config (s)", "Configuration"), ("Cluster (s)", "Cluster"),
    ("Admin (s)", "Administrative"), ("Scheduler (s)", "Scheduler"), ("DB CPU (s)", "DB CPU"),
    ("DB time", None),
)  # fmt: skip


def classes_sheet(content: Content, dialect: RacDialect) -> Sheet:
    """Foreground Wait Classes by instance."""
    new = {"Administrative", "Scheduler"}
    columns = [row for row in CLASSES if dialect.new or row[1] not in new]

    def values(instance: Instance) -> list[Decimal | None]:
        found: dict[str | None, Decimal] = {}
        for wait in instance.foreground:
            found[wait.wait_class] = found.get(wait.wait_class, Decimal(0)) + wait.seconds
        found |= {"DB CPU": instance.db_cpu_us * MICRO, None: instance.db_time}
        return [found.get(name) for _, name in columns]

    lines = by_instance(content, values, lambda value: fixed(value, 2), ("Sum", "Avg", "Std"))
    told = []
    for line, instance in zip(lines, content.instances, strict=False):
        said = tuple(
            {
                **level(instance),
                "scope": "foreground",
                "wait_class": name,
                "total_wait_s": cell.says,
            }
            for (_, name), cell in zip(columns, line.cells[1:], strict=True)
            if name and cell.text
        )
        told.append(Line(line.cells, said=said))
    return Sheet(
        "wait_classes", "Foreground Wait Classes", "Foreground Wait Classes",
        (Column("I#"), *(Column(title) for title, _ in columns)), (*told, *lines[len(told) :]),
        anchor="12012",
    )  # fmt: skip


def pooled(parts: Sequence[Wait]) -> Wait:
    """The waits of one event on all instances."""
    return Wait(
        parts[0].event, parts[0].wait_class, sum(w.waits for w in parts),
        sum(w.timeouts for w in parts), sum(w.time_us for w in parts),
    )  # fmt: skip


def spread_cells(
    parts: Sequence[Wait], show: Callable[[Decimal | None], Shown], *, count: bool = True
) -> list[Shown]:
    """Avg, Min, Max, Std Dev and Cnt over the instances' mean waits."""
    averages = [wait.average for wait in parts if wait.average is not None]
    shown = [show(value) for value in spread(averages)]
    many = len(averages)
    return [*shown, Shown(str(many), many)] if count else shown


def waits_of(instance: Instance, scope: str) -> tuple[Wait, ...]:
    """The waits of an instance in this scope."""
    parts = {"foreground": instance.foreground, "background": instance.background}
    return parts.get(scope, instance.foreground + instance.background)


def by_event(content: Content, scope: str) -> list[list[Wait]]:
    """The waits of each event on the instances that have it."""
    found: dict[str, list[Wait]] = {}
    for instance in content.instances:
        for wait in waits_of(instance, scope):
            found.setdefault(wait.event, []).append(wait)
    return list(found.values())


def share_of(instance: Instance, scope: str) -> Decimal:
    """What shares of this scope are of."""
    return instance.background_us * MICRO if scope == "background" else instance.db_time


def cpu_of(instance: Instance, scope: str) -> Decimal:
    """The CPU time of this scope."""
    return MICRO * (instance.background_cpu_us if scope == "background" else instance.db_cpu_us)
