"""Tables of two AWR or Statspack reports side by side (``report_pair``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import column_format
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format, in_column
from perfkit.showing.tables.sheet import Sheet, with_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.schema import Row
    from perfkit.core.values import Table

COUNT = Format("1", decimals=0)
RATE = Format("1", decimals=2)
WAITS = Format("1", significant=3)
CHANGE = Format("%", decimals=1, sign=True)
SHARE = Format("%", decimals=2)
MB = Format("MB/s", decimals=1)
KIB = Format("KiB", decimals=1)

ONE_EACH = "One report each: the changes have no interval."
NO_CHANGE = (
    "No change is given where a value is missing or 0, counts something else, or is printed so "
    "coarsely that its rounding could be 5% of the ratio."
)


def tables_report_pair(pair: Measured) -> list[Table]:
    """The tables of a pair: conditions, load, I/O, events, and parameters where any differs."""
    found = [table_pair_conditions(pair), table_pair_load(pair), table_pair_io(pair)]
    parts = set(pair.frame["part"])
    found += [table_pair_events(pair)] if "event" in parts else []
    return [*found, table_pair_parameters(pair)] if "parameter" in parts else found


@step(version=2, name="table.pair_conditions")
def table_pair_conditions(pair: Measured) -> Table:
    """What the two reports are of, and where that differs."""
    rows = _part(pair, "condition")
    sheet = Sheet([{**row, "mark": "differs" if row["differs"] else ""} for row in rows])
    sheet.words(item="Fact", before_text="Before", after_text="After", mark="Mark")
    note = "Elapsed times are marked where they differ by more than a tenth."
    return sheet.table("pair-conditions", f"The two reports: {_names(rows)}.", note)


@step(version=2, name="table.pair_load")
def table_pair_load(pair: Measured) -> Table:
    """The load of both reports per second and per transaction, with the changes."""
    rows = _part(pair, "load")
    measures = {"per second": ("s", "per s"), "per transaction": ("t", "per transaction")}
    sheet = _sheet(rows, {name: key for name, (key, _) in measures.items()})
    sheet.words(item="Load")
    for key, of in measures.values():
        _three(sheet, key, of, RATE)
    note = f"{ONE_EACH} Reads and writes named as blocks count database blocks. {NO_CHANGE}"
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
    """The longest foreground events of either report: mean waits, waits, shares of DB time."""
    rows = _part(pair, "event")
    measures = {"mean_wait_s": "wait", "waits_per_s": "rate", "db_time_ratio": "share"}
    sheet = _sheet(rows, measures)
    sheet.add("item", "Event", None)
    sheet.add("class", "Wait class", None)
    wait = column_format("lat_mean_s", _both(sheet, "wait"))
    _three(sheet, "wait", with_unit("mean wait", wait), wait)
    _three(sheet, "rate", "waits/s", WAITS)
    _two(sheet, "share", "DB time (%)", SHARE)
    note = (
        f"{ONE_EACH} An event that a report does not list has a dash: it may have waited there, "
        f"too. Mean wait: total wait / waits of foreground sessions. {NO_CHANGE}"
    )
    return sheet.table("pair-events", f"Longest events: {_names(rows)}.", note)


@step(version=2, name="table.pair_parameters")
def table_pair_parameters(pair: Measured) -> Table:
    """Initialisation parameters that differ, or that only one of the reports lists."""
    rows = _part(pair, "parameter")
    sheet = Sheet(rows)
    sheet.words(item="Parameter", before_text="Before", after_text="After")
    note = "Reports list what is not at its default: a dash is a parameter that is not listed."
    return sheet.table("pair-parameters", f"Parameters that differ: {_names(rows)}.", note)


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
        own = found.setdefault(row["item"], {"item": row["item"], "class": row["before_text"]})
        key = measures.get(row["measure"])
        if key:
            own |= {
                f"{key}_before": row["before_value"], f"{key}_after": row["after_value"],
                f"{key}_change": row["change_ratio"],
            }  # fmt: skip
    return Sheet(list(found.values()))


def _two(sheet: Sheet, key: str, of: str, form: Format) -> None:
    form = in_column(form, _both(sheet, key))
    for when in _WHEN:
        sheet.add(f"{key}_{when}", f"{when.capitalize()}, {of}", form)


_WHEN = ("before", "after")


def _both(sheet: Sheet, key: str) -> list[float | None]:
    """The values of a pair of columns, which have one format."""
    return [row.get(f"{key}_{when}") for row in sheet.rows for when in _WHEN]


def _three(sheet: Sheet, key: str, of: str, form: Format) -> None:
    _two(sheet, key, of, form)
    sheet.add(f"{key}_change", "Change (%)", CHANGE)
