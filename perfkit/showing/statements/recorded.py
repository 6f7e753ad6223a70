"""The sentences about recordings over time: the level of each thing, and how busy the CPUs were."""

from __future__ import annotations

from functools import partial

from perfkit.analysis.curves.metrics import printed
from perfkit.analysis.over_time.cpu_recorded import BUSIEST, FULL
from perfkit.analysis.over_time.recorded import LEVEL, THROUGHPUT
from perfkit.core.answers import Answer
from perfkit.showing.sentences import Text
from perfkit.showing.statements.say import sentences
from perfkit.showing.statements.words import FORMS, has, number, quantity


def _with(text: Text, answer: Answer) -> str:
    """The throughput and mean latency beside a level: "with a mean latency of 1.00 ms"."""
    parts = [
        _told(text, answer, metric)
        for metric in ("bw_bytes_per_s", "lat_mean_s")
        if has(answer, metric)
    ]
    of_several = "" if answer.got.n == 1 else " in the median"
    return f"with {' and '.join(parts)}{of_several}" if parts else ""


def _told(text: Text, answer: Answer, metric: str) -> str:
    """One of them; a latency of 0 is that of no I/O, but less than the tool counts in."""
    found = number(answer, metric)
    if metric == "lat_mean_s" and not found:
        return "a mean latency that the tool prints as zero"
    return quantity(text, answer, metric, text.value(metric, found))


def range_of(text: Text, answer: Answer, words: str = "{} to {}", alike: str = "{}") -> str:
    """The lowest and the highest rate; one number where they print alike."""
    ends = (printed(_rate(answer), number(answer, name)) for name in ("lowest", "highest"))
    return text.ends(ends, words, alike)


def _rate(answer: Answer) -> str:
    """Which rate the lowest and highest are: of a recording without IOPS its throughput."""
    return answer.metric if answer.question == THROUGHPUT.name else "iops"


def _mostly_idle(answer: Answer) -> bool:
    """Whether a thing did nothing in half of its samples, so that its median says nothing of it."""
    return not answer.got.value and bool(number(answer, "highest"))


def _level(text: Text, answer: Answer) -> str:
    """The level of a thing: "200 IOPS as the median of 3 samples"; of one mostly idle its most."""
    rate = _rate(answer)
    if not _mostly_idle(answer):
        return f"{text.value(rate, answer.got.value)} {_samples(text, answer)}"
    most = text.value(rate, number(answer, "highest"))
    return f"at most {most}, and none in at least half of {text.count(answer.got.n or 0)} samples"


def _samples(text: Text, answer: Answer) -> str:
    """Over what a level is: "as the median of 21 samples"; of one it is no median."""
    count = answer.got.n or 0
    return "in one sample" if count == 1 else f"as the median of {text.count(count)} samples"


def _latency(text: Text, answer: Answer) -> str:
    """The mean latency of a thing that was mostly idle: that of the samples that have one."""
    if not has(answer, "lat_mean_s"):
        return ""
    return f"{_told(text, answer, 'lat_mean_s')} in the median of those with I/O"


def _beside(text: Text, answer: Answer) -> str:
    if _mostly_idle(answer):
        return f", {latency}" if (latency := _latency(text, answer)) else ""
    return f", {beside}" if (beside := _with(text, answer)) else ""


def _detail(text: Text, answer: Answer) -> str:
    """The range and what was beside it; of one sample its value is said already."""
    if _mostly_idle(answer):
        return f"{latency[0].upper()}{latency[1:]}." if (latency := _latency(text, answer)) else ""
    if answer.got.n == 1:
        return f"W{beside[1:]}." if (beside := _with(text, answer)) else ""
    return f"{range_of(text, answer, 'From {} to {}', 'All at {}')}{_beside(text, answer)}."


_recorded = partial(
    sentences,
    range=lambda text, answer: (
        ""
        if answer.got.n == 1 or _mostly_idle(answer)
        else range_of(text, answer, ", from {} to {}", ", all at {}")
    ),
    parts=_detail,
    level=_level,
    beside=_beside,
)
_recorded(
    LEVEL,
    THROUGHPUT,
    of={"measured": "{label}: {level}{range}{beside}."},
    headline={"measured": "{label}: {level}."},
    detail={"measured": "{parts}"},
)

# --- the CPUs of a recorded host ----------------------------------------------------------------


def _busy(text: Text, answer: Answer, name: str) -> str:
    return text.value("cpu_busy_ratio", number(answer, name))


def _ended(text: Text, answer: Answer) -> str:
    """Which interval: by the host's clock, else by the time since the recording began."""
    clock = answer.subject.get("ended")
    if answer.got.n == 1:
        return "in the one interval recorded"
    if clock is None and not has(answer, "t_s"):
        sample = text.count(number(answer, "sample")) if has(answer, "sample") else ""
        return f"in sample {sample}" if sample else "in their busiest interval"
    if clock is None:
        seconds = text(FORMS["seconds"].show(number(answer, "t_s")))
        return f"in the interval that ended {seconds} into the recording"
    return f"in the interval that ended at {text(clock)}"


def _usual(text: Text, answer: Answer) -> str:
    """What its other intervals say, where there are any."""
    if answer.got.n == 1:
        return ""
    median, many = _busy(text, answer, "median"), text.count(answer.got.n or 0)
    waiting = ""
    if has(answer, "iowait") and number(answer, "iowait"):
        most = _busy(text, answer, "iowait")
        waiting = f", and the highest share of idle time with I/O outstanding is {most}"
    return f"The median of {many} intervals is {median}{waiting}. "


def _single_cpus(text: Text, answer: Answer) -> str:
    """What is said of single CPUs, where the tool recorded them."""
    if not has(answer, "cpus"):
        return ""
    cpu = text(f"CPU {answer.subject.get('cpu')}")
    every, full = (int(number(answer, name)) for name in ("cpus", "cpus_full"))
    limit = text.value("cpu_busy_ratio", FULL)
    more = int(number(answer, "cpus_uncounted")) if has(answer, "cpus_uncounted") else 0
    unknown = f" For {text.count(more)} more, no time was counted." if more else ""
    if not full:
        highest = _busy(text, answer, "highest_of_one")
        return (
            f"No single CPU of {text.count(every)} was {limit} busy in any interval: the highest "
            f"is "
            f"{highest}, on {cpu}.{unknown}"
        )
    some = "Each" if full == every else text.count(full)
    times, of = (
        text.count(int(number(answer, name))) for name in ("full_samples", "single_samples")
    )
    were = "was" if full in {1, every} else "were"
    return (
        f"{some} of {text.count(every)} CPUs {were} at least {limit} busy in some interval, {cpu} "
        f"most often: in {times} of {of}.{unknown}"
    )


of_cpus = partial(
    sentences,
    busiest=lambda text, answer: _busy(text, answer, "value"),
    interval=_ended,
    usual=_usual,
    single=_single_cpus,
)
of_cpus(
    BUSIEST,
    of={
        "measured": "The CPUs of {label} were at most {busiest} busy, {interval}. {usual}{single}",
    },
    headline={"measured": "The CPUs of {label} were at most {busiest} busy, {interval}."},
    detail={"measured": "{usual}{single}"},
)
