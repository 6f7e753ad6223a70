"""``reports/index.html``: the answers of each entry over time, and all reports, newest first.

The page needs no other file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from perfkit.core import resources
from perfkit.core.files import write_whole
from perfkit.core.plain_text import as_html
from perfkit.scheduling import folders, trends
from perfkit.scheduling.files import held
from perfkit.scheduling.making import LOG
from perfkit.scheduling.small_lines import drawing

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.scheduling.trends import Line

INDEX = "index.html"
LOCK = ".index.lock"
TEMPLATE = "schedule"

WORDS = {
    "pass": "criteria met",
    "made": "no criteria",
    "not met": "criteria not met",
    "not judged": "not fully judged",
    "failed": "failed",
    "interrupted": "interrupted",
}
"""How outcomes are called on the page; ``made``: there was nothing to judge."""

LINKS = (("PDF", ".pdf"), ("HTML", ".html"), ("Notebook", ".ipynb"))


def write_index(root: Path) -> Path:
    """Write the page over every report below ``root``; it is whole, or as it was."""
    with held(root / LOCK, f"{root}: another perfkit writes the index", wait=True):
        write_whole(root / INDEX, page(root))
    return root / INDEX


def page(root: Path) -> str:
    """The page as HTML."""
    entries = [
        _Entry(reports, folders.kept(reports), trends.kept(reports))
        for reports in sorted(root.iterdir())
        if reports.is_dir() and not reports.name.startswith(".")
    ]
    found = [item for entry in entries for item in entry.reports]
    found.sort(key=lambda item: (item.run.slot, item.run.started), reverse=True)
    template = (resources.find("templates") / TEMPLATE / INDEX).read_text(encoding="utf-8")
    good = sum(item.good for item in found)
    worse = sum(entry.worse for entry in entries)
    parts = {
        "entries": _entries(entries),
        "rows": "\n".join(_row(root, item) for item in found),
        "good": str(good),
        "failed": str(len(found) - good),
        "worse": f", {worse} answers got worse" if worse > 1 else ", 1 answer got worse" * worse,
        "none": "" if found else "<p>There is no report yet.</p>",
    }
    # all at once: a title may hold the name of a place
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template)


@dataclass(frozen=True)
class _Entry:
    """An entry with its reports, oldest first, and its answers over time."""

    folder: Path
    reports: list[folders.Kept]
    lines: list[Line]

    @property
    def worse(self) -> int:
        """How many answers got worse."""
        return sum(line.kind == "regression" for line in self.lines)


SHOWN = 6
"""Answers of an entry that are shown at once, and all that got worse."""


def _entries(entries: Sequence[_Entry]) -> str:
    """The answers of each entry over time, those that got worse first; empty without any."""
    shown = sorted((entry for entry in entries if entry.lines), key=lambda entry: -entry.worse)
    if not shown:
        return ""
    return f"<section><h2>Over time</h2>{''.join(map(_entry, shown))}</section><h2>Reports</h2>"


def _entry(entry: _Entry) -> str:
    name = entry.folder.name
    title = next((item.run.title for item in reversed(entry.reports) if item.run.title), "")
    items = [_line(line, f"{name}-{place}") for place, line in enumerate(entry.lines)]
    first = max(SHOWN, entry.worse)
    more = f"<ul>{''.join(items[first:])}</ul>"
    rest = f"<details><summary>{len(items) - first} more</summary>{more}</details>"
    return (
        f"<article><h3>{as_html(name)} <small>{as_html(title)}</small></h3>"
        f"<ul>{''.join(items[:first])}</ul>{rest if items[first:] else ''}</article>"
    )


def _line(line: Line, name: str) -> str:
    kind = line.kind.replace(" ", "-")
    limits = f"limits {line.limits}" if line.limits else ""
    said = line.said if line.kind in TOLD else ""
    since = f"from here on: {line.since}" if line.since else ""
    below = "".join(f"<small>{as_html(text)}</small>" for text in (limits, said, since) if text)
    return (
        f'<li class="{kind}"><p class="what">{as_html(line.name)}</p>{drawing(line, name)}'
        f'<p class="last">{as_html(line.last)}</p>'
        f'<p class="verdict">{as_html(line.verdict)}</p>{below}</li>'
    )


TOLD = frozenset({"regression", "improvement", "not judged"})
"""Verdicts whose sentences stand below the line; those of the others are in its words."""


def _row(root: Path, item: folders.Kept) -> str:
    run = item.run
    slot = run.moment
    reason = f"<small>{as_html(run.reason)}</small>" if run.reason else ""
    cells = [
        f'<td class="time"><time datetime="{slot.isoformat()}">{slot:%Y-%m-%d %H:%M}</time>'
        f"<small>{as_html(run.zone)}</small></td>",
        f"<td>{as_html(item.entry)}</td>",
        f"<td>{as_html(run.title or '')}{reason}</td>",
        f'<td><span class="{run.outcome.replace(" ", "-")}">{WORDS[run.outcome]}</span></td>',
        f'<td class="number">{as_html(took(run.duration_s))}</td>',
        f'<td class="links">{_links(root, item)}</td>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _links(root: Path, item: folders.Kept) -> str:
    files = [(word, item.file(ending)) for word, ending in LINKS]
    files.append(("Log", item.path / LOG if (item.path / LOG).is_file() else None))
    return " ".join(
        f'<a href="{quote(file.relative_to(root).as_posix())}">{word}</a>'
        for word, file in files
        if file is not None
    )


def took(seconds: float | None) -> str:
    """A duration for people: 42 s, 7 min 5 s, 2 h 4 min; a dash where it is not known."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    rest = dt.timedelta(seconds=round(seconds))
    minutes, second = divmod(int(rest.total_seconds()), 60)
    hours, minute = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minute} min"
    return f"{minute} min {second} s" if minute else f"{second} s"
