"""SAS logs in the grammar of every dialect, with known content: what a step used, and its text.

The forms follow real logs of SAS 9.x and Altair SLC, an excerpt of 6.11, and documents for the
rest. Nothing here reads a log: the same step gives its lines (``block_lines``) and, column by
column, what a reader must find in them (``expected``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from perfkit.units import KIB

COUNTERS = (
    ("Page Faults", "page_faults"),
    ("Page Reclaims", "page_reclaims"),
    ("Page Swaps", "page_swaps"),
    ("Voluntary Context Switches", "voluntary_context_switches"),
    ("Involuntary Context Switches", "involuntary_context_switches"),
    ("Block Input Operations", "block_input_operations"),
    ("Block Output Operations", "block_output_operations"),
)


@dataclass(frozen=True)
class Step:
    """What one step used. Times in milliseconds, memory in hundredths of KiB: as fine as printed.

    ``real_ms`` and the CPU times are whole hundredths of a second (multiples of 10) for all
    dialects but 6.11 and Altair SLC.
    """

    name: str = "DATA"
    real_ms: int = 1150
    user_ms: int = 40
    system_ms: int = 10
    memory_ck: int = 178378
    os_memory_ck: int = 2167200
    end: datetime = datetime(2026, 9, 4, 8, 1, 4)  # noqa: DTZ001 - logs name no zone
    step_count: int = 24
    switch_count: int = 2
    page_faults: int = 0
    page_reclaims: int = 343
    page_swaps: int = 0
    voluntary_context_switches: int = 15
    involuntary_context_switches: int = 0
    block_input_operations: int = 0
    block_output_operations: int = 1032
    read: tuple[tuple[str, int], ...] = ()
    written: tuple[tuple[str, int, int], ...] = ()
    cas_ms: int | None = None
    source: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def is_data(self) -> bool:
        """Whether it is a DATA step; else ``name`` is its procedure."""
        return self.name == "DATA"

    @property
    def cpu_ms(self) -> int:
        """User and system time."""
        return self.user_ms + self.system_ms


def clock(ms: int, decimals: int = 2, unit: str = " seconds", point: str = ".") -> str:
    """A time as SAS prints it: with its unit below one minute, m:ss.ss and h:mm:ss.ss above."""
    scale = 10 ** (3 - decimals)
    ticks, rest = divmod(ms, scale)
    if rest:
        raise ValueError(f"{ms} ms has more digits than {decimals} decimals")
    whole, part = divmod(ticks, 10**decimals)
    tail = f"{point}{part:0{decimals}d}"
    if whole < 60:  # noqa: PLR2004
        return f"{whole}{tail}{unit}"
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{seconds:02d}{tail}"
    return f"{minutes}:{seconds:02d}{tail}"


def _zos_clock(ms: int) -> str:
    whole, part = divmod(ms // 10, 100)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{part:02d}"


def stamp(when: datetime, *, wide: bool = True) -> str:
    """``09/04/2026 08:01:04 AM``, or as 9.1 and 9.2 print it: ``9/4/2026  8:01:04 AM``."""
    hour = when.hour % 12 or 12
    half = "AM" if when.hour < 12 else "PM"  # noqa: PLR2004
    if wide:
        return f"{when:%m/%d/%Y} {hour:02d}:{when:%M:%S} {half}"
    return f"{when.month}/{when.day}/{when.year} {hour:2d}:{when:%M:%S} {half}"


def _what(step: Step, data: str = "DATA statement", proc: str = "PROCEDURE {}") -> str:
    return data if step.is_data else proc.format(step.name)


def _line(label: str, value: object, width: int = 20) -> str:
    return f"      {label:<{width}}{value}"


def _counters(step: Step) -> list[str]:
    return [_line(label, getattr(step, name), 34) for label, name in COUNTERS]


def _stimer(step: Step) -> list[str]:
    return [
        f"NOTE: {_what(step)} used (Total process time):",
        _line("real time", clock(step.real_ms)),
        _line("cpu time", clock(step.cpu_ms)),
    ]


def _times(step: Step) -> list[str]:
    return [
        _line("real time", clock(step.real_ms)),
        _line("user cpu time", clock(step.user_ms)),
        _line("system cpu time", clock(step.system_ms)),
    ]


def _size(hundredths: int) -> str:
    return f"{hundredths // 100}.{hundredths % 100:02d}k"


def _steps_line(step: Step) -> str:
    return _line("Step Count", f"{step.step_count}  Switch Count  {step.switch_count}", 34)


def _windows(step: Step) -> list[str]:
    return [
        f"NOTE: {_what(step)} used (Total process time):",
        *_times(step),
        _line("memory", _size(step.memory_ck)),
        _line("OS Memory", _size(step.os_memory_ck)),
        _line("Timestamp", stamp(step.end)),
        _steps_line(step),
    ]


def _unix(step: Step) -> list[str]:
    return [*_windows(step), *_counters(step)]


def _sas8(step: Step) -> list[str]:
    return [
        f"NOTE: {_what(step)} used:",
        *_times(step),
        _line("Memory", f"{step.memory_ck // 100}k", 34),
        *_counters(step),
    ]


def _sas91(step: Step) -> list[str]:
    return [
        f"NOTE: {_what(step)} used (Total process time):",
        *_times(step),
        _line("Memory", f"{step.memory_ck // 100}k", 34),
        _line("OS Memory", f"{step.os_memory_ck // 100}k", 34),
        _line("Timestamp", stamp(step.end, wide=False)),
        *_counters(step),
    ]


def _two_columns(step: Step) -> list[str]:
    def seconds(ms: int) -> str:
        return clock(ms, 3)

    pairs = (
        ("time:", "", "memory:", ""),
        ("   real", seconds(step.real_ms), "   page faults", step.page_faults),
        ("   user cpu", seconds(step.user_ms), "   page reclaims", step.page_reclaims),
        ("   system cpu", seconds(step.system_ms), "   usage", f"{step.memory_ck // 100} K"),
        ("block I/O operations:", "", "context switches:", ""),
        ("   input", step.block_input_operations, "   voluntary", step.voluntary_context_switches),
        ("   output", step.block_output_operations, "   involuntary",
         step.involuntary_context_switches),
    )  # fmt: skip
    lines = [f"NOTE: {_what(step)} used:"]
    for left, first, right, second in pairs:
        start = f"      {left:<15}{first!s:<17}" if str(first) else f"      {left:<32}"
        lines.append(f"{start}{right:<17} {second}".rstrip())
    return lines


def _zos(step: Step) -> list[str]:
    cpu = clock(step.cpu_ms, unit="")
    memory = step.memory_ck // 100
    return [f"NOTE: The {_what(step)} used {cpu} CPU seconds and {memory}K."]


def _zos_full(step: Step) -> list[str]:
    task, total = step.memory_ck // 100, step.os_memory_ck // 100
    return [
        f"NOTE: The {_what(step)} used the following resources:",
        f"      CPU     time -         {_zos_clock(step.cpu_ms)}",
        f"      Elapsed time -         {_zos_clock(step.real_ms)}",
        f"      EXCP count   - {step.block_input_operations}",
        f"      Task  memory - {task}K ({task // 10}K data, {task - task // 10}K program)",
        f"      Total memory - {total}K ({total // 3}K data, {total - total // 3}K program)",
    ]


def _slc(step: Step) -> list[str]:
    return [
        f"NOTE: {_what(step, 'The data step', f'Procedure {step.name.lower()} step')} took :",
        f"      real time : {clock(step.real_ms, 3, '')}",
        f"      cpu time  : {clock(step.cpu_ms, 3, '')}",
    ]


def _foreign(  # noqa: PLR0917 - the words of a language
    data: str, proc: str, real: str, cpu: str, unit: str, point: str = "."
) -> Callable[[Step], list[str]]:
    def lines(step: Step) -> list[str]:
        return [
            f"NOTE: {_what(step, data, proc)}",
            _line(real, clock(step.real_ms, unit=unit, point=point)),
            _line(cpu, clock(step.cpu_ms, unit=unit, point=point)),
        ]

    return lines


_STIMER = ("real_time_s", "cpu_s")
_FULL = ("real_time_s", "user_cpu_s", "system_cpu_s", "cpu_s", "memory_bytes")
_COUNTS = tuple(name for _, name in COUNTERS)


@dataclass(frozen=True)
class Dialect:
    """How a release on a platform writes its log.

    Attributes:
        block: A step to the lines of its block.
        columns: The columns that such a block fills.
        banner: The lines at the session's beginning.
        before: What stands before each line: a function of the line's time, or None.
        whole_k: Memory in whole KiB.
        finest_ms: The smallest unit of its times.
        page: The product in the page headers.
        encoding: Of the file.
    """

    block: Callable[[Step], list[str]]
    columns: tuple[str, ...]
    banner: tuple[str, ...] = ()
    before: Callable[[datetime], str] | None = None
    whole_k: bool = False
    finest_ms: int = 10
    page: str = "The SAS System"
    encoding: str = "utf-8"


def _sas_banner(release: str, platform: str) -> tuple[str, ...]:
    return (
        "NOTE: Copyright (c) 2016 by SAS Institute Inc., Cary, NC, USA.",
        f"NOTE: SAS (r) Proprietary Software {release}",
        "      Licensed to A SAMPLE SITE, Site 12345678.",
        f"NOTE: This session is executing on the {platform} platform.",
    )


def _server(when: datetime) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%S},{when.microsecond // 1000:03d} INFO  [00000016] :sasdemo - "


_LINUX = _sas_banner("9.4 (TS1M7 MBCS3170)", "Linux 4.18.0-372.el8.x86_64 (LIN X64)")
_STAMPED = ("os_memory_bytes", "timestamp")
_STEPPED = ("step_count", "switch_count")

DIALECTS: dict[str, Dialect] = {
    "6.11": Dialect(
        _two_columns, (*_FULL, *(name for name in _COUNTS if name != "page_swaps")),
        _sas_banner("Release 6.11  TS040", "HP-UX"), whole_k=True, finest_ms=1,
    ),
    "8": Dialect(_sas8, (*_FULL, *_COUNTS), _sas_banner("Release 8.2 (TS2M0)", "AIX 4.3"),
                 whole_k=True),
    "9.1": Dialect(_sas91, (*_FULL, *_STAMPED, *_COUNTS),
                   _sas_banner("9.1 (TS1M3)", "SunOS 5.9 (SUN 64)"), whole_k=True),
    "9.4 unix": Dialect(_unix, (*_FULL, *_STAMPED, *_STEPPED, *_COUNTS), _LINUX),
    "9.4 stimer": Dialect(_stimer, _STIMER, _LINUX),
    "9.4 windows": Dialect(_windows, (*_FULL, *_STAMPED, *_STEPPED),
                           _sas_banner("9.4 (TS1M5)", "X64_10PRO ")),
    "viya 3": Dialect(
        _stimer, _STIMER, _sas_banner("V.03.05 (TS5M0 MBCS3170)", "Linux 3.10.0 (LIN X64)")
    ),
    "viya 4": Dialect(_unix, (*_FULL, *_STAMPED, *_STEPPED, *_COUNTS),
                      _sas_banner("V.04.00 (TS4M0 MBCS3170)", "Linux 5.14.0 (LIN X64)")),
    "z/os": Dialect(_zos, ("cpu_s", "memory_bytes"), _sas_banner("9.4 (TS1M6)", "z/OS V02R03M00"),
                    whole_k=True),
    "z/os fullstats": Dialect(
        _zos_full, ("cpu_s", "real_time_s", "memory_bytes", "os_memory_bytes", "excp_count"),
        _sas_banner("9.4 (TS1M6)", "z/OS V02R03M00"), whole_k=True,
    ),
    "slc": Dialect(
        _slc, _STIMER,
        ("NOTE: Copyright 2002-2025 World Programming, an Altair Company",
         "NOTE: Altair SLC 2026 (05.26.01.00.000758)",
         "      Licensed to A Sample User",
         "NOTE: This session is executing on the X64_WIN11PRO platform and is running in 64 bit "
         "mode"),
        finest_ms=1, page="Altair SLC",
    ),
    "studio": Dialect(_unix, (*_FULL, *_STAMPED, *_STEPPED, *_COUNTS), (), lambda _: " "),
    "server": Dialect(_stimer, (*_STIMER, "timestamp"), _LINUX, _server),
    "German": Dialect(
        _foreign("DATA-Anweisung verwendet (Gesamtverarbeitungszeit):",
                 "PROZEDUR {} verwendet (Gesamtverarbeitungszeit):", "Echtzeit", "CPU-Zeit",
                 " Sekunden", ","),
        _STIMER, page="Das SAS System", encoding="latin-1",
    ),
    "French": Dialect(
        _foreign("L'étape DATA a utilisé (Durée totale du traitement) :",
                 "PROCEDURE {} a utilisé (Durée totale du traitement) :", "temps réel", "temps UC",
                 " secondes"),
        _STIMER, page="Le Système SAS",
    ),
    "Spanish": Dialect(
        _foreign("Sentencia DATA utilizado (Tiempo de proceso total):",
                 "PROCEDIMIENTO {} utilizado (Tiempo de proceso total):", "real time", "cpu time",
                 " segundos"),
        _STIMER, page="Sistema SAS",
    ),
    "Chinese": Dialect(
        _foreign("“DATA 语句”所用时间（总处理时间）:", "“PROCEDURE {}”所用时间（总处理时间）:",
                 "实际时间", "CPU 时间", " 秒"),
        _STIMER, page="SAS 系统",
    ),
    "Japanese": Dialect(
        _foreign("DATA ステートメント処理 (合計処理時間):", "PROCEDURE {} 処理 (合計処理時間):",
                 "処理時間", "CPU 時間", " 秒"),
        _STIMER, page="SAS システム", encoding="cp932",
    ),
}  # fmt: skip
"""Every dialect by name."""


def expected(step: Step, dialect: str) -> dict[str, Any]:
    """What a reader finds in the step's block: the columns that the dialect prints, in SI units."""
    form = DIALECTS[dialect]
    scale = 100 if form.whole_k else 1
    values: dict[str, Any] = {
        "real_time_s": step.real_ms / 1000,
        "user_cpu_s": step.user_ms / 1000,
        "system_cpu_s": step.system_ms / 1000,
        "cpu_s": step.cpu_ms / 1000,
        "memory_bytes": step.memory_ck // scale * scale / 100 * KIB,
        "os_memory_bytes": step.os_memory_ck // scale * scale / 100 * KIB,
        "timestamp": step.end,
        "excp_count": step.block_input_operations,
        **{name: getattr(step, name) for name in (*_STEPPED, *_COUNTS)},
    }
    return {
        "kind": "DATA" if step.is_data else "PROC",
        "name": step.name,
        **{name: values[name] for name in form.columns},
    }


def block_lines(step: Step, dialect: str) -> list[str]:
    """The lines of the step's timing block, without what stands before each."""
    return DIALECTS[dialect].block(step)


def page_header(dialect: str, page: int = 2, form: int = 0) -> list[str]:
    """The lines of a page header, in one of the forms that are met in real logs (0 to 4)."""
    name = DIALECTS[dialect].page
    date = "14:10 Monday, November 27, 2006"
    forms = (
        ["", f"\f{page}     {name:>40}          {date}", ""],
        ["", f"{page}     {name}", ""],
        [f"\f{page}   {name}", ""],
        [f"{page:<10}{name:>30}    {date}"],
        ["", f"{page}         {name}", f"        {date}", ""],
    )
    return forms[form % len(forms)]


def notes_of(step: Step, dialect: str) -> list[str]:
    """What a step says of its data sets and of CAS, before its block."""
    slc = dialect == "slc"
    lines = []
    for name, count in step.read:
        lines.append(
            f'NOTE: {count} observations were read from "{name}"' if slc
            else f"NOTE: There were {count} observations read from the data set {name}."
        )  # fmt: skip
    for name, count, variables in step.written:
        lines.append(
            f'NOTE: Data set "{name}" has {count} observation(s) and {variables} variable(s)'
            if slc
            else f"NOTE: The data set {name} has {count} observations and {variables} variables."
        )
    if step.cas_ms is not None:
        lines.append(
            "NOTE: The Cloud Analytic Services server processed the request in "
            f"{step.cas_ms / 1000:.6f} seconds."
        )
    return lines


@dataclass(frozen=True)
class Log:
    """A session: its steps, and how the log of it is written.

    Attributes:
        page_lines: Lines a page (PAGESIZE); 0: no page headers.
        newline: Line end.
        ends: Whether the block of the session's end is there.
        extra_ms: Time of the session beside its steps: initialisation, macros, waiting.
    """

    steps: Sequence[Step]
    dialect: str = "9.4 unix"
    page_lines: int = 0
    newline: str = "\n"
    ends: bool = True
    extra_ms: int = 350
    host: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> Step:
        """What the session's end says: times added up, the largest memory."""
        steps = list(self.steps)
        first = steps[0] if steps else Step()
        last = steps[-1] if steps else Step()
        sums = {name: sum(getattr(step, name) for step in steps) for name in _COUNTS}
        return replace(
            first,
            real_ms=sum(step.real_ms for step in steps) + self.extra_ms,
            user_ms=sum(step.user_ms for step in steps) + 20,
            system_ms=sum(step.system_ms for step in steps) + 10,
            memory_ck=max((step.memory_ck for step in steps), default=0),
            os_memory_ck=max((step.os_memory_ck for step in steps), default=0),
            end=last.end + timedelta(seconds=1),
            step_count=last.step_count + 1,
            switch_count=sum(step.switch_count for step in steps),
            **sums,
        )

    def lines(self) -> list[str]:
        """The log's lines with page headers and what stands before each line."""
        form = DIALECTS[self.dialect]
        body: list[tuple[str, datetime]] = []
        start = self.steps[0].end - timedelta(milliseconds=self.steps[0].real_ms)

        def add(lines: Sequence[str], when: datetime) -> None:
            body.extend((line, when) for line in lines)

        add(form.banner, start)
        if self.host:
            add([f"PASS HEADER BEGIN|os=LIN X64|host={self.host}|END"], start)
        number = 1
        for step in self.steps:
            begin = step.end - timedelta(milliseconds=step.real_ms)
            source = step.source or _source(step)
            add([f"{number + i:<11}{text}" for i, text in enumerate(source)], begin)
            number += len(source)
            add([*step.messages, *notes_of(step, self.dialect)], step.end)
            add([*block_lines(step, self.dialect), "      ", ""], step.end)
        if self.ends:
            add(_end(self), self.total.end)
        if self.page_lines:
            body = _paged(body, self.dialect, self.page_lines)
        before = form.before
        return [line if before is None else before(when) + line for line, when in body]

    def text(self) -> str:
        """The whole log."""
        return self.newline.join(self.lines()) + self.newline

    def data(self) -> bytes:
        """The whole log in the dialect's encoding."""
        return self.text().encode(DIALECTS[self.dialect].encoding)


def _source(step: Step) -> tuple[str, ...]:
    if step.is_data:
        return ("data work.out;", "   set work.in;", "run;", "")
    return (f"proc {step.name.lower()} data=work.in;", "run;", "")


def _end(log: Log) -> list[str]:
    """The block of the session's end."""
    lines = block_lines(replace(log.total, name="DATA"), log.dialect)
    head = {
        "slc": "NOTE: Submitted statements took :",
        "z/os": lines[0].replace("DATA statement", "SAS session"),
        "z/os fullstats": "NOTE: The SAS session used the following resources:",
        "German": "NOTE: Das SAS System hat verwendet:",
        "French": "NOTE: Le Système SAS a utilisé :",
        "Spanish": "NOTE: El Sistema SAS utilizado:",
        "Chinese": "NOTE: “SAS 系统”所用时间:",
        "Japanese": "NOTE: SAS システム処理:",
    }.get(log.dialect, "NOTE: The SAS System used:")
    return ["NOTE: SAS Institute Inc., SAS Campus Drive, Cary, NC USA 27513-2414", head, *lines[1:]]


def _paged(
    body: list[tuple[str, datetime]], dialect: str, every: int
) -> list[tuple[str, datetime]]:
    paged: list[tuple[str, datetime]] = []
    for number, (line, when) in enumerate(body):
        if number % every == 0:
            page = number // every + 1
            header = page_header(dialect, page, 0)[1 if page == 1 else 0 :]
            paged.extend((text.lstrip("\f") if page == 1 else text, when) for text in header)
        paged.append((line, when))
    return paged


__all__ = [
    "COUNTERS", "DIALECTS", "Dialect", "Log", "Step", "block_lines", "clock",
    "expected", "notes_of", "page_header", "stamp",
]  # fmt: skip
