"""Batches of work by any executor of ``concurrent.futures``, a few in flight."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from typing import TypeAlias, TypeVar

from perfkit.core.errors import StoreError
from perfkit.sources.processes import cores
from perfkit.storing.take import Taken

T = TypeVar("T")

Batch: TypeAlias = Sequence[T]

BATCH = 50
"""Pieces that one task takes: one alone would cost more on its way than it does."""

BATCH_BYTES = 16_000_000

WORTH_PROCESSES = 2
"""Batches, and cores, from which on processes are started."""


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
    batches: Sequence[Batch[T]],
    work: Callable[[Batch[T]], list[Taken]],
    executor: Executor | None,
) -> Iterator[list[Taken]]:
    """What became of each batch, as they are done.

    The items of a worker that died are done again, one at a time: the one that ends its worker once
    more has failed. Without an executor there is a process for each core.

    Raises what ``work`` raises: StoreError.
    """
    if executor is None and min(len(batches), cores()) < WORTH_PROCESSES:
        yield from map(work, batches)
        return
    lost: list[T] = []
    with _workers(executor) as workers:
        yield from _flown(batches, work, workers, 2 * cores(), lost)
    for item in lost:
        again: list[T] = []
        with _workers(executor) as workers:
            yield from _flown([[item]], work, workers, 1, again)
        if again:
            name: str = getattr(item, "name", "") or item[0].name  # type: ignore[index]
            yield [Taken(name, "failed", "the process that read it ended")]


def _workers(executor: Executor | None) -> contextlib.AbstractContextManager[Executor]:
    if executor is not None:
        return contextlib.nullcontext(executor)
    # not forked: a fork may hang under the threads of polars
    return ProcessPoolExecutor(cores(), multiprocessing.get_context("spawn"))


def _flown(
    batches: Sequence[Batch[T]],
    work: Callable[[Batch[T]], list[Taken]],
    executor: Executor,
    most: int,
    lost: list[T],
) -> Iterator[list[Taken]]:
    """At most so many batches are in flight; ``lost`` gets the items whose worker died."""
    waiting = deque(batches)
    flying: dict[Future[list[Taken]], Batch[T]] = {}
    try:
        while waiting or flying:
            while waiting and len(flying) < most:
                batch = waiting.popleft()
                with _kept(batch, lost):
                    flying[executor.submit(work, batch)] = batch
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                with _kept(flying.pop(future), lost):
                    yield future.result()
    finally:
        for future in flying:
            future.cancel()


@contextlib.contextmanager
def _kept(batch: Batch[T], lost: list[T]) -> Iterator[None]:
    """Remember a batch whose worker died: each kind of executor has an error of its own for it."""
    try:
        yield
    except StoreError:
        raise
    except Exception:  # noqa: BLE001
        lost.extend(batch)
