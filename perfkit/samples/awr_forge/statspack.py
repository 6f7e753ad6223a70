"""Statspack text reports (spreport): 12.1, as studied on a real one."""

from __future__ import annotations

import textwrap
from decimal import Decimal

from perfkit.samples.awr_forge import single
from perfkit.samples.awr_forge.content import Content, Instance, Wait, ratio, tablespaces
from perfkit.samples.awr_forge.printing import (
    BLANK,
    GIB,
    MIB,
    MICRO,
    Shown,
    data,
    fixed,
    kilo,
    milli,
    minute,
    moment,
    percent,
    shortest,
    size,
    word,
)
from perfkit.samples.awr_forge.sheet import Block, Line, fit
from perfkit.samples.awr_forge.text import block_text

RELEASE = "12.1.0.2.0"
END = " " * 10 + "-" * 61
FEED = "\f"


def blocks(content: Content) -> list[Block]:
    """Every section, in the order of the report."""
    instance = content.instances[0]
    own = {"level": "instance", "instance": instance.number}
    found = [_head(content, instance)]
    for make in PARTS:
        block = make(content, instance)
        found.append(Block(**{**block.__dict__, "fixed": {**own, **block.fixed}}))
    return found


def render(content: Content, found: list[Block]) -> str:
    """The whole text; the form feed is glued to the heading behind it."""
    name = content.database.name
    where = f"DB/Inst: {name}/{content.instances[0].name}  Snaps: " + (
        f"{content.snapshots.begin_id}-{content.snapshots.end_id}"
    )
    parts = ["\nSTATSPACK report for\n\n"]
    for block in found:
        if block.style == "section":
            parts.append(_section(block, where))
        else:
            parts.append(block_text(block, where, END))
    text = "".join(parts).replace(f"\n\n{END}\n{FEED}Host CPU", f"\n{END}\n{FEED}Host CPU")
    return f"{text}End of Report ( /tmp/sp.lst )\n\n"


def _section(block: Block, where: str) -> str:
    # the heading and where it is from stand two blanks apart
    filled = Block(**{**block.__dict__, "heading": f"{block.heading}  "})
    return block_text(filled, where, END, page=50, feed=FEED, wide=0)


def _head(content: Content, instance: Instance) -> Block:
    database, snapshots = content.database, content.snapshots
    start = minute(instance.startup)
    counts = (instance.cpus, instance.cores, instance.sockets)
    cpus, cores, sockets = ("" if count is None else str(count) for count in counts)
    memory = fixed(instance.memory_gb, 1, scale=GIB)
    elapsed = fixed(Decimal(content.seconds) / 60, 2, scale=60)
    db_time = fixed(instance.db_time / 60, 2, scale=60)
    db_cpu = fixed(instance.db_cpu_us * MICRO / 60, 2, scale=60)
    sessions = fixed(instance.db_time / content.seconds, 1)

    def row(name, number, when, index):
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


def _caches(content: Content, instance: Instance) -> Block:
    memory = instance.memory
    block = size(content.database.block_size // 1024, 1024, "K")
    log = size(memory.log_buffer, 1024, "K")
    pairs = (
        ("Buffer Cache", memory.buffer_cache, "Std Block Size", block),
        ("Shared Pool", memory.shared_pool, "Log Buffer", log),
    )
    text, said = "", []
    for name, (begin, end), other, shown in pairs:
        # the end is printed only where it differs
        last = "" if begin == end else size(end, MIB, "M").text
        text += f"{name + ':':>17} {size(begin, MIB, 'M').text:>10} {last:>10}"
        text += f"{other + ':':>22} {shown.text:>10}\n"
        facts = {"unit": "bytes"}
        said.append({
            **facts, "printed": name, "begin": Decimal(begin * MIB),
            "end": Decimal(end * MIB) if last else None,
        })  # fmt: skip
        said.append({**facts, "printed": other, "begin": shown.says})
    head = "Cache Sizes            Begin        End\n~~~~~~~~~~~       ---------- ----------\n"
    lines = (Line((), said=tuple(said)),)
    return Block("memory", "", lines=lines, style="literal", text=f"{head}{text}\n")


PROFILE = (
    ("DB time(s)", "DB Time(s)", "s", 1), ("DB CPU(s)", "DB CPU(s)", "s", 1),
    ("Redo size", "redo_bytes", "bytes", 1), ("Logical reads", "logical_reads", "blocks", 1),
    ("Block changes", "block_changes", None, 1),
    ("Physical reads", "physical_reads", "blocks", 1),
    ("Physical writes", "physical_writes", "blocks", 1), ("User calls", "user_calls", "1", 1),
    ("Parses", "parses", "1", 1), ("Hard parses", "hard_parses", "1", 1),
    ("W/A MB processed", "work_area_bytes", "bytes", MIB), ("Logons", "logons", "1", 1),
    ("Executes", "executes", "1", 1), ("Rollbacks", "rollbacks", "1", 1),
    ("Transactions", "transactions", "1", 1),
)  # fmt: skip


def _load_profile(content: Content, instance: Instance) -> Block:
    lines = single.profile_lines(content, instance, PROFILE)
    head = (
        "Load Profile              Per Second    Per Transaction    Per Exec    Per Call\n"
        "~~~~~~~~~~~~      ------------------  ----------------- ----------- -----------\n"
    )
    text = ""
    for line in lines:
        parts = [
            cell.text.strip().rjust(width)
            for cell, width in zip(line.cells, (17, 19, 19, 12, 12), strict=False)
        ]
        text += "".join(parts).rstrip() + "\n"
    keys = ("printed", "per_s", "per_transaction", "per_exec", "per_call")
    return Block("load_profile", "", keys, lines=lines, style="literal", text=f"{head}{text}\n")


def _top(_content: Content, instance: Instance) -> Block:
    waits = [*instance.foreground, *instance.background]
    rows: list[tuple[int, Wait | None]] = [(wait.time_us, wait) for wait in waits]
    rows.append((instance.db_cpu_us, None))
    rows.sort(key=lambda row: -row[0])
    total = sum(time for time, _ in rows)
    lines = []
    for rank, (time, wait) in enumerate(rows[:5], 1):
        share = percent(ratio(time, total), 1, dot=True)
        seconds = fixed(time * MICRO)
        cells = [
            word("CPU time" if wait is None else wait.event),
            BLANK if wait is None else fixed(wait.waits), seconds,
            BLANK if wait is None else milli(wait.average, 0), share,
        ]  # fmt: skip
        lines.append(Line(cells, {"rank": rank}))
    text = "Top 5 Timed Events                                                    Avg %Total\n"
    heads = (
        "~~~~~~~~~~~~~~~~~~                                                   wait   Call",
        "Event                                            Waits    Time (s)   (ms)   Time",
    )
    keys = ("event", "waits", "total_wait_s", "avg_wait_s", "db_time_ratio")
    return Block(
        "top_events", "", keys, ((-41, 12, 11, 6, 6),), (heads,), tuple(lines), style="bare",
        text=text, fixed={"scope": "all"},
    )  # fmt: skip


def _host_cpu(_content: Content, instance: Instance) -> Block:
    cpu = instance.cpu
    counts = [instance.cpus, instance.cores or 0, instance.sockets or 0]
    load = [fixed(value, 2) for value in cpu.load]
    parts = (cpu.user, cpu.system, cpu.idle, cpu.iowait)
    shares = [percent(cpu.share(part), 2) for part in parts]
    values = (
        f"{load[0].text:>27} {load[1].text:>7}   {shares[0].text:>7} {shares[1].text:>7} "
        f"{shares[2].text:>7} {shares[3].text:>7}\n\n"
    )
    text = (
        f"{END}\n{FEED}Host CPU  (CPUs: {{}}  Cores: {{}}  Sockets: {{}})\n".format(*counts)
        + "~~~~~~~~              Load Average\n"
        "                      Begin     End      User  System    Idle     WIO     WCPU\n"
        "                    ------- -------   ------- ------- ------- ------- --------\n" + values
    )
    said = {
        "cpus": instance.cpus, "cores": instance.cores, "sockets": instance.sockets,
        "load_average_begin": load[0].says, "load_average_end": load[1].says,
        "user_ratio": shares[0].says, "system_ratio": shares[1].says,
        "idle_ratio": shares[2].says, "iowait_ratio": shares[3].says,
    }  # fmt: skip
    return Block("host_cpu", "", lines=(Line((), said=(said,)),), style="literal", text=text)


def _instance_cpu(content: Content, instance: Instance) -> Block:
    cpu = instance.cpu
    whole, busy = Decimal(cpu.busy + cpu.idle) / 100, Decimal(cpu.busy) / 100
    used = (instance.db_cpu_us + instance.background_cpu_us) * MICRO
    of_busy = percent(ratio(used, busy), 1)
    rows = (
        ("Host: Total time (s):", "host_total_s", BLANK, fixed(whole, 1)),
        ("Host: Busy CPU time (s):", "host_busy_s", BLANK, fixed(busy, 1)),
        ("% of time Host is Busy:", None, percent(ratio(busy, whole), 1), BLANK),
        ("Instance: Total CPU time (s):", "instance_cpu_s", BLANK, fixed(used, 1)),
        ("% of Busy CPU used for Instance:", "busy_cpu_ratio", of_busy, BLANK),
        ("Instance: Total Database time (s):", "instance_db_time_s", BLANK,
         fixed(instance.db_time + instance.background_us * MICRO, 1)),
        ("%DB time waiting for CPU (Resource Mgr):", "resource_manager_ratio",
         percent(Decimal(0), 1), BLANK),
    )  # fmt: skip
    text = "Instance CPU\n~~~~~~~~~~~~                                       % Time (seconds)\n"
    text += f"{'-' * 8:>52} {'-' * 14}\n"
    for name, _, left, right in rows:
        text += f"{name:>42} {left.text:>9} {right.text:>14}".rstrip() + "\n"
    said = {key: left.says if left.text else right.says for _, key, left, right in rows if key}
    lines = (Line((), said=(said,)),)
    return Block("instance_cpu", "", lines=lines, style="literal", text=f"{text}\n")


def _memory(_content: Content, instance: Instance) -> Block:
    memory = instance.memory
    rows = (
        ("Host Mem (MB)", memory.host, memory.host), ("SGA use (MB)", *memory.sga),
        ("PGA use (MB)", *memory.pga),
    )  # fmt: skip
    text, said = "", []
    for name, *values in rows:
        begin, end = (fixed(value, 1, scale=MIB) for value in values)
        text += f"{name + ':':>32} {begin.text:>12} {end.text:>12}\n"
        said.append({"printed": name, "unit": "bytes", "begin": begin.says, "end": end.says})
    head = (
        "Memory Statistics                       Begin          End\n"
        "~~~~~~~~~~~~~~~~~                ------------ ------------\n"
    )
    lines = (Line((), said=tuple(said)),)
    return Block("memory", "", lines=lines, style="literal", text=f"{head}{text}{END}\n\n")


def _time_model(_content: Content, instance: Instance) -> Block:
    lines = tuple(
        Line([word(name), fixed(time * MICRO, 1), percent(share, 1, dot=True)])
        for name, time, share, _ in single.model_rows(instance)[:-1]
    )
    heads = ("Statistic                                       Time (s) % DB time",)
    return Block(
        "time_model", "Time Model System Stats", ("statistic", "time_s", "db_time_ratio"),
        ((-35, 20, 9),), (heads,), lines, ("Ordered by % of DB time desc, Statistic name",),
    )  # fmt: skip


def _events(heading: str, scope: str):
    def make(_content: Content, instance: Instance) -> Block:
        parts = {"foreground": instance.foreground, "background": instance.background}
        waits = parts.get(scope, instance.foreground + instance.background)
        everything = instance.foreground + instance.background
        total = sum(wait.time_us for wait in everything) + instance.db_cpu_us
        transactions = instance.counters["transactions"]
        lines = tuple(
            Line([
                word(wait.event), fixed(wait.waits), single.timeouts(wait), fixed(wait.seconds),
                milli(wait.average, 0), fixed(ratio(wait.waits, transactions), 1),
                percent(ratio(wait.time_us, total), 1, dot=True),
            ])
            for wait in sorted(waits, key=lambda wait: -wait.time_us)
        )  # fmt: skip
        heads = (
            "                                                             Avg          %Total",
            "                                          %Tim Total Wait   wait    Waits   Call",
            "Event                               Waits  out   Time (s)   (ms)     /txn   Time",
        )
        keys = (
            "event", "waits", "timeouts_ratio", "total_wait_s", "avg_wait_s",
            "waits_per_transaction", "db_time_ratio",
        )  # fmt: skip
        return Block(
            "wait_events", heading, keys, ((-28, 12, 4, 10, 6, 8, 6),), (heads,), lines,
            ("Only events with Total Wait Time (s) >= .001 are shown",), {"scope": scope},
        )  # fmt: skip

    return make


def _histogram(_content: Content, instance: Instance) -> Block:
    bins = single.BINS_OLD[0]
    heads = (
        "                           Total ----------------- % of Waits ------------------",
        "Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s",
    )
    lines = tuple(
        single.buckets(h, kilo(waits), bins, counts, fit(word(h.event), -26))
        for h, waits, counts in single.histogram_rows(bins, instance.histograms)
    )
    return Block(
        "event_histogram", "Wait Event Histogram", (), ((-26, 5, 5, 5, 5, 5, 5, 5, 5, 5),),
        (heads,), lines, ("Total Waits - units: K is 1000, M is 1000000, G is 1000000000",),
    )  # fmt: skip


SQL_TABLES = (
    ("cpu", "SQL ordered by CPU", ("cpu_s", "executions", "per_exec", "total_ratio", "elapsed_s",
     "buffer_gets"), (10, 12, 10, 6, 10, 15, 10),
     ("    CPU                  CPU per             Elapsd                     Old",
      "  Time (s)   Executions  Exec (s)  %Total   Time (s)    Buffer Gets  Hash Value")),
    ("gets", "SQL ordered by Gets", ("buffer_gets", "executions", "per_exec", "total_ratio",
     "cpu_s", "elapsed_s"), (15, 12, 14, 6, 8, 9, 10),
     ("                                                     CPU      Elapsd     Old",
      "  Buffer Gets    Executions  Gets per Exec  %Total Time (s)  Time (s) Hash Value")),
    ("reads", "SQL ordered by Reads", ("physical_reads_blocks", "executions", "per_exec",
     "total_ratio", "cpu_s", "elapsed_s"), (15, 12, 14, 6, 8, 9, 10),
     ("                                                     CPU      Elapsd",
      "  Physical Rds   Executions  Rds per Exec   %Total Time (s)  Time (s) Hash Value")),
)  # fmt: skip


def _hash(sql_id: str) -> str:
    """Statspack's key is a number: made of the id, so that it is the same in every run."""
    return str(sum((place + 1) * ord(letter) ** 3 for place, letter in enumerate(sql_id)))


def _sql(table):
    order, heading, keys, widths, heads = table

    def make(_content: Content, instance: Instance) -> Block:
        lines = []
        ranked = sorted(instance.sql, key=lambda sql: -single.quantity(sql, order))
        for rank, sql in enumerate(ranked, 1):
            amount = single.quantity(sql, order)
            seconds = order == "cpu"
            known = {
                "cpu_s": fixed(sql.cpu_us * MICRO, 2),
                "elapsed_s": fixed(sql.elapsed_us * MICRO, 2),
                "buffer_gets": fixed(sql.gets), "physical_reads_blocks": fixed(sql.reads),
                "executions": fixed(sql.executions),
                "per_exec": fixed(ratio(amount, sql.executions), 2 if seconds else 1),
                "total_ratio": percent(ratio(amount, single.whole(instance, order)), 1),
            }  # fmt: skip
            key = _hash(sql.sql_id)
            cells = [*(known[name] for name in keys), Shown(key, key)]
            tail = [f"Module: {sql.module}"] if sql.module else []
            also = {"rank": rank, "module": sql.module or None}
            lines.append(Line(cells, also, tail=(*tail, *textwrap.wrap(sql.text, 64), "")))
        return Block(
            "sql", heading, (*keys, "sql_id"), (widths,), (heads,), tuple(lines),
            (f"Captured SQL accounts for  100.0% of {heading}",), {"ordered_by": order},
        )  # fmt: skip

    return make


def _activity(content: Content, instance: Instance) -> Block:
    transactions = instance.counters["transactions"]
    lines = tuple(
        Line([
            word(name), fixed(total), fixed(Decimal(total) / content.seconds, 1),
            fixed(ratio(total, transactions), 1),
        ])
        for name, total in single.activity_rows(instance)
    )  # fmt: skip
    heads = ("Statistic                                      Total     per Second    per Trans",)
    return Block(
        "instance_activity", "Instance Activity Stats",
        ("statistic", "total", "per_s", "per_transaction"), ((-33, 18, 14, 12),), (heads,), lines,
        fixed={"kind": "rate"},
    )  # fmt: skip


def _os(_content: Content, instance: Instance) -> Block:
    heads = ("Statistic                                  Total",)
    lines = tuple(Line(line.cells[:2], line.also) for line in single.os_lines(instance))
    return Block(
        "os_statistics", "OS Statistics", ("statistic", "value"), ((-25, 22),), (heads,), lines,
        ("ordered by statistic type (CPU use, Virtual Memory, Hardware Config), Name",),
    )  # fmt: skip


def _functions(content: Content, instance: Instance) -> Block:
    lines = []
    for io in instance.functions:
        average = io.wait_us * MICRO / io.waits if io.waits else None
        cells = [word(io.name)]
        for amount, requests in ((io.read_bytes, io.reads), (io.write_bytes, io.writes)):
            rate = shortest(Decimal(amount) / content.seconds / MIB, 1, MIB)
            text = rate.text if "." in rate.text else f"{rate.text}.0"
            cells += [
                data(amount), fixed(Decimal(requests) / content.seconds, 1),
                Shown(f"{text}M", rate.says),
            ]  # fmt: skip
        lines.append(Line([*cells, kilo(io.waits), milli(average, 1)]))
    heads = (
        "               ---------- Read --------- --------- Write -------- --- Wait ----",
        "                 Data  Requests    Data   Data  Requests    Data          Avg",
        "Function        Volume     /sec  Vol/sec Volume     /sec  Vol/sec  Count Tm(ms)",
    )
    keys = (
        "function", "read_bytes", "read_iops", "read_bytes_per_s", "write_bytes", "write_iops",
        "write_bytes_per_s", "waits", "avg_wait_s",
    )  # fmt: skip
    return Block(
        "io_by_function", "IO Stat by Function - summary", keys,
        ((-15, 6, 8, 8, 6, 8, 8, 6, 6),), (heads,), tuple(lines),
        ("Data Volume values suffixed with   M,G,T,P are in multiples of 1024,\n"
         "  other values suffixed with       K,M,G,T,P are in multiples of 1000",),
    )  # fmt: skip


def _tablespaces(content: Content, instance: Instance) -> Block:
    lines = []
    keys = (
        "reads", "read_iops", "read_avg_s", "blocks_per_read", "writes", "write_iops",
        "buffer_waits", "buffer_wait_avg_s",
    )  # fmt: skip
    for row in tablespaces(instance.files):
        cells = single.file_cells(row, content.seconds, 1)
        lines.append(Line([word(row.tablespace), *(cells[key] for key in keys)]))
    heads = (
        ("Tablespace",),
        ("                 Av      Av     Av                    Av        Buffer Av Buf",
         "         Reads Reads/s Rd(ms) Blks/Rd       Writes Writes/s      Waits Wt(ms)"),
    )  # fmt: skip
    return Block(
        "io_by_tablespace", "Tablespace IO Stats", ("tablespace", *keys),
        ((-30,), (14, 7, 6, 7, 12, 8, 10, 6)), heads, tuple(lines),
        ("ordered by IOs (Reads + Writes) desc",),
    )  # fmt: skip


def _parameters(_content: Content, instance: Instance) -> Block:
    heads = (
        "                                                                  End value",
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
    _caches, _load_profile, _top, _host_cpu, _instance_cpu, _memory, _time_model,
    _events("Foreground Wait Events", "foreground"),
    _events("Background Wait Events", "background"), _events("Wait Events (fg and bg)", "all"),
    _histogram, *(_sql(table) for table in SQL_TABLES), _activity, _os, _functions, _tablespaces,
    _parameters,
)  # fmt: skip
