"""What an elbencho phase was asked for, as rows of ``job_options``, in the words of sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.sources.elbencho.command import option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfkit.core.schema import Row
    from perfkit.formats.elbencho_json import Phase

LIMITS = ("--limitread", "--limitwrite")
"""Options that hold each thread to so many bytes per second."""

NO_LIMIT = "no"

_YES = {"true", "1"}
_NO = {"false", "0"}


def option_rows(phase: Phase) -> Iterator[Row]:
    """One row an option: what elbencho's configuration and command tell, nothing else.

    ``engine``, ``direct`` (yes, no), ``pattern`` (random, sequential), ``size`` (bytes of all
    files), ``rate_limit`` (of each thread, or "no"), ``hosts`` (how many).
    """
    config, size, paths = phase.config, phase.whole("file_size"), phase.whole("paths")
    found = {
        "engine": "elbencho",
        "direct": _truth(config.get("direct_io"), "yes", "no"),
        "pattern": _truth(config.get("random_offsets"), "random", "sequential"),
        "size": str(size * paths) if size and paths is not None else None,
        "rate_limit": _limit(phase.command) if phase.command else None,
        "hosts": config["hosts"] if phase.whole("hosts") is not None else None,
    }
    for name, value in found.items():
        if value is not None:
            yield {"jobname": phase.operation, "scope": "job", "option": name, "value": value}


def _truth(text: str | None, yes: str, no: str) -> str | None:
    return yes if text in _YES else no if text in _NO else None


def _limit(command: str) -> str:
    limits = [(name.removeprefix("--limit"), option(command, name)) for name in LIMITS]
    return ", ".join(f"{name} {value}" for name, value in limits if value is not None) or NO_LIMIT
