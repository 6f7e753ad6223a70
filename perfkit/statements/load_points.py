"""What a sweep's load points say: peak, IOPS at a latency, knee, repeatability, verdict."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis import capacity, little
from perfkit.analysis.curves import CONFIDENCE, MEANS
from perfkit.analysis.cycles import FEWEST_CYCLES, LABEL
from perfkit.analysis.judge import judgements
from perfkit.analysis.metrics import limit_printed, metric_of, printed
from perfkit.analysis.series import Row, rows_with, series_labels
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import Format, Printed, format_size

if TYPE_CHECKING:
    from perfkit.values import Statement, Verdict

_COUNT = Format("1", decimals=0)
_PERCENT = Format("%", significant=2)
ONE, TWO = 1, 2


rows_of = functools.partial(rows_with, otherwise="nothing to say")


@step(version=1, name="say.peak")
def say_peak(peaks: Measured, *, value_id: str = "peak-iops") -> Statement:
    """The peak of each curve, from ``peak``: its IOPS, interval, load and mean latency."""
    rows = rows_of(peaks, "peaks", ("iops", "load", "status", "repeats"))
    text = Text()
    said = [
        _PEAK_WORDS[row["status"]](text, label, row)
        for label, row in zip(series_labels(rows), rows, strict=True)
    ]
    return text.done(value_id, said)


def _peak_inside(text: Text, label: str, row: Row) -> str:
    return (
        f"{text(label)} reached a peak of {text.value('iops', row['iops'])}{_interval(text, row)} "
        f"at {text.load(row['load_kind'], row['load'])}{_latency(text, row)}."
    )


def _peak_at_last(text: Text, label: str, row: Row) -> str:
    return (
        f"{text(label)} gave the most, {text.value('iops', row['iops'])}{_interval(text, row)}, "
        f"at {text.load(row['load_kind'], row['load'])}, the highest load measured"
        f"{_latency(text, row)}; its peak may lie higher."
    )


def _peak_only(text: Text, label: str, row: Row) -> str:
    return (
        f"{text(label)} was measured at one load only, {text.load(row['load_kind'], row['load'])}, "
        f"and gave {text.value('iops', row['iops'])}{_interval(text, row)}"
        f"{_latency(text, row)}; this says nothing about its peak."
    )


def _peak_missing(text: Text, label: str, _row: Row) -> str:
    return f"The peak of {text(label)} is not known, because a load point has no IOPS."


_PEAK_WORDS: dict[str, Callable[[Text, str, Row], str]] = {
    capacity.INSIDE: _peak_inside,
    capacity.AT_LAST: _peak_at_last,
    capacity.ONLY_POINT: _peak_only,
    capacity.MISSING: _peak_missing,
}


def _latency(text: Text, row: Row) -> str:
    if row.get("lat_mean_s") is None:
        return ""
    return f", with a mean latency of {text.value('lat_mean_s', row['lat_mean_s'])}"


def _interval(text: Text, row: Row) -> str:
    if row["iops_low"] is None:
        return " (one repeat, so no interval)"
    only = "only " if row["repeats"] == TWO else ""
    bounds = f"{_bare(text, row, 'iops_low')} to {_bare(text, row, 'iops_high')}"
    share = text(Format("%").show(CONFIDENCE))
    return f" ({share} interval {bounds}, over {only}{text.count(row['repeats'])} repeats)"


def _bare(text: Text, row: Row, bound: str) -> str:
    """A bound in the unit of its mean, which stands before it: the number alone."""
    unit = printed("iops", row["iops"]).unit
    shown = Format(unit, significant=3).show(row[bound])
    return text(replace(shown, text=Format(unit, significant=3).number(row[bound])))


@step(version=1, name="say.iops_at_latency")
def say_iops_at_latency(answers: Measured, *, value_id: str = "iops-at-latency") -> Statement:
    """The IOPS each curve held under the latency limit, from ``iops_at_latency``."""
    rows = rows_of(answers, "answers", ("metric", "limit_s", "iops", "status", "first_iops"))
    text = Text()
    said = [
        _AT_LATENCY_WORDS[row["status"]](text, label, row)
        for label, row in zip(series_labels(rows), rows, strict=True)
    ]
    return text.done(value_id, said)


def _limit(text: Text, row: Row) -> str:
    metric = metric_of(row["metric"])
    phrase = text.a(metric.phrase(row["direction"] or "total"))
    return f"{phrase} of {text(limit_printed(row['limit_s']))}"


def _crossed(text: Text, label: str, row: Row) -> str:
    between = ""
    if row["status"] == capacity.INTERPOLATED:
        low, high = (text.load(row["load_kind"], row[k]) for k in ("load_below", "load_above"))
        between = f", interpolated between {low} and {high}"
    note = f"; it {row['note']}" if row["note"] else ""
    return (
        f"At {_limit(text, row)}, {text(label)} delivered "
        f"{text.value('iops', row['iops'])}{between}{note}."
    )


def _at_least(text: Text, label: str, row: Row) -> str:
    return (
        f"{text(label)} delivered at least {text.value('iops', row['iops'])} at "
        f"{_limit(text, row)}: the limit was not reached at any load measured "
        f"(highest value {text.value(row['metric'], row['nearest_s'])})."
    )


def _not_reached(text: Text, label: str, row: Row) -> str:
    return (
        f"{text(label)} did not stay within {_limit(text, row)} at any load: at its lowest load "
        f"it gave {text.value('iops', row['first_iops'])} at "
        f"{text.value(row['metric'], row['nearest_s'])}."
    )


def _unknown(text: Text, label: str, row: Row) -> str:
    return (
        f"The IOPS of {text(label)} at {_limit(text, row)} are not known, because a value is "
        f"missing at a load point."
    )


_AT_LATENCY_WORDS: dict[str, Callable[[Text, str, Row], str]] = {
    capacity.INTERPOLATED: _crossed,
    capacity.MEASURED: _crossed,
    capacity.AT_LEAST: _at_least,
    capacity.NOT_REACHED: _not_reached,
    capacity.MISSING: _unknown,
}


def _by_series(curve: Measured, columns: tuple[str, ...]) -> dict[str, list[Row]]:
    rows = rows_of(curve, "curve", (*columns, "load", "load_kind"))
    found: dict[str, list[Row]] = {}
    for label, row in zip(series_labels(rows), rows, strict=True):
        found.setdefault(label, []).append(row)
    return found


@step(version=1, name="say.lowest_latency")
def say_lowest_latency(
    curve: Measured, metric: str = "lat_mean_s", *, value_id: str = "lowest-latency"
) -> Statement:
    """The lowest latency of each curve and the load it was measured at."""
    text = Text()
    said = []
    for label, rows in _by_series(curve, (metric, "iops")).items():
        name = text(metric_of(metric).phrase(rows[0].get("direction") or "total"))
        known = [row for row in rows if row[metric] is not None]
        if not known:
            said.append(f"The {name} of {text(label)} is not known.")
            continue
        best = min(known, key=lambda row: row[metric])
        said.append(
            f"The lowest {name} of {text(label)} was {text.value(metric, best[metric])}, at "
            f"{text.load(best['load_kind'], best['load'])} and "
            f"{text.value('iops', best['iops'])}."
        )
    return text.done(value_id, said)


_METHODS = {"power": "Kleinrock's power", "kneedle": "the Kneedle distance"}


@step(version=1, name="say.knee")
def say_knee(knees: Measured, *, value_id: str = "knee") -> Statement:
    """The knee of each curve with the method's name, or why there is none, from ``knee``."""
    rows = rows_of(knees, "knees", ("method", "found", "reason", "load", "iops"))
    text = Text()
    said = []
    for label, row in zip(series_labels(rows), rows, strict=True):
        method = _METHODS[row["method"]]
        if row["found"]:
            said.append(
                f"By {method}, the knee of {text(label)} lies at "
                f"{text.load(row['load_kind'], row['load'])}: "
                f"{text.value('iops', row['iops'])}{_latency(text, row)}."
            )
        else:
            said.append(
                f"By {method}, no knee is reported for {text(label)}: {text(row['reason'])}."
            )
    return text.done(value_id, said)


@step(version=1, name="say.repeatability")
def say_repeatability(curve: Measured, *, value_id: str = "repeatability") -> Statement:
    """How far the repeats agreed: the widest interval of IOPS and of mean latency."""
    rows = rows_of(curve, "curve", ("repeats", *MEANS, "iops_low", "lat_mean_s_low"))
    text = Text()
    fewest, most = (f(row["repeats"] for row in rows) for f in (min, max))
    if most == ONE:
        once = "Each load point was measured once, so no interval can be given."
        return text.done(value_id, [once])
    measured = text.count(fewest) if fewest == most else (
        f"between {text.count(fewest)} and {text.count(most)}"
    )  # fmt: skip
    times = "times" if most > ONE else "time"
    said = [f"Each load point was measured {measured} {times}."]
    widths = {m: _widest(rows, m) for m in ("iops", "lat_mean_s")}
    for metric, words in (("iops", "mean IOPS"), ("lat_mean_s", "mean latency")):
        if widths[metric] is not None:
            said.append(
                f"The {text(Format('%').show(CONFIDENCE))} interval of {words} is at most "
                f"±{text(_PERCENT.show(widths[metric]))} of its value."
            )
    if fewest == ONE:
        said.append("A load point measured once has no interval.")
    if TWO in (fewest, most):
        said.append("Intervals over two repeats rest on one degree of freedom.")
    return text.done(value_id, said)


def _widest(rows: list[Row], metric: str) -> float | None:
    widths = [
        (row[f"{metric}_high"] - row[metric]) / row[metric]
        for row in rows
        if row[f"{metric}_high"] is not None and row[metric]
    ]
    return max(widths, default=None)


@step(version=1, name="say.little")
def say_little(
    checks: Measured, *, tolerance: float = little.TOLERANCE, value_id: str = "littles-law"
) -> Statement:
    """Whether IOPS times mean latency is the depth, from ``little_check`` (same tolerance)."""
    rows = rows_of(checks, "checks", ("status", "ratio"))
    text = Text()
    checked = [row for row in rows if row["status"] != little.NOT_APPLICABLE]
    off = [row for row in checked if row["status"] == little.OFF]
    if not checked:
        none = "Little's law cannot be applied: no result is of a closed loop of known depth."
        return text.done(value_id, [none])
    total = text.many(len(checked), "closed-loop result", "closed-loop results")
    within = f"within {text(Format('%').show(tolerance))}"
    if not off:
        lead = "In all" if len(checked) > ONE else "In the"
        said = [f"{lead} {total}, IOPS times mean latency equals the I/Os in flight {within}."]
    else:
        worst = max(off, key=lambda row: abs(row["ratio"] - 1))
        said = [
            f"In {text.count(len(off))} of {total}, IOPS times mean latency does not equal the "
            f"I/Os in flight {within}; the furthest finds {text(_PERCENT.show(worst['ratio']))} of "
            f"them. Such a result ran at another depth than it says, or was read wrongly."
        ]
    return text.done(value_id, said)


@step(version=1, name="say.cycles")
def say_cycles(drains: Measured, *, value_id: str = "drain-cycles") -> Statement:
    """The longest drain and the number of cycles, from ``drain_summary``; never called GenIO."""
    rows = rows_of(drains, "drains", ("workload", "load", "cycles", "drain_longest_s", "judgeable"))
    text = Text()
    said = [_cycle_words(text, row) for row in rows]
    return text.done(value_id, [*said, f"The workload is {LABEL}."])


def _cycle_words(text: Text, row: Row) -> str:
    load = text.load(row["load_kind"], row["load"])
    where = f"At {load}" + (f", repeat {text.count(row['repeat'])}" if row["repeat"] else "")
    if row["drain_longest_s"] is None:
        return f"{where}, no drain was completed."
    planned = text.many(row["cycles_planned"], "drain", "drains")
    longest = text.value("drain_longest_s", row["drain_longest_s"])
    short = "" if row["judgeable"] else (
        f"; no verdict on fewer than {text.count(FEWEST_CYCLES)} cycles"
        if row["cycles"] < FEWEST_CYCLES
        else "; no verdict, because a planned drain did not happen"
    )  # fmt: skip
    return (
        f"{where}, {text.count(row['cycles'])} of {planned} completed, the longest in "
        f"{longest}{short}."
    )


def say_verdict(verdict: Verdict, *, value_id: str = "verdict-summary") -> Statement:
    """How many criteria were met, failed and not judged, and each that was not met."""
    return _say_verdict(judgements(verdict), value_id=value_id)


@step(version=1, name="say.verdict")
def _say_verdict(judged: Measured, *, value_id: str) -> Statement:
    rows = judged.frame.rows(named=True)
    text = Text()
    if not rows:
        return text.done(value_id, ["No criterion was given, so nothing was judged."])
    met = sum(row["outcome"] == "pass" for row in rows)
    total = text.many(len(rows), "judgement", "judgements")
    lead = f"All {total} passed." if met == len(rows) > ONE else (
        f"Of {total}, {text.count(met)} passed."
    )  # fmt: skip
    return text.done(value_id, [lead, *(_unmet(text, row) for row in rows
                                        if row["outcome"] != "pass")])  # fmt: skip


def _unmet(text: Text, row: Row) -> str:
    subject = f"{text(row['criterion'])} ({text(row['scope'])})"
    rule = text(row["rule"])
    if row["outcome"] == "not judged":
        return f"{subject} could not be judged: {text(row['reason'] or 'no value')}."
    shown = Printed(row["value_text"], row["value"], row["value_unit"], row["value_rounding"])
    return f"{subject} failed: {text(shown)} against the rule {rule}."


@step(version=1, name="say.host")
def say_host(host: Measured, *, value_id: str = "host") -> Statement:
    """What the load ran on, from the run's ``host`` facts; a fact that is missing is left out."""
    rows = rows_of(host, "host", ("group", "fact", "value"))
    facts = {(row["group"], row["fact"]): row["value"] for row in rows if row["value"]}
    text = Text()
    threads = facts.get(("host", "cpu_threads"))
    memory = facts.get(("host", "memory_bytes"))
    parts = [
        _known(text, "{} logical CPUs" if threads != "1" else "{} logical CPU", threads),
        _known(text, "({})", facts.get(("host", "cpu_model"))),
        _known(text, "and {} of memory", format_size(int(memory)) if memory else None),
        _known(text, "under {}", facts.get(("host", "os"))),
        _known(text, "with kernel {}", facts.get(("host", "kernel"))),
    ]
    known = " ".join(part for part in parts if part)
    if not known:
        return text.done(value_id, ["The facts of the host were not recorded."])
    virtual = facts.get(("host", "virtual_machine"), "").lower() == "true"
    return text.done(
        value_id, [f"The load ran on {'a virtual machine' if virtual else 'a host'} with {known}."]
    )


def _known(text: Text, words: str, fact: str | None) -> str:
    return words.format(text(fact)) if fact else ""
