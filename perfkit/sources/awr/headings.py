"""The headers of text reports, whole: what stands over a table's columns, release by release.

A text table shows its columns by place alone, so that a lost line, word or dash of its header puts
every number under another heading. A header is taken where it is one of these, from left to right;
one that is none of them leaves the section unread, with the reason.

Read from real text reports (AWR 11.2.0.1, 12.1 and 19c of a PDB; Statspack 12.1) and from headers
printed in documents (10g, 11.2.0.4, 21c). Sections that are not listed are read by the names of
their columns, each of which has to be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from perfkit.sources.awr.cells import key
from perfkit.sources.awr.raw import bare

if TYPE_CHECKING:
    from perfkit.sources.awr.raw import Column, RawTable
    from perfkit.sources.awr.sections import Section

_MAYBE = "?"
"""Behind a name: a row may be blank here although the column before it is filled."""

_MUST = "!"
"""Behind a name: no row is blank here."""

_WAITS = "Waits | %Time -outs | Total Wait Time (s) | Avg wait{} | Waits /txn"
_STATSPACK_WAITS = (
    "Event | Waits | %Tim out | Total Wait Time (s) | Avg wait (ms) | Waits /txn | %Total Call Time"
)
_IO = "Reads: Data | Reqs per sec | Data per sec | Writes: Data | Reqs per sec | Data per sec"
_FILES = (
    "Reads | Av Rds/s | Av Rd(ms)? | Av Blks/Rd? | 1-bk Rds/s? | Av 1-bk Rd(ms)? | % Opt Reads | "
    "Writes | Writes avg/s | Buffer Waits | Av Buf Wt(ms)?"
)
_OLD_FILES = (
    "Reads | Av Reads/s | Av Rd(ms) | Av Blks/Rd | Writes | Av Writes/s | Buffer Waits | "
    "Av Buf Wt(ms)"
)
_BUCKETS = ("<1ms", "<2ms", "<4ms", "<8ms", "<16ms", "<32ms", "<=1s", ">1s")
_SHARES = "%Total | Elapsed Time (s) | %CPU | %IO | SQL Id"
_OLD_SHARES = "%Total | CPU Time (s) | Elapsed Time (s) | SQL Id"
_HASHES = "%Total | CPU Time (s) | Elapsd Time (s) |"

HEADINGS: dict[str, tuple[str, ...]] = {
    "database": (
        "DB Name | DB Id | Instance | Inst Num | Startup Time | Release | RAC",
        "DB Name | DB Id | Instance | Inst Num | Release | RAC | Host",
        "DB Name | DB Id | Unique Name | DB Role | Edition | Release | RAC | CDB",
        "Database | DB Id | Instance | Inst Num | Startup Time | Release | RAC",
    ),
    "instance": (
        "Instance | Inst Num | Startup Time",
        "Instance | Inst Num | Startup Time | User Name | System Data Visible",
    ),
    "containers": ("Container DB Id | Container Name | Open Time",),
    "host": (
        "Host Name | Platform | CPUs | Cores | Sockets | Memory(GB)",
        "Host | Name | Platform | CPUs | Cores | Sockets | Memory (G)",
    ),
    "snapshots": (
        "| Snap Id | Snap Time | Sessions | Curs/Sess",
        "| Snap Id | Snap Time | Sessions | Curs/Sess | Instances",
        "| Snap Id | Snap Time | Sessions | Curs/Sess | PDBs",
        "| Snap Id | Snap Time | Sessions | Curs/Sess | Instances | PDBs",
        "Snapshot | Snap Id | Snap Time | Sessions | Curs/Sess | Comment",
    ),
    "load_profile": (
        "Load Profile | Per Second? | Per Transaction? | Per Exec? | Per Call?",
        "Load Profile | Per Second? | Per Transaction?",
        "| Per Second? | Per Transaction?",
    ),
    "top 5 timed events": (
        "Event | Waits | Time (s) | Avg wait (ms) | %Total Call Time | Wait Class",
        "Event | Waits | Time (s) | Avg wait (ms) | %Total Call Time",
    ),
    "top 5 timed foreground events": (
        "Event | Waits | Time(s) | Avg wait (ms) | % DB time | Wait Class",
        "Event | Waits | Time (s) | Avg wait (ms) | % DB time | Wait Class",
    ),
    "top 10 foreground events by total wait time": (
        "Event | Waits | Total Wait Time (sec) | Wait Avg(ms) | % DB time | Wait Class",
        "Event | Waits | Total Wait Time (sec) | Avg Wait | % DB time | Wait Class",
    ),
    "wait_classes_by_time": (
        "Wait Class | Waits | Total Wait Time (sec) | Avg Wait (ms) | % DB time | "
        "Avg Active Sessions!",
        "Wait Class | Waits | Total Wait Time (sec) | Avg Wait Time | % DB time | "
        "Avg Active Sessions!",
    ),
    "wait class": (f"Wait Class | {_WAITS.format(' (ms)')}",),
    "foreground_wait_classes": (
        "Wait Class | Waits | %Time -outs | Total Wait Time (s) | Avg wait (ms) | %DB time",
        "Wait Class | Waits | %Time -outs | Total Wait Time (s) | Avg wait | %DB time",
    ),
    "foreground_wait_events": (
        f"Event | {_WAITS.format(' (ms)')} | % DB time", f"Event | {_WAITS.format('')} | % DB time",
        _STATSPACK_WAITS,
    ),
    "background_wait_events": (
        f"Event | {_WAITS.format(' (ms)')} | % bg time", f"Event | {_WAITS.format('')} | % bg time",
        f"Event | {_WAITS.format(' (ms)')}", _STATSPACK_WAITS,
    ),
    "wait events": (f"Event | {_WAITS.format(' (ms)')}",),
    "wait events (fg and bg)": (_STATSPACK_WAITS,),
    "wait event histogram": (
        " | ".join(["Event", "Total Waits?", *(f"% of Waits/{name}?" for name in _BUCKETS)]),
    ),
    "host_cpu": (
        "CPUs | Cores | Sockets | Load Begin | Average End | %User | %System | %WIO | %Idle",
        "| Load Begin | Average End | %User | %System | %WIO | %Idle",
        "| Load Begin | Average End | User | System | Idle | WIO | WCPU",
    ),
    "instance_cpu": ("| % | Time (seconds)",),
    "io_profile": ("IO Profile | Read+Write/Second | Read/Second | Write/Second",),
    "memory": ("| Begin | End", "Memory Statistics | Begin | End"),
    "cache_sizes": ("Cache Sizes | Begin | End?",),
    "time_model": (
        "Statistic Name | Time (s)! | % of DB Time | % of Total CPU Time",
        "Statistic Name | Time (s)! | % of DB Time", "Statistic | Time (s)! | % DB time",
    ),
    "os_statistics": ("Statistic | Value! | End Value", "Statistic | Total!"),
    "os_statistics_detail": (
        "Snap Time | Load | %busy | %user | %sys | %idle | %iowait",
        "Snap Id | Snapshot Day Time | Load | %Busy? | %User? | %System? | %WIO? | %WCPU?",
    ),
    "instance_activity_key": ("Statistic | Total! | per Second! | per Trans!",),
    "instance_activity": (
        "Statistic | Total! | per Second! | per Trans!", "Statistic | Begin Value! | End Value!",
        "Statistic | Total! | per Hour!",
    ),
    "instance_activity_absolute": ("Statistic | Begin Value! | End Value!",),
    "instance_activity_thread": ("Statistic | Total! | per Hour!",),
    "sql_by_elapsed": (
        "Elapsed Time (s) | Executions | Elapsed Time per Exec (s) | %Total | %CPU | %IO | SQL Id",
        "Elapsed Time (s) | CPU Time (s) | Executions | Elap per Exec (s) | % Total DB Time | "
        "SQL Id",
        "Elapsed Time (s) | Executions | Elap per Exec (s) | %Total | CPU Time (s) | "
        "Physical Reads | Old Hash Value",
    ),
    "sql_by_cpu": (
        f"CPU Time (s) | Executions | CPU per Exec (s) | {_SHARES}",
        "CPU Time (s) | Elapsed Time (s) | Executions | CPU per Exec (s) | % Total DB Time | "
        "SQL Id",
        "CPU Time (s) | Executions | CPU per Exec (s) | %Total | Elapsd Time (s) | Buffer Gets | "
        "Old Hash Value",
    ),
    "sql_by_user_io": (f"User I/O Time (s) | Executions | UIO per Exec (s) | {_SHARES}",),
    "sql_by_gets": (
        f"Buffer Gets | Executions | Gets per Exec | {_SHARES}",
        f"Buffer Gets | Executions | Gets per Exec | {_OLD_SHARES}",
        f"Buffer Gets | Executions | Gets per Exec | {_HASHES} Old Hash Value",
    ),
    "sql_by_reads": (
        f"Physical Reads | Executions | Reads per Exec | {_SHARES}",
        f"Physical Reads | Executions | Reads per Exec | {_OLD_SHARES}",
        f"Physical Rds | Executions | Rds per Exec | {_HASHES} Hash Value",
        f"Physical Rds | Executions | Rds per Exec | {_HASHES} Old Hash Value",
        f"Physical Reads | Executions | Reads per Exec | {_HASHES} Old Hash Value",
    ),
    "sql_by_unoptimized": (
        "UnOptimized Read Reqs | Physical Read Reqs | Executions | UnOptimized Reqs per Exe | "
        "%Opt | %Total | SQL Id",
    ),
    "sql_by_executions": (
        "Executions | Rows Processed | Rows per Exec | Elapsed Time (s) | %CPU | %IO | SQL Id",
        "Executions | Rows Processed | Rows per Exec | CPU per Exec (s) | Elap per Exec (s) | "
        "SQL Id",
        "Executions | Rows Processed | Rows per Exec | CPU per Exec (s) | Elap per Exec (s) | "
        "Old Hash Value",
    ),
    "io_by_function": (
        f"Function Name | {_IO} | Waits: Count | Avg Tm(ms)",
        f"Function Name | {_IO} | Waits: Count | Avg Time",
        "Function | Read/Data Volume | Read/Requests /sec | Read/Data Vol/sec | "
        "Write/Data Volume? | Write/Requests /sec? | Write/Data Vol/sec? | Wait/Count? | "
        "Wait/Avg Tm(ms)?",
    ),
    "io_by_filetype": (f"Filetype Name | {_IO} | Small Read? | Large Read?",),
    "io_by_function_and_filetype": (
        f"{_IO} | Waits: Count | Avg Tm(ms)", f"{_IO} | Waits: Count | Avg Time",
    ),
    "io_by_tablespace": (f"Tablespace | {_FILES}", f"Tablespace | {_OLD_FILES}"),
    "io_by_file": (
        f"Tablespace | Filename | {_FILES}", f"Tablespace | Filename | {_OLD_FILES}",
        "Tablespace | Filename | Reads | Av Reads/s | Av Rd (ms) | Mx Rd Bkt | Av Blks/Rd | "
        "Writes | Av Writes/s | Buffer Waits | Av BufWt (ms)",
    ),
    "parameters": ("Parameter Name | Begin value | End value (if different)",),
    "parameters_multi_valued": ("Parameter Name | Begin value | End value (if different)",),
    "instances": (
        "I# | Instance | Host | Startup | Begin Snap Time | End Snap Time | Release | "
        "Elapsed Time(min) | DB time(min) | Up Time(hrs) | Avg Active Sessions | Platform",
    ),
    "database_summary": (
        "Database/Id | Database/Name | Database/RAC | Database/Block Size | Snapshot Ids/Begin | "
        "Snapshot Ids/End | Number of Instances/In Report | Number of Instances/Total | "
        "Number of Hosts/In Report | Number of Hosts/Total | Report Total (minutes)/DB time | "
        "Report Total (minutes)/Elapsed time",
    ),
    "system_statistics_per_second": (
        "I# | Logical Reads/s | Physical Reads/s | Physical Writes/s | Redo Size (k)/s | "
        "Block Changes/s | User Calls/s | Execs/s | Parses/s | Logons/s | Txns/s",
    ),
    "instance_recovery": (
        "| Targt MTTR (s) | Estd MTTR (s) | Recovery Estd IOs | Actual RedoBlks | "
        "Target RedoBlks | Log Sz RedoBlks | Log Ckpt Timeout RedoBlks | "
        "Log Ckpt Interval RedoBlks | Opt Log Sz(M) | Estd RAC Avail Time",
        "| Targt MTTR (s) | Estd MTTR (s) | Recovery Estd IOs | Actual Redo Blks | "
        "Target Redo Blks | Log File Size Redo Blks | Log Ckpt Timeout Redo Blks | "
        "Log Ckpt Interval Redo Blks?",
    ),
    "checkpoint_writes": (
        "MTTR Writes | Log Size Writes | Log Ckpt Writes | Other Settings Writes | "
        "Autotune Ckpt Writes | Thread Ckpt Writes",
    ),
    "buffer_pools": (
        "P | Number of Buffers | Pool Hit% | Buffer Gets | Physical Reads | Physical Writes | "
        "Free Buff Wait | Writ Comp Wait | Buffer Busy Waits",
        "P | Buffers | Pool Hit% | Buffer Gets | Physical Reads | Physical Writes | "
        "Free Buffer Waits | Writ Comp Wait | Buffer Busy Waits",
    ),
    "pga": (
        "| PGA Aggr Target(M) | Auto PGA Target(M) | PGA Mem Alloc(M) | W/A PGA Used(M) | "
        "%PGA W/A Mem | %Auto W/A Mem | %Man W/A Mem | Global Mem Bound(K)",
    ),
    "pga_work_areas": ("PGA Cache Hit % | W/A MB Processed | Extra W/A MB Read/Written",),
    "buffer_pool_advice": (
        "P | Size for Est (M) | Size Factor | Buffers (thousands) | Est Phys Read Factor | "
        "Estimated Phys Reads (thousands) | Est Phys Read Time | Est %DBtime for Rds",
        "P | Size for Est (M) | Size Factr | Buffers (thousands) | Est Phys Read Factr | "
        "Estimated Phys Reads (thousands) | Est Phys Read Time | Est % dbtime for Rds",
    ),
    "pga_advice": (
        "PGA Target Est (MB) | Size Factr | W/A MB Processed | "
        "Estd Extra W/A MB Read/ Written to Disk | Estd P Cache Hit % | "
        "Estd PGA Overallo Count | Estd Time",
        "PGA Aggr Target Est (MB) | Size Factr | W/A MB Processed | "
        "Estd Extra W/A MB Read/Written to Disk | Estd Time to Process Bytes (s) | "
        "Estd PGA Cache Hit % | Estd PGA Overalloc Count",
    ),
    "sga_advice": (
        "SGA Target Size (M) | SGA Size Factor | Est DB Time (s) | Est Physical Reads",
        "SGA Target Size (M) | SGA Size Factor | Est DB Time (s) | Est DB Time Factor | "
        "Est Physical Reads",
    ),
    "io_sizes": (
        "Function | Read/Small Read Reqs? | Read/Large Read Reqs? | Read/Small Data Read? | "
        "Read/Large Data Read? | Write/Small Write Reqs? | Write/Large Write Reqs? | "
        "Write/Small Data Writn? | Write/Large Data Writn?",
    ),
    "io_sizes_by_filetype": (
        "Function Name | FileType Name | Small Read (MB) | Small Write (MB) | Large Read (MB) | "
        "Large Write (MB) | Waits | Wait Time (ms)",
    ),
    **{
        f"segments by {heading}": (
            f"Owner | Tablespace Name | Object Name? | Subobject Name? | Obj. Type? | Obj# | "
            f"Dataobj# | {value} | {share}",
            "Owner | Tablespace | Object Name | Subobject Name? | Obj. Type? | "
            f"{value} | Pct Total",
        )
        for heading, value, share in (
            ("logical reads", "Logical Reads", "%Total"),
            ("physical reads", "Physical Reads", "%Total"),
            ("physical read requests", "Phys Read Requests", "%Total"),
            ("unoptimized reads", "UnOptimized Reads", "%Total"),
            ("optimized reads", "Optimized Reads", "%Total"),
            ("direct physical reads", "Direct Reads", "%Total"),
            ("physical writes", "Physical Writes", "%Total"),
            ("physical write requests", "Phys Write Requests", "%Total"),
            ("direct physical writes", "Direct Writes", "%Total"),
            ("db blocks changes", "DB Block Changes", "% of Capture"),
        )
    },
}  # fmt: skip
"""Heading of a table in lower case, or name of its section -> its headers."""

_LEAST = 4
"""Columns of a header of which one may be unknown."""


@dataclass(frozen=True)
class Heading:
    """A header that is known.

    Attributes:
        strange: The columns that are not known: none of their cells is read.
        full: The columns in which a row has a cell wherever it has one in the column before.
        must: The columns in which no row is blank.
    """

    strange: frozenset[int]
    full: frozenset[int]
    must: frozenset[int] = frozenset()


def headed(table: RawTable, section: Section) -> tuple[RawTable, str]:
    """The table with what is known of its header, and what is wrong with it ("": nothing)."""
    found = heading(table.title, section, table.columns)
    if found is None:
        names = " | ".join(_name(column) or "(no name)" for column in table.columns)
        return table, f"it is none that perfkit knows of this section, or damaged: {names[:160]}"
    columns = tuple(
        replace(column, strange=True) if place in found.strange else column
        for place, column in enumerate(table.columns)
    )
    body = replace(table.body, columns=columns, full=found.full, must=found.must)
    return replace(table, open=lambda: body), ""


def heading(title: str, section: Section, columns: Sequence[Column]) -> Heading | None:
    """What is known of a header, or None where it is none of its section."""
    listed = HEADINGS.get(" ".join(title.lower().split())) or HEADINGS.get(section.name)
    names = [key(_name(column)) for column in columns]
    if listed is None:
        nameless = "" not in section.ignored and not all(names)
        return (
            None if nameless or len(set(names)) < len(names) else Heading(frozenset(), frozenset())
        )
    for line in listed:
        found = _held(names, *_known(line), _vocabulary(section))
        if found is not None:
            return found
    return None


def _held(
    names: list[str],
    known: tuple[str, ...],
    marks: dict[str, str],
    words: frozenset[str],
) -> Heading | None:
    """A header held against a known one: the same, or what another release may have made of it.

    A release may leave columns out, or have new ones. One name that says nothing may be new, or
    damaged: its column is not read. Where more differ, every column may be another's.
    """
    strange: set[int] = set()
    if tuple(names) != known:
        different = [place for place, pair in enumerate(zip(names, known, strict=False))
                     if pair[0] != pair[1]]  # fmt: skip
        new = [name for name in names if name not in known]
        if any(not name or bare(name) in words for name in new):
            return None
        if len(names) == len(known) and len(different) == 1 and _alone(known, different):
            strange = set(different)
        elif not _fewer(names, known) and not _within(known, names):
            return None
    full = frozenset(
        place for place, name in enumerate(names)
        if place and place not in strange and name in known and marks[name] != _MAYBE
    )  # fmt: skip
    must = frozenset(place for place, name in enumerate(names) if marks.get(name) == _MUST)
    return Heading(frozenset(strange), full, must)


def _alone(known: tuple[str, ...], different: list[int]) -> bool:
    """Whether the others tell enough without one column: its name stands once in the header."""
    return len(known) >= _LEAST and known.count(known[different[0]]) == 1


def _fewer(names: list[str], known: tuple[str, ...]) -> bool:
    """Whether a release may have left columns out: two at most, as a whole line may be lost."""
    return len(names) > max(1, len(known) - _LEFT_OUT - 1) and _within(names, known)


_LEFT_OUT = 2


def _within(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether the names stand among others, in their order."""
    rest = iter(others)
    return all(name in rest for name in names)


@cache
def _known(line: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """A header's names as they are compared, and how each is marked."""
    parts = [part.strip() for part in line.split("|")]
    names = tuple(key(part.rstrip(_MAYBE + _MUST)) for part in parts)
    marks = {
        name: part[-1:] if part.endswith((_MAYBE, _MUST)) else ""
        for name, part in zip(names, parts, strict=True)
    }
    return names, marks


_WORDS: dict[str, frozenset[str]] = {}


def _vocabulary(section: Section) -> frozenset[str]:
    """The names that mean something in a section: none of them is a new column's."""
    words = _WORDS.get(section.name)
    if words is None:
        listed = [name for line in HEADINGS.get(section.name, ()) for name in _known(line)[0]]
        words = _WORDS[section.name] = frozenset(
            {*map(bare, listed), *section.ignored, *(n.replace("|", "/") for n in section.columns)}
        )
    return words


def _name(column: Column) -> str:
    return f"{column.group}/{column.name}" if column.group else column.name
