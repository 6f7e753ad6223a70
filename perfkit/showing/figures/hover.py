"""What a chart says under the pointer: numbers with their units, intervals and repeats."""

from __future__ import annotations


def repeats(count: int | None) -> str:
    """How many repeats a number rests on, in words; empty where that is not known."""
    return f"{count} repeat{'' if count == 1 else 's'}" if count else ""


def after(text: str) -> str:
    """A text that may be empty, with a comma before it."""
    return f", {text}" if text else ""


def unit(symbol: str) -> str:
    """A unit as it stands behind a number; nothing for a bare number, no blank before percent."""
    return symbol if symbol in {"", "%"} else f" {symbol}"
