"""Where the numbers of a page come from: what the page's script shows when one is clicked."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from perfkit.core.evidence import Evidence, Step
from perfkit.core.plain_text import as_html
from perfkit.core.units import UNITS, Printed
from perfkit.reporting.document.records import Record, StatementRecord, TableRecord

LISTED_FILES = 40
"""Files of one piece of evidence that the page names; of more it says how many there are."""

LONGEST_ARGUMENTS = 300
"""Characters of a step's arguments that the page shows."""


def sources(values: Iterable[tuple[str, Record]]) -> dict[str, object]:
    """Evidence and steps of values, each once, and what each value names of them.

    Args:
        values: What each value is called on the page, and its record.
    """
    evidence: dict[Evidence, int] = {}
    steps: dict[Step, int] = {}
    found = {}
    for name, record in values:
        lineage = record.lineage
        found[record.id] = {
            "name": name,
            "evidence": [evidence.setdefault(item, len(evidence)) for item in lineage.evidence],
            "steps": [steps.setdefault(step, len(steps)) for step in lineage.steps],
            "remarks": (
                list(lineage.notes) if lineage.traceable else ["not traceable", *lineage.notes]
            ),
            **(_columns(record) if isinstance(record, TableRecord) else {}),
        }
    return {
        "values": found,
        "evidence": [_evidence(item) for item in evidence],
        "steps": [_step(step) for step in steps],
    }


def _columns(record: TableRecord) -> dict[str, object]:
    """Unit and rounding of each column of numbers, and null for columns of text."""
    if not any(column.unit for column in record.columns):
        return {}
    return {
        "columns": [
            {"unit": UNITS[column.unit].symbol, "rounding": column.rounding}
            if column.unit
            else None
            for column in record.columns
        ]
    }


def _evidence(item: Evidence) -> dict[str, object]:
    files = [part.path for part in item.parts]
    origin = "" if item.origin.kind == "measured" else f"{item.origin.kind}: {item.origin.of}"
    return {
        "path": item.path,
        "kind": item.kind,
        "tool": item.tool_version or item.tool or "",
        "sha256": item.sha256,
        "origin": origin,
        "files": files[:LISTED_FILES],
        "more": max(0, len(files) - LISTED_FILES),
    }


def _step(step: Step) -> str:
    given = {key: value for key, value in json.loads(step.arguments).items() if value is not None}
    text = json.dumps(given, ensure_ascii=False) if given else ""
    if len(text) > LONGEST_ARGUMENTS:
        text = f"{text[:LONGEST_ARGUMENTS]}…"
    return f"{step.function} v{step.version} {text}".rstrip()


def places(record: TableRecord) -> list[str]:
    """Of each row of a table the file and the place in it; empty where the row is of no source.

    A file counts only where the table rests on it: a column of that name may hold other words.
    """
    lineage = record.lineage
    files = {path for item in lineage.evidence for path in _paths(item)}
    one = files.copy().pop() if len(files) == 1 else ""
    shown = []
    for file, within in record.places or [("", "")] * len(record.rows):
        known = file if file in files else one if within and not file else ""
        shown.append(", ".join(filter(None, (known, within))) if known else "")
    return shown


def _paths(item: Evidence) -> Iterator[str]:
    yield item.path
    for part in item.parts:
        yield from _paths(part)


def exact(value: Any, unit: str) -> str | None:
    """A value in the unit that is shown, to 15 digits: what a cell holds beside its text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return f"{value / UNITS[unit].si:.15g}"


def bare(text: str) -> str:
    """A printed number without thousands commas and with the sign of a keyboard."""
    return text.replace(",", "").replace("−", "-").removeprefix("+")


def linked_numbers(text: str, record: StatementRecord) -> str:
    """A text that begins with a sentence, as HTML; the sentence's numbers lead to their sources."""
    pieces, end = "", 0
    for start, stop, attributes in sorted(_places(text, record)):
        pieces += as_html(text[end:start])
        pieces += f'<a class="num" href="#report"{attributes}>{as_html(text[start:stop])}</a>'
        end = stop
    return pieces + as_html(text[end:])


def _places(text: str, record: StatementRecord) -> list[tuple[int, int, str]]:
    """Start, end and attributes of each number of a sentence, at the start of the text.

    A digit in a name ("epic-rhel1") is none of them. Where two values print alike, which one stands
    where is not known: neither is told exactly.
    """
    text = text[: len(record.text)]
    alike: dict[str, list[Printed]] = {}
    for item in record.printed:
        if item.text in text and re.search(r"\d", item.text):
            alike.setdefault(item.text, []).append(item)
    found: list[tuple[int, int, str]] = []
    for shown in sorted(alike, key=len, reverse=True):
        attributes = f' data-of="{as_html(record.id)}"{_told(alike[shown])}'
        places = re.finditer(rf"(?<![\w.,-]){re.escape(shown)}(?![.,]?\w)", text)
        for match in itertools.islice(places, len(alike[shown])):
            start, stop = match.span()
            if all(stop <= first or start >= last for first, last, _ in found):
                found.append((start, stop, attributes))
    return found


def _told(items: list[Printed]) -> str:
    first = items[0]
    number = exact(first.value, first.unit) if first.unit in UNITS else None
    if number is None or any(item.value != first.value for item in items):
        return ""
    unit = as_html(UNITS[first.unit].symbol)
    return f' data-v="{number}" data-unit="{unit}" data-rounding="{as_html(first.rounding)}"'
