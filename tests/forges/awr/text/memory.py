"""Memory statistics and cache sizes, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.memory import cache_lines, memory_lines
from forges.awr.text.blocks import literal

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.sheet import Block
    from forges.awr.text.dialect import TextDialect


def memory_block(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """Memory Statistics."""
    head = (
        "Memory Statistics\n"
        "~~~~~~~~~~~~~~~~~                       Begin          End\n"
        "                                 ------------ ------------\n"
    )
    lines = memory_lines(instance)
    return literal("memory", ("printed", "begin", "end"), head, lines, (32, 13, 13))


def caches_block(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """Cache Sizes."""
    head = (
        "Cache Sizes                       Begin        End\n"
        "~~~~~~~~~~~                  ---------- ----------\n"
    )
    lines = cache_lines(content, instance, in_memory=True)
    return literal("memory", (), head, lines, (28, 11, 11, 17, 11))
