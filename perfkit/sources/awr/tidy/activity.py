"""Tables whose cells hold two values, whose columns are rows, or that print a name only once."""

from __future__ import annotations

import re
from typing import Any

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import Column, indices
from perfkit.sources.awr.tidy.context import Data, Found, UnreadError, columns_of, size_of, where
from perfkit.sources.awr.tidy.take import by_instance, converted, converter, levelled

_SLOT = re.compile(r"(\S.*?)\s*\((-?[\d.]+) (secs?|mins?|hours?)\)")
_LENGTHS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def read_ash_activity(found: Found) -> dict[str, Data]:
    """Activity over time: a slot's begin and length stand in one cell."""
    data = where(by_instance(found), "event")
    if found.text:
        _fill_slots(found, data)
    slots = [_SLOT.fullmatch(text or "") for text in data["slot_text"]]
    data["slot_time"] = [slot[1] if slot else None for slot in slots]
    data["slot_duration_s"] = [_length(slot) if slot else None for slot in slots]
    for row, (slot, text) in enumerate(zip(slots, data["slot_text"], strict=True), 1):
        if slot is None:
            found.fault(row, "'Slot Time'", f"{text!r} is not a time with a length in brackets")
    return {"ash_activity": data}


def _fill_slots(found: Found, data: Data) -> None:
    """Put the slot to all of its events: text reports print it beside the first of them.

    Up to three follow one another, those with the most samples first; of what does not, or may
    stand below a lost row, the slot is not known.
    """
    slot: tuple[Any, ...] | None = None
    counts: list[float] = []
    columns = (data.get(name, [None] * size_of(data)) for name in _SLOTS)
    for row, (*own, count) in enumerate(list(zip(*columns, strict=True))):
        if own[0] is not None:
            slot, counts = tuple(own), []
        counts.append(-1.0 if count is None else count)
        sure = len(counts) <= _MOST_EVENTS and sorted(counts, reverse=True) == counts
        if slot is None or not sure or found.table.broken:
            slot = None
        else:
            for name, value in zip(_SLOTS, slot, strict=False):
                data.setdefault(name, [None] * size_of(data))[row] = value


_SLOTS = ("slot_text", "slot_samples", "samples")
_MOST_EVENTS = 3


def _length(slot: re.Match[str]) -> float | None:
    # Oracle prints (-4 secs) of a slot that begins with the snapshot
    value = cells.plain(slot[2]) * _LENGTHS[slot[3][0]]
    return value if value >= 0 else None


_PARTS = ("waits", "total_wait_s")


def read_service_waits(found: Found) -> dict[str, Data]:
    """The wait classes of each service: a row for each class that has a column."""
    wide = where(by_instance(found), "service")
    classes = dict.fromkeys(name.split("|")[0] for name in wide if "|" in name)
    nothing = [None] * size_of(wide)
    rows = [
        (wide["level"][row], wide["instance"][row], service, name, waits[row], total[row])
        for row, service in enumerate(wide["service"])
        for name in classes
        for waits, total in [[wide.get(f"{name}|{part}", nothing) for part in _PARTS]]
        if waits[row] is not None or total[row] is not None
    ]
    names = ("level", "instance", "service", "wait_class", "waits", "total_wait_s")
    return {"service_waits": columns_of(names, rows)}


def read_undo(found: Found) -> dict[str, Data]:
    """Undo: two figures in one cell."""
    data = by_instance(found)
    if found.text:
        # text columns may have cut a cell off
        for name, whole in (("retention", _TENTHS), ("failures", _NARROW)):
            for row, text in enumerate(data.get(name, [])):
                if text is not None and not whole.fullmatch(text):
                    found.fault(row + 1, f"{name!r}", f"{text!r} may be cut off by its column")
                    data[name][row] = None
    for name, ours, factor in (
        ("retention", ("retention_min_s", "retention_max_s"), 60.0),
        ("failures", ("snapshot_too_old", "out_of_space"), 1.0),
    ):
        texts = data.pop(name, [None] * size_of(data))
        pairs = [_both(found, name, row, text) for row, text in enumerate(texts, 1)]
        for place, target in enumerate(ours):
            data[target] = [None if pair is None else pair[place] * factor for pair in pairs]
    return {"undo": data}


_TENTHS = re.compile(r"\d+\.\d/\d+\.\d")
"""Minutes: what has its tenth behind each number is whole."""

_NARROW = re.compile(r"(?=.{1,4}$)\d+/\d+")
"""What leaves a place of its column of five characters is whole."""


def _both(found: Found, name: str, row: int, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    parts = text.split("/")
    try:
        if len(parts) == 2:
            return cells.plain(parts[0].strip()), cells.plain(parts[1].strip())
    except cells.ForeignNumberError:
        raise
    except ValueError:
        pass
    found.fault(row, f"{name!r}", f"{text!r} are not two numbers")
    return None


def read_addm(found: Found) -> dict[str, Data]:
    """ADDM's findings, with the times of its runs."""
    data = where(by_instance(found), "finding")
    for when in ("begin", "end"):
        if f"{when}_text" in data:
            data[f"{when}_time"] = [cells.moment(text) for text in data[f"{when}_text"]]
    return {"addm_findings": data}


def read_efficiency(found: Found) -> dict[str, Data]:
    """Instance efficiency: two names with their values in a row, without a header."""
    pairs = [
        (row[place], row[place + 1], number)
        for number, row in enumerate(found.table.rows, 1)
        for place in range(0, len(row) - len(row) % 2, 2)
        if row[place] and _is_efficiency(found, row[place], number)
    ]
    printed = [" ".join(name.rstrip(":").split()) for name, _, _ in pairs]
    data: Data = {
        "statistic": [cells.slug(name.replace("%", "")) for name in printed],
        "printed": printed,
        "ratio": [_share(found, text, number) for _, text, number in pairs],
    }
    return {"efficiency": levelled(data, found)}


def _is_efficiency(found: Found, name: str, row: int) -> bool:
    """Whether a cell is the name of a percentage.

    What follows a section of text may have lost its heading; of a row of HTML a lost quote makes
    one cell of two, and of the next value a name.
    """
    known = cells.key(name) in _EFFICIENCY if found.text else "%" in name
    if not known:
        found.context.warn(f"{found.table.label}, row {row}: {name!r} is not known; left out")
    return known


_EFFICIENCY = frozenset({
    "buffernowait%", "redonowait%", "bufferhit%", "in-memorysort%", "optimalw/aexec%",
    "libraryhit%", "softparse%", "executetoparse%", "latchhit%", "parsecputoparseelapsd%",
    "%non-parsecpu", "flashcachehit%",
})  # fmt: skip


def _share(found: Found, text: str, row: int) -> float | None:
    try:
        return cells.percent(text)
    except cells.ForeignNumberError:
        raise
    except ValueError as problem:
        found.fault(row, "'%'", str(problem))
        return None


def read_cells(found: Found) -> dict[str, Data]:
    """Exadata's cells: disk type and cell are printed in the first row that they hold for.

    Raises UnreadError where a row was lost, has no name, or one that was there before: what stands
    below a name that was lost would be another disk's.
    """
    rows = found.table.rows
    if found.table.broken:
        raise UnreadError(
            f"a row of it is damaged at {found.table.place}, so none of it is certain"
        )
    names = indices(found.table.columns, ("cellname",))
    if not names:
        raise UnreadError(f"no column of cells at {found.table.place}")
    width = 1 + names["cellname"]
    held: list[str] = []
    filled = []
    for row in rows:
        first = next((place for place in range(width) if row[place]), width)
        # what is printed begins anew: nothing to its right holds any longer
        held = [*held[:first], *row[first:width]]
        if len(held) < width or not all(held):
            raise UnreadError(f"a row of it names no cell at {found.table.place}")
        filled.append([*held, *row[width:]])
    data = by_instance(found, filled)
    keys = list(zip(*(data[name] for name in _NAMES if name in data), strict=True))
    if len(set(keys)) < len(keys):
        raise UnreadError(f"two rows of it have one name at {found.table.place}")
    return {found.section.tables[0]: found.with_constants(data)}


_NAMES = ("disk_type", "cell", "disk", "reason")


def read_transfers(found: Found) -> dict[str, Data]:
    """Blocks between instances: classes are written in capitals in one table and not in another."""
    data = where(by_instance(found), "block_class")
    data["block_class"] = [name.lower() for name in data["block_class"]]
    return {found.section.tables[0]: data}


def read_named_values(found: Found) -> dict[str, Data]:
    """A table without a header, a name and its value in a row: one row with a column for each."""
    data: Data = {}
    for number, row in enumerate(found.table.rows, 1):
        column = Column("", row[0])
        names = [name for name in column.keys if name in found.section.columns]
        if not set(column.keys).isdisjoint(found.section.ignored):
            continue
        if len(row) != 2 or not names:
            found.warn(f"row {number}: {row[0]!r} is not known, not read")
            continue
        ours, kind = found.section.columns[names[0]]
        data[ours] = converted(row[1:], converter(kind, column), column, found)
    return {found.section.tables[0]: levelled(data, found)}
