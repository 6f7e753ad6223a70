"""Cautions of runs and load generators, and their warnings as cautions: by name, with arguments.

A run records a caution by its name and arguments. What fio and elbencho say by themselves is text,
and so it is in runs that were recorded before cautions had their present names. What says that a
number may not mean what it seems to is a caution of the rows it touches; what only
tells of the record (lines that were left out, a time series that was lost) stays a warning of the
evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from perfkit.core.cautions import WORDS, Caution, caution, from_json, places, to_json

_S = r"[\d.]+(?:e[+-]?\d+)? s"

SAID: tuple[tuple[re.Pattern[str], str | None], ...] = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        # of the tools
        (r"run times from (?P<shortest>\d+) to (?P<longest>\d+) ms", "uneven_jobs"),
        (r"^job (?P<job>'.*') did no I/O$", "idle_job"),
        (r"synchronous I/O engine are selected, queue depth will be capped", "depth_capped"),
        (r"latency of (?P<latencies>\d+) I/Os, and (?P<done>\d+) were done", "latency_of_some"),
        (r"^client/server result of one client, without a sum", "one_client"),
        (r"steady state .*was not reached", "never_steady"),
        (r"steady state .*was not attained", "not_steady"),
        (
            r"^elbencho counts latency in whole microseconds.* (?P<width>\d+%) wide",
            "coarse_latency",
        ),
        (r"^fio's normal output states neither rate limits nor direct I/O", "normal_output"),
        # of runs that were recorded without arguments
        (r"(?P<share>\d+%) of the paced I/Os found the queue full", "saturated_queue"),
        (r"achieved (?P<share>[\d.]+%) of the offered ", "rate_missed"),
        (r"^paced: latency counts from the issue of an I/O", "issue_time"),
        (r"processors were (?P<share>[\d.]+%) busy before the run", "busy_host"),
        (r"processors were (?P<share>[\d.]+%) busy, so that it may", "host_at_limit"),
        (r"other programs used (?P<share>[\d.]+%) of the processors", "shared_host"),
        (r"(?P<share>[\d.]+%) of what .* moved .* was not this load's", "shared_target"),
        (
            r"swapping: (?P<read>.+) were read from swap space and (?P<written>.+) written to it",
            "swapping",
        ),
        (r"throttled: (?P<how>.+)", "throttled"),
        (rf"ran for (?P<time>{_S}) where (?P<planned>{_S}) were asked for", "overran"),
        (rf"no I/O completed for at least (?P<time>{_S})", "stall"),
        (r"one I/O took (?P<time>[\d.,]+ \S+), and most ", "slow_io"),
        (
            rf"drain-0*(?P<drain>\d+) took (?P<time>{_S}), longer than the period of "
            rf"(?P<period>{_S})",
            "drain_overran",
        ),
        (rf"the first thread was done (?P<time>{_S}) before the last", "uneven_threads"),
        (r"^the device was read as it was found", "device_as_found"),
        (r"^the target is on (?P<filesystem>\S+): this measures memory", "memory_target"),
        # these tell of the record, or of numbers that are null
        (r"interim results before the last one were left out", None),
        (r"lines of text around the (JSON|result) were not read", None),
        (r"is several sections in one \(group_reporting\)", None),
        (r"fio recorded no latency", None),
        (r"no histogram of latency: percentiles are null", None),
        (r"too few I/Os for ", None),
        (r"a counter of the disk ran over", None),
        (r"the time series could not be kept", None),
        (r"host sampling stopped|sampling did not start|the host gave no samples", None),
        (r"^no host\.csv: the host was not sampled", None),
    )
)
"""What a warning says -> the caution; its groups are the arguments. None: not of a number."""

QUIET = frozenset({"host_not_sampled", "no_time_series"})
"""Recorded cautions that tell of the record and are of no number."""


def cautions_of(warnings: Iterable[str], records: Any = None, *, of: str) -> tuple[Caution, ...]:
    """The cautions of one result, each once.

    Args:
        warnings: Its warnings, as text.
        records: Its ``cautions`` as a run records them: objects with ``name`` and ``text``.
        of: What the result is called.
    """
    listed = records if isinstance(records, list) else []
    listed = [
        item
        for item in listed
        if isinstance(item, dict)
        and all(isinstance(item.get(key), str) for key in ("name", "text"))
    ]
    known = {item["text"] for item in listed}
    found = [_recorded(item, of) for item in listed]
    found += [_said(text, of) for text in warnings if text not in known]
    return tuple(dict.fromkeys(item for item in found if item))


def name_of(record: Mapping[str, Any]) -> str:
    """The name of a recorded caution, also where it was called otherwise when it was recorded."""
    found = _recorded(record, "")
    return found.name if found and found.name != "reported" else _plain(record["name"])


def _plain(name: str) -> str:
    """A name as it is written now: it had blanks before."""
    return name.replace(" ", "_")


def _recorded(record: Mapping[str, Any], of: str) -> Caution | None:
    """By its name and arguments; one from before it had any by its text; None for a quiet one."""
    name, text, given = _plain(record["name"]), record["text"], record.get("arguments")
    if name in QUIET:
        return None
    if not isinstance(given, dict):
        # by its text where that is known, since it has the arguments; else by its name alone
        if _first(text) is None and name in WORDS and places(name) <= {"of"}:
            return _made(name, {}, of)
        return _said(text, of)
    wanted = places(name) - {"of"}
    arguments = {key: value for key, value in given.items() if isinstance(value, str)}
    if name not in WORDS or not wanted <= set(arguments):
        return caution("reported", of=of, text=text)
    return _made(name, {key: arguments[key] for key in wanted}, of)


def _said(text: str, of: str) -> Caution | None:
    found = _first(text)
    if found is None:
        return caution("reported", of=of, text=text)
    match, name = found
    return _made(name, match.groupdict(), of) if name else None


def _first(text: str) -> tuple[re.Match[str], str | None] | None:
    tried = ((pattern.search(text), name) for pattern, name in SAID)
    return next(((match, name) for match, name in tried if match), None)


def _made(name: str, arguments: dict[str, str], of: str) -> Caution:
    return caution(name, **arguments, **({"of": of} if "of" in places(name) else {}))


def with_cautions(points: pl.DataFrame, found: Iterable[Caution]) -> pl.DataFrame:
    """Load points with these cautions in every row, after their own."""
    own = list(found)
    told = [to_json([*from_json(text), *own]) for text in points["cautions"]]
    return points.with_columns(pl.Series("cautions", told, pl.String))
