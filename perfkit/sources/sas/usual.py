"""The forms that most lines of most logs have, each as one expression over the bytes.

English, without anything before the lines: what does not fit is read line by line instead.
"""

from __future__ import annotations

import re

_TIME = rb"[ ]+(?:(\d+\.\d\d)[ ]seconds|((?:\d+:)?[0-5]?\d:[0-5]\d\.\d\d))[ ]*\r?\n"
_HEAD = (
    rb"(?:(DATA)[ ]statement|PROCEDURE[ ](\S+))[ ]used(?:[ ]\(Total[ ]process[ ]time\))?:[ ]*\r?\n"
    rb"[ ]+real[ ]time" + _TIME
)
STIMER_BLOCK = re.compile(_HEAD + rb"[ ]+cpu[ ]time" + _TIME)
FULLSTIMER_BLOCK = re.compile(
    _HEAD
    + rb"[ ]+user[ ]cpu[ ]time"
    + _TIME
    + rb"[ ]+system[ ]cpu[ ]time"
    + _TIME
    + rb"[ ]+memory[ ]+(\d+\.\d\d)k[ ]*\r?\n"
    rb"[ ]+OS[ ]Memory[ ]+(\d+\.\d\d)k[ ]*\r?\n"
    rb"[ ]+Timestamp[ ]+(\d\d/\d\d/\d{4}[ ]\d\d:\d\d:\d\d[ ][AP]M)[ ]*\r?\n"
    rb"[ ]+Step[ ]Count[ ]+(\d{1,18})[ ]+Switch[ ]Count[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Page[ ]Faults[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Page[ ]Reclaims[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Page[ ]Swaps[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Voluntary[ ]Context[ ]Switches[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Involuntary[ ]Context[ ]Switches[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Block[ ]Input[ ]Operations[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Block[ ]Output[ ]Operations[ ]+(\d{1,18})[ ]*\r?\n"
)
"""The usual blocks: STIMER ends with cpu time, FULLSTIMER of UNIX with block output."""

READ_NOTE = re.compile(
    rb"There were (\d{1,18}) observations read from the data set "
    rb"([A-Za-z_]\w*\.[A-Za-z_]\w*)\.[ ]*\r?\n(?![ \t\f]{3})"
)
WRITTEN_NOTE = re.compile(
    rb"The data set ([A-Za-z_]\w*\.[A-Za-z_]\w*) has (\d{1,18}) observations and "
    rb"(\d{1,18}) variables\.[ ]*\r?\n"
)

STIMER_COLUMNS = (
    "session", "step", "kind", "name", "line", "form", "real_time_s", "cas_server_time_s",
    "cas_requests", "errors", "stopped", "cpu_s",
)  # fmt: skip
FULLSTIMER_COLUMNS = (
    *STIMER_COLUMNS[:-1], "user_cpu_s", "system_cpu_s", "memory_k", "os_memory_k", "timestamp",
    "timestamp_text", "step_count", "switch_count", "page_faults", "page_reclaims", "page_swaps",
    "voluntary_context_switches", "involuntary_context_switches", "block_input_operations",
    "block_output_operations",
)  # fmt: skip
"""The columns of the usual blocks."""


def clock(clock: bytes) -> float:
    """A time of a usual block from one minute on, whose expression has checked its form."""
    whole, _, hundredths = clock.partition(b".")
    total = 0
    for part in whole.split(b":"):
        total = total * 60 + int(part)
    return (total * 100 + int(hundredths)) / 100
