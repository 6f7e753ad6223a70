"""How the lines of a log lie in the file: encoding, what stands before each line, page headers."""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from perfkit.core.errors import ParseError, UsageError
from perfkit.sources.sas.values import stamp

if TYPE_CHECKING:
    from perfkit.sources.sas.labels import Language

LOGCONFIG = (
    r"[ \t]*(?:\d+[ \t]+)?(?P<time>\d{4}-\d{2}-\d{2}[T -]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?)\S*[ \t]+"
    r"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)[ \t]+\[\d+\][ \t]+\S*[ \t]*- ?"
)
"""The layout ``%d %-5p [%t] %X{...}:%u - %m`` of SAS's servers (LOGCONFIGLOC), all lines alike."""

_PLAIN = rb"[ \t\f]{0,12}+(?:/\*[ \t]{0,12}+)?+"
"""Blanks: SAS Studio prints one, copies have some more; a copy in a program may be in comments."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8", 3),
    (codecs.BOM_UTF16_LE, "utf-16-le", 2),
    (codecs.BOM_UTF16_BE, "utf-16-be", 2),
)
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body|div|pre|span|p)\b", re.I)
_HTML_HIDDEN = re.compile(r"<(style|script|title)\b.*?</\1\s*>", re.I | re.S)
_HTML_LINE = re.compile(r"<br\s*/?>\n?|</(?:div|p|pre|tr|li|h\d)\s*>\n?", re.I)
_HTML_TAG = re.compile(r"<!?/?[a-z][^>]*>", re.I)
_BEGINS = re.compile(
    rb"^[ \t\f]*NOTE: (?:Copyright \(c\)|SAS initialization used|.{1,60} used \(Total process)",
    re.M,
)
"""What only a SAS log has: bytes behind it that are not text were printed by its program."""
_EBCDIC_NOTE = "NOTE: ".encode("cp037")
_LINE_START = 200


@dataclass(frozen=True)
class Layout:
    """The form of the lines of one file.

    Attributes:
        encoding: Of the bytes that are scanned; UTF-16 is turned into UTF-8 on the way.
        transcode: The encoding to turn into UTF-8 first, or None.
        skip: Bytes of a byte order mark.
        html: Whether the log was saved as a page: the text within its tags is read.
        prefix: What stands before each line, or None where nothing does.
        languages: Those looked for, English first.
        anchor: The beginning of a message, at the beginning of a line.
        search: Lines that may be such, which is some times faster over those that are none.
    """

    encoding: str
    languages: tuple[Language, ...]
    transcode: str | None = None
    skip: int = 0
    html: bool = False
    prefix: re.Pattern[bytes] | None = None
    anchor: re.Pattern[bytes] = field(default=re.compile(b""))
    search: re.Pattern[bytes] = field(default=re.compile(b""))
    page: re.Pattern[str] = field(default=re.compile(""))

    def content(self, line: bytes) -> str:
        """A line's text without what stands before it, its end and blanks there."""
        if self.prefix is not None:
            found = self.prefix.match(line)
            if found:
                line = line[found.end() :]
        text = line.decode(self.encoding, "replace").rstrip(" \t\r\n\x00")
        return uncommented(text) if text.endswith("*/") else text

    def time(self, line: bytes) -> datetime | None:
        """The time that stands before a line."""
        found = self.prefix.match(line) if self.prefix is not None else None
        if not found or not found.groupdict().get("time"):
            return None
        return prefix_time(found["time"].decode("ascii", "replace"))


def uncommented(text: str) -> str:
    """A line of a log that was copied into a program as a comment, without the comment's marks."""
    text = text.removesuffix("*/").rstrip()
    bare = text.lstrip(" \t\f")
    return text.replace("/*", "  ", 1) if bare.startswith("/*") else text


def without_tags(data: bytes, encoding: str) -> bytes:
    """The text of a page, a line for each of its lines and blocks."""
    text = _HTML_HIDDEN.sub("", data.decode(encoding, "replace"))
    return html.unescape(_HTML_TAG.sub("", _HTML_LINE.sub("\n", text))).encode(encoding, "replace")


def prefix_time(text: str) -> datetime | None:
    """``2021-05-15T08:03:54,940`` or ``2008-06-25-10:24:22,234`` to the millisecond."""
    plain = re.sub(r"^(\d{4}-\d\d-\d\d)-", r"\1 ", text)
    whole = stamp(plain)
    part = re.search(r":\d\d[.,](\d{1,6})", plain)
    if whole is None or part is None:
        return whole
    return whole.replace(microsecond=int(part[1].ljust(6, "0")))


def layout_of(
    head: bytes,
    path: str,
    languages: tuple[Language, ...],
    prefix: str | None,
    encoding: str | None,
) -> Layout:
    """The layout of a file by its first bytes.

    Raises:
        ParseError: a binary file or EBCDIC.
        UsageError: a prefix that is not a regular expression, or an unknown encoding.
    """
    name, skip = _unicode(head, encoding)
    transcode = None
    if name is not None and _is_wide(name):
        transcode, name = name, "utf-8"
        head = head[skip:].decode(transcode, "replace").encode()
    else:
        _check_text(head, path)
    name = name or encoding_of(head, languages)
    is_page = bool(_HTML.match(head[skip:]))
    head = without_tags(head, name) if is_page else head
    before = _prefix_of(head, prefix, path)
    return Layout(
        name,
        languages,
        transcode,
        skip,
        is_page,
        re.compile(before) if before is not None else None,
        _anchor(before, languages, name),
        _search(before, languages, name),
        _page(languages),
    )


def _unicode(head: bytes, encoding: str | None) -> tuple[str | None, int]:
    """The Unicode encoding that a file's first bytes tell, and the length of its mark."""
    for mark, kind, size in _MARKS:
        if head.startswith(mark):
            return encoding or kind, size
    if encoding is None and b"\0" in head[:2] and head[:2] != b"\0\0":
        # ASCII in UTF-16: every other byte is 0
        return "utf-16-be" if head[:1] == b"\0" else "utf-16-le", 0
    return encoding, 0


def _is_wide(encoding: str) -> bool:
    """Whether a letter takes more than a byte: such text is turned into UTF-8 first."""
    try:
        return len("a".encode(encoding)) > 1
    except LookupError:
        raise UsageError(f"no encoding {encoding!r}") from None


def _check_text(head: bytes, path: str) -> None:
    if _EBCDIC_NOTE in head:
        raise ParseError(path, "text in EBCDIC: transfer the log from z/OS as text, not binary")
    zero = head.find(b"\0")
    if zero >= 0 and not _BEGINS.search(head, 0, zero):
        line = head.count(b"\n", 0, zero) + 1
        raise ParseError(path, "a binary file, or text in a wrong encoding: a NUL here", line)


def encoding_of(head: bytes, languages: Iterable[Language]) -> str:
    """The encoding of a file without a mark: UTF-8 if it is that, else what its words are in."""
    cut = head[: len(head) - 4] if len(head) > 4 else head
    try:
        cut.decode("utf-8")
    except UnicodeDecodeError as problem:
        if problem.start < len(cut) - 4:
            return _by_words(head, languages)
    return "utf-8"


def _by_words(head: bytes, languages: Iterable[Language]) -> str:
    for language in languages:
        words = [word for word in (*language.labels, *language.page) if not word.isascii()]
        for name in ("cp932", "euc_jp", "gb18030", "cp949"):
            for word in words:
                try:
                    if word.encode(name) in head:
                        return name
                except UnicodeEncodeError:
                    break
    return "latin-1"


def _prefix_of(head: bytes, prefix: str | None, path: str) -> bytes | None:
    """The expression for what stands before each line; None where nothing does."""
    asked = prefix if prefix is not None else LOGCONFIG
    try:
        pattern = re.compile(asked.encode())
    except re.error as problem:
        raise UsageError(f"prefix: not a regular expression: {problem}") from None
    lines = [line for line in head.split(b"\n")[:_LINE_START] if line.strip()]
    with_it = sum(1 for line in lines if pattern.match(line))
    if with_it * 2 > len(lines):
        return asked.encode()
    if prefix is not None:
        raise ParseError(path, f"the prefix given stands before {with_it} of {len(lines)} lines")
    return None


def _words(languages: Iterable[Language], encoding: str, *kinds: str) -> bytes:
    """The words that begin messages of these kinds, as alternatives."""
    words = {
        word.encode(encoding, "replace")
        for item in languages
        for kind in kinds
        for word in getattr(item, kind)
    }
    return b"|".join(re.escape(word) for word in sorted(words))


def _anchor(
    prefix: bytes | None, languages: Sequence[Language], encoding: str
) -> re.Pattern[bytes]:
    note, error, warning = (
        _words(languages, encoding, kind) for kind in ("notes", "errors", "warnings")
    )
    message = (
        rb"(?:(?P<note>%s):[ ]?"
        rb"|(?P<error>%s)(?:[ ](?P<code_e>\d+-\d+))?:"
        rb"|(?P<warning>%s)(?:[ ](?P<code_w>\d+-\d+))?:"
        rb"|(?P<pass>PASS HEADER))"
    )
    before = _PLAIN
    if prefix is not None:
        before = re.sub(rb"\(\?P<\w+>", b"(?:", prefix) + rb"[ \t\f]{0,3}+"
    return re.compile(rb"\n" + before + message % (note, error, warning))


def _search(
    prefix: bytes | None, languages: Sequence[Language], encoding: str
) -> re.Pattern[bytes]:
    words = _words(languages, encoding, "notes", "errors", "warnings")
    either = b"(?:" + words + b"|PASS HEADER)"
    if prefix is None:
        return re.compile(rb"\n" + _PLAIN + either)
    # behind a prefix: anywhere in a line, which is some times faster than the prefix itself; where
    # that ends in a dash, what follows is looked at behind dashes alone
    dash = rb"-[ \t\f]{0,4}+" if prefix.endswith(b"- ?") else b""
    return re.compile(dash + either + rb"[ :]")


def _page(languages: Iterable[Language]) -> re.Pattern[str]:
    """A page header: its number, the product, and the date at its end or on a line of its own."""
    names = "|".join(
        r"\s*".join(map(re.escape, name.split())) for item in languages for name in item.page
    )
    date = (
        r"(?:\d{1,2}:\d{2}\s+\S+,.*\d{4}"
        r"|\S+,\s.*\d{4}(?:\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AP]M)?)?)"
    )
    return re.compile(
        rf"\s*[\f♀]?\s*(?:\d+\s+)?[\f♀]?\s*(?:{names})(?:\s+(?P<date>\S.*))?$"
        rf"|\s*[\f♀]?\s*{date}\s*$|\s*[\f♀]\s*\d*\s*$"
    )
