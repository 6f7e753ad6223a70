"""The page of findings: what was found, the verdict, what to do, and what is not shown.

It stands after the cover. The chart and the table that it names are moved there, so that each is
in the report once; where they stood, a line says where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from perfkit.core.cautions import ADVICE, NOT_SHOWN, Caution, told_by, unsaid
from perfkit.core.errors import ReportError, did_you_mean
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document import origins
from perfkit.reporting.document.beside import in_sentences
from perfkit.reporting.document.cover import mark_of
from perfkit.reporting.document.markdown import parse
from perfkit.reporting.document.numbering import value_id
from perfkit.reporting.document.records import (
    FindingsRecord,
    FrontMatter,
    StatementRecord,
    VerdictRecord,
    read_cautions,
)

ORIGIN = "findings"


@dataclass(frozen=True)
class FoundFindings:
    """A record of findings, the cell that shows them, and the part of the report it is in."""

    record: FindingsRecord
    origin: str
    part: str | None = None
    title: str | None = None

    def leads(self) -> set[int]:
        """The first finding of the list, and the first of each panel."""
        first: dict[str | None, int] = {}
        for number, item in enumerate(self.record.items):
            first.setdefault(item.panel, number)
        return {*first.values()}


@dataclass(frozen=True)
class FirstPage:
    """The blocks of the page of findings, and the rest of the report."""

    page: list[doc.Placed]
    rest: list[doc.Placed]


def first_page(
    found: Sequence[FoundFindings],
    front: FrontMatter,
    body: Sequence[doc.Placed],
    verdicts: Sequence[VerdictRecord],
    lacking: Sequence[str],
    *,
    open_: bool,
) -> FirstPage:
    """The page, and the rest of the report without what was moved there.

    Args:
        found: The findings of the notebook, or of each of its parts.
        front: The front matter, with the authors' own words.
        body: The report after the cover.
        verdicts: The records of all verdicts.
        lacking: Why answers are missing that the report is made for.
        open_: Whether the report has values without an answer: what is not there may be theirs.

    Raises ReportError for a chart, a table or a reference that is not in the report.
    """
    places = _Places(body, open_)
    records = [item.record for item in found]
    several = len([item for item in found if item.record.items]) > 1
    items = [
        replace(
            _item(one, number, places.known(item.see, "see", one, _history(one, number))),
            of=one.title if several and number in one.leads() else None,
        )
        for one in found
        for number, item in enumerate(one.record.items)
    ]
    moved, rest = _moved(found, list(body), places)
    cautions = _cautions(records, verdicts)
    lacking = [*(text for item in records for text in item.unanswered), *lacking]
    beside = _unsaid(records, verdicts)
    own = (record.lineage.mark() for record in records)
    marks = dict.fromkeys([*own, *map(mark_of, verdicts)])
    care = (*filter(None, map(origins.as_sentence, marks)), *in_sentences(beside))
    below = _beside(
        _words("What to do", front.what_to_do, told_by(ADVICE, cautions)),
        _words(
            "What this does not show",
            front.not_shown,
            [*lacking, *told_by(NOT_SHOWN, cautions)],
        ),
    )
    findings = [doc.FindingsBlock(tuple(items), tuple(records), tuple(beside), care)]
    shown = findings if records else []
    blocks: list[doc.Block | doc.Placed] = [
        # a report's first heading is of level 1, also where it has no finding (PDF/UA)
        *([doc.back_heading(1, "Findings", "findings")] if shown or below else []),
        *shown,
        *moved,
        *below,
    ]
    page = [item if isinstance(item, doc.Placed) else doc.Placed(item, ORIGIN) for item in blocks]
    return FirstPage(page, rest)


_STANDS = "Read these with the cautions on the findings page."
_IN_ABSTRACT = 5


def abstract_of(found: Sequence[FoundFindings]) -> list[doc.Block]:
    """The abstract of a study without one: the headlines of its findings, at most five.

    Those of several parts stand below the titles of these, as many of each.
    """
    telling = [one for one in found if one.record.items]
    blocks: list[doc.Block] = []
    start = 1
    for one in telling[:_IN_ABSTRACT]:
        headlines = [item.headline for item in one.record.items][
            : _IN_ABSTRACT // len(telling) or 1
        ]
        if len(telling) > 1 and one.title:
            blocks.append(doc.paragraph(one.title))
        items = tuple((doc.paragraph(said),) for said in headlines)
        blocks.append(doc.Items(items, start, tight=True))
        start += len(items)
    return [*blocks, doc.paragraph(_STANDS)] if blocks else []


def _item(found: FoundFindings, number: int, see: str | None) -> doc.FindingItem:
    """A finding as sentences whose numbers know what that finding rests on."""
    record, item = found.record, found.record.items[number]
    whole, behind = record.lineage, record.behind[number]
    own = {part: tuple(getattr(whole, part)[at] for at in behind[part]) for part in behind}
    headline, text = (
        doc.Said(
            said,
            StatementRecord(
                id=f"{record.id}-{number + 1}",
                text=said,
                printed=item.printed,
                lineage=replace(whole, evidence=own["evidence"], steps=own["steps"]),
            ),
        )
        for said in (item.headline, item.text)
    )
    shown: tuple[doc.Inline, ...] = (text,) if text.text else ()
    if see:
        shown = (*shown, *([doc.Text(" ")] if shown else []), doc.See(see))
    return doc.FindingItem((headline,), shown, item.panel)


# --- the chart and the table ------------------------------------------------------------------


_KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "hero": ("figure", (doc.ChartBlock,)),
    "table": ("table", (doc.TableBlock, doc.VerdictBlock)),
    "see": ("figure or table", (doc.ChartBlock, doc.TableBlock, doc.VerdictBlock, doc.Picture)),
}


@dataclass(frozen=True)
class _Places:
    """The values that findings may refer to, by their ids."""

    body: Sequence[doc.Placed]
    open_: bool

    def known(
        self, name: str | None, part: str, found: FoundFindings, of: str | None = None
    ) -> str | None:
        """The id as the report has it: "id", or "id-1" where there are several.

        Of several those with ``of`` at the end of their caption's first sentence count: another
        history's chart does not show what a finding says.

        None where it may belong to what has no answer; else ReportError for an unknown id.
        """
        if name is None:
            return None
        kind, types = _KINDS[part]
        blocks = [item.block for item in self.body if isinstance(item.block, types)]
        ids = [value_id(block) for block in blocks]
        own = f"{found.part}-{name}" if found.part else name
        known = next((one for one in (own, f"{own}-1") if one in ids), None)
        if known not in {None, own} and of is not None:
            numbered = re.compile(rf"{re.escape(own)}-\d+")
            several = [block for block in blocks if numbered.fullmatch(value_id(block) or "")]
            return next((value_id(block) for block in several if _is_of(block, of)), None)
        if known is None and not self.open_:
            hint = did_you_mean(name, [one for one in ids if one])
            raise ReportError(f"{found.origin}: findings: no {kind} {name!r}; {hint}")
        return known


def _is_of(block: doc.Block, history: str) -> bool:
    """Whether the caption of a figure or table says that it is of this history."""
    caption = str(getattr(getattr(block, "record", None), "caption", ""))
    return caption.partition(". ")[0].removesuffix(".").endswith(f": {history}")


def _history(found: FoundFindings, number: int) -> str | None:
    own = found.record.histories
    return own[number] if number < len(own) else None


MOST_ROWS, MOST_ROWS_ALONE = 8, 16
"""A table of more rows would leave the page no room, for the chart or at all: it stays."""


def _named(found: FoundFindings, part: str) -> Sequence[str]:
    named = found.record.hero if part == "hero" else found.record.table
    return [named] if isinstance(named, str) else named or ()


def _moved(
    found: Sequence[FoundFindings], body: list[doc.Placed], places: _Places
) -> tuple[list[doc.Placed], list[doc.Placed]]:
    """The first table and the first chart of those named, and the body without them."""
    moved: list[doc.Placed] = []
    left: dict[int, doc.See] = {}
    most = MOST_ROWS if any(_named(item, "hero") for item in found) else MOST_ROWS_ALONE
    for part in ("table", "hero"):
        # that of the first finding, where each history has one
        names = (
            places.known(name, part, item, of)
            for item in found
            for name in _named(item, part)
            for of in (_history(item, 0), None)
        )
        name = next(filter(None, names), None)
        for place, placed in enumerate(body) if name else ():
            block = placed.block
            is_long = isinstance(block, doc.TableBlock) and len(block.record.rows) > most
            if value_id(block) == name and not is_long:
                moved.append(placed)
                left[place] = doc.See(str(name))
    for place, see in left.items():
        beside = left.get(place - 1)
        both: tuple[doc.Inline, ...] = (beside, doc.Text(" and "), see) if beside else (see,)
        words = doc.Text(f" {'are' if beside else 'is'} shown with the findings.")
        body[place] = doc.Placed(doc.Paragraph((*both, words)), body[place].origin)
    return moved, [item for place, item in enumerate(body) if not {place, place + 1} <= left.keys()]


# --- cautions, and what they say --------------------------------------------------------------


def _cautions(
    records: Sequence[FindingsRecord], verdicts: Sequence[VerdictRecord]
) -> list[Caution]:
    judged = [item for record in verdicts for item in record.judgements]
    every = [
        *(item.cautions for record in records for item in record.items),
        *(record.cautions for record in verdicts),
        *(read_cautions(item.get("cautions")) for item in judged),
    ]
    return list(dict.fromkeys(one for cautions in every for one in cautions))


def _unsaid(records: Sequence[FindingsRecord], verdicts: Sequence[VerdictRecord]) -> list[Caution]:
    """The cautions that no finding states in its own words."""
    said = [
        one
        for record in records
        for item in record.items
        for one in unsaid(item.cautions, f"{item.headline} {item.text}")
    ]
    return list(dict.fromkeys([*said, *_cautions([], verdicts)]))


def _words(title: str, own: str | None, derived: Iterable[str]) -> list[doc.Block]:
    """What the authors say under a title, and what follows from the cautions; may be empty."""
    lines = list(dict.fromkeys(derived))
    blocks = list(parse(own, f"report: {title.lower()}")) if own else []
    if lines:
        blocks.append(doc.bullets(lines))
    if not blocks:
        return []
    anchor = title.lower().replace(" ", "-")
    return [doc.back_heading(2, title, anchor, listed=False), *blocks]


def _beside(*parts: list[doc.Block]) -> list[doc.Block]:
    known = tuple(tuple(part) for part in parts if part)
    return [doc.Beside(known)] if known else []
