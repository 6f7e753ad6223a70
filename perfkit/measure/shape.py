"""The shape of a load: what it writes, where, in which sizes, and with which pauses.

The written forms are fio's own where it has one (``random_distribution``, ``bssplit``), so that a
reader of fio's manual finds the terms again.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from perfkit.core.units import parse_duration, parse_size

Size = Annotated[int, BeforeValidator(parse_size), Field(gt=0)]
Seconds = Annotated[float, BeforeValidator(parse_duration), Field(ge=0, allow_inf_nan=False)]

WHOLE = 100
"""Percent."""

Percent = Annotated[int, Field(ge=0, le=WHOLE)]


def directions_of(read_percent: int) -> tuple[str, ...]:
    """The directions in which a mix does I/O."""
    shares = {"read": read_percent, "write": WHOLE - read_percent}
    return tuple(name for name, share in shares.items() if share)


class Frozen(BaseModel):
    """A value of a sweep: unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Data(Frozen):
    """What is written, as far as a storage system can save space or bandwidth by it.

    Attributes:
        dedupe_percent: Share of blocks that repeat an earlier block of the same job.
        compress_percent: Share by which each chunk can be compressed.
        compress_chunk: Bytes within which it can: the array's own chunk. None: a block.
    """

    dedupe_percent: Percent = 0
    compress_percent: Percent = 0
    compress_chunk: Size | None = None

    @property
    def unique(self) -> bool:
        """Whether nothing can be saved: the default."""
        return not (self.dedupe_percent or self.compress_percent)


class Region(Frozen):
    """The part of the target that a load reads and writes; the rest is laid out, too."""

    start: Annotated[int, BeforeValidator(parse_size), Field(ge=0)] = 0
    size: Size


def _distribution(text: str) -> str:
    """A distribution of offsets in fio's form; ``hot:80/20`` is ``zoned:80/20:20/80``.

    Raises ValueError for what fio refuses, or would read as something else.
    """
    kind, _, rest = text.strip().partition(":")
    if kind == "hot":
        hot = re.fullmatch(r"(\d+)/(\d+)", rest)
        if hot is None:
            raise ValueError("a hot region is written hot:80/20, 80% of the I/Os to 20% of it")
        share, space = int(hot[1]), int(hot[2])
        return _distribution(f"zoned:{share}/{space}:{WHOLE - share}/{WHOLE - space}")
    if kind == "zoned":
        return f"zoned:{_zones(rest)}"
    limits = {"zipf": (0.0, 100.0), "pareto": (0.0, 1.0), "normal": (0.0, 100.0)}
    try:
        low, high = limits[kind]
        value = float(rest)
    except (KeyError, ValueError):
        raise ValueError(
            f"{text!r} is not a distribution: zipf:1.2, pareto:0.2, normal:20, hot:80/20 or "
            "zoned:50/5:30/15:20/80"
        ) from None
    if not low < value < high or (kind == "zipf" and value == 1):
        raise ValueError(f"{kind}:{rest}: the value lies between {low:g} and {high:g}, and not 1")
    return f"{kind}:{value:g}"


def _zones(text: str) -> str:
    zones = [re.fullmatch(r"(\d+)/(\d+)", part) for part in text.split(":")]
    if len(zones) < 2 or not all(zones):
        raise ValueError("zones are written zoned:50/5:30/15:20/80, I/Os/space in percent")
    pairs = [(int(zone[1]), int(zone[2])) for zone in zones if zone]
    for name, column in (("I/Os", 0), ("the space", 1)):
        total = sum(pair[column] for pair in pairs)
        if total != WHOLE:
            raise ValueError(f"the zones' shares of {name} add up to {total}%, not to 100%")
    if any(not space for _, space in pairs):
        raise ValueError("a zone has no space")
    return ":".join(f"{share}/{space}" for share, space in pairs)


def block_shares(mix: str) -> dict[int, int]:
    """A mix of block sizes: bytes -> percent of the I/Os."""
    return {int(size): int(share) for size, share in (p.split("/") for p in mix.split(":"))}


def block_mix(text: str) -> str:
    """A mix such as ``8k/70:64k/20:256k/10``, in bytes; ValueError where it does not fit."""
    parts = [re.fullmatch(r"\s*([^/:]+)/(\d+)\s*", part) for part in text.split(":")]
    if len(parts) < 2 or not all(parts):
        raise ValueError("a mix of blocks is written 8k/70:64k/20:256k/10, size/percent")
    pairs = [(parse_size(part[1]), int(part[2])) for part in parts if part]
    sizes = [size for size, _ in pairs]
    if len(set(sizes)) < len(sizes):
        raise ValueError("a block size is listed twice")
    if any(not share for _, share in pairs):
        raise ValueError("a block size has a share of 0%")
    if (total := sum(share for _, share in pairs)) != WHOLE:
        raise ValueError(f"the shares add up to {total}%, not to 100%")
    if any(size % min(sizes) for size in sizes):
        raise ValueError("every size is a multiple of the smallest")
    return ":".join(f"{size}/{share}" for size, share in sorted(pairs))


def cpu_numbers(text: str) -> list[int]:
    """The numbers in a list of logical CPUs such as ``0-3,8``; ValueError for anything else."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        raise ValueError("logical CPUs are written 0-3,8")
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        if last and int(last) < int(first):
            raise ValueError(f"{part} is a descending range")
        found += range(int(first), int(last or first) + 1)
    return found


def _paths(given: object) -> object:
    """Paths as a list, or in one text with commas between them."""
    return tuple(given.split(",")) if isinstance(given, str) else given


def _cpus(text: str) -> str:
    cpu_numbers(text)
    return text


Distribution = Annotated[str, AfterValidator(_distribution)]
BlockMix = Annotated[str, AfterValidator(block_mix)]
Paths = Annotated[tuple[str, ...], BeforeValidator(_paths)]
Cpus = Annotated[str, BeforeValidator(str), AfterValidator(_cpus)]
