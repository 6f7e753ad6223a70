"""The head of a Statspack report: database, host, snapshots."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.printing import GIB, MICRO, fixed, minute, moment
from forges.awr.sheet import Block, Line
from forges.awr.statspack.release import RELEASE

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance


def head_block(content: Content, instance: Instance) -> Block:
    """The head: database, host, snapshots."""
    database, snapshots = content.database, content.snapshots
    start = minute(instance.startup)
    counts = (instance.cpus, instance.cores, instance.sockets)
    cpus, cores, sockets = ("" if count is None else str(count) for count in counts)
    memory = fixed(instance.memory_gb, 1, scale=GIB)
    elapsed = fixed(Decimal(content.seconds) / 60, 2, scale=60)
    db_time = fixed(instance.db_time / 60, 2, scale=60)
    db_cpu = fixed(instance.db_cpu_us * MICRO / 60, 2, scale=60)
    sessions = fixed(instance.db_time / content.seconds, 1)

    def row(name: str, number: int, when: datetime, index: int) -> str:
        cursors = fixed(snapshots.cursors[index], 1).text
        return (
            f"{name:>11} {number:>10} {moment(when)} {snapshots.sessions[index]:>8} {cursors:>9}\n"
        )

    text = (
        "Database    DB Id    Instance     Inst Num  Startup Time   Release     RAC\n"
        "~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---\n"
        f"         {database.dbid:>11} {instance.name:<12} {instance.number:>8} "
        f"{moment(start, 'minute')} {RELEASE:<11} NO\n\n"
        "Host Name             Platform                CPUs Cores Sockets   Memory (G)\n"
        "~~~~ ---------------- ---------------------- ----- ----- ------- ------------\n"
        f"     {instance.host:<16} {instance.platform:<22} {cpus:>5} {cores:>5} {sockets:>7} "
        f"{memory.text:>12}\n\n"
        "Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment\n"
        "~~~~~~~~    ---------- ------------------ -------- --------- ------------------\n"
        + row("Begin Snap:", snapshots.begin_id, snapshots.begin, 0)
        + row("End Snap:", snapshots.end_id, snapshots.end, 1)
        + f"   Elapsed: {elapsed.text:>10} (mins) Av Act Sess: {sessions.text:>9}\n"
        + f"   DB time: {db_time.text:>10} (mins)      DB CPU: {db_cpu.text:>10} (mins)\n\n"
    )
    said = {
        "form": "statspack", "format": "text", "scope": "single", "db_id": database.dbid,
        "release": RELEASE, "rac": False, "instance": instance.number,
        "instance_name": instance.name, "host": instance.host, "platform": instance.platform,
        "cpus": instance.cpus, "cores": instance.cores, "sockets": instance.sockets,
        "memory_bytes": memory.says, "startup_time": start,
        "startup_text": moment(start, "minute"), "snap_begin_id": snapshots.begin_id,
        "snap_end_id": snapshots.end_id, "begin_time": snapshots.begin,
        "end_time": snapshots.end, "sessions_begin": snapshots.sessions[0],
        "sessions_end": snapshots.sessions[1], "elapsed_s": elapsed.says,
        "db_time_s": db_time.says, "db_cpu_s": db_cpu.says,
        "average_active_sessions": sessions.says, "block_size_bytes": database.block_size,
    }  # fmt: skip
    return Block("report", "", lines=(Line((), said=(said,)),), style="literal", text=text)
