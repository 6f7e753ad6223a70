"""Make the typeface of the HTML page: ``templates/web/fonts/*.woff2``, from the fonts of the wheel.

A page that carries the wheel's own files would be 1.3 MB larger. This is done once, when the
typeface changes, so that no report needs fontTools::

    uv run --with 'fonttools[woff]' --with font-source-sans-pro python tools/web_fonts.py

Latin, Greek and Cyrillic letters stay, and the signs of measurements; other characters fall back
to a font of the reader's machine. The licence of the typeface reserves its name for the unchanged
files, so the smaller ones have another name inside; the page alone knows them by the family's.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from fontTools import subset

FACES = ("Regular", "It", "Semibold", "Bold")
CHARACTERS = (
    *range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x370, 0x460), *range(0x1E00, 0x1F00),
    *range(0x2010, 0x2040), *range(0x2070, 0x20C0), *range(0x2100, 0x2200), *range(0x2200, 0x2300),
    0x25B2, 0x25BC, 0x25CF, 0x25CB, 0x2713, 0x2717, 0x200B,
)  # fmt: skip
FEATURES = ("kern", "tnum", "lnum", "mark", "mkmk", "ccmp", "locl")
OWN_NAME = "Report Sans"
NAMES = {1: OWN_NAME, 3: OWN_NAME, 4: OWN_NAME, 6: OWN_NAME.replace(" ", "")}
"""The entries of a font's table of names that hold its own: family, unique, full, PostScript."""


def main() -> None:
    """Write the four faces and their licence."""
    found = importlib.util.find_spec("font_source_sans_pro")
    wheel = Path(found.origin).parent / "files"
    folder = Path(__file__).parents[1] / "templates" / "web" / "fonts"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(wheel / "LICENSE.txt", folder / "OFL.txt")
    for face in FACES:
        write(wheel / f"SourceSansPro-{face}.ttf", folder / f"{face}.woff2")


def write(source: Path, target: Path) -> None:
    """One face with fewer characters, under a name of its own."""
    options = subset.Options(flavor="woff2", hinting=False, layout_features=list(FEATURES))
    font = subset.load_font(source, options)
    cut = subset.Subsetter(options)
    cut.populate(unicodes=CHARACTERS)
    cut.subset(font)
    for record in list(font["name"].names):
        if record.nameID in NAMES:
            record.string = NAMES[record.nameID]
        elif record.nameID > max(NAMES):
            font["name"].removeNames(nameID=record.nameID)
    font["head"].modified = font["head"].created  # the same bytes on every day
    subset.save_font(font, target, options)
    print(f"{target.name}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
