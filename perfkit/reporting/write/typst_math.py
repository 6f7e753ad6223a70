"""MathML as Typst's math: each element as a call, so that no sign of a formula is read as code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET  # reads what latex2mathml wrote

if TYPE_CHECKING:
    Write = Callable[[ET.Element], str]

_LIMITS = frozenset({"lim", "max", "min", "sup", "inf", "limsup", "liminf", "argmax", "argmin"})
_ACCENTS = {
    "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "¯": "\u0304", "˙": "\u0307",
    "¨": "\u0308", "→": "\u20d7", "ˇ": "\u030c", "˘": "\u0306", "´": "\u0301", "`": "\u0300",
}  # fmt: skip
_LINES = {
    ("mover", "―"): "overline", ("mover", "‾"): "overline", ("mover", "_"): "overline",
    ("munder", "―"): "underline", ("munder", "_"): "underline", ("munder", "‾"): "underline",
    ("mover", "⏞"): "overbrace", ("munder", "⏟"): "underbrace",
}  # fmt: skip
_VARIANTS = {
    "normal": "upright", "bold": "bold", "bold-italic": "bold", "italic": "italic",
    "double-struck": "bb", "script": "cal", "fraktur": "frak", "sans-serif": "sans",
    "monospace": "mono",
}  # fmt: skip
_LENGTH = re.compile(r"-?\d*\.?\d+em")


def typst_math(mathml: str) -> str:
    """The body of an equation in Typst's math mode."""
    root = ET.fromstring(mathml)  # noqa: S314
    lines = _aligned(root)
    return _row(root) if lines is None else lines


def _quote(text: str) -> str:
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def _tag(item: ET.Element) -> str:
    return item.tag.rpartition("}")[2]


def _text(item: ET.Element) -> str:
    return (item.text or "").strip()


def _write(item: ET.Element) -> str:
    return _ELEMENTS[_tag(item)](item)


def _row(parts: Iterable[ET.Element]) -> str:
    return "".join(_write(part) for part in parts)


def _group(item: ET.Element) -> str:
    """A row; fences, and the brackets of a matrix, grow to its height."""
    fenced = any(_tag(part) == "mtable" or part.get("fence") == "true" for part in item)
    return f"#math.lr([{_row(item)}])" if fenced else _row(item)


def _letter(item: ET.Element) -> str:
    text = _text(item)
    if not text:
        return ""
    if len(text) > 1:
        limits = "true" if text.replace(" ", "") in _LIMITS else "false"
        return f"#math.op({_quote(text)}, limits: {limits})"
    variant = _VARIANTS.get(item.get("mathvariant", ""))
    symbol = f"symbol({_quote(text)})"
    return f"#math.{variant}({symbol})" if variant else f"#{symbol}"


def _sign(item: ET.Element) -> str:
    size = item.get("minsize", "")
    if _text(item) and _LENGTH.fullmatch(size):
        return f"#math.lr(size: {size}, [{_letter(item)}])"
    return _letter(item)


def _words(item: ET.Element) -> str:
    return f"#{_quote(item.text)}" if item.text else ""


def _space(item: ET.Element) -> str:
    if item.get("linebreak") == "newline":
        return " \\ "
    width = item.get("width", "")
    return f"#h({width})" if _LENGTH.fullmatch(width) else ""


def _fraction(item: ET.Element) -> str:
    above, below = (f"[{_write(part)}]" for part in item)
    if item.get("linethickness") == "0":
        return f"#math.vec(delim: none, {above}, {below})"
    return f"#math.frac({above}, {below})"


def _root(item: ET.Element) -> str:
    base, index = item
    return f"#math.root([{_write(index)}], [{_write(base)}])"


def _scripts(*places: str) -> Write:
    def write(item: ET.Element) -> str:
        base, *scripts = item
        parts = "".join(
            f", {place}: [{_write(part)}]" for place, part in zip(places, scripts, strict=True)
        )
        return f"#math.attach([{_write(base)}]{parts})"

    return write


def _stacked(*places: str) -> Write:
    """What stands above or below: an accent, a line, a brace, or a term of its own."""

    def write(item: ET.Element) -> str:
        base, *others = item
        mark = _text(others[0])
        line = _LINES.get((_tag(item), mark))
        if line:
            return f"#math.{line}([{_write(base)}])"
        if _tag(item) == "mover" and mark in _ACCENTS and _tag(others[0]) == "mo":
            return f"#math.accent([{_write(base)}], {_quote(_ACCENTS[mark])})"
        parts = "".join(
            f", {place}: [{_write(part)}]" for place, part in zip(places, others, strict=True)
        )
        return f"#math.attach(math.limits([{_write(base)}]){parts})"

    return write


def _matrix(item: ET.Element) -> str:
    rows = "".join("(" + "".join(f"[{_row(cell)}], " for cell in row) + "), " for row in item)
    left = next((cell.get("columnalign") for row in item for cell in row), None) is not None
    return f"#math.mat(delim: none, align: {'left' if left else 'center'}, {rows})"


def _aligned(root: ET.Element) -> str | None:
    """The lines of a formula that is one table of aligned columns; None for any other."""
    inner = root
    while len(inner) == 1 and _tag(inner) in {"math", "mrow", "mstyle"}:
        inner = inner[0]
    cells = [cell.get("columnalign") for row in inner for cell in row]
    if _tag(inner) != "mtable" or "right" not in cells:
        return None
    return " \\ ".join(" & ".join(_row(cell) for cell in row) for row in inner)


def _cancelled(item: ET.Element) -> str:
    struck = "strike" in item.get("notation", "")
    return f"#math.cancel([{_row(item)}])" if struck else _row(item)


_ELEMENTS: dict[str, Write] = {
    "math": _group,
    "mrow": _group,
    "mstyle": _group,
    "mpadded": _group,
    "mphantom": lambda item: f"#hide([{_row(item)}])",
    "mi": _letter,
    "mo": _sign,
    "mn": _words,
    "mtext": _words,
    "mspace": _space,
    "mfrac": _fraction,
    "msqrt": lambda item: f"#math.sqrt([{_row(item)}])",
    "mroot": _root,
    "msub": _scripts("b"),
    "msup": _scripts("t"),
    "msubsup": _scripts("b", "t"),
    "munder": _stacked("b"),
    "mover": _stacked("t"),
    "munderover": _stacked("b", "t"),
    "mtable": _matrix,
    "menclose": _cancelled,
    "mtr": _row,
    "mtd": _row,
}
