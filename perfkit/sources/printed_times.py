"""Dates and times as tools and spreadsheets print them, where their form leaves no doubt."""

from __future__ import annotations

from datetime import datetime

import polars as pl

_DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d-%b-%Y", "%d %b %Y", "%d-%b-%y", "%b %d %Y",
    "%b %d, %Y",
)  # fmt: skip
_TIMES = ("%H:%M:%S", "%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
FORMS = (
    *(f"{date}{gap}{time}" for date in _DATES for time in _TIMES for gap in (" ", "T")),
    "%a %b %d %H:%M:%S %Y", "%a %b %e %H:%M:%S %Y", "%Y%m%d-%H%M%S", "%Y%m%d %H%M%S",
    "%Y%m%d%H%M%S",
)  # fmt: skip
SLASHED = ("%m/%d/%Y", "%d/%m/%Y")
"""American and European: a file's own days above 12 tell them apart."""


def local_time(date: tuple[int, int, int], time: tuple[int, int, int]) -> datetime | None:
    """A time on the clock of its host, whose zone tools do not print; None of one that is none."""
    try:
        return datetime(*date, *time)  # noqa: DTZ001
    except ValueError:
        return None


def hour_of_day(hour: int, half: str) -> int | None:
    """The hour of 24 by a clock of 12 and its half ("AM", "p"); None for an hour it has not."""
    if hour not in range(1, 13):
        return None
    return hour % 12 + (12 if half[0] in "Pp" else 0)


def datetimes(texts: pl.Series) -> pl.Series | None:
    """The times of a column, all in one form; None where the form is unknown or can be two."""
    told = texts.drop_nulls().str.strip_chars()
    if told.is_empty():
        return pl.Series(texts.name, [None], dtype=pl.Datetime("us")).extend_constant(
            None, len(texts) - 1
        )
    plain = texts.str.strip_chars().str.replace(r"(?:Z|\s*UTC|\s*GMT)$", "")
    for form in FORMS:
        made = _all_in(plain, form)
        if made is not None:
            return made
    for time in _TIMES:
        both = [_all_in(plain, f"{date} {time}") for date in SLASHED]
        found = [made for made in both if made is not None]
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            return None if not found[0].equals(found[1]) else found[0]
    return None


def _all_in(texts: pl.Series, form: str) -> pl.Series | None:
    first = texts.drop_nulls().head(1)
    if first.str.to_datetime(form, strict=False, time_unit="us").null_count():
        return None
    made = texts.str.to_datetime(form, strict=False, time_unit="us")
    return made if made.null_count() == texts.null_count() else None
