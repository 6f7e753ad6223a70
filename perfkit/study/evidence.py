"""Evidence files with the labels a study gives them, joined table by table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from glob import has_magic
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.curves.metrics import load_number
from perfkit.core.archives import matches
from perfkit.core.errors import StudyError, UsageError
from perfkit.core.evidence import Evidence, Origin, sha256_bytes
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.schema import LOAD_POINTS
from perfkit.study.series import Labels, ReadFile, in_time, loads_raised, series_apart

if TYPE_CHECKING:
    from perfkit.sources.source import Source
    from perfkit.study.file import EvidenceFiles, LoadFrom


@dataclass(frozen=True)
class Wanted:
    """Which tables are read: all, some by name, or of each kind those that its series needs."""

    tables: tuple[str, ...] | None = None
    in_series: bool = False

    def of(self, source: Source) -> list[str] | None:
        """The tables of a source that are read; None: all."""
        if self.in_series and source.reported.tables_of_series:
            return list(source.reported.tables_of_series)
        return None if self.tables is None else source.chosen(self.tables)

    def keeps(self, name: str) -> bool:
        """Whether a table that was read is wanted."""
        return self.tables is None or name in self.tables


def read_labelled(
    study: Path,
    evidence: tuple[EvidenceFiles, ...] | list[EvidenceFiles],
    wanted: Wanted = Wanted(),
    root: Path | None = None,
) -> Reading:
    """Read every file of a study's evidence; one Reading with the tables of all, labelled.

    The files lie below ``root`` (default: the study's folder).
    Each table gains a column ``source`` (the file, relative to ``root``) and the labels as
    columns; the load point and repeat are taken from the file's name where the study says how.
    ``wanted`` says which tables are read. Files of equal labels that have a time stand in
    order of it. Equal labels are one series only where the source's series key says so: files that
    differ in the rest of it (block size, database) get it behind their workload's name.

    Raises StudyError where a glob matches nothing, a pattern does not match a name, or two rows of
    a file have one key.
    """
    if not evidence:
        raise StudyError(study, "has no 'evidence:' to read")
    root = root or study.parent
    parts: list[Evidence] = []
    tables: dict[str, _Tables] = {}
    files = [files_of(study, entry, root) for entry in evidence]
    sets = _read_sets(root, evidence, files, wanted)
    alone: list[ReadFile] = []
    for number, (entry, paths) in enumerate(zip(evidence, files, strict=True)):
        together = sets.pop(number, None) or _read_together(root, entry, paths, wanted)
        if together is None:
            alone += [_read_one(study, root, entry, path, wanted) for path in paths]
            continue
        parts.append(together.evidence)
        names = [part.path for part in together.evidence.parts]
        labels = (labels_of(study, entry, path) for path in paths)
        own = _in_time(entry, together, dict(zip(names, labels, strict=True)))
        rest = dict(together.tables)
        del together  # each table is let go when it has its labels: a thousand reports are large
        for name in list(rest):
            table = label_files(rest.pop(name), labels=own)
            tables.setdefault(name, _Tables()).add(table, {}, {})
    for one in in_time(series_apart(loads_raised(alone))):
        parts.append(one.reading.evidence)
        _add(one, wanted, tables)
    whole = Evidence(
        kind="study",
        path=study.name,
        sha256=sha256_bytes(canonical_json([part.sha256 for part in parts]).encode()),
        parts=tuple(parts),
        warnings=tuple(f"{p.path}: {text}" for p in parts for text in p.warnings),
    )
    joined = {
        name: join_rows(items.tables, keys=items.keys, labels=items.labels)
        for name, items in tables.items()
    }
    return Reading({name: item.named(name) for name, item in joined.items()}, whole)


def _read_one(
    study: Path, root: Path, entry: EvidenceFiles, path: Path, wanted: Wanted
) -> ReadFile:
    kind, reading = _read_alone(study, root, entry, path, wanted)
    keys, labels = _keys_of(reading), labels_of(study, entry, path)
    same_kind = keys.get("load_kind") is not None and keys["load_kind"] == labels.get("load_kind")
    if same_kind and keys.get("load") not in {None, labels["load"]}:
        raise StudyError(
            study,
            f"evidence: {path.name} is of {keys['load_kind']} {load_number(keys['load']).text} "
            f"by its own words, and of {load_number(labels['load']).text} by the study",
        )
    if labels.get("load_kind") not in {None, keys.get("load_kind")}:
        # another load than the file's own: what is held beside that one says nothing of it
        labels = {**labels, "held_kind": None, "held": None}
    found = ReadFile(kind, reading, keys, labels)
    found.check_rows(study)
    return found


def _add(one: ReadFile, wanted: Wanted, tables: dict[str, _Tables]) -> None:
    for name, table in one.reading.tables.items():
        if wanted.keeps(name):
            # of a folder with several reports each has its own, which stays
            keys = {**one.keys, "source": one.reading.evidence.path}
            tables.setdefault(name, _Tables()).add(table, keys, one.labels)


def _read_alone(
    study: Path, root: Path, entry: EvidenceFiles, path: Path, wanted: Wanted
) -> tuple[str, Reading]:
    from perfkit.sources import SOURCES, kind_of, read

    options = dict(entry.options)
    try:
        kind = entry.kind or kind_of(path)
        chosen = wanted.of(SOURCES[kind]) if kind in SOURCES and SOURCES[kind].chooses else None
        if chosen is not None:
            options["tables"] = chosen
        found = read(path, kind=kind, root=root, **options)
    except UsageError as problem:
        raise StudyError(study, f"evidence: {problem}") from problem
    return kind, _of_origin(entry, found)


def _read_together(
    root: Path, entry: EvidenceFiles, paths: list[Path], wanted: Wanted
) -> Reading | None:
    """All files of an entry in one reading, where its kind is named and can be read so.

    Sources of which tables can be chosen are so read for the sake of a few of them; otherwise each
    file keeps what its sections became.
    """
    from perfkit.sources import SOURCES

    source = SOURCES.get(entry.kind or "")
    if source is None or source.read_many is None or entry.options:
        return None
    if source.chooses:
        chosen = wanted.of(source)
        if chosen is None:
            return None
        found: Reading = source.read_many(paths, root=root, tables=chosen)
    elif entry.load is not None or entry.repeat is not None:
        return None
    else:
        found = source.read_many(paths, root=root)
    return _of_origin(entry, found)


def _read_sets(
    root: Path,
    evidence: Sequence[EvidenceFiles],
    files: list[list[Path]],
    wanted: Wanted,
) -> dict[int, Reading]:
    """The readings of the entries, by number, whose kind reads several sets of files at once.

    Each is what ``_read_together`` gives for its entry alone.
    """
    from perfkit.sources import SOURCES

    found: dict[int, Reading] = {}
    numbers: dict[str, list[int]] = {}
    for number, entry in enumerate(evidence):
        source = SOURCES.get(entry.kind or "")
        if source is not None and source.read_sets is not None and not entry.options:
            numbers.setdefault(entry.kind or "", []).append(number)
    for kind, own in numbers.items():
        read = SOURCES[kind].read_sets
        chosen = wanted.of(SOURCES[kind])
        if read is None or chosen is None or len(own) < 2:
            continue
        sets = [files[number] for number in own]
        found |= zip(own, read(sets, root=root, tables=chosen), strict=True)
    return {number: _of_origin(evidence[number], item) for number, item in found.items()}


def _of_origin(entry: EvidenceFiles, found: Reading) -> Reading:
    if entry.printed:
        return found.of_origin(Origin("printed", entry.printed))
    return found.of_origin(Origin("generated", entry.generated)) if entry.generated else found


def _in_time(
    entry: EvidenceFiles, together: Reading, labels: dict[str, Labels]
) -> dict[str, Labels]:
    """Files of equal labels in order of their times, those without one last, as ``in_time``."""
    from perfkit.sources import SOURCES

    source = SOURCES[entry.kind or ""]
    frame = together[source.table].frame if source.table in together else pl.DataFrame()
    begins: dict[str, object] = {}
    if source.time in frame.columns:
        timed = frame.filter(pl.col(source.time).is_not_null())
        begins = dict(timed.group_by("file").agg(pl.col(source.time).min()).rows())
    met: dict[str, int] = {}

    def place(file: str) -> tuple[Any, ...]:
        number = met.setdefault(canonical_json(labels[file]), len(met))
        return number, file not in begins, begins.get(file, 0)

    return {file: labels[file] for file in sorted(labels, key=place)}


@step(version=3, name="data.label")
def label_files(table: Measured, *, labels: dict[str, dict[str, Any]]) -> pl.DataFrame:
    """A table of many files, whose column ``file`` names them, with their labels as columns.

    Its rows are file by file, in the order of the labels.
    """
    names = list(dict.fromkeys(name for own in labels.values() for name in own))
    known = pl.DataFrame(
        [{"file": file, **own} for file, own in labels.items()],
        schema={"file": pl.String, **{name: LOAD_POINTS[name].dtype for name in names}},
    )
    own = table.frame.drop(*names, strict=False)
    joined = known.join(own, on="file", how="inner", maintain_order="left_right")
    order = [*table.frame.columns, *(name for name in names if name not in table.frame.columns)]
    return joined.select(order).with_columns(pl.col("file").alias("source"))


KEYS = ("workload", "load_kind", "load", "held_kind", "held", "repeat", "cautions")


def _keys_of(reading: Reading) -> Labels:
    """What a file's load points have in common, for its other tables: null where they differ."""
    points = reading.get("load_points")
    if points is None:
        return {}
    values = {key: points.frame[key].unique().to_list() for key in KEYS}
    return {key: found[0] if len(found) == 1 else None for key, found in values.items()}


@dataclass
class _Tables:
    """The tables of one name from several files, each with what its file and the study say."""

    tables: list[Measured] = field(default_factory=list)
    keys: list[Labels] = field(default_factory=list)
    labels: list[Labels] = field(default_factory=list)

    def add(self, table: Measured, keys: Labels, labels: Labels) -> None:
        """One more file."""
        self.tables.append(table)
        self.keys.append(keys)
        self.labels.append(labels)


@step(version=2, name="data.join")
def join_rows(
    tables: list[Measured], *, keys: list[dict[str, Any]], labels: list[dict[str, Any]]
) -> pl.DataFrame:
    """The rows of tables of one name from several files, in the order given, each labelled.

    A label of the study replaces what the file said; of ``keys``, what all load points of the file
    have in common, a column that is there stays.
    """
    frames = [
        table.frame.with_columns(
            pl.lit(value, pl.String if name == "source" else LOAD_POINTS[name].dtype).alias(name)
            for name, value in {
                **{key: given for key, given in own.items() if key not in table.frame.columns},
                **said,
            }.items()
        )
        for table, own, said in zip(tables, keys, labels, strict=True)
    ]
    return pl.concat(frames, how="diagonal_relaxed")


def files_of(study: Path, entry: EvidenceFiles, root: Path) -> list[Path]:
    """The files, or folders of one run, a study's entry names, in order; StudyError for none.

    Members of an archive are named as those of a folder: ``runs.tar.xz/fcp/*.html``.
    """
    return sorted({path for glob in entry.globs for path in _matched(study, entry, glob, root)})


def _matched(study: Path, entry: EvidenceFiles, glob: str, root: Path) -> list[Path]:
    from perfkit.sources import SOURCES, is_folder_of_evidence

    named = SOURCES.get(entry.kind or "")
    # a pattern takes folders that are evidence, and a name whatever its kind says it is
    is_whole = named is not None and named.sniff is None and not has_magic(glob)
    # as in a shell, a star does not mean hidden files (the stamp of generated evidence is one)
    shown = [i for i in matches(root, glob) if not i.name.startswith(".")]
    found = [i for i in shown if i.is_file() or is_whole or is_folder_of_evidence(i)]
    if shown and not found:
        raise StudyError(study, f"evidence: {glob!r} is a folder: name the files in it ({glob}/*)")
    if not found:
        raise StudyError(study, f"evidence: {glob!r} matches no file")
    return found


def labels_of(study: Path, entry: EvidenceFiles, path: Path) -> Labels:
    """The labels of a file: those of its entry, and what its name tells; StudyError if not."""
    labels: Labels = {str(name): value for name, value in entry.labels.items()}
    if entry.load is not None:
        labels["load_kind"] = entry.load.kind
        labels["load"] = _load(study, entry.load, path)
    if entry.repeat is not None:
        labels["repeat"] = int(_from_name(study, entry.repeat, path))
    return labels


def _load(study: Path, load: LoadFrom, path: Path) -> float:
    if load.name is not None:
        return float(_from_name(study, load.name, path))
    table = load.table or {}
    if path.name not in table:
        raise StudyError(study, f"evidence: the table of loads has no {path.name!r}")
    return float(table[path.name])


def _from_name(study: Path, pattern: str, path: Path) -> str:
    name = name_for(pattern, path)
    match = re.search(pattern, name)
    if match is None:
        raise StudyError(study, f"evidence: {pattern!r} does not match {name!r}")
    text = match.group(1)
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise StudyError(study, f"evidence: {pattern!r} finds {text!r} in {name!r}: no number")
    return text


def name_for(pattern: str, path: PurePath) -> str:
    """What a pattern looks at: the file's name, and of a pattern with a slash its folder's too."""
    return f"{path.parent.name}/{path.name}" if "/" in pattern else path.name
