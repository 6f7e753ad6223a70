"""What an elbencho phase was asked for, as rows of ``job_options``, in the words of sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.sources.elbencho import command as elbencho_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfkit.formats.elbencho_json import Phase
    from perfkit.sources.fio.tables import Row

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
    config = phase.config
    found = {
        "engine": "elbencho",
        "direct": _truth(config.get("direct_io"), "yes", "no"),
        "pattern": _truth(config.get("random_offsets"), "random", "sequential"),
        "size": _size(config.get("file_size", ""), config.get("paths", "")),
        "rate_limit": _limit(config.get("command")),
        "hosts": config.get("hosts") if config.get("hosts", "").isdecimal() else None,
    }
    for name, value in found.items():
        if value is not None:
            yield {"jobname": phase.operation, "scope": "job", "option": name, "value": value}


def _truth(text: str | None, yes: str, no: str) -> str | None:
    return yes if text in _YES else no if text in _NO else None


def _size(size: str, paths: str) -> str | None:
    if not size.isdecimal() or not paths.isdecimal() or not int(size):
        return None
    return str(int(size) * int(paths))


def _limit(command: str | None) -> str | None:
    """None where the command is not known."""
    if not command:
        return None
    given = [(name, elbencho_command.option(command, name)) for name in LIMITS]
    told = [f"{name.removeprefix('--limit')} {value}" for name, value in given if value is not None]
    return ", ".join(told) or NO_LIMIT
