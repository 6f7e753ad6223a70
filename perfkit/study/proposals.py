"""A study file proposed from what lies in folders, files and archives."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from perfkit.core.errors import StudyError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.keys import rows_by
from perfkit.core.typeface import spelled
from perfkit.core.values import escape_markdown
from perfkit.study.groups import GENERAL, PAIR, Found, groups, pair
from perfkit.study.survey import COUNTED, SAME_PERIOD, LeftOut, Survey, survey

_NOT_COMPARED = (
    "there is nothing to compare: no load point says its load; perfkit report of the same places "
    "shows them side by side"
)

_BEFORE_AND_AFTER = (
    "two reports of one database: the earlier is before, the later after, by no other names"
)

_NOT_SHOWN = "it has neither load points nor a series, so no report shows it (perfkit read does)"

_NAMED, _NAMES_LENGTH = 3, 120
"""Files, or systems, that a line names, and in how many letters; of more it gives the number."""

_REASONS = 8
"""Reasons of unreadable files that are told line by line; the study file has them all, with the
numbers and names of each."""

_STAMP = "# Proposed by perfkit from the evidence, "
"""Begins the first line of a proposal; the hash of the lines below it follows."""


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
    found, given_names = list(groups(seen, systems)), bool(systems)
    if systems and not any(item.on_curves for item in found):
        # two reports of one database are before and after by their times, whatever they are called
        found, systems = pair(seen), ()
        if not found:
            raise StudyError(given[0], _NOT_COMPARED)
    unnamed = [_BEFORE_AND_AFTER] if given_names and not systems else []
    folder = os.path.relpath(seen.base, home.resolve()) if home else "."
    about = f"Comparison: {', '.join(systems)}" if systems else f"Storage performance: {seen.name}"
    lines = [
        "# Look at the labels, the title and the criteria.",
        "format: 1",
        "report:",
        f"  title: {quoted(' '.join(about.split()))}",
        "  authors: []",
        f"  subtitle: {quoted(_origin(seen))}",
        f"  not_shown: {quoted(_not_shown(seen.left_out, counted=_counted(found)))}",
        *([f"folder: {quoted(folder)}"] if folder != "." else []),
        *(f"# {line}" for line in _left_out(seen.left_out, whole=True)),
        *body_lines(_parts(found, compare=bool(systems))),
    ]
    told = (_taken(found), *unnamed, *_left_out(seen.left_out))
    return Proposal(seen.base, stamped(lines), told)


def _reportable(seen: Survey) -> Survey:
    """What a notebook has something to show of; the rest is left out with the reason."""
    own = {piece.source.reported.notebook for piece in seen.pieces}
    kept, left = [], list(seen.left_out)
    for piece in seen.pieces:
        source = piece.source
        told = source.reported.notebook or source.is_copied or piece.load or piece.over_time
        if told or own.intersection(source.reported.joins):
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


def _parts(found: Sequence[Found], *, compare: bool) -> dict[str, list[Found]]:
    """The notebooks, each with what it reports on, in order of what was found, recordings last.

    What has no notebook of its own goes to one that shows it beside its own evidence, else to the
    general one. Where several sets of files are each over load points, they are compared.
    """
    found = _with_series(found)
    own = [item.notebook for item in found if item.notebook]
    parts: dict[str, list[Found]] = {}
    for item in found:
        joined = [name for name in item.source.reported.joins if name in own]
        parts.setdefault(item.notebook or (joined or [GENERAL])[0], []).append(item)
    if compare:
        loaded = [item for item in found if item.on_curves]
        beside = [item for item in found if COMPARE in item.source.reported.joins]
        rest = [item for item in found if item not in loaded and item not in beside]
        return {COMPARE: [*loaded, *beside], **_parts(rest, compare=False)}
    compared = {}
    for notebook, items in parts.items():
        of_loads = [item.source.reported.of_loads for item in items if item.load]
        named = [name for name in of_loads if name]
        compared[named[0] if len(named) > 1 else notebook] = items
    return dict(sorted(compared.items(), key=lambda item: _are_recordings(item[1])))


def _are_recordings(found: Sequence[Found]) -> bool:
    """Whether none of it has a report of its own: it is read after the results beside it."""
    return not any(item.source.reported.notebook for item in found)


def _with_series(found: Sequence[Found]) -> list[Found]:
    """A series or a pair goes to its notebook, with what lies beside it in its folder."""

    def key(item: Found) -> tuple[object, ...]:
        return item.source.reported.of_series, *item.labels.values()

    notebooks: dict[tuple[object, ...], str] = {}
    for together, items in rows_by([item for item in found if item.load is None], key).items():
        source, alike = items[0].source, max(item.alike for item in items)
        if alike > PAIR:
            notebooks[together] = source.reported.of_series
        elif alike == PAIR == sum(item.count for item in items):
            notebooks[together] = source.reported.of_pair
    return [
        replace(item, notebook=notebooks.get(key(item)) or item.notebook)
        if item.load is None
        else item
        for item in found
    ]


def _taken(found: Sequence[Found]) -> str:
    """What was taken for what, in one line."""
    kinds = rows_by(found, lambda item: item.source.description)
    counted = [f"{sum(item.count for item in items):,} x {kind}" for kind, items in kinds.items()]
    systems = list(dict.fromkeys(item.labels["system"] for item in found))
    told = f"taken: {'; '.join(counted)}; system{'s' * (len(systems) > 1)} {_listed(systems)}"
    return f"{told}; the numbers in their names are taken as repeats" if _counted(found) else told


def _counted(found: Sequence[Found]) -> bool:
    """Whether files are taken as repeats by a number in their names that is not called so."""
    return any(item.repeat == COUNTED for item in found)


def _left_out(files: Sequence[LeftOut], *, whole: bool = False, brief: bool = False) -> list[str]:
    """A line for what is not evidence, and one for each reason why others cannot be read.

    ``whole``: with every name and reason. ``brief``: with one name, and without what to do, which
    the terminal and the study file say: the first page is for findings.
    """
    lines = []
    alike = rows_by(files, lambda item: item.reason if whole else _kind(item.reason))
    for items in alike.values():
        names = [" ".join(str(item.name).split()) for item in items]
        count = "" if len(names) == 1 else f"{len(names):,} files: "
        most = 1 if brief and len(names) > _NAMED else _NAMED
        listed = ", ".join(names) if whole and items[0].reason else _listed(names, most)
        reason = " ".join(_of_all([item.reason or "" for item in items]).split())
        reason = _CURE.sub("", reason) if brief else reason
        why = f": {reason}" if reason else " (no evidence)"
        lines.append(f"left out: {count}{listed}{why}")
    lines.sort(key=lambda line: not line.endswith("(no evidence)"))
    if whole or len(lines) <= _REASONS:
        return lines
    return [*lines[:_REASONS], f"left out: {len(lines) - _REASONS:,} more, for other reasons"]


_SAME_PERIOD = SAME_PERIOD.format(other="")


def _kind(reason: str | None) -> str | None:
    """A reason without what differs between files that are left out for it: numbers, and names."""
    if reason is None:
        return None
    return _SAME_PERIOD if reason.endswith(_SAME_PERIOD) else re.sub(r"[\d.,]*\d", "#", reason)


def _of_all(reasons: Sequence[str]) -> str:
    """One reason for files of a kind: each has its own numbers, and the first has these."""
    if len(set(reasons)) == 1:
        return reasons[0]
    if _kind(reasons[0]) == _SAME_PERIOD:
        return "others report on the same periods, and are used"
    return f"{reasons[0]} (for the first; likewise for the others)"


_CURE = re.compile(r"[:;] (?:run|read|repeat|put|use|write) .*$")
"""What a reason ends with that says what to do."""


def _listed(names: Sequence[str], most: int = _NAMED) -> str:
    """The first names, of long ones fewer: the page that shows them is for findings."""
    lengths = accumulate(len(name) for name in names[:most])
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


_REPEATS = (
    "Whether files whose names differ in a number alone are repeats: they state the same job and "
    "ran one after another."
)

_QUOTE = re.compile(r"'[^']*'")


def _not_shown(files: Sequence[LeftOut], *, counted: bool) -> str:
    """What the first page says of labels, of repeats, of files not read, and of copies.

    What a reason quotes of a file that is left out need not be in letters that the report can show.
    """
    told = _left_out([item for item in files if item.reason], brief=True)
    text = "; ".join(line.removeprefix("left out: ") for line in told)
    text = _QUOTE.sub(lambda quote: spelled(quote[0]), text)
    items = [
        _LABELS,
        *([_REPEATS] if counted else []),
        *([f"Files that were left out: {text}."] if told else []),
    ]
    return "\n".join(f"- {escape_markdown(item)}" for item in items)


# --- the lines of a proposed study file that say what its evidence is and how it is shown ------

COMPARE = "compare"


def body_lines(parts: dict[str, list[Found]]) -> list[str]:
    """What a study says of its evidence: at its top, or in the parts where there are several."""
    if len(parts) == 1:
        return _part(*next(iter(parts.items())))
    lines = ["parts:"]
    for (notebook, found), title in zip(parts.items(), _titles(parts), strict=True):
        lines += [f"  - name: {notebook.replace('_', '-')}", f"    title: {quoted(title)}"]
        lines += [f"    {line}" for line in _part(notebook, found)]
    return lines


def _titles(parts: dict[str, list[Found]]) -> list[str]:
    """The kinds of evidence of each part; of parts of the same kinds also what each shows of it.

    Of parts that are of one system each, and not all of the same one, also whose they are.
    """
    systems = [{item.labels["system"] for item in found} for found in parts.values()]
    apart = all(len(own) == 1 for own in systems) and len(set.union(*systems)) > 1
    names = [f" of {spelled(next(iter(own)))}" if apart else "" for own in systems]
    kinds = [
        ", ".join(dict.fromkeys(item.source.description.split(" (")[0] for item in found))
        for found in parts.values()
    ]
    return [
        f"{title}{name}"
        if kinds.count(title) == 1
        else f"{title}{name}: {_SHOWN.get(notebook, _plain(notebook))}"
        for notebook, title, name in zip(parts, kinds, names, strict=True)
    ]


def _plain(notebook: str) -> str:
    return notebook.replace("_", " ")


_SHOWN = {
    COMPARE: "systems compared",
    GENERAL: "loads not known",
    "fio_results": "results by load",
    "oracle": "single reports",
    "oracle_pair": "before and after",
    "oracle_series": "over time",
}
"""What a notebook shows of evidence that another part of the report shows otherwise."""


def _part(notebook: str, found: Sequence[Found]) -> list[str]:
    more = dict.fromkeys(
        line for item in found for line in item.source.reported.study_lines.splitlines() if line
    )
    return [
        "evidence:",
        *(line for item in found for line in _entry(item)),
        *_criteria(found),
        f"notebook: {notebook}",
        *(_baseline(found) if notebook == COMPARE else ()),
        *(more if notebook != GENERAL else ()),
    ]


def _entry(item: Found) -> list[str]:
    count = f"{item.count} file{'' if item.count == 1 else 's'}"
    if len(item.files) == 1:
        lines = [f"  - files: {quoted(item.files[0])}  # {count}"]
    else:
        lines = [f"  - files:  # {count}", *(f"      - {quoted(name)}" for name in item.files)]
    labels = ", ".join(f"{name}: {quoted(value)}" for name, value in item.labels.items())
    lines += [f"    kind: {item.source.name}", f"    labels: {{{labels}}}"]
    if item.load is not None:
        lines.append(f"    load: {{kind: {item.load[0]}, name: {quoted(item.load[1])}}}")
    if item.repeat is not None:
        lines.append(f"    repeat: {quoted(item.repeat)}")
    return lines


def _baseline(found: Sequence[Found]) -> list[str]:
    """Of several systems the first is the baseline."""
    systems = list(dict.fromkeys(item.labels["system"] for item in found))
    return [f"parameters: {{baseline: {quoted(systems[0])}}}"] if len(systems) > 1 else []


def _criteria(found: Sequence[Found]) -> list[str]:
    names = dict.fromkeys(
        item.source.reported.criteria for item in found if item.source.reported.criteria
    )
    if names:
        return ["criteria:", *(f"  - set: {name}" for name in names)]
    return [
        "criteria: []",
        "# - {name: Mean latency, metric: lat_mean_s, comparison: '<=', limit: 2 ms}",
    ]


def quoted(text: str) -> str:
    """YAML's single-quoted form, in which only the quote itself is special; else as JSON has it."""
    if not text.isprintable():
        return json.dumps(text)
    return "'" + text.replace("'", "''") + "'"
