"""Whether the host's paths to the devices beside a database worked (``multipath -ll``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from perfkit.analysis.awr.recorded import recorded, tables_of, with_file
from perfkit.analysis.curves.series import require_columns
from perfkit.core.answers import (
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Reading, step

(FAILED,) = register_questions(
    ("paths_failed", "1",
     "paths to the devices that were recorded which had failed when multipath listed them",
     "count in one listing", "none", frozenset({("measured", "="), ("missing", "=")})),
)  # fmt: skip

_NEEDED = ("map", "dm_device", "device", "failed")


@dataclass(frozen=True)
class Map:
    """What several paths lead to: ``failed`` are the paths' devices, None of one that is gone."""

    name: str
    devices: frozenset[str]
    paths: int
    failed: tuple[str | None, ...]

    def caution(self) -> Caution:
        """The caution on its failed paths."""
        return caution(
            "paths_failed", of=self.name, failed=str(len(self.failed)), paths=str(self.paths)
        )


def maps_of(paths: pl.DataFrame) -> list[Map]:
    """The maps of a listing, with all names under which a host's tools record them."""
    require_columns(paths, _NEEDED, "multipath_paths")
    found = []
    for name, rows in rows_by(paths.rows(named=True), lambda row: str(row["map"])).items():
        names = {name, *(row[key] for row in rows for key in ("dm_device", "device"))}
        failed = tuple(row["device"] for row in rows if row["failed"])
        found.append(Map(name, frozenset(names - {None}), len(rows), failed))
    return found


def paths_beside(reading: Reading) -> Measured:
    """How many of the paths had failed that lead to the devices which were recorded.

    Args:
        reading: The evidence: ``multipath_paths``, and what iostat or sar recorded of devices;
            without such a recording the question is of all that is listed.

    Returns:
        ``answers.ANSWERS``: ``paths_failed`` of each listing; ``paths`` and ``maps`` are how many
        there are. A listing states no time and no host: it is taken to be of
        the reports' time and host.

    Raises:
        AbsentError: No listing of multipath.
    """
    listed = reading.get("multipath_paths")
    if listed is None:
        raise AbsentError("there is no listing of multipath -ll beside the reports")
    return _paths_beside(listed, host=tables_of(reading))


@step(version=1, name="awr.paths_beside")
def _paths_beside(listed: Measured, *, host: Mapping[str, Measured]) -> pl.DataFrame:
    devices = recorded(host).devices if host else None
    names = None if devices is None else set(devices["device"].drop_nulls().to_list())
    files = with_file(listed.frame).partition_by("file", as_dict=True, maintain_order=True)
    return to_frame(_answer(str(file), maps_of(own), names) for (file,), own in files.items())


def _answer(file: str, maps: Sequence[Map], recorded: set[str] | None) -> Answer:
    own = [one for one in maps if recorded is None or one.devices & recorded]
    bad = [one for one in own if one.failed]
    named = "; ".join(
        f"{len(one.failed)} of {one.paths} to {one.name}"
        + (f" ({', '.join(known)})" if (known := [name for name in one.failed if name]) else "")
        for one in bad
    )
    subject = Subject(file, (("listing", file), ("failed", named or None)))
    if not own:
        why = "none of the devices that were recorded is in it"
        return FAILED.answer("paths", subject, None, why)
    conditions = where_conditions(
        ("paths", float(sum(one.paths for one in own)), "1"), ("maps", float(len(own)), "1")
    )
    failed = sum(len(one.failed) for one in own)
    return FAILED.answer(
        "paths",
        subject,
        failed,
        conditions=conditions,
        cautions=tuple(one.caution() for one in bad),
    )
