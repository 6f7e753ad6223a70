"""What a reader must know beside a number: cautions by name, with arguments, in words.

A caution belongs to a claim or to the rows that it rests on. It is kept by name and arguments, so
that the first page, the sentence and the table say the same words, and a program can ask for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from perfkit.errors import AnalysisError, did_you_mean

WORDS: dict[str, str] = {
    # of the repeats
    "one_repeat": "{of} was measured once, so there is no interval",
    "two_repeats": "{of} was measured twice, which tells little of its spread",
    "no_spread": "the repeats of {of} do not differ, so there is no interval",
    "uneven_repeats": "the repeats of {of} do not have the same load points",
    "skewed_repeats": "the repeats of {of} are spread unevenly, so the interval may be too narrow",
    "autocorrelated": "neighbouring values of {of} are alike, so the interval may be too narrow",
    "repeat_unanswered": "not every repeat of {of} gives an answer, so there is no interval",
    "interval_too_wide": "the repeats of {of} lie too far apart for an interval",
    "zero_value": "a repeat of {of} has the value zero, so there is no interval",
    # of the curve
    "gap": "{what} of {of} missing at {place}",
    "one_load": "{of} was measured at one load only",
    "highest_load": "the most was measured at the highest load of {of}: its peak may lie higher",
    "plateau": "{loads} of {of} are not told apart by their intervals",
    "limit_not_reached": "{of} stayed within the limit at every load measured, up to {highest}",
    "comes_back": "the curve of {of} passes the value more than once",
    "no_io": "{of} did no I/O at {place}",
    "little_broken": "a result of {of} that breaks Little's law ran at another depth than it says, "
    "or was read wrongly",
    "host_may_hold": "the host of {of} was busy up to {share}, so it may be what holds its plateau",
    "host_unknown": "the host's CPU was not recorded: what holds the plateau of {of} is not known",
    # of a comparison
    "no_difference": "the interval of the change includes none: no difference is shown",
    "conditions_differ": "the two were measured under different conditions: {fields}",
    "curves_cross": "the curves cross at {at}: beyond it the other is ahead",
    "curves_cross_again": "the curves cross more than once: neither is ahead everywhere",
    "far_apart": "the latencies lie so far apart that the units of the sources may differ",
    "periods_overlap": "their periods overlap: neither is before the other",
    # of the measurement
    "saturated_queue": "{share} of the paced I/Os of {of} found the queue full",
    "rate_missed": "{of} did not keep its offered rate: {share} of it",
    "issue_time": "the latency of {of} counts from the issue of an I/O, not from its due time",
    "busy_host": "the host was {share} busy before the run",
    "stall": "{of} did no I/O for {time}",
    "overran": "{of} ran for {time} instead of {planned}",
    # of the source
    "coarse": "{of} is printed too coarsely for more",
    "truncated_name": "the source cuts the name {name} off",
    "unverified_dialect": "this form was written from documents and has met no real file",
}
"""Every caution: its name and its words, with a place for each argument."""


@dataclass(frozen=True, order=True)
class Caution:
    """One caution: a name of ``WORDS`` and the text of each of its arguments.

    Raises AnalysisError for a name that is none, or arguments that are not those of its words.
    """

    name: str
    arguments: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.name not in WORDS:
            raise AnalysisError(f"no caution {self.name!r}; {did_you_mean(self.name, list(WORDS))}")
        try:
            WORDS[self.name].format(**dict(self.arguments))
        except KeyError as missing:
            raise AnalysisError(f"caution {self.name}: no argument {missing}") from None

    @property
    def text(self) -> str:
        """The caution in words, without a full stop."""
        return WORDS[self.name].format(**dict(self.arguments))

    def record(self) -> dict[str, object]:
        """The JSON form."""
        return {"name": self.name, **dict(self.arguments)}


def caution(name: str, **arguments: str) -> Caution:
    """A caution from its name and arguments."""
    return Caution(name, tuple(sorted(arguments.items())))


def to_json(cautions: Iterable[Caution]) -> str | None:
    """Cautions as one column holds them; None for none."""
    found = [item.record() for item in dict.fromkeys(cautions)]
    return json.dumps(found, sort_keys=True, ensure_ascii=False) if found else None


def from_json(text: str | None) -> tuple[Caution, ...]:
    """The inverse of ``to_json``."""
    return tuple(_from_record(item) for item in json.loads(text)) if text else ()


def _from_record(record: Mapping[str, str]) -> Caution:
    return caution(record["name"], **{k: v for k, v in record.items() if k != "name"})
