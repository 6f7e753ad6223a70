"""What an elbencho command asked for, and whether a phase did all of it.

An interrupted elbencho writes its results as if the phase had ended: nothing marks the row. What
shows it is the command, which stands beside the numbers: a time limit that was not reached, or a
part of the data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perfkit.core.schema import Row
from perfkit.core.units import MS_PER_S, parse_size
from perfkit.formats.elbencho_json import Phase

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
"""An argument, as elbencho writes its command."""

LIMITS = ("--limitread", "--limitwrite")
"""Options that hold each thread to so many bytes per second."""

NO_LIMIT = "no"

_YES = {"true", "1"}
_NO = {"false", "0"}

LIMIT_SHARE = 0.99
"""A phase that ended before this share of its time limit did not end by it."""


def option(command: str, name: str) -> str | None:
    """The value of an option ("" for one without), None if it is not there."""
    given: list[str] = _QUOTED.findall(command)
    for place, word in enumerate(given):
        if word == name:
            following = given[place + 1] if place + 1 < len(given) else ""
            return "" if following.startswith("-") else following
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def partial(command: str, elapsed_ms: int, moved: int | None, whole: int | None) -> str | None:
    """Why a phase that moved data is not a whole one; None if it is, as far as can be told.

    ``moved`` and ``whole`` are the bytes of one direction and of the data set.
    """
    limit = option(command, "--timelimit")
    seconds = elapsed_ms / MS_PER_S
    endless = option(command, "--infloop") is not None
    if limit and limit.isdecimal() and int(limit):
        short = seconds < LIMIT_SHARE * int(limit)
        if short and (endless or (moved is not None and whole is not None and moved < whole)):
            return f"ended after {seconds:g} s of a time limit of {limit} s: it was interrupted"
        return None
    if endless:
        return "runs in an endless loop without a time limit: only an interrupt ended it"
    amount = option(command, "--randamount")
    if amount:
        try:
            whole = parse_size(amount)
        except ValueError:
            return None
    if moved is not None and whole is not None and moved < whole:
        return f"moved {moved} of {whole} bytes: it was interrupted"
    return None


def option_rows(phase: Phase) -> Iterator[Row]:
    """One row an option: what elbencho's configuration and command tell, nothing else.

    ``engine``, ``direct`` (yes, no), ``pattern`` (random, sequential), ``size`` (bytes of all
    files), ``rate_limit`` (of each thread, or "no"), ``hosts`` (how many).
    """
    config, size, paths = phase.config, phase.whole("file_size"), phase.whole("paths")
    given = ((name.removeprefix("--limit"), option(phase.command, name)) for name in LIMITS)
    limits = ", ".join(f"{name} {value}" for name, value in given if value is not None)
    found = {
        "engine": "elbencho",
        "direct": _truth(config.get("direct_io"), "yes", "no"),
        "pattern": _truth(config.get("random_offsets"), "random", "sequential"),
        "size": str(size * paths) if size and paths is not None else None,
        "rate_limit": (limits or NO_LIMIT) if phase.command else None,
        "hosts": config["hosts"] if phase.whole("hosts") is not None else None,
    }
    for name, value in found.items():
        if value is not None:
            yield {"jobname": phase.operation, "scope": "job", "option": name, "value": value}


def _truth(text: str | None, yes: str, no: str) -> str | None:
    return yes if text in _YES else no if text in _NO else None
