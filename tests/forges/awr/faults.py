"""Damage: what happens to reports on their way, and what an attacker might send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

TAG = re.compile(rb"</?[a-z0-9]+[^<>]*>")
LINE = re.compile(rb"[^\n]*\n")
KINDS = ("cut", "splice", "swap", "flip", "repeat", "drop")


def damaged(data: bytes, kind: str, random: Random) -> bytes:
    """The report with one kind of damage at random places."""
    return {
        "cut": _cut, "splice": _splice, "swap": _swap, "flip": _flip, "repeat": _repeat,
        "drop": _drop,
    }[kind](data, random)  # fmt: skip


def mutations(reports: list[bytes], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """``count`` damaged reports: every kind in turn, one to three times over one another."""
    random = Random(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        data = damaged(random.choice(reports), kind, random)
        for _ in range(random.choice((0, 0, 1, 2))):
            data = damaged(data, random.choice(KINDS), random)
        yield kind, data


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _splice(data: bytes, random: Random) -> bytes:
    first, last = sorted((_place(data, random), _place(data, random)))
    place = _place(data, random)
    return data[:place] + data[first:last][:20_000] + data[place:]


def _pieces(data: bytes, random: Random) -> list[tuple[int, int]]:
    """Two tags near each other (HTML) or two lines (text), in order."""
    pattern = TAG if b"<table" in data else LINE
    start = _place(data, random)
    found = [
        match.span() for match, _ in zip(pattern.finditer(data, start), range(60), strict=False)
    ]
    return sorted(random.sample(found, 2)) if len(found) > 1 else []


def _swap(data: bytes, random: Random) -> bytes:
    pieces = _pieces(data, random)
    if not pieces:
        return data
    (a, b), (c, d) = pieces
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _flip(data: bytes, random: Random) -> bytes:
    made = bytearray(data)
    for _ in range(random.randint(1, 20) if made else 0):
        made[random.randrange(len(made))] ^= 1 << random.randrange(8)
    return bytes(made)


def _repeat(data: bytes, random: Random) -> bytes:
    pieces = _pieces(data, random)
    if not pieces:
        return data
    (a, _), (_, d) = pieces
    return data[:a] + data[a:d] * random.randint(2, 5) + data[d:]


def _drop(data: bytes, random: Random) -> bytes:
    pieces = _pieces(data, random)
    if not pieces:
        return data
    (a, b), (c, d) = pieces
    return data[:a] + data[b:c] + data[d:]
