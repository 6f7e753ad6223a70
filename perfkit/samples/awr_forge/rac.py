"""The sections of a RAC-global report (awrgrpt) in HTML: 12.2 and later, and 11.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from perfkit.samples.awr_forge.content import (
    SYSTEM,
    Content,
    Histogram,
    Instance,
    Io,
    Wait,
    ratio,
    spread,
    total_row,
)
from perfkit.samples.awr_forge.html import escaped
from perfkit.samples.awr_forge.printing import (
    BLANK,
    MIB,
    MICRO,
    Shown,
    fixed,
    kilo,
    milli,
    minute,
    moment,
    percent,
    timed,
    word,
)
from perfkit.samples.awr_forge.sheet import Column, Line, Sheet
from perfkit.samples.awr_forge.single import activity_rows, io_profile_rows


@dataclass(frozen=True)
class RacDialect:
    """What differs from release to release."""

    name: str
    release: str
    new: bool
    newline: str = "\n"

    @property
    def average(self) -> Callable[[Decimal | None], Shown]:
        """How a mean wait is printed."""
        return timed if self.new else lambda seconds: milli(seconds, 2)


RAC_19 = RacDialect("rac-19c", "19.0.0.0.0", new=True, newline="\r\n")
RAC_11 = RacDialect("rac-11.2", "11.2.0.4.0", new=False)


def sheets(content: Content, dialect: RacDialect) -> list[Sheet]:
    """Every section, in the order of the report."""
    found = [_summary(content, dialect), _instances(content, dialect)]
    made = (make(content, dialect) for make in PARTS)
    return found + [sheet for sheet in made if sheet is not None]


def number(value: int | str) -> Shown:
    """An instance number, or * for the cluster."""
    return Shown(str(value))


def hidden(shown: Shown) -> Shown:
    """A value that the page repeats but hides: it is in the file, inside a div."""
    return Shown(f'<div class="hidden">   {escaped(shown.text)}</div>', shown.says)


def level(instance: Instance | None) -> dict[str, object]:
    """Whose row it is."""
    if instance is None:
        return {"level": "cluster", "instance": None}
    return {"level": "instance", "instance": instance.number}


# ----------------------------------------------------------------------------------- the head
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


def _summary(content: Content, dialect: RacDialect) -> Sheet:
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


def _instances(content: Content, dialect: RacDialect) -> Sheet:
    return instances_sheet(
        tuple(instance_cells(content, instance, dialect.release) for instance in content.instances)
    )


# ------------------------------------------------------------------------- tables by instance
def by_instance(
    content: Content, values: Callable[[Instance], Sequence[Decimal | None]],
    show: Callable[[Decimal | None], Shown], names: Sequence[str],
) -> tuple[Line, ...]:  # fmt: skip
    """One row an instance, and the rows ``names`` (Sum, Avg, Std) that stand below several."""
    rows = [(instance, list(values(instance))) for instance in content.instances]
    lines = [
        Line([number(instance.number), *(show(value) for value in row)], level(instance))
        for instance, row in rows
    ]
    if len(rows) == 1:
        return tuple(lines)
    columns = list(zip(*(row for _, row in rows), strict=True))
    for name in names:
        cells = [show(_statistic(name, column)) for column in columns]
        lines.append(Line([Shown(name), *cells], total=name == "Sum", said=()))
    return tuple(lines)


def _statistic(name: str, column: Sequence[Decimal | None]) -> Decimal | None:
    known = [value for value in column if value is not None]
    if not known:
        return None
    mean, _, _, deviation = spread(known)
    return {"Sum": sum(known, Decimal(0)), "Avg": mean, "Std": deviation}[name]


OS_COLUMNS = (
    Column("I#"), Column("#CPUs", "cpus", "CPU"), Column("#Cores", "cores", "CPU"),
    Column("#Sckts", "sockets", "CPU"), Column("Begin", "load_average_begin", "Load"),
    Column("End", "load_average_end", "Load"), Column("% Busy", "busy_ratio", "% CPU"),
    Column("% Usr", "user_ratio", "% CPU"), Column("% Sys", "system_ratio", "% CPU"),
    Column("% WIO", "iowait_ratio", "% CPU"), Column("% Idl", "idle_ratio", "% CPU"),
    Column("Busy", None, "Time (s)"), Column("Idle", None, "Time (s)"),
    Column("Total", None, "Time (s)"), Column("MB", None, "Memory"),
    Column("#CPUs", None, "End Values"), Column("#Cores", None, "End Values"),
    Column("#Sckts", None, "End Values"), Column("Memory (M)", None, "End Values"),
)  # fmt: skip


def _os(content: Content, dialect: RacDialect) -> Sheet | None:
    if not dialect.new:
        return None
    lines = []
    for instance in content.instances:
        cpu = instance.cpu
        shares = (cpu.busy, cpu.user, cpu.system, cpu.iowait, cpu.idle)
        ticks = (cpu.busy, cpu.idle, cpu.busy + cpu.idle)
        cells = [
            number(instance.number), fixed(instance.cpus), fixed(instance.cores),
            fixed(instance.sockets),
            *(fixed(load, 2) for load in cpu.load), *(percent(cpu.share(n), 2) for n in shares),
            *(fixed(Decimal(n) / 100, 2) for n in ticks), fixed(instance.memory_gb * 1024, 2),
            *[BLANK] * 4,
        ]  # fmt: skip
        lines.append(Line(cells, level(instance)))
    return Sheet(
        "host_cpu", "OS Statistics By Instance",
        "OS Statistics By Instance. . Listed in order of instance number, I#. End values are"
        " diplayed only if different from begin values",
        OS_COLUMNS, tuple(lines), anchor="12010",
        bullets=("Listed in order of instance number, I#",
                 "End values are diplayed only if different from begin values"),
    )  # fmt: skip


MODEL = (
    ("DB time (s)", "DB time"), ("DB CPU (s)", "DB CPU"),
    ("SQL Exec Ela (s)", "sql execute elapsed time"), ("Parse Ela (s)", "parse time elapsed"),
    ("Hard Parse Ela (s)", "hard parse elapsed time"),
    ("PL/SQL Ela (s)", "PL/SQL execution elapsed time"),
    ("Java Ela (s)", "Java execution elapsed time"), ("bg time (s)", "background elapsed time"),
    ("bg CPU (s)", "background cpu time"),
)  # fmt: skip


def _time_model(content: Content, _dialect: RacDialect) -> Sheet:
    def values(instance: Instance) -> list[Decimal]:
        known = {
            **instance.model, "DB time": instance.db_time_us, "DB CPU": instance.db_cpu_us,
            "background elapsed time": instance.background_us,
            "background cpu time": instance.background_cpu_us,
        }  # fmt: skip
        return [known.get(name, 0) * MICRO for _, name in MODEL]

    lines = by_instance(content, values, lambda value: fixed(value, 2), ("Sum", "Avg", "Std"))
    told = []
    for line, instance in zip(lines, content.instances, strict=False):
        said = tuple(
            {**level(instance), "statistic": name, "time_s": cell.says}
            for (_, name), cell in zip(MODEL, line.cells[1:], strict=True)
        )
        told.append(Line(line.cells, said=said))
    columns = (Column("I#"), *(Column(title) for title, _ in MODEL))
    return Sheet(
        "time_model", "Time Model", "Time Model", columns, (*told, *lines[len(told) :]),
        anchor="12014",
    )  # fmt: skip


CLASSES = (
    ("User I/O(s)", "User I/O"), ("Sys I/O(s)", "System I/O"), ("Other(s)", "Other"),
    ("Applic (s)", "Application"), ("Commit (s)", "Commit"), ("Network (s)", "Network"),
    ("Concurcy (s)", "Concurrency"), ("Config (s)", "Configuration"), ("Cluster (s)", "Cluster"),
    ("Admin (s)", "Administrative"), ("Scheduler (s)", "Scheduler"), ("DB CPU (s)", "DB CPU"),
    ("DB time", None),
)  # fmt: skip


def _classes(content: Content, dialect: RacDialect) -> Sheet:
    new = {"Administrative", "Scheduler"}
    columns = [row for row in CLASSES if dialect.new or row[1] not in new]

    def values(instance: Instance) -> list[Decimal | None]:
        found: dict[str | None, Decimal] = {}
        for wait in instance.foreground:
            found[wait.wait_class] = found.get(wait.wait_class, Decimal(0)) + wait.seconds
        found |= {"DB CPU": instance.db_cpu_us * MICRO, None: instance.db_time}
        return [found.get(name) for _, name in columns]

    lines = by_instance(content, values, lambda value: fixed(value, 2), ("Sum", "Avg", "Std"))
    told = []
    for line, instance in zip(lines, content.instances, strict=False):
        said = tuple(
            {
                **level(instance),
                "scope": "foreground",
                "wait_class": name,
                "total_wait_s": cell.says,
            }
            for (_, name), cell in zip(columns, line.cells[1:], strict=True)
            if name and cell.text
        )
        told.append(Line(line.cells, said=said))
    return Sheet(
        "wait_classes", "Foreground Wait Classes", "Foreground Wait Classes",
        (Column("I#"), *(Column(title) for title, _ in columns)), (*told, *lines[len(told) :]),
        anchor="12012",
    )  # fmt: skip


# ------------------------------------------------------------------------- system statistics
SYSTEM_TITLES = (
    "Logical Reads", "Physical Reads", "Physical Writes", "Redo Size (k)", "Block Changes",
    "User Calls", "Execs", "Parses", "Logons", "Txns",
)  # fmt: skip
SYSTEM_KEYS = (
    "logical_reads_blocks", "physical_reads_blocks", "physical_writes_blocks", "redo_bytes",
    "block_changes", "user_calls", "executes", "parses", "logons", "transactions",
)  # fmt: skip
SYSTEM_KINDS = (
    # heading, anchor, suffix of the titles, suffix of the keys, decimals, rows below
    ("System Statistics", "12016", "", "", 0, ("Sum", "Avg", "Std")),
    ("System Statistics - Per Second", "12017", "/s", "_per_s", 2, ("Sum", "Avg", "Std")),
    ("System Statistics - Per Transaction", "12018", "/tx", "_per_transaction", 2, ("Avg",)),
)


def system_columns(suffix: str, key: str) -> tuple[Column, ...]:
    """I# and the statistics (per transaction: without the transactions themselves)."""
    count = len(SYSTEM) - (suffix == "/tx")
    named = zip(SYSTEM_TITLES[:count], SYSTEM_KEYS, strict=False)
    return (Column("I#"), *(Column(title + suffix, name + key) for title, name in named))


def scales(count: int = len(SYSTEM)) -> list[int]:
    """What one printed unit is worth: redo is printed in KiB."""
    return [1024 if name == "redo_bytes" else 1 for name in SYSTEM[:count]]


def _system(kind) -> Callable[[Content, RacDialect], Sheet]:
    heading, anchor, suffix, key, digits, names = kind

    def make(content: Content, _dialect: RacDialect) -> Sheet:
        columns = system_columns(suffix, key)
        worth = scales(len(columns) - 1)

        def values(instance: Instance) -> list[Decimal]:
            by = {"": 1, "/s": content.seconds, "/tx": instance.counters["transactions"]}[suffix]
            return [
                Decimal(instance.counters[name]) / by / unit
                for name, unit in zip(SYSTEM, worth, strict=False)
            ]

        lines = by_instance(content, values, lambda value: fixed(value, digits), names)
        said = tuple(
            Line([line.cells[0], *_worth(line.cells[1:], worth)], line.also, line.total, line.said)
            for line in lines
        )
        return Sheet("system_statistics", heading, heading, columns, said, anchor=anchor)

    return make


def _worth(cells: Sequence[Shown], worth: Sequence[int]) -> list[Shown]:
    return [
        Shown(cell.text, None if cell.says is None else cell.says.times(unit))
        for cell, unit in zip(cells, worth, strict=True)
    ]


# ------------------------------------------------------------------------------------ events
EVENT_NOTES = (
    "Instance '*'  - cluster wide summary",
    "         '*'  Waits, %Timeouts, Wait Time Total(s)      : Cluster-wide total for the wait"
    " event",
    "         '*'  'Wait Time Avg'                      : Cluster-wide average computed as"
    " (Wait Time Total / Event Waits)",
    "         '*'  Summary 'Avg Wait Time '              : Per-instance 'Wait Time Avg ' used to"
    " compute the following statistics",
    "         '*'  [Avg/Min/Max/Std Dev]                     : average/minimum/maximum/standard"
    " deviation of per-instance 'Wait Time Avg'",
    "         '*'  Cnt                                       : count of instances with wait times"
    " for the event",
)


def event_columns(new: bool, share: str) -> tuple[Column, ...]:
    """The columns of Top Timed Events."""
    spreads = "Summary Avg Wait Time" if new else "Summary Avg Wait Time (ms)"
    return (
        Column("I#"), Column("Class", "wait_class", "Wait", left=True),
        Column("Event", "event", "Wait", left=True), Column("Waits", "waits", "Event"),
        Column("%Timeouts", "timeouts_ratio", "Event"),
        Column("Total(s)", "total_wait_s", "Wait Time"),
        Column("Avg Wait" if new else "Avg(ms)", "avg_wait_s", "Wait Time"),
        Column("%DB time", share, "Wait Time"), Column("Avg", "instances_avg_s", spreads),
        Column("Min", "instances_min_s", spreads), Column("Max", "instances_max_s", spreads),
        Column("Std Dev", "instances_std_s", spreads), Column("Cnt", "instances_count", spreads),
    )  # fmt: skip


def events_sheet(
    heading: str, anchor: str, scope: str, lines: tuple[Line, ...], *, new: bool = True
) -> Sheet:
    """One of the three tables of top timed events."""
    share = "bg_time_ratio" if scope == "background" else "db_time_ratio"
    summary = ". ".join([f"{heading}. ", *(" ".join(note.split()) for note in EVENT_NOTES)])
    return Sheet(
        "top_events", heading, summary, event_columns(new, share), lines, anchor=anchor,
        bullets=EVENT_NOTES, fixed={"scope": scope},
    )  # fmt: skip


def pooled(parts: Sequence[Wait]) -> Wait:
    """The waits of one event on all instances."""
    return Wait(
        parts[0].event, parts[0].wait_class, sum(w.waits for w in parts),
        sum(w.timeouts for w in parts), sum(w.time_us for w in parts),
    )  # fmt: skip


def spread_cells(parts: Sequence[Wait], show, *, count: bool = True) -> list[Shown]:
    """Avg, Min, Max, Std Dev and Cnt over the instances' mean waits."""
    averages = [wait.average for wait in parts if wait.average is not None]
    shown = [show(value) for value in spread(averages)]
    many = len(averages)
    return [*shown, Shown(str(many), many)] if count else shown


def _waits(instance: Instance, scope: str) -> tuple[Wait, ...]:
    parts = {"foreground": instance.foreground, "background": instance.background}
    return parts.get(scope, instance.foreground + instance.background)


def by_event(content: Content, scope: str) -> list[list[Wait]]:
    """The waits of each event on the instances that have it."""
    found: dict[str, list[Wait]] = {}
    for instance in content.instances:
        for wait in _waits(instance, scope):
            found.setdefault(wait.event, []).append(wait)
    return list(found.values())


def _share_of(instance: Instance, scope: str) -> Decimal:
    return instance.background_us * MICRO if scope == "background" else instance.db_time


def _cpu_of(instance: Instance, scope: str) -> Decimal:
    return MICRO * (instance.background_cpu_us if scope == "background" else instance.db_cpu_us)


def _top(heading: str, anchor: str, scope: str) -> Callable[[Content, RacDialect], Sheet]:
    cpu_name = "background cpu time" if scope == "background" else "DB CPU"

    def wait_cells(wait: Wait, whole: Decimal, dialect: RacDialect) -> list[Shown]:
        return [
            word(wait.wait_class), word(wait.event), fixed(wait.waits),
            percent(ratio(wait.timeouts, wait.waits), 2), fixed(wait.seconds, 2),
            dialect.average(wait.average), percent(ratio(wait.seconds, whole), 2),
        ]  # fmt: skip

    def cpu_cells(seconds: Decimal, whole: Decimal) -> list[Shown]:
        share = percent(ratio(seconds, whole), 2)
        return [BLANK, word(cpu_name), BLANK, BLANK, fixed(seconds, 2), BLANK, share]

    def block(first: str, rows, also, ends) -> list[Line]:
        rows.sort(key=lambda row: -row[0])
        lines = []
        for rank, (_, cells, end) in enumerate(rows[:10], 1):
            # the number stands once, and is hidden in the rows below
            mark = number(first) if rank == 1 else hidden(number(first))
            lines.append(Line([mark, *cells, *(end or ends)], {**also, "rank": rank}))
        return lines

    def make(content: Content, dialect: RacDialect) -> Sheet:
        instances = content.instances
        whole = sum((_share_of(i, scope) for i in instances), Decimal(0))
        cpu = sum((_cpu_of(i, scope) for i in instances), Decimal(0))
        dict.fromkeys(w.event for i in instances for w in _waits(i, scope))
        rows = [
            (cpu, cpu_cells(cpu, whole), [*[BLANK] * 4, Shown(str(len(instances)), len(instances))])
        ]
        for parts in by_event(content, scope):
            wait = pooled(parts)
            ends = spread_cells(parts, dialect.average)
            rows.append((wait.seconds, wait_cells(wait, whole, dialect), ends))
        lines = block("*", rows, level(None), None)
        for instance in instances:
            own = _share_of(instance, scope)
            rows = [(_cpu_of(instance, scope), cpu_cells(_cpu_of(instance, scope), own), None)]
            rows += [
                (wait.seconds, wait_cells(wait, own, dialect), None)
                for wait in _waits(instance, scope)
            ]
            lines += block(str(instance.number), rows, level(instance), [BLANK] * 5)
        return events_sheet(heading, anchor, scope, tuple(lines), new=dialect.new)

    return make


def _global_events(heading: str, anchor: str, scope: str) -> Callable[[Content, RacDialect], Sheet]:
    share = "bg_time_ratio" if scope == "background" else "db_time_ratio"

    def make(content: Content, dialect: RacDialect) -> Sheet:
        instances = content.instances
        whole = sum((_share_of(i, scope) for i in instances), Decimal(0))
        rows = [(pooled(parts), parts) for parts in by_event(content, scope)]
        rows.sort(key=lambda row: -row[0].time_us)
        lines = tuple(
            Line([
                word(wait.wait_class), word(wait.event), fixed(wait.waits),
                percent(ratio(wait.timeouts, wait.waits), 2), fixed(wait.seconds, 2),
                dialect.average(wait.average), percent(ratio(wait.seconds, whole), 2),
                *spread_cells(parts, dialect.average, count=False),
            ])
            for wait, parts in rows
        )  # fmt: skip
        columns = event_columns(dialect.new, share)[1:-1]
        title = "%bg time" if scope == "background" else "%DB time"
        columns = tuple(
            Column(title, c.key, c.group) if c.title == "%DB time" else c for c in columns
        )
        return Sheet(
            "wait_events", heading, f"This table displays {scope} wait event information", columns,
            lines, anchor=anchor, fixed={**level(None), "scope": scope},
        )  # fmt: skip

    return make


NAMES = [
    " <1us",
    " <2us",
    " <4us",
    " <8us",
    " <16us",
    " <32us",
    " <64us",
    " <128us",
    " <256us",
    " <512us",
    " <1ms",
    " <2ms",
    " <4ms",
    " <8ms",
    " <16ms",
    " <32ms",
    " <64ms",
    " <128ms",
    " <256ms",
    " <512ms",
    " <1s",
    " >=1s",
]


def _histogram(content: Content, dialect: RacDialect) -> Sheet | None:
    if not dialect.new:
        return None
    found: dict[str, list[Histogram]] = {}
    for instance in content.instances:
        for histogram in instance.histograms:
            found.setdefault(histogram.event, []).append(histogram)
    lines = []
    for name, parts in sorted(found.items()):
        waits = kilo(sum(h.total for h in parts))
        total = sum(h.total for h in parts)
        cells, said = [], []
        for place in range(len(NAMES)):
            low = None if place == 0 else place - 1
            high = None if place == len(NAMES) - 1 else place
            count = sum(h.between(low, high) for h in parts)
            shown = _share(count, total)
            cells.append(shown)
            if shown.text:
                said.append({
                    "event": name, "waits": waits.says, "waits_ratio": shown.says,
                    "lower_s": Decimal(0) if low is None else 2**low * MICRO,
                    "upper_s": None if high is None else 2**high * MICRO,
                    "count": Decimal(count) if "(" in shown.text else None,
                })  # fmt: skip
        lines.append(Line([word(name), waits, *cells], said=tuple(said)))
    columns = (
        Column("Event", left=True), Column("Waits"),
        *(Column(name, group="% of Total Waits") for name in NAMES),
    )  # fmt: skip
    return Sheet(
        "event_histogram", "Wait Event Histogram (Global)",
        "This table displays wait event histogram information", columns, tuple(lines),
        anchor="12055", fixed=level(None),
        bullets=("When % of Total Waits is  0.0 the count is displayed in parenthesis",),
    )  # fmt: skip


def _share(count: int, total: int) -> Shown:
    if not count:
        return BLANK
    shown = percent(ratio(count, total), 1)
    return Shown(f"0.0({count})", Decimal(0)) if shown.text == "0.0" else shown


# ------------------------------------------------------------------------- cluster-wide tables
def _activity(content: Content, _dialect: RacDialect) -> Sheet:
    per_second = "per Second"
    columns = (
        Column("Statistic", "statistic", left=True), Column("Total", "total"),
        Column("per Second", "per_s"), Column("per Trans", "per_transaction"),
        Column("Average", "mean_per_s", per_second), Column("Std Dev", "std_per_s", per_second),
        Column("Min", "min_per_s", per_second), Column("Max", "max_per_s", per_second),
    )  # fmt: skip
    rows = [dict(activity_rows(instance)) for instance in content.instances]
    transactions = sum(i.counters["transactions"] for i in content.instances)
    lines = []
    for name in sorted({name for row in rows for name in row}):
        totals = [row[name] for row in rows if name in row]
        rates = [Decimal(total) / content.seconds for total in totals]
        mean, least, most, deviation = spread(rates)
        lines.append(
            Line([
                word(name), fixed(sum(totals)), fixed(sum(rates, Decimal(0)), 2),
                fixed(ratio(sum(totals), transactions), 2), fixed(mean, 2), fixed(deviation, 2),
                fixed(least, 2), fixed(most, 2),
            ])
        )  # fmt: skip
    return Sheet(
        "instance_activity", "System Statistics (Global)",
        "System Statistics (Global). . per Second Average - average of per-instance per Second"
        " rates",
        columns, tuple(lines), anchor="12071", fixed={**level(None), "kind": "rate"},
        bullets=("per Second Average - average of per-instance per Second rates",),
    )  # fmt: skip


def _io_profile(content: Content, dialect: RacDialect) -> Sheet | None:
    if not dialect.new:
        return None
    profiles = [io_profile_rows(content, instance) for instance in content.instances]
    lines = []
    for parts in zip(*profiles, strict=True):
        printed, unit, scale = parts[0][:3]
        reads, writes = sum(part[3] for part in parts), sum(part[4] for part in parts)
        cells = [
            fixed(Decimal(value) / scale / content.seconds, 2, scale=scale)
            for value in (reads + writes, reads, writes)
        ]
        lines.append(Line([Shown(printed, printed), *cells], {"unit": unit}))
    columns = (
        Column("Statistic", "printed", left=True), Column("Read+Write/s", "total_per_s"),
        Column("Reads/s", "read_per_s"), Column("Writes/s", "write_per_s"),
    )  # fmt: skip
    return Sheet(
        "io_profile", "IO Profile (Global)", "IO Profile (Global)", columns, tuple(lines),
        anchor="12097", fixed=level(None),
    )  # fmt: skip


IO_COLUMNS = (
    Column("Total", "requests", "Requests"), Column("IOs/s", "iops", "Requests"),
    Column("Reads/s", "read_iops", "Requests"), Column("Writes/s", "write_iops", "Requests"),
    Column("Total", "bytes", "MB"), Column("IO MB/s", "bw_bytes_per_s", "MB"),
    Column("Read MB/s", "read_bytes_per_s", "MB"), Column("Write MB/s", "write_bytes_per_s", "MB"),
)  # fmt: skip


def _io_cells(io: Io, seconds: int) -> list[Shown]:
    requests, size = io.reads + io.writes, io.read_bytes + io.write_bytes
    rates = [fixed(Decimal(n) / seconds, 2) for n in (requests, io.reads, io.writes)]
    data = [
        fixed(Decimal(n) / MIB / seconds, 2, scale=MIB)
        for n in (size, io.read_bytes, io.write_bytes)
    ]
    return [fixed(requests), *rates, fixed(Decimal(size) / MIB, scale=MIB), *data]


def _io(heading: str, anchor: str, key: str) -> Callable[[Content, RacDialect], Sheet | None]:
    def lines_of(lines: Sequence[Io], content: Content) -> list[Io]:
        names = dict.fromkeys(line.name for line in lines)
        pooled_lines = [total_row(n, tuple(x for x in lines if x.name == n)) for n in names]
        return [total_row("Total", tuple(lines)), *pooled_lines]

    def make(content: Content, dialect: RacDialect) -> Sheet | None:
        if not dialect.new:
            return None
        part = "functions" if key == "function" else "filetypes"
        groups: list[tuple[Instance | None, list[Io]]] = [
            (None, [line for i in content.instances for line in getattr(i, part)])
        ]
        groups += [(instance, list(getattr(instance, part))) for instance in content.instances]
        lines = []
        for instance, rows in groups:
            first = number("*" if instance is None else instance.number)
            for place, io in enumerate(lines_of(rows, content)):
                average = io.wait_us * MICRO / io.waits if io.waits else None
                ends = [kilo(io.waits), timed(average)] if key == "function" else [BLANK, BLANK]
                mark = hidden(first) if place else first
                cells = [mark, word(io.name), *_io_cells(io, content.seconds), *ends]
                lines.append(Line(cells, level(instance)))
        if key == "function":
            tail = (Column("Waits: Count", "waits"), Column("Avg   Time ", "avg_wait_s"))
        else:
            tail = (
                Column("Small Read", "small_read_s", "Service Time"),
                Column("Large Read", "large_read_s", "Service Time"),
            )
        title = "Function Name" if key == "function" else "Filetype Name"
        columns = (Column("I#"), Column(title, key, left=True), *IO_COLUMNS, *tail)
        return Sheet(f"io_by_{key}", heading, heading, columns, tuple(lines), anchor=anchor)

    return make


def _parameters(content: Content, _dialect: RacDialect) -> Sheet:
    columns = (
        Column("Parameter Name", "parameter", left=True), Column("I#"),
        Column("Begin value", "value", left=True),
        Column("End value (if different)", "end_value", left=True),
    )  # fmt: skip
    lines = []
    for name, begin, end in content.instances[0].parameters:
        cells = [word(name), number("*"), word(begin), word(end)]
        lines.append(Line(cells, level(None)))
    for place, instance in enumerate(content.instances):
        name = Shown("instance_name", "instance_name")
        cells = [
            hidden(name) if place else name,
            number(instance.number),
            word(instance.name),
            BLANK,
        ]
        lines.append(Line(cells, level(instance)))
    return Sheet(
        "parameters", "init.ora Parameters",
        "This table displays values for init.ora parameters", columns, tuple(lines), anchor="12080",
        bullets=("'*' indicates same value across all instances",),
    )  # fmt: skip


PARTS = (
    _os, _time_model, _classes, _top("Top Timed Events", "12050", "all"),
    _top("Top Timed Foreground Events", "12051", "foreground"),
    _top("Top Timed Background Events", "12052", "background"),
    _global_events("Foreground Wait Events (Global)", "12053", "foreground"),
    _global_events("Background Wait Events (Global)", "12054", "background"), _histogram,
    *(_system(kind) for kind in SYSTEM_KINDS), _activity, _io_profile,
    _io("IOStat by Function", "12076", "function"), _io("IOStat by File Type", "12077", "filetype"),
    _parameters,
)  # fmt: skip
