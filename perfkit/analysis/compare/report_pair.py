"""Two AWR or Statspack reports side by side: before and after a change of the system.

Only what does not grow with the period is set against each other: rates, means and shares. With one
report each there is no spread over repeats, so that no difference here has an interval: how far two
ordinary periods of this database lie apart is not in two reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import polars as pl

from perfkit.analysis.awr.periods.tables import table
from perfkit.analysis.awr.report_rows import ReportRows
from perfkit.analysis.compare import report_rows, report_waits
from perfkit.analysis.compare.report_rows import PairRow
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import ColumnTypes, Row

REPORT_PAIR: ColumnTypes = {
    "part": pl.String, "item": pl.String, "measure": pl.String,
    "before": pl.String, "after": pl.String,
    "before_text": pl.String, "after_text": pl.String,
    "before_value": pl.Float64, "after_value": pl.Float64,
    "difference": pl.Float64, "change_ratio": pl.Float64,
    "differs": pl.Boolean, "note": pl.String, "rounding_ratio": pl.Float64,
    "cautions": pl.String,
}  # fmt: skip
"""The columns of a pair, one row an item and measure.

``part``: condition (what was measured, as text), load, io, time (average active sessions by what
they did), event, log (the log writer's writes), sql, parameter. ``before`` and
``after`` name the reports. Values are in the unit that ``measure`` ends with. ``change_ratio`` is
after / before - 1; null, with the reason in ``note``, where one is missing or 0, counts something
else, or is printed so coarsely that its rounding alone could be 5% of the ratio. ``differs``: by
more than the rounding of the print; periods by more than a tenth. ``rounding_ratio`` is the most
that the rounding of the print may change of the ratio; null: not known.
"""

CONDITIONS = ("database", "coverage")
"""Conditions that must agree, or be allowed to differ by name: which database, and whether the
report covers an instance or the cluster. Others are marked where they differ."""


_TABLES = (
    "report", "load_points", "load_profile", "system_statistics", "iops_source", "time_model",
    "wait_classes", "top_events", "wait_events", "sql", "parameters",
)  # fmt: skip


def report_pair(
    awr: Reading,
    *,
    before: str | None = None,
    after: str | None = None,
    most: int = 10,
    allow: str | Sequence[str] | None = None,
) -> Measured:
    """Two reports side by side: conditions, load, I/O, DB time, waits, SQL, changed parameters.

    Of a cluster, which has no load profile, the sums of its system statistics stand in. I/O rates
    of sections that count other requests have no change.

    Args:
        awr: A reading of two reports, or of more of which two are named.
        before: The earlier one, by its path in the study or its config; None: the earlier of two.
        after: The later one; None: the other of two.
        most: So many events and statements of each report, the longest.
        allow: ``CONDITIONS`` that may differ, or one text with blanks between them; they are
            marked all the same.

    Returns:
        ``REPORT_PAIR``.

    Raises:
        AnalysisError: not two reports, a name that is none, or conditions that differ and are not
            allowed to.
    """
    tables = [table(awr, name) for name in _TABLES]
    names = allow.split() if isinstance(allow, str) else list(allow or ())
    return _report_pair(tables, before=before, after=after, most=most, allow=names)


@step(version=3, name="compare.report_pair")
def _report_pair(
    tables: Sequence[Measured],
    *,
    before: str | None,
    after: str | None,
    most: int,
    allow: Sequence[str],
) -> pl.DataFrame:
    report = tables[0]
    require_columns(report.frame, ("source", "db_name", "elapsed_s", "begin_time"), "report")
    found = _chosen(report.frame.rows(named=True), before, after)
    if _is_twice(*found):
        both = " and ".join(str(row["source"]) for row in found)
        raise AbsentError(f"{both} cover the same period: nothing changed from one to the other")
    known = dict(zip(_TABLES, tables, strict=True))
    one, two = (_side(row, known) for row in found)
    pair = (one, two)
    conditions = report_rows.conditions(pair)
    _check(conditions, pair, allow)
    rows = [
        *conditions,
        *report_rows.load(pair),
        *report_rows.io(pair),
        *report_waits.time(pair),
        *report_waits.events(pair, most),
        *report_waits.log_writes(pair),
        *report_waits.statements(pair, most),
        *report_rows.parameters(pair),
    ]
    names = {"before": one.name, "after": two.name}
    whole = [{**dict.fromkeys(REPORT_PAIR), **names, **asdict(row)} for row in rows]
    return pl.DataFrame(whole, schema=REPORT_PAIR, orient="row")


def _chosen(rows: list[Row], before: str | None, after: str | None) -> list[Row]:
    """The two reports, the earlier first."""
    named = [None if name is None else _named(rows, name) for name in (before, after)]
    chosen = [row for row in named if row is not None]
    left = [row for row in rows if row not in chosen]
    if len(left) + len(chosen) != 2 and len(chosen) < 2:
        raise AbsentError(
            f"two reports are set side by side, not {len(rows)}: name them by before= and after="
        )
    if not chosen:
        if any(row["begin_time"] is None for row in left):
            raise AnalysisError("report: a report without a time: say which is before=")
        return sorted(left, key=lambda row: row["begin_time"])
    first, second = (row if row is not None else left[0] for row in named)
    if first is second:
        raise AnalysisError(f"report: {first['source']} is both before and after")
    return [first, second]


def _is_twice(one: Row, two: Row) -> bool:
    """Whether both are of one time of one database and instance."""
    alike = ("db_name", "db_id", "instance", "begin_time", "end_time")
    return one["begin_time"] is not None and all(one.get(key) == two.get(key) for key in alike)


def _named(rows: list[Row], name: str) -> Row:
    found = [row for row in rows if name in {row["source"], row.get("config")}]
    if len(found) != 1:
        known = [str(row["source"]) for row in rows]
        why = "names several reports" if found else "is not a report"
        raise AnalysisError(f"{name!r} {why}; {did_you_mean(name, known)}")
    return found[0]


def _side(row: Row, tables: Mapping[str, Measured]) -> ReportRows:
    source = row["source"]
    own = {
        name: table.frame.filter(pl.col("source") == source).rows(named=True)
        if "source" in table.frame.columns
        else []
        for name, table in tables.items()
    }
    return ReportRows(row.get("config") or str(source).rpartition("/")[2], row, own)


def _check(rows: list[PairRow], pair: tuple[ReportRows, ReportRows], allow: Sequence[str]) -> None:
    for name in allow:
        if name not in CONDITIONS:
            raise AnalysisError(
                f"allow: {name!r} is not a condition; {did_you_mean(name, list(CONDITIONS))}"
            )
    for row in rows:
        name = row.measure
        if name in CONDITIONS and row.differs and name not in allow:
            raise AbsentError(
                f"the reports {pair[0].name} and {pair[1].name} cannot be compared: {name} "
                f"differs ({row.before_text} against {row.after_text}); allow={name!r} (of a "
                f"command: -p allow={name}) sets them side by side anyway, and the report says so"
            )
