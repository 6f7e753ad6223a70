"""The tables of a SAS log: steps, sessions, data sets, messages, and blocks that are not a step.

Seconds and bytes; every field is null where the log prints nothing, and never 0 for it. Times of
day are as printed: local time of the host that wrote the log, whose zone the log does not name.
"""

from __future__ import annotations

from perfkit.core.schema import Schema, flag, moment, number, text, whole

PLACE: Schema = {
    "file": text("the log's path, as in the evidence"),
    "session": whole("session in the file, from 1: a log may hold several"),
}

TIMES: Schema = {
    "real_time_s": number("elapsed time; null on z/OS without FULLSTATS", "s"),
    "user_cpu_s": number("user CPU time (FULLSTIMER)", "s"),
    "system_cpu_s": number("system CPU time (FULLSTIMER)", "s"),
    "cpu_s": number(
        "total CPU time: as printed (STIMER, z/OS), else user and system added up; without the "
        "part of a CAS server",
        "s",
    ),
}

USAGE: Schema = {
    "memory_bytes": number("memory (z/OS: task memory), as precise as printed", "bytes"),
    "os_memory_bytes": number(
        "OS memory: largest amount that was available to the step (z/OS: total memory)", "bytes"
    ),
    "timestamp": moment("end: Timestamp of FULLSTIMER, or the time before the line"),
    "start": moment("timestamp less real time"),
    "time_source": text(
        "what timestamp and start rest on: timestamp (printed, 1 s resolution), prefix (the time "
        "before each line), or null"
    ),
    "timestamp_text": text("Timestamp as printed"),
    "step_count": whole("Step Count of FULLSTIMER: steps since the session's start"),
    "switch_count": whole("Switch Count of FULLSTIMER: task switches"),
    "page_faults": whole("page faults that needed I/O (UNIX)"),
    "page_reclaims": whole("page faults without I/O (UNIX)"),
    "page_swaps": whole("swaps (UNIX)"),
    "voluntary_context_switches": whole("switches by waiting (UNIX)"),
    "involuntary_context_switches": whole("switches by the scheduler (UNIX)"),
    "block_input_operations": whole("ru_inblock of getrusage: not I/Os; 512 bytes each on Linux"),
    "block_output_operations": whole("ru_oublock of getrusage: not I/Os; 512 bytes each on Linux"),
    "excp_count": whole("EXCP count (z/OS): I/Os"),
    "buffered_io": whole("Buffered IO (OpenVMS)"),
    "direct_io": whole("Direct IO (OpenVMS)"),
    "other": text("lines of the block that perfkit has no column for, as printed"),
    "complete": flag("false where the file ends inside the block"),
}

STEPS: Schema = {
    **PLACE,
    "step": whole("number of the step in its session, from 1; steps without a block have none"),
    "kind": text("DATA or PROC"),
    "name": text("DATA, or the procedure in capitals: SORT, SQL ..."),
    "line": whole("line of the block's NOTE"),
    "form": text("stimer, fullstimer, two-column (6.11), z/OS, z/OS fullstats, slc"),
    **TIMES,
    **USAGE,
    "cas_server_time_s": number("time of the CAS server for the step's requests, added up", "s"),
    "cas_requests": whole("requests to a CAS server; null: none was printed"),
    "errors": whole("ERROR messages since the block before"),
    "stopped": flag("whether SAS said that it stopped the step because of errors"),
}
"""One row a step with a timing block, in the order of the file."""

SESSIONS: Schema = {
    **PLACE,
    "line": whole("first line of the session"),
    "product": text("SAS or Altair SLC (formerly WPS); null without a banner"),
    "release": text("9.4, V.03.05, 8.2 ..."),
    "maintenance": text("TS1M7 MBCS3170 ..."),
    "platform": text("as printed: Linux 3.10.0 (LIN X64), X64_10PRO ..."),
    "os": text("Linux, AIX, Solaris, HP-UX, Windows, z/OS, OpenVMS, or null"),
    "host": text("where printed (%PASSINFO)"),
    "site": text("site number"),
    "site_name": text("licensed to"),
    "started": moment("date and time of the page headers: the session's start"),
    "dialect": text("forms of the blocks in it, by name"),
    "language": text("language of the labels"),
    "steps": whole("steps with a block"),
    "ended": flag("whether the block of the session's end is there"),
    "initialization_real_time_s": number("elapsed time of the initialisation", "s"),
    "initialization_cpu_s": number("CPU time of the initialisation", "s"),
    "initialization_memory_bytes": number("memory of the initialisation", "bytes"),
    "initialization_timestamp": moment("its end"),
    "end_line": whole("line of the NOTE of the session's end"),
    **TIMES,
    **USAGE,
}
"""One row a session; times and usage are those of its end block (The SAS System used)."""

DATASETS: Schema = {
    **PLACE,
    "step": whole("step that the note is of; null: no block follows"),
    "line": whole("line of the note"),
    "role": text("read or written"),
    "kind": text("data set, table (PROC SQL), view, infile or file"),
    "name": text("LIBREF.NAME in capitals; an infile or file as printed"),
    "observations": whole("observations (rows, records)"),
    "variables": whole("variables (columns); null where the note has none"),
}
"""One row a note on observations read or written."""

MESSAGES: Schema = {
    **PLACE,
    "step": whole("step that the message is of; null: no block follows"),
    "line": whole("first line of the message"),
    "level": text("ERROR or WARNING"),
    "code": text("22-322: the number before the colon"),
    "text": text("the message, its continuation lines joined"),
}
"""One row an ERROR or WARNING; the summary at the end (Errors printed on pages) is none."""

OTHER_BLOCKS: Schema = {
    **PLACE,
    "step": whole("step in which or before which it stands"),
    "what": text("what used the time, as printed: View WORK.X.VIEW ..."),
    "line": whole("line of the block's NOTE"),
    "form": STEPS["form"],
    **TIMES,
    **USAGE,
}
"""Timing blocks that are not a step, such as those of views, whose time is part of a step's."""

TABLES: dict[str, Schema] = {
    "steps": STEPS,
    "sessions": SESSIONS,
    "datasets": DATASETS,
    "messages": MESSAGES,
    "other_blocks": OTHER_BLOCKS,
}
