"""The columns of the tables of a run directory: what perfkit measured."""

from __future__ import annotations

from perfkit.core.schema import (
    CAUTIONS,
    HISTOGRAM,
    KEYS,
    LOAD_POINTS,
    PERCENTILE,
    Schema,
    flag,
    number,
    text,
    whole,
)
from perfkit.sources.fio.schema import FIO_DISK_UTIL, FIO_JOB_OPTIONS

RUN_POINT: Schema = {
    "point": text("the point's name in the run directory"),
    "workload": KEYS["workload"],
    "load_kind": KEYS["load_kind"],
    "load": KEYS["load"],
    "repeat": KEYS["repeat"],
}

_RUN_RESULT: Schema = {**RUN_POINT, "cautions": CAUTIONS}

RUN_POINTS: Schema = {
    **_RUN_RESULT,
    "role": text("point, or control: the same load again, to show drift"),
    "order": whole("place in the order of measuring, from 1"),
    "wall_s": number("time fio took in all", "s"),
    "measured_from_s": number(
        "from the start of the point to where its series begin, to about 0.1 s; null: not told", "s"
    ),
    "exit_code": whole("fio's exit code"),
    "closed_loop": flag("whether a new I/O waits for one to complete"),
    "in_flight": LOAD_POINTS["in_flight"],
    "target_iops": LOAD_POINTS["target_iops"],
    "behind_s": number("the longest lag behind the schedule: I/Os due and not done / rate", "s"),
    "behind_ios": number("the same in I/Os, beyond those usually in flight"),
    "behind_at_s": number("when that was, on the time axis of the series", "s"),
    "behind_why": text("why the lag of a paced point is not known"),
    "unique_bytes": number("bytes that were touched, each once: an estimate", "bytes"),
    "repeat_ratio": number("share of the I/O on what the point had touched before: an estimate"),
    "cpu_busy_ratio": LOAD_POINTS["cpu_busy_ratio"],
    "warnings": text("what an accepted point shows, one a line"),
}

RUN_PERCENTILES: Schema = {**_RUN_RESULT, **PERCENTILE}
RUN_HISTOGRAM: Schema = {**_RUN_RESULT, **HISTOGRAM}
RUN_JOB_OPTIONS: Schema = {"point": RUN_POINT["point"], **FIO_JOB_OPTIONS}
RUN_COMMANDS: Schema = {
    **RUN_POINT,
    "file": text("job file as the tool was given it, or command.json"),
    "text": text("the job file; of command.json the command, as for a shell"),
}
RUN_DISK_UTIL: Schema = {**RUN_POINT, **FIO_DISK_UTIL}

RUN_HOST_SERIES: Schema = {
    **RUN_POINT,
    "host": text("the host that was sampled; null: where perfkit ran"),
    "t_s": number("time since fio was started, at the end of the interval", "s"),
    "cpu_busy_ratio": LOAD_POINTS["cpu_busy_ratio"],
    "cpu_user_ratio": number("user share of all the host's CPUs"),
    "cpu_system_ratio": number("kernel share of all the host's CPUs"),
    "cpu_iowait_ratio": number("idle with I/O outstanding"),
    "memory_used_bytes": whole("used memory", "bytes"),
    "memory_available_bytes": whole("memory available without swapping", "bytes"),
    "disk_read_bytes_per_s": number("reads of the target's disk", "bytes/s"),
    "disk_write_bytes_per_s": number("writes of the target's disk", "bytes/s"),
    "disk_read_iops": number("reads of the target's disk", "1/s"),
    "disk_write_iops": number("writes of the target's disk", "1/s"),
    "cpu_steal_ratio": number("time that a hypervisor gave to others"),
    "swap_in_bytes_per_s": number("memory read from swap space", "bytes/s"),
    "swap_out_bytes_per_s": number("memory written to swap space", "bytes/s"),
    "quota_throttles": whole("periods in which a processor quota was used up"),
    "heat_throttles": whole("times CPUs and packages were slowed by heat, as each CPU counts"),
}
"""From ``cpu_steal_ratio`` on, null in runs from before they were sampled."""

RUN_OBSERVED: Schema = {
    **RUN_POINT,
    "observer": text("the name of the user's command"),
    "t_s": number("time since the point was started, in the command's middle", "s"),
    "took_s": number("how long the command ran", "s"),
    "item": text("what the counter is of: words of its row; null: one thing"),
    "name": text("the counter, as it was printed; null: text"),
    "value": number("the number, in the unit that its command has"),
    "text": text("what was printed, or why the reading failed; null: counters"),
    "failed": flag("whether the reading failed"),
    "clock_offset_s": number(
        "the printed clock less this host's, to within took_s; null: no clock", "s"
    ),
}

RUN_EVENTS: Schema = {
    **RUN_POINT,
    "name": text("the event's name; null: a mark by hand"),
    "t_s": number("time since the point was started", "s"),
    "took_s": number("how long its command ran", "s"),
    "text": text("what its command printed, or what the mark says"),
    "problem": text("why it failed; null: it did not"),
}

RUN_TARGETS: Schema = {
    **RUN_POINT,
    "target": whole("the target's number, from 1; 0: that of the load beside, in no load point"),
    "host": KEYS["host"],
    "direction": KEYS["direction"],
    "ios": whole("completed I/Os"),
    "io_bytes": whole("payload", "bytes"),
    "iops": LOAD_POINTS["iops"],
    "lat_mean_s": LOAD_POINTS["lat_mean_s"],
}

RUN_CAUTIONS: Schema = {
    **RUN_POINT,
    "host": text("the load generator it is about; null: the whole point"),
    "name": text("stall, busy_host, overran ...; null: recorded without one"),
    "args": text("the numbers in it by name, as JSON"),
    "text": text("the same in words"),
}
"""What accepted points (control points too) show and a reader must know; see ``points``."""

RUN_SERIES: Schema = {
    **_RUN_RESULT,
    "host": text("the load generator, by a clock of its own; null: the only one, or all together"),
    "t_s": number("end of the interval, since the measurement began", "s"),
    "interval_s": number("length of the interval", "s"),
    "direction": KEYS["direction"],
    "ios": whole("I/Os completed in the interval; 0: none were"),
    "iops": number("ios / interval_s", "1/s"),
    "lat_mean_s": number("mean latency in the interval (elbencho only)", "s"),
    "lat_p50_s": number("median completion latency in the interval (fio only)", "s"),
    "lat_p99_s": number("99th percentile of completion latency (fio only)", "s"),
    "lat_max_s": number("upper edge of the slowest I/O's bucket (fio only)", "s"),
    "drain": whole("the drain these writes are of (epic-like); null: the load"),
}
"""A point over time. fio's buckets are joined to 12.5% width; a percentile is an upper edge."""

RUN_STREAMS: Schema = {
    **_RUN_RESULT,
    "stream": whole("the stream, from 1: fio's job, elbencho's thread"),
    "host": KEYS["host"],
    "direction": KEYS["direction"],
    "t_s": number("end of the interval, since the measurement began", "s"),
    "interval_s": number("length of the interval", "s"),
    "bw_bytes_per_s": number("payload of the stream in the interval", "bytes/s"),
}

RUN_STEADY_STATE: Schema = {
    "workload": KEYS["workload"],
    "metric": text("what had to hold still: iops or lat_mean_s"),
    "rounds": whole("rounds that were run"),
    "round_s": number("time of a round", "s"),
    "attained": flag("whether the last five rounds keep both limits"),
    "window_first": whole("first round of the window, from 1"),
    "window_last": whole("last round of the window"),
    "mean": number("the metric's mean over the window, in its unit"),
    "range_ratio": number("maximum minus minimum, of the mean; at most 0.2"),
    "slope_ratio": number(
        "how far the best-fit line moves over the window, of the mean: at most 0.1"
    ),
    "pts": flag("whether it is a whole PTS measurement"),
    "why_not_pts": text("what it lacks to be one"),
}

RUN_WARM_UPS: Schema = {
    "workload": KEYS["workload"],
    "call": whole("the call of the sweep, from 1: each warms up anew"),
    "of": text("what had to hold still: IOPS, or a counter that a command printed"),
    "round": whole("the round, from 1"),
    "value": number("what it showed, in the unit of the quantity"),
    "tolerance_ratio": number("how far each of the last three may lie from their mean, of it"),
    "warm": flag("whether the last three rounds of the call do"),
}

RUN_VERIFICATION: Schema = {
    "workload": KEYS["workload"],
    "verified": flag("whether every block was read back as it was written"),
    "checksum": text("what each block was checked by"),
    "block_bytes": whole("size of a block", "bytes"),
    "verified_bytes": whole("bytes written and read back, if all of it was", "bytes"),
    "wrong_at_bytes": whole("where the first wrong block begins; null: none was found", "bytes"),
    "problem": text("why it failed, in the tool's words; null: it did not"),
}

RUN_CYCLES: Schema = {
    **_RUN_RESULT,
    "cycle": whole("number of the planned drain, from 1"),
    "drain_s": number("time to write all blocks; null: it did not happen", "s"),
    "blocks": whole("blocks written"),
}

RUN_HOST: Schema = {
    "group": text("host, target, tool or consent"),
    "fact": text("name, with dots for what is nested"),
    "value": text("as text"),
    "host": text("load generator; null: where perfkit ran, or the only one"),
}

RUN_SPEC: Schema = {
    "field": text("name in the sweep, with dots for what is nested"),
    "value": text("as text"),
}
