"""Which files of a study are one series, their order in time, and which of two loads is raised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from perfkit.core.errors import StudyError
from perfkit.core.grids import Grid, Pair, grid_of, raised
from perfkit.core.keys import collision
from perfkit.core.lineage import Reading
from perfkit.core.schema import KEYS
from perfkit.core.units import format_size, parse_size

if TYPE_CHECKING:
    from perfkit.sources.source import Source


Labels: TypeAlias = dict[str, Any]
"""What is said of a file, by itself or by its study: columns of load points with their values."""


@dataclass(frozen=True)
class ReadFile:
    """One file of a study's evidence.

    Attributes:
        kind: Its source, by name.
        reading: Its tables.
        keys: What all its load points have in common.
        labels: What the study says of it.
    """

    kind: str
    reading: Reading
    keys: Labels
    labels: Labels

    @property
    def source(self) -> Source:
        """What its source says of itself."""
        from perfkit.sources import SOURCES

        return SOURCES[self.kind]

    def label(self, name: str) -> Any:
        """A key, as the study says it, else as the file does."""
        return self.labels.get(name, self.keys.get(name))

    def table(self) -> pl.DataFrame | None:
        """The table that the source's keys are of; None where it was not read."""
        found = self.reading.get(self.source.table)
        return None if found is None else found.frame

    def check_rows(self, study: Path) -> None:
        """StudyError where two rows of the file have one key."""
        frame = self.table()
        row = None if frame is None else collision(frame, self.source.keys.row)
        if row is not None:
            told = ", ".join(f"{name} {row[name]}" for name in self.source.keys.row if name in row)
            raise StudyError(
                study,
                f"evidence: {self.reading.evidence.path}: two rows of {self.source.table} are of "
                f"{told}: nothing tells them apart",
            )

    def begins(self) -> Any:
        """The first time in the file; None where it has none."""
        frame, name = self.table(), self.source.time
        if frame is None or name not in frame.columns:
            return None
        return frame[name].drop_nulls().min()

    def fact(self, name: str) -> str | None:
        """What all of the file says of one part of the series key; None where it is not one thing.

        A column of the source's table, or else an option of the jobs.
        """
        frame, options = self.table(), self.reading.get("job_options")
        if frame is not None and name in frame.columns:
            values = frame[name].drop_nulls().unique().to_list()
        elif options is not None:
            names = self.source.keys.options.get(name, (name,))
            own = options.frame.filter(pl.col("option").is_in(names))
            values = own["value"].drop_nulls().unique().to_list()
        else:
            values = []
        is_size = name in self.source.keys.sizes
        told = {_size_in_words(str(value)) if is_size else str(value) for value in values}
        return told.pop() if len(told) == 1 else None


def _size_in_words(value: str) -> str:
    """One or several sizes in words, the same whatever unit they are written in."""
    try:
        sizes = [parse_size(part) for part in value.split(",") if part]
    except ValueError:
        return value
    return " and ".join(format_size(size) for size in dict.fromkeys(sizes))


_LABELS = ("system", "config", "workload", "load_kind")
_WORKLOAD = _LABELS.index("workload")


def in_time(files: Sequence[ReadFile]) -> list[ReadFile]:
    """Files of equal labels in order of their times, those without one last; others as they are."""
    met: dict[tuple[Any, ...], int] = {}

    def place(item: ReadFile) -> tuple[Any, ...]:
        # kinds of one table and key stand in one order
        source = (item.source.table, item.source.keys.series)
        labels = (
            *source,
            *(item.label(name) for name in (*_LABELS, "held", "load", "repeat", "host")),
        )
        begins = item.begins()
        return met.setdefault(labels, len(met)), begins is None, begins or 0

    return sorted(files, key=place)


def series_apart(files: Sequence[ReadFile]) -> list[ReadFile]:
    """The files, where equal labels are of several series each with its own workload's name.

    Only files whose load points are one curve by their labels are told apart so, by what the
    source's series key has beside them: the block size, the database. What tells them apart in one
    system is in the names of that workload in every other: "scan" of the one that has 8 KiB blocks
    alone would be another workload than "scan, 8 KiB blocks", or the same as its scan of 1 MiB.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, item in enumerate(files):
        if item.label("load_kind") is not None and "load_points" in item.reading:
            labels = (item.source.keys.series, *(item.label(name) for name in _LABELS))
            groups.setdefault(labels, []).append(number)
    apart = list(files)
    parts: dict[tuple[Any, ...], dict[str, None]] = {}
    for (key, *of), numbers in groups.items():
        differ = _differing(key, [files[n] for n in numbers])
        parts.setdefault((key, *of[_WORKLOAD:]), {}).update(dict.fromkeys(differ))
    for (key, *of), numbers in groups.items():
        words = _in_words(parts[key, *of[_WORKLOAD:]], [files[n] for n in numbers])
        for number, told in zip(numbers, words, strict=True):
            if told:
                own = {**files[number].labels, **_told_apart(files[number], told)}
                apart[number] = replace(files[number], labels=own)
    return apart


def _told_apart(item: ReadFile, words: str) -> dict[str, object]:
    """The label that tells a file apart from others with its labels.

    Of several workloads in one file each keeps its name, and the words are their configuration.
    """
    name = item.label("workload")
    if name is None and item.reading["load_points"].frame["workload"].n_unique() > 1:
        return {} if item.label("config") else {"config": words}
    mode = name and _MODE.fullmatch(name) and str(item.fact("rw")) in words
    return {"workload": words if mode else ", ".join(filter(None, (name, words)))}


_MODE = re.compile(r"(rand(om)?|seq(uential)?)?[-_ ]?(reads?|writes?|rw)", re.IGNORECASE)
"""The name of a workload that says no more than fio's rw: "random-read"."""


def _differing(key: Sequence[str], files: Sequence[ReadFile]) -> list[str]:
    """The parts of their series key that not all of these files agree in."""
    parts = [name for name in key if name not in KEYS and name != "source"]
    return [name for name in parts if len({item.fact(name) for item in files} - {None}) > 1]


def _in_words(parts: Iterable[str], files: Sequence[ReadFile]) -> list[str]:
    """For each file what it says of these parts."""
    told = [[(name, item.fact(name)) for name in parts] for item in files]
    return [
        ", ".join(_SAID.get(name, f"{name} {{}}").format(value) for name, value in own if value)
        for own in told
    ]


_SAID = {"rw": "{}", "bs": "{} blocks", "block_bytes": "{} blocks"}
"""Part of a series key -> how it is said where its value says what it is."""


def loads_raised(files: Sequence[ReadFile]) -> list[ReadFile]:
    """The files, those of a source with loads of two numbers with the one that is raised.

    It is decided for each workload (and block size, mode ...) by itself.
    """
    groups: dict[tuple[Grid, tuple[Any, ...]], dict[int, Pair]] = {}
    for number, item in enumerate(files):
        found = _grid(item)
        if found is not None:
            grid, pair = found
            beside = (name for name in item.source.keys.series if name not in KEYS)
            told = (item.kind, item.label("workload"), *map(item.fact, beside))
            groups.setdefault((grid, told), {})[number] = pair
    resolved = list(files)
    for (grid, _), pairs in groups.items():
        loads = raised(grid, list(pairs.values())) or []
        for number, load in zip(pairs, loads, strict=False):
            resolved[number] = replace(files[number], labels={**files[number].labels, **load})
    return resolved


def _grid(item: ReadFile) -> tuple[Grid, Pair] | None:
    """Grid and numbers as the file states them; None of several, and where the study says them."""
    if "load_kind" in item.labels:
        return None
    return grid_of(item.source.grids, item.keys)
