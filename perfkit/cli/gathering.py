"""Many evidence files to one set of tables: each row with its file, each mistake said once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ParseError, UnknownKindError, UsageError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from perfkit.core.lineage import Reading
    from perfkit.core.schema import Schema

SOURCE = "source"
"""The column that names the file of a row, in tables of several files."""


@dataclass(frozen=True)
class Part:
    """One table over all files that have it.

    Attributes:
        name: The table's name; with the kind where two kinds have different tables of this name.
        kind: The kind of the files.
        table: Its name in the source.
        frame: The rows, with the file of each in ``source`` where several files were named.
        schema: Its columns as the source declares them; empty where it does not.
    """

    name: str
    kind: str
    table: str
    frame: pl.DataFrame
    schema: Schema

    @property
    def units(self) -> dict[str, str | None]:
        """The unit of each column; "ratio" where it is a share."""
        return {
            name: "ratio" if name.endswith("_ratio") else self._unit(name)
            for name in self.frame.columns
        }

    def _unit(self, name: str) -> str | None:
        return self.schema[name].unit if name in self.schema else None


@dataclass
class Gathered:
    """The readings of all files that could be read, in the order in which they were named.

    ``left_out``: the files of folders that are not read, by the reason; None: no evidence.
    """

    several: bool
    readings: list[tuple[str, Reading]] = field(default_factory=list)
    problems: list[ParseError] = field(default_factory=list)
    left_out: dict[str | None, list[str]] = field(default_factory=dict)

    def parts(self, table: str | None = None) -> list[Part]:
        """The tables over all files, or the one that is named.

        Raises UsageError where no file has a table of that name.
        """
        grouped: dict[tuple[str, str], list[tuple[str, pl.DataFrame]]] = {}
        for path, reading in self.readings:
            for name, item in reading.tables.items():
                grouped.setdefault((name, reading.evidence.kind), []).append((path, item.frame))
        if table is not None:
            known = sorted({name for name, _ in grouped})
            grouped = {key: value for key, value in grouped.items() if key[0] == table}
            if not grouped:
                raise UsageError(f"no table {table!r}; {did_you_mean(table, known)}")
        return list(self._joined(grouped))

    def _joined(
        self, grouped: dict[tuple[str, str], list[tuple[str, pl.DataFrame]]]
    ) -> Iterator[Part]:
        """Tables of one name are one where their columns are the same, whatever the kind."""
        import polars as pl

        alike: dict[tuple[str, tuple[str, ...]], tuple[str, list[pl.DataFrame]]] = {}
        for (name, kind), items in grouped.items():
            columns = tuple(sorted({column for _, frame in items for column in frame.columns}))
            _, frames = alike.setdefault((name, columns), (kind, []))
            frames += [self._named(path, frame) for path, frame in items]
        names = [name for name, _ in alike]
        for (name, _), (kind, frames) in alike.items():
            called = name if names.count(name) == 1 else f"{kind}_{name}"
            frame = pl.concat(frames, how="diagonal_relaxed")
            yield Part(called, kind, name, frame, schema_of(kind, name))

    def _named(self, path: str, frame: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        if not self.several:
            return frame
        label = pl.lit(path, pl.String).alias(SOURCE)
        return frame.select(label, pl.all().exclude(SOURCE))

    def warnings(self) -> list[str]:
        """The warnings of all files, each once, with its file or the number of files."""
        files: dict[str, list[str]] = {}
        for path, reading in self.readings:
            for warning in dict.fromkeys(reading.evidence.warnings):
                files.setdefault(warning, []).append(path)
        return [self._with_files(text, paths) for text, paths in files.items()]

    def _with_files(self, text: str, paths: Sequence[str]) -> str:
        if not self.several:
            return text
        if len(paths) == 1:
            return f"{paths[0]}: {text}"
        return f"{text} ({len(paths)} of {len(self.readings)} files)"


def schema_of(kind: str, table: str) -> Schema:
    """The columns of a table as its kind declares them, or a kind whose files lie in it."""
    from perfkit.sources import SOURCES

    own = SOURCES[kind].tables if kind in SOURCES else {}
    if table in own or "*" in own:
        return own.get(table) or own["*"]
    return next((s.tables[table] for s in SOURCES.values() if table in s.tables), {})


def gather(places: Sequence[Path], kind: str | None, options: Mapping[str, Any]) -> Gathered:
    """Read each file once; one that cannot be read is a problem beside the others.

    A folder that is not evidence as a whole stands for the evidence in it: what else lies there is
    left out, and named.
    """
    from perfkit.core.archives import opened
    from perfkit.sources import is_folder_of_evidence, read

    made = Gathered(several=False)
    paths: list[Path] = []
    for place in dict.fromkeys(places):
        try:
            inside = opened(place)
        except ParseError as problem:
            made.problems.append(problem)
            continue
        if kind is not None or not inside.is_dir() or is_folder_of_evidence(inside):
            paths.append(place)
            continue
        evidence = [path for path in _files(place, inside) if _is_evidence(path, made.left_out)]
        if not evidence:
            made.problems.append(ParseError(place, "no file in it is evidence that perfkit reads"))
        paths += evidence
    made.several = len(paths) > 1
    for path in paths:
        try:
            made.readings.append((str(path), read(path, kind=kind, **options)))
        except ParseError as problem:
            made.problems.append(problem)
    return made


def _is_evidence(path: Path, left_out: dict[str | None, list[str]]) -> bool:
    """Whether a file is to be read; one that is not is noted with its reason."""
    from perfkit.sources import kind_of

    try:
        kind_of(path)
    except ParseError as problem:
        why = None if isinstance(problem, UnknownKindError) else problem.problem
        left_out.setdefault(why, []).append(str(path))
        return False
    return True


def _files(place: Path, inside: Path) -> Iterator[Path]:
    """The files below a folder, and folders of one run as one, by the names the user gave."""
    from perfkit.sources import is_folder_of_evidence

    for found in sorted(inside.iterdir()):
        if found.name.startswith("."):
            continue
        if found.is_dir() and not is_folder_of_evidence(found):
            yield from _files(place / found.name, found)
        else:
            yield place / found.name
