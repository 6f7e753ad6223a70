"""The head of a report of one instance: database, containers, host, snapshots."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.printing import (
    BLANK,
    GIB,
    Shown,
    fixed,
    minute,
    moment,
    padded,
    word,
)
from forges.awr.sheet import Column, Line, Row, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect


def head_sheets(content: Content, instance: Instance, dialect: Dialect) -> list[Sheet]:
    """The head: database, host, snapshots."""
    database, release = content.database, dialect.release
    summary = "This table displays database instance information"
    start = minute(instance.startup)
    said = report_facts(content, instance, dialect)
    startup = Shown(moment(start, "minute"))
    if not dialect.new:
        titles = ["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"]
        cells = [
            word(database.name), Shown(str(database.dbid)), word(instance.name),
            Shown(str(instance.number)), startup, word(release), word("NO"),
        ]  # fmt: skip
        first = [_top("report", summary, titles, cells, said)]
    else:
        titles = ["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"]
        cells = [
            word(database.name), Shown(str(database.dbid)), word(database.unique_name),
            word(database.role), word(database.edition), word(release), word("NO"),
            word("YES" if database.cdb else "NO"),
        ]  # fmt: skip
        second = [word(instance.name), Shown(str(instance.number)), startup]
        names = ["Instance", "Inst Num", "Startup Time"]
        if dialect.viewer:
            names += ["User Name", "System Data Visible"]
            second += [word("SYS"), word("YES")]
        first = [
            _top("report", summary, titles, cells, said),
            _top(None, summary, names, second, {}),
            *_containers(content),
        ]
    return [*first, _host(instance), _snapshots(content, instance, dialect)]


def _top(
    table: str | None, summary: str, titles: list[str], cells: list[Shown], said: Row
) -> Sheet:
    columns = tuple(Column(title, left=True) for title in titles)
    return Sheet(table, "", summary, columns, (Line(cells, said=(said,)),), style="top")


def _containers(content: Content) -> list[Sheet]:
    if not content.containers:
        return []
    columns = (
        Column("Container DB Id", "container_db_id"),
        Column("Container Name", "container", left=True),
        Column("Open Time", "open_text", left=True),
    )
    lines = tuple(
        Line(
            [Shown(str(dbid), dbid), word(name), word(moment(opened, "minute"))],
            {"open_time": minute(opened)},
        )
        for dbid, name, opened in content.containers
    )
    return [
        Sheet("containers", "", "This table displays pdb instance information", columns, lines,
              style="top")
    ]  # fmt: skip


def report_facts(content: Content, instance: Instance, dialect: Dialect) -> dict[str, object]:
    """What the head of the report says."""
    database, snapshots = content.database, content.snapshots
    start = minute(instance.startup)
    known: dict[str, object] = {
        "form": "awr", "format": "html", "scope": "pdb" if dialect.pdb else "single",
        "db_name": database.name, "db_id": database.dbid, "release": dialect.release,
        "rac": False, "instance": instance.number, "instance_name": instance.name,
        "host": instance.host, "platform": instance.platform, "cpus": instance.cpus,
        "cores": instance.cores, "sockets": instance.sockets,
        "memory_bytes": fixed(instance.memory_gb, 2, scale=GIB).says,
        "startup_time": start, "startup_text": moment(start, "minute"),
        "snap_begin_id": snapshots.begin_id, "snap_end_id": snapshots.end_id,
        "begin_time": snapshots.begin, "end_time": snapshots.end,
        "begin_text": moment(snapshots.begin), "end_text": moment(snapshots.end),
        "sessions_begin": snapshots.sessions[0], "sessions_end": snapshots.sessions[1],
        "elapsed_s": _minutes(Decimal(content.seconds)).says,
        "db_time_s": _minutes(instance.db_time).says,
    }  # fmt: skip
    if not dialect.pdb:
        known["block_size_bytes"] = database.block_size
    if dialect.new:
        known |= {
            "unique_name": database.unique_name, "role": database.role,
            "edition": database.edition, "cdb": database.cdb,
        }  # fmt: skip
    return known


def _minutes(seconds: Decimal) -> Shown:
    return fixed(seconds / 60, 2, scale=60, suffix=" (mins)")


def _host(instance: Instance) -> Sheet:
    titles = ["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (GB)"]
    counts = (instance.cpus, instance.cores, instance.sockets)
    cells = [word(instance.host), word(instance.platform)]
    cells += [padded(fixed(count), 5) for count in counts]
    cells.append(padded(fixed(instance.memory_gb, 2), 8))
    columns = tuple(Column(title, left=title in {"Host Name", "Platform"}) for title in titles)
    summary = "This table displays host information"
    return Sheet(None, "", summary, columns, (Line(cells),), style="top")


def _snapshots(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    snapshots = content.snapshots
    titles = ["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"]
    titles += ["Instances", "Pluggable Databases Open"] if dialect.new else []
    more = [Shown("1"), Shown(str(len(content.containers)))] if dialect.new else []
    empty = [BLANK] * (len(titles) - 3)

    def moment_row(name: str, number: int, when: datetime, index: int) -> Line:
        cursors = padded(fixed(snapshots.cursors[index], 1), 9)
        sessions = Shown(str(snapshots.sessions[index]))
        return Line(
            [Shown(name), Shown(str(number)), Shown(moment(when)), sessions, cursors, *more]
        )

    def length_row(name: str, seconds: Decimal) -> Line:
        return Line([Shown(name), BLANK, padded(_minutes(seconds), 26), *empty])

    lines = (
        moment_row("Begin Snap:", snapshots.begin_id, snapshots.begin, 0),
        moment_row("End Snap:", snapshots.end_id, snapshots.end, 1),
        length_row("Elapsed:", Decimal(content.seconds)),
        length_row("DB Time:", instance.db_time),
    )
    columns = tuple(Column(title, left=number == 0) for number, title in enumerate(titles))
    summary = "This table displays snapshot information"
    return Sheet(None, "", summary, columns, lines, style="top")
