"""Typst to PDF: tagged (PDF/UA-1), archival (PDF/A-3a), the same bytes for the same report."""

from __future__ import annotations

import datetime as dt
import logging
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from perfkit.core.errors import ReportError
from perfkit.reporting.write import fonts

MAIN = "main.typ"
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


def typeset(files: dict[str, bytes], date: str, origins: Origins) -> bytes:
    """Compile ``main.typ`` among ``files`` (path -> content) to a PDF.

    Args:
        files: Everything Typst may read, by relative path.
        date: The date in the file's metadata, 2026-11-21.
        origins: What messages name.

    Raises:
        ReportError: Typst refused, or warned that something is missing or that page numbers may
            be wrong; the cell is named where the place is known.
    """
    import typst

    day = dt.datetime.fromisoformat(date).replace(tzinfo=dt.UTC)
    with tempfile.TemporaryDirectory(prefix="perfkit-typst-") as name:
        root = Path(name)
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

        def compiled(*, system: bool) -> tuple[bytes, list[Any]]:
            return typst.compile_with_warnings(
                root / MAIN,
                root=root,
                font_paths=fonts.for_typst(system=system),
                ignore_system_fonts=not system,
                pdf_standards=[*STANDARDS],
                timestamp=day,
            )

        try:
            try:
                pdf, warnings = compiled(system=False)
            except typst.TypstError as problem:
                if not _NO_GLYPH.search(str(problem)):
                    raise
                pdf, warnings = compiled(system=True)
        except typst.TypstError as problem:
            raise ReportError(_error_line(problem, origins)) from problem
    for warning in warnings:
        message = _error_line(warning, origins)
        if _WRONG_PAGE.search(message):
            raise ReportError(message)
        _LOG.warning(message)
    return bytes(pdf)


def _error_line(problem: Exception, origins: Origins) -> str:
    """One line: the cell where known, what is wrong, and what Typst advises."""
    place = _place(str(getattr(problem, "diagnostic", None) or problem), origins)
    message = str(getattr(problem, "message", problem))
    glyph = _NO_GLYPH.search(message)
    if glyph:
        sign = glyph["text"]
        place = origins.holder(sign) or place
        return (
            f"{place}: neither the report's typeface nor a font of this machine has the sign "
            f"{sign!r}; install one that has it ({_CJK_FONT}), or write it in other letters"
        )
    hints = "; ".join(getattr(problem, "hints", None) or [])
    return f"{place}: {message}" + (f" ({hints})" if hints else "")


def _place(diagnostic: str, origins: Origins) -> str:
    places = [(Path(item["file"].strip()).name, int(item["line"])) for item in
              _PLACE.finditer(diagnostic)]  # fmt: skip
    for file, line in places:
        if file == MAIN and line in origins.lines:
            return origins.lines[line]
    return f"{places[0][0]}, line {places[0][1]}" if places else "typesetting"
