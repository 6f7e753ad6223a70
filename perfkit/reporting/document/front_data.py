"""What a report's files say of themselves to programs: subject and keywords."""

from __future__ import annotations

from typing import Any


def subject(front: dict[str, Any]) -> str:
    """The number and the subject; without one, the subtitle or the kind of report."""
    about = front["subject"] or front["subtitle"] or front["kind_of_report"]
    return ": ".join(part for part in (front["number"], about) if part)


def keywords(front: dict[str, Any]) -> list[str]:
    """The report's number, by which it is looked for, and its keywords."""
    return [word for word in (front["number"], *front["keywords"]) if word]
