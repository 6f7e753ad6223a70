"""Tools whose output perfkit does not read, told by how a file begins, and what to do instead.

A wrong name is worse than none: each pattern is of words that this tool alone writes, at the very
beginning of the file. They are tried after all sources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class OtherTool:
    """One tool.

    Attributes:
        name: What the file is.
        cure: What to do.
        begins: How it begins, blank lines left out; any of these.
        magic: How a binary file of it begins; any of these.
        is_evidence: Whether it holds what was measured.
    """

    name: str
    cure: str
    begins: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()
    is_evidence: bool = True

    def told(self) -> str:
        """The problem of an error."""
        return f"{self.name}, which perfkit does not read: {self.cure}"


_SOURCE = "or write a source (docs/add-a-source.md)"
_LOAD = (
    "repeat the load with fio (--output-format=json+) or elbencho (--jsonfile FILE --lathisto), "
    f"{_SOURCE}"
)
_HOST = f"record the host with iostat -xt, vmstat -t or sar, {_SOURCE}"
_ORACLE = "make an AWR or Statspack report of the same time, and read that"

_XML = r"(?:<\?xml[^\n]*\n\s*)?"
_PAGE = r"(?:<!DOCTYPE[^>]*>\s*)?(?i:<html[^>]*>\s*<head>\s*(?:<meta[^>]*>\s*)*<title>)\s*"
"""A page of Oracle's, up to its title."""

_LINUX = r"Linux \S+ \([^)\n]*\)[^\n]*\n\s*"
"""The first line of every tool of sysstat."""

_LOAD_GENERATORS = {
    "DiskSpd output": (
        r"(?:WARNING: [^\n]*\n\s*)*Command Line: \S*diskspd",
        r"Input parameters:\s+timespan:\s+\d+\s+-+\s+duration: \d+s",
        _XML + r"<Results>\s*<System>\s*<ComputerName>",
    ),
    "vdbench output": (
        r"(?:Copyright \(c\) [^\n]* Oracle[^\n]*\s+)?Vdbench distribution: vdbench",
        r"<title>Vdbench [^\n<]+</title><pre>",
    ),
    "iozone output": (r"(?:iozone[^\n]*\n\s*)?Iozone: Performance Test of File I/O",),
    "Iometer results": (r"'Test Type,Test Description\s",),
    "bonnie++ output": (
        r"Version +\d\.\d\d\w* +-+Sequential Output-+ -+Sequential Input-+ ",
        r"[12]\.\d\d[a-z]?,[12]\.\d\d[a-z]?,[^,\n]*,\d+,\d{9,10},",
    ),
    "sysbench output": (r"sysbench \d+\.\d+\S*[ :]+(?:multi-threaded system|\(using )",),
    "hdparm output": (r"/dev/\S+:\n Timing (?:cached|buffer|buffered|O_DIRECT)\S* ",),
    "dd output": (r"\d+\+\d+ records in\n\d+\+\d+ records out\n",),
    "ioping output": (
        r"[\d.]+ (?:bytes|[KM]?i?B) (?:from|<<<|>>>|<->|<=>) [^\n]*: request=1 time=",
        r"--- [^\n]+ ioping statistics ---\n",
    ),
    "CrystalDiskMark output": (r"-{20,}\s+CrystalDiskMark \d",),
    "IOR output": (r"IOR-\d[^\n]*: MPI Coordinated Test of Parallel I/O",),
    "mdtest output": (r"(?:-- started at [^\n]* --\s+)?mdtest-\d\S* was launched with \d",),
    "COSBench results": (
        r"Timestamp,Op-Count,,Byte-Count,,",
        r"Op-Type,Sample-Type,Op-Count,Byte-Count,",
    ),
    "IO500 output": (r"IO500 version io500-",),
    "rados bench output": (
        r"(?:hints = 1\s+)?Maintaining \d+ concurrent (?:write|read)s of \d+ bytes",
        r"hints = 1\s+sec +Cur ops +started +finished +avg MB/s",
    ),
    "Filebench output": (r"Filebench Version \d",),
    "fs_mark output": (r"#\s+\S*fs_mark +-",),
    "stress-ng output": (r"stress-ng: (?:info|debug|warn|fail):",),
    "pgbench output": (
        r"(?:pgbench \(\d[^\n]*\n\s*)?(?:starting vacuum[^\n]*\s+)?"
        r"transaction type: [^\n]+\nscaling factor: \d",
    ),
}
_DATABASES = {
    "HammerDB output": (
        r"HammerDB CLI v\d",
        r"Hammerdb (?:Transaction Counter )?Log @",
        r"Vuser 1:(?:RUNNING\s+Vuser 1:)?Beginning rampup time",
    ),
    "Swingbench results": (
        _XML + r"<Results xmlns=\"http://www\.dominicgiles\.com/swingbench/results\"",
    ),
    "an ADDM report of Oracle": (r"(?:DETAILED )?(?i:ADDM report for task) '",),
    "an ASH report of Oracle": (_PAGE + r"ASH Report\b", r"ASH Report For \S"),
    "an AWR report of one SQL statement": (
        _PAGE + r"AWR SQL Report\b",
        r"WORKLOAD REPOSITORY SQL Report\b",
    ),
    "a Statspack report of one SQL statement": (r"STATSPACK SQL report for ",),
    "a SQL Monitor report of Oracle": (
        r"SQL Monitoring Report\s+SQL Text\s*\n-",
        r"<sql_monitor_report\b",
        r"<html>\s*<head>[\s\S]{0,2000}?<!--FXTMODEL-->",
    ),
    "tkprof output": (r"TKPROF: Release \d",),
}
_HOST_TOOLS = {
    "pidstat output": (_LINUX + r"(?:# +Time|\S*\d\d\S*(?: [AP]M)?) +(?:UID|USER) +(?:PID|TGID) ",),
    "an nmon recording": (r"AAA,progname,\S*nmon",),
    "esxtop output (CSV)": (
        r"\"\(PDH-CSV 4\.0\)[^\n]*\\(?:Physical Cpu|Group Cpu|Vcpu|Physical Disk [AS]\w+)\(",
    ),
    "counters of Windows (perfmon, typeperf)": (r"\"\(PDH-CSV 4\.0\)",),
    "dstat output (CSV)": (r"\"(?:Dstat|pcp-dstat) \d\S* CSV [Oo]utput\"",),
    "a collectl recording": (
        r"#{20,}\n# Collectl: +V\d",
        r"(?:waiting for \S+ second sample\.\.\.\n)?#Date,Time,\[(?:CPU|MEM|DSK|NET)\]",
    ),
    "atop output": (r"ATOP - \S+ +\d{4}/\d\d/\d\d ",),
    "top output": (r"top - \d\d:\d\d:\d\d up ",),
    "blkparse output": (r" *\d+,\d+ +\d+ +\d+ +\d+\.\d{9} +\d+ +[A-Z]+ +[A-Z]+ ",),
    "iostat of Solaris or FreeBSD": (r"extended device statistics *\n *(?:device|r/[si]) ",),
    "output of AIX (iostat, vmstat, sar ...)": (r"System configuration: lcpu=\d+ ",),
    "output of InterSystems ^mgstat": (r"Date, *Time *, +Glorefs,",),
}

OTHER_TOOLS = (
    *(OtherTool(name, _LOAD, begins) for name, begins in _LOAD_GENERATORS.items()),
    *(OtherTool(name, _ORACLE, begins) for name, begins in _DATABASES.items()),
    *(OtherTool(name, _HOST, begins) for name, begins in _HOST_TOOLS.items()),
    OtherTool(
        "a job file of fio, not its result",
        "read what fio wrote with --output-format=json+ --output=FILE",
        (
            r"(?:[#;][^\n]*\n\s*)*\[global\] *\n(?:[^\[\n]*\n)*?[ \t]*"
            r"(?:ioengine|rw|readwrite|bs|iodepth|filename) *=",
        ),
        is_evidence=False,
    ),
    OtherTool(
        "an AWR report that compares two periods",
        "make the report of each of the two, and read those",
        (
            _PAGE + r"AWR (?:RAC )?Compare Period",
            r"WORKLOAD REPOSITORY (?:RAC )?COMPARE PERIOD REPORT",
        ),
    ),
    OtherTool(
        "output of SLOB's awr_info.sh",
        "read the folder of the run that it lies in (--kind slob)",
        (r"FILE\|SESSIONS\|ELAPSED\|",),
    ),
    OtherTool(
        "sar's binary file",
        "read what sadf -d FILE or sadf -j FILE makes of it",
        magic=(b"\x96\xd5", b"\xd5\x96"),
    ),
    OtherTool("a blktrace file", _HOST, magic=(b"\x07tae",)),
    OtherTool("a recording of perf", _HOST, magic=(b"PERFILE2",)),
    OtherTool(
        "a PDF document",
        "perfkit audit checks the tables of one",
        magic=(b"%PDF-",),
        is_evidence=False,
    ),
)
"""The tools; of two that begin alike the surer stands first."""

_PROMPT = re.compile(r"[^\n]{0,80}?[$#>%] ?[^\n]+\n\s*")
"""A command before its output."""


def other_tool(head: str, data: bytes = b"") -> OtherTool | None:
    """The tool that wrote a file, by its beginning as text and as bytes; None for no known one."""
    text = head.replace("\r\n", "\n").lstrip("\ufeff \t\n")
    prompt = _PROMPT.match(text)
    texts = (text, text[prompt.end() :]) if prompt else (text,)
    for tool in OTHER_TOOLS:
        if any(data.startswith(magic) for magic in tool.magic):
            return tool
        if any(re.match(begins, each) for begins in tool.begins for each in texts):
            return tool
    return None
