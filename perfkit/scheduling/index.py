"""``reports/index.html``: the answers of each entry over time, and all reports, newest first.

The page needs no other file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path
from urllib.parse import quote

from perfkit.core.files import own_folder, write_whole
from perfkit.core.plain_text import as_html
from perfkit.scheduling import folders, trends
from perfkit.scheduling.files import held
from perfkit.scheduling.making import LOG
from perfkit.scheduling.trends import Line, Point
from perfkit.study.file import ACCENT

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
    template = (own_folder("templates") / TEMPLATE / INDEX).read_text(encoding="utf-8")
    good = sum(item.good for item in found)
    worse = sum(entry.worse for entry in entries)
    parts = {
        "accent": ACCENT,
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
    files = [(word, item.file(ending)) for word, ending in LINKS]
    files.append(("Log", item.path / LOG if (item.path / LOG).is_file() else None))
    links = " ".join(
        f'<a href="{quote(file.relative_to(root).as_posix())}">{word}</a>'
        for word, file in files
        if file is not None
    )
    cells = [
        f'<td class="time"><time datetime="{slot.isoformat()}">{slot:%Y-%m-%d %H:%M}</time>'
        f"<small>{as_html(run.zone)}</small></td>",
        f"<td>{as_html(item.entry)}</td>",
        f"<td>{as_html(run.title or '')}{reason}</td>",
        f'<td><span class="{run.outcome.replace(" ", "-")}">{WORDS[run.outcome]}</span></td>',
        f'<td class="number">{as_html(took(run.duration_s))}</td>',
        f'<td class="links">{links}</td>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


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


# --- a line over time as a small drawing (SVG) -------------------------------------------------

WIDTH, HEIGHT, ROOM = 240.0, 48.0, 4.0
"""Of the drawing, in units of its own, and what is left free at each side."""


def drawing(line: Line, name: str) -> str:
    """The line as an ``svg`` element; ``name`` makes the ids of its title and words unique."""
    at = _Places(line.points)
    shifts = [
        f'<line class="shift" x1="{at.x(point)}" x2="{at.x(point)}" y1="0" y2="{HEIGHT:g}"/>'
        for point in line.points
        if point.shift
    ]
    shapes = [*_bands(line.points, at), *shifts, _runs(line.points, at)]
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" preserveAspectRatio="none" '
        f'aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">'
        f'{as_html(line.name)}</title><desc id="{name}-desc">{as_html(_words(line))}</desc>'
        f"{''.join(shapes)}</svg>"
    )


def _words(line: Line) -> str:
    first, last = (point.time[:10] for point in (line.points[0], line.points[-1]))
    outside = sum(point.outside for point in line.points)
    limits = f" Its limits are {line.limits}; {outside} lie outside." if line.limits else ""
    count = len(line.points)
    runs = "1 run" if count == 1 else f"{count} runs, {first} to {last}"
    return f"{runs}. The last gave {line.last}.{limits} {line.said}"


class _Places:
    """Where times and values stand: the first run left, the lowest value or limit at the foot."""

    def __init__(self, points: Sequence[Point]):
        times = [_seconds(point) for point in points]
        ends = [(point.value, point.expected, point.lower, point.upper) for point in points]
        values = [value for four in ends for value in four if value is not None]
        self._begin, self._end = times[0], times[-1]
        self._low, self._high = min(values), max(values)

    def x(self, point: Point) -> str:
        """Across, by its time; a single run stands in the middle."""
        return _placed(_seconds(point), self._begin, self._end, WIDTH)

    def y(self, value: float) -> str:
        """Down from the top."""
        return _placed(-value, -self._high, -self._low, HEIGHT)


def _seconds(point: Point) -> float:
    return dt.datetime.fromisoformat(point.time).replace(tzinfo=dt.UTC).timestamp()


def _placed(value: float, begin: float, end: float, size: float) -> str:
    share = (value - begin) / (end - begin) if end > begin else 0.5
    return f"{ROOM + share * (size - 2 * ROOM):.1f}"


def _bands(points: Sequence[Point], at: _Places) -> list[str]:
    """The limits and the expected value of each level."""
    found = []
    levels = accumulate(point.shift for point in points)
    numbered = zip(levels, points, strict=True)
    for _, own in groupby(numbered, key=lambda pair: pair[0]):
        part = [point for _, point in own]
        band = [(point, point.lower, point.upper) for point in part]
        upper = [f"{at.x(point)},{at.y(high)}" for point, _, high in band if high is not None]
        lower = [f"{at.x(point)},{at.y(low)}" for point, low, _ in band if low is not None]
        if upper:
            found.append(f'<polygon class="limits" points="{" ".join([*upper, *lower[::-1]])}"/>')
        expected = " ".join(f"{at.x(point)},{at.y(point.expected)}" for point in part)
        found.append(f'<polyline class="expected" points="{expected}"/>')
    return found


def _runs(points: Sequence[Point], at: _Places) -> str:
    """The runs as a line; those outside of the limits and the last one as dots.

    A dot is a line of no length with round ends: it stays round when the drawing is stretched.
    """
    path = " ".join(f"{at.x(point)},{at.y(point.value)}" for point in points)
    dots = "".join(
        f'<path class="{"outside" if point.outside else "last"}" '
        f'd="M{at.x(point)},{at.y(point.value)}h0"/>'
        for point in points
        if point.outside or point is points[-1]
    )
    return f'<polyline class="runs" points="{path}"/>{dots}'
