"""The head of a text report: database, host, snapshots."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.printing import GIB, fixed, minute, moment, shortest
from forges.awr.sheet import Block, Line
from forges.awr.single.dialect import HTML_11, HTML_19, Dialect
from forges.awr.single.report import report_facts

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.text.dialect import TextDialect


def head_block(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    """The head: database, host, snapshots."""
    database, snapshots = content.database, content.snapshots
    start = moment(minute(instance.startup), "minute")
    if dialect.new:
        cdb = "YES" if database.cdb else "NO"
        top = (
            "DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB\n"
            "------------ ----------- ----------- ---------------- ------- ---------- --- ---\n"
            f"{database.name:<12} {database.dbid:>11} {database.unique_name:<11} "
            f"{database.role:<16} {database.edition:<7} {dialect.release} NO  {cdb}\n\n"
            "Instance     Inst Num Startup Time\n------------ -------- ---------------\n"
            f"{instance.name:<12} {instance.number:>8} {start}\n\n"
        )
    else:
        top = (
            "DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC\n"
            "------------ ----------- ------------ -------- --------------- ----------- ---\n"
            f"{database.name:<12} {database.dbid:>11} {instance.name:<12} {instance.number:>8} "
            f"{start} {dialect.release:<11} NO\n\n"
        )
    counts = (instance.cpus, instance.cores, instance.sockets)
    cpus, cores, sockets = ("" if count is None else str(count) for count in counts)
    memory = fixed(instance.memory_gb, 2, scale=GIB)
    host = (
        "Host Name        Platform                         CPUs Cores Sockets Memory(GB)\n"
        "---------------- -------------------------------- ---- ----- ------- ----------\n"
        f"{instance.host:<16} {instance.platform:<32} {cpus:>4} {cores:>5} {sockets:>7} "
        f"{memory.text:>10}\n\n"
    )
    more = [" Instances", " ---------", f" {1:>9}", ""] if dialect.new else [""] * 4

    def row(name: str, number: int, when: datetime, index: int) -> str:
        cursors = (
            shortest(snapshots.cursors[index], 1).text
            if snapshots.cursors[index] < 1
            else (fixed(snapshots.cursors[index], 1).text)
        )
        return (
            f"{name:>11} {number:>9} {moment(when)} {snapshots.sessions[index]:>8,} {cursors:>9}"
            f"{more[2]}\n"
        )

    minutes = [fixed(seconds / 60, 2) for seconds in (Decimal(content.seconds), instance.db_time)]
    snaps = (
        f"              Snap Id      Snap Time      Sessions Curs/Sess{more[0]}\n"
        f"            --------- ------------------- -------- ---------{more[1]}\n"
        + row("Begin Snap:", snapshots.begin_id, snapshots.begin, 0)
        + row("End Snap:", snapshots.end_id, snapshots.end, 1)
        + f"{'Elapsed:':>11} {minutes[0].text:>19} (mins)\n"
        + f"{'DB Time:':>11} {minutes[1].text:>19} (mins)\n\n"
    )  # fmt: skip
    known = report_facts(content, instance, _like(dialect))
    known["format"] = "text"
    known["release"] = dialect.release
    said = Line((), said=({**known},))
    return Block("report", "", lines=(said,), style="literal", text=top + host + snaps)


def _like(dialect: TextDialect) -> Dialect:
    return HTML_19 if dialect.new else HTML_11
