"""Labels with their values that stand again in each section: the rows of one table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from perfkit.auditing.found.page import Track, View
from perfkit.auditing.found.words import label_of

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Slot

_LABEL = re.compile(r"(?:^|(?<=[\s(]))(?P<name>[A-Z][A-Za-z /-]{2,40}?)\s?[:=]\s+(?=[~\u2248]?\d)")
_LEAST_RECORDS, _MOST_FIELDS = 3, 12


def records(page: Page) -> Iterator[View]:
    """Labels with their values that stand again and again, a section each: as the rows of one table."""
    made: list[dict[str, Slot]] = []
    before = None
    for section, name, slot in sorted(
        _fields(page), key=lambda field: (field[2].line, field[2].key)
    ):
        if not made or section != before or name in made[-1]:
            made.append({})
        before = section
        made[-1][name] = slot
    count = Counter(name for record in made for name in record)
    common = [
        name for name, n in count.items() if n >= max(_LEAST_RECORDS, 0.7 * max(count.values()))
    ]
    rows = [record for record in made if len(record.keys() & set(common)) > 1]
    if len(rows) >= _LEAST_RECORDS and 1 < len(common) <= _MOST_FIELDS:
        tracks = tuple(
            Track(label_of(name), tuple(row.get(name) for row in rows), n)
            for n, name in enumerate(common, 2)
        )
        yield View(
            "records",
            tuple(("",) for _ in rows),
            tracks,
            (label_of(""),) * len(rows),
            by_rows=False,
        )


def _fields(page: Page) -> Iterator[tuple[str, str, Slot]]:
    """Section, label and value: of tables with two columns, and of lines such as "Runtime: 98 s"."""
    for sheet in page.sheets:
        for n, row in enumerate(sheet.texts if len(sheet.heads) == 2 else ()):
            if row[0] and (slot := sheet.at(n, 1)):
                yield sheet.section, row[0], slot
    for item in page.prose:
        at = {slot.quantity.start: slot for slot in item.slots}
        for match in _LABEL.finditer(item.text):
            if match.end() in at:
                yield item.section, match["name"], at[match.end()]
