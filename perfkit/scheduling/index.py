"""``reports/index.html``: all scheduled reports, newest first, in a file that needs no other."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from perfkit.core import resources
from perfkit.core.files import write_whole
from perfkit.core.plain_text import as_html
from perfkit.scheduling import folders
from perfkit.scheduling.files import held
from perfkit.scheduling.making import LOG

if TYPE_CHECKING:
    from pathlib import Path

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
    found = [
        item
        for reports in sorted(root.iterdir())
        if reports.is_dir() and not reports.name.startswith(".")
        for item in folders.kept(reports)
    ]
    found.sort(key=lambda item: (item.run.slot, item.run.started), reverse=True)
    template = (resources.find("templates") / TEMPLATE / INDEX).read_text(encoding="utf-8")
    good = sum(item.good for item in found)
    parts = {
        "rows": "\n".join(_row(root, item) for item in found),
        "good": str(good),
        "failed": str(len(found) - good),
        "none": "" if found else "<p>There is no report yet.</p>",
    }
    # all at once: a title may hold the name of a place
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template)


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
    if seconds < 10:  # noqa: PLR2004
        return f"{seconds:.1f} s"
    rest = dt.timedelta(seconds=round(seconds))
    minutes, second = divmod(int(rest.total_seconds()), 60)
    hours, minute = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minute} min"
    return f"{minute} min {second} s" if minute else f"{second} s"
