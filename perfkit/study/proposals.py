"""A study file proposed from what lies in folders, files and archives."""

from __future__ import annotations

import glob
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from perfkit.core.archives import plain_name
from perfkit.core.errors import StudyError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.keys import rows_by
from perfkit.core.values import escape_markdown
from perfkit.study.evidence import name_for
from perfkit.study.survey import LeftOut, Piece, Survey, stem, survey

if TYPE_CHECKING:
    from perfkit.sources.source import Source

_LOAD_IN_NAME = {
    "iodepth": r"(?:qd|iodepth|depth)[-_]?(\d+)",
    "numjobs": r"(?:nj|numjobs|jobs)[-_]?(\d+)",
    "threads": r"(?:threads|thr|(?<![a-z0-9])t)[-_]?(\d+)",
}
"""How people write a load point into a file's name."""

_REPEAT_IN_NAME = r"[-_](?:r|rep|run|repeat)[-_]?(\d+)"
_REPEAT_IN_FOLDER = r"(?:rep|run|repeat|iter|iteration|trial)[-_]?(\d+)/"
"""How people call the folders of repeats; ``r5`` is a RAID level as often."""

_NOT_COMPARED = (
    "there is nothing to compare: no load point says its load; perfkit report of the same places "
    "shows them side by side"
)

_NOT_SHOWN = "it has neither load points nor a series, so no report shows it (perfkit read does)"

_NAMED, _NAMES_LENGTH = 3, 120
"""Files, or systems, that a line names, and in how many letters; of more it gives the number."""

_REASONS = 8
"""Reasons of unreadable files that are told line by line; the study file has them all."""

COMPARE = "compare"

GENERAL = "general"
"""The notebook of what no other reports on."""

_STAMP = "# Proposed by perfkit from the evidence, "
"""Begins the first line of a proposal; the hash of the lines below it follows."""


@dataclass(frozen=True)
class Found:
    """Files of one kind in one folder, what their names tell, and the notebook they go to.

    ``alike``: so many of them are of one thing (a database) at different times.
    """

    source: Source
    files: tuple[str, ...]
    count: int
    labels: dict[str, str]
    load: tuple[str, str] | None
    repeat: str | None
    notebook: str
    on_curves: bool
    alike: int = 0


@dataclass(frozen=True)
class Proposal:
    """A study file for evidence, and what is to be said of it.

    Attributes:
        base: The folder that all of the evidence lies in.
        text: Of the file.
        told: What was taken for what, and what was left out, a line each.
    """

    base: Path
    text: str
    told: tuple[str, ...]


def propose(
    places: Path | Sequence[Path],
    home: Path | None = None,
    systems: Sequence[str] = (),
    say: Callable[[str], object] = lambda _: None,
) -> Proposal:
    """Look at evidence and propose a study file for it, whose folder is ``home``.

    Labels come from the names of folders: the first below what was given is the system's, the
    others are its configuration's; what lies in none has the name of what was given. Loads and
    repeats are taken from file names where all of a folder carry one and the files do not say it
    themselves. Two files of a folder that state the same load point are told apart by their names.
    What is not evidence, or cannot be read, is left out and told.

    Args:
        places: Folders, files and archives.
        home: The folder of the study file; default: the one that all of the evidence lies in.
        systems: A name for each place: they are compared with each other over their loads.
        say: Told how far it is where looking takes long.

    Raises:
        StudyError: Nothing is evidence that perfkit can read (with the reasons), or nothing that is
            to be compared has a load.
    """
    given = [places] if isinstance(places, Path) else list(places)
    seen = _reportable(survey(given, say))
    if not seen.pieces:
        raise _nothing(given, seen)
    found = list(_groups(seen, systems))
    if systems and not any(item.on_curves for item in found):
        raise StudyError(given[0], _NOT_COMPARED)
    folder = os.path.relpath(seen.base, home.resolve()) if home else "."
    about = f"Comparison: {', '.join(systems)}" if systems else f"Storage performance: {seen.name}"
    lines = [
        "# Look at the labels, the title and the criteria.",
        "format: 1",
        "report:",
        f"  title: {_quoted(' '.join(about.split()))}",
        "  authors: []",
        f"  subtitle: {_quoted(_origin(seen))}",
        f"  not_shown: {_quoted(_not_shown(seen.left_out))}",
        *([f"folder: {_quoted(folder)}"] if folder != "." else []),
        *(f"# {line}" for line in _left_out(seen.left_out, whole=True)),
        *_body(_parts(found, compare=bool(systems))),
    ]
    return Proposal(seen.base, stamped(lines), (_taken(found), *_left_out(seen.left_out)))


def _reportable(seen: Survey) -> Survey:
    """What a notebook has something to show of; the rest is left out with the reason."""
    own = {piece.source.notebook for piece in seen.pieces}
    kept, left = [], list(seen.left_out)
    for piece in seen.pieces:
        source = piece.source
        told = source.notebook or source.is_copied or piece.load or piece.over_time
        if told or own.intersection(source.joins):
            kept.append(piece)
        else:
            left.append(LeftOut(piece.name, f"{source.description}: {_NOT_SHOWN}"))
    return replace(seen, pieces=tuple(kept), left_out=tuple(left))


def _nothing(places: Sequence[Path], seen: Survey) -> StudyError:
    """Why there is nothing to report on: of one file its own reason, else that of each."""
    if len(seen.left_out) == 1 and seen.left_out[0].reason and not seen.whole:
        return StudyError(places[0], seen.left_out[0].reason)
    told = [line.removeprefix("left out: ") for line in _left_out(seen.left_out)]
    words = "; ".join(told) or "it is empty"
    return StudyError(places[0], f"nothing that perfkit can read as evidence: {words}")


def stamped(lines: Sequence[str]) -> str:
    """The lines as a file whose first line has the hash of the others."""
    text = "\n".join(lines) + "\n"
    return f"{_STAMP}{sha256_bytes(text.encode())[:16]}\n{text}"


def is_untouched(text: str) -> bool:
    """Whether a study file is a proposal as perfkit wrote it: nobody's work is in it."""
    first, _, rest = text.partition("\n")
    return first == f"{_STAMP}{sha256_bytes(rest.encode())[:16]}"


def _groups(seen: Survey, systems: Sequence[str]) -> Iterator[Found]:
    """The files of one kind in one folder; several runs in one folder each by itself.

    Folders that repeat one another are one folder, of which each file bears its repeat.
    """
    repeats = _repeated(seen.pieces)

    def folder_of(piece: Piece) -> PurePosixPath:
        folder = piece.name.parent
        return folder.parent if folder in repeats else folder

    def key(piece: Piece) -> tuple[object, ...]:
        place = _place(seen, piece.name) if systems else None
        known = piece.source.needs_load and piece.load
        return piece.source.name, folder_of(piece), piece.name.parent in repeats, known, place

    of_kind = rows_by(seen.pieces, key)
    for pieces in of_kind.values():
        runs = len(pieces) > 1 and pieces[0].is_folder
        for group in [[piece] for piece in pieces] if runs else [pieces]:
            folder = group[0].name if runs else folder_of(group[0])
            own = group[0].name if systems and group[0].name in seen.places else folder
            in_folders = group[0].name.parent in repeats
            yield from _told_apart(seen, group, _labels(seen, systems, own), in_folders)


def _repeated(pieces: Sequence[Piece]) -> set[PurePosixPath]:
    """The folders ``run_1``, ``run_2`` ... of one folder whose files measured the same points."""
    measured: dict[PurePosixPath, list[tuple[str, frozenset[tuple[object, ...]]]]] = {}
    for piece in pieces:
        folder = piece.name.parent
        if re.fullmatch(_REPEAT_IN_FOLDER, f"{folder.name}/") and piece.points:
            measured.setdefault(folder, []).append((piece.source.name, piece.points))
    return {
        folder
        for folders in rows_by(measured, lambda folder: folder.parent).values()
        if len(folders) > 1
        and all(
            Counter(measured[folder]) == Counter(measured[folders[0]]) for folder in folders[1:]
        )
        for folder in folders
    }


def _told_apart(
    seen: Survey, group: Sequence[Piece], labels: dict[str, str], in_folders: bool
) -> Iterator[Found]:
    """The files of a folder; where two state the same load point, their names tell them apart."""
    source = group[0].source
    load, repeat = _from_names(group, in_folders)
    patterns = [pattern for pattern in (load and load[1], repeat) if pattern]
    same = any(_collide(pieces, patterns) for pieces in _alike(group).values())
    # a number that all reports of a database have in their names is not a load of theirs
    load = None if same and source.notebook_of_series else load
    on_curves = load is not None or all(piece.load == "all" for piece in group)
    alike = 0 if load else max(Counter(piece.facts for piece in group).values())
    for files, name in _by_name(group, patterns) if on_curves else [(group, None)]:
        config = "/".join(filter(None, (labels.get("config"), name)))
        yield Found(
            source,
            tuple(_patterns(seen, files)),
            len(files),
            {**labels, "config": config} if config else labels,
            load,
            repeat,
            GENERAL if source.needs_load and not on_curves else source.notebook,
            on_curves and any(piece.points for piece in files),
            alike,
        )


_PAIR = 2
"""Two reports are set side by side; more are a series."""


def _by_name(
    group: Sequence[Piece], patterns: Sequence[str]
) -> Iterator[tuple[Sequence[Piece], str | None]]:
    """The files whose names are alike but for numbers; each by itself where that does not do."""
    if not _collide(group, patterns):
        yield group, None
        return
    stems, alike = [stem(piece.name.name) for piece in group], _alike(group)
    for name, pieces in alike.items():
        if len(alike) > 1 and name and not _collide(pieces, patterns):
            yield pieces, name
        else:
            for piece in pieces:
                own = stem(piece.name.name)
                yield [piece], own if stems.count(own) == 1 else piece.name.name


def _collide(pieces: Sequence[Piece], patterns: Sequence[str]) -> bool:
    """Whether two files are of one load point, with what their names say of load and repeat."""
    found: list[tuple[object, ...]] = []
    for piece in pieces:
        told = [re.search(pattern, name_for(pattern, piece.name)) for pattern in patterns]
        found += {(*point, *(match and match[1] for match in told)) for point in piece.points}
    return len(set(found)) < len(found)


def _alike(group: Sequence[Piece]) -> dict[str, list[Piece]]:
    """The files by their names without the numbers."""
    return rows_by(group, lambda piece: re.sub(r"[-_.]?\d+", "", stem(piece.name.name)))


def _patterns(seen: Survey, group: Sequence[Piece]) -> Iterator[str]:
    """A pattern for each ending, or the names where it would take other files too."""
    own = {piece.name for piece in group}
    alike = rows_by(group, lambda piece: (piece.name.parent, piece.name.suffix))
    for (folder, ending), pieces in alike.items():
        pattern = f"*{glob.escape(ending)}"
        taken = {folder / name for name in seen.names[folder] if fnmatchcase(name, pattern)}
        names = [glob.escape(piece.name.name) for piece in pieces]
        # what lies beside a folder that was given was not looked at
        short = seen.whole and taken <= own and not group[0].is_folder
        place = glob.escape(folder.as_posix())
        for name in [pattern] if short else names:
            yield name if place == "." else f"{place}/{name}"


def _labels(seen: Survey, systems: Sequence[str], folder: PurePosixPath) -> dict[str, str]:
    """The labels that a folder's name gives, or the system that it belongs to."""
    # folders of one name below two systems hold two systems' files: no part of the path is lost
    place = _place(seen, folder) if len(seen.places) == 1 or systems else None
    parts = folder.parts if place is None else folder.parts[len(seen.places[place].parts) :]
    if systems and place is not None:
        system, rest = systems[place], parts
    else:
        system, rest = plain_name((parts or (seen.name,))[0]), parts[1:]
    return {"system": system, **({"config": "/".join(rest)} if rest else {})}


def _place(seen: Survey, name: PurePosixPath) -> int | None:
    """The number of the place that a name lies in, the innermost; None for none."""
    inside = [n for n, place in enumerate(seen.places) if name.is_relative_to(place)]
    return max(inside, key=lambda n: len(seen.places[n].parts), default=None)


def _from_names(
    group: Sequence[Piece], in_folders: bool
) -> tuple[tuple[str, str] | None, str | None]:
    """Where the load and the repeat stand in all names of a group; None: in none, or not clearly.

    ``in_folders``: the repeat stands in the names of their folders.

    Files that state a load themselves are believed, and a name with two numbers has no one load.
    """
    names = [piece.name.name for piece in group]
    loads = [
        (kind, pattern)
        for kind, pattern in _LOAD_IN_NAME.items()
        if all(re.search(pattern, name) for name in names)
    ]
    clear = len(loads) == 1 and all(piece.load == "none" for piece in group)
    pattern = _REPEAT_IN_FOLDER if in_folders else _REPEAT_IN_NAME
    repeat = pattern if in_folders or all(re.search(pattern, name) for name in names) else None
    return loads[0] if clear else None, repeat


def _entry(item: Found) -> list[str]:
    count = f"{item.count} file{'' if item.count == 1 else 's'}"
    if len(item.files) == 1:
        lines = [f"  - files: {_quoted(item.files[0])}  # {count}"]
    else:
        lines = [f"  - files:  # {count}", *(f"      - {_quoted(name)}" for name in item.files)]
    labels = ", ".join(f"{name}: {_quoted(value)}" for name, value in item.labels.items())
    lines += [f"    kind: {item.source.name}", f"    labels: {{{labels}}}"]
    if item.load is not None:
        lines.append(f"    load: {{kind: {item.load[0]}, name: {_quoted(item.load[1])}}}")
    if item.repeat is not None:
        lines.append(f"    repeat: {_quoted(item.repeat)}")
    return lines


def _parts(found: Sequence[Found], *, compare: bool) -> dict[str, list[Found]]:
    """The notebooks, each with what it reports on, in order of what was found.

    What has no notebook of its own goes to one that shows it beside its own evidence, else to the
    general one. Where several sets of files are each over load points, they are compared.
    """
    found = _with_series(found)
    own = [item.notebook for item in found if item.notebook]
    parts: dict[str, list[Found]] = {}
    for item in found:
        joined = [name for name in item.source.joins if name in own]
        parts.setdefault(item.notebook or (joined or [GENERAL])[0], []).append(item)
    if compare:
        loaded = [item for item in found if item.on_curves]
        rest = [item for item in found if not item.on_curves]
        return {COMPARE: loaded, **_parts(rest, compare=False)}
    compared = {}
    for notebook, items in parts.items():
        of_loads = [item.source.notebook_of_loads for item in items if item.load]
        named = [name for name in of_loads if name]
        compared[named[0] if len(named) > 1 else notebook] = items
    return compared


def _with_series(found: Sequence[Found]) -> list[Found]:
    """A series or a pair goes to its notebook, with what lies beside it in its folder."""

    def key(item: Found) -> tuple[object, ...]:
        return item.source.notebook_of_series, *item.labels.values()

    notebooks: dict[tuple[object, ...], str] = {}
    for together, items in rows_by([item for item in found if item.load is None], key).items():
        source, alike = items[0].source, max(item.alike for item in items)
        if alike > _PAIR:
            notebooks[together] = source.notebook_of_series
        elif alike == _PAIR == sum(item.count for item in items):
            notebooks[together] = source.notebook_of_pair
    return [
        replace(item, notebook=notebooks.get(key(item)) or item.notebook)
        if item.load is None
        else item
        for item in found
    ]


def _body(parts: dict[str, list[Found]]) -> list[str]:
    """What a study says of its evidence: at its top, or in the parts where there are several."""
    if len(parts) == 1:
        return _part(*next(iter(parts.items())))
    lines = ["parts:"]
    for notebook, found in parts.items():
        name = notebook.replace("_", "-")
        kinds = dict.fromkeys(item.source.description.split(" (")[0] for item in found)
        lines += [f"  - name: {name}", f"    title: {_quoted(', '.join(kinds))}"]
        lines += [f"    {line}" for line in _part(notebook, found)]
    return lines


def _part(notebook: str, found: Sequence[Found]) -> list[str]:
    more = dict.fromkeys(
        line for item in found for line in item.source.study_lines.splitlines() if line
    )
    return [
        "evidence:",
        *(line for item in found for line in _entry(item)),
        *_criteria(found),
        f"notebook: {notebook}",
        *(_baseline(found) if notebook == COMPARE else ()),
        *(more if notebook != GENERAL else ()),
    ]


def _baseline(found: Sequence[Found]) -> list[str]:
    """Of several systems the first is the baseline, if it is one curve of each workload."""
    curves = [item.labels for item in found]
    first = [labels for labels in curves if labels["system"] == curves[0]["system"]]
    if len({labels["system"] for labels in curves}) == 1 or len(first) > 1:
        return []
    return [f"parameters: {{baseline: {_quoted(first[0]['system'])}}}"]


def _criteria(found: Sequence[Found]) -> list[str]:
    names = dict.fromkeys(item.source.criteria for item in found if item.source.criteria)
    if names:
        return ["criteria:", *(f"  - set: {name}" for name in names)]
    return [
        "criteria: []",
        "# - {name: Mean latency, metric: lat_mean_s, comparison: '<=', limit: 2 ms}",
    ]


def _taken(found: Sequence[Found]) -> str:
    """What was taken for what, in one line."""
    kinds = rows_by(found, lambda item: item.source.description)
    counted = [f"{sum(item.count for item in items):,} x {kind}" for kind, items in kinds.items()]
    systems = list(dict.fromkeys(item.labels["system"] for item in found))
    return f"taken: {'; '.join(counted)}; system{'s' * (len(systems) > 1)} {_listed(systems)}"


def _left_out(files: Sequence[LeftOut], *, whole: bool = False) -> list[str]:
    """A line for what is not evidence, and one for each reason why others cannot be read."""
    lines = []
    by_reason = rows_by(files, lambda item: item.reason)
    for reason, items in by_reason.items():
        names = [" ".join(str(item.name).split()) for item in items]
        count = "" if len(names) == 1 else f"{len(names):,} files: "
        listed = ", ".join(names) if whole and reason else _listed(names)
        why = f": {' '.join(reason.split())}" if reason else " (no evidence)"
        lines.append(f"left out: {count}{listed}{why}")
    lines.sort(key=lambda line: not line.endswith("(no evidence)"))
    if whole or len(lines) <= _REASONS:
        return lines
    return [*lines[:_REASONS], f"left out: {len(lines) - _REASONS:,} more, for other reasons"]


def _listed(names: Sequence[str]) -> str:
    """The first names, of long ones fewer: the page that shows them is for findings."""
    lengths = accumulate(len(name) for name in names[:_NAMED])
    fit = sum(length <= _NAMES_LENGTH for length in lengths) or 1
    more = len(names) - fit
    return ", ".join(names[:fit]) + (f" and {more:,} more" if more > 0 else "")


def _origin(seen: Survey) -> str:
    """What the report is made from, in place of an author's subtitle."""
    runs = sum(piece.is_folder for piece in seen.pieces)
    counts = {"file": len(seen.pieces) - runs, "run": runs}
    of = " and ".join(f"{n:,} {one}{'s' * (n > 1)}" for one, n in counts.items() if n)
    return f"From {of} in {' '.join(seen.name.split())}"


_LABELS = (
    "Whether the labels are right: they are the names of files and folders, and nobody has checked "
    "them."
)


def _not_shown(files: Sequence[LeftOut]) -> str:
    """What the first page says of labels, of files that could not be read, and of copies."""
    told = _left_out([item for item in files if item.reason])
    text = "; ".join(line.removeprefix("left out: ") for line in told)
    items = [_LABELS, *([f"Files that were left out: {text}."] if told else [])]
    return "\n".join(f"- {escape_markdown(item)}" for item in items)


def _quoted(text: str) -> str:
    """YAML's single-quoted form, in which only the quote itself is special; else as JSON has it."""
    if not text.isprintable():
        return json.dumps(text)
    return "'" + text.replace("'", "''") + "'"
