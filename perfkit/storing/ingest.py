"""Many pieces of evidence into a store: in batches, by any executor, each batch one commit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from perfkit.core import spread as spreading
from perfkit.storing.commits import Entry, commit_changed, replacing
from perfkit.storing.layout import Layout
from perfkit.storing.places import Place
from perfkit.storing.records import Record, is_sound
from perfkit.storing.tables import write_pieces
from perfkit.storing.take import Plan, Read, Taken, migrated, take, take_again, written

if TYPE_CHECKING:
    from perfkit.storing.index import State

T = TypeVar("T")
Labels = tuple[tuple[str, str], ...]
Each = Callable[[Taken], object]

BATCH = 50
"""Pieces that one task takes: one alone would cost more on its way than it does."""

BATCH_BYTES = 16_000_000


def batches_of(items: Sequence[T], size: Callable[[T], int]) -> list[list[T]]:
    """Items in batches, by number and size in bytes.

    More than one batch are so many, and so alike, that no core idles while another ends its own.
    """
    cores = spreading.cores()
    rounds = math.ceil(len(items) / BATCH / cores)
    most = BATCH if len(items) <= BATCH else math.ceil(len(items) / rounds / cores)
    found: list[list[T]] = []
    room = 0
    for item in items:
        own = size(item)
        if not found or len(found[-1]) >= most or own > room:
            found.append([])
            room = BATCH_BYTES
        found[-1].append(item)
        room -= own
    return found


def ingest(
    places: Sequence[Place],
    work: Callable[[Sequence[Place]], list[Taken]],
    commits: Callable[[Sequence[Entry]], object],
    *,
    labels: Labels = (),
    executor: Executor | None = None,
    each: Each = lambda _: None,
) -> list[Taken]:
    """Take pieces into a store and make them live, batch by batch, in no order.

    What is committed stays when it is interrupted; the same call goes on from there.

    Args:
        places: What is taken.
        work: Takes some pieces, in whatever process or host it runs.
        commits: Makes what was taken live.
        labels: What is said of all of them; of what is known already, too.
        executor: Any of ``concurrent.futures``, Dask's too; None: one process for each core.
        each: Called with what became of each piece.

    Raises StoreError where the store cannot be written (a full disk): what was committed is live.
    """

    def said(done: Sequence[Taken]) -> None:
        commits(
            [
                Entry(one.piece, one.record, one.name, labels)
                for one in done
                if one.outcome == "read" or (one.outcome == "known" and labels)
            ]
        )

    def size(place: Place) -> int:
        path = Path(place.path)
        return path.stat().st_size if path.is_file() else 0

    return committed(spread(batches_of(places, size), work, executor), said, each)


def replace_records(
    layout: Layout,
    state: State,
    kept: Sequence[tuple[Entry, Record]],
    work: Callable[[str, Sequence[tuple[Entry, Record]]], list[Taken]],
    *,
    executor: Executor | None = None,
    each: Each = lambda _: None,
) -> list[Taken]:
    """Make new records of pieces, and these live where they differ and nobody else said more.

    Args:
        layout: The store.
        state: What is live.
        kept: The pieces of it that are done again.
        work: ``again_batch`` or ``migrate_batch``.
        executor: As of ``ingest``.
        each: Likewise.

    Raises StoreError as ``ingest`` does.
    """
    before = {entry.piece: entry for entry, _ in kept}

    def commits(done: Sequence[Taken]) -> None:
        records = {one.piece: one.record for one in done if one.outcome == "read"}
        commit_changed(layout, replacing(records, before), before, state.commits)

    root = str(layout.root.resolve())
    return committed(spread(batches_of_kept(kept), partial(work, root), executor), commits, each)


def batches_of_kept(kept: Sequence[tuple[Entry, Record]]) -> list[list[tuple[Entry, Record]]]:
    """Pieces of a store in batches that are done again."""
    return batches_of(kept, lambda item: sum(file.size for file in item[1].files))


def take_batch(root: str, places: Sequence[Place], plan: Plan) -> list[Taken]:
    """Take some pieces, in whatever process or host this runs; the caller commits them."""

    def found(layout: Layout) -> Iterator[Taken | Read]:
        for place in places:
            yield take(layout, place, plan, partial(is_sound, layout))

    return _stored(root, found)


def again_batch(root: str, kept: Sequence[tuple[Entry, Record]]) -> list[Taken]:
    """Likewise read some pieces again."""
    return _stored(root, lambda layout: (take_again(layout, *item) for item in kept))


def migrate_batch(root: str, kept: Sequence[tuple[Entry, Record]]) -> list[Taken]:
    """Likewise bring some pieces to this form."""
    return _stored(root, lambda layout: (migrated(layout, *item) for item in kept))


def _stored(root: str, found: Callable[[Layout], Iterable[Taken | Read]]) -> list[Taken]:
    layout = Layout(Path(root))
    with layout.writing():
        return written(found(layout), partial(write_pieces, layout))


def committed(
    batches: Iterable[list[Taken]], commits: Callable[[Sequence[Taken]], None], each: Each
) -> list[Taken]:
    """Commit each batch when it is done."""
    found: list[Taken] = []
    for batch in batches:
        commits(batch)
        for one in batch:
            each(one)
        found += batch
    return found


def spread(
    batches: Sequence[Sequence[T]],
    work: Callable[[Sequence[T]], list[Taken]],
    executor: Executor | None,
) -> Iterator[list[Taken]]:
    """What became of each batch, as they are done: ``core.spread``.

    A piece that ends its worker twice has failed. Raises what ``work`` raises: StoreError.
    """

    def died(item: Any) -> Taken:
        name: str = getattr(item, "name", "") or item[0].name
        return Taken(name, "failed", "the process that read it ended")

    return spreading.spread(batches, work, executor, died)
