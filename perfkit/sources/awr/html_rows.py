"""The inside of one HTML table: its header, its rows, and the text before it.

Nearly every table has rows of one kind, all as wide as its header: one regular expression takes it
apart. Else each row is taken by itself, as a run of cells with simple markup. A row in which
anything else is found (a lost end tag, an attribute with a ``>``, a table) goes through an HTML
parser, alone. All give the same texts.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from itertools import accumulate, chain, islice, takewhile
from typing import TYPE_CHECKING, Any

from perfkit.sources.awr.raw import Column

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

NESTED = "<table></table>"
"""What stands in a cell for a table that was inside it."""

_ROW = re.compile(r"<[tT][rR](?=[\s/>])")
_PLAIN_CELL = re.compile(r"<td(?=[\s/>])[^>]*+>([^<]*+)</td>").findall
"""The texts of plain cells, where a text holds no ``<`` and an attribute no bracket."""

_QUOTED = r"(?:\s(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)?"
_CAPITAL_CELL = re.compile(rf"<TD(?=[\s>]){_QUOTED}>")
_IN_CAPITALS = (("</TD>", "</td>"), ("<TR>", "<tr>"), ("</TR>", "</tr>"), ("</TBODY>", ""))

_PLAIN_ROW = re.compile(r"\s*<tr>\s*(?:<(t[dh])(?:\s[^<>]*+)?>[^<>]*+</\1>\s*)++</tr>")
_BETWEEN = ("</tr>\n<tr>", "</tr><tr>", "</tr>\n\n<tr>")
"""What stands between two rows, alike in all of a table."""

_MARK = "\0"
"""What stands for it among the cells: no report that is read has this character."""

_APART = "\1"

_ENDS = ("</tr>\n", "</TR>\n", "</tr>", "</TR>")
_INLINE = r"</?(?:a|b|i|u|br|div|span|font|em|strong|small|tt|code|p|pre_sqltext)(?:\s[^<>]*)?/?>"
_INLINE_TAG = re.compile(_INLINE)
_RICH = re.compile(rf"<(t[dh])({_QUOTED})>((?:[^<>]++|{_INLINE})*+)</t[dh]>", re.I)
_EMPTY = re.compile(
    r"<(t[dh])((?:\s[^<>/]*+)?)(?:/>|>(?=\s*+<t[dh]))(?=\s*+<(?:t[dh][\s/>]|/tr>))", re.I
)
"""A cell that Exadata writes as if it ended in its own tag (browsers save it without an end); it
ends where the next one begins."""

_HEADS = ("<th", "<TH", "<tH", "<Th")
_LEFT = re.compile(r"/t[dhr]\s*>")
_ANY_TAG = re.compile(r"<[^<>]*>")
_BARE_CELL = re.compile(r"<t[dh](?=[\s/>])", re.I)
_LAST_TAIL = re.compile(r"</tr\s*>\s*(?:</?t(?:body|head|foot)(?:\s[^<>]*)?>\s*)+\Z", re.I)
_SPAN = re.compile(r"(?<![\w-])colspan\s*=\s*[\"']?\s*([^\"'>\s]*)", re.I)
_STRANGE = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|nbsp|#(?:9|10|3[2-9]|[4-9]\d|1[01]\d|12[0-6]|1[6-9]\d|2\d\d));)"
    r"[a-zA-Z#]"
)
"""References of characters that are left to the HTML parser."""

_OPEN_TAG = re.compile(r"</?[a-zA-Z](?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?+)*+")
"""A tag up to its end, or to the end of the text."""

_NEAR = 6
"""How many nodes before a table may hold the text that names it."""

_NEAR_TEXT = 200
"""How much of that text is kept."""

_BEGIN = "<tbody>"
"""How a piece begins that is not a row: cells before the first row."""

_WIDEST = 100
_TAIL = 60
"""Bytes at the end of a row in which the ends of the table's parts are looked for."""

_AT_ONCE = 8192
"""Characters of rows that go through the HTML parser at once."""

_HELD = 8
"""How often a row may seem to begin inside one tag: more is damage, and would cost time."""

_CELLS = frozenset({"td", "th"})

_DEEPEST = 2000
"""Elements inside one another at most: a missing end tag makes some dozens."""

_NESTED = re.compile(
    r"<(/?)(?!(?:a|p|li|td|tr|th|br|hr|img|meta|link|input|col|option|dd|dt)\b)[a-z][a-z0-9]*", re.I
)
"""Elements that have an end: the others end where the next one begins (as real reports leave a)."""

Cells = tuple[tuple[str, int, str], ...]
"""A row: of each cell its tag, how many columns it spans, and its text."""


class DamagedError(Exception):
    """A page that is damaged so that it would take too long to read."""


def squeezed(markup: bytes) -> str:
    """The text of a piece of markup, runs of white space as one space."""
    return " ".join(unescape(_ANY_TAG.sub("", markup.decode("utf-8", "replace"))).split())


@dataclass(frozen=True)
class Header:
    """The header of a table.

    Attributes:
        columns: Its columns.
        rows: How many rows it has.
        problem: What is wrong with it ("": nothing).
        ends: Where each column ends, counted in single ones, if one is wider than that.
        end: Where it ends in the table.
    """

    columns: tuple[Column, ...]
    rows: int
    problem: str
    ends: tuple[int, ...] = ()
    end: int = 0


def header(inside: str) -> Header:
    """The header: its last row names the columns, the one above groups them, as wide as it."""
    end = _plain_head(inside) or _end_of_heads(inside)
    return replace(_header(inside[:end]), end=end)


def _plain_head(inside: str) -> int:
    """Where the header ends, if its rows are plain and the one below begins like any; else 0."""
    end = 0
    while (row := _PLAIN_ROW.match(inside, end)) and "<th" in row[0]:
        end = row.end()
    below = inside.find("</tr>", end)
    first = inside[end:below].lower()
    return end if first.lstrip().startswith("<tr>") and "<th" not in first else 0


def _end_of_heads(inside: str) -> int:
    """Where the first row below the last header cell begins, or the end of the table."""
    last = max(map(inside.rfind, _HEADS))
    if last < 0:
        return 0
    row = _ROW.search(inside, last)
    # a row that seems to begin inside a tag does not
    return row.start() if row and not _ends_in_tag(inside[: row.start()]) else len(inside)


@lru_cache(maxsize=1024)
def _header(markup: str) -> Header:
    # one header stands over many tables and reports: it is read once
    head = tuple(
        takewhile(
            lambda row: any(tag == "th" for tag, _, _ in row),
            chain.from_iterable(map(_cells, _pieces(markup))),
        )
    )
    ends = tuple(accumulate(span for _, span, _ in head[-1])) if head else ()
    wide = bool(ends) and ends[-1] > len(ends)
    return Header(_columns(head), len(head), _damage(head), ends if wide else ())


def _damage(head: tuple[Cells, ...]) -> str:
    """What is wrong with a header of two rows."""
    if len(head) <= 1:
        return ""
    spanned = sum(span for _, span, _ in head[-2])
    named = sum(span for _, span, _ in head[-1])
    if named <= spanned and sum(bool(text) for _, _, text in head[-2]) == 1:
        # one group cannot take the place of another; Exadata prints one too wide over disks' times
        return ""
    # Exadata prints an empty cell too many behind the groups of IO Reasons
    spare = sum(1 for _ in takewhile(lambda cell: not cell[2], reversed(head[-2])))
    wrong = f"its groups of columns span {spanned} columns, {named} have names"
    return "" if spanned - spare <= named <= spanned else wrong


def _columns(head: tuple[Cells, ...]) -> tuple[Column, ...]:
    if not head:
        return ()
    groups = [text for row in head[-2:-1] for _, span, text in row for _ in range(span)]
    places = accumulate((span for _, span, _ in head[-1]), initial=0)
    return tuple(
        Column(
            " ".join((groups[place] if place < len(groups) else "").split()), " ".join(name.split())
        )
        for place, (_, _, name) in zip(places, head[-1], strict=False)
    )


def _spanned_rows(inside: str, ends: tuple[int, ...], skip: int) -> list[list[str]]:
    """The texts below a header with a column wider than one cell (Exadata).

    The value stands at the end of it; before it may stand a cell of its own with a mark (``*``:
    an outlier). A row that is not as wide as the header comes as it is: its cells do not fit.
    Another header ends the table, as in ``_each_row``.
    """
    found: list[list[str]] = []
    for row in islice(chain.from_iterable(map(_cells, _pieces(inside))), skip, None):
        places = list(accumulate(span for _, span, _ in row))
        at = {place: text for place, (_, _, text) in zip(places, row, strict=True)}
        if any(tag == "th" for tag, _, _ in row):
            return [*found, []]
        if places and places[-1] == ends[-1]:
            found.append([at.get(place, "") for place in ends])
        elif row:
            # never as many as there are columns
            texts = [text for _, _, text in row]
            found.append([*texts, ""] if len(texts) == len(ends) else texts)
    return found


def rows(inside: str, head: Header) -> list[list[str]]:
    """The texts of the cells of each row below the header."""
    if head.ends:
        return _spanned_rows(inside, head.ends, head.rows)
    found = None
    if head.columns and not _holds_rows(inside[: head.end].lower(), head.rows):
        found = _alike(_lowered(inside[head.end :]), len(head.columns))
    return _each_row(inside, head.rows) if found is None else found


def _holds_rows(low: str, rows: int) -> bool:
    """Whether more than the rows of a header stand down to its last one: a tag was lost."""
    return low.count("<tr") != rows or "<td" in low[low.rfind("<th") :]


def _lowered(body: str) -> str:
    """The rows of a page that a browser wrote anew, as Oracle writes them; others as they are.

    Tags in capitals become those in small letters, and cells lose their attributes, which may hold
    brackets; where cells span several columns, all stays as it is.
    """
    if "<TD" not in body or "colspan" in body.lower():
        return body
    for old, new in _IN_CAPITALS:
        body = body.replace(old, new)
    return _CAPITAL_CELL.sub("<td>", body)


def _alike(body: str, width: int) -> list[list[str]] | None:
    """The rows below a header where each has as many plain cells as there are columns, else None.

    The marks between the rows stand at equal distances, and there is no tag beside those of rows
    and cells: so every row has all of its cells, in their order.
    """
    body = body.strip()
    if not body.startswith("<tr>") or not body.endswith("</tr>"):
        return None
    between = next((text for text in _BETWEEN if text in body), _BETWEEN[0])
    found = _between(body, between, width) or _between(_INLINE_TAG.sub("", body), between, width)
    found = _characters(found) if found else None
    if found is None:
        return None
    texts = list(map(str.strip, found))
    return [texts[place : place + width] for place in range(0, len(texts), width + 1)]


def _characters(texts: list[str]) -> list[str] | None:
    """Texts with their references as characters, all at once; None where that takes a parser."""
    whole = _APART.join(texts)
    if "&" not in whole:
        return texts
    whole = whole.replace("&#160;", "\xa0").replace("&nbsp;", "\xa0")
    if _STRANGE.search(whole):
        return None
    apart = unescape(whole).split(_APART)
    return apart if len(apart) == len(texts) else None


def _between(body: str, between: str, width: int) -> list[str] | None:
    """The texts of all cells, with a mark between rows; None where the rows are not alike."""
    found = _PLAIN_CELL(body.replace(between, f"<td>{_MARK}</td>"))
    count, rest = divmod(len(found) + 1, width + 1)
    tags = 2 * count * (width + 1)
    if rest or body.count("<") != tags or body.count(">") != tags:
        return None
    return found if found[width :: width + 1].count(_MARK) == count - 1 else None


def _each_row(inside: str, skip: int) -> list[list[str]]:
    """The texts of the cells of each row that has any, without the first rows, which are header.

    Where another header follows, the table ran into the next one (a tag or a quote was lost): an
    empty row says so, and what follows is left out.
    """
    found: list[list[str]] = []
    odd: list[str] = []
    held = 0
    ran_into: list[list[str]] = []
    heads = inside.count("<th") + inside.count("<TH")
    for piece in _pieces(inside):
        own = piece.count("<th") + piece.count("<TH") if heads else 0
        if own:
            heads -= own
            found += _texts(odd)
            odd, held = [], 0
            if len(found) >= skip:
                ran_into = [[]]
                break
        texts = _rich(piece)
        if texts is None:
            # the parser takes several rows at once, but not so many that they nest deeply
            odd.append(piece)
            held += len(piece)
            if held < _AT_ONCE:
                continue
        if odd:
            found += _texts(odd)
            odd, held = [], 0
        if texts is not None:
            found.append(texts)
    return [row for row in (*found, *_texts(odd))[skip:] if row] + ran_into


def _texts(odd: list[str]) -> list[list[str]]:
    if not odd:
        return []
    rows = [[text for _, _, text in row] for row in _by_parser("<tr".join(odd))]
    # what is left of a tag is not text: such a row counts as one with a cell too many
    return [[*row, ""] if any(map(_LEFT.search, row)) else row for row in rows]


def _rich(piece: str) -> list[str] | None:
    """The texts of a row whose cells hold simple markup; None where it is not that simple."""
    cells = _found(piece)
    if cells is None:
        return None
    texts = [text for _, _, text in cells]
    if "&" not in piece:
        return [(_ANY_TAG.sub("", text) if "<" in text else text).strip() for text in texts]
    return [unescape(_ANY_TAG.sub("", text)).strip() for text in texts]


def _found(piece: str) -> list[tuple[str, str, str]] | None:
    """The tag, attributes and inside of each cell, if there is nothing else in the piece."""
    piece = _EMPTY.sub(r"<\1\2></\1>", piece)
    whole = _LAST_TAIL.sub("</tr>", piece) if "</t" in piece[-_TAIL:].lower() else piece
    found: list[tuple[str, str, str]] = _RICH.findall(whole)
    more = whole.count("<") - sum(
        text.count("<") + attributes.count("<") + 2 for _, attributes, text in found
    )
    # a row may end where its last cell does
    plain = not more or (more == 1 and whole.rstrip().lower().endswith("</tr>"))
    return found if plain and not ("&" in whole and _STRANGE.search(whole)) else None


def _pieces(inside: str) -> Iterator[str]:
    """The rows of a table as they are printed, each without the beginning of its tag."""
    if "&" in inside:
        inside = inside.replace("&#160;", "\xa0").replace("&nbsp;", "\xa0")
    # two thirds of the time of a regular expression, where all tags are written alike
    alike = [tag for tag in ("<tr", "<TR") if tag in inside]
    parts = inside.split(alike[0]) if len(alike) == 1 else _ROW.split(inside)
    if _BARE_CELL.search(parts[0]):
        yield _BEGIN + parts[0]
    held, times = "", 0
    for piece in parts[1:]:
        whole = f"{held}<tr{piece}" if held else piece
        if times < _HELD and not piece.endswith(_ENDS) and _ends_in_tag(piece):
            held, times = whole, times + 1
            continue
        yield whole
        held, times = "", 0
    if held:
        yield held


def _ends_in_tag(piece: str) -> bool:
    """Whether a row is not over where the next seems to begin, which then is in an attribute."""
    if piece.rfind("<") <= piece.rfind(">"):
        return False
    last = deque(_OPEN_TAG.finditer(piece), maxlen=1)
    return bool(last) and last[0].end() == len(piece)


def _cells(piece: str) -> tuple[Cells, ...]:
    """The rows in a piece: one, or more where an end or a beginning was lost."""
    found = _found(piece)
    if found is None:
        return _by_parser(piece)
    return (
        tuple(
            (tag.lower(), _span(attributes), unescape(_ANY_TAG.sub("", text)).strip())
            for tag, attributes, text in found
        ),
    )


def _span(attributes: str) -> int:
    found = _SPAN.search(attributes)
    text = found[1].strip() if found else "1"
    return min(int(text), _WIDEST) if text.isdecimal() and len(text) < 4 else 1


def _by_parser(piece: str) -> tuple[Cells, ...]:
    from selectolax.lexbor import LexborHTMLParser

    _refuse_deep(piece)
    row = "" if piece.startswith(_BEGIN) else "<tr"
    table = LexborHTMLParser(f"<table>{row}{piece}").css_first("table")
    return tuple(
        tuple(
            (
                str(cell.tag),
                _span(f" colspan={cell.attributes.get('colspan') or '1'}"),
                # of a cell that swallowed a table, its own text
                cell.text(deep=cell.css_first("table") is None).strip(),
            )
            for cell in row.iter()
            if cell.tag in _CELLS
        )
        for row in _row_nodes(table)
    )


def _refuse_deep(piece: str) -> None:
    """Raises DamagedError for elements inside one another without end.

    The time that the HTML library needs grows with the square of the depth.
    """
    depth = 0
    for found in _NESTED.finditer(piece) if piece.count("<") > _DEEPEST else ():
        depth = max(0, depth - 1) if found[1] else depth + 1
        if depth > _DEEPEST:
            raise DamagedError(f"{depth:,} elements inside one another")


def _row_nodes(table: LexborNode | None) -> Iterator[LexborNode]:
    for part in table.iter() if table is not None else ():
        if part.tag == "tr":
            yield part
        elif part.tag in ("tbody", "thead", "tfoot"):
            yield from (row for row in part.iter() if row.tag == "tr")


def before(doctype: bytes, gap: bytes) -> str:
    """The bare text just before a table: in the summary of a report it is its only heading."""
    from selectolax.lexbor import LexborHTMLParser

    # where a table stands in the tree depends on the one before it and on the kind of document
    page = LexborHTMLParser(doctype + b"<table></table>" + gap + b"<table></table>")
    nodes = page.css("table")
    other: Any = _previous(nodes[-1]) if nodes else None
    for _ in range(_NEAR):
        if other is None or other.tag in ("table", "script", "style"):
            return ""
        text = " ".join(other.text().split())
        if text:
            return text[:_NEAR_TEXT]
        other = _previous(other)
    return ""


def _previous(node: Any) -> Any:
    """What stands before a node; a page without a doctype puts a table into the <p /> before it."""
    while node.prev is None and node.parent is not None and node.parent.tag == "p":
        node = node.parent
    return node.prev
