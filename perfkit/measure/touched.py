"""How many bytes a load touches, each counted once: an estimate, from what it did and where.

Of n I/Os at random on blocks with probabilities p, the expected number of blocks that were touched
is the sum of ``1 - (1 - p)^n``. Blocks of nearly the same probability are counted together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.units import format_size
from perfkit.measure.record.cautions import Noted, noted
from perfkit.measure.shape import WHOLE

if TYPE_CHECKING:
    from perfkit.measure.points import Point
    from perfkit.measure.spec import SweepSpec

REUSED = 0.5
"""Share of the I/O on blocks that were touched before, from which a cache may set the pace."""

STEP = 1.02
"""Of a skewed distribution, blocks whose ranks differ by less are counted together."""


@dataclass(frozen=True)
class Touched:
    """What a point touched, as point.json holds it; estimated.

    Attributes:
        unique_bytes: Each byte once, over all jobs, targets and hosts; None: not known, since fio's
            normal distribution has no simple form.
        job_bytes: Of one job.
        repeat_ratio: The share of the I/O that went to what this point had touched before.
    """

    unique_bytes: int | None
    job_bytes: int | None
    repeat_ratio: float | None
    estimated: bool = True


def touched(spec: SweepSpec, point: Point, io_bytes: int) -> Touched:
    """The estimate for a point whose load moved so many bytes, evenly over its jobs and targets."""
    each, jobs = io_bytes / spec.parts, point.numjobs(spec)
    if spec.pattern == "sequential":
        own = spec.space.size / jobs
        job: float | None = min(own, each / jobs)
        whole = None if job is None else job * jobs
    else:
        whole, job = _random(spec, each, jobs), _random(spec, each / jobs, 1)
    if whole is None or job is None or not each:
        return Touched(None, None, None)
    return Touched(round(whole * spec.parts), round(job), max(0.0, 1 - whole / each))


def reused(
    spec: SweepSpec, point: Point, io_bytes: int, memory_bytes: int | None
) -> Iterator[Noted]:
    """Whether the point did most of its I/O on blocks that fit into a cache, though not all do."""
    found, whole = touched(spec, point, io_bytes), spec.space.size * spec.files * spec.parts
    unique, again = found.unique_bytes, found.repeat_ratio
    caches = {"the array's cache": spec.array_cache}
    if not spec.direct:
        caches["the host's memory"] = memory_bytes
    for name, size in caches.items():
        if size and unique and again and unique <= size < whole and again >= REUSED:
            yield noted(
                "touched_fits",
                share=f"{again:.0%}",
                size=format_size(unique),
                cache=f"{name} of {format_size(size)}",
                args={"unique_bytes": unique, "cache_bytes": size, "repeat_ratio": again},
            )


def _random(spec: SweepSpec, io_bytes: float, jobs: int) -> float | None:
    """Bytes that random I/O of so many bytes, of some jobs, touches on one target.

    Each job of fio's has hot blocks of its own in a zipf or pareto distribution.
    """
    blocks = spec.space.size // spec.block_size
    own = jobs if (spec.distribution or "").startswith(("zipf", "pareto")) else 1
    groups = _groups(spec.distribution, blocks)
    if groups is None:
        return None
    n = io_bytes / spec.block_size / spec.files / own
    found = sum(
        count * -math.expm1(n * math.log1p(-min(share / count, 1 - 1e-12)))
        for count, share in groups
        if count and share
    )
    every = blocks * (1 - (1 - found / blocks) ** own)
    return spec.block_size * spec.files * every


def _groups(distribution: str | None, blocks: int) -> Iterator[tuple[float, float]] | None:
    """Numbers of blocks, and the share of the I/Os that goes to them; None: not known."""
    kind, _, rest = (distribution or "").partition(":")
    if not kind:
        return iter([(float(blocks), 1.0)])
    if kind == "zoned":
        zones = (zone.split("/") for zone in rest.split(":"))
        return ((blocks * int(space) / WHOLE, int(share) / WHOLE) for share, space in zones)
    below = {"zipf": _zipf, "pareto": _pareto}.get(kind)
    return _ranks(below(float(rest), blocks), blocks) if below else None


def _ranks(below: Callable[[float], float], blocks: int) -> Iterator[tuple[float, float]]:
    """Groups of ranks, from the share of the I/Os that goes to so many blocks of highest rank."""
    first = 0
    while first < blocks:
        last = min(blocks, max(first + 1, int(first * STEP)))
        yield float(last - first), below(last) - below(first)
        first = last


def _zipf(theta: float, blocks: int) -> Callable[[float], float]:
    """The zipf distribution: a block's share falls with the power ``theta`` of its rank."""

    def total(ranks: float) -> float:
        """The sum of ``rank^-theta``: exact for the first, and an integral behind."""
        whole = min(int(ranks), 100)
        exact = math.fsum(rank**-theta for rank in range(1, whole + 1))
        if ranks <= whole:
            return exact
        begin, end = whole + 0.5, ranks + 0.5
        behind: float = (end ** (1 - theta) - begin ** (1 - theta)) / (1 - theta)
        return exact + behind

    whole = total(blocks)
    return lambda ranks: total(ranks) / whole


def _pareto(share: float, blocks: int) -> Callable[[float], float]:
    """The self-similar distribution as fio has it (``pareto_next`` of its lib/zipf.c)."""
    power = math.log(1 - share) / math.log(share)
    return lambda ranks: min(1.0, ranks / blocks) ** power
