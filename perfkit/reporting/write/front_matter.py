"""What the template reads to set the cover, the footer and the contents."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from perfkit.reporting.document import captions, front_matter, grids
from perfkit.reporting.document.grids import TEXT_HEIGHT_MM, text_sizes_mm
from perfkit.reporting.document.pictures import ENDINGS, decode
from perfkit.reporting.document.records import Logo

if TYPE_CHECKING:
    from perfkit.reporting.document.assemble import Document

ABOVE_MM, SPARE_MM = 10.0, 5.0
"""What is free between the findings and the contents below them, and what must be left below, as
the height of contents is estimated."""

RUN_ON = 0.5
"""Contents that take less of a page have the text below them."""

LEAST_PAGES = 6
"""A report with fewer pages after its cover has no contents on paper."""

_FRONT_KEYS = (
    "title", "subtitle", "number", "kind_of_report", "authors", "date", "date_text", "accent",
    "copyright", "paper", "language",
)  # fmt: skip
_FOOTER_TITLE = 70


def contents_of(document: Document, lists: captions.Lists) -> dict[str, object]:
    """Which lists there are, and how they can be set: on pages of their own, and below findings."""
    kinds = {"table": "Table", "image": "Figure"}
    listed = {
        name: sum(label.kind == kind for label in document.labels.values())
        for name, kind in kinds.items()
    }
    long = sum(listed.values()) >= captions.LISTS_FROM
    paper = document.front.paper
    height = TEXT_HEIGHT_MM[paper] * grids.PT_PER_MM
    shown = [name for name, count in listed.items() if count and long]
    settings = captions.contents_settings(
        captions.titles(document.blocks),
        list(lists.captions.values()) if long else [],
        len(shown),
        text_sizes_mm(paper)[0] * grids.PT_PER_MM,
    )

    def record(setting: captions.Contents) -> dict[str, object]:
        return {**asdict(setting), "run_on": setting.height_pt < height * RUN_ON}

    return {
        "least_pages": LEAST_PAGES,
        "above_mm": ABOVE_MM,
        "spare_mm": SPARE_MM,
        "settings": [record(setting) for setting in settings],
        "whole": record(captions.of_pages(settings, height)),
        "lists": shown,
        "mark": lists.mark if long else None,
    }


def front_of(document: Document, files: dict[str, bytes]) -> dict[str, object]:
    """The cover and the footer; logos are added to the files."""
    front = document.front
    short = front.title
    if len(short) > _FOOTER_TITLE:
        short = short[:_FOOTER_TITLE].rsplit(" ", 1)[0] + " …"
    partner = front.partner
    return {
        **{key: getattr(front, key) for key in _FRONT_KEYS},
        "description": front_matter.subject(front),
        "keywords": front_matter.keywords(front),
        "footer": " | ".join(part for part in (short, front.number) if part),
        "logo": _logo(front.logo, "logo", files),
        "partner": partner
        and {"name": partner.name, "logo": _logo(partner.logo, "partner", files)},
    }


def _logo(logo: Logo | None, name: str, files: dict[str, bytes]) -> str | None:
    if not logo:
        return None
    data, mime = decode(logo.base64, logo.mime, name)
    path = f"{name}{ENDINGS[mime]}"
    files[path] = data
    return path
