"""One damage at a time, and what it may not do: put a number where another one belongs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

TAG = re.compile(rb"<[^<>]*>")
ONE = {
    "tag": TAG,
    "cell": re.compile(rb"<t[dh][^<>]*>.*?</t[dh]>", re.S),
    # of a tag: a quote of a statement is a letter of it, and nothing tells that it was there
    "quote": re.compile(rb"[\"'](?=[^<>]*>)"),
    "table": re.compile(rb"</?table[^<>]*>"),
    "head": re.compile(rb"</?(?:h[1-6]|th|a)\b[^<>]*>"),
    "row": re.compile(rb"</?tr\b[^<>]*>"),
}
"""What is lost, one of it."""
KINDS = (*ONE, "edge", "swap")
"""Beside them: the first or last character of a tag is lost, two neighbouring tags are swapped."""


def damaged(data: bytes, kind: str, random: Random) -> bytes:
    """A page with one damage."""
    if kind in ONE:
        start, end = random.choice([found.span() for found in ONE[kind].finditer(data)])
        return data[:start] + data[end:]
    tags = [found.span() for found in TAG.finditer(data)]
    place = random.randrange(len(tags) - 1)
    (a, b), (c, d) = tags[place], tags[place + 1]
    if kind == "swap":
        return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]
    lost = random.choice((a, b - 1))
    return data[:lost] + data[lost + 1 :]


def moved(whole: dict[str, list[dict]], found: dict[str, list[dict]]) -> Iterator[str]:
    """Rows that say what no row of the undamaged report says; null says nothing."""
    for table, rows in found.items():
        for row in rows:
            said = {key: value for key, value in row.items() if value is not None}
            if not any(all(good[key] == said[key] for key in said) for good in whole[table]):
                yield f"{table}: {said}"


def frames(reading) -> dict[str, list[dict]]:
    """The rows of a reading, but for what is chosen among several sources."""
    made = {name: reading[name].frame.to_dicts() for name in reading if name != "load_points"}
    for row in made["iops_source"]:
        row.pop("used")
    for row in made.get("redo_log", ()):
        # the mean that is computed of the event, or else the one that is printed of it
        row["mean_s"] = (
            "of its event" if _is_of_its_event(row, made["wait_events"]) else row["mean_s"]
        )
    return made


def _is_of_its_event(row: dict, events: list[dict]) -> bool:
    means = [
        event[name]
        for event in events
        if event["event"] == row["printed"] and event["instance"] == row["instance"]
        for name in ("avg_wait_s", "avg_wait_computed_s")
    ]
    return row["mean_s"] is None or row["mean_s"] in means
