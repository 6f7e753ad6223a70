"""What tags of HTML mean in a report, in Markdown and in what a library shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from perfkit.core.errors import ReportError

if TYPE_CHECKING:
    from perfkit.reporting.document.blocks import Style

STYLES: dict[str, Style] = {
    "b": "strong", "strong": "strong", "i": "emph", "em": "emph", "cite": "emph", "var": "emph",
    "s": "strike", "del": "strike", "strike": "strike", "sup": "super", "sub": "sub",
}  # fmt: skip

CODE = frozenset({"code", "kbd", "samp", "tt"})

WRAPPERS = frozenset({
    "a", "abbr", "article", "aside", "big", "body", "center", "dd", "details", "div",
    "dl", "dt", "figcaption", "figure", "font", "footer", "form", "header", "html", "ins",
    "label", "main", "mark", "nav", "p", "q", "section", "small", "span", "summary",
    "time", "u",
})  # fmt: skip
"""Tags whose text is printed and who say nothing else that paper can show."""

BLOCKS = frozenset({
    "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl",
    "dt", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "html", "main", "nav", "ol", "p", "pre", "section", "summary",
    "table", "ul",
})  # fmt: skip
"""Tags that begin a paragraph."""

UNSEEN = frozenset({
    "base", "button", "col", "colgroup", "datalist", "head", "input", "link", "meta",
    "noscript", "select", "style", "template", "textarea", "title", "wbr",
})  # fmt: skip
"""Tags that show nothing themselves, or only to somebody with a mouse."""

UNPRINTABLE = {
    "iframe": "a page within the page",
    "script": "what a script draws",
    "svg": "a drawing in HTML",
    "canvas": "a canvas",
    "video": "a video",
    "audio": "a sound",
    "object": "an embedded object",
    "embed": "an embedded object",
}
"""Tags of what paper cannot show, in words."""

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][\w-]*)(?P<rest>[^>]*)>")
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_SAFE = frozenset({"", "http", "https", "mailto"})


class UnprintableError(ReportError):
    """Something that paper cannot show; the message is its name, "a video"."""


def tag_of(text: str) -> tuple[str, bool, dict[str, str]] | None:
    """Name, whether it ends an element, and attributes of one tag; None for other text."""
    found = _TAG.fullmatch(text.strip())
    if found is None:
        return None
    given = {name.lower(): value.strip("\"'") for name, value in _ATTRIBUTE.findall(found["rest"])}
    return found["name"].lower(), bool(found["end"]), given


def is_known(name: str) -> bool:
    """Whether a name is one of HTML's; <name> is a word between signs."""
    more = {"br", "img", "li", "td", "th", "tr", "tbody", "thead", "tfoot", "caption"}
    known = (STYLES, CODE, WRAPPERS, BLOCKS, UNSEEN, UNPRINTABLE, more)
    return any(name in names for names in known)


def safe_link(url: str) -> str | None:
    """The address where a reader may follow it: no script, no file of the author's."""
    try:
        return url if url and urlsplit(url).scheme.lower() in _SAFE else None
    except ValueError:
        return None
