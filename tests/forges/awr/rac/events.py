"""Wait events of the cluster, RAC-global."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import ratio
from forges.awr.printing import fixed, percent, word
from forges.awr.rac.cells import level
from forges.awr.rac.top import event_columns
from forges.awr.rac.waits import by_event, pooled, share_of, spread_cells
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content
    from forges.awr.rac.dialect import RacDialect


def global_events_sheet(
    heading: str, anchor: str, scope: str
) -> Callable[[Content, RacDialect], Sheet]:
    """Wait events of the cluster."""
    share = "bg_time_ratio" if scope == "background" else "db_time_ratio"
    # real reports print a fraction below "%bg time"
    shown = fixed if scope == "background" else percent

    def make(content: Content, dialect: RacDialect) -> Sheet:
        instances = content.instances
        whole = sum((share_of(i, scope) for i in instances), Decimal(0))
        rows = [(pooled(parts), parts) for parts in by_event(content, scope)]
        rows.sort(key=lambda row: -row[0].time_us)
        lines = tuple(
            Line([
                word(wait.wait_class), word(wait.event), fixed(wait.waits),
                percent(ratio(wait.timeouts, wait.waits), 2), fixed(wait.seconds, 2),
                dialect.average(wait.average), shown(ratio(wait.seconds, whole) or Decimal(0), 2),
                *spread_cells(parts, dialect.average, count=False),
            ])
            for wait, parts in rows
        )  # fmt: skip
        columns = event_columns(dialect.new, share)[1:-1]
        title = "%bg time" if scope == "background" else "%DB time"
        columns = tuple(
            Column(title, c.key, c.group) if c.title == "%DB time" else c for c in columns
        )
        return Sheet(
            "wait_events", heading, f"This table displays {scope} wait event information", columns,
            lines, anchor=anchor, fixed={**level(None), "scope": scope},
        )  # fmt: skip

    return make
