"""What one step of a SAS session used, and how SAS prints times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

COUNTERS = (
    ("Page Faults", "page_faults"),
    ("Page Reclaims", "page_reclaims"),
    ("Page Swaps", "page_swaps"),
    ("Voluntary Context Switches", "voluntary_context_switches"),
    ("Involuntary Context Switches", "involuntary_context_switches"),
    ("Block Input Operations", "block_input_operations"),
    ("Block Output Operations", "block_output_operations"),
)


@dataclass(frozen=True)
class Step:
    """What one step used. Times in milliseconds, memory in hundredths of KiB: as fine as printed.

    ``real_ms`` and the CPU times are whole hundredths of a second (multiples of 10) for all
    dialects but 6.11 and Altair SLC.
    """

    name: str = "DATA"
    real_ms: int = 1150
    user_ms: int = 40
    system_ms: int = 10
    memory_ck: int = 178378
    os_memory_ck: int = 2167200
    end: datetime = datetime(2026, 9, 4, 8, 1, 4)  # noqa: DTZ001 - logs name no zone
    step_count: int = 24
    switch_count: int = 2
    page_faults: int = 0
    page_reclaims: int = 343
    page_swaps: int = 0
    voluntary_context_switches: int = 15
    involuntary_context_switches: int = 0
    block_input_operations: int = 0
    block_output_operations: int = 1032
    read: tuple[tuple[str, int], ...] = ()
    written: tuple[tuple[str, int, int], ...] = ()
    cas_ms: int | None = None
    source: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def is_data(self) -> bool:
        """Whether it is a DATA step; else ``name`` is its procedure."""
        return self.name == "DATA"

    @property
    def cpu_ms(self) -> int:
        """User and system time."""
        return self.user_ms + self.system_ms


def clock(ms: int, decimals: int = 2, unit: str = " seconds", point: str = ".") -> str:
    """A time as SAS prints it: with its unit below one minute, m:ss.ss and h:mm:ss.ss above."""
    scale = 10 ** (3 - decimals)
    ticks, rest = divmod(ms, scale)
    if rest:
        raise ValueError(f"{ms} ms has more digits than {decimals} decimals")
    whole, part = divmod(ticks, 10**decimals)
    tail = f"{point}{part:0{decimals}d}"
    if whole < 60:
        return f"{whole}{tail}{unit}"
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{seconds:02d}{tail}"
    return f"{minutes}:{seconds:02d}{tail}"


def zos_clock(ms: int) -> str:
    """A time as z/OS prints it: ``hh:mm:ss.ss``."""
    whole, part = divmod(ms // 10, 100)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{part:02d}"


def stamp(when: datetime, *, wide: bool = True) -> str:
    """``09/04/2026 08:01:04 AM``, or as 9.1 and 9.2 print it: ``9/4/2026  8:01:04 AM``."""
    hour = when.hour % 12 or 12
    half = "AM" if when.hour < 12 else "PM"
    if wide:
        return f"{when:%m/%d/%Y} {hour:02d}:{when:%M:%S} {half}"
    return f"{when.month}/{when.day}/{when.year} {hour:2d}:{when:%M:%S} {half}"
