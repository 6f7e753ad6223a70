"""One module a source: a reader takes a path and gives a Reading, tables with their evidence.

``SOURCES`` is the list of what perfkit can read; ``read`` tells a file's kind by its content.
"""

from __future__ import annotations

import gzip
import inspect
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, UsageError, did_you_mean
from perfkit.formats.fio_text import form_of
from perfkit.formats.separated import refuse_workbook
from perfkit.sources.awr import read_awr
from perfkit.sources.awr.many import read_awr_reports, read_awr_sets
from perfkit.sources.awr.schema import TABLES as AWR_TABLES
from perfkit.sources.awr.source import is_report, is_statspack
from perfkit.sources.elbencho.live import is_elbencho_live, read_elbencho_live
from perfkit.sources.elbencho.read import is_elbencho, read_elbencho
from perfkit.sources.files import encoding_of
from perfkit.sources.fio.read import read_fio
from perfkit.sources.genio.read import is_genio, is_genio_commands, read_genio, read_genio_commands
from perfkit.sources.host.iostat import is_iostat, read_iostat
from perfkit.sources.host.mpstat import is_mpstat, read_mpstat
from perfkit.sources.host.sar import is_sar, read_sar
from perfkit.sources.host.vmstat import is_vmstat, read_vmstat
from perfkit.sources.ontap.read import is_ontap_qos, read_ontap_qos
from perfkit.sources.printed.read import is_printed, read_printed
from perfkit.sources.ranread.read import is_ranread, read_ranread
from perfkit.sources.rundir.read import read_run
from perfkit.sources.sas.iotest import is_iotest, read_iotest
from perfkit.sources.sas.many import read_sas_logs
from perfkit.sources.sas.read import is_sas_log, read_sas, sas_to_parquet
from perfkit.sources.slob.run import read_slob

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from perfkit.core.evidence import Evidence
    from perfkit.core.lineage import Reading

HEAD_BYTES = 64 * 1024
"""How much of a file is looked at to tell its kind."""

_SHOWN = 60
"""Characters of an unknown file that are quoted."""

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Source:
    """One kind of evidence.

    Attributes:
        sniff: Whether the text at the beginning of a file is of this kind; None for a kind that
            is a folder.
        read: The reader: ``read(path, root=None)``.
        description: What it is, for a list of the kinds.
        suffixes: How such files are usually called (for proposals only).
        marker: The file that makes a folder one of this kind; None for a kind that is a file.
        to_parquet: Writes its tables to Parquet piece by piece, for files larger than memory:
            ``to_parquet(path, out, table=None)``; None where a whole file is read at once.
        read_many: Reads many files as one: ``read_many(paths, root=None)``; its tables tell the
            files apart by a column ``file``. None where each is read by itself.
        read_sets: The same for several sets of files at once: a list of readings; None where
            each set is read by itself.
        chooses: The tables of which ``read`` and ``read_many`` take those wanted (``tables``);
            none: they give all.
        table: The table with a row for each thing that the tool reports; "" where every table of
            the kind has the same columns. ``source`` is the file, as a study reads it.
        row_key: The columns of ``table`` that no two rows share.
        series_key: What rows of the common tables (``load_points``, ``host_series``), or else of
            ``table``, agree in to be one curve or one history. With ``source`` in it every file is
            a series of its own, whatever its labels; names that are no column of a common table are
            columns of ``table`` or options of its jobs (``job_options``).
        time: The column of ``table`` by which files of equal labels stand in order; "" for none.
    """

    sniff: Callable[[str], bool] | None
    read: Callable[..., Reading]
    description: str
    suffixes: tuple[str, ...] = ()
    marker: str | None = None
    to_parquet: Callable[..., Evidence] | None = None
    read_many: Callable[..., Reading] | None = None
    read_sets: Callable[..., list[Reading]] | None = None
    chooses: Collection[str] = ()
    table: str = ""
    row_key: tuple[str, ...] = ()
    series_key: tuple[str, ...] = ()
    time: str = ""


CURVE = ("system", "config", "workload", "load_kind", "direction")
"""The key of a curve over load points."""

HISTORY = ("source", "host")
"""The key of a host's recording: every file is one, and is drawn over its own time."""


def _is_fio(head: str) -> bool:
    """JSON with fio's first key, or one of fio's other forms (whose reader says what to do)."""
    return '"fio version"' in head or form_of(head) is not None


_REPORTS: dict[str, Any] = {
    "read_many": read_awr_reports,
    "read_sets": read_awr_sets,
    "chooses": AWR_TABLES,
    "table": "report",
    "row_key": ("source", "db_id", "instance", "snap_begin_id", "snap_end_id"),
    # without a load a report is a series of its own: a period of a database, not a load point
    "series_key": (*CURVE, "db_name"),
    "time": "begin_time",
}
_RECORDED: dict[str, Any] = {
    "table": "host_series", "row_key": ("source", "host", "sample"), "series_key": HISTORY,
    "time": "time",
}  # fmt: skip

SOURCES: dict[str, Source] = {
    "printed": Source(
        is_printed, read_printed, "table copied from a document (CSV)", (".csv",),
        row_key=("source", "table_id", "part", "row", "column"), series_key=("source", "table_id"),
    ),
    "fio": Source(
        _is_fio, read_fio, "fio result (json or json+)", (".json", ".json.gz"),
        table="summary", row_key=("source", "hostname", "port", "job", "direction"),
        series_key=(*CURVE, "rw", "bs"),
    ),
    "elbencho": Source(
        is_elbencho, read_elbencho, "elbencho results (JSON lines or CSV)", (".json", ".csv"),
        table="phases", row_key=("source", "line"), series_key=(*CURVE, "block_bytes"),
        time="started",
    ),
    "elbencho-live": Source(
        is_elbencho_live, read_elbencho_live, "elbencho live CSV (over time)", (".csv",),
        table="series", row_key=("source", "operation", "rank", "direction", "t_s"),
        series_key=("source", "operation", "rank", "direction"),
    ),
    "awr": Source(
        is_report, read_awr, "Oracle AWR report (HTML or text)",
        (".html", ".htm", ".txt", ".lst", ".html.gz"), **_REPORTS,
    ),
    "statspack": Source(
        is_statspack, read_awr, "Oracle Statspack report (text)", (".lst", ".txt", ".lst.gz"),
        **_REPORTS,
    ),
    "perfkit-run": Source(
        None, read_run, "run directory of perfkit run (folder with run.json)", (), "run.json",
        table="points", row_key=("source", "point"), series_key=CURVE,
    ),
    "iostat": Source(
        is_iostat, read_iostat, "iostat of sysstat (text or JSON)", (".out",), **_RECORDED
    ),
    "vmstat": Source(is_vmstat, read_vmstat, "vmstat of procps", (".out",), **_RECORDED),
    "mpstat": Source(
        is_mpstat, read_mpstat, "mpstat of sysstat (text or JSON)", (".out",), **_RECORDED
    ),
    "slob": Source(
        None, read_slob, "SLOB run directory (folder with slob.conf)", (), "slob.conf",
        table="report_files", row_key=("source", "file"), series_key=CURVE,
    ),
    "genio": Source(
        is_genio, read_genio, "summary.csv of Epic's GenIO", (".csv",), "summary.csv",
        table="genio_runs", row_key=("source", "host", "position"),
        series_key=("source", "host"), time="started_at",
    ),
    "ontap-qos": Source(
        is_ontap_qos, read_ontap_qos, "QoS policies, commands and statistics of ONTAP", (".txt",),
        table="qos_statistics", row_key=("source", "line"),
        series_key=("source", "view", "scope", "name"), time="started_at",
    ),
    "ranread": Source(
        is_ranread, read_ranread, "RANREAD, RanWrite or RanIO of InterSystems", (".txt", ".csv"),
        table="ranread_runs", row_key=("source", "position"), series_key=CURVE, time="started_at",
    ),
    "iotest": Source(
        is_iotest, read_iotest, "SAS's I/O test (rhel_iotest, iotest, Viya tool)", (".results",),
        table="iotest", row_key=("source", "node", "run", "direction"),
        series_key=(*CURVE, "target_dir"),
    ),
    "sas": Source(
        is_sas_log, read_sas, "SAS or Altair SLC log", (".log", ".log.gz", ".txt"),
        to_parquet=sas_to_parquet, read_many=read_sas_logs,
        table="steps", row_key=("source", "session", "step"), series_key=("source", "session"),
    ),
    "sar": Source(
        is_sar, read_sar, "sar, or sadf -d or -j, of sysstat", (".sar", ".csv"), **_RECORDED
    ),
    "genio-commands": Source(
        is_genio_commands, read_genio_commands, "commands of GenIO (RampRun.pl, dgen.pl)",
        (".txt",),
        table="genio_commands", row_key=("source", "line"), series_key=("source", "line"),
    ),
}  # fmt: skip
"""Every kind of evidence perfkit reads, by name."""


def kind_of(path: Path | str) -> str:
    """The kind of a file or folder, told by its content (the first 64 KiB).

    An archive is the folder it is, and a path may lead into one.

    Raises ParseError, with the kinds there are, for what is none of them or cannot be read.
    """
    place = opened(path)
    if place.is_dir():
        for name, source in SOURCES.items():
            if source.marker and (place / source.marker).is_file():
                return name
        markers = ", ".join(f"{s.marker} ({name})" for name, s in SOURCES.items() if s.marker)
        raise ParseError(path, f"a folder without {markers}: name the files or folders in it")
    head = _head(place)
    for name, source in SOURCES.items():
        if source.sniff and source.sniff(head):
            return name
    if not head.strip():
        raise ParseError(path, "the file is empty")
    begins = " ".join(head.split())[:_SHOWN]
    raise ParseError(
        path,
        f"of no kind that perfkit reads; it begins {begins!r}. If it is one of these, name it "
        f"(--kind, or kind=): {', '.join(SOURCES)}",
    )


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
        UsageError: a ``kind`` that does not exist, or an option that its reader does not have.
    """
    if kind is not None and kind not in SOURCES:
        raise UsageError(f"no kind {kind!r}; {did_you_mean(kind, list(SOURCES))}")
    found = kind or kind_of(path)
    reader = SOURCES[found].read
    return reader(path, root=root, **_options(found, reader, options))


def _options(kind: str, reader: Callable[..., Reading], given: dict[str, Any]) -> dict[str, Any]:
    """The options as the reader takes them: one word where it takes several is a list of one."""
    known = {
        name: str(item.annotation) for name, item in inspect.signature(reader).parameters.items()
        if item.kind is item.KEYWORD_ONLY and name != "root"
    }  # fmt: skip
    made = {}
    for name, value in given.items():
        if name not in known:
            words = did_you_mean(name, list(known)) if known else "it has none"
            raise UsageError(f"kind {kind} has no option {name!r}; {words}")
        several = known[name].startswith("Sequence") and isinstance(value, str)
        made[name] = [value] if several else value
    return made


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
        opener = gzip.open if packed else open
        with opener(path, "rb") as file:
            data = file.read(HEAD_BYTES)
        refuse_workbook(data, str(path))
    except FileNotFoundError:
        raise ParseError(path, "there is no such file") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise ParseError(path, f"cannot be read: {problem}") from problem
    # the head may end inside a character; a wrong byte is found when the file is read
    return data.decode(encoding_of(data), errors="replace")
