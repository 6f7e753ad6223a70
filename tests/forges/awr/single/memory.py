"""Memory statistics and cache sizes of one instance, in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.memory import cache_lines, memory_lines
from forges.awr.sheet import Column, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect


def memory_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    """Memory Statistics."""
    columns = (Column(" ", "printed", left=True), Column("Begin", "begin"), Column("End", "end"))
    summary = "This table displays memory statistics"
    lines = memory_lines(instance)
    return Sheet("memory", "Memory Statistics", summary, columns, lines, style="plain")


def caches_sheet(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """Cache Sizes."""
    titles = ("", "Begin", "End", "", "")
    columns = tuple(Column(title, left=number in {0, 3}) for number, title in enumerate(titles))
    summary = (
        "This table displays cache sizes and other statistics for\n"
        "                    different types of cache"
    )
    lines = cache_lines(content, instance, dialect.new)
    return Sheet("memory", "Cache Sizes", summary, columns, lines, style="plain")
