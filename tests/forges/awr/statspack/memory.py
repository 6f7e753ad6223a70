"""Cache sizes and memory statistics of Statspack."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.printing import MIB, fixed, size
from forges.awr.sheet import Block, Line
from forges.awr.statspack.release import END

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance


def caches_block(content: Content, instance: Instance) -> Block:
    """Cache Sizes."""
    memory = instance.memory
    block = size(content.database.block_size // 1024, 1024, "K")
    log = size(memory.log_buffer, 1024, "K")
    pairs = (
        ("Buffer Cache", memory.buffer_cache, "Std Block Size", block),
        ("Shared Pool", memory.shared_pool, "Log Buffer", log),
    )
    text, said = "", []
    for name, (begin, end), other, shown in pairs:
        # the end is printed only where it differs
        last = "" if begin == end else size(end, MIB, "M").text
        text += f"{name + ':':>17} {size(begin, MIB, 'M').text:>10} {last:>10}"
        text += f"{other + ':':>22} {shown.text:>10}\n"
        facts = {"unit": "bytes"}
        said.append({
            **facts, "printed": name, "begin": Decimal(begin * MIB),
            "end": Decimal(end * MIB) if last else None,
        })  # fmt: skip
        said.append({**facts, "printed": other, "begin": shown.says})
    head = "Cache Sizes            Begin        End\n~~~~~~~~~~~       ---------- ----------\n"
    lines = (Line((), said=tuple(said)),)
    return Block("memory", "", lines=lines, style="literal", text=f"{head}{text}\n")


def memory_block(_content: Content, instance: Instance) -> Block:
    """Memory Statistics."""
    memory = instance.memory
    rows = (
        ("Host Mem (MB)", memory.host, memory.host), ("SGA use (MB)", *memory.sga),
        ("PGA use (MB)", *memory.pga),
    )  # fmt: skip
    text, said = "", []
    for name, *values in rows:
        begin, end = (fixed(value, 1, scale=MIB) for value in values)
        text += f"{name + ':':>32} {begin.text:>12} {end.text:>12}\n"
        said.append({"printed": name, "unit": "bytes", "begin": begin.says, "end": end.says})
    head = (
        "Memory Statistics                       Begin          End\n"
        "~~~~~~~~~~~~~~~~~                ------------ ------------\n"
    )
    lines = (Line((), said=tuple(said)),)
    return Block("memory", "", lines=lines, style="literal", text=f"{head}{text}{END}\n\n")
