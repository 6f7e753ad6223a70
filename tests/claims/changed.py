"""Sentences with one word or one number changed, as a slip of the hand or of the code changes them."""

from __future__ import annotations

import random
import re

OTHER = {
    "most": "least", "least": "most", "highest": "lowest", "lowest": "highest",
    "Within": "At", "At": "Within", "gave": "had", "had": "gave", "Ash": "Birch", "Birch": "Ash",
    "IOPS": "ms", "ms": "µs", "µs": "ms", "s": "ms", "K": "M", "mean": "median",
    "reached": "passed", "peak": "mean", "not": "", "does": "did", "only": "", "interpolated":
    "measured", "measured": "interpolated", "higher": "lower", "lower": "higher", "more": "fewer",
    "fewer": "more", "above": "below", "any": "every", "every": "any", "iodepth": "jobs",
    "repeats": "hosts", "one": "two", "missing": "there", "no": "a", "between": "beyond",
    "at": "below", "within": "beyond", "interval": "range", "latency": "throughput", "load": "rate",
    "times": "percent", "%": "times",
}  # fmt: skip
"""A word and what it is taken for."""

_TOKENS = re.compile(r"[\d,]*\d(?:\.\d+)?|[A-Za-zµ%]+")


def change(draw: random.Random, text: str) -> str:
    """The sentence with one of its numbers or words changed; never the same sentence."""
    places = [m for m in _TOKENS.finditer(text) if m[0][0].isdigit() or m[0] in OTHER]
    match = draw.choice(places)
    token = match[0]
    new = _number(draw, token) if token[0].isdigit() else OTHER[token]
    changed = text[: match.start()] + new + text[match.end() :]
    return re.sub(r"  +", " ", changed)


def _number(draw: random.Random, token: str) -> str:
    """One digit of the first three changed, or a digit more, as a factor of ten."""
    digits = [n for n, c in enumerate(token) if c.isdigit()]
    if draw.random() < 0.25:
        plain = token.replace(",", "")
        whole, dot, rest = plain.partition(".")
        return f"{int(whole) * 10:,}{dot}{rest}" if int(whole) else f"1{dot}{rest}"
    place = draw.choice(digits[:3])
    old = int(token[place])
    new = draw.choice([d for d in range(10) if d != old and not (place == 0 and d == 0)])
    return token[:place] + str(new) + token[place + 1 :]
