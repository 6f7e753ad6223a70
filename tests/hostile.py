"""Names that try to be more than names, and what must never come out of them."""

from __future__ import annotations

import re

HOSTILE = {
    "a script": "<script>alert(1)</script>",
    "a handler": "<img src=x onerror=alert(1)>",
    "an attribute": "\" onmouseover=\"alert(1)\" x='",
    "the end of a script": "</script><script>alert(2)</script><!--",
    "entities": "&lt;b&gt; &amp; &#60;i&#62; &copy;",
    "a link of a chart": '<a href="javascript:alert(1)">%{y}</a> %{x}',
    "a place of a template": "{{ 7*7 }} {% raw %} {{see peak}} {{good}}",
    "Typst": '#eval("1+1") ] #panic() $x^2$ \\ `raw` @label <label> // /*',
    "a formula": "=1+cmd|' /C calc'!A0",
    "a formula with plus": "+1+SUM(A1)",
    "a formula with minus": "-1+SUM(A1)",
    "a formula with at": "@SUM(A1)",
    "a terminal": "\x1b[31mred\x1b[0m\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x9b2J\x08\x08",
    "a direction": "a\u202e321\u202c\u2066x\u2069\u200f",
    "NUL": "a\x00b",
    "lines": "a\nerror: b\r\n# c\u2028d",
    "length": "x" * 3000,
    "YAML": "!!python/object/apply:os.system ['x'] : - {a: &b *b}",
    "Markdown": "[x](javascript:alert(1)) ![p](http://evil.example/p.png) **b** http://evil.example/",
    "blanks": "a\u00a0b\u200bc\ufeffd",
    "rich": "[red]a[/red] [link=http://evil.example]b[/link]",
}  # fmt: skip
OF_TERMINALS = ("a terminal", "a direction", "NUL", "lines", "length", "rich")
"""Those that can do more in a terminal than be read."""

STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but tab and line feed, marks and overrides of direction, halves of pairs."""


def shown(text: str) -> str:
    """How a hostile name is shown, without blanks: they fall where lines do."""
    bare = re.sub(r"[\t\n\v\f\r\x85\u2028\u2029]", "", text)
    return squeezed(STEERING.sub("·", bare))


def squeezed(text: str) -> str:
    """A text without blanks and without what prints nothing."""
    return re.sub(r"[\s\u200b\ufeff]", "", text)


TAGS = frozenset({
    "html", "head", "meta", "link", "title", "style", "body", "nav", "details", "summary", "main",
    "header", "footer", "section", "aside", "div", "span", "p", "h1", "h2", "h3", "h4", "h5",
    "h6", "ul", "ol", "li", "a", "sup", "code", "pre", "blockquote", "em", "strong", "s", "br",
    "hr", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "img",
    "script", "-text", "-comment", "-doctype",
})  # fmt: skip
ATTRIBUTES = frozenset({
    "class", "id", "lang", "charset", "name", "content", "http-equiv", "rel", "href", "scope",
    "role", "tabindex", "style", "open", "start", "data-id", "alt", "src", "type", "aria-label",
    "aria-labelledby", "data-of", "data-at", "data-v", "data-unit", "data-rounding",
})  # fmt: skip


def elements(page: str) -> list[tuple[str, dict[str, str | None]]]:
    """Every element of a page with its attributes."""
    from selectolax.lexbor import LexborHTMLParser

    nodes = LexborHTMLParser(page).root.traverse()
    return [(node.tag, node.attributes) for node in nodes]


def check_page(page: str, *, scripts: int = 0, links: tuple[str, ...] = ("#", "data:")) -> None:
    """No element, attribute, script or address that perfkit does not write itself."""
    found = elements(page)
    assert {tag for tag, _ in found} <= TAGS
    names = {name for _, given in found for name in given}
    assert names <= ATTRIBUTES, names - ATTRIBUTES
    assert sum(tag == "script" for tag, _ in found) == scripts
    addresses = [given[key] or "" for _, given in found for key in ("href", "src") if key in given]
    assert all(address.startswith(links) for address in addresses), addresses


def words_of(page: str) -> str:
    """What a reader of the page sees."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(page)
    tree.strip_tags(["script", "style"])
    return tree.body.text()
