"""The timing block of a step, in the grammar of each release and platform."""

from __future__ import annotations

from collections.abc import Callable

from forges.sas.step import COUNTERS, Step, clock, stamp, zos_clock


def _what(step: Step, data: str = "DATA statement", proc: str = "PROCEDURE {}") -> str:
    return data if step.is_data else proc.format(step.name)


def _line(label: str, value: object, width: int = 20) -> str:
    return f"      {label:<{width}}{value}"


def _counters(step: Step) -> list[str]:
    return [_line(label, getattr(step, name), 34) for label, name in COUNTERS]


def stimer_block(step: Step) -> list[str]:
    """STIMER: real and CPU time."""
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


def windows_block(step: Step) -> list[str]:
    """FULLSTIMER on Windows."""
    return [
        f"NOTE: {_what(step)} used (Total process time):",
        *_times(step),
        _line("memory", _size(step.memory_ck)),
        _line("OS Memory", _size(step.os_memory_ck)),
        _line("Timestamp", stamp(step.end)),
        _steps_line(step),
    ]


def unix_block(step: Step) -> list[str]:
    """FULLSTIMER on Unix: with the counters of getrusage."""
    return [*windows_block(step), *_counters(step)]


def sas8_block(step: Step) -> list[str]:
    """FULLSTIMER of release 8."""
    return [
        f"NOTE: {_what(step)} used:",
        *_times(step),
        _line("Memory", f"{step.memory_ck // 100}k", 34),
        *_counters(step),
    ]


def sas91_block(step: Step) -> list[str]:
    """FULLSTIMER of release 9.1."""
    return [
        f"NOTE: {_what(step)} used (Total process time):",
        *_times(step),
        _line("Memory", f"{step.memory_ck // 100}k", 34),
        _line("OS Memory", f"{step.os_memory_ck // 100}k", 34),
        _line("Timestamp", stamp(step.end, wide=False)),
        *_counters(step),
    ]


def two_columns_block(step: Step) -> list[str]:
    """FULLSTIMER of release 6.11, in two columns."""

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


def zos_block(step: Step) -> list[str]:
    """STIMER on z/OS, in one line."""
    cpu = clock(step.cpu_ms, unit="")
    memory = step.memory_ck // 100
    return [f"NOTE: The {_what(step)} used {cpu} CPU seconds and {memory}K."]


def zos_full_block(step: Step) -> list[str]:
    """FULLSTATS on z/OS."""
    task, total = step.memory_ck // 100, step.os_memory_ck // 100
    return [
        f"NOTE: The {_what(step)} used the following resources:",
        f"      CPU     time -         {zos_clock(step.cpu_ms)}",
        f"      Elapsed time -         {zos_clock(step.real_ms)}",
        f"      EXCP count   - {step.block_input_operations}",
        f"      Task  memory - {task}K ({task // 10}K data, {task - task // 10}K program)",
        f"      Total memory - {total}K ({total // 3}K data, {total - total // 3}K program)",
    ]


def slc_block(step: Step) -> list[str]:
    """Altair SLC."""
    return [
        f"NOTE: {_what(step, 'The data step', f'Procedure {step.name.lower()} step')} took :",
        f"      real time : {clock(step.real_ms, 3, '')}",
        f"      cpu time  : {clock(step.cpu_ms, 3, '')}",
    ]


def foreign(  # noqa: PLR0917 - the words of a language
    data: str, proc: str, real: str, cpu: str, unit: str, point: str = "."
) -> Callable[[Step], list[str]]:
    """STIMER in another language."""

    def lines(step: Step) -> list[str]:
        return [
            f"NOTE: {_what(step, data, proc)}",
            _line(real, clock(step.real_ms, unit=unit, point=point)),
            _line(cpu, clock(step.cpu_ms, unit=unit, point=point)),
        ]

    return lines
