"""Generated evidence: files in a tool's own format with known content, for trying and for testing.

A generator writes what the tool would write, from a seed: the same seed gives the same bytes
everywhere. Every folder it fills carries a stamp, by which its files are told from measurements
for good: tables, captions and covers made from them say so.
"""

from __future__ import annotations

import importlib
import inspect
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.errors import ParseError, UsageError, did_you_mean
from perfkit.evidence import sha256_file
from perfkit.formats import sample_stamp
from perfkit.formats.sample_stamp import STAMP, Stamp


@dataclass(frozen=True)
class Sample:
    """A generator.

    Attributes:
        make: "module:function" called as ``function(folder, seed, **options)`` with an empty
            folder; it raises UsageError for an option it does not have.
        description: What it writes, for a list.
        version: Counts up whenever the same seed gives other bytes than before.
    """

    make: str
    description: str
    version: int = 1


SAMPLES: dict[str, Sample] = {
    "genio-ramp": Sample(
        "perfkit.samples.genio:ramp",
        "GenIO on three servers, with controls: <case>/<server>/summary.csv",
    ),
    "ontap-qos": Sample(
        "perfkit.samples.ontap_qos:write", "ONTAP's QoS policies, commands and statistics"
    ),
    "ranread-sweep": Sample(
        "perfkit.samples.ranread:write", "a RANREAD sweep over processes, export or console"
    ),
    "sas-workload": Sample(
        "perfkit.samples.sas_workload:make",
        "101 SAS logs of a mixed workload, for each of two systems and three repeats, with iostat",
    ),
    "slob-awr": Sample(
        "perfkit.samples.slob_awr:write",
        "AWR reports of SLOB: two protocols, three mixes, 15 loads, 3 repeats",
    ),
}
"""Every generator by name."""


def ensure(
    name: str, folder: Path, *, seed: int = 1, options: Mapping[str, Any] | None = None
) -> Stamp:
    """Write a sample into a folder, unless it is there already; returns the folder's stamp.

    The folder appears whole or not at all. One that an earlier order made is replaced when
    nothing in it was changed since.

    Raises:
        UsageError: no such sample, an option it does not have, or a folder with other content.
    """
    if name not in SAMPLES:
        raise UsageError(f"no sample {name!r}; {did_you_mean(name, list(SAMPLES))}")
    sample = SAMPLES[name]
    function = _function(sample, dict(options or {}))
    order = Stamp(name, sample.version, seed, dict(options or {}), {})
    if folder.exists():
        found = _own(folder)
        if found.same_order(order):
            return found
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as place:
        fresh = Path(place) / folder.name
        fresh.mkdir()
        function(fresh, seed, **order.options)
        stamp = Stamp(name, sample.version, seed, order.options, _hashes(fresh))
        sample_stamp.write(fresh, stamp)
        if folder.exists():
            shutil.move(folder, Path(place) / "before")
        fresh.rename(folder)
    return stamp


def _own(folder: Path) -> Stamp:
    """The stamp of a folder that holds exactly what a generator wrote; UsageError for others."""
    try:
        stamp = sample_stamp.read(folder) if folder.is_dir() else None
    except ParseError as problem:
        raise UsageError(str(problem)) from problem
    if stamp is None:
        if folder.is_dir() and not any(folder.iterdir()):
            return Stamp("", 0, 0, {}, {})
        raise UsageError(f"{folder} holds what no generator wrote: choose another folder")
    if _hashes(folder) != stamp.files:
        raise UsageError(f"{folder} was changed since it was generated: delete it to make it anew")
    return stamp


def _hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != STAMP)
    return {path.relative_to(folder).as_posix(): sha256_file(path) for path in files}


def _function(sample: Sample, options: dict[str, Any]) -> Callable[..., None]:
    """The generator; UsageError where it has no such option."""
    module, _, name = sample.make.partition(":")
    function: Callable[..., None] = getattr(importlib.import_module(module), name)
    known = list(inspect.signature(function).parameters)[2:]
    for option in options:
        if option not in known:
            raise UsageError(f"no option {option!r}; {did_you_mean(option, known)}")
    return function
