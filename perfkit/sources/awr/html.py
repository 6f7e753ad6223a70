"""AWR as HTML: where each table of the page begins and ends, found in its bytes, in one pass.

The page is never held as a document tree: a tree of a dense report needs 15 times its size. A
table that nobody asks for is not looked into. What ends what follows the rules of HTML: comments,
scripts and quoted attributes hold no tables; a table in a cell is inside it, a table elsewhere in
another one ends that; a table without its end takes what follows it, and gives back the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape

from perfkit.sources.awr import html_rows
from perfkit.sources.awr.raw import Body, RawTable

_TOKEN = re.compile(
    rb"<(?:table(?=[\s/>])|/table(?=[\s/>])|h[1-3](?=[\s/>])|!--|s(?:cript|tyle)(?=[\s/>])"
    rb"|t(?:itle|extarea)(?=[\s/>])|xmp(?=[\s/>])|iframe(?=[\s/>])|no(?:embed|frames)(?=[\s/>]))"
)
_ANCHOR = re.compile(rb"<a\s")
_TAG = re.compile(rb"<[/a-z][^\s/>]*+(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
"""A tag with its attributes; what is quoted may hold anything."""

_ATTRIBUTE = re.compile(r"[\s\"'/]([a-z][\w-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.I)
_CELL_STATE = re.compile(rb"<(/?)(td|th|tr|tbody|thead|tfoot|caption)(?=[\s/>])")
_ROW = re.compile(rb"<tr(?=[\s/>])")
_COMMENT_END = re.compile(rb"--!?>")
_HEADING_END = re.compile(rb"</h[1-6]|<(?:h[1-6]|table|ul|hr|td|th|tr)(?=[\s/>])")
_DOCTYPE = re.compile(rb"\s*<!doctype[^>]*>", re.I)

_MOST = 20_000
"""Tables of a page at most: a real one has 140, and one of 128 MiB made of such 8,000."""

_LONGEST = 1000
"""Bytes of a heading at most."""

_BEFORE = 4000
"""Bytes before a table in which the text that names it is looked for."""


@dataclass
class _Open:
    """A table whose end is not found yet."""

    start: int
    tag: bytes
    heading: str
    anchor: str
    gap: tuple[int, int]
    inside: int
    parts: list[tuple[int, int, str]] = field(default_factory=list)
    in_cell: bool = False

    def pause(self, at: int, mark: str = "") -> None:
        """Something begins that is not this table's own, for which a mark stays there."""
        self.parts.append((self.inside, at, mark))


def tables(page: bytes, low: bytes, *, cut: bool) -> tuple[list[RawTable], list[str]]:
    """All tables of a page, ``low`` in lower case, in order; and what hides a part of it.

    With ``cut`` the last one is marked: the file ends in it.

    Raises:
        html_rows.DamagedError: More tables than any report has.
    """
    found, notes = _found(page, low)
    doctype = _DOCTYPE.match(page)
    kind = doctype[0] if doctype else b""
    last = len(found)
    made = [
        _table(page, item, kind, number, cut=cut and number == last)
        for number, item in enumerate(found, 1)
    ]
    return made, notes


def _found(page: bytes, low: bytes) -> tuple[list[_Open], list[str]]:
    scan = _Scan(page, low)
    last = scan.low.rfind(b">")
    for token in _TOKEN.finditer(scan.low):
        at = token.start()
        if at > last:
            break
        if at >= scan.after and not scan.inside_a_tag(at):
            scan.take(at, token[0][1:])
    if scan.stack:
        scan.stack[-1].pause(len(page))
    return scan.found, scan.notes


@dataclass
class _Scan:
    """One pass over a page.

    Attributes:
        low: The page in lower case.
        after: The end of the last tag or comment: what lies before it is done with.
        heading_at: Where the text of a heading begins that is not read yet.
        gap: The end of the last table, or of the last tag that began one.
        stack: The tables that are open, each inside a cell of the one before it.
    """

    page: bytes
    low: bytes
    after: int = 0
    gap: int = 0
    heading_at: int = 0
    heading: str = ""
    anchor: str = ""
    found: list[_Open] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def inside_a_tag(self, at: int) -> bool:
        """Whether a place lies inside a tag, as in the value of an attribute."""
        start = self.low.rfind(b"<", self.after, at)
        tag = _TAG.match(self.low, start) if start >= 0 else None
        if tag is None or tag.end() <= at:
            return False
        self.after = tag.end()
        return True

    def take(self, at: int, kind: bytes) -> None:
        """What begins at a place."""
        if kind not in _NAMED:
            self._skip(at, kind)
            return
        tag = _TAG.match(self.low, at)
        if tag is None:
            return
        self.after = tag.end()
        if kind == b"table":
            self._begin(at)
        elif kind == b"/table":
            self._end(at)
        else:
            self.heading_at = self.after

    def _skip(self, at: int, kind: bytes) -> None:
        self.after, hidden = _hidden(self.low, at, kind)
        if hidden:
            line = self.page.count(b"\n", 0, at) + 1
            self.notes.append(
                f"line {line}: a {hidden} without an end hides the rest of the report: not read"
            )
        if self.stack:
            self.stack[-1].pause(at)
            self.stack[-1].inside = self.after

    def _begin(self, at: int) -> None:
        _suspend(self.stack, self.low, at)
        anchor = _anchor(self.page, self.low, self.gap, at, self.anchor)
        if self.heading_at:
            self.heading = _heading(self.page, self.low, self.heading_at)
            self.heading_at = 0
        elif anchor != self.anchor:
            # an anchor stands before its heading: this one was lost, and the last is another's
            self.heading = ""
        self.anchor = anchor
        tag = self.page[at : self.after]
        item = _Open(at, tag, self.heading, self.anchor, (self.gap, at), self.after)
        self.found.append(item)
        self.stack.append(item)
        self.gap = self.after
        if len(self.found) > _MOST:
            raise html_rows.DamagedError(f"more than {_MOST:,} tables")

    def _end(self, at: int) -> None:
        if self.stack:
            self.stack.pop().pause(at)
            if self.stack:
                self.stack[-1].inside = self.after
        elif _ROW.search(self.low, self.gap, at):
            line = self.page.count(b"\n", 0, at) + 1
            self.notes.append(f"line {line}: a table ends whose beginning was lost: not read")
        self.gap = self.after


_NAMED = frozenset({b"table", b"/table", b"h1", b"h2", b"h3"})


def _hidden(low: bytes, at: int, kind: bytes) -> tuple[int, str]:
    """The end of a comment or of a script; at the end of the page, what it is that has no end."""
    if kind == b"!--":
        end = _COMMENT_END.search(low, at + 2)
        return (end.end(), "") if end else (len(low), "comment")
    begin = low.find(b">", at)
    while (begin := low.find(b"</" + kind, begin)) >= 0:
        begin += len(kind) + 2
        if low[begin : begin + 1] in (b">", b"/", b"\n", b" ", b"\t", b"\r"):
            return begin, ""
    return len(low), f"<{kind.decode()}>"


def _suspend(stack: list[_Open], low: bytes, at: int) -> None:
    """A table begins inside another: in a cell of it, or where it ends the other one."""
    if not stack:
        return
    top = stack[-1]
    top.in_cell = _in_cell(low, top.inside, at, top.in_cell)
    # by the mark a cell is known that holds more than its text
    top.pause(at, html_rows.NESTED if top.in_cell else "")
    if not top.in_cell:
        stack.pop()


def _in_cell(low: bytes, start: int, at: int, before: bool) -> bool:
    """Whether a cell is open, by the last tag that says so."""
    while (at := low.rfind(b"<", start, at)) >= 0:
        state = _CELL_STATE.match(low, at)
        if state:
            return not state[1] and state[2] in {b"td", b"th", b"caption"}
    return before


def _anchor(page: bytes, low: bytes, start: int, end: int, before: str) -> str:
    """The name of the last anchor in the gap before a table, else the one before that."""
    for found in reversed(list(_ANCHOR.finditer(low, start, end))):
        tag = _TAG.match(low, found.start())
        name = _attributes(page[found.start() : tag.end()]).get("name") if tag else None
        if name is not None:
            return name
    return before


def _attributes(tag: bytes) -> dict[str, str]:
    """The attributes of a tag; of several of one name, the first."""
    text = tag.decode("utf-8", "replace")
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), unescape(double or single or bare))
    return found


def _heading(page: bytes, low: bytes, start: int) -> str:
    end = _HEADING_END.search(low, start, start + _LONGEST)
    return html_rows.squeezed(page[start : end.start() if end else start])


def _table(page: bytes, item: _Open, doctype: bytes, number: int, *, cut: bool) -> RawTable:
    attributes = _attributes(item.tag)
    return RawTable(
        title=item.heading,
        summary=" ".join(attributes.get("summary", "").split()),
        anchor=item.anchor,
        place=f"table {number}",
        open=_opener(page, item.parts),
        near=_nearer(page, item.gap, doctype),
        cut=cut,
    )


def _opener(page: bytes, parts: list[tuple[int, int, str]]) -> Callable[[], Body]:
    def inside() -> str:
        return "".join(page[a:b].decode("utf-8", "replace") + mark for a, b, mark in parts)

    def opened() -> Body:
        head = html_rows.header(inside())

        def fetch() -> list[list[str]]:
            return html_rows.rows(inside(), head)

        return Body(head.columns, fetch, exact=True, problem=head.problem)

    return opened


def _nearer(page: bytes, gap: tuple[int, int], doctype: bytes) -> Callable[[], str]:
    def near() -> str:
        start, end = gap
        if end - start > _BEFORE:
            start = max(page.find(b"<", end - _BEFORE, end), start)
        return html_rows.before(doctype, page[start:end])

    return near
