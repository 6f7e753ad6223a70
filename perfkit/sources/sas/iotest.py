"""SAS's own I/O tests: rhel_iotest.sh, iotest.sh, and the performance tool of Viya 4 (all dd).

One process a physical core writes a file, then reads it. The rate is the file's size by the mean
elapsed time of the processes: per core, not of all together. The scripts' megabyte is 1024² bytes
(they divide bytes by 1024 twice). Forms: the scripts' own print statements, and an excerpt of the
Viya tool's output; no whole real output was met, so that all of it is marked unverified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import polars as pl

from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row, Schema
from perfkit.core.units import GIB, MIB
from perfkit.sources.files import File, frame, reader, text_of

VERSION = 1
WORKLOAD, LOAD_KIND = "sas-iotest", "physical core"

IOTEST: Schema = {
    "file": schema.text("the output's path"),
    "line": schema.whole("line of the rate"),
    "tool": schema.text("rhel_iotest, iotest, or viya (with the node before each line)"),
    "node": schema.text("node (Viya tool)"),
    "run": schema.whole("run in the file, from 1"),
    "direction": schema.text("read or write"),
    "rate_per_core_bytes_per_s": schema.number(
        "file size by mean elapsed time of a process: per physical core", "bytes/s"
    ),
    "mean_elapsed_s": schema.number("mean elapsed time of the processes", "s"),
    "iterations": schema.whole("processes at once: physical cores"),
    "filesize_bytes": schema.number("size of each file, as precise as printed", "bytes"),
    "target_dir": schema.text("directory that was tested"),
    "mount_point": schema.text("its file system and mount options, as printed"),
}

_NODE = re.compile(r"^\[(?P<node>[^\]]+)\]\[(?P<time>[^\]]+)\]:\s?")
_RATE = re.compile(
    r"^\s*(?:average\s+)?(?P<direction>read|write)\s+throughput\s+rate\s*:\s*(?P<value>\S+)\s+"
    r"(?P<unit>.*\S)\s*$",
    re.I,
)
_TIME = re.compile(
    r"^\s*(?:average\s+)?(?P<direction>read|write)\s+time\s*:\s*(?P<value>[\d.,]+)\s+seconds", re.I
)
_FACT = re.compile(
    r"^\s*(?P<name>target dir|directory|mount point|iterations|file ?size)\s*:"
    r"\s*(?P<value>.*\S)\s*$",
    re.I,
)
_MEGABYTES = re.compile(r"(?:megabytes|MB)\s*(?:/|per\s+)\s*s(?:ec(?:ond)?)?\b", re.I)
_SIZE = re.compile(r"(?P<n>[\d,]+(?:\.\d+)?)\s*(?P<unit>gigabytes|GB|megabytes|MB)\b", re.I)
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?$|\d+(?:\.\d+)?$")
_LOOKS = re.compile(r"(?:read|write)\s+throughput\s+rate\s*:\s*[\d,.]+\s+(?:megabytes|MB)", re.I)


def is_iotest(head: str) -> bool:
    """Whether the beginning of a file holds a result of one of the I/O tests."""
    return bool(_LOOKS.search(head))


@reader
def read_iotest(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read the output (console, .results or .log) of SAS's I/O test scripts.

    Tables: ``iotest`` (one row a direction, run and node), and ``load_points``: the rate of one
    core, with load 1 of load kind "physical core", for criteria in MB/s per physical core.

    Raises ParseError for a file without a rate, or a rate whose unit or number is not known.
    """
    file = File.of(path, root)
    label = file.label
    rows = list(_rows(text_of(file.data, label), label))
    if not rows:
        raise ParseError(label, "no throughput rate of an I/O test of SAS in it")
    table = frame(rows, IOTEST, label)
    points = schema.conform(
        table.select(
            pl.lit(WORKLOAD).alias("workload"),
            pl.lit(LOAD_KIND).alias("load_kind"),
            pl.lit(1.0).alias("load"),
            pl.col("run").alias("repeat"),
            pl.col("node").alias("host"),
            pl.col("direction"),
            pl.col("rate_per_core_bytes_per_s").alias("bw_bytes_per_s"),
            pl.col("mean_elapsed_s").alias("runtime_s"),
        ),
        schema.LOAD_POINTS,
        label,
    )
    found = file.evidence(
        "iotest",
        rows[0]["tool"],
        sections=(Section("iotest", "found", table.height),),
        warnings=("unverified: no whole real output of this tool was met",),
        unverified=True,
    )
    return reading("read.iotest", VERSION, {"iotest": table, "load_points": points}, found)


class _Facts(TypedDict, total=False):
    """What stands before the rates of a node: columns of ``IOTEST``."""

    target_dir: str
    mount_point: str
    iterations: int
    filesize_bytes: float


def _rows(text: str, label: str) -> Iterator[Row]:
    """The rates with the facts that stand before them, node by node."""
    facts: dict[str | None, _Facts] = {}
    times: dict[tuple[str | None, str], float] = {}
    runs: dict[tuple[str | None, str], int] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        found = _NODE.match(raw)
        node = found["node"] if found else None
        line = raw[found.end() :] if found else raw
        own = facts.setdefault(node, _Facts())
        fact = _FACT.match(line)
        if fact:
            told = _fact(fact, label, number)
            if any(own.get(name, value) != value for name, value in told.items()):
                what = "a second result begins here, of another test: "
                raise ParseError(label, f"{what}put each into a file of its own", number)
            own.update(told)
            continue
        time = _TIME.match(line)
        if time:
            times[node, time["direction"].lower()] = _number(time["value"], label, number)
            continue
        rate = _RATE.match(line)
        if not rate:
            continue
        direction = rate["direction"].lower()
        if not _MEGABYTES.match(rate["unit"]):
            raise ParseError(label, f"a rate in an unknown unit: {rate['unit'][:60]!r}", number)
        runs[node, direction] = runs.get((node, direction), 0) + 1
        per_core = "per physical core" in rate["unit"]
        yield {
            "file": label,
            "line": number,
            "tool": "viya" if node else "rhel_iotest" if per_core else "iotest",
            "node": node,
            "run": runs[node, direction],
            "direction": direction,
            "rate_per_core_bytes_per_s": _number(rate["value"], label, number) * MIB,
            "mean_elapsed_s": times.pop((node, direction), None),
            **own,
        }


def _fact(found: re.Match[str], label: str, number: int) -> _Facts:
    name, value = found["name"].lower().replace(" ", ""), found["value"]
    if name in {"targetdir", "directory"}:
        return {"target_dir": value}
    if name == "mountpoint":
        return {"mount_point": value}
    if name == "iterations":
        return {"iterations": int(_number(value, label, number))}
    size = _SIZE.match(value)
    if not size:
        raise ParseError(label, f"a file size in an unknown unit: {value[:60]!r}", number)
    unit = GIB if size["unit"].lower().startswith("g") else MIB
    return {"filesize_bytes": _number(size["n"], label, number) * unit}


def _number(text: str, label: str, line: int) -> float:
    if not _NUMBER.match(text):
        raise ParseError(label, f"{text[:40]!r} is not a number", line)
    return float(text.replace(",", ""))
