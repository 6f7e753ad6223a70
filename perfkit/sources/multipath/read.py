"""What ``multipath -ll`` of device-mapper-multipath lists: maps, and the paths to each.

Two forms are known: the tree of multipath-tools 0.4.9 and later (RHEL 6 to 9, SLES 11 and later),
and the brackets of those before (RHEL 5). Neither states a time or a host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row, Schema, flag, text, whole
from perfkit.core.units import parse_size
from perfkit.sources.files import File, frame, reader, sections_of, table_text

VERSION = 2

MAPS: Schema = {
    "line": whole("line in the file"),
    "map": text("name of the map: its alias, or else its WWID"),
    "wwid": text("world-wide identifier of what the paths lead to"),
    "dm_device": text("its device: dm-2"),
    "product": text("vendor and product as printed: NETAPP,LUN C-Mode"),
    "size_bytes": whole("its size, as precise as printed", "bytes"),
    "features": text("as printed: queue_if_no_path ..."),
    "hardware_handler": text("as printed: 1 alua"),
    "access": text("rw or ro"),
}
PATHS: Schema = {
    "line": whole("line in the file"),
    "map": MAPS["map"],
    "dm_device": MAPS["dm_device"],
    "group": whole("its group of paths, counted from 1: one at a time carries the load"),
    "policy": text("how the group spreads its load: service-time 0"),
    "priority": whole("of the group"),
    "group_status": text("active, enabled (it stands by), disabled or undef"),
    "address": text("host, channel, target and LUN; null of a path whose device is gone"),
    "device": text("the path's own device: sdb; null where it is gone"),
    "dm_state": text("what device-mapper thinks of it: active, failed or undef"),
    "path_state": text("what the path checker says: ready, ghost (it stands by), faulty ..."),
    "device_state": text("what the SCSI layer says: running, offline ..."),
    "failed": flag("whether device-mapper, the checker or the SCSI layer calls it failed"),
}

_MAP = re.compile(r"(?:(\S+) \(([^()\s]+)\)|([\w.:-]{8,})) +(dm-\d+) (.*,.*)")
_SIZE = re.compile(r"\[?size=([\d.]+[KMGTP]?)(?:[]\s](.*)|$)")
_OPTIONS = {
    "features": re.compile(r"\bfeatures=(?:'([^']*)'|([^]]*))"),
    "hardware_handler": re.compile(r"\bhwhandler=(?:'([^']*)'|([^]]*))"),
    "access": re.compile(r"\bwp=(\w+)|\[(r[wo])\]"),
}
_GROUP = re.compile(
    r"policy='([^']*)' prio=(-?\d+) status=(\w+)"
    r"|([\w-]+ \d+) \[prio=(-?\d+)\]\[(\w+)\]"
)
_PATH = re.compile(
    r"((?:\d+|#):(?:\d+|#):(?:\d+|#):(?:\d+|#))\s+(\S+)\s+(?:\d+|#):(?:\d+|#)\s+"
    r"(?:(active|failed|undef)\s+(\w[\w/]*(?: pending| timeout)?)\s+([\w-]+)"
    r"|\[(active|failed|undef)\]\s*\[([\w/ ]+)\](?:\s*\[([\w-]+)\])?)"
)
_TREE = re.compile(r"[|`´'\s\\_+-]*")
"""What stands before a group or a path: the branches of a tree."""

_BRANCH = re.compile(r"\s*(?:[|`´]|\\_|[+-]{2})")
_REMARK = re.compile(
    r"\w{3} +\d+ \d\d:\d\d:\d\d \||\S+: checker msg is|.*[#$>] ?(?:sudo )?\S*multipath"
)

_FAILED = {
    "dm_state": {"failed"},
    "path_state": {"faulty", "i/o timeout", "removed"},
    "device_state": {"offline"},
}
_STATES = {
    "ready", "ghost", "faulty", "shaky", "undef", "delayed", "marginal", "removed", "i/o pending",
    "i/o timeout",
}  # fmt: skip
"""What a path checker says (libmultipath, checkers.h)."""


def is_multipath(head: str) -> bool:
    """Whether a text has the two lines that begin a map."""
    if "size=" not in head:
        return False
    lines = [line.strip() for line in head.splitlines()]
    return any(_SIZE.match(below) and _MAP.fullmatch(line) for line, below in pairwise(lines))


@reader
def read_multipath(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read one listing of ``multipath -ll`` (or ``-l``, whose checkers' states are undef).

    Tables: ``multipath_maps`` and ``multipath_paths``, in the order of the file. Prompts and
    messages between the maps are left out; other lines that belong to no map are named in the
    warnings.

    Source: multipath-tools, libmultipath/print.c and checkers.h; public listings of RHEL 5 to 9.

    Raises ParseError naming file and line: no such file, no map in it, a line of a map that is of
    no known form, or a map that is listed twice.
    """
    given = File.of(path, root)
    found = _Listing(given.path)
    for number, line in enumerate(table_text(given.data, given.path).split("\n"), 1):
        found.take(number, line)
    if not found.maps:
        raise ParseError(given.path, "no map of multipath -ll in it")
    frames = {
        "multipath_maps": frame(list(found.maps.values()), MAPS, given.path),
        "multipath_paths": frame(found.paths, PATHS, given.path),
    }
    evidence = given.evidence(
        "multipath",
        "multipath",
        sections=sections_of(frames, "empty"),
        warnings=tuple(found.strange),
    )
    return reading("read.multipath", VERSION, frames, evidence)


@dataclass
class _Listing:
    """A listing as far as it was read: the ``last`` map, and the ``group`` that a path is of.

    ``apart``: what was read last is of no map, and so are the branches below it (lsblk has some).
    """

    path: str
    maps: dict[str, Row] = field(default_factory=dict)
    paths: list[Row] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    last: Row = field(default_factory=dict)
    group: Row = field(default_factory=dict)
    apart: bool = False

    def take(self, number: int, line: str) -> None:
        """One more line; ParseError for one of a map that is of no known form."""
        bare = _TREE.sub("", line, count=1).strip()
        begins = _MAP.fullmatch(line.strip())
        size = _SIZE.match(line.strip())
        group, path = _GROUP.fullmatch(bare), _PATH.fullmatch(bare)
        if begins:
            self._begin(number, begins)
        elif self.last and size and "size_bytes" not in self.last:
            self.last |= {"size_bytes": _bytes(size[1]), **dict(_options(size[2] or ""))}
        elif self.last and group:
            policy, priority, status = group.groups()[:3] if group[1] else group.groups()[3:]
            self.group = {
                "group": self.group.get("group", 0) + 1,
                "policy": policy,
                "priority": int(priority),
                "group_status": status,
            }
        elif self.group and path:
            self.paths.append({"line": number, **self._of_path(number, path), **self.group})
        elif not self.apart and (_BRANCH.match(line) or line.lstrip(" [").startswith("size=")):
            what = f"a line of a map that is of no known form: {line.strip()!r}"
            raise ParseError(self.path, what, number)
        elif line.strip() and not _REMARK.match(line.strip()):
            self.apart = True
            self.strange.append(f"line {number} is of no map, not read: {line.strip()[:80]!r}")

    def _begin(self, number: int, found: re.Match[str]) -> None:
        alias, wwid, bare, device, product = found.groups()
        name = alias or bare
        if name in self.maps:
            what = "is listed again: put each listing into a file of its own"
            raise ParseError(self.path, f"map {name} {what}", number)
        self.last = {
            "line": number,
            "map": name,
            "wwid": wwid or bare,
            "dm_device": device,
            "product": re.sub(r"\s*,\s*", ",", product.strip()),
        }
        self.maps[name] = self.last
        self.group, self.apart = {}, False

    def _of_path(self, number: int, found: re.Match[str]) -> Row:
        address, device, *states = found.groups()
        given = states[:3] if states[0] else states[3:]
        told = dict(zip(_FAILED, given, strict=True))
        if told["path_state"] not in _STATES:
            what = f"a path is {told['path_state']!r}, a state that perfkit does not know"
            raise ParseError(self.path, what, number)
        gone = "#" in address
        failed = gone or any(told[name] in states for name, states in _FAILED.items())
        return {
            "map": self.last["map"],
            "dm_device": self.last["dm_device"],
            "address": None if gone else address,
            "device": None if gone else device,
            **told,
            "failed": failed,
        }


def _bytes(size: str) -> int:
    """Bytes of a size with one decimal: multipath's units are binary."""
    number = size.rstrip("KMGTP")
    return round(float(number) * parse_size(f"1{size[len(number) :]}"))


def _options(rest: str) -> Iterator[tuple[str, str | None]]:
    for name, pattern in _OPTIONS.items():
        found = pattern.search(rest)
        if found:
            yield name, next((one for one in found.groups() if one is not None), None)


TABLES: Mapping[str, Schema] = {"multipath_maps": MAPS, "multipath_paths": PATHS}
