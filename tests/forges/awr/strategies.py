"""Hypothesis strategies for contents, and one plain content that shows every section."""

from __future__ import annotations

import string
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from hypothesis import strategies as st

from forges.awr.content import (
    COUNTERS,
    Content,
    Cpu,
    Database,
    FileIo,
    Histogram,
    Instance,
    Io,
    Memory,
    Snapshots,
    Sql,
    Wait,
)

EVENTS = (
    ("db file sequential read", "User I/O"), ("db file scattered read", "User I/O"),
    ("direct path read", "User I/O"), ("direct path write temp", "User I/O"),
    ("log file sync", "Commit"), ("log file parallel write", "System I/O"),
    ("db file parallel write", "System I/O"), ("control file sequential read", "System I/O"),
    ("library cache: mutex X", "Concurrency"), ("buffer busy waits", "Concurrency"),
    ("enq: TX - row lock contention", "Application"), ("SQL*Net message to client", "Network"),
    ("log file switch completion", "Configuration"), ("gc cr block 2-way", "Cluster"),
    ("oracle thread bootstrap", "Other"), ("latch free", "Other"), ("rdbms ipc reply", "Other"),
)  # fmt: skip
MODEL = (
    "sql execute elapsed time", "parse time elapsed", "hard parse elapsed time",
    "PL/SQL execution elapsed time",
)  # fmt: skip
FUNCTIONS = ("Buffer Cache Reads", "Direct Reads", "Direct Writes", "DBWR", "LGWR", "Others")
FILETYPES = ("Data File", "Log File", "Control File", "Temp File", "Archive Log")
ACTIVITY = (
    "CPU used by this session", "consistent gets", "db block gets", "enqueue requests",
    "file io service time", "free buffer requested", "user commits", "user I/O wait time",
)  # fmt: skip
SPACES = ("SYSAUX", "SYSTEM", "USERS", "UNDOTBS1", "IOPS", "STAGING_TBS")
OS = ("FREE_MEMORY_BYTES", "VM_IN_BYTES", "PHYSICAL_MEMORY_BYTES", "TCP_SEND_SIZE_MAX")
PARAMETERS = (
    ("compatible", "19.0.0"), ("db_block_size", "8192"), ("db_domain", ""),
    ("open_cursors", "300"), ("processes", "700"), ("undo_tablespace", "UNDOTBS1"),
)  # fmt: skip
MODULES = ("SQL*Plus", "JDBC Thin Client", "MMON_SLAVE", "")
BASE = "0123456789abcdfghjkmnpqrstuvwxyz"


FIRST = datetime(2026, 1, 1)  # noqa: DTZ001 - a report names no zone


class Draw:
    """The choices of one content: from hypothesis, or from a seeded generator for large samples."""

    def __init__(self, draw=None, random: Random | None = None) -> None:
        self._draw, self._random = draw, random

    def whole(self, low: int, high: int) -> int:
        """A whole number, small ones as likely as large ones."""
        if self._draw:
            return self._draw(st.integers(low, high))
        if high - low < 1000:
            return self._random.randint(low, high)
        return low + int((high - low) ** self._random.uniform(0.5, 1.0))

    def pick(self, choices):
        """One of them."""
        return self._draw(st.sampled_from(choices)) if self._draw else self._random.choice(choices)

    def some(self, choices, least: int = 1):
        """Some of them, in their order, each once."""
        if self._draw:
            number = st.integers(0, len(choices) - 1)
            taken = set(self._draw(st.lists(number, min_size=least, unique=True)))
            return [item for place, item in enumerate(choices) if place in taken]
        return list(choices)

    def text(self, longest: int) -> str:
        """Printable ASCII in one line, without blanks at its ends: SQL holds < & and quotes."""
        letters = string.ascii_letters + string.digits + " <>&\"'*(),=:_/.;-"
        if self._draw:
            return "select " + self._draw(st.text(letters, max_size=longest)).strip() + " x"
        made = "".join(self._random.choices(letters, k=longest)).strip()
        return f"select {made} x"


def build(
    draw: Draw, *, instances: int = 1, cdb: bool = False, events: int | None = None,
    statements: int = 3, longest: int = 40, narrow: bool = False, few: bool = False,
) -> Content:  # fmt: skip
    """A content; ``narrow``: numbers that fit text columns; ``few``: few rows."""
    begin = FIRST + timedelta(seconds=draw.whole(0, 3 * 10**7))
    seconds = draw.whole(60, 100_000)
    first = draw.whole(1, 90_000)
    snapshots = Snapshots(
        first, first + draw.whole(1, 50), begin, begin + timedelta(seconds=seconds),
        (draw.whole(1, 9999), draw.whole(1, 9999)),
    )  # fmt: skip
    database = Database(
        "FORGE", draw.whole(1, 2**32 - 1), "forge_a",
        draw.pick(("PRIMARY", "PHYSICAL STANDBY")), draw.pick(("EE", "SE2", "XP")), cdb,
        draw.pick((2048, 8192, 16384, 32768)),
    )  # fmt: skip
    containers = ()
    if cdb:
        containers = ((1234567, "CDB$ROOT", begin), (draw.whole(1, 2**32 - 1), "PDB1", begin))
    made = tuple(
        _instance(
            draw, number, seconds, begin, 4 if few else events, statements, longest, cdb, narrow
        )
        for number in range(1, instances + 1)
    )
    return Content(database, snapshots, made, containers)


def _instance(  # noqa: PLR0917 - the facts of the report that its instances share
    draw, number, seconds, begin, events, statements, longest, cdb, narrow
) -> Instance:
    most = 10**9 if narrow else 10**12
    cpus = draw.pick((1, 4, 36, 128))
    ticks = seconds * cpus * 100
    user = draw.whole(0, ticks // 2)
    system = draw.whole(0, ticks // 4)
    cpu = Cpu(user, system, ticks - user - system, draw.whole(0, ticks - user - system),
              (Decimal(draw.whole(0, 9999)) / 100, Decimal(draw.whole(0, 9999)) / 100))  # fmt: skip
    db_time = draw.whole(10**5, seconds * 200 * 10**6)
    most_cpu = min(db_time, seconds * cpus * 10**6)
    db_cpu = draw.whole(0, most_cpu)
    counters = {name: draw.whole(0, most) for name in COUNTERS}
    # what is divided by is not zero, and totals are not below their parts
    for name in ("transactions", "executes", "user_calls", "logical_reads", "physical_reads"):
        counters[name] += 10_000 if narrow else 1
    functions = tuple(_io(draw, name, seconds, narrow) for name in draw.some(FUNCTIONS))
    # the IO profile counts what the functions did; the database did a part of it
    for kind in ("read", "write"):
        counters[f"total_{kind}_requests"] = sum(getattr(io, f"{kind}s") for io in functions)
        counters[f"total_{kind}_bytes"] = sum(getattr(io, f"{kind}_bytes") for io in functions)
        for part in ("requests", "bytes"):
            whole = counters[f"total_{kind}_{part}"]
            counters[f"{kind}_{part}"] = draw.whole(0, whole)
    if events:
        named = [(f"enq: FORGE {place:04d}", "Other") for place in range(events - len(EVENTS))]
        chosen = [*EVENTS, *named][:events]
    else:
        chosen = draw.some(EVENTS, 2)
    waits = [_wait(draw, event, group, most, db_time) for event, group in chosen]
    half = max(1, len(waits) // 2)
    whole = {**counters, "db_time": db_time, "db_cpu": db_cpu}
    return Instance(
        number, f"forge{number}", f"node{number}", "Linux x86 64-bit",
        (begin - timedelta(hours=draw.whole(1, 9000))).replace(microsecond=0), cpus,
        draw.pick((cpus, None)), draw.pick((1, 2, None)), Decimal(draw.whole(100, 99_999)) / 100,
        cpu, _memory(draw), db_time, db_cpu, draw.whole(db_time // 2, db_time),
        draw.whole(0, db_time), {name: draw.whole(0, db_time) for name in MODEL}, counters,
        tuple(waits[:half]), tuple(waits[half:]),
        tuple(_histogram(draw, event) for event, _ in chosen),
        functions,
        tuple(_io(draw, name, seconds, narrow, files=True) for name in draw.some(FILETYPES)),
        _files(draw, cdb, narrow),
        tuple((name, draw.whole(0, most)) for name in draw.some(ACTIVITY)),
        tuple((name, draw.whole(0, 10**12), draw.whole(0, 10**12)) for name in OS),
        tuple(_sql(draw, place, longest, cdb, whole) for place in range(statements)),
        tuple((name, value, "301" if name == "open_cursors" else "") for name, value in PARAMETERS),
    )  # fmt: skip


def _wait(draw: Draw, event: str, group: str, most: int, db_time: int) -> Wait:
    waits = draw.whole(1, most // 10)
    # event shares of more than 100% of DB time are normal; ten times as much is not
    return Wait(event, group, waits, draw.whole(0, waits), draw.whole(1, db_time))


def _histogram(draw: Draw, event: str) -> Histogram:
    return Histogram(event, (*tuple(draw.pick((0, 0, 1, 7, 12345, 9876543)) for _ in range(20)), 1))


def _io(draw: Draw, name: str, seconds: int, narrow: bool, *, files: bool = False) -> Io:
    big = 10**9 if narrow else 10**13
    most = seconds * (15_000 if narrow else 10**6)
    waits = draw.pick((0, 7, 8884, 78_200, 3_400_000))
    times = (draw.pick((None, 95, 1_780, 52_000)), draw.pick((None, 2_230, 390_790)))
    return Io(
        name, draw.whole(0, big), draw.whole(0, most), draw.whole(0, big), draw.whole(0, most),
        waits, draw.whole(0, 10**9), *(times if files else (None, None)),
    )  # fmt: skip


def _files(draw: Draw, cdb: bool, narrow: bool) -> tuple[FileIo, ...]:
    most = 10**7 if narrow else 10**9
    return tuple(
        FileIo(
            name, f"/u01/oradata/forge/{name.lower()}01.dbf", *counts, draw.whole(0, most),
            draw.whole(0, 10**9), draw.whole(0, 10**6), draw.whole(0, 10**9), "PDB1" if cdb else "",
        )
        for name in draw.some(SPACES)
        for counts in [_reads(draw, most)]
    )  # fmt: skip


def _reads(draw: Draw, most: int) -> tuple[int, ...]:
    reads = draw.whole(0, most)
    ones = draw.whole(0, reads)
    return (
        reads,
        draw.whole(0, reads * 1000),
        reads + draw.whole(0, reads),
        ones,
        draw.whole(0, ones * 1000),
    )


def _sql(draw: Draw, place: int, longest: int, cdb: bool, whole: dict[str, int]) -> Sql:
    elapsed = draw.whole(10**4, whole["db_time"])
    key = f"{place:04d}" + "".join(draw.pick(BASE) for _ in range(9))
    return Sql(
        key, draw.text(longest), draw.whole(1, 10**6), elapsed,
        draw.whole(0, min(elapsed, whole["db_cpu"])),
        draw.whole(0, elapsed), draw.whole(0, whole["logical_reads"]),
        draw.whole(0, whole["physical_reads"]), draw.pick(MODULES),
        "PDB1" if cdb else "",
    )  # fmt: skip


def _memory(draw: Draw) -> Memory:
    sga = draw.whole(512, 99_999)
    return Memory(
        draw.whole(sga, 9 * 10**5), (sga, sga),
        (Decimal(draw.whole(100, 99_999)) / 10, Decimal(draw.whole(100, 99_999)) / 10),
        (sga // 2, sga // 2), (draw.whole(100, 9999), draw.whole(100, 9999)),
        draw.whole(1000, 300_000),
    )  # fmt: skip


@st.composite
def contents(draw, *, instances: int = 1, cdb: bool = False, narrow: bool = False) -> Content:
    """Contents with every section, of any size of number that its columns hold."""
    count = draw(st.integers(2, instances)) if instances > 1 else 1
    return build(Draw(draw), instances=count, cdb=cdb, narrow=narrow)


def sample(seed: int = 4819, **options) -> Content:
    """One content, the same on every machine for the same seed."""
    return build(Draw(random=Random(seed)), **options)
