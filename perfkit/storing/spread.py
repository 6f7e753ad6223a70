"""Pieces of evidence in batches that are worth their way to another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, TypeVar

from perfkit.core import spread as spreading
from perfkit.storing.take import Taken

T = TypeVar("T")

BATCH = 50
"""Pieces that one task takes: one alone would cost more on its way than it does."""

BATCH_BYTES = 16_000_000


def batches_of(items: Sequence[T], size: Callable[[T], int]) -> list[list[T]]:
    """Items in batches, by number and size in bytes."""
    found: list[list[T]] = []
    room = 0
    for item in items:
        own = size(item)
        if not found or len(found[-1]) >= BATCH or own > room:
            found.append([])
            room = BATCH_BYTES
        found[-1].append(item)
        room -= own
    return found


def spread(
    batches: Sequence[Sequence[T]],
    work: Callable[[Sequence[T]], list[Taken]],
    executor: Executor | None,
) -> Iterator[list[Taken]]:
    """What became of each batch, as they are done: ``core.spread``.

    A piece that ends its worker twice has failed. Raises what ``work`` raises: StoreError.
    """
    return spreading.spread(batches, work, executor, _died)


def _died(item: Any) -> Taken:
    name: str = getattr(item, "name", "") or item[0].name
    return Taken(name, "failed", "the process that read it ended")
