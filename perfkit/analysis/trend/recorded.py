"""What was recorded beside runs: conditions and facts in words, and which of them changed where."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perfkit.core.units import format_size

NEAR = 2
"""A fact that changed at most this many runs from a shift is named with it: so well is its place
known."""

OFTEN = 4
"""A fact that changes with every fourth run or more is named with no shift."""


@dataclass(frozen=True)
class FactChange:
    """A recorded fact that changed: at the run ``place``, the first with its new value."""

    name: str
    before: Any
    after: Any
    place: int

    @property
    def words(self) -> str:
        """The words "firmware 9.14.1 to 9.15"."""
        before, after = (_value(self.name, value) for value in (self.before, self.after))
        return f"{_called(self.name)} {before} to {after}"


def fact_changes(facts: Sequence[str]) -> list[FactChange]:
    """The facts of runs that changed from one run to the next, in order.

    What a run did not record neither changes nor confirms a fact. A fact that changes with every
    fourth run or more often says nothing of a shift.
    """
    last: dict[str, Any] = {}
    found: list[FactChange] = []
    for place, text in enumerate(facts):
        for name, value in json.loads(text).items():
            if value is None:
                continue
            if name in last and last[name] != value:
                found.append(FactChange(name, last[name], value, place))
            last[name] = value
    counts: dict[str, int] = {}
    for item in found:
        counts[item.name] = counts.get(item.name, 0) + 1
    most = max(1, len(facts) // OFTEN)
    return [item for item in found if counts[item.name] <= most]


def near(changes: Sequence[FactChange], place: int) -> list[FactChange]:
    """The facts that changed with a shift at ``place``."""
    return [item for item in changes if abs(item.place - place) <= NEAR]


def told(changes: Sequence[FactChange], place: int) -> str | None:
    """Facts that changed with a shift at ``place``, in words; None for none."""
    return "; ".join(f"{item.words}{_apart(item.place - place)}" for item in changes) or None


def _apart(runs: int) -> str:
    if runs == 0:
        return ""
    count = "one run" if abs(runs) == 1 else f"{abs(runs)} runs"
    return f" ({count} {'before' if runs < 0 else 'after'})"


def moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The conditions that differ, in words: "read block size 8 KiB to 16 KiB"."""
    names = [
        name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name)
    ]
    told = [f"{_called(n)} {_value(n, before.get(n))} to {_value(n, after.get(n))}" for n in names]
    return told or ["conditions"]


def in_words(name: str, value: Any) -> str:
    """A condition with its value: "read block size 8 KiB"."""
    return f"{_called(name)} {_value(name, value)}"


def _called(name: str) -> str:
    return name.removesuffix("_bytes").replace("_", " ")


def _value(name: str, value: Any) -> str:
    if value is None:
        return "not stated"
    if name.endswith("_bytes") and isinstance(value, int | float):
        return format_size(int(value))
    return str(value)
