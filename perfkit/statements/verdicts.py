"""Sentences on criteria of runs, headroom, isolation and adaptive QoS, each made of its numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from perfkit.analysis import headroom as room_words
from perfkit.analysis import isolation as isolation_words
from perfkit.analysis.metrics import METRICS
from perfkit.analysis.run_verdicts import server_verdicts
from perfkit.analysis.series import Row, rows_with
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import Format, Printed

if TYPE_CHECKING:
    from perfkit.values import Statement

_IOPS = Format("IOPS", decimals=0)
_SIGNED = Format("IOPS", decimals=0, sign=True)
_SHARE = Format("%", significant=2)
_SIGNED_SHARE = Format("%", significant=2, sign=True)
_SIZE = Format("1", significant=4)


_rows = functools.partial(rows_with, otherwise="nothing to say")


def _iops(text: Text, value: float | None) -> str:
    return text(_IOPS.show(value))


@step(version=1, name="say.run_verdicts")
def say_run_verdicts(judged: Measured, *, value_id: str = "run-verdicts-said") -> Statement:
    """How many runs of each server meet all criteria, and where it first fails."""
    rows = _rows(server_verdicts(judged), "judged runs", ("server", "runs", "passed", "outcome"))
    text = Text()
    return text.done(value_id, [_SERVER[row["outcome"]](text, row) for row in rows])


def _of(text: Text, row: Row) -> str:
    return f"{text.count(row['passed'])} of {text.many(row['runs'], 'run', 'runs')}"


def _passed(text: Text, row: Row) -> str:
    return f"{text(row['server'])} met all criteria in {_of(text, row)}."


def _failed(text: Text, row: Row) -> str:
    where = "" if row["first_fail_iops"] is None else f" at {_iops(text, row['first_fail_iops'])}"
    first = f"it first failed in {text(row['first_fail'] or 'a run')}{where}"
    reason = f" ({text(row['reason'])})" if row["reason"] else ""
    left = ""
    if row["not_judged"]:
        left = f" {text.many(row['not_judged'], 'run', 'runs')} could not be judged."
    return f"{text(row['server'])} met all criteria in {_of(text, row)}; {first}{reason}.{left}"


def _unjudged(text: Text, row: Row) -> str:
    return (
        f"{text.many(row['not_judged'], 'run', 'runs')} of {text(row['server'])} could not be "
        f"judged: {text(row['reason'] or 'no value')}."
    )


_SERVER: dict[str, Callable[[Text, Row], str]] = {
    "pass": _passed,
    "fail": _failed,
    "not judged": _unjudged,
}


@step(version=1, name="say.headroom")
def say_headroom(room: Measured, *, value_id: str = "headroom-said") -> Statement:
    """The last passing point of each server, what all servers gave then, and the headroom."""
    rows = _rows(room, "headroom", ("server", "status", "last_pass_iops", "required_iops"))
    text = Text()
    return text.done(value_id, [_headroom(text, row) for row in rows])


def _headroom(text: Text, row: Row) -> str:
    named = row["server"] != room_words.CLUSTER
    server = text(row["server"]) if named else room_words.CLUSTER.capitalize()
    status = row["status"]
    if row["last_pass"] is None:
        first = text(row["first_fail"])
        return f"{server} has no passing point: its first run, {first}, does not pass."
    gave = _iops(text, row["last_pass_iops"])
    here = f"{server} last passed in {text(row['last_pass'])} with {gave}"
    if status == room_words.ALL_PASSED:
        here += ", the last run of all, so the limit may lie higher"
    together = row["cluster_iops_at_last_pass"]
    if together is not None and named:
        here += f"; all servers together gave {_iops(text, together)} in that run"
    return f"{here}.{_against(text, row)}{_next(text, row)}"


def _against(text: Text, row: Row) -> str:
    if row["headroom_iops"] is None:
        return ""
    shown = text(_SIGNED.show(row["headroom_iops"]))
    share = text(_SIGNED_SHARE.show(row["headroom_ratio"]))
    need = _iops(text, row["required_iops"])
    said = f" Against the {need} required the headroom is {shown} ({share})"
    if row["target_headroom_iops"] is not None:
        said += f"; by the targets of the runs, {text(_SIGNED.show(row['target_headroom_iops']))}"
    return f"{said}."


def _next(text: Text, row: Row) -> str:
    if row["first_fail"] is None:
        return ""
    word = "could not be judged" if row["status"] == room_words.NOT_JUDGED else "did not pass"
    note = f"; it {text(row['note'])}" if row["note"] else ""
    place = f"{text(row['first_fail'])} at {_iops(text, row['first_fail_iops'])}"
    return f" The next, {place}, {word}{note}."


@step(version=1, name="say.isolation")
def say_isolation(found: Measured, *, value_id: str = "isolation-said") -> Statement:
    """Whether each victim kept its level, its worst change, where the bully fails, and the cause.

    "Not affected" is never said: equivalence is, where it is shown, and the cause as the control
    tells it.
    """
    rows = _rows(found, "isolation", ("victim", "bully", "metric", "status", "margin", "cause"))
    text = Text()
    said = [_ramp(text, rows), *(_ISOLATION[row["status"]](text, row) for row in rows)]
    said += [_fails(text, row) for row in rows[:1]]
    for cause in dict.fromkeys(row["cause"] for row in rows if row["cause"]):
        whose = [row["victim"] for row in rows if row["cause"] == cause]
        names = "" if len(whose) == len(rows) else f" ({text(', '.join(dict.fromkeys(whose)))})"
        said.append(f"{text(cause[:1].upper() + cause[1:])}{names}.")
    return text.done(value_id, [part for part in said if part])


def _ramp(text: Text, rows: list[Row]) -> str:
    row = next((row for row in rows if row["bully_from_iops"] is not None), None)
    if row is None:
        return ""
    return (
        f"{text(row['bully'])} ramped from {_iops(text, row['bully_from_iops'])} to "
        f"{_iops(text, row['bully_to_iops'])}."
    )


def _value(text: Text, row: Row, key: str, *, sign: bool = False) -> str:
    metric = row["metric"]
    unit = {"rate": "IOPS"}.get(METRICS[metric].quantity) or (
        "s" if row["level"] >= 1 else "ms" if row["level"] >= _MILLI / 10 else "us"
    )
    decimals = {"IOPS": 0, "s": 2, "ms": 3, "us": 1}[unit]
    shown: Printed = Format(unit, decimals=decimals, sign=sign).show(row[key])
    return text(shown)


_MILLI = 1e-3


def _level(text: Text, row: Row) -> str:
    whose = "its level without the bully" if row["level_of"] == "control" else "its own level"
    return (
        f"{whose} of {_value(text, row, 'level')} ± {_value(text, row, 'margin')} "
        f"({text(_SHARE.show(row['margin_ratio']))})"
    )


def _change(text: Text, row: Row) -> str:
    share = text(Format("%").show(1 - 2 * row["alpha"]))
    return (
        f"it changed by {_value(text, row, 'change', sign=True)} over the ramp ({share} interval "
        f"{_value(text, row, 'change_low', sign=True)} to "
        f"{_value(text, row, 'change_high', sign=True)}), and its worst run, "
        f"{text(row['worst_run'])}, lay {_value(text, row, 'worst_change', sign=True)} "
        f"({text(_SIGNED_SHARE.show(row['worst_change_ratio']))}) off the level with the bully at "
        f"{_iops(text, row['worst_at_bully_iops'])}"
    )


def _subject(text: Text, row: Row) -> str:
    return f"The {text(METRICS[row['metric']].phrase())} of {text(row['victim'])}"


def _equivalent(text: Text, row: Row) -> str:
    return (
        f"{_subject(text, row)} was equivalent to {_level(text, row)} over all "
        f"{text.count(row['runs'])} runs: {_change(text, row)}."
    )


def _changed(text: Text, row: Row) -> str:
    return f"{_subject(text, row)} did not keep {_level(text, row)}: {_change(text, row)}."


def _open(text: Text, row: Row) -> str:
    failing = [words for key, words in (("change_finding", "change"), ("range_finding", "range"))
               if row[key] != isolation_words.EQUIVALENT]  # fmt: skip
    return (
        f"{_subject(text, row)} is not shown to be equivalent to {_level(text, row)} "
        f"({' and '.join(failing)} not shown to lie within it), nor that it changed: "
        f"{_change(text, row)}."
    )


def _not_judged(text: Text, row: Row) -> str:
    return f"{_subject(text, row)} could not be judged: {text(row['reason'] or 'no value')}."


_ISOLATION: dict[str, Callable[[Text, Row], str]] = {
    isolation_words.EQUIVALENT: _equivalent,
    isolation_words.CHANGED: _changed,
    isolation_words.NOT_SHOWN: _open,
    isolation_words.NOT_JUDGED: _not_judged,
}


def _fails(text: Text, row: Row) -> str:
    if row["bully_first_fail"] is None:
        return ""
    before = ""
    if row["bully_last_pass_iops"] is not None:
        before = f", after it last passed at {_iops(text, row['bully_last_pass_iops'])}"
    return (
        f"{text(row['bully'])} itself first failed in {text(row['bully_first_fail'])} at "
        f"{_iops(text, row['bully_first_fail_iops'])}{before}."
    )


@step(version=1, name="say.adaptive_qos")
def say_adaptive_qos(growth: Measured, *, value_id: str = "adaptive-qos-said") -> Statement:
    """Floor and ceiling at the largest size for each policy and reading, and the inputs used."""
    rows = _rows(growth, "adaptive QoS", ("policy", "reading", "size_tb", "floor_iops"))
    last = {(row["policy"], row["reading"]): row for row in rows}
    text = Text()
    said = [_growth(text, row, several=len(last) > 1) for row in last.values()]
    said += [_inputs(text, row) for row in {row["policy"]: row for row in rows}.values()]
    below = sum(row["note"] is not None for row in rows)
    if below:
        sizes = text.many(below, "size", "sizes")
        said.append(f"The ceiling lies below the floor at {sizes}: the policy contradicts itself.")
    return text.done(value_id, said)


def _growth(text: Text, row: Row, *, several: bool) -> str:
    reading = f" with the absolute minimum read as {text(row['reading'])}" if several else ""
    volumes = "" if row["volumes"] == 1 else f" on {text.count(row['volumes'])} volumes"
    return (
        f"Policy {text(row['policy'])} guarantees {_iops(text, row['floor_iops'])} and allows "
        f"{_iops(text, row['ceiling_iops'])} at {text(_SIZE.show(row['size_tb']))} TB{volumes}"
        f"{reading}."
    )


def _inputs(text: Text, row: Row) -> str:
    return (
        f"The inputs of {text(row['policy'])} are {_iops(text, row['expected_iops_per_tb'])} "
        f"expected and {_iops(text, row['peak_iops_per_tb'])} at peak per TB, with an absolute "
        f"minimum of {_iops(text, row['absolute_min_iops'])} for each volume."
    )
