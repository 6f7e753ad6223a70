"""The mean wait of an event: one rule for readers and analysis."""

from __future__ import annotations

ENOUGH_S = 100.0
"""From so long a total on, its printed rounding (half a second at worst) is 0.5% or less."""

FINE = 0.005
"""A printed mean whose rounding is at most this share of it is taken."""

_HALF_MS = 0.0005


def mean_wait(total_s: float | None, waits: float | None, printed_s: float | None) -> float | None:
    """The mean wait in seconds: total / waits; of a total below 100 s the printed mean.

    Totals are printed in whole seconds, and up to 11.2 means in whole milliseconds. Null where
    both are too coarse: a mean of 0 ms is not no time.
    """
    if total_s is not None and waits and total_s >= ENOUGH_S:
        return float(total_s / waits)
    if not printed_s:
        return None
    fine = printed_s * 1000 != round(printed_s * 1000) or FINE * printed_s >= _HALF_MS
    return float(printed_s) if fine else None
