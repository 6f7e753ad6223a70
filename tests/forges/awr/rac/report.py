"""The head of a RAC-global report: database and instances."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.printing import Shown, fixed, minute, moment, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.rac.dialect import RacDialect

SUMMARY_NEW = (
    Column("Id", group="Database"), Column("Name", group="Database", left=True),
    Column("Unique Name", group="Database", left=True), Column("Role", group="Database", left=True),
    Column("Edition", group="Database", left=True), Column("RAC", group="Database", left=True),
    Column("CDB", group="Database", left=True), Column("Block Size", group="Database"),
    Column("Begin", group="Snapshot Ids"), Column("End", group="Snapshot Ids"),
    Column("In Report", group="Number of Instances"), Column("Total", group="Number of Instances"),
    Column("In Report", group="Number of Hosts"), Column("Total", group="Number of Hosts"),
    Column("DB time", group="Report Total (minutes)"),
    Column("Elapsed time", group="Report Total (minutes)"),
)  # fmt: skip


SUMMARY_OLD = tuple(
    column
    for column in SUMMARY_NEW
    if column.title not in {"Unique Name", "Role", "Edition", "CDB"}
)


INSTANCES = (
    Column("I#", "instance"), Column("Instance", "instance_name", left=True),
    Column("Host", "host", left=True), Column("Startup", "startup_text", left=True),
    Column("Begin Snap Time", "begin_text", left=True),
    Column("End Snap Time", "end_text", left=True), Column("Release", "release", left=True),
    Column("Elapsed Time(min)", "elapsed_s"), Column("DB time(min)", "db_time_s"),
    Column("Up Time(hrs)", "up_time_s"), Column("Avg Active Sessions", "average_active_sessions"),
    Column("Platform", "platform", left=True),
)  # fmt: skip


INSTANCES_SUMMARY = (
    "Database Instances Included In Report. . Listed in order of instance number, I#"
)


def summary_sheet(cells: Sequence[Shown], said: dict[str, object], *, new: bool = True) -> Sheet:
    """Database Summary of one row."""
    columns = SUMMARY_NEW if new else SUMMARY_OLD
    return Sheet(
        "report", "Database Summary", "Database Summary", columns, (Line(cells, said=(said,)),),
        style="rac",
    )  # fmt: skip


def instances_sheet(lines: tuple[Line, ...]) -> Sheet:
    """Database Instances Included In Report."""
    return Sheet(
        "instances", "Database Instances Included In Report", INSTANCES_SUMMARY, INSTANCES, lines,
        bullets=("Listed in order of instance number, I#",), style="rac",
    )  # fmt: skip


def database_sheet(content: Content, dialect: RacDialect) -> Sheet:
    """Database Summary of a content."""
    database, snapshots = content.database, content.snapshots
    count = len(content.instances)
    db_time = fixed(sum((i.db_time for i in content.instances), Decimal(0)) / 60, 2, scale=60)
    elapsed = fixed(Decimal(content.seconds) / 60, 2, scale=60)
    described = [
        word(database.unique_name), word(database.role), word(database.edition), word("YES"),
        word("YES" if database.cdb else "NO"),
    ]  # fmt: skip
    counts = [Shown(str(n)) for n in (count, count, count, count)]
    cells = [
        Shown(str(database.dbid)), word(database.name),
        *(described if dialect.new else described[3:4]), Shown(str(database.block_size)),
        Shown(str(snapshots.begin_id)), Shown(str(snapshots.end_id)), *counts, db_time, elapsed,
    ]  # fmt: skip
    first, last = minute(snapshots.begin), minute(snapshots.end)
    said = {
        "form": "awr", "format": "html", "scope": "rac", "db_name": database.name,
        "db_id": database.dbid, "rac": True, "block_size_bytes": database.block_size,
        "release": dialect.release, "instance": None, "instance_name": None,
        "snap_begin_id": snapshots.begin_id, "snap_end_id": snapshots.end_id,
        "begin_time": first, "end_time": last, "begin_text": moment(first, "minute"),
        "end_text": moment(last, "minute"), "elapsed_s": elapsed.says, "db_time_s": db_time.says,
        "instances_in_report": count, "instances_total": count, "hosts_in_report": count,
        "hosts_total": count,
    }  # fmt: skip
    if dialect.new:
        said |= {
            "unique_name": database.unique_name, "role": database.role,
            "edition": database.edition, "cdb": database.cdb,
        }  # fmt: skip
    return summary_sheet(cells, said, new=dialect.new)


def instance_cells(content: Content, instance: Instance, release: str) -> Line:
    """One row of Database Instances Included In Report."""
    times = [minute(t) for t in (instance.startup, content.snapshots.begin, content.snapshots.end)]
    up = Decimal(int((content.snapshots.end - instance.startup).total_seconds()))
    cells = [
        Shown(str(instance.number), instance.number), word(instance.name), word(instance.host),
        *(word(moment(time, "minute")) for time in times), word(release),
        fixed(Decimal(content.seconds) / 60, 2, scale=60),
        fixed(instance.db_time / 60, 2, scale=60),
        fixed(up / 3600, 2, scale=3600), fixed(instance.db_time / content.seconds, 2),
        word(instance.platform),
    ]  # fmt: skip
    names = ("startup_time", "begin_time", "end_time")
    return Line(cells, dict(zip(names, times, strict=True)))


def instance_list_sheet(content: Content, dialect: RacDialect) -> Sheet:
    """The instances of a content."""
    return instances_sheet(
        tuple(instance_cells(content, instance, dialect.release) for instance in content.instances)
    )
