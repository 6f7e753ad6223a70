"""How often the findings of each family were right, as judged by hand on public documents."""

from __future__ import annotations

JUDGED: dict[str, tuple[int, int]] = {
    "differences, percent and factors": (59, 60),
    "gains stated twice": (2, 2),
    "limits in sentences": (19, 19),
    "load points in words": (1, 1),
    "one value in two units": (1, 1),
    "options of a command": (2, 2),
    "order": (34, 34),
    "orders in words": (5, 5),
    "parts and totals": (27, 27),
    "percent and factors in sentences": (20, 20),
    "products and quotients": (11, 11),
    "sentences that stand twice": (3, 3),
    "things counted twice": (5, 5),
    "times and their whole": (3, 3),
}  # fmt: skip
"""Of each family: findings that were right, and all that were judged. Written from
tests/data/audit/judgements.tsv by tests/bench/count_judgements.py, as ``UNSEEN``."""

UNSEEN: dict[str, tuple[int, int]] = {
    "cells of two tables": (0, 6),
    "differences, percent and factors": (38, 104),
    "gains stated twice": (0, 1),
    "limits in sentences": (0, 4),
    "numbers quoted from a table": (0, 5),
    "one value in two units": (1, 9),
    "order": (21, 43),
    "orders in words": (0, 13),
    "parts and totals": (13, 54),
    "percent and factors in sentences": (14, 43),
    "products and quotients": (2, 19),
    "products in sentences": (3, 34),
    "requests by their size": (0, 14),
    "sentences that stand twice": (0, 2),
    "sums in sentences": (0, 1),
    "things counted twice": (0, 3),
}  # fmt: skip
"""The same at the first look at documents that no rule had seen; the rules were mended after it."""


LEAST_RIGHT = 2
"""So many findings of a family were right before it tells errors: one may be chance."""
OF_TABLES = frozenset({
    "differences, percent and factors", "order", "parts and totals", "products and quotients",
    "times and their whole",
})  # fmt: skip
"""Families whose relations other numbers of the same table show. Of those that only the words of a
sentence show, one in four was right at a first look (November 2026): they tell doubts."""


def is_proven(family: str) -> bool:
    """Whether a family may tell errors; others tell doubts."""
    return family in OF_TABLES and JUDGED.get(family, (0, 0))[0] >= LEAST_RIGHT


def precision_of(family: str) -> str:
    """The precision of a family in words; its rules were mended with the same documents."""
    right, judged = JUDGED.get(family, (0, 0))
    first_right, first = UNSEEN.get(family, (0, 0))
    today = f"{right} of {judged} right where its rules were made" if judged else ""
    unseen = f"{first_right} of {first} at a first look at others, mended since" if first else ""
    return "; ".join(filter(None, (today, unseen))) or "none judged yet"
