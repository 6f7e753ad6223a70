"""How often the findings of each family were right, as judged by hand on public documents."""

from __future__ import annotations

JUDGED: dict[str, tuple[int, int]] = {}
"""Of each family: findings that were right, and all that were judged (tests/data/audit)."""


def precision_of(family: str) -> str:
    """The precision of a family in words: "12 of 13 right"."""
    right, judged = JUDGED.get(family, (0, 0))
    return f"{right} of {judged} right" if judged else "none judged yet"
