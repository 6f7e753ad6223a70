"""How often the findings of each family were right, as judged by hand on public documents."""

from __future__ import annotations

JUDGED: dict[str, tuple[int, int]] = {
    "parts and totals": (4, 4), "differences, percent and factors": (2, 2),
    "products and quotients": (4, 4), "order": (3, 3), "limits in sentences": (19, 19),
    "options of a command": (2, 2), "things counted twice": (5, 5), "gains stated twice": (2, 2),
    "sentences that stand twice": (3, 3), "orders in words": (5, 5), "load points in words": (1, 1),
    "times and their whole": (3, 3),
}  # fmt: skip
"""Of each family: findings that were right, and all that were judged: in five public reports
(tests/auditing/test_seeds.py) and the documents of tests/data/audit."""


def precision_of(family: str) -> str:
    """The precision of a family in words: "12 of 13 right"."""
    right, judged = JUDGED.get(family, (0, 0))
    return f"{right} of {judged} right" if judged else "none judged yet"
