"""The front matter of a document, with every key set; its accent, on which white is readable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perfkit.reporting.document.records import FrontMatter, read_record
from perfkit.study.file import ACCENT

LEAST_CONTRAST = 4.5
"""Between text and ground, for people with weak eyes (WCAG 2.2, success criterion 1.4.3)."""


_DARKEST = 0.04045
"""Up to this part of full light, sRGB is linear."""


def whole(
    given: Mapping[str, Any] | None, title: str | None, metadata: Mapping[str, Any], name: str
) -> tuple[FrontMatter, str | None]:
    """The front matter, and a remark where its accent had to be darkened.

    Args:
        given: What the notebook shows of a study; None in an author's own notebook.
        title: The notebook's first heading, where it is the only one of its level.
        metadata: The notebook's: an opening that is left out of print is not a title in print, so a
            title may stand here, and the authors.
        name: The notebook's name, for a report without any title.
    """
    known = {key: value for key, value in (given or {}).items() if value is not None}
    authors = known.get("authors") or ([] if given is not None else _authors(metadata))
    accent, darkened = readable(known.get("accent", ACCENT))
    settled = {
        "title": str(known.get("title") or metadata.get("title") or title or name),
        "authors": authors,
        "copyright": known.get("copyright") or ", ".join(authors) or None,
        "accent": accent,
    }
    return read_record(FrontMatter, {**known, **known.get("sections", {}), **settled}), darkened


def _authors(metadata: Mapping[str, Any]) -> list[str]:
    given = metadata.get("authors") or []
    authors = [item.get("name") if isinstance(item, dict) else item for item in given]
    return [str(author) for author in authors if author]


def subject(front: FrontMatter) -> str:
    """The number and the subject; without one, the subtitle or the kind of report."""
    about = front.subject or front.subtitle or front.kind_of_report
    return ": ".join(part for part in (front.number, about) if part)


def keywords(front: FrontMatter) -> list[str]:
    """The report's number, by which it is looked for, and its keywords."""
    return [word for word in (front.number, *front.keywords) if word]


def readable(colour: str) -> tuple[str, str | None]:
    """The colour, darkened where white on it could not be read, and then a remark on that."""
    shown, given = colour, contrast_with_white(colour)
    parts = parts_of(colour)
    for percent in range(99, -1, -1):
        if contrast_with_white(shown) >= LEAST_CONTRAST:
            break
        shown = "#" + "".join(f"{part * percent // 100:02x}" for part in parts)
    if shown == colour:
        return colour, None
    return shown, (
        f"accent {colour}: white on it has a contrast of {given:.1f} to 1, where {LEAST_CONTRAST} "
        f"is the minimum; darkened to {shown}"
    )


def contrast_with_white(colour: str) -> float:
    """The ratio of luminances as WCAG defines it: 1 for white, 21 for black."""
    red, green, blue = (_linear(part / 255) for part in parts_of(colour))
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def parts_of(colour: str) -> list[int]:
    """Red, green and blue of "#aabbcc", from 0 to 255."""
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def _linear(part: float) -> float:
    return part / 12.92 if part <= _DARKEST else float(((part + 0.055) / 1.055) ** 2.4)
