"""What a slot leaves in a store: its evidence, and the answers of its report.

The names of an anonymised report are of that report alone: nothing can be joined by them, and its
answers are not kept.

Both are known by their content, so that a slot that is kept once more adds nothing.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit._version import __version__
from perfkit.analysis.pieces.told import UNTIL
from perfkit.core.evidence import sha256_file
from perfkit.core.findings import answers_found

if TYPE_CHECKING:
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


def store_of(scheduled: Scheduled) -> Store | None:
    """The entry's store; None where it has none. MissingPartError for a URL without deltalake."""
    from perfkit.storing.store import store

    return None if scheduled.store is None else store(scheduled.store)


def keep_results(scheduled: Scheduled, report: Kept) -> list[str]:
    """Commit a report's evidence, then its answers; returns what is not in the store, with reasons.

    Raises StoreError where the store cannot be written: the call is repeated with the next slot.
    StudyError where the study cannot be read any more.
    """
    store = store_of(scheduled)
    if store is None:
        return []
    store.ingest()  # which makes it, or brings it to this form
    labels = {ENTRY: scheduled.name, SLOT: slot_of(report.run), REPORT: report.path.name}
    parts = [] if scheduled.entry.anonymise else _by_workload(report)
    lost = []
    if not parts or _kept(store, labels) < len(parts):
        lost = _keep(scheduled, store, report.run, parts, labels)
    for slot, pieces in slots_of(scheduled, store).items():  # as the schedule says it now
        held = scheduled.in_baseline(dt.date.fromisoformat(slot[:10]))
        store.label(pieces, {BASELINE: "yes" if held else None})
    return lost


def _by_workload(report: Kept) -> list[pl.DataFrame]:
    """The answers of a report, those of each workload apart.

    Where one workload could not be measured, the others' conditions are as they were.
    """
    answers = answers_found(json.loads(report.notebook.read_text(encoding="utf-8")))
    claims = answers.filter(part="claim").select("claim", of="workload")
    joined = answers.join(claims, on="claim", maintain_order="left")
    return [part.drop("of") for part in joined.partition_by("of", maintain_order=True)]


def _kept(store: Store, labels: Mapping[str, str]) -> int:
    """How many parts of a report's answers are there: they come last."""
    pieces = store.pieces().filter(kind="answers")
    said = {f"label_{name}": value for name, value in labels.items()}
    return pieces.filter(**said).height if set(said) <= set(pieces.columns) else 0


def _keep(
    scheduled: Scheduled,
    store: Store,
    run: Run,
    parts: Sequence[pl.DataFrame],
    labels: Mapping[str, str],
) -> list[str]:
    sources: dict[str, None] = {}
    lost = _gone(scheduled, run)
    for one in _evidence(scheduled, run):
        taken = store.ingest(*one.paths, kind=one.kind, options=one.options)
        pieces = [item.piece for item in taken if item.outcome in {"read", "known"}]
        store.label(pieces, {**one.labels, **labels})
        sources |= dict.fromkeys(pieces)
        lost += [f"{item.name}: {item.reason}" for item in taken if item.piece not in pieces]
    for part in parts:
        known = _known_of(store, list(sources), part["workload"][0])
        store.add_answers(
            part,
            name=name_of(scheduled, run),
            time=known.time or dt.datetime.fromisoformat(labels[SLOT]),
            conditions_key={ENTRY: scheduled.name, **known.conditions},
            facts={**known.facts, "perfkit": __version__},
            labels=labels,
            sources=list(sources),
        )
    return lost


def slot_of(run: Run) -> str:
    """The label of a slot: its time on the wall clock of its entry."""
    return run.moment.replace(tzinfo=None).isoformat()


def name_of(scheduled: Scheduled, run: Run) -> str:
    """What the answers of a report are called in the store."""
    return f"{scheduled.name} {run.folder}"


def slots_of(scheduled: Scheduled, store: Store) -> dict[str, list[str]]:
    """The pieces of an entry in a store by their slots, oldest first."""
    pieces = store.pieces()
    if f"label_{ENTRY}" not in pieces.columns:
        return {}
    own = pieces.filter(label_entry=scheduled.name).sort(f"label_{SLOT}", maintain_order=True)
    found: dict[str, list[str]] = {}
    for slot, piece in own.select(f"label_{SLOT}", "piece").iter_rows():
        found.setdefault(slot, []).append(piece)
    return found


def _evidence(scheduled: Scheduled, run: Run) -> Iterator[_Evidence]:
    """What the slot's report rests on, as its study names it; nothing of a notebook alone."""
    from perfkit.study.opening import open_study

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


def _known_of(store: Store, pieces: Sequence[str], workload: str | None) -> Known:
    """What is known of a workload; of all, where the pieces tell nothing of it."""
    times = store.pieces().filter(pl.col("piece").is_in(pieces))["time"].drop_nulls()
    own = store.answers().filter(pl.col("piece").is_in(pieces))
    found = own.select("conditions_key", "facts", "workload").unique().collect()
    said = found.filter(workload=workload)
    said = found if said.is_empty() else said
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
            if name == UNTIL:  # of one piece, not of all
                continue
            values.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(found)) for name, found in sorted(values.items())}
