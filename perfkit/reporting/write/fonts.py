"""The one sans family of text and charts: Source Sans Pro, from its wheel, in every part alike."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.core import typeface
from perfkit.core.errors import MissingPartError
from perfkit.showing.style import FONT_FAMILY


@dataclass(frozen=True)
class Face:
    """One style of the family: its file name without ending, CSS weight and slant."""

    name: str
    weight: int
    style: str = "normal"


FACES = (
    Face("SourceSansPro-Regular", 400),
    Face("SourceSansPro-It", 400, "italic"),
    Face("SourceSansPro-Semibold", 600),
    Face("SourceSansPro-SemiboldIt", 600, "italic"),
    Face("SourceSansPro-Bold", 700),
)


def css() -> str:
    """``@font-face`` rules by file address; a page that travels has ``web_parts``'s."""
    rules = []
    for face in FACES:
        address = typeface.file(face.name).as_uri()
        rules.append(
            f'@font-face{{font-family:"{FONT_FAMILY}";font-weight:{face.weight};'
            f'font-style:{face.style};src:url("{address}") format("truetype")}}'
        )
    return "\n".join(rules)


@functools.cache
def for_typst(*, system: bool = False) -> Any:
    """The fonts Typst may use: this family and those bundled with Typst.

    None of the machine's, so that the same report has the same bytes everywhere, but where
    ``system`` asks for them: for signs that the others lack. Kept for the process: it costs 85 ms.
    """
    import tempfile

    import typst

    # the wheel holds each face twice, as OTF and TTF; Typst takes folders and would see both
    with tempfile.TemporaryDirectory(prefix="perfkit-fonts-") as chosen:
        for face in FACES:
            (Path(chosen) / f"{face.name}.ttf").symlink_to(typeface.file(face.name))
        found = typst.Fonts(
            include_system_fonts=system, include_embedded_fonts=True, font_paths=[chosen]
        )
        if FONT_FAMILY not in found.families():
            raise MissingPartError(
                f"the typeface {FONT_FAMILY} cannot be read from {typeface.folder()}"
            )
        return found
