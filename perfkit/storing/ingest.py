"""Many pieces of evidence into a store: in batches, by any executor, each batch one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.storing.again import take_again
from perfkit.storing.commits import Entry, commit
from perfkit.storing.layout import Layout
from perfkit.storing.migrate import migrated
from perfkit.storing.spread import batches_of, spread
from perfkit.storing.take import Plan, Taken, take

if TYPE_CHECKING:
    from perfkit.storing.places import Place
    from perfkit.storing.records import Record

Labels = tuple[tuple[str, str], ...]
Each = Callable[[Taken], object]


def ingest(
    layout: Layout,
    places: Sequence[Place],
    plan: Plan,
    *,
    labels: Labels = (),
    executor: Executor | None = None,
    each: Each = lambda _: None,
) -> list[Taken]:
    """Take pieces into a store and make them live, batch by batch, in no order.

    What is committed stays when it is interrupted; the same call goes on from there.

    Args:
        layout: The store; it is made where there is none.
        places: What is taken.
        plan: How.
        labels: What is said of all of them; of what is known already, too.
        executor: Any of ``concurrent.futures``, Dask's too; None: one process for each core.
        each: Called with what became of each piece.

    Raises StoreError where the store cannot be written (a full disk): what was committed is live.
    """
    layout.make()

    def said(done: Sequence[Taken]) -> list[Entry]:
        return [
            Entry(one.piece, one.record, one.name, labels) for one in done
            if one.outcome == "read" or (one.outcome == "known" and labels)
        ]  # fmt: skip

    work = partial(take_batch, str(layout.root.resolve()), plan=plan)
    return _committed(layout, spread(batches_of(places, _size), work, executor), said, each)


def ingest_again(
    layout: Layout,
    kept: Sequence[tuple[Entry, Record]],
    *,
    executor: Executor | None = None,
    each: Each = lambda _: None,
) -> list[Taken]:
    """Read pieces again from what the store keeps; live is what came out of it, where it differs.

    Raises StoreError as ``ingest`` does.
    """
    batches = batches_of(kept, _evidence_size)
    work = partial(again_batch, str(layout.root.resolve()))
    return _committed(layout, spread(batches, work, executor), _replacing(kept), each)


def _replacing(kept: Sequence[tuple[Entry, Record]]) -> Callable[[Sequence[Taken]], list[Entry]]:
    """What is said of pieces whose record is another one now: all that was said before."""
    before = {entry.piece: entry for entry, _ in kept}
    return lambda done: [
        replace(before[one.piece], record=one.record) for one in done
        if one.outcome == "read" and one.record != before[one.piece].record
    ]  # fmt: skip


def _evidence_size(item: tuple[Entry, Record]) -> int:
    return sum(file.size for file in item[1].files)


def migrate(
    layout: Layout,
    kept: Sequence[tuple[Entry, Record]],
    *,
    executor: Executor | None = None,
    each: Each = lambda _: None,
) -> list[Taken]:
    """Bring pieces of an older form to this one.

    Raises StoreError as ``ingest`` does.
    """
    batches = batches_of(kept, _evidence_size)
    work = partial(migrate_batch, str(layout.root.resolve()))
    return _committed(layout, spread(batches, work, executor), _replacing(kept), each)


def take_batch(root: str, places: Sequence[Place], plan: Plan) -> list[Taken]:
    """Take some pieces, in whatever process or host this runs; the caller commits them."""
    return _stored(root, lambda layout: [take(layout, place, plan) for place in places])


def again_batch(root: str, kept: Sequence[tuple[Entry, Record]]) -> list[Taken]:
    """Likewise read some pieces again."""
    return _stored(root, lambda layout: take_again(layout, kept))


def migrate_batch(root: str, kept: Sequence[tuple[Entry, Record]]) -> list[Taken]:
    """Likewise bring some pieces to this form."""
    return _stored(root, lambda layout: migrated(layout, kept))


def _stored(root: str, work: Callable[[Layout], list[Taken]]) -> list[Taken]:
    layout = Layout(Path(root))
    with layout.writing():
        return work(layout)


def _committed(
    layout: Layout,
    batches: Iterable[list[Taken]],
    said: Callable[[Sequence[Taken]], list[Entry]],
    each: Each,
) -> list[Taken]:
    """Commit each batch when it is done."""
    found: list[Taken] = []
    for batch in batches:
        commit(layout, said(batch))
        for one in batch:
            each(one)
        found += batch
    return found


def _size(place: Place) -> int:
    path = Path(place.path)
    return path.stat().st_size if path.is_file() else 0
