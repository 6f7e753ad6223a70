"""Load Profile and IO Profile: rows with a name and a unit in it."""

from __future__ import annotations

from perfkit.core.units import MIB
from perfkit.sources.awr import cells
from perfkit.sources.awr.left_out import RATIOS
from perfkit.sources.awr.tidy.context import Data, Found, where
from perfkit.sources.awr.tidy.take import levelled, take


def read_load_profile(found: Found) -> dict[str, Data]:
    """Rows with a name and a unit in it; the ratios that 10g and 11g print below are left out."""
    made = _named(found, LOAD_NAMES)
    if found.text:
        _alone(found, made[found.section.tables[0]])
    return made


def _alone(found: Found, data: Data) -> None:
    """Numbers that stand alone in their row, which only the rate of transactions does: null.

    The columns of text are of one width: where one number was lost the other stands in its place.
    """
    rates = data.get("per_s", [])
    pairs = zip(data["statistic"], rates, data.get("per_transaction", []), strict=False)
    last = list(zip(data.get("per_exec", []), data.get("per_call", []), strict=False))
    for place, (name, rate, per) in enumerate(pairs):
        if last and sum(value is None for value in last[place]) == 1:
            found.fault(place + 1, "'Per Call'", f"{name} has three numbers of four")
            for column in ("per_s", "per_transaction", "per_exec", "per_call"):
                data[column][place] = None
        elif rate is not None and per is None and name != "transactions":
            found.fault(place + 1, "'Per Second'", f"{name} has one number of two")
            rates[place] = None


def read_io_profile(found: Found) -> dict[str, Data]:
    """Rows with a name and a unit in it."""
    return _named(found, IO_NAMES)


def _named(found: Found, names: dict[str, tuple[str, str, float]]) -> dict[str, Data]:
    rows = found.table.aligned_except(RATIOS)
    data = take(found, rows)
    labels = [row[0] if row else "" for row in rows]
    known = [names.get(cells.key(label)) for label in labels]
    for label, item in zip(labels, known, strict=True):
        if label and item is None:
            found.warn(f"row {label!r} is not known: its unit is null")
    printed = [cells.words(label.rstrip(": ")) for label in labels]
    for column in list(data):
        data[column] = [
            value * item[2] if value is not None and item else value
            for value, item in zip(data[column], known, strict=True)
        ]
    out: Data = {
        "statistic": [
            item[0] if item else cells.slug(label)
            for item, label in zip(known, labels, strict=True)
        ],
        "printed": printed,
        "unit": [item[1] if item else None for item in known],
        **data,
    }
    return {found.section.tables[0]: where(levelled(out, found), "printed")}


def _load(*groups: tuple[str, str, str, float]) -> dict[str, tuple[str, str, float]]:
    return {
        name: (ours, unit, factor) for names, ours, unit, factor in groups for name in names.split()
    }


LOAD_NAMES = _load(
    ("dbtime(s)", "db_time", "s", 1),
    ("dbcpu(s)", "db_cpu", "s", 1),
    ("backgroundcpu(s)", "background_cpu", "s", 1),
    ("redosize redosize(bytes)", "redo_size", "bytes", 1),
    ("logicalreads logicalread(blocks) logicalreads(blocks)", "logical_reads", "blocks", 1),
    ("blockchanges", "block_changes", "1", 1),
    ("physicalreads physicalread(blocks) physicalreads(blocks)", "physical_reads", "blocks", 1),
    ("physicalwrites physicalwrite(blocks) physicalwrites(blocks)", "physical_writes", "blocks", 1),
    ("readiorequests", "read_requests", "1", 1),
    ("writeiorequests", "write_requests", "1", 1),
    ("readio(mb)", "read_bytes", "bytes", MIB),
    ("writeio(mb)", "write_bytes", "bytes", MIB),
    ("imscanrows", "im_scan_rows", "1", 1),
    ("sessionlogicalreadim", "im_logical_reads", "blocks", 1),
    ("globalcacheblocksreceived racgcblocksreceived", "gc_blocks_received", "blocks", 1),
    ("globalcacheblocksserved racgcblocksserved", "gc_blocks_served", "blocks", 1),
    ("usercalls", "user_calls", "1", 1),
    ("parses parses(sql)", "parses", "1", 1),
    ("hardparses hardparses(sql)", "hard_parses", "1", 1),
    ("sorts", "sorts", "1", 1),
    ("w/ambprocessed sqlworkarea(mb)", "work_area_bytes", "bytes", MIB),
    ("logons", "logons", "1", 1),
    ("userlogons", "user_logons", "1", 1),
    ("executes executes(sql)", "executes", "1", 1),
    ("rollbacks", "rollbacks", "1", 1),
    ("transactions", "transactions", "1", 1),
)
"""The rows of Load Profile: printed name -> (statistic, unit, factor)."""


IO_NAMES = _load(
    ("totalrequests", "total_requests", "1", 1),
    ("databaserequests", "database_requests", "1", 1),
    ("optimizedrequests", "optimized_requests", "1", 1),
    ("redorequests", "redo_requests", "1", 1),
    ("total(mb)", "total_bytes", "bytes", MIB),
    ("database(mb)", "database_bytes", "bytes", MIB),
    ("optimizedtotal(mb)", "optimized_bytes", "bytes", MIB),
    ("redo(mb)", "redo_bytes", "bytes", MIB),
    ("database(blocks)", "database_blocks", "blocks", 1),
    ("viabuffercache(blocks)", "buffer_cache_blocks", "blocks", 1),
    ("direct(blocks)", "direct_blocks", "blocks", 1),
)
"""The rows of IO Profile: printed name -> (statistic, unit, factor)."""
