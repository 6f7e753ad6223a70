"""Typst to PDF: tagged (PDF/UA-1), archival (PDF/A-3a), the same bytes for the same report."""

from __future__ import annotations

import datetime as dt
import functools
import logging
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from perfkit.core.errors import ReportError
from perfkit.reporting.write import floats, fonts
from perfkit.reporting.write.floats import Drawings

MAIN = "main.typ"
DATA = "report.json"
STANDARDS: list[Literal["a-3a", "ua-1"]] = ["a-3a", "ua-1"]

_WRONG_PAGE = re.compile(r"was ignored|did not converge")
"""Typst's warnings of a page that misses something, or shows a wrong page number: errors."""

_LOG = logging.getLogger("perfkit.typeset")
"""Says every other warning of Typst's; in perfkit's own tests they are errors, too."""

_PLACE = re.compile(r"┌─ (?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+)")
_CJK_FONT = "for Chinese, Japanese and Korean: the package fonts-noto-cjk"
_NO_GLYPH = re.compile(r"the text `\"(?P<text>.+?)\"` could not be displayed")


@dataclass(frozen=True)
class Origins:
    """Where the parts of a report come from, for messages.

    Attributes:
        lines: Line of ``main.typ`` -> the notebook cell it came from.
        holder: Gives the cell that holds a sign in a caption or table, if one does.
    """

    lines: dict[int, str] = field(default_factory=dict)
    holder: Callable[[str], str | None] = lambda _: None


def typeset(
    files: dict[str, bytes],
    date: str,
    origins: Origins,
    *,
    drawings: Drawings | None = None,
    spell: bool = False,
    coded: bool = False,
    system: bool = False,
) -> bytes:
    """Compile ``main.typ`` among ``files`` (path -> content) to a PDF.

    Args:
        files: Everything Typst may read, by relative path.
        date: The date in the file's metadata, 2026-11-21.
        origins: What messages name.
        drawings: The charts, to be drawn lower or higher where their pages want it.
        spell: Print the name of a symbol that no typeface has, such as (rocket).
        coded: Print the code of a letter that no typeface has, such as (U+65E5), with a warning:
            a report on evidence has the names that it found, whatever fonts the machine has.
        system: Use the machine's fonts, too; without that, for letters that the typeface lacks.

    Raises:
        ReportError: Typst refused, or warned that something is missing or that page numbers may
            be wrong; the cell is named where the place is known.
    """
    import typst

    again = functools.partial(typeset, date=date, origins=origins, spell=spell, coded=coded)
    try:
        pdf, warnings = _compiled(files, date, drawings, system=system)
    except typst.TypstError as problem:
        symbols = _symbols(problem) if spell else {}
        if symbols:
            plain = _translated(files, {**symbols, EMOJI_FORM: ""}, (MAIN, DATA))
            return again(plain, drawings=drawings, system=system)
        if _lacking(problem) and not system:
            return again(files, drawings=drawings, system=True)
        codes = _codes(problem) if coded else {}
        if codes:
            _LOG.warning(
                f"{_no_sign(codes)}: printed as codes; install one that does ({_CJK_FONT})"
            )
            pictures = [name for name in files if name.endswith(".svg")]
            plain = _translated(files, codes, (MAIN, DATA, *pictures))
            return again(plain, drawings=drawings and drawings.spelled(codes), system=True)
        raise ReportError(_error_line(problem, origins)) from problem
    for warning in warnings:
        message = _error_line(warning, origins)
        if _WRONG_PAGE.search(message):
            raise ReportError(message)
        _LOG.warning(message)
    return pdf


def _translated(
    files: dict[str, bytes], signs: dict[str, str], names: Iterable[str]
) -> dict[str, bytes]:
    table = str.maketrans(signs)
    return {**files, **{name: files[name].decode().translate(table).encode() for name in names}}


def _compiled(
    files: dict[str, bytes], date: str, drawings: Drawings | None, *, system: bool
) -> tuple[bytes, list[Exception]]:
    import typst

    day = dt.datetime.fromisoformat(date).replace(tzinfo=dt.UTC)
    with tempfile.TemporaryDirectory(prefix="perfkit-typst-") as name:
        root = Path(name)
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        make = functools.partial(
            typst.Compiler,
            root / MAIN,
            root=root,
            font_paths=fonts.for_typst(system=system),
            ignore_system_fonts=not system,
        )
        compiler = floats.settle(make, root / MAIN, drawings) if drawings else make()
        pdf, warnings = compiler.compile_with_warnings(pdf_standards=[*STANDARDS], timestamp=day)
    return cast("bytes", pdf), list(warnings)


def _lacking(problem: Exception) -> list[str]:
    """The signs that no typeface has, of all messages of one run."""
    text = str(getattr(problem, "diagnostic", None) or problem)
    return list(dict.fromkeys(found["text"] for found in _NO_GLYPH.finditer(text)))


_SYMBOLS = frozenset({"So", "Sk", "Cf", "Mn", "Sm"})


def _symbols(problem: Exception) -> dict[str, str]:
    """The symbols among them, each with what is printed instead: nothing of what only joins."""
    signs = {sign for text in _lacking(problem) for sign in text}
    kinds = {sign: unicodedata.category(sign) for sign in signs}
    return {
        sign: "" if kind in {"Cf", "Mn"} else f"({unicodedata.name(sign, 'symbol').lower()})"
        for sign, kind in kinds.items()
        if kind in _SYMBOLS
    }


def _codes(problem: Exception) -> dict[str, str]:
    """The signs that no typeface has, each with its code."""
    signs = {sign for text in _lacking(problem) for sign in text}
    return {sign: f"(U+{ord(sign):04X})" for sign in sorted(signs)}


EMOJI_FORM = "\ufe0f"
"""Asks for a symbol in colours; behind its name it asks for nothing."""


def _error_line(problem: Exception, origins: Origins) -> str:
    """One line: the cell where known, what is wrong, and what Typst advises."""
    place = _place(str(getattr(problem, "diagnostic", None) or problem), origins)
    message = str(getattr(problem, "message", problem))
    signs = _lacking(problem) if _NO_GLYPH.search(message) else []
    if signs:
        places: dict[str, list[str]] = {}
        for sign in signs:
            places.setdefault(origins.holder(sign) or place, []).append(sign)
        return "\n  ".join(
            f"{where}: {_no_sign(lacking)}; install one that does ({_CJK_FONT}), or write it in "
            "other letters"
            for where, lacking in places.items()
        )
    hints = "; ".join(getattr(problem, "hints", None) or [])
    return f"{place}: {message}" + (f" ({hints})" if hints else "")


def _no_sign(signs: Iterable[str]) -> str:
    told = ", ".join(map(repr, signs))
    return f"the report's typeface has no sign {told}, and no font of this machine has it"


def _place(diagnostic: str, origins: Origins) -> str:
    places = [
        (Path(item["file"].strip()).name, int(item["line"])) for item in _PLACE.finditer(diagnostic)
    ]
    for file, line in places:
        if file == MAIN and line in origins.lines:
            return origins.lines[line]
    return f"{places[0][0]}, line {places[0][1]}" if places else "typesetting"
