"""Whether a cache is warm: the rounds of a warm-up and what each of them showed."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from perfkit.core.errors import RunError
from perfkit.formats.printed_counters import counters, number_of
from perfkit.measure.probe.observer import PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LAST = 3
"""Rounds that must agree."""


def is_warm(values: Sequence[float], tolerance: float) -> bool:
    """Whether the last rounds lie within a share of their mean."""
    last = values[-LAST:]
    mean = math.fsum(last) / len(last) if last else 0.0
    return len(last) == LAST and all(abs(value - mean) <= tolerance * abs(mean) for value in last)


def observed(folder: Path, wanted: str) -> float:
    """The value that an observer printed last in a round: ``array.hit_ratio``.

    RunError where it printed none, or several of that name.
    """
    name, _, counter = wanted.partition(".")
    lines = (folder / f"{PREFIX}{name}.jsonl").read_text(encoding="utf-8").splitlines()
    head, *readings = (json.loads(line) for line in lines)
    read = [one for one in readings if not one["problem"]]
    if not read:
        why = readings[-1]["problem"] if readings else "it was not run"
        raise RunError(f"warm-up: {name} printed nothing: {why}")
    try:
        found = counters(read[-1]["text"], head["form"], head["clock"])
    except ValueError as problem:
        raise RunError(f"warm-up: {name}: {problem}") from problem
    values = [number_of(value) for _, own, value in found if own == counter]
    if len(values) != 1 or values[0] is None:
        raise RunError(f"warm-up: {name} printed {len(values)} values of {counter}, not one number")
    return values[0]
