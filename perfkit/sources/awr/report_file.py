"""The bytes of a report, and what they are: HTML or text, AWR or Statspack, or something else."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from itertools import pairwise, takewhile

from perfkit.core.errors import ParseError
from perfkit.sources.files import GZIP, encoding_of

LIMIT = 128 * 1024 * 1024
"""The largest report that is read, unpacked: real ones have 0.1 to 20 MB."""

_HEAD = 256 * 1024
_TAIL = 16 * 1024

_OTHER = (
    (("compare", "comparison", "awr diff"),
     re.compile(r"COMPARE\s+PERIOD|AWR Compare|Period Comparison|AWR Diff", re.I),
     "an AWR compare-periods report: read the two reports it was made of"),
    (("ash report",),
     re.compile(r"<title>[^<]*\bASH Report|^\s*ASH Report For|<h1[^>]*>\s*ASH Report", re.I | re.M),
     "an ASH report, not AWR: it holds samples of sessions"),
    (("addm", "automatic database"),
     re.compile(r"ADDM Report for|<title>[^<]*ADDM|AUTOMATIC DATABASE DIAGNOSTIC MONITOR", re.I),
     "an ADDM report, not AWR: it holds findings, not figures"),
    (("workload repository sql", "awr sql"),
     re.compile(r"WORKLOAD REPOSITORY SQL Report|AWR SQL Report", re.I),
     "an AWR report of one SQL statement, not of a database"),
)  # fmt: skip
"""Other reports: words of which one is there, quickly looked for; their pattern; what they are."""

_AWR = re.compile(
    r"WORKLOAD\s+REPOSITORY\s+(PDB\s+)?REPORT|<title>\s*AWR\s+(RAC\s+|PDB\s+)?Report"
    r'|summary="This table displays (database instance|snapshot|host) information"',
    re.I,
)
_STATSPACK = re.compile(r"^\f?\s*STATSPACK report for", re.I | re.M)
_HTML = re.compile(r"<\s*(html|title|table|body|h1)\b", re.I)
_END = re.compile(r"</html\s*>")


def unpacked(data: bytes, path: str) -> bytes:
    """The bytes, unpacked if they are gzip or a web archive.

    Raises ParseError for what is too large or damaged.
    """
    if data.startswith(GZIP) and len(data) <= LIMIT:
        pump = zlib.decompressobj(wbits=31)
        try:
            plain = pump.decompress(data, LIMIT + 1)
        except zlib.error as problem:
            raise ParseError(path, f"gzip data is damaged: {problem}") from problem
        if len(plain) <= LIMIT and not pump.eof:
            raise ParseError(path, "gzip data is cut off")
        data = plain
    if len(data) > LIMIT:
        raise ParseError(
            path, f"larger than any report: more than {LIMIT // 1024**2} MiB are not read"
        )
    return _page_of(data, path)


_ARCHIVE = (b"mime-version:", b"multipart/related")
"""What stands at the beginning of a web archive."""


def _page_of(data: bytes, path: str) -> bytes:
    """The page of a web archive (MHTML), as which browsers save a page; other bytes as they are.

    Its lines are broken within numbers, and each equals sign stands as three characters.
    """
    head = data[:4096].lower()
    if not all(words in head for words in _ARCHIVE):
        return data
    from email import message_from_bytes  # few need it

    parts = message_from_bytes(data).walk()
    page = next((part for part in parts if part.get_content_type() == "text/html"), None)
    content = page.get_payload(decode=True) if page else None
    if page is None or not isinstance(content, bytes):
        raise ParseError(path, "a web archive (MHTML) without a page: save the page as HTML")
    try:
        return content.decode(page.get_content_charset() or "utf-8").encode()
    except (LookupError, UnicodeDecodeError):
        # what it is in is told from its bytes
        return content


def decoded(data: bytes, path: str) -> tuple[str, str | None]:
    """The text, and a warning where it is in no Unicode encoding.

    Figures and Oracle's own words are ASCII; only names and SQL text can suffer.
    Raises ParseError for an empty or a binary file.
    """
    if not data.strip():
        raise ParseError(path, "the file is empty")
    marked = encoding_of(data)
    if marked != "utf-8":
        try:
            return data.decode(marked), None
        except UnicodeDecodeError as problem:
            raise ParseError(path, f"not {marked} text: {problem.reason}") from problem
    zeros = data.find(b"\0")
    if zeros >= 0:
        line = data.count(b"\n", 0, zeros) + 1
        raise ParseError(path, "a binary file, or text in a wrong encoding: a NUL here", line)
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        note = (
            f"line {line} is not UTF-8: read as Latin-1, so that names and SQL text with "
            "letters beyond ASCII may be wrong"
        )
        return data.decode("latin-1"), note


def _is_html(head: str) -> bool:
    """Whether the beginning of a file is HTML: tags below a text's heading are of its SQL."""
    tag, heading = _HTML.search(head), _TEXT.search(head)
    return tag is not None and (heading is None or tag.start() < heading.start())


_TEXT = re.compile(r"workload repository (?:pdb )?report|statspack report for", re.I)


def uncopied(text: str) -> str:
    """A text report without what copying it put before all of its lines; HTML is left as it is.

    Mail quotes with ``>``, documents indent, and web pages write blanks that do not break.
    """
    if _is_html(text[:_HEAD]):
        return text
    lines = text.replace("\xa0", " ").split("\n")
    filled = [line for line in lines if line.strip("> \f\r")]
    # what the first and the last in their order have in common, all have
    both = zip(min(filled, default=""), max(filled, default=""), strict=False)
    size = len(list(takewhile(lambda pair: pair[0] == pair[1] and pair[0] in "> ", both)))
    return "\n".join(line[size:] for line in lines) if size or "\xa0" in text else text


def form_of(text: str, path: str) -> tuple[str, bool]:
    """What a report is: ("awr" or "statspack", whether it is HTML).

    Raises ParseError for other reports of Oracle's, and for what is none.
    """
    head = text[:_HEAD]
    html = _is_html(head)
    if not html and _STATSPACK.search(head):
        return "statspack", False
    # an AWR report holds ADDM's findings: what it is stands at its beginning
    beginning = head[:_TAIL] if html else head[:4096]
    small = beginning.lower()
    for words, pattern, what in _OTHER:
        if any(word in small for word in words) and pattern.search(beginning):
            raise ParseError(path, what)
    if _AWR.search(head):
        return "awr", html
    what = "an HTML page" if html else "a text"
    raise ParseError(path, f"{what}, but no AWR or Statspack report: it does not say so")


def is_report(head: str) -> bool:
    """Whether the beginning of a file is one of an AWR report."""
    return bool(_AWR.search(head))


def is_statspack(head: str) -> bool:
    """Whether the beginning of a file is one of a Statspack report."""
    return not _is_html(head) and bool(_STATSPACK.search(head))


_BEGINS = (
    (b"workload repository", re.compile(
        rb"(?:<h1[^>]*>\s*|(?:\A|\n)[\f \t]*)workload repository\s+(?:pdb\s+)?report"
        rb"(?:\s+for|\s+\()"
    )),
    (b"statspack report for", re.compile(rb"(?:\A|\n)[\f \t]*statspack\s+report\s+for")),
    (b"displays snapshot information", re.compile(
        rb'summary="\s*this table displays snapshot information'
    )),
    (b"database summary", re.compile(rb'summary="\s*database summary')),
    (b"begin snap:", re.compile(rb"(?:\A|\n)[\f \t]*begin snap:")),
)  # fmt: skip
"""What stands once in a report (heading, snapshots): words of it, which are quickly looked for, and
their pattern."""

_BEFORE, _AFTER = 120, 60
"""Bytes around the word in which the pattern is looked for."""


def refuse_second(low: bytes, path: str) -> None:
    """Raises ParseError, with the line, where a second report begins in the same file.

    Read as one, the numbers of both would stand in one line. ``low`` is the file in lower case.
    """
    places = [list(_begins(low, word, pattern)) for word, pattern in _BEGINS]
    seconds = [found[1] for found in places if len(found) > 1]
    # headings of several forms are of one report, unless a report ended between them
    heads = sorted(found[0] for found in places[:2] if found)
    seconds += [
        later
        for earlier, later in pairwise(heads)
        if low.find(b"end of report", earlier, later) >= 0
    ]
    if seconds:
        line = low.count(b"\n", 0, min(seconds) + 1) + 1
        what = "a second report begins here: put each report into a file of its own"
        raise ParseError(path, what, line)


def _begins(low: bytes, word: bytes, pattern: re.Pattern[bytes]) -> Iterator[int]:
    """Where a report begins by a pattern: looked for around its word, which costs little."""
    place, before = low.find(word), -1
    while place >= 0:
        found = pattern.search(low, max(place - _BEFORE, 0), place + _AFTER)
        if found and found.start() != before:
            before = found.start()
            yield before
        place = low.find(word, place + len(word))


def is_cut(text: str) -> bool:
    """Whether the report ends before its end: an upload that was not whole."""
    small = text[-_TAIL:].lower()
    if "end of report" in small:
        return False
    return "</html" not in small or not _END.search(small)
