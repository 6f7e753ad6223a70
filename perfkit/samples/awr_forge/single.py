"""The sections of a report of one instance (awrrpt), HTML 11.2.0.4, 12.2, 19c and PDB."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from perfkit.samples.awr_forge.content import (
    Content,
    FileIo,
    Histogram,
    Instance,
    Io,
    Sql,
    Wait,
    ratio,
    tablespaces,
    total_row,
)
from perfkit.samples.awr_forge.printing import (
    BLANK,
    GIB,
    MIB,
    MICRO,
    Shown,
    data,
    data_rate,
    fixed,
    kilo,
    milli,
    minute,
    moment,
    padded,
    percent,
    shortest,
    size,
    timed,
    word,
)
from perfkit.samples.awr_forge.sheet import Column, Line, Sheet

CLASS_TOTAL = "DB CPU"


@dataclass(frozen=True)
class Dialect:
    """What differs from release to release."""

    name: str
    release: str
    new: bool
    """12.2 and later: unique name, role, edition; times with their unit; fine histograms."""
    user_logons: bool = False
    pdb: bool = False
    viewer: bool = False
    """21c: who looked, and whether with the system's data (printed in a public 21c head)."""
    newline: str = "\n"

    @property
    def average(self) -> Callable[[Decimal | None], Shown]:
        """How a mean wait is printed."""
        return timed if self.new else lambda seconds: milli(seconds, 0)


HTML_11 = Dialect("html-11.2", "11.2.0.4.0", new=False)
HTML_12 = Dialect("html-12.2", "12.2.0.1.0", new=True, newline="\r\n")
HTML_19 = Dialect("html-19c", "19.0.0.0.0", new=True, user_logons=True)
HTML_21 = Dialect("html-21c", "21.0.0.0.0", new=True, user_logons=True, viewer=True)
HTML_23 = Dialect("html-23ai", "23.0.0.0.0", new=True, user_logons=True, viewer=True)
"""No report of 23ai was seen anywhere: this is 21c's form under its release."""
HTML_PDB = Dialect("html-pdb", "19.0.0.0.0", new=True, user_logons=True, pdb=True)


def sheets(content: Content, dialect: Dialect) -> list[Sheet]:
    """Every section, in the order of the report."""
    instance = content.instances[0]
    found = [*_head(content, instance, dialect)]
    own = {"level": "instance", "instance": instance.number}
    for make in PARTS:
        sheet = make(content, instance, dialect)
        if sheet is None or (dialect.pdb and sheet.heading in NOT_IN_PDB):
            continue
        fixed_facts = {**own, **sheet.fixed} if sheet.table else sheet.fixed
        found.append(Sheet(**{**sheet.__dict__, "fixed": fixed_facts}))
    return found


NOT_IN_PDB = {
    "Host CPU", "Instance CPU", "Memory Statistics", "Cache Sizes",
    "Operating System Statistics", "Operating System Statistics - Detail",
}  # fmt: skip


def _head(content: Content, instance: Instance, dialect: Dialect) -> list[Sheet]:
    database, release = content.database, dialect.release
    summary = "This table displays database instance information"
    start = minute(instance.startup)
    said = _report(content, instance, dialect)
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
    return [*first, _host(instance, content, dialect), _snapshots(content, instance, dialect)]


def _top(table, summary, titles, cells, said) -> Sheet:
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


def _report(content: Content, instance: Instance, dialect: Dialect) -> dict[str, object]:
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


def _host(instance: Instance, _content: Content, _dialect: Dialect) -> Sheet:
    titles = ["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (GB)"]
    counts = (instance.cpus, instance.cores, instance.sockets)
    cells = [word(instance.host), word(instance.platform)]
    cells += [padded(fixed(count), 5) for count in counts]
    cells.append(padded(fixed(instance.memory_gb, 2), 8))
    columns = tuple(Column(title, left=number < 2) for number, title in enumerate(titles))
    summary = "This table displays host information"
    return Sheet(None, "", summary, columns, (Line(cells),), style="top")


def _snapshots(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    snapshots = content.snapshots
    titles = ["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"]
    titles += ["Instances", "Pluggable Databases Open"] if dialect.new else []
    more = [Shown("1"), Shown(str(len(content.containers)))] if dialect.new else []
    empty = [BLANK] * (len(titles) - 3)

    def moment_row(name, number, when, index):
        cursors = padded(fixed(snapshots.cursors[index], 1), 9)
        sessions = Shown(str(snapshots.sessions[index]))
        return Line(
            [Shown(name), Shown(str(number)), Shown(moment(when)), sessions, cursors, *more]
        )

    def length_row(name, seconds):
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


# ------------------------------------------------------------------------------ report summary
def profile_values(instance: Instance) -> dict[str, Decimal]:
    """Totals in the units that the load profile prints (seconds, bytes, blocks, counts)."""
    counters = instance.counters
    return {
        "DB Time(s)": instance.db_time,
        "DB CPU(s)": instance.db_cpu_us * MICRO,
        "Background CPU(s)": instance.background_cpu_us * MICRO,
        **{name: Decimal(value) for name, value in counters.items()},
    }


PROFILE = (
    # printed, counter, unit, scale of one printed unit, whether 11.2 has it
    ("DB Time(s)", "DB Time(s)", "s", 1, True),
    ("DB CPU(s)", "DB CPU(s)", "s", 1, True),
    ("Background CPU(s)", "Background CPU(s)", "s", 1, False),
    ("Redo size (bytes)", "redo_bytes", "bytes", 1, True),
    ("Logical read (blocks)", "logical_reads", "blocks", 1, True),
    ("Block changes", "block_changes", None, 1, True),
    ("Physical read (blocks)", "physical_reads", "blocks", 1, True),
    ("Physical write (blocks)", "physical_writes", "blocks", 1, True),
    ("Read IO requests", "read_requests", "1", 1, True),
    ("Write IO requests", "write_requests", "1", 1, True),
    ("Read IO (MB)", "read_bytes", "bytes", MIB, True),
    ("Write IO (MB)", "write_bytes", "bytes", MIB, True),
    ("User calls", "user_calls", "1", 1, True),
    ("Parses (SQL)", "parses", "1", 1, True),
    ("Hard parses (SQL)", "hard_parses", "1", 1, True),
    ("SQL Work Area (MB)", "work_area_bytes", "bytes", MIB, True),
    ("Logons", "logons", "1", 1, True),
    ("User logons", "logons", "1", 1, None),
    ("Executes (SQL)", "executes", "1", 1, True),
    ("Rollbacks", "rollbacks", "1", 1, True),
    ("Transactions", "transactions", "1", 1, True),
)


def profile_lines(
    content: Content, instance: Instance, rows, widths=(18, 18, 10)
) -> tuple[Line, ...]:
    """The rows of a load profile, for every dialect."""
    values = profile_values(instance)
    counters = instance.counters
    lines = []
    for printed, name, unit, scale, *_ in rows:
        rate = values[name] / content.seconds / scale
        per_transaction = ratio(values[name] / scale, counters["transactions"])
        last = printed.startswith("Transactions")
        cells = [
            Shown(f"{printed}:", printed),
            padded(fixed(rate, 1, scale=scale), widths[0]),
            BLANK if last else padded(fixed(per_transaction, 1, scale=scale), widths[1]),
        ]
        if name.endswith("(s)") and not name.startswith("Background"):
            for base in ("executes", "user_calls"):
                each = ratio(values[name], counters[base])
                cells.append(padded(fixed(each, 2), widths[2]))
        else:
            cells += [BLANK, BLANK]
        lines.append(Line(cells, {"unit": unit} if unit else {}))
    return tuple(lines)


def _load_profile(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    rows = [
        row for row in PROFILE
        if (dialect.user_logons if row[4] is None else row[4] or dialect.new)
    ]  # fmt: skip
    columns = (
        Column("", "printed", left=True), Column("Per Second", "per_s"),
        Column("Per Transaction", "per_transaction"), Column("Per Exec", "per_exec"),
        Column("Per Call", "per_call"),
    )  # fmt: skip
    lines = profile_lines(content, instance, rows)
    summary = "This table displays load profile"
    return Sheet("load_profile", "Load Profile", summary, columns, lines, style="summary")


def cpu_row(instance: Instance) -> dict[str, object]:
    """The row DB CPU of the tables of events and classes."""
    return {
        "seconds": instance.db_cpu_us * MICRO,
        "share": ratio(instance.db_cpu_us, instance.db_time_us),
    }


def top_rows(instance: Instance) -> list[Wait | None]:
    """The ten foreground events (None: DB CPU) with the most time, most first."""
    rows: list[tuple[int, Wait | None]] = [(wait.time_us, wait) for wait in instance.foreground]
    rows.append((instance.db_cpu_us, None))
    rows.sort(key=lambda row: -row[0])
    return [wait for _, wait in rows[:10]]


def _top_events(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    average = "Avg Wait" if dialect.new else "Wait Avg(ms)"
    columns = (
        Column("Event", "event", left=True), Column("Waits", "waits"),
        Column("Total Wait Time (sec)", "total_wait_s"), Column(average, "avg_wait_s"),
        Column("% DB time", "db_time_ratio"), Column("Wait Class", "wait_class", left=True),
    )  # fmt: skip
    lines = tuple(
        Line(_top_cells(wait, instance, dialect), {"rank": number})
        for number, wait in enumerate(top_rows(instance), 1)
    )
    return Sheet(
        "top_events", "Top 10 Foreground Events by Total Wait Time",
        "This table displays top 10 wait events by total wait time", columns, lines,
        fixed={"scope": "foreground"}, style="summary",
    )  # fmt: skip


def _total_seconds(seconds: Decimal, new: bool) -> Shown:
    # 26.4K from 10,000 s on, in 12.2 and later
    if new and seconds >= 10_000:
        scaled = shortest(seconds / 1000, 1, 1000)
        return Shown(scaled.text + "K", scaled.says)
    return shortest(seconds)


def _top_cells(wait: Wait | None, instance: Instance, dialect: Dialect) -> list[Shown]:
    if wait is None:
        cpu = cpu_row(instance)
        seconds = _total_seconds(cpu["seconds"], dialect.new)
        return [word("DB CPU"), BLANK, seconds, BLANK, percent(cpu["share"], 1, dot=True), BLANK]
    return [
        word(wait.event), fixed(wait.waits), _total_seconds(wait.seconds, dialect.new),
        dialect.average(wait.average),
        percent(ratio(wait.seconds, instance.db_time), 1, dot=True), word(wait.wait_class),
    ]  # fmt: skip


def class_rows(waits: tuple[Wait, ...], instance: Instance) -> list[Wait | None]:
    """The wait classes (None: DB CPU), most time first."""
    names = dict.fromkeys(wait.wait_class for wait in waits)
    rows: list[tuple[int, Wait | None]] = [(instance.db_cpu_us, None)]
    for name in names:
        part = [wait for wait in waits if wait.wait_class == name]
        whole = Wait(
            name, name, sum(w.waits for w in part), sum(w.timeouts for w in part),
            sum(w.time_us for w in part),
        )  # fmt: skip
        rows.append((whole.time_us, whole))
    rows.sort(key=lambda row: -row[0])
    return [wait for _, wait in rows]


def _wait_classes(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    average = "Avg Wait Time" if dialect.new else "Avg Wait (ms)"
    columns = (
        Column("Wait Class", "wait_class", left=True), Column("Waits", "waits"),
        Column("Total Wait Time (sec)", "total_wait_s"), Column(average, "avg_wait_s"),
        Column("% DB time", "db_time_ratio"),
        Column("Avg Active Sessions", "average_active_sessions"),
    )  # fmt: skip
    lines = []
    for wait in class_rows(instance.foreground + instance.background, instance):
        seconds = instance.db_cpu_us * MICRO if wait is None else wait.seconds
        lines.append(
            Line([
                word("DB CPU" if wait is None else wait.event),
                BLANK if wait is None else fixed(wait.waits),
                fixed(seconds),
                BLANK if wait is None else dialect.average(wait.average),
                percent(ratio(seconds, instance.db_time), 1, dot=True),
                fixed(seconds / content.seconds, 1),
            ])
        )  # fmt: skip
    return Sheet(
        "wait_classes", "Wait Classes by Total Wait Time",
        "This table displays wait class statistics ordered by total wait time", columns,
        tuple(lines), fixed={"scope": "all"}, style="summary",
    )  # fmt: skip


def _host_cpu(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    titles = (
        ("CPUs", "cpus"), ("Cores", "cores"), ("Sockets", "sockets"),
        ("Load Average Begin", "load_average_begin"), ("Load Average End", "load_average_end"),
        ("%User", "user_ratio"), ("%System", "system_ratio"), ("%WIO", "iowait_ratio"),
        ("%Idle", "idle_ratio"),
    )  # fmt: skip
    cpu = instance.cpu
    cells = [padded(fixed(n), 5) for n in (instance.cpus, instance.cores, instance.sockets)]
    cells += [padded(fixed(load, 2), 7) for load in cpu.load]
    parts = (cpu.user, cpu.system, cpu.iowait, cpu.idle)
    cells += [padded(percent(cpu.share(part), 1), 6) for part in parts]
    columns = tuple(Column(title, key) for title, key in titles)
    summary = "This table displays system load statistics"
    return Sheet("host_cpu", "Host CPU", summary, columns, (Line(cells),), style="plain")


def instance_shares(content: Content, instance: Instance) -> tuple[Decimal | None, ...]:
    """The instance's share of all and of busy CPU time, and of waiting for CPU."""
    used = (instance.db_cpu_us + instance.background_cpu_us) * MICRO
    whole = Decimal(instance.cpu.busy + instance.cpu.idle) / 100
    return ratio(used, whole), ratio(used, Decimal(instance.cpu.busy) / 100), Decimal(0)


def _instance_cpu(content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    columns = (
        Column("%Total CPU", "total_cpu_ratio"), Column("%Busy CPU", "busy_cpu_ratio"),
        Column("%DB time waiting for CPU (Resource Manager)", "resource_manager_ratio"),
    )  # fmt: skip
    cells = [padded(percent(share, 1), 10) for share in instance_shares(content, instance)]
    summary = "This table displays CPU usage and wait statistics"
    return Sheet("instance_cpu", "Instance CPU", summary, columns, (Line(cells),), style="plain")


def io_profile_rows(content: Content, instance: Instance):
    """(printed, unit, scale, reads, writes) of the IO profile, as totals."""
    count, block = instance.counters, content.database.block_size
    zero = 0
    return (
        ("Total Requests", "1", 1, count["total_read_requests"], count["total_write_requests"]),
        ("Database Requests", "1", 1, count["read_requests"], count["write_requests"]),
        ("Optimized Requests", "1", 1, zero, zero),
        ("Redo Requests", "1", 1, zero, count["redo_requests"]),
        ("Total (MB)", "bytes", MIB, count["total_read_bytes"], count["total_write_bytes"]),
        ("Database (MB)", "bytes", MIB, count["physical_reads"] * block,
         count["physical_writes"] * block),
        ("Optimized Total (MB)", "bytes", MIB, zero, zero),
        ("Redo (MB)", "bytes", MIB, zero, count["redo_bytes"]),
        ("Database (blocks)", "blocks", 1, count["physical_reads"], count["physical_writes"]),
        ("Via Buffer Cache (blocks)", "blocks", 1, count["physical_reads"],
         count["physical_writes"]),
        ("Direct (blocks)", "blocks", 1, zero, zero),
    )  # fmt: skip


def io_profile_lines(content: Content, instance: Instance, colon: str = ":") -> tuple[Line, ...]:
    """The rows of the IO profile, one decimal, for every single-instance dialect."""
    lines = []
    for printed, unit, scale, reads, writes in io_profile_rows(content, instance):
        parts = (reads + writes, reads, writes)
        cells = [
            padded(fixed(Decimal(part) / scale / content.seconds, 1, scale=scale), 18)
            for part in parts
        ]
        lines.append(Line([Shown(printed + colon, printed), *cells], {"unit": unit}))
    return tuple(lines)


def _io_profile(content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    columns = (
        Column("", "printed", left=True), Column("Read+Write Per Second", "total_per_s"),
        Column("Read per Second", "read_per_s"), Column("Write Per Second", "write_per_s"),
    )  # fmt: skip
    return Sheet(
        "io_profile", "IO Profile", "This table displays IO profile", columns,
        io_profile_lines(content, instance), style="summary",
    )  # fmt: skip


def memory_lines(instance: Instance) -> tuple[Line, ...]:
    """Host, SGA and PGA memory."""
    memory = instance.memory
    rows = (
        ("Host Mem (MB)", memory.host, memory.host),
        ("SGA use (MB)", *memory.sga),
        ("PGA use (MB)", *memory.pga),
    )
    lines = [
        Line(
            [Shown(f"{name}:", name)] + [padded(fixed(v, 1, scale=MIB), 12) for v in values],
            {"unit": "bytes"},
        )
        for name, *values in rows
    ]
    shares = [
        padded(percent(ratio(sga + pga, memory.host), 2), 8)
        for sga, pga in zip(memory.sga, memory.pga, strict=True)
    ]
    name = "% Host Mem used for SGA+PGA"
    return (*lines, Line([Shown(f"{name}:", name), *shares], {"unit": "1"}))


def _memory(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    columns = (Column(" ", "printed", left=True), Column("Begin", "begin"), Column("End", "end"))
    summary = "This table displays memory statistics"
    lines = memory_lines(instance)
    return Sheet("memory", "Memory Statistics", summary, columns, lines, style="plain")


def cache_lines(content: Content, instance: Instance, in_memory: bool) -> tuple[Line, ...]:
    """The cache sizes: two names in a row."""
    memory = instance.memory

    def sized(pair):
        return [padded(size(value, MIB, "M"), 11) for value in pair]

    def said(name, begin, end=None):
        row = {"printed": name, "unit": "bytes", "begin": Decimal(begin)}
        return row if end is None else {**row, "end": Decimal(end)}

    block = content.database.block_size
    pairs = (
        ("Buffer Cache", memory.buffer_cache, "Std Block Size", size(block // 1024, 1024, "K")),
        ("Shared Pool Size", memory.shared_pool, "Log Buffer", size(memory.log_buffer, 1024, "K")),
    )
    lines = [
        Line(
            [Shown(f"{name}:"), *sized(pair), Shown(f"{other}:"), padded(shown, 11)],
            said=(said(name, pair[0] * MIB, pair[1] * MIB), said(other, shown.says)),
        )
        for name, pair, other, shown in pairs
    ]
    if in_memory:
        cells = [Shown("In-Memory Area:"), *sized((0, 0))]
        lines.append(Line(cells, said=(said("In-Memory Area", 0, 0),)))
    return tuple(lines)


def _caches(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    titles = ("", "Begin", "End", "", "")
    columns = tuple(Column(title, left=number in {0, 3}) for number, title in enumerate(titles))
    summary = (
        "This table displays cache sizes and other statistics for\n"
        "                    different types of cache"
    )
    lines = cache_lines(content, instance, dialect.new)
    return Sheet("memory", "Cache Sizes", summary, columns, lines, style="plain")


# -------------------------------------------------------------------------------- main report
def model_rows(instance: Instance) -> list[tuple[str, int, Decimal | None, Decimal | None]]:
    """The time model: statistic, microseconds, share of DB time, share of CPU time."""
    cpu = instance.db_cpu_us + instance.background_cpu_us
    inside = [*instance.model.items(), ("DB CPU", instance.db_cpu_us)]
    inside.sort(key=lambda row: (-row[1], row[0]))
    rows = [
        (
            name,
            time,
            ratio(time, instance.db_time_us),
            ratio(time, cpu) if name == "DB CPU" else None,
        )
        for name, time in inside
    ]
    return [
        *rows,
        ("DB time", instance.db_time_us, None, None),
        ("background elapsed time", instance.background_us, None, None),
        ("background cpu time", instance.background_cpu_us, None,
         ratio(instance.background_cpu_us, cpu)),
        ("total CPU time", cpu, None, None),
    ]  # fmt: skip


def _time_model(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    columns = [
        Column("Statistic Name", "statistic", left=True), Column("Time (s)", "time_s"),
        Column("% of DB Time", "db_time_ratio"),
    ]  # fmt: skip
    lines = []
    for name, time, share, cpu in model_rows(instance):
        cells = [word(name), fixed(time * MICRO, 2), percent(share, 2)]
        cells += [percent(cpu, 2)] if dialect.new else []
        lines.append(Line(cells))
    if dialect.new:
        columns.append(Column("% of Total CPU Time", "cpu_time_ratio"))
    else:
        del lines[-1]  # 11.2 does not sum the CPU times
    return Sheet(
        "time_model", "Time Model Statistics",
        "This table displays different time model statistics. For each statistic, time and"
        " % of DB time are displayed",
        tuple(columns), tuple(lines), anchor="1500",
        bullets=("Ordered by % of DB time in descending order, followed by Statistic Name",),
    )  # fmt: skip


def os_lines(instance: Instance) -> tuple[Line, ...]:
    """The statistics of the operating system: times in hundredths of a second."""
    cpu = instance.cpu
    rows = [
        ("BUSY_TIME", cpu.busy, None), ("IDLE_TIME", cpu.idle, None),
        ("IOWAIT_TIME", cpu.iowait, None), ("SYS_TIME", cpu.system, None),
        ("USER_TIME", cpu.user, None), *instance.os, ("NUM_CPUS", instance.cpus, None),
    ]  # fmt: skip
    if instance.cores is not None:
        rows.append(("NUM_CPU_CORES", instance.cores, None))
    if instance.sockets is not None:
        rows.append(("NUM_CPU_SOCKETS", instance.sockets, None))
    lines = []
    for name, begin, end in rows:
        timed_name = name.endswith("_TIME")
        scale = Decimal("0.01") if timed_name else 1
        unit = "s" if timed_name else "bytes" if "_BYTES" in name or "_SIZE_" in name else "1"
        cells = [word(name), fixed(begin, scale=scale), fixed(end, scale=scale)]
        lines.append(Line(cells, {"unit": unit}))
    return tuple(lines)


def _os(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    columns = (
        Column("Statistic", "statistic", left=True), Column("Value", "value"),
        Column("End Value", "end_value"),
    )  # fmt: skip
    return Sheet(
        "os_statistics", "Operating System Statistics",
        "This table displays operating systems statistics. For each statistic, actual value is"
        " displayed. If the end value is different, it is also displayed",
        columns, os_lines(instance), anchor="1600",
        bullets=("*TIME statistic values are diffed.      All others display actual values.",),
    )  # fmt: skip


def detail_lines(content: Content, instance: Instance, digits: int, missing: Shown):
    """The load and CPU shares at each snapshot."""
    cpu, snapshots = instance.cpu, content.snapshots
    parts = (cpu.busy, cpu.user, cpu.system, cpu.idle, cpu.iowait)
    shares = [percent(cpu.share(part), digits) for part in parts]
    first = [word(moment(snapshots.begin, "detail")), fixed(cpu.load[0], digits)]
    last = [word(moment(snapshots.end, "detail")), fixed(cpu.load[1], digits)]
    return (Line(first + [missing] * 5), Line(last + shares))


def _os_detail(content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    columns = (
        Column("Snap Time", "snap_text", left=True), Column("Load", "load_average"),
        Column("%busy", "busy_ratio"), Column("%user", "user_ratio"),
        Column("%sys", "system_ratio"), Column("%idle", "idle_ratio"),
        Column("%iowait", "iowait_ratio"),
    )  # fmt: skip
    return Sheet(
        "os_statistics_detail", "Operating System Statistics - Detail",
        "This table displays some detailed operating systems statistics. load, % busy , % user,"
        " % sys, % idle, % iowait are displayed for begin and end snap time",
        columns, detail_lines(content, instance, 2, BLANK), anchor="1610",
    )  # fmt: skip


def _foreground_classes(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    average = "Avg wait" if dialect.new else "Avg wait (ms)"
    columns = (
        Column("Wait Class", "wait_class", left=True), Column("Waits", "waits"),
        Column("%Time -outs", "timeouts_ratio"), Column("Total Wait Time (s)", "total_wait_s"),
        Column(average, "avg_wait_s"), Column("%DB time", "db_time_ratio"),
    )  # fmt: skip
    lines = []
    for wait in class_rows(instance.foreground, instance):
        if wait is None:
            seconds = instance.db_cpu_us * MICRO
            share = percent(ratio(seconds, instance.db_time), 2)
            cells = [word("DB CPU"), BLANK, BLANK, fixed(seconds), BLANK, share]
        else:
            cells = [
                word(wait.event), fixed(wait.waits), timeouts(wait), fixed(wait.seconds),
                dialect.average(wait.average), percent(ratio(wait.seconds, instance.db_time), 2),
            ]  # fmt: skip
        lines.append(Line(cells))
    return Sheet(
        "wait_classes", "Foreground Wait Class",
        "This table displays foreground wait class statistics", columns, tuple(lines),
        anchor="210", fixed={"scope": "foreground"},
        bullets=("s  - second, ms - millisecond -    1000th of a second",),
    )  # fmt: skip


def timeouts(wait: Wait) -> Shown:
    """Whole percent of the waits; nothing where none timed out."""
    return percent(ratio(wait.timeouts, wait.waits), 0) if wait.timeouts else BLANK


def _events(instance, dialect, waits, whole, share_title, share_key, transactions):  # noqa: PLR0917 - what differs, in the order it is printed
    average = "Avg wait" if dialect.new else "Avg wait (ms)"
    columns = (
        Column("Event", "event", left=True), Column("Waits", "waits"),
        Column("%Time -outs", "timeouts_ratio"), Column("Total Wait Time (s)", "total_wait_s"),
        Column(average, "avg_wait_s"), Column("Waits /txn", "waits_per_transaction"),
        Column(share_title, share_key),
    )  # fmt: skip
    lines = tuple(
        Line([
            word(wait.event), fixed(wait.waits), timeouts(wait), fixed(wait.seconds),
            dialect.average(wait.average), fixed(ratio(wait.waits, transactions), 2),
            percent(ratio(wait.seconds, whole), 2),
        ])
        for wait in sorted(waits, key=lambda wait: -wait.time_us)
    )  # fmt: skip
    return columns, lines


def _foreground(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    columns, lines = _events(
        instance, dialect, instance.foreground, instance.db_time, "% DB time", "db_time_ratio",
        instance.counters["transactions"],
    )  # fmt: skip
    return Sheet(
        "wait_events", "Foreground Wait Events",
        "This table displays Foreground Wait Events and their wait statistics", columns, lines,
        anchor="100", fixed={"scope": "foreground"},
        bullets=("ordered by wait time desc, waits desc (idle events last)",),
    )  # fmt: skip


def _background(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    columns, lines = _events(
        instance, dialect, instance.background, instance.background_us * MICRO, "% bg time",
        "bg_time_ratio", instance.counters["transactions"],
    )  # fmt: skip
    return Sheet(
        "wait_events", "Background Wait Events",
        "This table displays background wait events statistics", columns, lines, anchor="300",
        fixed={"scope": "background"},
    )  # fmt: skip


HISTOGRAM = (
    "This table displays total number of waits, and information about total wait time, for each"
    " wait event"
)


@dataclass(frozen=True)
class Bins:
    """One histogram table: its edges as powers of two microseconds, with their printed names."""

    anchor: str
    heading: str
    waits_title: str
    group: str
    edges: tuple[tuple[str, int | None, int | None], ...]
    all_waits: bool = False


def _edges(names: str, first: int | None, powers: list[int]) -> tuple:
    lows = [first, *powers]
    highs = [*powers, None]
    return tuple(zip(names.split("|"), lows, highs, strict=True))


# 12.2 and later print what is below the range in the first column of each table
BINS_NEW = (
    Bins("7400", "Wait Event Histogram", "Total Waits", "% of Total Waits",
         _edges("<8us|<16us|<32us|<64us|<128us|<256us|<512us|>=512us", None,
                [3, 4, 5, 6, 7, 8, 9]), all_waits=True),
    Bins("7405", "Wait Event Histogram (up to 64 us)", "Waits 1us  - 64us", "% of Total Waits",
         _edges(" <1us| <2us| <4us|<8us|<16us|<32us|<64us|>=64us", None, [0, 1, 2, 3, 4, 5, 6])),
    Bins("7410", "Wait Event Histogram (up to 32 ms)", "Waits 1ms  to 32ms", "% of Total Waits",
         _edges(" <512us| <1ms| <2ms| <4ms|<8ms|<16ms|<32ms|>=32ms", None,
                [9, 10, 11, 12, 13, 14, 15])),
    Bins("7420", "Wait Event Histogram (up to 2 sec)", "Waits 64ms  to 2s", "% of Total Waits",
         _edges("<32ms|<64ms|<1/8s|<1/4s|<1/2s|  <1s|  <2s|>=2s", None,
                [15, 16, 17, 18, 19, 20, 21])),
    Bins("7430", "Wait Event Histogram (up to 2 min)", "Waits 4s   to 2m", "% of Total Waits",
         _edges("<2s| <4s| <8s|<16s|<32s|< 1m|< 2m|>=2m", None,
                [21, 22, 23, 24, 25, 26, 27])),
)  # fmt: skip
BINS_OLD = (
    Bins("7400", "Wait Event Histogram", "Total Waits", "% of Waits",
         _edges(" <1ms| <2ms| <4ms| <8ms|<16ms|<32ms| <=1s|  >1s", None,
                [10, 11, 12, 13, 14, 15, 20]), all_waits=True),
    Bins("7410", "Wait Event Histogram Detail (64 msec to 2 sec)", "Waits 64ms  to 2s",
         "% of Total Waits",
         _edges("<32ms|<64ms|<1/8s|<1/4s|<1/2s|  <1s|  <2s|>=2s", None,
                [15, 16, 17, 18, 19, 20, 21])),
)  # fmt: skip


def histogram_rows(bins: Bins, histograms: tuple[Histogram, ...]):
    """(event, waits, counts by bucket) of the events that have a row in this table."""
    for histogram in histograms:
        counts = [histogram.between(low, high) for _, low, high in bins.edges]
        inside = histogram.total if bins.all_waits else sum(counts[1:-1])
        if inside:
            yield histogram, inside, counts


def buckets(histogram: Histogram, waits: Shown, bins: Bins, counts: list[int], event) -> Line:
    """One row: the shares, blank where there was no wait, .0 for less than half a digit."""
    shares = [
        percent(ratio(count, histogram.total), 1, dot=True) if count else BLANK for count in counts
    ]
    said = tuple(
        {
            "event": event.says, "waits": waits.says,
            "lower_s": Decimal(0) if low is None else 2**low * MICRO,
            "upper_s": None if high is None else 2**high * MICRO, "waits_ratio": share.says,
        }
        for (_, low, high), share in zip(bins.edges, shares, strict=True)
        if share.text
    )  # fmt: skip
    return Line([event, waits, *shares], said=said)


def _histogram(bins: Bins):
    def make(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
        columns = (
            Column("Event", left=True), Column(bins.waits_title),
            *(Column(name, group=bins.group) for name, _, _ in bins.edges),
        )  # fmt: skip
        lines = tuple(
            buckets(histogram, kilo(waits), bins, counts, word(histogram.event))
            for histogram, waits, counts in histogram_rows(bins, instance.histograms)
        )
        return Sheet(
            "event_histogram", bins.heading, HISTOGRAM, columns, lines, anchor=bins.anchor,
            bullets=("Units for Total Waits column: K is 1000, M is 1000000, G is 1000000000",),
        )  # fmt: skip

    return make


def _only(new: bool, make):
    def maybe(content, instance, dialect):
        return make(content, instance, dialect) if dialect.new is new else None

    return maybe


@dataclass(frozen=True)
class Order:
    """One table of SQL: its quantity, and how it is printed."""

    name: str
    anchor: str
    heading: str
    summary: str
    first: str
    each: str
    key: str


ORDERS = (
    Order("elapsed", "400", "SQL ordered by Elapsed Time", "elapsed time", "Elapsed  Time (s)",
          "Elapsed Time per Exec (s) ", "elapsed_s"),
    Order("cpu", "500", "SQL ordered by CPU Time", "CPU time", "CPU    Time (s)",
          "CPU per  Exec (s)", "cpu_s"),
    Order("gets", "600", "SQL ordered by Gets", "buffer gets", "Buffer Gets ",
          "Gets     per Exec  ", "buffer_gets"),
    Order("reads", "700", "SQL ordered by Reads", "physical reads", "Physical Reads",
          "Reads     per Exec  ", "physical_reads_blocks"),
)  # fmt: skip


def quantity(sql: Sql, order: str) -> Decimal:
    """What a table of SQL is ordered by, in seconds or blocks."""
    return {
        "elapsed": sql.elapsed_us * MICRO, "cpu": sql.cpu_us * MICRO,
        "gets": Decimal(sql.gets), "reads": Decimal(sql.reads),
    }[order]  # fmt: skip


def whole(instance: Instance, order: str) -> Decimal:
    """The report's total of that quantity."""
    return {
        "elapsed": instance.db_time, "cpu": instance.db_cpu_us * MICRO,
        "gets": Decimal(instance.counters["logical_reads"]),
        "reads": Decimal(instance.counters["physical_reads"]),
    }[order]  # fmt: skip


def _sql(order: Order):
    def make(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
        cdb = dialect.new and content.database.cdb
        digits = 2 if order.key.endswith("_s") else 0
        lines = []
        ranked = sorted(instance.sql, key=lambda sql: -quantity(sql, order.name))
        for rank, sql in enumerate(ranked, 1):
            amount = quantity(sql, order.name)
            shares = [percent(ratio(time, sql.elapsed_us), 2) for time in (sql.cpu_us, sql.io_us)]
            elapsed = [] if order.name == "elapsed" else [fixed(sql.elapsed_us * MICRO, 2)]
            cells = [
                fixed(amount, digits), fixed(sql.executions),
                fixed(ratio(amount, sql.executions), 2),
                percent(ratio(amount, whole(instance, order.name)), 2), *elapsed, *shares,
                Shown(sql.sql_id, sql.sql_id), word(sql.module),
                *([word(sql.container)] if cdb else []),
                word(sql.text),
            ]  # fmt: skip
            lines.append(Line(cells, {"rank": rank}))
        head = [
            Column(order.first, order.key), Column("Executions ", "executions"),
            Column(order.each, "per_exec"), Column("%Total", "total_ratio"),
        ]  # fmt: skip
        head += [] if order.name == "elapsed" else [Column("Elapsed  Time (s)", "elapsed_s")]
        head += [
            Column("%CPU", "cpu_ratio"), Column("%IO", "io_ratio"),
            Column("   SQL Id", "sql_id", left=True), Column("SQL Module", "module", left=True),
        ]  # fmt: skip
        head += [Column("PDB Name", "container", left=True)] if cdb else []
        head.append(Column("SQL Text", "text", left=True))
        return Sheet(
            "sql", order.heading, f"This table displays top SQL by {order.summary}", tuple(head),
            tuple(lines), anchor=order.anchor, fixed={"ordered_by": order.name},
        )  # fmt: skip

    return make


def activity_rows(instance: Instance) -> list[tuple[str, int]]:
    """Oracle's names for the counters that the reports' rules ask for, and the rest, by name."""
    count = instance.counters
    known = [
        ("physical read IO requests", count["read_requests"]),
        ("physical read total IO requests", count["total_read_requests"]),
        ("physical read total bytes", count["total_read_bytes"]),
        ("physical reads", count["physical_reads"]),
        ("physical write IO requests", count["write_requests"]),
        ("physical write total IO requests", count["total_write_requests"]),
        ("physical write total bytes", count["total_write_bytes"]),
        ("physical writes", count["physical_writes"]),
        ("redo size", count["redo_bytes"]),
        ("session logical reads", count["logical_reads"]),
    ]
    return sorted([*known, *instance.activity])


def _activity(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    columns = (
        Column("Statistic", "statistic", left=True), Column("Total", "total"),
        Column("per Second", "per_s"), Column("per Trans", "per_transaction"),
    )  # fmt: skip
    transactions = instance.counters["transactions"]
    lines = tuple(
        Line([
            word(name), fixed(total), fixed(Decimal(total) / content.seconds, 2),
            fixed(ratio(total, transactions), 2),
        ])
        for name, total in activity_rows(instance)
    )  # fmt: skip
    part = "" if dialect.new else "non-key "
    return Sheet(
        "instance_activity",
        "Instance Activity Stats" if dialect.new else "Other Instance Activity Stats",
        f"This table displays {part}Instance activity statistics. For each instance, activity"
        " total, activity per second, and activity per transaction are displayed",
        columns, lines, anchor="1250", fixed={"kind": "rate"},
        bullets=("Ordered by statistic name",),
    )  # fmt: skip


IO_NAMES = (
    ("Reads: Data", "read_bytes"), ("Reqs   per sec", "read_iops"),
    ("Data   per sec", "read_bytes_per_s"), ("Writes: Data", "write_bytes"),
    ("Reqs   per sec", "write_iops"), ("Data   per sec", "write_bytes_per_s"),
)  # fmt: skip


def io_cells(io: Io, seconds: int, digits: int, cut: int | None, commas: bool) -> list[Shown]:
    """The six cells of reads and writes."""
    cells = []
    for amount, requests in ((io.read_bytes, io.reads), (io.write_bytes, io.writes)):
        cells += [
            data(amount), fixed(Decimal(requests) / seconds, digits, commas=commas),
            data_rate(Decimal(amount) / seconds, cut),
        ]  # fmt: skip
    return cells


def _functions(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    last = "Avg   Time " if dialect.new else "Avg   Tm(ms)"
    columns = (
        Column("Function Name", "function", left=True),
        *(Column(title, key) for title, key in IO_NAMES), Column("Waits: Count", "waits"),
        Column(last, "avg_wait_s"),
    )  # fmt: skip
    rows = [*instance.functions, total_row("TOTAL:", instance.functions)]
    lines = []
    for io in rows if instance.functions else []:
        average = io.wait_us * MICRO / io.waits if io.waits else None
        shown = timed(average) if dialect.new else milli(average, 2)
        cells = [
            word(io.name),
            *io_cells(io, content.seconds, 2, None if dialect.new else 7, commas=False),
            kilo(io.waits), shown,
        ]  # fmt: skip
        lines.append(Line(cells))
    return Sheet(
        "io_by_function", "IOStat by Function summary",
        "This table displays the IO Statistics for different functions. IO stats includes amount"
        " of reads and writes, requests per second, data per second, wait count and average wait"
        " time",
        columns, tuple(lines), anchor="8760",
        bullets=(
            "'Data' columns suffixed with M,G,T,P are in multiples of 1024     other columns"
            " suffixed with K,M,G,T,P are in multiples of 1000",
        ),
    )  # fmt: skip


def _filetypes(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    columns = (
        Column("Filetype Name", "filetype", left=True),
        *(Column(title, key) for title, key in IO_NAMES), Column("Small Read", "small_read_s"),
        Column("Large Read", "large_read_s"),
    )  # fmt: skip
    rows = [*instance.filetypes, total_row("TOTAL:", instance.filetypes)]
    lines = []
    for io in rows if instance.filetypes else []:
        times = [
            None if time is None else time * MICRO for time in (io.small_read_us, io.large_read_us)
        ]
        shown = [timed(time) if dialect.new else milli(time, 2) for time in times]
        six = io_cells(io, content.seconds, 2, None if dialect.new else 7, commas=False)
        lines.append(Line([word(io.name), *six, *shown]))
    return Sheet(
        "io_by_filetype", "IOStat by Filetype summary",
        "This table displays IO Statistics for different file types, such as data files, control"
        " files, log files and temp files. IO Statistics include amount of reads and writes,"
        " requests per second, data per second and service times",
        columns, tuple(lines), anchor="8770",
    )  # fmt: skip


def file_cells(line: FileIo, seconds: int, digits: int):
    """The cells of one file or tablespace, by the key of their column."""
    return {
        "reads": fixed(line.reads),
        "read_iops": fixed(Decimal(line.reads) / seconds),
        "read_avg_s": milli(ratio(line.read_us * MICRO, line.reads), digits),
        "blocks_per_read": fixed(ratio(line.blocks, line.reads), digits),
        "one_block_read_iops": fixed(Decimal(line.one_block_reads) / seconds),
        "one_block_read_avg_s": milli(
            ratio(line.one_block_us * MICRO, line.one_block_reads), digits
        ),
        "optimized_ratio": percent(Decimal(0), digits),
        "writes": fixed(line.writes),
        "write_iops": fixed(Decimal(line.writes) / seconds),
        "write_avg_s": milli(ratio(line.write_us * MICRO, line.writes), digits),
        "buffer_waits": fixed(line.buffer_waits),
        "buffer_wait_avg_s": milli(ratio(line.buffer_us * MICRO, line.buffer_waits), digits),
        "container": word(line.container),
    }  # fmt: skip


FILES_OLD = (
    ("Reads", "reads"), ("Av    Rds/s", "read_iops"), ("Av   Rd(ms)", "read_avg_s"),
    ("Av    Blks/Rd", "blocks_per_read"), (" 1-bk  Rds/s", "one_block_read_iops"),
    ("Av 1-bk Rd(ms)", "one_block_read_avg_s"), ("Writes", "writes"),
    ("Writes avg/s", "write_iops"), ("Buffer Waits", "buffer_waits"),
    ("Av Buf Wt(ms)", "buffer_wait_avg_s"),
)  # fmt: skip
SPACES_OLD = (
    *FILES_OLD[:4], (" 1-bk  Rds/s", "writes"), ("Av 1-bk Rd(ms)", "one_block_read_iops"),
    ("Writes", "one_block_read_avg_s"), *FILES_OLD[7:],
)  # fmt: skip
"""11.2.0.4 prints three numbers of Tablespace IO Stats below the titles of others (and in the
decimals of those titles): seen on a real report, where writes per second tell."""
FILES_NEW = (
    ("Reads", "reads"), ("Av Rds/s", "read_iops"), ("Av Rd(ms)", "read_avg_s"),
    ("Av Blks/Rd", "blocks_per_read"), ("1-bk Rds/s", "one_block_read_iops"),
    ("Av 1-bk Rd(ms)", "one_block_read_avg_s"), ("% Opt Reads", "optimized_ratio"),
    ("Writes", "writes"), ("Writes avg/s", "write_iops"), ("Av Writes(ms)", "write_avg_s"),
    ("Buffer Waits", "buffer_waits"), ("Av Buf Wt(ms)", "buffer_wait_avg_s"),
)  # fmt: skip


def _misplaced(line: FileIo, seconds: int) -> dict[str, Shown]:
    return {
        "one_block_read_iops": fixed(Decimal(line.one_block_reads) / seconds, 2),
        "one_block_read_avg_s": milli(ratio(line.one_block_us * MICRO, line.one_block_reads), 0),
    }


def _files(per_file: bool):
    def make(content: Content, instance: Instance, dialect: Dialect) -> Sheet:
        names = FILES_NEW if dialect.new else FILES_OLD if per_file else SPACES_OLD
        cdb = dialect.new and content.database.cdb
        names += (("PDB Name", "container"),) if cdb else ()
        rows = instance.files if per_file else tablespaces(instance.files)
        left = [Column("Tablespace", "tablespace", left=True)]
        left += [Column("Filename", "file", left=True)] if per_file else []
        lines = []
        for line in rows:
            cells = file_cells(line, content.seconds, 2)
            if names is SPACES_OLD:
                cells |= _misplaced(line, content.seconds)
            first = [word(line.tablespace)] + ([word(line.file)] if per_file else [])
            lines.append(Line(first + [cells[key] for _, key in names]))
        columns = (*left, *(Column(title, key, left=key == "container") for title, key in names))
        what = "physical files" if per_file else "tablespaces"
        return Sheet(
            "io_by_file" if per_file else "io_by_tablespace",
            "File IO Stats" if per_file else "Tablespace IO Stats",
            f"This table displays IO Statistics for different {what}. IO Statistics include amount"
            " of reads and writes, average read/write per second, average blocks per read",
            columns, tuple(lines), anchor="1800" if per_file else "1700",
        )  # fmt: skip

    return make


def _parameters(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    columns = (
        Column("Parameter Name", "parameter", left=True), Column("Begin value", "value", left=True),
        Column("End value (if different)", "end_value", left=True),
    )  # fmt: skip
    lines = tuple(
        Line([word(name), word(begin), word(end) if end else Shown("\xa0\xa0")])
        for name, begin, end in instance.parameters
    )
    return Sheet(
        "parameters", "init.ora Parameters",
        "This table displays name and value of init.ora parameters", columns, lines, anchor="6800",
    )  # fmt: skip


PARTS = (
    _load_profile, _top_events, _wait_classes, _host_cpu, _instance_cpu, _io_profile, _memory,
    _caches, _time_model, _os, _os_detail, _foreground_classes, _foreground, _background,
    *(_only(True, _histogram(bins)) for bins in BINS_NEW),
    *(_only(False, _histogram(bins)) for bins in BINS_OLD),
    *(_sql(order) for order in ORDERS), _activity, _functions, _filetypes, _files(False),
    _files(True), _parameters,
)  # fmt: skip
