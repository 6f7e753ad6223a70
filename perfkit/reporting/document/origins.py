"""What a report says of values that were not measured: behind captions, and on its cover."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING

from perfkit.core.evidence import Origin, OriginKind, marked
from perfkit.reporting.document.blocks import Picture, PlainTable

if TYPE_CHECKING:
    from perfkit.reporting.document.records import FigureRecord, Record, TableRecord

_NOTICES: dict[OriginKind, tuple[str, str]] = {
    "generated": (
        "GENERATED DATA",
        "Evidence in this report was written by a generator. It shows the method and describes no "
        "real system: ",
    ),
    "printed": (
        "FROM PRINTED FIGURES",
        "This report is based on figures printed in a document, shown as printed or computed from "
        "them: ",
    ),
}
"""Kinds of origin that the cover states, the most serious first: headline and words."""


def caption_of(record: FigureRecord | TableRecord) -> str:
    """The caption of a value, with what is said of it where it was not measured."""
    return marked(record.caption, record.lineage.mark())


def as_sentence(mark: str) -> str:
    """A mark that stands by itself: "Generated data."; empty for an empty one."""
    words = mark.strip().removeprefix("(").removesuffix(")")
    return f"{words[:1].upper()}{words[1:]}." if words else ""


FOREIGN = "not made by perfkit, not traceable"
"""What stands at a picture or a table that an author put into the report."""


def foreign_caption(block: Picture | PlainTable) -> str | None:
    """The words below a picture or a table written in Markdown; none where perfkit made it."""
    match block:
        case Picture(caption=None):
            return f"Picture {FOREIGN}."
        case Picture(caption=caption):
            return f"{caption} ({FOREIGN})"
        case PlainTable(own=True, note=note):
            return note
        case PlainTable(note=note):
            return f"{note or ''} Table {FOREIGN}.".lstrip()


@dataclass(frozen=True, slots=True)
class Notice:
    """What the cover says of evidence that was not measured."""

    headline: str
    text: str


def notices(records: Iterable[Record]) -> list[Notice]:
    """What the cover says: for each kind of origin but measurements, headline and words."""
    found = dict.fromkeys(o for record in records for o in record.lineage.origins())
    return [
        Notice(headline, f"{words}{_places(list(found), kind)}.")
        for kind, (headline, words) in _NOTICES.items()
        if any(origin.kind == kind for origin in found)
    ]


_NAMED_AT_MOST = 6


def _places(origins: list[Origin], kind: OriginKind) -> str:
    """The generators by name, or the documents, each once with its places; beyond six, how many."""
    places = [origin.of for origin in origins if origin.kind == kind]
    more = len(places) - _NAMED_AT_MOST
    documents: dict[str, list[str]] = {}
    for place in places[:_NAMED_AT_MOST]:
        name, _, where = place.partition(", ")
        documents.setdefault(name, []).append(where)
    shown = "; ".join(starmap(_at, documents.items()))
    return f"{shown}; and {more} more (see the appendix)" if more > 0 else shown


def _at(name: str, places: list[str]) -> str:
    """A document with its places: "TR-4784, Table 7", "TR-4784: Table 7; Table 8"."""
    if len(places) == 1:
        return ", ".join(filter(None, (name, *places)))
    return f"{name}: {'; '.join(filter(None, places))}"
