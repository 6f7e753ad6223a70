"""Batches of work on any executor of ``concurrent.futures``, a few in flight."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from typing import TypeAlias, TypeVar

from perfkit.core.errors import PerfkitError

T = TypeVar("T")
R = TypeVar("R")

Batch: TypeAlias = Sequence[T]

WORTH_PROCESSES = 2
"""Batches, and cores, from which on processes are started."""


def cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def spread(
    batches: Sequence[Batch[T]],
    work: Callable[[Batch[T]], list[R]],
    executor: Executor | None,
    died: Callable[[T], R],
) -> Iterator[list[R]]:
    """The results of each batch, as they are completed.

    The items of a worker that died are done again, one at a time: ``died`` gives the result of one
    that kills its worker again. Without an executor there is a process for each core.

    Raises the errors of perfkit that ``work`` raises.
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
            yield [died(item)]


def _workers(executor: Executor | None) -> contextlib.AbstractContextManager[Executor]:
    if executor is not None:
        return contextlib.nullcontext(executor)
    # not forked: a fork may hang under the threads of polars
    return ProcessPoolExecutor(cores(), multiprocessing.get_context("spawn"))


def _flown(
    batches: Sequence[Batch[T]],
    work: Callable[[Batch[T]], list[R]],
    executor: Executor,
    most: int,
    lost: list[T],
) -> Iterator[list[R]]:
    """Run batches, at most ``most`` at a time; ``lost`` collects items whose worker died."""
    waiting = deque(batches)
    flying: dict[Future[list[R]], Batch[T]] = {}
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
    except PerfkitError:
        raise
    except Exception:  # noqa: BLE001
        lost.extend(batch)
