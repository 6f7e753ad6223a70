"""Chapters that have nothing to show are left out, and named at the end with the reason.

A chapter is a heading with all below it, to the next heading of its level or a higher one. It is
left out where something in it is ``Unanswered`` and nothing else in it is a value: no figure,
table, verdict, sentence or picture, and no statement placed in its text. A chapter of text alone
stays; beside other values, the reason stands in place of what is unanswered, below each heading
once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeAlias

from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.numbering import placed_statements, shows, walk

LeftOut: TypeAlias = dict[tuple[str, ...], list[str]]
"""The chapters that are left out for the same reasons."""

ORIGIN = "chapters left out"


def without_unanswered(
    blocks: Sequence[doc.Placed], statements: Collection[str]
) -> tuple[list[doc.Placed], LeftOut]:
    """The blocks without the chapters in which all is unanswered, and those chapters.

    Args:
        blocks: Of the notebook, in order.
        statements: The ids of the statements that can be placed in a text.
    """
    kept: list[doc.Placed] = []
    left: LeftOut = {}
    told: set[str] = set()
    position = 0
    while position < len(blocks):
        placed = blocks[position]
        chapter = _chapter(blocks, position)
        unanswered = [it.block for it in chapter if isinstance(it.block, doc.UnansweredBlock)]
        reasons = tuple(dict.fromkeys(block.reason for block in unanswered))
        if reasons and not any(_is_value(item.block, statements) for item in chapter):
            left.setdefault(reasons, []).append(
                doc.plain_text(placed.block.children)
                if isinstance(placed.block, doc.Heading)
                else ""
            )
            position += len(chapter)
            continue
        if isinstance(placed.block, doc.Heading):
            told.clear()
        kept += _as_text(placed, told)
        position += 1
    return kept, left


def _chapter(blocks: Sequence[doc.Placed], start: int) -> Sequence[doc.Placed]:
    """The blocks of the chapter that begins there; none where no heading stands."""
    heading = blocks[start].block
    if not isinstance(heading, doc.Heading):
        return ()
    for position in range(start + 1, len(blocks)):
        following = blocks[position].block
        if isinstance(following, doc.Heading) and following.level <= heading.level:
            return blocks[start:position]
    return blocks[start:]


def _is_value(block: doc.Block, statements: Collection[str]) -> bool:
    return any(shows(part) for part in walk(block)) or any(
        name in statements for name in placed_statements(block)
    )


def _as_text(placed: doc.Placed, told: set[str]) -> list[doc.Placed]:
    """The block, the sentence in place of a value, or nothing of what is said already."""
    block = placed.block
    if not isinstance(block, doc.UnansweredBlock):
        return [placed]
    if block.text in {"", *told}:
        return []
    told.add(block.text)
    return [replace(placed, block=doc.paragraph(block.text))]


def left_out_blocks(left: LeftOut) -> list[doc.Placed]:
    """The section that names the chapters left out, with the reasons; may be empty."""
    if not left:
        return []
    lines = [
        f"{', '.join(dict.fromkeys(chapters))}: {'; '.join(reasons)}."
        for reasons, chapters in left.items()
    ]
    told = "What the evidence and the parameters do not answer, and why."
    blocks: list[doc.Block] = [
        doc.back_heading(1, "Chapters left out", "chapters-left-out"),
        doc.paragraph(told, leads=True),
        doc.bullets(lines),
    ]
    return [doc.Placed(block, ORIGIN) for block in blocks]
