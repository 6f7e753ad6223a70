"""The sentences and headlines of one AWR or Statspack report (``analysis.awr.single``)."""

from __future__ import annotations

from functools import partial

from perfkit.analysis.awr.single import APART, COMMIT, IO, LIMIT, LOAD, READ, SHORT, STORAGE, TIME
from perfkit.analysis.awr.single_time import CPU, IN_NONE
from perfkit.analysis.curves.metrics import exact_printed, printed
from perfkit.core.answers import Answer
from perfkit.core.units import Format
from perfkit.showing.sentences import Text
from perfkit.showing.statements import say
from perfkit.showing.statements.words import class_waits, has, number

_SHARE = Format("%", decimals=1)
_LEAST = 0.001
"""The last digit of a share."""

_SESSIONS = Format("1", significant=3)
_ACTIVE, _EVENT = "average_active_sessions", "longest_event"


def _share(text: Text, answer: Answer) -> str:
    return _little(text, answer.got.value)


def _shares(text: Text, answer: Answer) -> str:
    """The parts of DB time in a row: "User I/O 20.8%, Other 2.6%"."""
    return ", ".join(
        f"{text(item.metric)} {_little(text, item.value)}"
        for item in answer.conditions
        if item.metric not in {_ACTIVE, _EVENT}
    )


def _little(text: Text, share: float) -> str:
    """A share, or below which it lies where it would print as nothing."""
    if 0 < share < _LEAST / 2:
        return f"below {text(_SHARE.show(_LEAST))}"
    return text(_SHARE.show(share))


_PARTS = {CPU: "CPU took", IN_NONE: "Time in neither CPU nor waits made up"}


def _most(text: Text, answer: Answer) -> str:
    """The longest part and its share, and how busy the database was."""
    label = answer.subject.label
    part = _PARTS.get(label) or f"{class_waits(text, label)} took"
    said = f"{part} {_share(text, answer)} of DB time"
    if not has(answer, _ACTIVE):
        return said
    sessions = text(_SESSIONS.show(number(answer, _ACTIVE)))
    return f"{said}; {sessions} sessions were active on average"


def _next(text: Text, answer: Answer) -> str:
    """The parts that come next, and the one event that was waited for longest."""
    shares = _shares(text, answer)
    said = [f"Next: {shares}."] if shares else []
    if has(answer, _EVENT):
        share = text(_SHARE.show(number(answer, _EVENT)))
        said.append(f"The longest wait was {text(str(answer.subject.get('event')))}, {share}.")
    return " ".join(said)


def _waits(text: Text, answer: Answer) -> str:
    if not has(answer, "waits"):
        return "The mean is over the waits of foreground sessions."
    many = text.many(int(number(answer, "waits")), "wait", "waits")
    return f"The mean is over {many} of foreground sessions."


_PERCENTILES = {"p50": "median", "p99": "99th percentile"}


def _percentiles(text: Text, answer: Answer) -> str:
    """In which buckets percentiles lie, which is all that a histogram says."""
    said = [
        f"the {text(words)} lies {_band(text, answer, name)}"
        for name, words in _PERCENTILES.items()
        if has(answer, f"{name}_lower_s")
    ]
    return f" In the histogram of all sessions' waits, {' and '.join(said)}." if said else ""


def _band(text: Text, answer: Answer, name: str) -> str:
    lower = number(answer, f"{name}_lower_s")
    if not has(answer, f"{name}_upper_s"):
        return f"above {_edge(text, lower)}"
    upper = _edge(text, number(answer, f"{name}_upper_s"))
    return f"between {_edge(text, lower)} and {upper}" if lower else f"below {upper}"


def _edge(text: Text, seconds: float) -> str:
    return text(exact_printed("lat_mean_s", seconds))


_sentences = partial(
    say.sentences,
    share=_share,
    shares=_shares,
    most=_most,
    next=_next,
    mean=lambda text, answer: text.value("lat_mean_s", answer.got.value),
    waits=_waits,
    percentiles=_percentiles,
)

_sentences(
    TIME,
    of={
        "measured": "{most}. {next}",
        "missing": "Where DB time went is not known: {why}.",
    },
    headline={"measured": "{most}."},
    detail={"measured": "{next}"},
)

_OF_STORAGE = (
    "By class: {shares}. Shorter waits for storage can directly save no more DB time than this. "
    "Other classes can wait for storage in turn, as free buffer waits do."
)
_sentences(
    STORAGE,
    of={
        "measured": "Waits for I/O and commits took {share} of DB time. " + _OF_STORAGE,
        "missing": "How much of DB time went to storage is not known: {why}.",
    },
    headline={"measured": "Waits for I/O and commits took {share} of DB time."},
    detail={"measured": _OF_STORAGE},
)

_sentences(
    READ,
    of={
        "measured": "{label} took {mean} on average. {waits}{percentiles}",
        "missing": "How long data I/O took is not known: {why}.",
    },
    headline={"measured": "{label} took {mean} on average."},
    detail={"measured": "{waits}{percentiles}"},
)


_sentences(
    LIMIT,
    of={
        "measured <=": "The mean wait of {label}, {wait}, is within the limit of {limit}.",
        "measured >=": "The mean wait of {label}, {wait}, is above the limit of {limit}.",
        "missing": "Whether data I/O is slow is not known: {why}.",
        "not_judged": "Whether {label} is slow is not judged: {why}.",
    },
    wait=lambda text, answer: text.value("lat_mean_s", number(answer, "mean_s")),
    # exact, as the study states it
    limit=lambda text, answer: _edge(text, number(answer, "limit_s")),
)


def _write(text: Text, answer: Answer) -> str:
    """What the log writer's own writes took, and how many commits there were."""
    said = []
    took = [
        printed("lat_mean_s", number(answer, name))
        for name in ("write_s", "write_least_s", "write_most_s")
        if has(answer, name)
    ]
    if took:
        how_long = text.ends(
            (took[0], took[-1]), "{} to {} by instance",
            "{} on each instance" if has(answer, "write_least_s") else "{}",
        )  # fmt: skip
        said.append(f"log file parallel write, the log writer's own wait, took {how_long}")
    if has(answer, "commits_per_s"):
        rate = text(Format("1", significant=3).show(number(answer, "commits_per_s")))
        said.append(f"users committed {rate} times a second")
    return f" On average {' and '.join(said)}." if said else ""


_sentences(
    COMMIT,
    of={
        "measured": "A commit waited {mean} for log file sync on average. {waits}{write}",
        "missing": "What commits wait for is not known: {why}.",
        "not_judged": "What commits wait for is not judged: {why}.",
    },
    headline={"measured": "A commit waited {mean} for log file sync on average."},
    detail={"measured": "{waits}{write}"},
    write=_write,
)


def _rates(text: Text, answer: Answer) -> str:
    """IOPS, and bytes per second where they are known."""
    said = [text.value("iops", answer.got.value)]
    if has(answer, "bw_bytes_per_s"):
        said.append(text.value("bw_bytes_per_s", number(answer, "bw_bytes_per_s")))
    return " and ".join(said)


def _directions(text: Text, answer: Answer) -> str:
    if not (has(answer, "read_iops") and has(answer, "write_iops")):
        return ""
    read, write = (text.value("iops", number(answer, f"{name}_iops")) for name in ("read", "write"))
    return f"Reads: {read}; writes: {write}."


_sentences(
    IO,
    of={
        "measured": "The database did {rates}. {directions}",
        "missing": "How much I/O the database did is not known: {why}.",
    },
    headline={"measured": "The database did {rates}."},
    detail={"measured": "{directions}"},
    rates=_rates,
    directions=_directions,
)

_sentences(
    LOAD,
    of={
        "measured": "{label}: {sessions} sessions were active on average.",
        "missing": "How busy the database of {label} was is not known: {why}.",
    },
    sessions=lambda text, answer: text(_SESSIONS.show(answer.got.value)),
)


def _of_histories(text: Text, answer: Answer) -> str:
    of = text.many(
        int(number(answer, "histories")), "database or instance", "databases or instances"
    )
    return f"{text.count(int(answer.got.value))} reports of {of}"


_ALONE = "No three of them form a trend of one history, so nothing is compared or added up."
_sentences(
    APART,
    of={"measured": "{reports} do not form a series. " + _ALONE},
    headline={"measured": "{reports} do not form a series."},
    detail={"measured": _ALONE},
    reports=_of_histories,
)

_TOO_FEW = "{reports} cover too few periods of each to show changes."
_MOST = (
    "The most that any one has is {longest:count}, and {fewest:count} are needed: nothing is "
    "compared or added up."
)
_sentences(
    SHORT,
    of={"measured": f"{_TOO_FEW} {_MOST}"},
    headline={"measured": _TOO_FEW},
    detail={"measured": _MOST},
    reports=_of_histories,
)
