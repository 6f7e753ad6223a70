"""Memory and caches: the rows that every dialect of one instance prints."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Content, Instance, ratio
from forges.awr.printing import MIB, Shown, fixed, padded, percent, size
from forges.awr.sheet import Line, Row


def memory_lines(instance: Instance) -> tuple[Line, ...]:
    """Host, SGA and PGA memory."""
    memory = instance.memory
    rows = (
        ("Host Mem (MB)", memory.host, memory.host),
        ("SGA use (MB)", *memory.sga),
        ("PGA use (MB)", *memory.pga),
    )
    lines = [
        Line(
            [Shown(f"{name}:", name)] + [padded(fixed(v, 1, scale=MIB), 12) for v in values],
            {"unit": "bytes"},
        )
        for name, *values in rows
    ]
    shares = [
        padded(percent(ratio(sga + pga, memory.host), 2), 8)
        for sga, pga in zip(memory.sga, memory.pga, strict=True)
    ]
    name = "% Host Mem used for SGA+PGA"
    return (*lines, Line([Shown(f"{name}:", name), *shares], {"unit": "1"}))


def cache_lines(content: Content, instance: Instance, in_memory: bool) -> tuple[Line, ...]:
    """The cache sizes: two names in a row."""
    memory = instance.memory

    def sized(pair: tuple[int, int]) -> list[Shown]:
        return [padded(size(value, MIB, "M"), 11) for value in pair]

    def said(name: str, begin: int | Decimal, end: int | None = None) -> Row:
        row = {"printed": name, "unit": "bytes", "begin": Decimal(begin)}
        return row if end is None else {**row, "end": Decimal(end)}

    block = content.database.block_size
    pairs = (
        ("Buffer Cache", memory.buffer_cache, "Std Block Size", size(block // 1024, 1024, "K")),
        ("Shared Pool Size", memory.shared_pool, "Log Buffer", size(memory.log_buffer, 1024, "K")),
    )
    lines = [
        Line(
            [Shown(f"{name}:"), *sized(pair), Shown(f"{other}:"), padded(shown, 11)],
            said=(said(name, pair[0] * MIB, pair[1] * MIB), said(other, shown.says)),
        )
        for name, pair, other, shown in pairs
    ]
    if in_memory:
        cells = [Shown("In-Memory Area:"), *sized((0, 0))]
        lines.append(Line(cells, said=(said("In-Memory Area", 0, 0),)))
    return tuple(lines)
