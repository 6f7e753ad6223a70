"""The rows of two AWR or Statspack reports side by side: where DB time went, waits, statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from perfkit.analysis.awr.report_rows import ReportRows, events_of, few, mean_of, of_whole
from perfkit.analysis.awr.single_time import (
    IN_NONE,
    STORAGE_CLASSES,
    TimeParts,
    listed_wrongly,
    time_parts,
)
from perfkit.analysis.awr.waits import classes_of
from perfkit.analysis.compare.report_rows import Pair, PairRow, last_digit, values
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.core.cautions import to_json
from perfkit.core.schema import Row
from perfkit.core.stats import FINE, ratio_of

STORAGE = "I/O and commits"
"""The item of ``time`` that has the waits of ``STORAGE_CLASSES`` together."""

WRITE = "log file parallel write"


def time(pair: Pair) -> list[PairRow]:
    """Average active sessions by what they did: on CPU, or in waits of each class.

    Shares are those of ``time_parts``; they are printed to a tenth of a percent of DB time.
    """
    parts = [time_parts(side) for side in pair]
    active = [ratio_of(side.head["db_time_s"], side.head["elapsed_s"]) for side in pair]
    if None in active or not all(one.shares for one in parts):
        return []
    shares = [_with_sums(one) for one in parts]
    told = to_json([one for item in parts for one in listed_wrongly(item)])
    names = dict.fromkeys([*shares[0], *shares[1]])
    rows = []
    for name in names:
        own = [
            None if name not in known or whole is None else known[name] * whole
            for known, whole in zip(shares, active, strict=True)
        ]
        rounding = [_HALF_DIGIT / share for known in shares if (share := known.get(name))]
        rows.append(values("time", name, "sessions", *own, rounding=sum(rounding)))
    largest = sorted(rows, key=lambda row: -max(row.before_value or 0.0, row.after_value or 0.0))
    return [replace(row, cautions=told) for row in largest]


_HALF_DIGIT = 0.0005
"""Half of the last digit of a share."""


def _with_sums(parts: TimeParts) -> dict[str, float]:
    """The shares with that of storage together, and of what is in no class."""
    storage = [parts.shares[name] for name in STORAGE_CLASSES if name in parts.shares]
    left = {} if parts.left is None or parts.left <= 0 else {IN_NONE: parts.left}
    # without User I/O the sum would be that of its small parts alone
    together = {STORAGE: sum(storage)} if "User I/O" in parts.shares else {}
    return {**parts.shares, **left, **together}


def events(pair: Pair, count: int) -> list[PairRow]:
    """The longest events of either report: mean wait, waits and total per second, share of DB time.

    Waits of foreground sessions. An event that a report does not list is null there, not 0.
    """
    listed = [events_of(side) for side in pair]
    classes = classes_of(
        *(list(own.values()) for own in listed), *(side.tables["top_events"] for side in pair)
    )
    longest = [
        name
        for own in listed
        for name in sorted(own, key=lambda name: -(own[name]["total_wait_s"] or 0.0))[:count]
    ]
    order = sorted(
        dict.fromkeys(longest), key=lambda name: -max(_total(own, name) for own in listed)
    )
    periods = [side.head["elapsed_s"] for side in pair if side.head["elapsed_s"]]
    steps = {_SHARE: _coarser(listed, _SHARE)}
    if periods:
        steps["wait_s_per_s"] = _coarser(listed, "total_wait_s") / min(periods)
    # Statspack prints a share of call time, idle waits among it
    of_calls = any(side.head.get("form") == "statspack" for side in pair)
    asked = {name: of for name, of in _EVENT.items() if not (of_calls and name == _SHARE)}
    rows = []
    for name in order:
        waits = [own.get(name) for own in listed]
        group = classes.get(name)
        for measure, of in asked.items():
            pairs = [
                None if own is None else of(own, side.head["elapsed_s"])
                for own, side in zip(waits, pair, strict=True)
            ]
            rounding = 2 * FINE if measure == "mean_wait_s" else None
            row = values("event", name, measure, *pairs, rounding=rounding, step=steps.get(measure))
            told = _few(name, waits) if measure == "mean_wait_s" else None
            rows.append(replace(row, before_text=group, after_text=group, cautions=told))
    return rows


def _coarser(listed: Sequence[Mapping[str, Row]], column: str) -> float:
    """The last digit of the report that prints a column with fewer decimals."""
    return max(last_digit([row.get(column) for row in own.values()]) for own in listed)


_SHARE = "db_time_ratio"
_EVENT: dict[str, Callable[[Row, float | None], float | None]] = {
    "mean_wait_s": lambda row, _: event_mean([row]),
    "waits_per_s": lambda row, elapsed: ratio_of(row.get("waits"), elapsed),
    "wait_s_per_s": lambda row, elapsed: ratio_of(row.get("total_wait_s"), elapsed),
    _SHARE: lambda row, _: row.get(_SHARE),
}


def _total(own: Mapping[str, Row], name: str) -> float:
    return own[name]["total_wait_s"] or 0.0 if name in own else 0.0


def _few(name: str, rows: Sequence[Row | None]) -> str | None:
    """The caution of a mean of few waits, of the report that has fewer of them."""
    told = [one for row in rows if row is not None for one in few(name, row)]
    return to_json(told[:1])


def log_writes(pair: Pair) -> list[PairRow]:
    """How long the log writer waited for its writes; not of a cluster, or of a pluggable database.

    Each instance of a cluster has a log writer of its own, and that of a pluggable database is in
    the root.
    """
    rows = [events_of(side, "background").get(WRITE) for side in pair]
    if rows == [None, None]:
        return []
    scopes = [side.head.get("scope") for side in pair]
    elsewhere = next((why for scope, why in _ELSEWHERE.items() if scope in scopes), None)
    found = values(
        "log",
        WRITE,
        "mean_wait_s",
        *(mean_of(row) for row in rows),
        rounding=2 * FINE,
        note=elsewhere,
    )
    return [replace(found, cautions=_few(WRITE, rows))]


_ELSEWHERE = {
    "rac": "each instance of a cluster has a log writer of its own",
    "pdb": "the log writer is in the root",
}


def statements(pair: Pair, count: int) -> list[PairRow]:
    """The longest statements of either report: sessions that ran it on average, with its module."""
    listed = [_by_elapsed(side) for side in pair]
    names = [name for own in listed for name in list(own)[:count]]
    rows = []
    for name in dict.fromkeys(names):
        own = [
            ratio_of(known.get(name, {}).get("elapsed_s"), side.head["elapsed_s"])
            for known, side in zip(listed, pair, strict=True)
        ]
        module = next((m for known in listed if (m := known.get(name, {}).get("module"))), None)
        row = values("sql", name, "sessions", *own)
        rows.append(replace(row, before_text=module, after_text=module))
    longest = sorted(rows, key=lambda row: -max(row.before_value or 0.0, row.after_value or 0.0))
    return longest[:count]


def _by_elapsed(side: ReportRows) -> dict[str, Row]:
    rows = [
        row
        for row in side.tables["sql"]
        if row["ordered_by"] == "elapsed" and None not in (row["sql_id"], row["elapsed_s"])
    ]
    longest = sorted(of_whole(rows), key=lambda row: -row["elapsed_s"])
    found: dict[str, Row] = {}
    for row in longest:
        found.setdefault(row["sql_id"], row)
    return found
