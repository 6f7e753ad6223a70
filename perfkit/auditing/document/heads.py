"""Heads of tables: where one line holds several, where it divides; heads of several levels."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from perfkit.auditing.document.model import word_set

_LAST = word_set(
    "iops iop/s ops ops/s io/s mb/s gb/s mib/s gib/s kb/s mbps gbps ms us s sec % run host "
    "server node system test setting metric value name threads jobs model configuration "
    "workload latency throughput bandwidth parameter component step phase array controller "
    "protocol mode depth clients users sessions cores"
)
_FIRST = word_set(
    "read write total avg average mean max maximum min minimum p50 p95 p99 p99.9 cpu longest "
    "effective peak sum run median std random sequential aggregate combined host server user "
    "system reads writes stddev stdev standard change difference delta gain improvement"
)
_STATISTICS = word_set("avg average mean std stddev stdev standard min max median")


def divided(line: str, count: int) -> tuple[float, tuple[str, ...]] | None:
    """The likeliest division of a line of heads into so many, with how clear it is.

    None where it has fewer words. The score rises with signs of a boundary that are used and falls
    with those that are not: a closed bracket, a unit, a capital after a small letter.
    """
    words = line.split()
    if count < 1 or len(words) < count:
        return None
    gaps = [_boundary(words[i], words[i + 1]) for i in range(len(words) - 1)]
    order = sorted(range(len(gaps)), key=lambda i: (-gaps[i], i))
    chosen = sorted(order[: count - 1])
    left = sum(max(gaps[i], 0.0) for i in order[count - 1 :])
    score = sum(gaps[i] for i in chosen) - left
    edges = [0, *(i + 1 for i in chosen), len(words)]
    heads = tuple(" ".join(words[a:b]) for a, b in pairwise(edges))
    return score / len(words), heads


@cache
def _boundary(before: str, after: str) -> float:  # noqa: C901 - a list of signs, one by one
    if after.startswith(("(", "[")) or before in {"-", "/", "&", "+"} or after in {"/", "&", "+"}:
        return -9.0
    first, last = after.lower().strip("()"), before.lower().strip("()")
    score = -0.5
    if before.endswith((")", "]")):
        score += 5
    if last in _LAST or re.fullmatch(r"[a-z]*iops", last):
        score += 2
    if after.isdigit():
        score -= 4  # "Run 1 Run 2": the number belongs to the word before it
    if before.isdigit():
        score += 3
    if after[:1].isupper() and before[:1].islower():
        score += 1.5
    if first in _FIRST:
        score += 1
    if last in _STATISTICS and first in _STATISTICS:
        score += 4.5  # "Avg StdDev" are two
    if last in _FIRST and last not in {"run", "host", "server", "system"}:
        score -= 2.5
    if after[:1].islower() and first not in _FIRST:
        score -= 1.5
    return score


def joined(levels: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Heads of several levels as one: what stands above several columns belongs to each."""
    filled = [_filled(level) if level is not levels[-1] else level for level in levels]
    return tuple(
        " ".join(dict.fromkeys(part for part in parts if part))
        for parts in zip(*filled, strict=True)
    )


def _filled(level: tuple[str, ...]) -> tuple[str, ...]:
    found, before = [], ""
    for number, text in enumerate(level):
        # the first column's head stands by itself: what is empty beside it is not its
        before = text or (before if number > 1 else "")
        found.append(before)
    return tuple(found)
