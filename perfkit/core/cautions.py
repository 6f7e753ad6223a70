"""What a reader must know beside a number: cautions by name, with arguments, in words.

A caution belongs to a claim or to the rows behind it. It is kept by name and arguments, so that
the first page, the sentence and the table use the same words, and programs can look for it.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from perfkit.core.errors import AnalysisError, check_name

OF_CLAIMS: dict[str, str] = {
    # of the repeats
    "one_repeat": "{of} was measured once, so there is no interval",
    "two_repeats": "{of} was measured twice, which says little about the spread",
    "no_spread": "the repeats of {of} do not differ, so there is no interval",
    "uneven_repeats": "the repeats of {of} were measured at different load points",
    "skewed_repeats": "the repeats of {of} are spread unevenly, so the interval may be too narrow",
    "autocorrelated": "neighbouring values of {of} are alike, so the interval may be too narrow",
    "repeat_unanswered": "not every repeat of {of} gives an answer, so there is no interval",
    "interval_too_wide": "the repeats of {of} lie too far apart for an interval",
    "zero_value": "a repeat of {of} has the value zero, so there is no interval",
    # of the curve
    "gap": "{of} has no {what} at {place}",
    "one_load": "{of} was measured at one load alone",
    "highest_load": "{of} gave the most IOPS at the highest load measured: the peak may be higher",
    "plateau": "the intervals of {of} do not distinguish between {loads}",
    "limit_not_reached": "{of} stayed within the limit at every load measured: {highest} at most",
    "best_of_grid": "{of} was the best of a grid of {curves} curves",
    "worst_of_grid": "{of} was the worst of a grid of {curves} curves",
    "comes_back": "the curve of {of} passes the value more than once",
    "no_io": "{of} did no I/O at {place}",
    "little_broken": "a result of {of} that breaks Little's law ran at a different depth than it "
    "states, or was read wrongly",
    "host_may_hold": "the host of {of} was up to {share} busy, so it may set the plateau",
    "host_unknown": "the host's CPU was not recorded: what limits {of} at its plateau is not known",
    # of a comparison
    "no_difference": "the interval includes no change: no difference is shown",
    "unlike_pairs": "the curves {of} are not compared: {why}",
    "compared_with_none": "{curves} in no comparison: {baseline} has none of the same workload, "
    "kind of load and configuration",
    "conditions_differ": "the two were measured under different conditions: {fields}",
    "curves_cross": "the curves cross at {at}: beyond it the other is ahead",
    "curves_cross_again": "the curves cross more than once: neither is ahead everywhere",
    "far_apart": "the latencies lie so far apart that the units of the sources may differ",
    "periods_overlap": "their periods overlap: neither is before the other",
    # of a workload
    "jobs_without_ratio": "{some} of {all} of {of} have no ratio of CPU to elapsed time and are "
    "left out: they asked a CAS server, whose CPU time is not in their logs, or lack a time",
    "steps_overlap": "the times of steps of {of} add up to more than their sessions took: some may "
    "have run side by side, as under SAS/CONNECT",
    # of a history
    "bounds_in_history": "{some} of {all} values of {of} are bounds: what they bound may lie "
    "beyond them",
    "few_runs": "{of} has {after} later runs against {before} earlier ones, which say little "
    "about their spread",
    # of a verdict
    "passes_again": "{of} passes again at a higher load: the first failure counts",
    "ceiling_below_floor": "the ceiling of {of} lies below its floor at {sizes}",
    "no_control": "there is no control run of {of} without the policy or the bully, so the cause "
    "is not shown",
    "repeats_disagree": "{some} of {all} repeats of {of} {lie} on the other side of the limit",
    "limit_in_interval": "the interval over the repeats of {of}, {interval}, contains the limit",
}
"""Cautions about claims, and about the repeats and curves behind them."""

OF_EVIDENCE: dict[str, str] = {
    # of the measurement
    "saturated_queue": "{share} of the paced I/Os of {of} found the queue full",
    "rate_missed": "{of} did not keep its offered rate: {share} of it",
    "background_missed": "the background load of {of} did not keep its offered rate: {share} of it",
    "targets_mixed": "{of} ran a different load than it states: I/O meant for its other targets, "
    "or for the background load, also used the files of the first target",
    "issue_time": "the latency of {of} counts from the issue of an I/O, not from its due time",
    "behind_schedule": "{of} was up to {time} behind its schedule, which its latencies, from the "
    "issue of an I/O, do not show",
    "busy_host": "the host was {share} busy before the run",
    "shared_host": "other programs used {share} of the processors' time during {of}",
    "host_at_limit": "the host's processors were {share} busy during {of}, so it may itself have "
    "set the pace",
    "swapping": "{read} was read from the host's swap space during {of}, and {written} written to "
    "it",
    "throttled": "the host's processors were slowed during {of}: {how}",
    "shared_target": "{share} of what the target's disk moved during {of} belonged to another load",
    "stall": "{of} did no I/O for {time}",
    "slow_io": "one I/O of {of} took {time}",
    "slow_time": "{of} was slow for {time} of {watched}: below a tenth of the rate, or above ten "
    "times the latency, of the best that it kept up",
    "unseen_time": "{time} of {of} falls in no interval, so a stall in it would not show",
    "overran": "{of} ran for {time} instead of {planned}",
    "drain_overran": "drain {drain} of {of} took {time}, longer than its period of {period}",
    "uneven_threads": "the first thread of {of} finished {time} before the last",
    "uneven_jobs": "the jobs of {of} did not run for the same time: the shortest {shortest} ms, "
    "the longest {longest} ms; the rate is over the longest",
    "unequal_jobs": "the {jobs} jobs of {of} were meant to do the same and did not: the slowest "
    "did {least} IOPS, the fastest {most}",
    "name_disagrees": "the name of {of} states a different load than the file itself, and the "
    "file is believed: {own}",
    "load_from_name": "the load of {of} is taken from its name, since the file does not state it: "
    "{load}",
    "ran_beside": "in {of} jobs of different block sizes or depths ran at the same time "
    "({others}): each slows the others, and their rates are not added up",
    "syncs_apart": "the latency of {of} leaves out the time of syncs",
    "limited": "{of} had a limit set ({limits}): the rate need not be the most that the storage "
    "can do",
    "idle_job": "job {job} of {of} did no I/O",
    "depth_capped": "the engine of {of} keeps one I/O in flight a job, whatever its depth",
    "latency_of_some": "the latency of {of} covers {latencies} I/Os, and {done} were done",
    "one_client": "{of} is the result of one client, and nothing says whether another one failed",
    "device_as_found": "the device was read as it was found: blocks never written may be answered "
    "without touching the medium",
    "memory_target": "the target is on {filesystem}: this measures memory, not storage",
    "fits_memory": "the {size} that is read and written fits into the {memory} of memory that the "
    "page cache may take: this may measure memory, not storage",
    "fits_array_cache": "the {size} that is read and written fits into the array's cache of "
    "{cache}, {ratio} of it: this may measure the cache, not what is behind it",
    "touched_fits": "{share} of the I/O of {of} went to blocks that it had touched before, about "
    "{size} (estimated), which fit into {cache}: this may measure the cache",
    "not_warm": "{what} still moved after {rounds} rounds of warm-up before {of}",
    "not_steady": "steady state was not attained before {of}",
    "never_steady": "the steady state that was asked for was not reached in {of}",
    "not_pts": "the steady state of {of} is {why}",
    "points_missing": "{there} of {planned} planned points gave a result: the others are in none "
    "of the numbers",
    "spread_assumed": "the repeats of {of} do not show their spread: {share} was assumed",
    "back_to_back": "the repeats of a load ran straight after each other, and {n} cannot tell "
    "whether they depend on each other: an interval over them may be too narrow",
    "hosts_apart": "the hosts of {of} differed by more than {limit}",
    "reported": "{of}: {text}",
    # of what was recorded
    "host_not_sampled": "what the host did during {of} is not known, or only in part: {why}",
    "observer_failed": "{failed} of {readings} readings of {observer} failed during {of}: {why}",
    "verify_failed": "after the last point, verification of what was written failed: {why}",
    "event_failed": "the event {event} of {of} failed: {why}",
    "no_time_series": "the time series of {of} could not be kept: {why}",
    # of a report of a database
    "one_instance": "{of} covers one instance of a cluster: what the others did is not included",
    "instances_missing": "{present} of {all} instances of {of} are in the sums",
    "written_by_root": "{of} covers a pluggable database: the root writes its data files and "
    "redo, which is why there are {writes} write IOPS beside {changes} block changes/s",
    "cut_off": "{of} is cut off: it ends in {section}, and what stood below is missing",
    "contains_restart": "an instance was started within the period of {of}: its counters begin "
    "there",
    "short_period": "{of} covers {time}, a short period: the means rest on few waits",
    "long_period": "{of} covers {time}: the means hide what was higher for part of that time",
    "io_disagrees": "in {of}, IO by Function counts {function} {what} requests/s and IO Profile "
    "{profile}: one of them is wrong",
    "few_waits": "the mean of {of} rests on {waits} waits",
    "time_not_listed": "{share} of DB time is in neither a wait class nor CPU",
    "time_twice": "wait classes and CPU add up to {share} more than DB time",
    "sync_spreads": "in a cluster, log file sync includes notifying the other instances",
    "paths_failed": "{failed} of {paths} paths to {of} had failed when multipath listed them",
    # of the source
    "coarse": "{of} is printed too coarsely for more",
    "coarse_latency": "the tool counts latency in whole microseconds, and its percentiles are the "
    "upper edges of buckets {width} wide",
    "normal_output": "whether a rate was set, or I/O was direct, is not stated in fio's normal "
    "output",
    # of a series of AWR reports
    "reports_left_out": "the trend leaves out {some} of {all} reports of {of}",
    "residual_time": "the DB time of {of} differs from CPU and waits by up to {share} of it, and "
    "substantially in {periods} of {all} periods: sessions waited for a CPU, or long calls were "
    "booked "
    "when "
    "they ended",
    "more_than_capacity": "{of} has more DB CPU than its {cores} cores: with several threads per "
    "core, each busy thread counts as a CPU",
    "lock_waits": "sessions of {of} waited {share} of DB time for locks: that time includes what "
    "the lock holders waited for meanwhile",
    "means_left_out": "some periods have fewer than {least} waits of {of}: the means of these are "
    "not used",
    # of a recorded host
    "counted_below": "{of} may lie on other devices of the recording: each I/O is then counted "
    "again on those",
    "truncated_name": "the source cuts off the name {name}",
    "unverified_dialect": "support for this file format was written from documentation alone: no "
    "real file was available",
}
"""Cautions about what was measured and how, whatever is claimed of it."""

WORDS = OF_CLAIMS | OF_EVIDENCE
"""Every caution: its name and its words, with a place for each argument."""

_REPEAT = "Repeat each load point at least three times."
_HIGHER = "Measure at higher loads: the peak may lie beyond the highest one."
ADVICE: dict[str, str] = {
    "one_repeat": _REPEAT,
    "two_repeats": _REPEAT,
    "highest_load": _HIGHER,
    "one_load": "Measure at several loads: one makes no curve.",
    "compared_with_none": "Give what belongs together the same labels in the study.",
    "limit_not_reached": "Measure at higher loads, until the latency passes the limit.",
    "back_to_back": "Run the repeats in rounds, not one straight after the other.",
    "host_at_limit": "Use more or faster hosts: these may have set the pace.",
    "host_unknown": "Record the host's CPU during the runs.",
    "shared_host": "Measure on hosts without another load.",
    "shared_target": "Measure while nothing else uses the storage.",
    "swapping": "Give the hosts enough memory not to swap.",
    "throttled": "Keep the processors at their rated speed during the runs.",
    "rate_missed": "Lower the offered rate, or add load generators, until the rate is kept.",
    "memory_target": "Put the target on the storage itself: this one is in memory.",
    "fits_memory": "Use a target larger than memory, or direct I/O.",
    "fits_array_cache": "Use a working set several times as large as the array's cache.",
    "touched_fits": "Spread the load over more data than a cache holds.",
    "device_as_found": "Write the whole device before measuring it.",
    "targets_mixed": "Measure it again: earlier job files gave every job the first target's files.",
    "verify_failed": "Find out why the target returns different data before measuring it again.",
    "not_steady": "Precondition the storage until it is steady.",
    "never_steady": "Precondition the storage until it is steady, or measure for longer.",
    "residual_time": "Look at the active session history of the periods with time in neither CPU "
    "nor waits.",
    "lock_waits": "Find out who held the locks, and what they waited for.",
    "one_instance": "Also make the report of the whole cluster.",
    "instances_missing": "Also make the reports of the other instances.",
    "written_by_root": "Also make the report of the root: it has the writes and the redo.",
    "cut_off": "Get the whole report: its file is cut off.",
    "contains_restart": "Make a report of a period without a restart.",
    "short_period": "Make a report that covers a quarter of an hour or more.",
    "long_period": "Make reports that each cover an hour or less of the time in question.",
    "paths_failed": "Repair the failed paths, and measure again.",
    "no_control": "Run the ramp once without the policy or the bully, as a control.",
    "repeats_disagree": _REPEAT,
    "few_runs": "Make more runs before acting on a change of level.",
    "limit_in_interval": "Repeat the runs until the interval lies on one side of the limit.",
}
"""What a caution advises, as a sentence; a caution that is not here advises nothing."""

NOT_SHOWN: dict[str, str] = {
    "one_repeat": "How far results vary from run to run.",
    "highest_load": "What happens above the highest load measured.",
    "no_control": "What causes the effect: there is no control run.",
    "no_difference": "A difference where the interval includes no change, nor that there is none.",
    "host_unknown": "Whether the hosts or the storage hold the plateau.",
    "conditions_differ": "How much of a change comes from the conditions that differ.",
    "residual_time": "What sessions did during DB time that is in neither CPU nor waits.",
    "sync_spreads": "How much of a commit's wait is due to the log, and how much to the cluster.",
    "lock_waits": "What lock holders waited for while others waited for them.",
    "memory_target": "What the storage does: the target is in memory.",
    "fits_memory": "What the storage does: the host's memory holds all of the target.",
    "fits_array_cache": "What the array does where its cache does not hold all of the data.",
    "one_instance": "What the other instances of the cluster ask of the storage.",
    "cut_off": "What stood in the part of a report that is cut off.",
    "instances_missing": "What the instances without a report did.",
    "written_by_root": "What the root writes for this pluggable database.",
    "long_period": "Peaks within the period.",
    "paths_failed": "When the paths failed: multipath lists no times.",
}
"""What a caution leaves open, as a sentence; one that is not here leaves nothing open."""


def told_by(words: Mapping[str, str], cautions: Iterable[Caution]) -> list[str]:
    """What these cautions advise (``ADVICE``) or leave open (``NOT_SHOWN``), each once."""
    return list(dict.fromkeys(words[item.name] for item in cautions if item.name in words))


@dataclass(frozen=True, order=True)
class Caution:
    """One caution: a name of ``WORDS`` and the text of each of its arguments.

    Raises AnalysisError for an unknown name, or arguments that do not fit its words.
    """

    name: str
    arguments: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check_name("caution", self.name, WORDS)
        try:
            WORDS[self.name].format(**dict(self.arguments))
        except KeyError as missing:
            raise AnalysisError(f"caution {self.name}: no argument {missing}") from None

    @property
    def text(self) -> str:
        """The caution in words, without a full stop."""
        return WORDS[self.name].format(**dict(self.arguments))

    @property
    def of(self) -> str | None:
        """What it is about; None for everything."""
        return dict(self.arguments).get("of")

    def record(self) -> dict[str, str]:
        """The JSON form."""
        return {"name": self.name, **dict(self.arguments)}


def caution(name: str, **arguments: str) -> Caution:
    """A caution from its name and arguments."""
    return Caution(name, tuple(sorted(arguments.items())))


def places(name: str) -> frozenset[str]:
    """The arguments that the words of a caution take; none for an unknown name."""
    found = string.Formatter().parse(WORDS.get(name, ""))
    return frozenset(place for _, place, _, _ in found if place)


def to_json(cautions: Iterable[Caution]) -> str | None:
    """Cautions as one column holds them; None for none."""
    found = [item.record() for item in dict.fromkeys(cautions)]
    return encode(found) if found else None


encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
"""JSON text; json.dumps would make an encoder for each of its calls."""


def from_json(text: str | None) -> tuple[Caution, ...]:
    """The inverse of ``to_json``."""
    return tuple(from_record(item) for item in json.loads(text)) if text else ()


def from_record(record: Mapping[str, str]) -> Caution:
    """The caution of a ``Caution.record``."""
    return caution(record["name"], **{k: v for k, v in record.items() if k != "name"})


MOST_NAMED = 3
"""At most this many things are named, and this many cautions of one kind all printed."""


def in_words(cautions: Iterable[Caution]) -> list[str]:
    """Cautions in words, one text for each kind, in order of first appearance.

    Cautions that differ only in what they are about become one text with the names; those that
    differ in their numbers, too, one with the range: "other programs used 50% to 85% of the
    processors' time during 24 results (most: A at 8 jobs)". Of many whose words differ only the
    worst is printed, with the count of the others.
    """
    kinds: dict[str, dict[tuple[tuple[str, str], ...], list[str]]] = {}
    for item in dict.fromkeys(cautions):
        rest = tuple(pair for pair in item.arguments if pair[0] != "of")
        kinds.setdefault(item.name, {}).setdefault(rest, []).extend(filter(None, [item.of]))
    return [_of_a_kind(name, same) for name, same in kinds.items()]


def sentence(cautions: Iterable[Caution]) -> str:
    """The cautions as one sentence next to a value; empty for none."""
    texts = in_words(cautions)
    return f"Caution: {'; '.join(texts)}." if texts else ""


SAID_BY = {
    "one_repeat": ("one repeat", "measured once"),
    "two_repeats": ("over only",),
    "no_spread": ("repeats that do not differ",),
    "repeat_unanswered": ("repeats has an answer",),
    "zero_value": ("a repeat has the value zero",),
    "interval_too_wide": ("repeats that differ too much",),
    "one_load": ("the only load measured",),
    "highest_load": ("the highest load measured",),
    "limit_not_reached": ("is within the limit",),
    "comes_back": ("more than once",),
    "no_difference": ("no difference is shown",),
    "host_unknown": ("CPU was not recorded",),
    "host_may_hold": ("may be host-bound",),
    "little_broken": ("or was read wrongly",),
    "paths_failed": (" had failed: ",),
    "instances_missing": (" together averaged ",),
}
"""Cautions that sentences about answers express themselves, by the words they use for it."""


def unsaid(cautions: Iterable[Caution], text: str) -> list[Caution]:
    """The cautions that a sentence does not express itself and that must follow it."""
    return [
        item for item in cautions if not any(words in text for words in SAID_BY.get(item.name, ()))
    ]


def _of_a_kind(name: str, same: Mapping[tuple[tuple[str, str], ...], Sequence[str]]) -> str:
    found = list(same.items())
    worst_first = sorted(found, key=lambda item: -_largest(item[0]))
    # those that differ in their numbers alone are said with their ranges
    arguments = [dict(rest) for rest, _ in found]
    made = {key: _range([item[key] for item in arguments]) for key in arguments[0]}
    ranges = {key: text for key, text in made.items() if text} if all(made.values()) else None
    if ranges is not None and len(found) > 1:
        names = [name for _, of in worst_first for name in of]
        most = f" (most: {names[0]})" if len(names) > MOST_NAMED else ""
        return _in_words(name, ranges, names) + most
    chosen = worst_first[:1] if len(found) > MOST_NAMED else found
    texts = [_in_words(name, dict(rest), of) for rest, of in chosen]
    more = sum(len(of) or 1 for _, of in found) - sum(len(of) or 1 for _, of in chosen)
    return "; ".join([*texts, *([f"and {more} more of this kind"] if more else [])])


OF_CURVES = frozenset(
    {
        "one_repeat", "two_repeats", "no_spread", "uneven_repeats", "skewed_repeats",
        "repeat_unanswered", "interval_too_wide", "zero_value", "one_load", "highest_load",
        "plateau", "limit_not_reached", "best_of_grid", "worst_of_grid",
    }
)  # fmt: skip
"""Cautions that are of whole curves, each over many files: these are counted, where there are many
and no argument ``counted`` says what else they are of."""

_PLURAL = {"was": "were", "is": "are", "has": "have", "covers": "cover"}


def _in_words(name: str, arguments: Mapping[str, str], of: Sequence[str]) -> str:
    """The words of a caution; of several things their verb is in the plural."""
    words = WORDS[name]
    if len(of) > 1:
        words = re.sub(
            r"^\{of\} (was|is|has|covers) ", lambda verb: f"{{of}} {_PLURAL[verb[1]]} ", words
        )
    counted = arguments.get("counted") or ("curves" if name in OF_CURVES else "results")
    return words.format(**arguments, **({"of": _names(of, counted)} if of else {}))


_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)(\D*)")


def _range(texts: Sequence[str]) -> str | None:
    """Numbers in one unit as "50% to 85%"; the text that all have; None for neither."""
    if len(set(texts)) == 1:
        return texts[0]
    found = [_NUMBER.fullmatch(text) for text in texts]
    if None in found or len({match[2] for match in found if match}) > 1:
        return None
    ordered = sorted(texts, key=lambda text: _largest([("", text)]))
    return f"{ordered[0]} to {ordered[-1]}"


def _largest(arguments: Iterable[tuple[str, str]]) -> float:
    """The largest of the numbers with which the arguments begin."""
    numbers = (re.match(r"\d[\d,]*(\.\d+)?", text) for _, text in arguments)
    return max((float(found[0].replace(",", "")) for found in numbers if found), default=0.0)


def _names(names: Sequence[str], counted: str) -> str:
    """Names in a row: "A, B and C"; of many how many: "24 curves"."""
    if len(names) > MOST_NAMED:
        return f"{len(names)} {counted}"
    shown = list(names)
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
