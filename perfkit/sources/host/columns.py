"""What the host tools print, column by column: its name in our tables, its factor, its meaning.

Sources: the manual pages iostat(1), mpstat(1), sar(1), sadf(1) of sysstat and vmstat(8) of procps,
and outputs recorded with the releases named in tests/data/host/README.md. sysstat's kB and MB are
1024 and 1024² bytes, its sectors and blocks 512 bytes; vmstat's blocks are 1024 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from perfkit.core.schema import Schema, flag, moment, number, text, whole
from perfkit.core.units import GIB, KIB, MIB
from perfkit.sources.rundir.schema import RUN_HOST_SERIES, RUN_POINT

ONE = Decimal(1)
PERCENT = Decimal("0.01")
MILLI = Decimal("0.001")
SECTOR = Decimal(512)
KILO = Decimal(KIB)
MEGA = Decimal(MIB)
GIGA = Decimal(GIB)


@dataclass(frozen=True)
class Column:
    """One printed column: where it goes, the factor to SI, what it means, and what it is a mean of.

    ``mean_of`` names the column with the number of I/Os behind a mean: with none, there is no mean
    and the printed 0.00 is null.
    """

    field: str
    factor: Decimal
    meaning: str
    mean_of: tuple[str, ...] = ()

    @property
    def unit(self) -> str | None:
        """The unit in the column's name."""
        return next((unit for end, unit in _UNITS.items() if self.field.endswith(end)), None)


_UNITS = {
    "_bytes_per_s": "bytes/s",
    "_bytes": "bytes",
    "_iops": "1/s",
    "_per_s": "1/s",
    "_s": "s",
}

Columns = dict[str, Column]


def _ratio(field: str, meaning: str) -> Column:
    return Column(field, PERCENT, meaning)


CPU: Columns = {
    "%user": _ratio("user_ratio", "user code, guests included, niced code not (iostat, sar -u)"),
    "%usr": _ratio("usr_ratio", "user code without guests (mpstat, sar -u ALL)"),
    "%nice": _ratio("nice_ratio", "niced user code"),
    "%system": _ratio("system_ratio", "kernel, interrupts included (iostat, sar -u)"),
    "%sys": _ratio("sys_ratio", "kernel without interrupts (mpstat, sar -u ALL)"),
    "%iowait": _ratio("iowait_ratio", "idle with I/O outstanding"),
    "%irq": _ratio("irq_ratio", "hardware interrupts"),
    "%soft": _ratio("soft_ratio", "software interrupts"),
    "%steal": _ratio("steal_ratio", "taken by the hypervisor"),
    "%guest": _ratio("guest_ratio", "guests' virtual CPUs"),
    "%gnice": _ratio("gnice_ratio", "niced guests' virtual CPUs"),
    "%idle": _ratio("idle_ratio", "idle without I/O outstanding"),
}

_RATES = {
    "r": ("read", "r/s"),
    "w": ("write", "w/s"),
    "d": ("discard", "d/s"),
}


def _kind_of_io(letter: str) -> Columns:
    """The columns iostat -x has for reads, writes and discards alike."""
    word, rate = _RATES[letter]
    size = f"{word}_bytes_per_s"
    return {
        rate: Column(f"{word}_iops", ONE, f"{word}s completed, after merging"),
        f"{letter}sec/s": Column(size, SECTOR, f"{word}s"),
        f"{letter}kB/s": Column(size, KILO, f"{word}s"),
        f"{letter}MB/s": Column(size, MEGA, f"{word}s"),
        f"{letter}GB/s": Column(size, GIGA, f"{word}s"),
        f"{letter}rqm/s": Column(f"{word}_merges_per_s", ONE, f"{word}s merged in the queue"),
        f"%{letter}rqm": _ratio(f"{word}_merged_ratio", f"share of the {word}s that was merged"),
        f"{letter}_await": Column(
            f"{word}_await_s",
            MILLI,
            f"mean time of a {word}, waiting included; null: none",
            (rate,),
        ),
        f"{letter}areq-sz": Column(
            f"{word}_request_bytes", KILO, f"mean size of a {word}; null: none", (rate,)
        ),
    }


_BLOCKS = {"Blk": SECTOR, "kB": KILO, "MB": MEGA, "GB": GIGA}


def _plain_io(prefix: str) -> Columns:
    """The columns of iostat without -x."""
    factor = _BLOCKS[prefix]
    pairs = {"read": "read", "wrtn": "write", "dscd": "discard", "w+d": "write_discard"}
    rates = {
        f"{prefix}_{short}/s": Column(
            f"{word}_bytes_per_s", factor, f"{word}s".replace("_", "s and ")
        )
        for short, word in pairs.items()
    }
    totals = {
        f"{prefix}_{short}": Column(
            f"{word}_bytes", factor, f"{word}s of the interval".replace("_", "s and ")
        )
        for short, word in pairs.items()
    }
    return {**rates, **totals}


_ANY = ("tps", "r/s", "w/s", "d/s", "f/s")

DEVICE: Columns = {
    "tps": Column("transfers_per_s", ONE, "I/Os of every kind"),
    **_kind_of_io("r"),
    **_kind_of_io("w"),
    **_kind_of_io("d"),
    "f/s": Column("flush_iops", ONE, "flushes completed"),
    "f_await": Column("flush_await_s", MILLI, "mean time of a flush; null: none", ("f/s",)),
    **_plain_io("kB"),
    **_plain_io("MB"),
    **_plain_io("GB"),
    **_plain_io("Blk"),
    "rd_sec/s": Column("read_bytes_per_s", SECTOR, "reads"),
    "wr_sec/s": Column("write_bytes_per_s", SECTOR, "writes"),
    "dc_sec/s": Column("discard_bytes_per_s", SECTOR, "discards"),
    "sec/s": Column("total_bytes_per_s", SECTOR, "I/O of every kind (iostat -s)"),
    "kB/s": Column("total_bytes_per_s", KILO, "I/O of every kind (iostat -s)"),
    "MB/s": Column("total_bytes_per_s", MEGA, "I/O of every kind (iostat -s)"),
    "GB/s": Column("total_bytes_per_s", GIGA, "I/O of every kind (iostat -s)"),
    "rqm/s": Column("merges_per_s", ONE, "I/Os merged in the queue"),
    "avgrq-sz": Column("request_bytes", SECTOR, "mean size of an I/O; null: none", _ANY),
    "areq-sz": Column("request_bytes", KILO, "mean size of an I/O; null: none", _ANY),
    "avgqu-sz": Column("queue_length", ONE, "mean number of I/Os waiting or in service"),
    "aqu-sz": Column("queue_length", ONE, "mean number of I/Os waiting or in service"),
    "await": Column("await_s", MILLI, "mean time of an I/O, waiting included; null: none", _ANY),
    "svctm": Column("service_s", MILLI, "not to be trusted (sysstat's own words)", _ANY),
    "%util": _ratio("busy_ratio", "share of time with an I/O in flight"),
}

IO: Columns = {
    "tps": Column("transfers_per_s", ONE, "I/Os to all devices"),
    "rtps": Column("read_iops", ONE, "reads"),
    "wtps": Column("write_iops", ONE, "writes"),
    "dtps": Column("discard_iops", ONE, "discards"),
    "bread/s": Column("read_bytes_per_s", SECTOR, "reads"),
    "bwrtn/s": Column("write_bytes_per_s", SECTOR, "writes"),
    "bdscd/s": Column("discard_bytes_per_s", SECTOR, "discards"),
}

MEMORY: Columns = {
    "kbmemfree": Column("memory_free_bytes", KILO, "free memory"),
    "kbavail": Column("memory_available_bytes", KILO, "memory available without swapping"),
    "kbmemused": Column(
        "memory_used_bytes", KILO, "used memory; caches included before sysstat 11.7"
    ),
    "%memused": _ratio("memory_used_ratio", "the same as a share of all memory"),
    "kbbuffers": Column("buffers_bytes", KILO, "kernel buffers"),
    "kbcached": Column("cached_bytes", KILO, "page cache"),
    "kbcommit": Column("committed_bytes", KILO, "memory promised to processes"),
    "%commit": _ratio("committed_ratio", "the same as a share of memory and swap"),
    "kbactive": Column("active_bytes", KILO, "memory used lately"),
    "kbinact": Column("inactive_bytes", KILO, "memory not used lately"),
    "kbdirty": Column("dirty_bytes", KILO, "waiting to be written to disk"),
    "kbshmem": Column("shared_bytes", KILO, "shared memory (tmpfs)"),
    "kbanonpg": Column("anonymous_bytes", KILO, "anonymous pages"),
    "kbslab": Column("slab_bytes", KILO, "kernel data structures"),
    "kbkstack": Column("kernel_stack_bytes", KILO, "kernel stacks"),
    "kbpgtbl": Column("page_table_bytes", KILO, "page tables"),
    "kbvmused": Column("virtual_used_bytes", KILO, "virtual address space in use"),
    "kbswpfree": Column("swap_free_bytes", KILO, "free swap"),
    "kbswpused": Column("swap_used_bytes", KILO, "used swap"),
    "%swpused": _ratio("swap_used_ratio", "the same as a share of swap"),
    "%swpcad": _ratio("swap_cached_ratio", "the same as a share of the used swap"),
    "kbswpcad": Column("swap_cached_bytes", KILO, "swap that is in memory too"),
}

VMSTAT: Columns = {
    "r": Column("runnable", ONE, "processes running or waiting for a CPU"),
    "b": Column("blocked", ONE, "processes blocked, waiting for I/O"),
    "w": Column("swapped_out", ONE, "processes swapped out (old releases)"),
    "swpd": Column("swap_used_bytes", ONE, "swap in use"),
    "free": Column("memory_free_bytes", ONE, "idle memory"),
    "buff": Column("buffers_bytes", ONE, "kernel buffers"),
    "cache": Column("cached_bytes", ONE, "page cache"),
    "inact": Column("inactive_bytes", ONE, "memory not used lately (-a)"),
    "active": Column("active_bytes", ONE, "memory used lately (-a)"),
    "si": Column("swap_in_bytes_per_s", ONE, "swapped in"),
    "so": Column("swap_out_bytes_per_s", ONE, "swapped out"),
    "bi": Column("block_in_bytes_per_s", KILO, "read from block devices, all together"),
    "bo": Column("block_out_bytes_per_s", KILO, "written to block devices, all together"),
    "in": Column("interrupts_per_s", ONE, "interrupts"),
    "cs": Column("context_switches_per_s", ONE, "context switches"),
    "us": _ratio("user_ratio", "user code; printed in whole percents"),
    "sy": _ratio("system_ratio", "kernel, interrupts included"),
    "id": _ratio("idle_ratio", "idle without I/O outstanding"),
    "wa": _ratio("iowait_ratio", "idle with I/O outstanding"),
    "st": _ratio("steal_ratio", "taken by the hypervisor"),
    "gu": _ratio("guest_ratio", "guests' virtual CPUs"),
}
VMSTAT_MEMORY = ("swpd", "free", "buff", "cache", "inact", "active", "si", "so")
"""The columns that -S scales; the unit is not printed."""

MOMENT: Schema = {
    "sample": whole("number of the report in the file, from 1"),
    "time": moment("end of the interval, as the host's clock printed it"),
    "zone": text("zone of ``time`` where printed (UTC, +0100); null: not known"),
    "t_s": number("time since the recording began, at the end of the interval", "s"),
    "since_boot": flag(
        "means since the host was started, not of an interval of the recording; null: not known"
    ),
}

_CPU_KEY = text("number of the CPU, or all")
_DEVICE_KEY = text("name of the device or group")
_GROUP = flag("a group of devices (iostat -g): its devices have their own rows")


def _fields(columns: Columns) -> Schema:
    made: Schema = {}
    for column in columns.values():
        made.setdefault(column.field, number(column.meaning, column.unit))
    return made


COLUMNS: dict[str, Columns] = {
    "cpu": CPU,
    "devices": DEVICE,
    "io": IO,
    "host_memory": MEMORY,
    "samples": VMSTAT,
}
"""Table -> what is printed in it."""

KEYS: dict[str, Schema] = {
    "cpu": {"cpu": _CPU_KEY},
    "devices": {"device": _DEVICE_KEY, "group": _GROUP},
    "io": {},
    "host_memory": {},
    "samples": {},
}
"""Table -> what tells the rows of one report apart."""

TABLES: dict[str, Schema] = {
    name: {**MOMENT, **KEYS[name], **_fields(columns)} for name, columns in COLUMNS.items()
}
"""Table -> its schema."""

HOST_SERIES: Schema = {
    **RUN_POINT,
    "sample": MOMENT["sample"],
    "time": MOMENT["time"],
    "zone": MOMENT["zone"],
    **{name: item for name, item in RUN_HOST_SERIES.items() if name not in RUN_POINT},
}
"""The common table: the columns of a run's host_series, with the time of the clock."""

RESTARTS: Schema = {
    "time": MOMENT["time"],
    "zone": MOMENT["zone"],
    "cpus": whole("CPUs after the restart, where printed"),
}
