"""Which of a load's two numbers is raised, and which is held: decided over all files together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit.core.schema import KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.study.series import ReadFile

Pair = tuple[float, float]
"""The two numbers of a load, in the order of the source's ``grid``."""


def loads_raised(files: Sequence[ReadFile]) -> list[ReadFile]:
    """The files, those of a source with loads of two numbers with the one that is raised.

    Where the files of a workload differ in both numbers, the first is raised and the second held:
    a grid is a curve for each value of the second. Where they differ in one, that is the load, and
    the other is held unless it is 1. Two sweeps that meet at 1 and 1 keep the loads they state.
    """
    groups: dict[tuple[Any, ...], dict[int, Pair]] = {}
    for number, item in enumerate(files):
        pair = _pair(item)
        if pair is not None:
            beside = (name for name in item.source.series_key if name not in KEYS)
            told = (item.kind, item.label("workload"), *map(item.fact, beside))
            groups.setdefault(told, {})[number] = pair
    raised = list(files)
    for pairs in groups.values():
        first = _raised(list(pairs.values()))
        if first is None:
            continue
        for number, pair in pairs.items():
            item = files[number]
            load = _load(item.source.grid, pair, first)
            raised[number] = replace(item, labels={**item.labels, **load})
    return raised


def _pair(item: ReadFile) -> Pair | None:
    """Both numbers as the file states them; None of several, and where the study says the load."""
    kind, load, held = (item.keys.get(name) for name in ("load_kind", "load", "held"))
    if kind not in item.source.grid or load is None or "load_kind" in item.labels:
        return None
    pair = load, 1.0 if held is None else held
    return pair if kind == item.source.grid[0] else (pair[1], pair[0])


def _raised(pairs: list[Pair]) -> tuple[int, bool] | None:
    """The place of the number that is raised, and whether the other one varies.

    None where nothing is to be decided.
    """
    firsts, seconds = ({pair[place] for pair in pairs} for place in (0, 1))
    if len(firsts) > 1 and len(seconds) > 1:
        return (0, True) if any(min(pair) > 1 for pair in pairs) else None
    if len(firsts) == len(seconds) == 1:
        return None
    return (0 if len(firsts) > 1 else 1), False


def _load(grid: Sequence[str], pair: Pair, raised: tuple[int, bool]) -> dict[str, Any]:
    place, both = raised
    other = 1 - place
    is_held = both or pair[other] != 1
    return {
        "load_kind": grid[place], "load": pair[place],
        "held_kind": grid[other] if is_held else None, "held": pair[other] if is_held else None,
    }  # fmt: skip
