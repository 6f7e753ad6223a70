"""What the names of a result's file and folders say of its load: how tools and people call them.

bench-fio writes ``randread-iodepth-8-numjobs-4``, fio-plot ``randread-8-4.json``, CBT folders
``iodepth-032``, perfkit's own runner folders ``iodepth-8-1`` (the last number is the repeat).
What a file itself says counts: a name that says otherwise is a caution, and a name alone gives a
load only in these words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfkit.core.cautions import Caution, caution

if TYPE_CHECKING:
    from perfkit.sources.fio.load import Load

WORDS = {
    "iodepth": re.compile(r"(?:^|(?<!total)[^a-z])(?:iodepth|qd)[-_=]?0*(\d+)(?!\d)", re.I),
    "numjobs": re.compile(r"(?:^|[^a-z])(?:numjobs|nj)[-_=]?0*(\d+)(?!\d)", re.I),
}
_MODE = r"(?:rand)?(?:read|write|rw|trim)|readwrite|randtrimwrite"
_FIO_PLOT = re.compile(rf"^(?:{_MODE})(?:\d+)?-(\d+)-(\d+)$")
"""Mode, iodepth and jobs, in this order; some tools write them the other way round."""


def told_by(label: str) -> dict[str, float]:
    """Option -> value, as the file's name or else the nearest folder has it."""
    parts = [part.partition(".")[0] for part in reversed(PurePosixPath(label).parts)]
    found = {}
    for option, pattern in WORDS.items():
        matches = (pattern.search(part) for part in parts)
        first = next((match for match in matches if match), None)
        if first:
            found[option] = float(first[1])
    return found


_NUMBER = {
    "iodepth": r"(?:iodepth|qd|(?:queue[-_ ]?)?depth)",
    "numjobs": r"(?:numjobs|nj|jobs)",
}


def without_load(name: str, load: Load) -> str:
    """A job's name without the numbers of its own load: ``randread-qd4-nj2`` is ``randread``."""
    own = {load.kind: load.value, load.held_kind: load.held}
    rest = name
    for option, words in _NUMBER.items():
        value = own.get(option) or 1.0
        number = rf"(?:^|[-_ ])(?:{words}[-_=]?0*{value:g}|0*{value:g}{words})(?![a-z0-9])"
        rest = re.sub(number, "", rest, count=1, flags=re.I)
    # a name without them stays as it is: "-a" and "a" are two jobs
    return name if rest == name else rest.strip("-_ ")


def with_name(load: Load, label: str) -> tuple[Load, list[Caution]]:
    """The load of a file's only load point, with what its name adds or says against it."""
    told = told_by(label)
    own = {load.kind: load.value, load.held_kind: load.held}
    if load.kind is None:
        return _from_name(load, told, label)
    if load.kind not in WORDS:
        return load, []
    # of a load of one number the other is 1
    known = {option: own.get(option) or 1.0 for option in WORDS}
    differ = any(value != known[option] for option, value in told.items())
    plain = _FIO_PLOT.match(PurePosixPath(label).name.partition(".")[0])
    if plain and not told:
        differ = sorted(map(float, plain.groups())) != sorted(known.values())
    if not differ:
        return load, []
    said = ", ".join(f"{option} {value:g}" for option, value in known.items())
    return load, [caution("name_disagrees", of=label, own=said)]


def _from_name(load: Load, told: dict[str, float], label: str) -> tuple[Load, list[Caution]]:
    if load.target_iops is not None or not told:
        return load, []
    depth, jobs = told.get("iodepth", 1.0), told.get("numjobs", 1.0)
    said = ", ".join(f"{option} {value:g}" for option, value in told.items())
    beside = [caution("load_from_name", of=label, load=said)]
    if "iodepth" not in told or (depth == 1 and jobs > 1):
        return replace(load, kind="numjobs", value=jobs), beside
    found = replace(load, kind="iodepth", value=depth)
    return found if jobs == 1 else replace(found, held_kind="numjobs", held=jobs), beside
