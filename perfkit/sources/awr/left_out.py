"""Tables of a report that are known and left out: they say nothing of storage."""

from __future__ import annotations

import re

from perfkit.sources.awr.raw import RawTable

_NAMES = """
addm findings|top addm|pluggable database counts|pluguggable database counts|instance efficiency|
shared pool statistics|shared pool advisory|service statistics|service wait class|sql ordered by|
top sql|complete list of sql text|text of the sql statements|latch|mutex|segments by|top segments|
segment statistics|dictionary cache|library cache|memory dynamic components|memory resize|
memory target advi|process memory|top process|sga memory|sga breakdown|sga target advi|
sga regions|sql memory|buffer pool|checkpoint activity|instance recovery|mttr|pga |streams|
java pool|buffer wait|enqueue|undo|replication|goldengate|xstream|table statistics by|
buffered queue|persistent queue|advanced queue|qmmon|qmn|rule set|resource limit|shared server|
top sessions|top blocking|top pl/sql|top event|top db objects|top phases|activity over time|ash|
top channel|channel wait|global cache|global messaging|global cr|global current|global latency|
ges |gcs |sysstat and|interconnect|ic ping|ping statistics|ping latency|dynamic remastering|
rac statistics|information about rac instances|workload characteristics|messaging statistics|
io stat by function - detail|io stats function detail|rac report summary|
iostat by function detail|in-memory|im segments|tablespace space|resource manager|supplemental|
flash|exadata|cell |asm diskgroup|iorm|griddisk|celldisk|smart i/o|passthru|write offload|
columnar cache|pmem|ram cache|memory cache|io latency capping|io reason|internal io|
io performance summary|possible sources|redo log histogram|cells by|% blocks changed per read|
rollback per transaction|disks by|outliers|cells of|multi-tenant|thread statistics|
sharable memory|version count|databases by|buffer cache advi|report footnotes
"""
RATIOS = ("% Blocks changed per Read", "Rollback per transaction %")
"""How the two lines of ratios begin that 10g and 11g print below the load profile."""

_PATTERN = re.compile(
    "|".join(re.escape(name) for line in _NAMES.splitlines() for name in line.split("|") if name)
)
_ANCHORS = re.compile(r"^(cell|asm|os_|iorm|flash|exadata|cellsrv|pmem|smart)", re.I)


def is_left_out(table: RawTable) -> bool:
    """Whether the table is one of those that are left out on purpose."""
    # without a summary (10.2) a table of the report's summary is named by the text before it alone
    names = f"{table.title} {table.summary or table.near()}".lower()
    return bool(_ANCHORS.match(table.anchor) or _PATTERN.search(names))
