"""LaTeX formulas as MathML: HTML shows it as it is, and Typst's own form is made from it.

A formula that is not understood whole is not a formula: it is printed as its author wrote it, in
code.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET  # reads what latex2mathml just wrote

from perfkit.core.plain_text import plain, plain_lines
from perfkit.reporting.document.blocks import CodeSpan, Math

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

ELEMENTS = frozenset({
    "math", "mrow", "mstyle", "mpadded", "mphantom", "mi", "mn", "mo", "mtext", "mspace",
    "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover",
    "mtable", "mtr", "mtd", "menclose",
})  # fmt: skip
"""What both writers can set."""

_ATTRIBUTES = frozenset({
    "display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "form",
    "accent", "linethickness", "minsize", "maxsize", "columnalign", "rowspacing",
    "columnspacing", "width", "notation", "linebreak",
})  # fmt: skip
_NUMBERED = re.compile(r"\\(begin|end)\{(align|alignat|equation|gather|multline)\}")
_ARRAYS = {r"\begin{eqnarray": r"\begin{array}{rcl", r"\end{eqnarray": r"\end{array"}
_ARRAY = re.compile(r"(\\(?:begin|end)\{eqnarray)\*?")
_UNSEEN = re.compile(r"\\label\{[^{}]*\}|\\nonumber\b|\\notag\b")
_LONGEST = 5000
_DEEPEST = 60


def formula(latex: str, *, display: bool) -> Math | CodeSpan:
    """The formula, or its LaTeX as code where a part of it is not understood."""
    latex = plain_lines(latex).strip()
    mathml = _mathml(latex, display=display)
    return CodeSpan(latex) if mathml is None else Math(latex, mathml, display)


def _mathml(latex: str, *, display: bool) -> str | None:
    from latex2mathml.converter import convert_to_element

    # a report numbers no formulas: "(1)" at each of them would be no number
    text = _UNSEEN.sub("", _NUMBERED.sub(r"\\\1{\2*}", latex))
    text = _ARRAY.sub(lambda found: _ARRAYS[found[1]], text)
    if not text.strip() or len(text) > _LONGEST or _depth(text) > _DEEPEST:
        return None
    try:
        found = convert_to_element(text, display="block" if display else "inline")
    except Exception:  # noqa: BLE001 - a dozen kinds, and IndexError, for what is not a formula
        return None
    for item in found.iter():
        written, item.text = item.text, plain(html.unescape(item.text or ""))
        # an unknown command comes back as a letter: \\foo
        lost = bool(written) and not item.text
        if item.tag not in ELEMENTS or lost or item.text.startswith("\\"):
            return None
        item.attrib = {k: v for k, v in item.attrib.items() if k in _ATTRIBUTES}
    if sum(item.text == "&" for item in found.iter()) > text.count(r"\&"):
        return None  # the & of a table that is none
    found.set("alttext", latex)
    found.set("xmlns", "http://www.w3.org/1998/Math/MathML")
    return ET.tostring(found, encoding="unicode")


def _depth(text: str) -> int:
    deepest = level = 0
    for sign in text:
        level += (sign == "{") - (sign == "}")
        deepest = max(deepest, level)
    return deepest


_DOLLARS = re.compile(
    r"\$\$(?P<display>(?:\\.|[^$\\])+)\$\$(?!\w)|\$(?!\s)(?P<inline>(?:\\.|[^$\\])+)(?<!\s)\$(?!\w)",
    re.S,
)


def dollars(md: MarkdownIt) -> None:
    """Let a parser of Markdown read formulas: $..$, $$..$$ and LaTeX's environments.

    A single dollar is a dollar sign, and so is one in a word (V$SESSION) or before a blank; after
    the second one no letter or digit follows ($5 to $10).
    """
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    md.use(dollarmath_plugin, allow_labels=False).use(amsmath_plugin)
    md.inline.ruler.at("math_inline", _in_line)


def _in_line(state: StateInline, silent: bool) -> bool:
    before = state.src[state.pos - 1 : state.pos]
    found = _DOLLARS.match(state.src, state.pos)
    if found is None or before.isalnum() or before in {"_", "$", "\\"}:
        return False
    if not silent:
        kind = found.lastgroup or "inline"
        state.push(f"math_{kind}", "math", 0).content = found[kind]
    state.pos = found.end()
    return True
