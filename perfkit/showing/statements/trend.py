"""The sentences about histories: verdicts, shifts, drifts, breaks and what is left out.

trend_verdict
    measured >=     Regression | Improvement: H is X lower over the N runs since WHEN than over ...
    measured <=     No change beyond M: H is X lower ... (the whole interval lies within M)
    measured =      Undecided: H is X lower ..., which is neither within M nor surely beyond it.
    missing         H is not judged: WHY.
trend_shift
    measured        At WHEN H became X lower: Y over N runs, instead of Z over the N before.
    missing         H has no shift over N runs: WHY.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial

from perfkit.analysis.compare.printing import form_of, ratio_printed
from perfkit.analysis.curves.metrics import METRICS, printed, share_printed
from perfkit.analysis.trend.answers import BREAK, COUNT, DRIFT, LEFT, SEASON, SHIFT, VERDICT
from perfkit.analysis.trend.runs import LEFT_OUT
from perfkit.core.answers import Answer
from perfkit.core.units import Format, Printed, time_format
from perfkit.showing.sentences import Text
from perfkit.showing.statements import say
from perfkit.showing.statements.words import FORMS, has, number

_FORMS = {
    "1/s": Format("1/s", significant=3), "B/s": Format("MB/s", significant=3),
    "bytes/s": Format("MB/s", significant=3), "ratio": Format("%", significant=3),
    "B": Format("MiB", significant=3),
}  # fmt: skip


def value_printed(metric: str, unit: str, value: float) -> Printed:
    """A value of a history: as its metric prints, else as its unit does."""
    if metric in METRICS:
        return printed(metric, value)
    if unit == "s":
        return time_format(value).show(value)
    return _FORMS.get(unit, Format("1", significant=3)).show(value)


def at_time(iso: str | None) -> str:
    """The time of a run: 2 Mar 2026 02:00."""
    at = datetime.fromisoformat(str(iso))
    return f"{at.day} {at:%b %Y %H:%M}"


def _when(text: Text, answer: Answer, key: str) -> str:
    return text(at_time(answer.subject.get(key)))


def _level(text: Text, answer: Answer, name: str) -> str:
    """One of the two values that a change is the ratio of."""
    found = next(item for item in answer.conditions if item.metric == name)
    return text(value_printed(answer.metric, found.unit, found.value))


def _runs(text: Text, answer: Answer, name: str) -> str:
    return text.many(int(number(answer, name)), "run", "runs")


def _side(ratio: float) -> str:
    return "higher" if ratio > 1 else "lower"


def _change(text: Text, answer: Answer) -> str:
    """The words "12.6% lower"; "2.4 times as high"."""
    ratio = answer.got.value
    if ratio == 1:
        return "the same"
    form = form_of(ratio)
    shown = text(ratio_printed(ratio, form))
    words = {"times": "times as high", "share": "as high"}
    return f"{shown} {words.get(form) or _side(ratio)}"


def _interval(text: Text, answer: Answer) -> str:
    """The interval: "95% interval 12% to 14% lower", the smaller change first."""
    got = answer.got
    if got.low is None or got.high is None:
        return "no interval"
    form = form_of(got.value)
    low, high = (text(ratio_printed(end, form)) for end in (got.low, got.high))
    share = text(FORMS["share"].show(got.level))
    if got.low == got.high:
        return "no spread on either side"
    if form != "percent":
        return f"{share} interval {low} to {high}{' times' if form == 'times' else ''}"
    if got.low < 1 < got.high:
        return f"{share} interval {low} lower to {high} higher"
    near, far = (low, high) if got.low >= 1 else (high, low)
    return f"{share} interval {near} to {far} {_side(got.value)}"


def told_change(text: Text, answer: Answer) -> str:
    """A change with its interval, for a cell: 13% lower (95% interval 12% to 13% lower)."""
    return f"{_change(text, answer)} ({_interval(text, answer)})"


_STEPS = "before the shifts"
"""What a change of several steps is held against."""


def _against(text: Text, answer: Answer) -> str:
    """What the latest runs are held against."""
    count = _runs(text, answer, "runs_before")
    if answer.subject.get("by") == _STEPS:
        return f"the {count} up to {_when(text, answer, key='baseline_end')}"
    words = {"baseline": f"the {count} of the baseline", "first runs": f"the first {count}"}
    return words.get(str(answer.subject.get("by")), f"the {count} before")


def _than(answer: Answer) -> str:
    value = answer.got.value
    return "as" if value == 1 or form_of(value) in {"times", "share"} else "than"


def _than_up_to(text: Text, answer: Answer) -> str:
    """Of several steps until when the values were that it is held against: no step was so large."""
    if answer.subject.get("by") != _STEPS:
        return ""
    return f" {_than(answer)} up to {_when(text, answer, key='baseline_end')}"


def _facts(text: Text, answer: Answer) -> str:
    """What was recorded to change with a shift."""
    told = answer.subject.get("changed_with")
    if not told:
        return " No recorded fact changed with it." if answer.subject.get("at") else ""
    more = ""
    if has(answer, "elsewhere"):
        times = text.many(int(number(answer, "elsewhere")), "time", "times")
        more = f" It also changed {times} without a shift."
    return f" Changed with it: {text(told)}.{more}"


def _more(text: Text, answer: Answer) -> str:
    if answer.got.low is None:
        return "An interval needs more runs"
    if not has(answer, "more_runs"):
        return "More runs like these would not decide it soon"
    return (
        f"About {text.many(int(number(answer, 'more_runs')), 'more run', 'more runs')} would "
        f"decide it"
    )


_NAMES = {"regression": "Regression", "improvement": "Improvement"}

_HELD = (
    "{label} is {change} ({interval}) over the {runs_after} since {since} {than} over {against}: "
    "{after} instead of {before}"
)
sentences = partial(
    say.sentences,
    change=_change,
    interval=_interval,
    against=_against,
    facts=_facts,
    more=_more,
    margin=lambda text, answer: text(share_printed(number(answer, "margin"))),
    since=partial(_when, key="since"),
    at=partial(_when, key="at"),
    begin=partial(_when, key="begin"),
    end=partial(_when, key="end"),
    after=partial(_level, name="after"),
    before=partial(_level, name="before"),
    runs=partial(_runs, name="runs"),
    runs_after=partial(_runs, name="runs_after"),
    runs_before=partial(_runs, name="runs_before"),
    than=lambda _, answer: _than(answer),
    than_up_to=_than_up_to,
    verdict=lambda _, answer: _NAMES[str(answer.subject.get("verdict"))],
)
"""With the words of histories."""

sentences(
    VERDICT,
    of={
        "measured >=": "{verdict}: " + _HELD + ", by more than {margin}.{facts}",
        "measured <=": "No change beyond {margin}: " + _HELD + ".",
        "measured": "Undecided: " + _HELD + ". That is neither surely beyond {margin} nor surely "
        "within it. {more}.{facts}",
        "missing": "{label} is not judged: {why}.",
    },
    headline={
        "measured >=": "{verdict}: {label} is {change} since {since}{than_up_to}.",
        "measured <=": "{label} did not change by more than {margin}.",
        "measured": "Whether {label} changed by more than {margin} is undecided.",
    },
    detail={
        "measured >=": "{after} over {runs_after} instead of {before} over {against} "
        "({interval}), by more than {margin}.{facts}",
        "measured <=": "{after} over the {runs_after} since {since} instead of {before} over "
        "{against} ({interval}).",
        "measured": "{after} over the {runs_after} since {since} instead of {before} over "
        "{against} ({interval}). {more}.{facts}",
    },
)
sentences(
    SHIFT,
    of={
        "measured": "On {at} {label} became {change} ({interval}): {after} over {runs_after}, "
        "instead of {before} over the {runs_before} before.{facts}",
        "missing": "No shift of {label} is shown over {runs}: {why}.",
    },
    headline={"measured": "On {at} {label} became {change}."},
    detail={
        "measured": "{after} over {runs_after}, instead of {before} over the {runs_before} before "
        "({interval}).{facts}",
    },
)
sentences(
    DRIFT,
    of={
        "measured": "From {begin} to {end} {label} drifted, without a step that would explain it: "
        "over {runs}, it ended {change} {than} it began.",
    },
)


def _cycle(text: Text, answer: Answer) -> str:
    if answer.subject.get("season") == "week":
        return "follows the days of the week"
    return f"swings once every {text.count(number(answer, 'period'))} runs or so"


sentences(
    SEASON,
    of={"measured": "{label} {cycle}: its highest is {change} {than} its lowest."},
    cycle=_cycle,
)
sentences(
    BREAK,
    of={
        "measured": "On {at} the conditions of {label}{others} changed: {what}. The runs before "
        "are not joined to those after.",
    },
    what=lambda text, answer: text(str(answer.subject.get("what"))),
    others=lambda text, answer: (
        f" and {text.count(answer.got.value - 1)} more" if answer.got.value > 1 else ""
    ),
)


def _why_left(text: Text, answer: Answer) -> str:
    told = [
        f"{text.count(item.value)} because {LEFT_OUT[item.metric]}" for item in answer.conditions
    ]
    return ", ".join(told)


_NAMED = 3


def _which(text: Text, answer: Answer) -> str:
    names = [text(name) for name in answer.inputs[:_NAMED]]
    more = len(answer.inputs) - len(names)
    return ", ".join(names) + (f" and {text.count(more)} more" if more else "")


sentences(
    LEFT,
    of={"measured": "{value:count} of {all} are in no history: {why_left}. They are from {which}."},
    all=lambda text, answer: text.many(answer.got.n or 0, "answer", "answers"),
    why_left=_why_left,
    which=_which,
)


def _others(text: Text, answer: Answer) -> str:
    names = {"improvement": "better", "no change": "unchanged"}
    told = [
        f"{text.count(number(answer, name))} {names.get(name, name)}"
        for name in ("improvement", "no change", "undecided", "not judged")
        if has(answer, name)
    ]
    return f"; {', '.join(told)}" if told else ""


sentences(
    COUNT,
    of={"measured": "{value:count} of {all} got worse by more than {margin}{others}."},
    all=lambda text, answer: text.many(answer.got.n or 0, "history", "histories"),
    others=_others,
)
