"""Loads of two numbers over the files of a study: which is raised is decided over all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit.core.grids import Pair, pair_of, raised
from perfkit.core.schema import KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.study.series import ReadFile


def loads_raised(files: Sequence[ReadFile]) -> list[ReadFile]:
    """The files, those of a source with loads of two numbers with the one that is raised.

    It is decided for each workload (and block size, mode ...) by itself.
    """
    groups: dict[tuple[Any, ...], dict[int, Pair]] = {}
    for number, item in enumerate(files):
        pair = _pair(item)
        if pair is not None:
            beside = (name for name in item.source.series_key if name not in KEYS)
            told = (item.kind, item.label("workload"), *map(item.fact, beside))
            groups.setdefault(told, {})[number] = pair
    found = list(files)
    for pairs in groups.values():
        grid = files[next(iter(pairs))].source.grid
        loads = raised(grid, list(pairs.values())) or []
        for number, load in zip(pairs, loads, strict=False):
            found[number] = replace(files[number], labels={**files[number].labels, **load})
    return found


def _pair(item: ReadFile) -> Pair | None:
    """Both numbers as the file states them; None of several, and where the study says the load."""
    if "load_kind" in item.labels:
        return None
    kind, load, held = (item.keys.get(name) for name in ("load_kind", "load", "held"))
    return pair_of(item.source.grid, kind, load, held)
