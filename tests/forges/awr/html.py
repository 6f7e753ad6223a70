"""How awrrpt and awrgrpt write HTML: pages, sections, tables (studied on real reports)."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forges.awr.printing import Shown
    from forges.awr.sheet import Column, Line, Sheet

NOTHING = "&#160;"


def page(title: str | None, heading: str, body: str, *, newline: str = "\n") -> bytes:
    """A whole page; real ones are ASCII, and some of Windows have CRLF."""
    name = f"<title>{escaped(title)}</title>" if title else ""
    text = (
        f'\n<html lang="en"><head>{name}\n<style type="text/css">\n'
        "body.awr {font:bold 10pt Arial,Helvetica,Geneva,sans-serif;color:black;}\n"
        "td.awrc    {font:8pt Arial;color:black;background:#FFFFCC; vertical-align:top;}\n"
        '</style></head><body class="awr">\n'
        f'<h1 class="awr">\n{heading}\n\n</h1>\n{body}<p />\n<p />\nEnd of Report\n</body></html>\n'
    )
    return text.replace("\n", newline).encode("ascii", "xmlcharrefreplace")


def escaped(text: str) -> str:
    """Text with the four characters escaped that Oracle escapes."""
    return html.escape(text, quote=False).replace('"', "&quot;")


def section(sheet: Sheet) -> str:
    """A section with its heading, its bullets and its table."""
    before, after = _frame(sheet)
    if not sheet.lines:
        return f"{before}<p>No data exists for this section of the report.</p>\n{after}"
    return before + table(sheet) + after


def _frame(sheet: Sheet) -> tuple[str, str]:
    if sheet.style == "top":
        return "<p />\n", "<p />\n"
    if sheet.style == "plain":
        return f"\n{escaped(sheet.heading)}\n<p />\n", "<p />\n"
    bullets = "".join(f'<li class="awr"> {escaped(text)} </li>\n' for text in sheet.bullets)
    listed = f"<ul>\n{bullets}</ul>\n"
    if sheet.style in {"summary", "rac"}:
        return f"<p />{escaped(sheet.heading)}<p />\n{listed}", "<p />\n"
    anchor = f'<a class="awr" name="{sheet.anchor}"></a>\n'
    top = f'{anchor}<h3 class="awr">{escaped(sheet.heading)}</h3>\n'
    up = '<a class="awr" href="#top">Back to Top</a><p />\n'
    back = f'<p />\n<hr align="left" width="20%" /><p />\n{up}'
    return top + listed, back


def table(sheet: Sheet) -> str:
    """The table alone."""
    width = "" if sheet.style in {"section", "rac"} else ' width="600"'
    start = f'<table border="0"{width} class="tdiff" summary="{escaped(sheet.summary)}">'
    body = "".join(
        _row(sheet.columns, line, number % 2 == 0) for number, line in enumerate(sheet.lines)
    )
    return f"{start}{_header(sheet.columns)}{body}</table>"


def _header(columns: tuple[Column, ...]) -> str:
    if not any(column.title for column in columns):
        return "\n"
    grouped = any(column.group for column in columns)
    names = "".join(_name(column, grouped) for column in columns)
    if not grouped:
        return f"<tr>{names}</tr>\n"
    over = "".join(_group(name, len(list(part))) for name, part in _runs(columns))
    return f"<tr>\n{over}</tr><tr>\n{names}</tr>\n"


def _runs(columns: tuple[Column, ...]) -> Iterator[tuple[str, Iterator[str]]]:
    """Neighbours of one group together; columns without a group each for itself."""
    keyed = [(column.group or f"\0{number}", column) for number, column in enumerate(columns)]
    return groupby((name for name, _ in keyed), key=lambda name: name)


def _group(name: str, count: int) -> str:
    if name.startswith("\0"):
        return f"<td>{NOTHING}</td>"
    # the blank inside colspan is Oracle's
    return f'<th class="awrbg" colspan=" {count}" id="{_id(name)}">{escaped(name)}</th>\n'


def _name(column: Column, grouped: bool) -> str:
    mark = f' id="{_id(column.title)}"' if grouped and column.group else ""
    style = "awrbg" if column.title else "awrnobg"
    return f'<th class="{style}" scope="col"{mark}>{escaped(column.title)}</th>'


def _id(title: str) -> str:
    return escaped(title.replace(" ", ""))


def _row(columns: tuple[Column, ...], line: Line, shaded: bool) -> str:
    style = "awrct" if line.total else "awrc" if shaded else "awrnc"
    cells = "".join(
        _cell(column, shown, style, first=number == 0)
        for number, (column, shown) in enumerate(zip(columns, line.cells, strict=False))
    )
    return f"<tr>{cells}</tr>\n"


def _cell(column: Column, shown: Shown, style: str, *, first: bool) -> str:
    align = "" if column.left else 'align="right" '
    scope = 'scope="row" ' if first else ""
    heads = f'headers="{_id(column.group)} {_id(column.title)}" ' if column.group else ""
    return f"<td {align}{scope}{heads}class='{style}'>{_inner(shown)}</td>"


def _inner(shown: Shown) -> str:
    if shown.text.startswith("<div"):
        return shown.text
    return escaped(shown.text) if shown.text else NOTHING
