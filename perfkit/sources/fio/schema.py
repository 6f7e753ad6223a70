"""The columns of fio's tables."""

from __future__ import annotations

from perfkit.core.schema import HISTOGRAM, KEYS, PERCENTILE, Schema, flag, number, text, whole


def _latency_fields(kind: str, meaning: str) -> Schema:
    """The statistics fio gives for one kind of latency; null where the direction has none."""
    return {
        f"{kind}_n": whole(f"samples of {meaning}"),
        f"{kind}_min_s": number(f"smallest {meaning}", "s"),
        f"{kind}_max_s": number(f"largest {meaning}", "s"),
        f"{kind}_mean_s": number(f"mean {meaning}", "s"),
        f"{kind}_stddev_s": number(f"standard deviation of {meaning}", "s"),
    }


FIO_JOB: Schema = {
    "hostname": text("load generator as fio names it (client/server only)"),
    "port": whole("its port: hosts are told apart by name and port"),
    "job": whole("place of the job in the file, from 0"),
    "jobname": text("the job's name"),
    "groupid": whole("fio's group: jobs of one group ran at the same time"),
}

FIO_SUMMARY: Schema = {
    **FIO_JOB,
    "error": whole("fio's error number for the job; 0: none"),
    "direction": text("read, write, trim, or mixed (unified_rw_reporting)"),
    "ios": whole("completed I/Os"),
    "short_ios": whole("I/Os that came back shorter than asked"),
    "drop_ios": whole("I/Os dropped"),
    "io_bytes": whole("payload", "bytes"),
    "runtime_s": number("run time of this direction", "s"),
    "iops": number("ios / runtime_s", "1/s"),
    "bw_bytes_per_s": number("io_bytes / runtime_s", "bytes/s"),
    **_latency_fields("slat", "submission latency"),
    **_latency_fields("clat", "completion latency (from submission done)"),
    **_latency_fields("lat", "latency from submission to completion"),
    "iops_samples": whole("fio's samples (one in 0.5 s) behind the next four"),
    "iops_sample_min": number("smallest sample", "1/s"),
    "iops_sample_max": number("largest sample", "1/s"),
    "iops_sample_mean": number("mean of the samples; not the same as iops", "1/s"),
    "iops_sample_stddev": number("standard deviation of the samples", "1/s"),
    "fio_usr_ratio": number("user CPU of fio's own process, per run time"),
    "fio_sys_ratio": number("system CPU of fio's own process, per run time"),
    "context_switches": whole("of fio's own process"),
    "major_faults": whole("of fio's own process"),
    "minor_faults": whole("of fio's own process"),
}
"""One row a job and direction that did I/O; what belongs to the job stands in each of its rows."""

FIO_PERCENTILES: Schema = {**FIO_JOB, **PERCENTILE}
FIO_HISTOGRAM: Schema = {**FIO_JOB, **HISTOGRAM}

FIO_JOB_OPTIONS: Schema = {
    **FIO_JOB,
    "scope": text("job, or global (of the whole file: no job named)"),
    "option": text("the option's name in fio's writing"),
    "value": text("its value in fio's writing"),
}

FIO_DISK_UTIL: Schema = {
    "hostname": FIO_JOB["hostname"],
    "port": FIO_JOB["port"],
    "device": text("the disk under the file; other processes are counted too"),
    "read_ios": whole("reads the disk completed"),
    "write_ios": whole("writes the disk completed"),
    "read_merges": whole("reads merged into others"),
    "write_merges": whole("writes merged into others"),
    "read_ticks_s": number("time spent on reads, summed over them", "s"),
    "write_ticks_s": number("time spent on writes, summed over them", "s"),
    "in_queue_s": number("time in the queue, summed over all requests", "s"),
    "util_ratio": number("share of time with a request in flight"),
}

FIO_STEADY_STATE: Schema = {
    **FIO_JOB,
    "criterion": text("what was asked for, in fio's writing"),
    "duration_s": number("window", "s"),
    "attained": flag("whether it was reached"),
    "measured": text("the deviation or slope of the last window, as written"),
    "iops_mean": number("mean of the last window", "1/s"),
    "bw_mean_bytes_per_s": number("mean of the last window", "bytes/s"),
}

FIO_SYNC: Schema = {
    **FIO_JOB,
    "syncs": whole("fsync, fdatasync and sync_file_range calls"),
    **{
        name: item
        for name, item in _latency_fields("lat", "latency of a sync call").items()
        if name != "lat_n"
    },
}
"""One row a job that synced. This time is in none of the write latencies."""

_FIO_LOG: Schema = {
    "line": whole("line of the file"),
    "log": text("what is logged: bw, iops, lat, slat, clat or a histogram"),
    "job": whole("fio's number of the job, from 1; null: one log for all jobs"),
    "jobs": whole("jobs of the result that named the log: each has such a log"),
    "result": text("the result beside it whose job options name the log"),
    "direction": KEYS["direction"],
    "t_s": number("time of the entry, since the job began (or since 1970)", "s"),
}

FIO_LOGS: Schema = {
    **_FIO_LOG,
    "single_io": flag("of one I/O; else the mean of a window that ends here"),
    "bw_bytes_per_s": number("of a log of bandwidth", "bytes/s"),
    "iops": number("of a log of IOPS; null of one I/O", "1/s"),
    "latency_s": number("of a log of latency: submission, completion or both", "s"),
}
"""fio's logs over time. What ``log`` is not of is null, and latencies of an unknown unit."""

FIO_LOG_HISTOGRAM: Schema = {
    **_FIO_LOG,
    "lower_s": number("lower edge of the bucket, inside it", "s"),
    "upper_s": number("upper edge, outside it", "s"),
    "count": whole("I/Os in the bucket and interval"),
}
