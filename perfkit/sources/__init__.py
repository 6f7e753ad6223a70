"""One folder a tool: its readers take a path and give a Reading, tables with their evidence.

``SOURCES`` is the list of what perfkit can read; ``read`` tells a file's kind by its content.
"""

from __future__ import annotations

import gzip
import inspect
import os
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, UnknownKindError, UsageError, check_name, did_you_mean
from perfkit.core.lineage import Reading
from perfkit.sources.contract import check
from perfkit.sources.files import GZIP, encoding_of
from perfkit.sources.other_tools import other_tool
from perfkit.sources.rundir.source import RUN
from perfkit.sources.separated import refuse_workbook
from perfkit.sources.source import Source

__all__ = ["RUN", "SOURCES", "is_folder_of_evidence", "kind_of", "read"]

HEAD_BYTES = 64 * 1024
"""How much of a file is looked at to tell its kind."""

_SHOWN = 60
"""Characters of an unknown file that are quoted."""


_TOOLS = (
    "printed",
    "fio",
    "elbencho",
    "awr",
    "rundir",
    "slob",
    "genio",
    "ontap",
    "ranread",
    "sas",
    "host",
    "multipath",
)
"""The tools: the folder of each declares in ``source.py`` what perfkit reads of it."""

SOURCES: dict[str, Source] = {
    source.name: source
    for tool in _TOOLS
    for source in import_module(f"perfkit.sources.{tool}.source").SOURCES
}
"""Every kind of evidence perfkit reads, by name, in the order in which a file is tried for them."""


def kind_of(path: Path | str) -> str:
    """The kind of a file or folder, told by its content (the first 64 KiB).

    An archive is the folder it is, and a path may lead into one.

    Raises UnknownKindError, with the kinds there are, for what is none of them, and ParseError for
    what is empty or cannot be read.
    """
    place = opened(path)
    if place.is_dir():
        for name, source in SOURCES.items():
            if source.marks(place):
                return name
        markers = ", ".join(
            f"{' or '.join(source.markers)} ({name})"
            for name, source in SOURCES.items()
            if source.markers
        )
        raise UnknownKindError(path, f"a folder without {markers}: name the files or folders in it")
    data = _head(place)
    # the head may end inside a character; a wrong byte is found when the file is read
    head = data.decode(encoding_of(data), errors="replace")
    for name, source in SOURCES.items():
        if source.sniff and source.sniff(head):
            return name
    if not head.strip():
        raise ParseError(path, "the file is empty")
    other = other_tool(head, data)
    if other:
        error = ParseError if other.is_evidence else UnknownKindError
        raise error(path, other.told())
    begins = " ".join(head.split())[:_SHOWN]
    raise UnknownKindError(
        path,
        f"of no kind that perfkit reads; it begins {begins!r}. If it is one of these, name it "
        f"(--kind, or kind=): {', '.join(SOURCES)}",
    )


def is_folder_of_evidence(place: Path) -> bool:
    """Whether a folder is one piece of evidence, as a run directory is."""
    return any(source.is_folder(place) for source in SOURCES.values())


def read(
    path: Path | str, *, kind: str | None = None, root: Path | None = None, **options: Any
) -> Reading:
    """Read a file or folder of any known kind; ``kind`` names it where it is not to be told.

    An archive is the folder it is: ``runs.tar.xz/fcp/t8.html`` is a file in it.

    Paths in the evidence are relative to ``root`` (default: the working directory). ``options`` are
    those of the kind's own reader: ``prefix`` of a SAS log, ``decimal`` of GenIO's summary,
    ``tables`` of an AWR report.

    Raises:
        ParseError: of no known kind, or not whole.
        UsageError: several paths, a ``kind`` that does not exist, or an option that its reader does
            not have.
        ContractError: the reader returned a table that breaks the contract of the common ones.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError("pk.read takes one file or folder; pk.report and studies take several")
    if kind is not None:
        check_name("kind", kind, SOURCES, UsageError)
    found = kind or kind_of(path)
    reader = SOURCES[found].read
    reading = reader(path, root=root, **_options(found, reader, options))
    check(SOURCES[found], reading)
    return reading


def _options(kind: str, reader: Callable[..., Reading], given: dict[str, Any]) -> dict[str, Any]:
    """The options as the reader takes them: one word where it takes several is a list of one."""
    known = {
        name: str(item.annotation)
        for name, item in inspect.signature(reader).parameters.items()
        if item.kind is item.KEYWORD_ONLY and name != "root"
    }
    made = {}
    for name, value in given.items():
        if name not in known:
            words = did_you_mean(name, list(known)) if known else "it has none"
            raise UsageError(f"kind {kind} has no option {name!r}; {words}")
        several = known[name].startswith("Sequence") and isinstance(value, str)
        made[name] = [value] if several else value
    return made


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            packed = file.read(len(GZIP)) == GZIP
        opener = gzip.open if packed else open
        with opener(path, "rb") as file:
            data = file.read(HEAD_BYTES)
        refuse_workbook(data, str(path))
    except FileNotFoundError:
        raise ParseError(path, "there is no such file") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise ParseError(path, f"cannot be read: {problem}") from problem
    return data
