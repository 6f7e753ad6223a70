"""RAC-global text (awrgrpt): the three tables of which a fragment of 11.2 is published."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import SYSTEM, Content
from forges.awr.printing import Shown, fixed, minute, moment
from forges.awr.rac.cells import by_instance
from forges.awr.rac.load import scales, system_columns
from forges.awr.rac.report import INSTANCES, instance_cells
from forges.awr.sheet import Block, Line, Row, fit

RELEASE = "11.2.0.3.0"
END = " " * 26 + "-" * 116
SYSTEM_WIDTHS = (4, 15, 12, 12, 12, 12, 12, 12, 12, 10, 12)


def blocks(content: Content) -> list[Block]:
    """Instances, Database Summary, System Statistics - Per Second."""
    return [_instances(content), _summary(content), _per_second(content)]


def render(found: list[Block]) -> str:
    """The whole text."""
    body = "".join(block.text for block in found)
    return f"\nWORKLOAD REPOSITORY REPORT (RAC)\n\n{body}\nEnd of Report\n"


INSTANCE_WIDTHS = (4, -9, -10, -15, -15, -15, -15, 17, 12, 12, 10, -15)


def _row(cells: list[Shown], widths: tuple[int, ...]) -> tuple[str, list[Shown]]:
    fitted = [fit(cell, width) for cell, width in zip(cells, widths, strict=True)]
    texts = [
        cell.text.ljust(-width) if width < 0 else cell.text.rjust(width)
        for cell, width in zip(fitted, widths, strict=True)
    ]
    return " ".join(texts).rstrip() + "\n", fitted


def _said(keys: list[str | None], cells: list[Shown]) -> Row:
    return {key: cell.says for key, cell in zip(keys, cells, strict=True) if key}


def _instances(content: Content) -> Block:
    head = (
        "Database Instances Included In Report\n~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "-> Listed in order of instance number, I#\n\n"
        + " " * 134 + "Avg Active\n"
        "  I# Instance  Host       Startup         Begin Snap Time End Snap Time   Release        "
        " Elapsed Time(min) DB time(min) Up Time(hrs)   Sessions Platform\n"
        + " ".join("-" * abs(width) for width in INSTANCE_WIDTHS) + "\n"
    )  # fmt: skip
    text, said = head, list[Row]()
    for instance in content.instances:
        line = instance_cells(content, instance, RELEASE)
        row, fitted = _row(list(line.cells), INSTANCE_WIDTHS)
        text += row
        keys = [column.key for column in INSTANCES]
        said.append(_said(keys, fitted) | line.also)
    lines = (Line((), said=tuple(said)),)
    return Block("instances", "", lines=lines, style="literal", text=f"{text}\n\n")


SUMMARY_WIDTHS = ((11, -9, -3, 10), (8, 8), (9, 8), (9, 8), (11, 12))


def _summary(content: Content) -> Block:
    database, snapshots, count = content.database, content.snapshots, len(content.instances)
    db_time = fixed(sum((i.db_time for i in content.instances), Decimal(0)) / 60, 2, scale=60)
    elapsed = fixed(Decimal(content.seconds) / 60, 2, scale=60)
    counts = Shown(str(count))
    groups = (
        [Shown(str(database.dbid)), Shown(database.name), Shown("YES"),
         Shown(str(database.block_size))],
        [Shown(str(snapshots.begin_id)), Shown(str(snapshots.end_id))], [counts, counts],
        [counts, counts], [db_time, elapsed],
    )  # fmt: skip
    rows = [
        _row(cells, width)[0].rstrip("\n")
        for cells, width in zip(groups, SUMMARY_WIDTHS, strict=True)
    ]
    rulers = [" ".join("-" * abs(w) for w in widths) for widths in SUMMARY_WIDTHS]
    text = (
        "Database Summary\n~~~~~~~~~~~~~~~~\n"
        "              Database                    Snapshot Ids     Number of Instances     Number"
        " of Hosts     Report Total (minutes)\n"
        + "   ".join("-" * len(ruler) for ruler in rulers) + "\n"
        "         Id Name      RAC Block Size      Begin      End   In Report    Total   In Report"
        "    Total       DB time Elapsed time\n"
        + "   ".join(rulers) + "\n" + "   ".join(rows) + "\n\n"
    )  # fmt: skip
    first, last = minute(snapshots.begin), minute(snapshots.end)
    said = {
        "form": "awr", "format": "text", "scope": "rac", "db_name": database.name,
        "db_id": database.dbid, "rac": True, "block_size_bytes": database.block_size,
        "snap_begin_id": snapshots.begin_id, "snap_end_id": snapshots.end_id,
        "begin_time": first, "end_time": last, "begin_text": moment(first, "minute"),
        "elapsed_s": elapsed.says, "db_time_s": db_time.says, "instances_in_report": count,
        "instances_total": count, "hosts_in_report": count, "hosts_total": count,
    }  # fmt: skip
    return Block("report", "", lines=(Line((), said=(said,)),), style="literal", text=text)


def _per_second(content: Content) -> Block:
    snapshots = content.snapshots
    head = (
        "System Statistics - Per Second       DB/Inst: "
        f"{content.database.name}/{content.instances[0].name}  Snaps: "
        f"{snapshots.begin_id}-{snapshots.end_id}\n\n"
        "             Logical     Physical     Physical         Redo        Block         User\n"
        "  I#         Reads/s      Reads/s     Writes/s   Size (k)/s    Changes/s      Calls/s"
        "      Execs/s     Parses/s   Logons/s       Txns/s\n"
        + " ".join("-" * width for width in SYSTEM_WIDTHS) + "\n"
    )  # fmt: skip
    digits = [2, *[1] * 7, 2, 1]
    worth = scales()
    rows = by_instance(
        content,
        lambda instance: [
            Decimal(instance.counters[name]) / content.seconds / unit
            for name, unit in zip(SYSTEM, worth, strict=True)
        ],
        lambda value: Shown("", value), ("Sum", "Avg", "Std"),
    )  # fmt: skip
    text, said = head, list[Row]()
    ruler = " " + " ".join("~" * (w if n else 3) for n, w in enumerate(SYSTEM_WIDTHS)) + "\n"
    keys = [column.key for column in system_columns("/s", "_per_s")]
    for place, line in enumerate(rows):
        cells = [line.cells[0]]
        for cell, digit, unit in zip(line.cells[1:], digits, worth, strict=True):
            cells.append(fixed(cell.says, digit, scale=unit))
        row, fitted = _row(cells, SYSTEM_WIDTHS)
        text += ruler if place == len(content.instances) else ""
        text += row
        if line.said is None:
            said.append(_said(keys[1:], fitted[1:]) | line.also)
    lines = (Line((), said=tuple(said)),)
    return Block("system_statistics", "", lines=lines, style="literal", text=f"{text}{END}\n\n")
