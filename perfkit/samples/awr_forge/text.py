"""AWR text reports of one instance (awrrpt, text): 12.1 and 19c."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from perfkit.samples.awr_forge import single
from perfkit.samples.awr_forge.content import Content, Instance, Io, ratio, tablespaces, total_row
from perfkit.samples.awr_forge.printing import (
    BLANK,
    GIB,
    MICRO,
    Shown,
    fixed,
    kilo,
    milli,
    minute,
    moment,
    percent,
    shortest,
    timed,
    word,
)
from perfkit.samples.awr_forge.sheet import Block, Line, fit

NOT_KNOWN = Shown("N/A")
END = " " * 26 + "-" * 54


@dataclass(frozen=True)
class TextDialect:
    """What differs from release to release."""

    name: str
    release: str
    new: bool

    @property
    def average(self) -> Callable[[Decimal | None], Shown]:
        """How a mean wait is printed."""
        return timed if self.new else lambda seconds: milli(seconds, 2)


TEXT_12 = TextDialect("text-12.1", "12.1.0.2.0", new=False)
TEXT_19 = TextDialect("text-19c", "19.0.0.0.0", new=True)


def blocks(content: Content, dialect: TextDialect) -> list[Block]:
    """Every section, in the order of the report."""
    instance = content.instances[0]
    own = {"level": "instance", "instance": instance.number}
    found = [_head(content, instance, dialect)]
    for make in PARTS:
        block = make(content, instance, dialect)
        if block is not None:
            found.append(Block(**{**block.__dict__, "fixed": {**own, **block.fixed}}))
    return found


def render(content: Content, heading: str, found: list[Block], end: str = END) -> str:
    """The whole text; long sections go on with their heading on the next page."""
    instance = content.instances[0]
    snaps = f"Snaps: {content.snapshots.begin_id}-{content.snapshots.end_id}"
    where = f"DB/Inst: {content.database.name}/{instance.name}  {snaps}"
    parts = [f"\n{heading}\n\n"]
    parts += [block_text(block, where, end) for block in found]
    return "".join(parts) + "\nEnd of Report\n"


def block_text(
    block: Block, where: str, end: str, *, page: int = 50, feed: str = "\f\n", wide: int = 80
) -> str:
    """One section as text."""
    if block.style == "literal":
        return block.text
    head = head_lines(block)
    if block.style == "bare":
        return f"{block.text}{head}" + "".join(rows_text(block, block.lines)) + "\n"
    title = f"{block.heading:<{max(wide - len(where), len(block.heading))}}{where}"
    notes = "".join(f"-> {note}\n" for note in block.notes)
    if not block.lines:
        nothing = " " * 18 + "No data exists for this section of the report.\n"
        return f"{title}\n\n{nothing}{end}\n\n"
    pages = [block.lines[i : i + page] for i in range(0, len(block.lines), page)]
    texts = [f"{title}\n{notes}\n{head}" + "".join(rows_text(block, part)) for part in pages]
    return f"{feed}".join(texts) + f"{end}\n{feed}"


def head_lines(block: Block) -> str:
    """The header lines and rulers."""
    lines = []
    for heads, widths in zip(block.heads, block.widths, strict=True):
        lines += [*heads, " ".join("-" * abs(width) for width in widths)]
    return "".join(line.rstrip() + "\n" for line in lines)


def rows_text(block: Block, lines: tuple[Line, ...]):
    """The rows, each of one or more physical lines."""
    for line in lines:
        cells = iter(line.cells)
        text = ""
        for widths in block.widths:
            parts = [_aligned(fit(next(cells, BLANK), width), width) for width in widths]
            text += " ".join(parts).rstrip() + "\n"
        yield text + "".join(f"{part}\n" for part in line.tail)


def _aligned(cell: Shown, width: int) -> str:
    return cell.text.ljust(-width) if width < 0 else cell.text.rjust(width)


# --------------------------------------------------------------------------------- the summary
def _bare(table, keys, widths, heads, lines, text="", fixed_facts=None) -> Block:  # noqa: PLR0917 - what differs, in the order it is printed
    return Block(
        table, "", tuple(keys), (tuple(widths),), (tuple(heads),), tuple(lines),
        fixed=fixed_facts or {}, style="bare", text=text,
    )  # fmt: skip


def _head(content: Content, instance: Instance, dialect: TextDialect) -> Block:
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

    def row(name, number, when, index):
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
    known = single._report(content, instance, _like(dialect))
    known["format"] = "text"
    known["release"] = dialect.release
    said = Line((), said=({**known},))
    return Block("report", "", lines=(said,), style="literal", text=top + host + snaps)


def _like(dialect: TextDialect) -> single.Dialect:
    return single.HTML_19 if dialect.new else single.HTML_11


def _labelled(line: Line, widths: tuple[int, ...]) -> str:
    """A row of the summary: its label, right-aligned, and its values."""
    parts = [
        cell.text.strip().rjust(width) for cell, width in zip(line.cells, widths, strict=False)
    ]
    return "".join(parts).rstrip() + "\n"


def _literal(table, keys, head: str, lines, widths, fixed_facts=None) -> Block:  # noqa: PLR0917 - what differs, in the order it is printed
    text = head + "".join(_labelled(line, widths) for line in lines) + "\n"
    return Block(
        table, "", tuple(keys), lines=tuple(lines), style="literal", text=text,
        fixed=fixed_facts or {},
    )  # fmt: skip


def _load_profile(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    rows = [row for row in single.PROFILE if row[4] is not None or dialect.new]
    lines = single.profile_lines(content, instance, rows)
    head = (
        "Load Profile                    Per Second   Per Transaction  Per Exec  Per Call\n"
        "~~~~~~~~~~~~~~~            ---------------   --------------- --------- ---------\n"
    )
    keys = ("printed", "per_s", "per_transaction", "per_exec", "per_call")
    return _literal("load_profile", keys, head, lines, (24, 18, 18, 10, 10))


def _top(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
    if dialect.new:
        heads = (
            "                                           Total Wait       Avg   % DB Wait",
            "Event                                Waits Time (sec)      Wait   time Class",
        )
    else:
        heads = (
            "                                           Total Wait       Wait   % DB Wait",
            "Event                                Waits Time (sec)    Avg(ms)   time Class",
        )
    lines = []
    for rank, wait in enumerate(single.top_rows(instance), 1):
        if wait is None:
            cpu = single.cpu_row(instance)
            seconds = single._total_seconds(cpu["seconds"], dialect.new)
            cells = [
                word("DB CPU"),
                BLANK,
                seconds,
                BLANK,
                percent(cpu["share"], 1, dot=True),
                BLANK,
            ]
        else:
            cells = [
                word(wait.event), fixed(wait.waits),
                single._total_seconds(wait.seconds, dialect.new), dialect.average(wait.average),
                percent(ratio(wait.seconds, instance.db_time), 1, dot=True), word(wait.wait_class),
            ]  # fmt: skip
        lines.append(Line(cells, {"rank": rank}))
    title = "Top 10 Foreground Events by Total Wait Time"
    keys = ("event", "waits", "total_wait_s", "avg_wait_s", "db_time_ratio", "wait_class")
    widths = (-30, 11, 10, 9 if dialect.new else 10, 6, -8)
    text = f"{title}\n{'~' * len(title)}\n"
    return _bare("top_events", keys, widths, heads, lines, text, {"scope": "foreground"})


def _classes(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    if dialect.new:
        heads = (
            "                                                          Avg             Avg",
            "                                        Total Wait       Wait   % DB   Active",
            "Wait Class                  Waits       Time (sec)       Time   time Sessions",
        )
    else:
        heads = (
            "                                                           Avg             Avg",
            "                                        Total Wait        Wait   % DB   Active",
            "Wait Class                  Waits       Time (sec)        (ms)   time Sessions",
        )
    lines = []
    for wait in single.class_rows(instance.foreground + instance.background, instance):
        seconds = instance.db_cpu_us * MICRO if wait is None else wait.seconds
        cells = [
            word("DB CPU" if wait is None else wait.event),
            BLANK if wait is None else fixed(wait.waits), fixed(seconds),
            BLANK if wait is None else dialect.average(wait.average),
            percent(ratio(seconds, instance.db_time), 1, dot=True),
            fixed(seconds / content.seconds, 1),
        ]  # fmt: skip
        lines.append(Line(cells))
    title = "Wait Classes by Total Wait Time"
    keys = (
        "wait_class", "waits", "total_wait_s", "avg_wait_s", "db_time_ratio",
        "average_active_sessions",
    )  # fmt: skip
    widths = (-16, 16, 16, 10 if dialect.new else 11, 6, 8)
    text = f"{title}\n{'~' * len(title)}\n"
    return _bare("wait_classes", keys, widths, heads, lines, text, {"scope": "all"})


def _host_cpu(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    cpu = instance.cpu
    cells = [fixed(count) for count in (instance.cpus, instance.cores, instance.sockets)]
    cells += [fixed(load, 2) for load in cpu.load]
    parts = (cpu.user, cpu.system, cpu.iowait, cpu.idle)
    cells += [percent(cpu.share(part), 1) for part in parts]
    keys = (
        "cpus", "cores", "sockets", "load_average_begin", "load_average_end", "user_ratio",
        "system_ratio", "iowait_ratio", "idle_ratio",
    )  # fmt: skip
    heads = (
        "~~~~~~~~                  Load Average",
        " CPUs Cores Sockets     Begin       End     %User   %System      %WIO     %Idle",
    )
    return _bare("host_cpu", keys, (5, 5, 7, 9, 9, 9, 9, 9, 9), heads, [Line(cells)], "Host CPU\n")


def _instance_cpu(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    names = (
        "% of total CPU for Instance:", "% of busy  CPU for Instance:",
        "%DB time waiting for CPU - Resource Mgr:",
    )  # fmt: skip
    keys = ("total_cpu_ratio", "busy_cpu_ratio", "resource_manager_ratio")
    shares = [percent(share, 1) for share in single.instance_shares(content, instance)]
    lines = "".join(
        f"{name:>42}{share.text:>10}\n" for name, share in zip(names, shares, strict=True)
    )
    said = {key: share.says for key, share in zip(keys, shares, strict=True)}
    text = f"Instance CPU\n~~~~~~~~~~~~\n{lines}\n"
    return Block("instance_cpu", "", lines=(Line((), said=(said,)),), style="literal", text=text)


def _io_profile(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    head = (
        "IO Profile                  Read+Write/Second     Read/Second    Write/Second\n"
        "~~~~~~~~~~                  ----------------- --------------- ---------------\n"
    )
    lines = single.io_profile_lines(content, instance)
    keys = ("printed", "total_per_s", "read_per_s", "write_per_s")
    return _literal("io_profile", keys, head, lines, (27, 18, 16, 16))


def _memory(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    head = (
        "Memory Statistics\n"
        "~~~~~~~~~~~~~~~~~                       Begin          End\n"
        "                                 ------------ ------------\n"
    )
    lines = single.memory_lines(instance)
    return _literal("memory", ("printed", "begin", "end"), head, lines, (32, 13, 13))


def _caches(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    head = (
        "Cache Sizes                       Begin        End\n"
        "~~~~~~~~~~~                  ---------- ----------\n"
    )
    lines = single.cache_lines(content, instance, in_memory=True)
    return _literal("memory", (), head, lines, (28, 11, 11, 17, 11))


# -------------------------------------------------------------------------------- main report
def _time_model(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    lines = [
        Line([
            word(name), fixed(time * MICRO, 1), percent(share, 1, dot=True),
            percent(cpu, 1, dot=True),
        ])
        for name, time, share, cpu in single.model_rows(instance)
    ]  # fmt: skip
    heads = (
        "                                                                % of  % of Total",
        "Statistic Name                                       Time (s) DB Time   CPU Time",
    )
    keys = ("statistic", "time_s", "db_time_ratio", "cpu_time_ratio")
    notes = (
        "DB Time represents total time in user calls",
        'Statistics including the word "background" measure background process\n'
        "   time, therefore do not contribute to the DB time statistic",
    )
    return Block(
        "time_model", "Time Model Statistics", keys, ((-42, 18, 7, 10),), (heads,), tuple(lines),
        notes,
    )  # fmt: skip


def _os(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    heads = ("Statistic                                  Value        End Value",)
    return Block(
        "os_statistics", "Operating System Statistics", ("statistic", "value", "end_value"),
        ((-25, 22, 16),), (heads,), single.os_lines(instance),
        ("*TIME statistic values are diffed.\n"
         "   All others display actual values.  End Value is displayed if different",),
    )  # fmt: skip


def _os_detail(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    keys = (
        "snap_text", "load_average", "busy_ratio", "user_ratio", "system_ratio", "idle_ratio",
        "iowait_ratio",
    )  # fmt: skip
    heads = ("Snap Time           Load    %busy    %user     %sys    %idle  %iowait",)
    return Block(
        "os_statistics_detail", "Operating System Statistics - Detail", keys,
        ((-15, 8, 8, 8, 8, 8, 8),), (heads,),
        single.detail_lines(content, instance, 1, NOT_KNOWN),
    )  # fmt: skip


def _foreground_classes(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
    if dialect.new:
        heads = (
            "                                     %Time      Total Wait",
            "Wait Class                     Waits -outs        Time (s)   Avg wait  %DB time",
        )
    else:
        heads = (
            "                                     %Time      Total Wait         Avg",
            "Wait Class                     Waits -outs        Time (s)   wait (ms)  %DB time",
        )
    lines = []
    for wait in single.class_rows(instance.foreground, instance):
        seconds = instance.db_cpu_us * MICRO if wait is None else wait.seconds
        lines.append(
            Line([
                word("DB CPU" if wait is None else wait.event),
                BLANK if wait is None else fixed(wait.waits),
                BLANK if wait is None else single.timeouts(wait), fixed(seconds),
                BLANK if wait is None else dialect.average(wait.average),
                percent(ratio(seconds, instance.db_time), 1),
            ])
        )  # fmt: skip
    keys = (
        "wait_class", "waits", "timeouts_ratio", "total_wait_s", "avg_wait_s", "db_time_ratio",
    )  # fmt: skip
    return Block(
        "wait_classes", "Foreground Wait Class", keys,
        ((-20, 15, 5, 15, 10 if dialect.new else 11, 9),), (heads,), tuple(lines),
        ("s  - second, ms - millisecond -    1000th of a second",), {"scope": "foreground"},
    )  # fmt: skip


def _events(scope: str):
    def make(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
        foreground = scope == "foreground"
        waits = instance.foreground if foreground else instance.background
        whole = instance.db_time if foreground else instance.background_us * MICRO
        unit = "DB" if foreground else "bg"
        if dialect.new:
            heads = (
                "                                                Total",
                " " * 39 + f"%Time     Wait              Waits   % {unit}",
                "Event                            Waits -outs Time (s)  Avg wait     /txn   time",
            )
        else:
            heads = (
                "                                                Total",
                " " * 39 + f"%Time     Wait        Avg    Waits   % {unit}",
                "Event                            Waits -outs Time (s)  wait (ms)     /txn   time",
            )
        lines = tuple(
            Line([
                word(wait.event), fixed(wait.waits), single.timeouts(wait), fixed(wait.seconds),
                dialect.average(wait.average),
                fixed(ratio(wait.waits, instance.counters["transactions"]), 1),
                percent(ratio(wait.seconds, whole), 1, dot=True),
            ])
            for wait in sorted(waits, key=lambda wait: -wait.time_us)
        )  # fmt: skip
        share = "db_time_ratio" if foreground else "bg_time_ratio"
        keys = (
            "event", "waits", "timeouts_ratio", "total_wait_s", "avg_wait_s",
            "waits_per_transaction", share,
        )  # fmt: skip
        return Block(
            "wait_events", f"{scope.capitalize()} Wait Events", keys,
            ((-26, 11, 5, 8, 9 if dialect.new else 10, 8, 6),), (heads,), lines,
            ("ordered by wait time desc, waits desc (idle events last)",
             "Only events with Total Wait Time (s) >= .001 are shown"),
            {"scope": scope},
        )  # fmt: skip

    return make


def _histogram(_content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    if dialect.new:
        return None  # no real file shows it
    bins = single.BINS_OLD[0]
    heads = (
        "                                                    % of Waits",
        "                                 -----------------------------------------------",
        "                           Total",
        "Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s",
    )
    lines = tuple(
        single.buckets(h, kilo(waits), bins, counts, fit(word(h.event), -25))
        for h, waits, counts in single.histogram_rows(bins, instance.histograms)
    )
    return Block(
        "event_histogram", "Wait Event Histogram", (), ((-25, 6, 5, 5, 5, 5, 5, 5, 5, 5),),
        (heads,), lines,
        ("Units for Total Waits column: K is 1000, M is 1000000, G is 1000000000",),
    )  # fmt: skip


SQL_TABLES = {
    "elapsed": (
        ("executions", "per_exec", "total_ratio", "cpu_ratio", "io_ratio"),
        (16, 14, 13, 6, 6, 6, -13),
        ("        Elapsed                  Elapsed Time",
         "        Time (s)    Executions  per Exec (s)  %Total   %CPU    %IO    SQL Id"),
    ),
    "cpu": (
        ("executions", "per_exec", "total_ratio", "elapsed_s", "cpu_ratio", "io_ratio"),
        (10, 12, 10, 6, 10, 6, 6, -13),
        ("    CPU                   CPU per           Elapsed",
         "  Time (s)  Executions    Exec (s) %Total   Time (s)   %CPU    %IO    SQL Id"),
    ),
    "gets": (
        ("executions", "per_exec", "total_ratio", "elapsed_s", "cpu_ratio", "io_ratio"),
        (11, 11, 12, 6, 10, 5, 5, -13),
        ("     Buffer                 Gets              Elapsed",
         "      Gets   Executions   per Exec   %Total   Time (s)  %CPU   %IO    SQL Id"),
    ),
    "reads": (
        ("executions", "per_exec", "total_ratio", "elapsed_s", "cpu_ratio", "io_ratio"),
        (11, 11, 10, 6, 10, 6, 6, -13),
        ("   Physical              Reads              Elapsed",
         "      Reads  Executions per Exec   %Total   Time (s)   %CPU    %IO    SQL Id"),
    ),
}  # fmt: skip


def _sql(order: single.Order):
    keys, widths, heads = SQL_TABLES[order.name]

    def make(_content: Content, instance: Instance, dialect: TextDialect) -> Block:
        seconds = order.key.endswith("_s")
        lines = []
        ranked = sorted(instance.sql, key=lambda sql: -single.quantity(sql, order.name))
        for rank, sql in enumerate(ranked, 1):
            amount = single.quantity(sql, order.name)
            known = {
                "executions": fixed(sql.executions),
                "per_exec": fixed(ratio(amount, sql.executions), 2 if seconds else 1),
                "total_ratio": percent(
                    ratio(amount, single.whole(instance, order.name)), 1, dot=True
                ),
                "elapsed_s": fixed(sql.elapsed_us * MICRO, 1),
                "cpu_ratio": percent(ratio(sql.cpu_us, sql.elapsed_us), 1, dot=True),
                "io_ratio": percent(ratio(sql.io_us, sql.elapsed_us), 1, dot=True),
            }  # fmt: skip
            cells = [fixed(amount, 1 if seconds else 0), *(known[key] for key in keys)]
            cells.append(Shown(sql.sql_id, sql.sql_id))
            tail = [f"Module: {sql.module}"] if sql.module else []
            tail += [f"   PDB: {sql.container}"] if sql.container and dialect.new else []
            also = {"rank": rank, "module": sql.module or None}
            lines.append(Line(cells, also, tail=(*tail, *textwrap.wrap(sql.text, 80), "")))
        return Block(
            "sql", order.heading, (order.key, *keys, "sql_id"), (widths,), (heads,), tuple(lines),
            ("Resources reported for PL/SQL code includes the resources used by all SQL\n"
             "   statements called by the code.",), {"ordered_by": order.name},
        )  # fmt: skip

    return make


def _activity(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    transactions = instance.counters["transactions"]
    lines = tuple(
        Line([
            word(name), fixed(total), fixed(Decimal(total) / content.seconds, 1),
            fixed(ratio(total, transactions), 1),
        ])
        for name, total in single.activity_rows(instance)
    )  # fmt: skip
    heads = ("Statistic                                     Total     per Second     per Trans",)
    return Block(
        "instance_activity", "Instance Activity Stats",
        ("statistic", "total", "per_s", "per_transaction"), ((-32, 18, 14, 13),), (heads,), lines,
        ("Ordered by statistic name",), {"kind": "rate"},
    )  # fmt: skip


IO_KEYS = (
    "read_bytes", "read_iops", "read_bytes_per_s", "write_bytes", "write_iops",
    "write_bytes_per_s",
)  # fmt: skip
IO_NOTES = (
    "'Data' columns suffixed with M,G,T,P are in multiples of 1024\n"
    "    other columns suffixed with K,M,G,T,P are in multiples of 1000",
)


def _milli(seconds: Decimal | None) -> Shown:
    return NOT_KNOWN if seconds is None else milli(seconds, 1)


def _functions(content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
    if dialect.new:
        return None  # no real file shows it
    rows = [*instance.functions, total_row("TOTAL:", instance.functions)]
    lines = tuple(
        Line([
            word(io.name), *single.io_cells(io, content.seconds, 1, 7, commas=False),
            kilo(io.waits), _milli(io.wait_us * MICRO / io.waits if io.waits else None),
        ])
        for io in (rows if instance.functions else [])
    )  # fmt: skip
    heads = (
        "                 Reads:  Reqs    Data   Writes:  Reqs    Data    Waits:   Avg",
        "Function Name      Data per sec per sec    Data per sec per sec   Count  Tm(ms)",
    )
    return Block(
        "io_by_function", "IOStat by Function summary",
        ("function", *IO_KEYS, "waits", "avg_wait_s"),
        ((-15, *[7] * 8),), (heads,), lines, IO_NOTES,
    )  # fmt: skip


def _filetypes(content: Content, instance: Instance, dialect: TextDialect) -> Block:
    rows = [*instance.filetypes, total_row("TOTAL:", instance.filetypes)]

    def time(value: int | None) -> Shown:
        seconds = None if value is None else value * MICRO
        return timed(seconds) if dialect.new else _milli(seconds)

    def cells(io: Io) -> list[Shown]:
        six = single.io_cells(io, content.seconds, 1, None if dialect.new else 7, commas=False)
        return [word(io.name), *six, time(io.small_read_us), time(io.large_read_us)]

    lines = tuple(Line(cells(io)) for io in (rows if instance.filetypes else []))
    if dialect.new:
        widths = (-14, *[7] * 6, 8, 8)
        heads = (
            "                Reads:  Reqs    Data   Writes:  Reqs    Data      Small    Large",
            "Filetype Name     Data per sec per sec    Data per sec per sec     Read     Read",
        )
    else:
        widths = (-15, *[7] * 8)
        heads = (
            "                 Reads:  Reqs    Data   Writes:  Reqs    Data     Small   Large",
            "Filetype Name      Data per sec per sec    Data per sec per sec    Read    Read",
        )
    keys = ("filetype", *IO_KEYS, "small_read_s", "large_read_s")
    return Block(
        "io_by_filetype", "IOStat by Filetype summary", keys, (widths,), (heads,), lines, IO_NOTES
    )


FILE_KEYS = (
    "reads", "read_iops", "read_avg_s", "blocks_per_read", "one_block_read_iops",
    "one_block_read_avg_s", "optimized_ratio", "writes", "write_iops", "buffer_waits",
    "buffer_wait_avg_s",
)  # fmt: skip
FILE_HEADS = (
    ("                  Av          Av        Av          1-bk     Av 1-bk  % Opt",
     "      Reads       Rds/s     Rd(ms)    Blks/Rd       Rds/s     Rd(ms)  Reads"),
    ("                 Writes     Buffer     Av Buf",
     "     Writes       avg/s      Waits     Wt(ms)"),
)  # fmt: skip


def _files(per_file: bool):
    def make(content: Content, instance: Instance, dialect: TextDialect) -> Block | None:
        if dialect.new:
            return None  # no real file shows it
        rows = instance.files if per_file else tablespaces(instance.files)
        lines = []
        for row in rows:
            cells = single.file_cells(row, content.seconds, 1)
            first = [word(row.tablespace)] + ([word(row.file)] if per_file else [])
            lines.append(Line(first + [cells[key] for key in FILE_KEYS]))
        name = (-24, -52) if per_file else (-30,)
        first_head = ("Tablespace               Filename" if per_file else "Tablespace",)
        keys = ("tablespace", *(["file"] if per_file else []), *FILE_KEYS)
        return Block(
            "io_by_file" if per_file else "io_by_tablespace",
            "File IO Stats" if per_file else "Tablespace IO Stats", keys,
            (name, (11, 11, 10, 10, 11, 10, 6), (11, 11, 10, 10)), (first_head, *FILE_HEADS),
            tuple(lines), ("ordered by IOs (Reads + Writes) desc",),
        )  # fmt: skip

    return make


def _parameters(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    heads = (
        "                                                                End value",
        "Parameter Name                Begin value                       (if different)",
    )
    lines = tuple(
        Line([word(name), word(begin), word(end)]) for name, begin, end in instance.parameters
    )
    return Block(
        "parameters", "init.ora Parameters", ("parameter", "value", "end_value"),
        ((-29, -33, -14),), (heads,), lines,
    )  # fmt: skip


PARTS = (
    _load_profile, _top, _classes, _host_cpu, _instance_cpu, _io_profile, _memory, _caches,
    _time_model, _os, _os_detail, _foreground_classes, _events("foreground"),
    _events("background"), _histogram, *(_sql(order) for order in single.ORDERS), _activity,
    _functions, _filetypes, _files(False), _files(True), _parameters,
)  # fmt: skip
