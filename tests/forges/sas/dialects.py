"""Every dialect of SAS logs: its blocks, banners and pages, and what a reader finds in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from forges.sas.blocks import (
    foreign,
    sas8_block,
    sas91_block,
    slc_block,
    stimer_block,
    two_columns_block,
    unix_block,
    windows_block,
    zos_block,
    zos_full_block,
)
from forges.sas.step import COUNTERS, Step

_STIMER = ("real_time_s", "cpu_s")


_FULL = ("real_time_s", "user_cpu_s", "system_cpu_s", "cpu_s", "memory_bytes")


COUNTS = tuple(name for _, name in COUNTERS)


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
        two_columns_block, (*_FULL, *(name for name in COUNTS if name != "page_swaps")),
        _sas_banner("Release 6.11  TS040", "HP-UX"), whole_k=True, finest_ms=1,
    ),
    "8": Dialect(sas8_block, (*_FULL, *COUNTS), _sas_banner("Release 8.2 (TS2M0)", "AIX 4.3"),
                 whole_k=True),
    "9.1": Dialect(sas91_block, (*_FULL, *_STAMPED, *COUNTS),
                   _sas_banner("9.1 (TS1M3)", "SunOS 5.9 (SUN 64)"), whole_k=True),
    "9.4 unix": Dialect(unix_block, (*_FULL, *_STAMPED, *_STEPPED, *COUNTS), _LINUX),
    "9.4 stimer": Dialect(stimer_block, _STIMER, _LINUX),
    "9.4 windows": Dialect(windows_block, (*_FULL, *_STAMPED, *_STEPPED),
                           _sas_banner("9.4 (TS1M5)", "X64_10PRO ")),
    "viya 3": Dialect(
        stimer_block, _STIMER, _sas_banner("V.03.05 (TS5M0 MBCS3170)", "Linux 3.10.0 (LIN X64)")
    ),
    "viya 4": Dialect(unix_block, (*_FULL, *_STAMPED, *_STEPPED, *COUNTS),
                      _sas_banner("V.04.00 (TS4M0 MBCS3170)", "Linux 5.14.0 (LIN X64)")),
    "z/os": Dialect(
        zos_block, ("cpu_s", "memory_bytes"), _sas_banner("9.4 (TS1M6)", "z/OS V02R03M00"),
        whole_k=True,
    ),
    "z/os fullstats": Dialect(
        zos_full_block, ("cpu_s", "real_time_s", "memory_bytes", "os_memory_bytes", "excp_count"),
        _sas_banner("9.4 (TS1M6)", "z/OS V02R03M00"), whole_k=True,
    ),
    "slc": Dialect(
        slc_block, _STIMER,
        ("NOTE: Copyright 2002-2025 World Programming, an Altair Company",
         "NOTE: Altair SLC 2026 (05.26.01.00.000758)",
         "      Licensed to A Sample User",
         "NOTE: This session is executing on the X64_WIN11PRO platform and is running in 64 bit "
         "mode"),
        finest_ms=1, page="Altair SLC",
    ),
    "studio": Dialect(unix_block, (*_FULL, *_STAMPED, *_STEPPED, *COUNTS), (), lambda _: " "),
    "server": Dialect(stimer_block, (*_STIMER, "timestamp"), _LINUX, _server),
    "German": Dialect(
        foreign("DATA-Anweisung verwendet (Gesamtverarbeitungszeit):",
                "PROZEDUR {} verwendet (Gesamtverarbeitungszeit):", "Echtzeit", "CPU-Zeit",
                " Sekunden", ","),
        _STIMER, page="Das SAS System", encoding="latin-1",
    ),
    "French": Dialect(
        foreign("L'étape DATA a utilisé (Durée totale du traitement) :",
                "PROCEDURE {} a utilisé (Durée totale du traitement) :", "temps réel", "temps UC",
                " secondes"),
        _STIMER, page="Le Système SAS",
    ),
    "Spanish": Dialect(
        foreign("Sentencia DATA utilizado (Tiempo de proceso total):",
                "PROCEDIMIENTO {} utilizado (Tiempo de proceso total):", "real time", "cpu time",
                " segundos"),
        _STIMER, page="Sistema SAS",
    ),
    "Chinese": Dialect(
        foreign("“DATA 语句”所用时间（总处理时间）:", "“PROCEDURE {}”所用时间（总处理时间）:",
                "实际时间", "CPU 时间", " 秒"),
        _STIMER, page="SAS 系统",
    ),
    "Japanese": Dialect(
        foreign("DATA ステートメント処理 (合計処理時間):", "PROCEDURE {} 処理 (合計処理時間):",
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
        "memory_bytes": step.memory_ck // scale * scale / 100 * 1024,
        "os_memory_bytes": step.os_memory_ck // scale * scale / 100 * 1024,
        "timestamp": step.end,
        "excp_count": step.block_input_operations,
        **{name: getattr(step, name) for name in (*_STEPPED, *COUNTS)},
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
