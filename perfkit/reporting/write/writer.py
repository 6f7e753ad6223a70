"""What writing a document's blocks is in every language: a method for each kind of part."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document import grids, origins
from perfkit.reporting.document.records import TableRecord

if TYPE_CHECKING:
    from perfkit.reporting.document.numbering import Label


class Writer:
    """Writes blocks and inline parts, each by the method of its name: PlainTable by plain_table."""

    between: ClassVar[str]
    """What stands between two blocks."""

    def part(self, part: doc.Block | doc.Inline) -> str:
        """The text of a block, or of a part of a paragraph."""
        name = type(part).__name__.removesuffix("Block")
        written: str = getattr(self, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())(part)
        return written

    def blocks(self, blocks: Iterable[doc.Block]) -> str:
        """The text of blocks, one after the other."""
        return self.between.join(self.part(block) for block in blocks)

    def line(self, children: Iterable[doc.Inline]) -> str:
        """The text of a paragraph's parts."""
        return "".join(self.part(child) for child in children)

    def table(self, block: doc.TableBlock) -> str:
        """A table, with the mark of its origin in the caption."""
        return self.grid(replace(block.record, caption=origins.caption_of(block.record)))

    def verdict(self, block: doc.VerdictBlock) -> str:
        """The table of a verdict's criteria."""
        return self.grid(grids.verdict_table(block.record))

    def not_shown(self, block: doc.NotShown) -> str:
        """A note that names what paper cannot show."""
        words = (doc.Marked("strong", (doc.Text("Not shown:"),)), doc.Text(f" {block.what}."))
        return self.part(doc.Note((doc.Paragraph(words),)))

    def text(self, part: doc.Text) -> str:
        """Characters as they are."""
        raise NotImplementedError

    def said(self, part: doc.Said) -> str:
        """A computed sentence."""
        return self.text(doc.Text(part.text))

    def grid(self, record: TableRecord) -> str:
        """A numbered table from its record."""
        raise NotImplementedError


def space_of(label: Label) -> str:
    """The first part of the name by which a cross-reference finds its target."""
    return "sec" if label.kind in {"Section", "Heading"} else "val"
