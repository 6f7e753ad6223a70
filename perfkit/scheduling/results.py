"""What a slot leaves in a store: its evidence, and the answers of its report.

Both are known by their content, so that a slot that is kept once more adds nothing.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit._version import __version__
from perfkit.core.evidence import sha256_file
from perfkit.core.findings import answers_found

if TYPE_CHECKING:
    import polars as pl

    from perfkit.scheduling.folders import Kept
    from perfkit.scheduling.schedule_file import Scheduled
    from perfkit.scheduling.state import Run
    from perfkit.storing.store import Store

ENTRY, SLOT, REPORT, BASELINE = "entry", "slot", "report", "baseline"
"""Labels: the entry's name, the slot's time on its wall clock, the folder of the report, and that
it is of the baseline."""


@dataclass(frozen=True)
class _Evidence:
    """Files that are read in one way.

    Attributes:
        paths: Files, or the folder of a run.
        labels: What the study says of them.
        kind: Their kind; None: by their content.
        options: Of the kind's reader.
    """

    paths: Sequence[Path]
    labels: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def keep_results(scheduled: Scheduled, report: Kept) -> list[str]:
    """Commit a report's evidence, then its answers; returns what is not in the store, with reasons.

    Raises StoreError where the store cannot be written: the call is repeated with the next slot.
    StudyError where the study cannot be read any more.
    """
    from perfkit.storing.store import Store

    if scheduled.store is None:
        return []
    store = Store(scheduled.store)
    slot = report.run.moment.replace(tzinfo=None)
    labels = {ENTRY: scheduled.name, SLOT: slot.isoformat(), REPORT: report.path.name}
    lost = [] if _is_kept(store, labels) else _keep(scheduled, store, report, labels)
    _mark_baseline(scheduled, store)
    return lost


def _is_kept(store: Store, labels: Mapping[str, str]) -> bool:
    """Whether the answers of a report are there: they come last."""
    if not store.layout.exists():
        return False
    pieces = store.pieces().filter(kind="answers")
    said = {f"label_{name}": value for name, value in labels.items()}
    return set(said) <= set(pieces.columns) and not pieces.filter(**said).is_empty()


def _keep(scheduled: Scheduled, store: Store, report: Kept, labels: Mapping[str, str]) -> list[str]:
    sources: list[str] = []
    lost = _gone(scheduled, report.run)
    for one in _evidence(scheduled, report.run):
        taken = store.ingest(*one.paths, kind=one.kind, options=one.options)
        pieces = [item.piece for item in taken if item.outcome in {"read", "known"}]
        store.label(pieces, {**one.labels, **labels})
        sources += pieces
        lost += [f"{item.name}: {item.reason}" for item in taken if item.piece not in pieces]
    answers = answers_found(json.loads(report.notebook.read_text(encoding="utf-8")))
    if len(answers):
        known = _known_of(store, sources)
        store.add_answers(
            answers,
            name=f"{scheduled.name} {labels[REPORT]}",
            time=known.time or dt.datetime.fromisoformat(labels[SLOT]),
            conditions_key={ENTRY: scheduled.name, **known.conditions},
            facts={**known.facts, "perfkit": __version__},
            labels=labels,
            sources=list(dict.fromkeys(sources)),
        )
    return lost


def _mark_baseline(scheduled: Scheduled, store: Store) -> None:
    """Label what is of the baseline as the schedule says it now."""
    own = store.pieces().filter(label_entry=scheduled.name)
    held: dict[bool, list[str]] = {}
    for piece, slot in own.select("piece", "label_slot").iter_rows():
        held.setdefault(scheduled.in_baseline(dt.date.fromisoformat(slot[:10])), []).append(piece)
    for is_held, pieces in held.items():
        store.label(pieces, {BASELINE: "yes" if is_held else None})


def _evidence(scheduled: Scheduled, run: Run) -> Iterator[_Evidence]:
    """What the slot's report rests on, as its study names it; nothing of a notebook alone."""
    from perfkit.study.study import open_study

    if scheduled.study.suffix == ".ipynb":
        return
    study = open_study(scheduled.study)
    if run.measured:
        yield _Evidence([study.runs / run.measured])
    watched = scheduled.entry.evidence
    into = scheduled.study_folder / watched.into if watched else None
    for part in study.parts or [study]:
        for entry in part.model.evidence:
            labels = {str(name): value for name, value in entry.labels.items()}
            paths = [path for path in part.files(entry) if _is_of(run, path, into)]
            yield _Evidence(paths, labels, entry.kind, entry.options)


def _is_of(run: Run, path: Path, into: Path | None) -> bool:
    """Whether a file is the slot's: the folder of copies has those of the newest slot."""
    if into is None or not path.is_relative_to(into):
        return True
    return run.evidence.get(path.relative_to(into).as_posix()) == sha256_file(path)


def _gone(scheduled: Scheduled, run: Run) -> list[str]:
    """The dropped files of a slot whose copies are not there any more."""
    watched = scheduled.entry.evidence
    if watched is None:
        return []
    into = scheduled.study_folder / watched.into
    there = [name for name in run.evidence if (into / name).is_file()]
    kept = [name for name in there if _is_of(run, into / name, into)]
    return [f"{name}: its copy is gone" for name in run.evidence if name not in kept]


@dataclass(frozen=True)
class Known:
    """What some pieces say together: the first time, and each condition and fact."""

    time: dt.datetime | None
    conditions: Mapping[str, str]
    facts: Mapping[str, str]


def _known_of(store: Store, pieces: Sequence[str]) -> Known:
    import polars as pl

    times = store.pieces().filter(pl.col("piece").is_in(pieces))["time"].drop_nulls()
    own = store.answers().filter(pl.col("piece").is_in(pieces))
    said = own.select("conditions_key", "facts").unique().collect()
    first = times.min()
    return Known(
        first if isinstance(first, dt.datetime) else None,
        _joined(said["conditions_key"]),
        _joined(said["facts"]),
    )


def _joined(objects: pl.Series) -> dict[str, str]:
    """JSON objects as one: the values of each name, each once, in order."""
    values: dict[str, set[str]] = {}
    for text in objects.drop_nulls():
        for name, value in json.loads(text).items():
            values.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(found)) for name, found in sorted(values.items())}
