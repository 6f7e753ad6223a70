"""A SAS log to tables: at once, or in batches to Parquet for logs of any size."""

from __future__ import annotations

import codecs
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Self

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, UsageError, check_name
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading, reading
from perfkit.sources import sample_stamp
from perfkit.sources.files import GZIP, given, reader
from perfkit.sources.sas.block import UNVERIFIED
from perfkit.sources.sas.frames import step_frame, table_frame
from perfkit.sources.sas.labels import LANGUAGES, Language
from perfkit.sources.sas.layout import Layout, layout_of, without_tags
from perfkit.sources.sas.record import Found
from perfkit.sources.sas.scan import Scanner, batches
from perfkit.sources.sas.schema import TABLES

VERSION = 1

PIECE = 4 * 1024 * 1024
HEAD = 256 * 1024
BATCH = 50_000

_SCAPROC = re.compile(rb"^\s*/\* (?:JOBSPLIT|TASKSTARTTIME|SASMACROVAR)\b", re.M)
_LOOKS = re.compile(
    # LaTeX quotes a line that is too wide, such as one of a SAS log, behind []\
    r"^(?!\[\]\\).{0,120}?"
    r"(?:NOTE: (?:SAS \(r\)|SAS initialization|(?:The )?PROCEDURE \S+ (?:used|printed)"
    r"|(?:The )?DATA statement used|The data step took|Procedure \S+ step took|There were \d"
    r"|The data set \S+ has|Copyright .*SAS Institute|Altair SLC|Submitted statements)"
    r"|\f?\s*1\s+(?:The SAS System|Altair SLC)\s)",
    re.M,
)


_HINTS = (
    "SAS System", "Altair SLC", "JOBSPLIT", "TASKSTARTTIME", "SASMACROVAR",
    *dict.fromkeys(f"{word}:" for item in LANGUAGES.values() for word in item.notes),
)  # fmt: skip
"""Every log has one of these words at its beginning: a quick look at files of other kinds."""


def is_sas_log(head: str) -> bool:
    """Whether the beginning of a file is one of a SAS log (or of a record of PROC SCAPROC)."""
    if "\0" in head:
        head = head.replace("\0", "")
    if not any(word in head for word in _HINTS):
        return False
    if _LOOKS.search(head) or _SCAPROC.search(head.encode()):
        return True
    return any(
        item.pattern(kind).match(line.strip()[len(word) + 1 :].strip())
        for line in head.splitlines()[:2000]
        for item in LANGUAGES.values()
        for word in item.notes
        if line.strip().startswith(f"{word}:")
        for kind in ("data", "proc", "initialization", "session")
    )


@dataclass
class _Source:
    """The bytes of a log, hashed on the way."""

    path: Path
    label: str
    digest: Any = None

    def pieces(self) -> Iterator[bytes]:
        """The log in pieces, unpacked if it is gzip."""
        self.digest = hashlib.sha256()
        try:
            with self.path.open("rb") as file:
                unpack = None
                for number, piece in enumerate(iter(lambda: file.read(PIECE), b"")):
                    self.digest.update(piece)
                    if number == 0 and piece.startswith(GZIP):
                        unpack = zlib.decompressobj(wbits=31)
                    if unpack is None:
                        yield piece
                    else:
                        yield from _unpacked(unpack, piece)
                if unpack is not None and not unpack.eof:
                    raise ParseError(self.label, "gzip data is cut off")
        except FileNotFoundError:
            raise ParseError(self.label, "there is no such file") from None
        except zlib.error as problem:
            raise ParseError(self.label, f"gzip data is damaged: {problem}") from problem
        except OSError as problem:
            raise ParseError(self.label, f"cannot be read: {problem.strerror}") from problem


def _unpacked(unpack: Any, piece: bytes) -> Iterator[bytes]:
    while piece:
        yield unpack.decompress(piece, PIECE)
        piece = unpack.unconsumed_tail


def _text(pieces: Iterable[bytes], layout: Layout) -> Iterator[bytes]:
    """The pieces in the encoding that is scanned, with line feeds at the ends of lines."""
    decoder = (
        codecs.getincrementaldecoder(layout.transcode)("replace") if layout.transcode else None
    )
    old_mac = False
    for number, piece in enumerate(pieces):
        plain = piece if number else piece[layout.skip :]
        if number == 0:
            old_mac = b"\n" not in plain and b"\r" in plain
        data = decoder.decode(plain).encode() if decoder else plain
        yield data.replace(b"\r", b"\n") if old_mac else data


def _chosen(languages: Sequence[Language | str] | None) -> tuple[Language, ...]:
    """The languages looked for: all known ones, with those of the caller before them."""
    chosen = [LANGUAGES["English"]]
    for item in languages or ():
        if isinstance(item, str):
            check_name("language", item, LANGUAGES, UsageError)
        language = LANGUAGES[item] if isinstance(item, str) else item
        if language is not chosen[0]:
            chosen.append(language)
    return (*chosen, *(item for item in LANGUAGES.values() if item not in chosen))


def scan_sas(
    path: Path | str,
    *,
    root: Path | None = None,
    prefix: str | None = None,
    languages: Sequence[Language | str] | None = None,
    encoding: str | None = None,
    batch: int = BATCH,
) -> Iterator[dict[str, pl.DataFrame] | Evidence]:
    """A log of any size in batches: dictionaries of frames by table, and the evidence at the end.

    Frames of a table, one below the other, are the table of ``read_sas``. Memory holds one batch.
    Arguments and errors are those of ``read_sas``.
    """
    label = proof.label(opened(path), root)
    for found in scan_rows(
        path, root=root, prefix=prefix, languages=languages, encoding=encoding, batch=batch
    ):
        if isinstance(found, Evidence):
            yield found
            continue
        usual, rows = found.take()
        frames = {name: table_frame(rows[name], schema, label) for name, schema in TABLES.items()}
        yield {**frames, "steps": step_frame(usual, rows["steps"], label)}


def scan_rows(
    path: Path | str,
    *,
    root: Path | None = None,
    prefix: str | None = None,
    languages: Sequence[Language | str] | None = None,
    encoding: str | None = None,
    batch: int = BATCH,
) -> Iterator[Scanner | Evidence]:
    """The scanner of a log after each batch, for what it found (``take``), and the evidence."""
    place = opened(path)
    label = proof.label(place, root)
    source = _Source(place, label)
    chosen = _chosen(languages)
    pieces = source.pieces()
    first = next(pieces, b"")
    if not first.strip(b" \t\r\n\x00\xff\xfe\xef\xbb\xbf"):
        raise ParseError(label, "the file is empty")
    head = first[:HEAD]
    layout = layout_of(head, label, chosen, prefix, encoding)
    if _SCAPROC.search(head):
        raise ParseError(
            label, "a record of PROC SCAPROC, not a log: it has no timing blocks of steps"
        )
    scanner = Scanner(layout, label)
    text = _text(chain([first], pieces), layout)
    if layout.html:
        text = iter([without_tags(b"".join(text), layout.encoding)])
    for _ in batches(scanner, text, batch):
        yield scanner
    found, made = _evidence(source, scanner, scanner.found), sample_stamp.origin_of(place)
    yield found.of_origin(made) if made else found


@reader
def read_sas(
    path: Path | str,
    *,
    root: Path | None = None,
    prefix: str | None = None,
    languages: Sequence[Language | str] | None = None,
    encoding: str | None = None,
) -> Reading:
    """Read a SAS log: SAS 6.11 to 9.4, Viya, UNIX, Windows and z/OS, and Altair SLC.

    Tables: ``steps`` (one row a DATA or PROC step with a timing block), ``sessions``,
    ``datasets`` (observations read and written), ``messages`` (each ERROR and WARNING),
    ``other_blocks`` (timing blocks that are not a step: views, whose time is part of a step's).
    Columns, units and meanings: ``perfkit.sources.sas.schema``. A block counts only behind the NOTE
    that opens it: what a program echoes or puts is not taken for one.

    Args:
        path: The log; gzip is unpacked. For logs too large for memory: ``scan_sas`` or
            ``sas_to_parquet``.
        root: What paths in the evidence are relative to (default: the working directory).
        prefix: Regular expression for what stands before each line, with a group ``time`` where
            that holds the time (ISO). Default: the layout of SAS's servers (LOGCONFIGLOC), where
            more than half of the first lines have it. With times in it, ``timestamp`` is the
            end of the step to the millisecond.
        languages: ``Language`` tables of your own, or names of known ones, to try first.
        encoding: Default: by a byte order mark, UTF-8, or what its words are in, else Latin-1.

    Raises:
        ParseError: no SAS log, a binary file, EBCDIC, or a record of PROC SCAPROC.
        UsageError: a prefix that is not a regular expression, an unknown encoding or language.
    """
    kept: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    found: list[Evidence] = []
    for item in scan_sas(path, root=root, prefix=prefix, languages=languages, encoding=encoding):
        if isinstance(item, Evidence):
            found.append(item)
            continue
        for name, frame in item.items():
            kept[name].append(frame)
    frames = {name: pl.concat(parts, rechunk=True) for name, parts in kept.items()}
    names = [str(getattr(item, "name", item)) for item in languages or ()]
    arguments = given(prefix=prefix, encoding=encoding, languages=names or None)
    return reading("read.sas", VERSION, frames, found[0], arguments)


def sas_to_parquet(
    path: Path | str,
    out: Path | str,
    *,
    table: str | None = None,
    root: Path | None = None,
    **options: Any,
) -> Evidence:
    """Write the tables of a log of any size to Parquet, batch by batch.

    ``out`` ending in ``.parquet`` takes one table (default: ``steps``); else it is a folder for
    all of them, or for ``table``. ``options`` are those of ``read_sas``. The hash of the log and
    the warnings are in the evidence that is returned, and as JSON in each file's metadata
    (``perfkit.core.evidence``).

    Raises ParseError and UsageError as ``read_sas`` does; a file is not left half written.
    """
    place = Path(out)
    single = place.suffix == ".parquet"
    if table is not None:
        check_name("table", table, TABLES, UsageError)
    wanted = [table or "steps"] if single else [table] if table else list(TABLES)
    (place.parent if single else place).mkdir(parents=True, exist_ok=True)
    files = _Files({name: place if single else place / f"{name}.parquet" for name in wanted})
    found: list[Evidence] = []
    with files:
        for item in scan_sas(path, root=root, **options):
            if isinstance(item, Evidence):
                found.append(item)
            else:
                files.write(item)
        files.finish(json.dumps(found[0].record(), ensure_ascii=False))
    return found[0]


@dataclass
class _Files:
    """Parquet files being written; those that were not finished are removed."""

    paths: dict[str, Path]
    writers: dict[str, Any] = field(default_factory=dict)

    def _part(self, name: str) -> Path:
        path = self.paths[name]
        return path.with_name(f".{path.name}.part")

    def write(self, frames: dict[str, pl.DataFrame]) -> None:
        """Add a batch."""
        import pyarrow.parquet as pq

        for name in self.paths:
            data = frames[name].to_arrow(compat_level=pl.CompatLevel.oldest())
            if name not in self.writers:
                self.writers[name] = pq.ParquetWriter(self._part(name), data.schema)
            if data.num_rows:
                self.writers[name].write_table(data)

    def finish(self, evidence: str) -> None:
        """Put the evidence into the files and give them their names."""
        for name, path in self.paths.items():
            self.writers[name].add_key_value_metadata({"perfkit.core.evidence": evidence})
            self.writers[name].close()
            self._part(name).replace(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name, writer in self.writers.items():
            writer.close()
            self._part(name).unlink(missing_ok=True)


def _evidence(source: _Source, scanner: Scanner, found: Found) -> Evidence:
    totals = found.totals
    timed = bool(found.blocks or totals["steps"])
    if not found.notes and not timed:
        raise ParseError(
            source.label, "no SAS log: no line of it begins with NOTE, ERROR or WARNING"
        )
    warnings = list(found.warnings)
    if found.more:
        warnings.append(f"{found.more} more warnings of these kinds")
    if scanner.layout.html:
        warnings.append("a log saved as a page: lines are those of its text, not of the file")
    if not timed:
        warnings.append("no timing block in the log: STIMER was off, or NOTES; there are no times")
    if scanner.layout.encoding == "latin-1":
        warnings.append(
            "not UTF-8: read as Latin-1, so that names and texts beyond ASCII may be wrong"
        )
    verified = {name for name, language in LANGUAGES.items() if language.verified}
    foreign = sorted(found.languages - verified)
    unmet = sorted({*(found.forms & UNVERIFIED), *foreign})
    if unmet:
        warnings.append(f"unverified: {', '.join(unmet)}: no whole real log of it was met")
    sections = [
        Section(name, "found", rows) if (rows := totals[name]) else Section(name, "empty")
        for name in TABLES
    ]
    if not timed:
        sections[0] = Section("steps", "absent", None, "no timing block: STIMER or NOTES was off")
    # of one product, and of none where the sessions of a file differ
    product, release = found.products.pop() if len(found.products) == 1 else (None, None)
    return Evidence(
        kind="sas",
        path=source.label,
        sha256=source.digest.hexdigest(),
        tool=product,
        tool_version=release,
        sections=tuple(sections),
        warnings=tuple(warnings),
        unverified=bool(unmet),
    )
