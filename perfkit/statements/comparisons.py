"""What else the report of a comparison says: what its latency is, and what a document asserts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.series import need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import Printed

if TYPE_CHECKING:
    from perfkit.values import Statement


@step(version=1, name="say.event_latency")
def say_event_latency(points: Measured, *, value_id: str = "event-latency") -> Statement:
    """What the read latency of load points with an event is: the mean wait of that event.

    Raises AnalysisError for load points of another kind (``load_points_with_event``).
    """
    need(points.frame, ("latency_event", "lat_mean_s"), "load_points")
    events = points.frame["latency_event"].drop_nulls().unique().sort().to_list()
    if not events:
        raise AnalysisError("no load point has a latency from a wait event")
    with_event = points.frame.filter(points.frame["latency_event"].is_not_null())
    reports = with_event.filter(direction="read")
    missing = reports["lat_mean_s"].null_count()
    text = Text()
    names = " and ".join(text(event) for event in events)
    said = [
        f"Read latency is the mean wait for {names} as the database saw it, transport included: "
        f"total wait by waits of the foreground sessions of {text.count(reports.height)} reports."
    ]
    if missing:
        said.append(f"Without such a mean: {text.count(missing)}.")
    return text.done(value_id, said)


@step(version=1, name="say.asserted")
def say_asserted(
    cells: Measured, row: str, *, column: str = "value", value_id: str | None = None
) -> Statement:
    """What a document asserts and gives no evidence for, quoted and told to be an assertion.

    'Asserted, without evidence: "89% to 98% of reads came from SSD" (TR-4819, Results).'

    Args:
        cells: One table of ``read_printed``; the text is one of its cells, never typed.
        row: The name of the row.
        column: The key of the column that holds the text.
        value_id: The statement's id; default: the row's name.

    Raises:
        AnalysisError: No cell, or more than one, has this row and column.
    """
    need(cells.frame, ("row_name", "column_key", "text"), "printed cells")
    same = cells.frame.filter(row_name=row, column_key=column)
    found = same["text"].drop_nulls().to_list()
    if len(found) != 1:
        known = [str(name) for name in cells.frame["row_name"].unique().to_list()]
        raise AnalysisError(
            f"printed cells: {len(found)} cells of row {row!r} and column {column!r}; "
            f"{did_you_mean(row, known)}"
        )
    text = Text()
    quoted = text(Printed(found[0], None, "", "as printed"))
    where = text(cells.lineage.evidence[0].origin.of) if cells.lineage.evidence else ""
    said = f'Asserted, without evidence: "{quoted}"{f" ({where})" if where else ""}.'
    return text.done(value_id or row, [said])
