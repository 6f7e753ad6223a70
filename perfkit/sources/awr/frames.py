"""The sections' columns as the tables of the reading: joined, merged, ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import repeat
from typing import Any

import polars as pl

from perfkit.core import schema as common
from perfkit.core.schema import Row
from perfkit.sources.awr import schema
from perfkit.sources.awr.tidy import Data, size_of
from perfkit.sources.awr.tidy.context import rows_of


def framed(table: str, data: Data) -> pl.DataFrame:
    """Columns as a frame with exactly the schema of the table."""
    empty = _empty(table)
    size = size_of(data)
    if not size:
        return empty.clone()
    if size > _FEW:
        nothing = [None] * size
        return pl.DataFrame(
            [pl.Series(name, data.get(name, nothing), kind) for name, kind in empty.schema.items()]
        )
    # a series takes 10 us, which most reports would need 400 times: a few rows go in at once
    for name in _wholes(table):
        # of 2.5 a row would make 2 without a word
        for value in data.get(name, ()):
            if value is not None and type(value) is not int:
                raise TypeError(f"{name}: {value!r} is not a whole number")
    return pl.DataFrame(list(records(data)), schema=empty.schema)


_FEW = 50
"""Rows up to which a frame is made quicker by rows than by columns: both take 250 us at 50."""


@cache
def _wholes(table: str) -> tuple[str, ...]:
    return tuple(name for name, kind in _empty(table).schema.items() if kind == pl.Int64)


@cache
def _empty(table: str) -> pl.DataFrame:
    return pl.DataFrame(schema=common.polars_schema(schema.TABLES[table]))


def joined(table: str, chunks: list[Data]) -> Data:
    """The chunks as one: the columns of the schema that any of them has."""
    filled = [chunk for chunk in chunks if size_of(chunk)]
    if len(filled) == 1:
        return {name: filled[0][name] for name in schema.TABLES[table] if name in filled[0]}
    return {
        name: [
            value
            for chunk in filled
            for value in (chunk[name] if name in chunk else repeat(None, size_of(chunk)))
        ]
        for name in schema.TABLES[table]
        if any(name in chunk for chunk in filled)
    }


def finished(table: str, chunks: list[Data]) -> Data:
    """One table of all its sections' columns: merged, ranked, and without repeated rows."""
    if table == "parameters":
        chunks = _whole_parameters(chunks)
    data = joined(table, chunks)
    size = size_of(data)
    if table in _MERGED and size:
        return _coalesced(data, _keys(data, _MERGED[table]))
    if table == "instance_activity" and size:
        return _once(data, [chunk for chunk in chunks if size_of(chunk)])
    if table in _RANKED and size:
        return data | {"rank": _ranks(data, _keys(data, _RANKED[table]))}
    return data


def _once(data: Data, chunks: list[Data]) -> Data:
    """Without the rows of a statistic that an earlier section has: key statistics stand in two.

    Names that a text report cut off may be equal within one section: all of their rows are kept.
    """
    sections = [name for chunk in chunks for name in chunk["section"]]
    keys = _keys(data, ("level", "instance", "kind", "statistic"))
    first = dict(reversed(list(zip(keys, sections, strict=True))))
    return rows_of(
        data,
        [
            place
            for place, (key, own) in enumerate(zip(keys, sections, strict=True))
            if first[key] == own
        ],
    )


def _ranks(data: Data, keys: Sequence[Any]) -> list[int | None]:
    """The place of each row in its list; not known where a row of the list was lost (a mark 0)."""
    marks = data.get("rank") or [None] * len(keys)
    lost = {key for key, mark in zip(keys, marks, strict=True) if mark == 0}
    seen: Counter[Any] = Counter()
    ranks: list[int | None] = []
    for key in keys:
        seen[key] += 1
        ranks.append(None if key in lost else seen[key])
    return ranks


_RANKED = {
    "top_events": ("scope", "level", "instance"), "sql": ("ordered_by",),
    "segments": ("ordered_by",),
}  # fmt: skip
_MERGED = {
    "time_model": ("level", "instance", "statistic"),
    "wait_classes": ("level", "instance", "scope", "wait_class"),
    "system_statistics": ("level", "instance", "section"),
    "block_transfers": ("level", "instance", "source_instance", "block_class"),
    "immediate_transfers": ("level", "instance", "source_instance", "block_class"),
    "cell_disks": ("level", "instance", "disk_type", "cell"),
    "cell_single_disks": ("level", "instance", "disk_type", "cell", "disk"),
}
"""What stands in several tables (times and shares, totals and rates): one row for all."""


def _keys(data: Data, names: Sequence[str]) -> list[tuple[Any, ...]]:
    nothing = [None] * size_of(data)
    return list(zip(*(data.get(name, nothing) for name in names), strict=True))


def _coalesced(data: Data, keys: list[tuple[Any, ...]]) -> Data:
    """One row for each key: of every column the first value there is."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    if len(places) == len(keys):
        return data
    return {
        name: [
            next((values[place] for place in own if values[place] is not None), None)
            for own in places.values()
        ]
        for name, values in data.items()
    }


def _whole_parameters(chunks: list[Data]) -> list[Data]:
    """The first value of a parameter with several stands in init.ora too: the whole list counts."""
    several = {
        (name, mark)
        for chunk in chunks
        for name, mark, multi in zip(
            chunk["parameter"], chunk["instance"], chunk["multi"], strict=True
        )
        if multi
    }
    kept = []
    for chunk in chunks:
        keep = [
            place
            for place, multi in enumerate(chunk["multi"])
            if multi or (chunk["parameter"][place], chunk["instance"][place]) not in several
        ]
        kept.append(rows_of(chunk, keep))
    return kept


def records(data: Data, places: Iterable[int] | None = None) -> Iterator[Row]:
    """The rows, or some of them, each with the columns that the data has."""
    for place in range(size_of(data)) if places is None else places:
        yield {name: values[place] for name, values in data.items()}
