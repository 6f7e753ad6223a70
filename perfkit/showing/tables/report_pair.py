"""Tables of two AWR or Statspack reports side by side (``report_pair``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfkit.analysis.compare.printing import form_of, signed
from perfkit.analysis.compare.report_changes import CHANGE as CLAIMED
from perfkit.analysis.compare.report_changes import DIFFERENCE, PER_LOAD
from perfkit.analysis.curves.metrics import column_format
from perfkit.analysis.curves.series import cautions_of, require_columns
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format, in_column
from perfkit.core.values import Table
from perfkit.showing.statements.reports import quantity_of, value_of
from perfkit.showing.tables.sheet import Sheet, with_unit

COUNT = Format("1", decimals=0)
RATE = Format("1", decimals=2)
SESSIONS = Format("1", decimals=3)
EXACT = Format("1", significant=6)
MB = Format("MB/s", decimals=1)
KIB = Format("KiB", decimals=1)

ONE_EACH = "One report each: the changes have no interval."
NO_CHANGE = (
    "No change is given where a value is missing or 0, counts something else, or is printed so "
    "coarsely that its rounding could be 5% of the ratio."
)


def tables_report_pair(pair: Measured) -> list[Table]:
    """The tables of a pair: load, I/O, events, statements, parameters that differ, and all rows."""
    parts = set(pair.frame["part"])
    made = {
        "load": table_pair_load,
        "io": table_pair_io,
        "event": table_pair_events,
        "sql": table_pair_sql,
        "parameter": table_pair_parameters,
    }
    return [*(table(pair) for part, table in made.items() if part in parts), table_pair_all(pair)]


@step(version=1, name="table.pair_changes")
def table_pair_changes(changes: Measured) -> Table:
    """What changed between two reports (``report_changes``): both values, and the change."""
    claims = [one for one in from_frame(changes.frame) if one.question in _TOLD]
    if not claims:
        raise AbsentError("neither report has a rate or a mean to compare")
    sheet = Sheet([_claimed(one) for one in claims])
    sheet.words(
        what="Quantity",
        before="Before",
        after="After",
        change="Change",
        why="Why there is no ratio",
    )
    after, before = claims[0].sides
    names = f"{before.subject.label} before, {after.subject.label} after"
    made = sheet.table("pair-changes", f"What changed: {names}.", ONE_EACH)
    return replace(made, cautions=tuple(dict.fromkeys(c for one in claims for c in one.cautions)))


_TOLD = frozenset({CLAIMED.name, DIFFERENCE.name, PER_LOAD.name})


def _claimed(answer: Answer) -> Row:
    ratio = answer.question != DIFFERENCE.name and answer.estimate
    return {
        "what": quantity_of(answer),
        "before": value_of(answer.sides[1]),
        "after": value_of(answer.sides[0]),
        "change": _change(ratio.value - 1) if ratio else None,
        "why": None if ratio else answer.reason,
    }


@step(version=2, name="table.pair_conditions")
def table_pair_conditions(pair: Measured) -> Table:
    """What the two reports are of and from when to when; in the note what is alike in both."""
    every = _part(pair, "condition")
    rows = [row for row in every if (row["before_text"], row["after_text"]) != (None, None)]
    alike = [
        f"{row['item']}: {row['before_text']}"
        for row in rows
        if row["before_text"] == row["after_text"] and row["measure"] not in _STATED
    ]
    sheet = Sheet(
        [
            {**row, "mark": "differs" if row["differs"] else None}
            for row in rows
            if row["before_text"] != row["after_text"] or row["measure"] in _STATED
        ]
    )
    sheet.words(item="Fact", before_text="Before", after_text="After", mark="Mark")
    note = "Elapsed times are marked where they differ by more than a tenth."
    both = f"The same in both: {'; '.join(alike)}. " if alike else ""
    made = sheet.table("pair-conditions", f"The two reports: {_names(rows)}.", both + note)
    return replace(made, cautions=cautions_of(_part(pair, "io")))


_STATED = frozenset({"database", "overlap"})
"""Facts that have a row even where they are alike."""


@step(version=2, name="table.pair_load")
def table_pair_load(pair: Measured) -> Table:
    """The load of both reports per second and per transaction, where the print shows a change."""
    every = _part(pair, "load")
    moved = {row["item"] for row in every if row["differs"]}
    rows = [row for row in every if row["item"] in moved]
    if not rows:
        raise AbsentError(
            "pair: the load does not differ beyond the rounding of the printed figures"
        )
    measures = {"per second": ("s", "Per s"), "per transaction": ("t", "Per transaction")}
    sheet = _sheet(rows, {name: key for name, (key, _) in measures.items()})
    sheet.words(item="Load")
    for key, of in measures.values():
        _three(sheet, key, of, RATE)
    alike = len({row["item"] for row in every}) - len(moved)
    more = f" {alike} more do not differ by more than the rounding of the print." if alike else ""
    note = f"{ONE_EACH} Reads and writes named as blocks count database blocks.{more} {NO_CHANGE}"
    return sheet.table("pair-load", f"Load: {_names(rows)}.", note)


@step(version=2, name="table.pair_io")
def table_pair_io(pair: Measured) -> Table:
    """IOPS, throughput and mean size of an I/O of both reports, by direction."""
    rows = [row for row in _part(pair, "io") if row["item"] != "host"]
    reasons = sorted({row["note"] for row in rows if (row["note"] or "").startswith("counts")})
    sheet = _sheet(rows, {"iops": "iops", "bw_bytes_per_s": "bw", "size_bytes": "size"})
    sheet.add("item", "I/O", None, lambda row: str(row["item"]).capitalize())
    _three(sheet, "iops", "IOPS", COUNT)
    _three(sheet, "bw", "MB/s", MB)
    _three(sheet, "size", "KiB an I/O", KIB)
    note = " ".join([ONE_EACH, *(f"No change: {reason}." for reason in reasons), NO_CHANGE])
    return sheet.table("pair-io", f"I/O: {_names(rows)}.", note)


@step(version=2, name="table.pair_events")
def table_pair_events(pair: Measured) -> Table:
    """The longest foreground events of either report: sessions in them, and their mean waits."""
    rows = _part(pair, "event")
    sheet = _sheet(rows, {"wait_s_per_s": "sessions", "mean_wait_s": "wait"})
    sheet.words(item="Event", group="Wait class")
    _two(sheet, "sessions", "Sessions", SESSIONS)
    wait = column_format("lat_mean_s", _both(sheet, "wait"))
    _three(sheet, "wait", with_unit("Mean wait", wait), wait)
    note = (
        f"{ONE_EACH} Sessions: total wait of foreground sessions / elapsed time. An event that a "
        f"report does not list has a dash: it may have waited there, too. {NO_CHANGE}"
    )
    made = sheet.table("pair-events", f"Longest events: {_names(rows)}.", note)
    return replace(made, cautions=cautions_of(rows))


@step(version=1, name="table.pair_sql")
def table_pair_sql(pair: Measured) -> Table:
    """The longest statements of either report: sessions that ran them on average."""
    rows = _part(pair, "sql")
    sheet = _sheet(rows, {"sessions": "sessions"})
    sheet.words(item="SQL", group="Module")
    _three(sheet, "sessions", "Sessions", SESSIONS)
    note = (
        f"{ONE_EACH} Sessions: elapsed time of the statement / that of the report. A statement "
        "that another one calls is in both. One that a report does not list has a dash: it may "
        "have run there, too."
    )
    return sheet.table("pair-sql", f"Longest statements: {_names(rows)}.", note)


@step(version=2, name="table.pair_parameters")
def table_pair_parameters(pair: Measured) -> Table:
    """Initialisation parameters that differ, or that only one of the reports lists."""
    rows = _part(pair, "parameter")
    sheet = Sheet(rows)
    sheet.words(item="Parameter", before_text="Before", after_text="After")
    note = "Reports list what is not at its default: a dash is a parameter that is not listed."
    return sheet.table("pair-parameters", f"Parameters that differ: {_names(rows)}.", note)


@step(version=1, name="table.pair_all")
def table_pair_all(pair: Measured) -> Table:
    """Every row of a pair, as a table that is attached."""
    require_columns(pair.frame, ("part", "item", "measure", "note"), "pair")
    rows = pair.frame.rows(named=True)
    sheet = Sheet(rows)
    for name in ("part", "item", "measure", "before_text", "after_text"):
        sheet.add(name, name, None)
    for name in ("before_value", "after_value", "change_ratio"):
        sheet.add(name, name, in_column(EXACT, [row[name] for row in rows]))
    sheet.words(note="note")
    made = sheet.table("pair-all", f"Everything that was compared: {_names(rows)}.")
    return replace(made, detail=True)


def _change(ratio: float | None) -> str | None:
    """A change as after / before - 1: +12%, 2.4 times, 1.0% of it."""
    if ratio is None:
        return None
    form = form_of(1 + ratio)
    return signed(1 + ratio, form) + (" of it" if form == "share" else "")


def _part(pair: Measured, part: str) -> list[Row]:
    require_columns(pair.frame, ("part", "item", "measure", "before_value", "after_value"), "pair")
    rows = [row for row in pair.frame.rows(named=True) if row["part"] == part]
    if not rows:
        raise AbsentError(f"pair: nothing of part {part!r}, so no table")
    return rows


def _names(rows: Sequence[Row]) -> str:
    return f"{rows[0]['before']} before, {rows[0]['after']} after"


def _sheet(rows: Sequence[Row], measures: dict[str, str]) -> Sheet:
    """One row an item, with the values of each measure under its key."""
    found: dict[str, Row] = {}
    for row in rows:
        own = found.setdefault(row["item"], {"item": row["item"], "group": row["before_text"]})
        key = measures.get(row["measure"])
        if key:
            own |= {
                f"{key}_before": row["before_value"],
                f"{key}_after": row["after_value"],
                f"{key}_change": _change(row["change_ratio"]),
            }
    return Sheet(list(found.values()))


def _two(sheet: Sheet, key: str, of: str, form: Format) -> None:
    form = in_column(form, _both(sheet, key))
    for when in _WHEN:
        sheet.add(f"{key}_{when}", f"{of} {when}", form)


_WHEN = ("before", "after")


def _both(sheet: Sheet, key: str) -> list[float | None]:
    """The values of a pair of columns, which have one format."""
    return [row.get(f"{key}_{when}") for row in sheet.rows for when in _WHEN]


def _three(sheet: Sheet, key: str, of: str, form: Format) -> None:
    _two(sheet, key, of, form)
    sheet.add(f"{key}_change", "Change", None)
