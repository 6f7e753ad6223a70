"""fio's normal output (``--output-format=normal``, the default) as the document its JSON would be.

It prints exactly what a result needs: the I/Os issued, the run time in ms, and the mean latency to
two decimals. Bytes, bandwidth and IOPS are rounded there: they follow from the I/Os and the block
size, and have to agree with what is printed. Source: fio's stat.c (show_ddir_status, display_lat,
show_clat_percentiles) and init.c, 2.1 to 3.41.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.core.files import Json
from perfkit.core.units import KIB, MS_PER_S
from perfkit.formats.fio_json import CURE, FioOutput

PRINTED = "output format"
"""The key of a document that says that it was made of normal output."""

SYNCED_BY = "synced by"
"""The key beside the latency of syncs that says which calls these were."""

_VERSION = re.compile(r"^fio-\d+\.\d+\S*$")
_BLOCKS = r"(?P<{0}>[\d.]+(?:B|[KMG]i?B?|))-(?P<{0}_to>[\d.]+(?:B|[KMG]i?B?|))"
_SECTION = re.compile(
    r"^(?P<name>.*): \(g=(?P<group>\d+)\): rw=(?P<rw>\w+), bs=(?:\(R\) )?"
    + _BLOCKS.format("read")
    + r"(?:, \(W\) |/)"
    + _BLOCKS.format("write")
    + r"(?:(?:, \(T\) |/)[^,]*)?, ioengine=(?P<engine>\S+), iodepth=(?P<depth>\d+)$"
)
_JOB = re.compile(
    r"^(?P<name>.*): \(groupid=(?P<group>\d+), jobs=(?P<jobs>\d+)\): err=\s*(?P<error>-?\d+)"
    r".*: pid=(?P<pid>\d+): (?P<time>\w{3} \w{3} +\d+ [\d:]{8} \d{4})$"
)
_FLOW = (
    re.compile(
        r"^ +(?P<way>read|write|trim) ?: IOPS=(?P<iops>[\d.]+[kMG]?), "
        r"BW=(?P<bw>[\d.]+)(?P<bw_unit>[KMGTP]?i?B)/s \((?P<alt>[\d.]+)(?P<alt_unit>[kMGTP]?B)/s\)"
        r"\((?P<io>[\d.]+)(?P<io_unit>[KMGTP]?i?B)/(?P<ms>\d+)msec\)"
    ),
    re.compile(
        r"^ +(?P<way>read|write|trim) ?: io=(?P<io>[\d.]+)(?P<io_unit>[KMGTP]?i?B), "
        r"bw=(?P<bw>[\d.]+)(?P<bw_unit>[KMGTP]?i?B)/s, "
        r"iops=(?P<iops>[\d.]+[kKMG]?) ?, runt= *(?P<ms>\d+)msec"
    ),
)
_LATENCY = re.compile(
    r"^ +(?P<kind>slat|clat|lat|sync) \((?P<unit>[num]sec)\) ?: min= *(?P<min>[\d.]+[kKMG]?) ?, "
    r"max= *(?P<max>[\d.]+[kKMG]?) ?, avg= *(?P<mean>[\d.]+), stdev= *(?P<stddev>[\d.]+)$"
)
_PERCENTILES = re.compile(r"^ +(?P<kind>.*\S) percentiles \((?P<unit>[num]sec)\):$")
_PERCENTILE = re.compile(r"(\d+\.\d+)th=\[ *(\d+)\]")
_CPU = re.compile(
    r"^ +cpu +: usr=(?P<usr_cpu>[\d.]+)%, sys=(?P<sys_cpu>[\d.]+)%, ctx=(?P<ctx>\d+), "
    r"majf=(?P<majf>\d+), minf=(?P<minf>\d+)$"
)
_ISSUED = re.compile(
    r"^ +issued (?:rwts?: |r?w?t?s? *: *)total=(?:r=)?(?P<read>\d+)(?:,|/w=)(?P<write>\d+)"
    r"(?:,|/d=)(?P<trim>\d+)(?:,(?P<sync>\d+))?"
)
_SUM = re.compile(r"^Run status group (?P<group>\d+) \(all jobs\):")
_DISK = re.compile(
    r"^ +(?P<name>\S+): ios=(?P<read_ios>\d+)/(?P<write_ios>\d+),(?: sectors=[\d/]+,)? "
    r"merge=(?P<read_merges>\d+)/(?P<write_merges>\d+), "
    r"ticks=(?P<read_ticks>\d+)/(?P<write_ticks>\d+), in_queue=(?P<in_queue>\d+), "
    r"util=(?P<util>[\d.]+)%"
)
_KNOWN = re.compile(
    r"^(\.\.\.|Starting \d+ .*|fio: .* lay.*out|.*: Laying out .*|Jobs: \d+ .*|"
    r"Run status group .*|Disk stats \(read/write\):|.*fsync/fdatasync.*:|"
    r" +\|.*|.* percentiles \([num]sec\):| +(bw|iops|lat|IO depths|submit|complete|latency|issued"
    r"|cpu|READ|WRITE|TRIM|MIXED|slat|clat|sync|read|write|trim)\b.*)$"
)
"""Lines of a result from which nothing is taken: distributions, sums, the progress."""

_NS = {"nsec": 1, "usec": 1000, "msec": 1_000_000}
_MANY = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_BYTES = {
    **{f"{letter}iB": KIB**power for power, letter in enumerate("KMGTP", 1)},
    # fio 2 counts in 1024 and calls that KB
    **{f"{letter}B": KIB**power for power, letter in enumerate("KMGTP", 1)},
    **{letter: KIB**power for power, letter in enumerate("KMG", 1)},
    "B": 1,
    "": 1,
}
_DECIMAL = {f"{letter}B": 1000**power for power, letter in enumerate(("", *"kMGTP"))}

LEAST_DIGITS = 100
"""Percentiles are printed in whole units, rounded up: from here on by 1% at most, as the width of
fio's own buckets is."""


@dataclass
class _Output:
    """What was found of one run so far, line by line from its first."""

    first: int = 1
    versions: list[str] = field(default_factory=list)
    sections: list[re.Match[str]] = field(default_factory=list)
    jobs: list[_Job] = field(default_factory=list)
    disks: list[Json] = field(default_factory=list)
    around: list[str] = field(default_factory=list)
    sums: list[tuple[str, int]] = field(default_factory=list)

    def is_whole(self) -> bool:
        """Whether the sum of each group stands below all of its jobs, as often as each of them.

        fio prints it last: without it the output may be cut off after some of the processes.
        """
        blocks = Counter(
            (job.head["group"], job.head["name"], job.head["pid"]) for job in self.jobs
        )
        groups = Counter(group for group, _ in self.sums)
        last = self.sums[-1][1] if self.sums else 0
        return last > self.jobs[-1].line and all(
            count == groups[group] for (group, *_), count in blocks.items()
        )

    def last_jobs(self, path: Path | str) -> list[_Job]:
        """The jobs of the run; ParseError where it is no whole result.

        With status-interval each process has a block after every interval: its last one counts.
        """
        if not self.versions:
            why = f"without its version, the line fio-3.x; {CURE}"
        elif len(self.versions) > 1:
            why = "has results of several runs, and not what the jobs of each were to do"
        elif not self.jobs:
            why = "is cut off: no job has ended in it"
        elif not self.is_whole():
            why = "is cut off: not every group of jobs has its sum"
        elif any(job.head["name"].startswith("<") for job in self.jobs):
            why = f"of a client, which names hosts; {CURE}"
        else:
            of = {(job.head["group"], job.head["name"], job.head["pid"]): job for job in self.jobs}
            return list(of.values())
        raise ParseError(path, f"fio's normal output {why}", self.first)

    def add(self, number: int, line: str) -> None:
        """Take what a line says."""
        if self.sections and _VERSION.match(line):
            self.versions.append(line)
        elif found := _SECTION.match(line):
            self.sections.append(found)
        elif found := _JOB.match(line):
            self.jobs.append(_Job(number, found.groupdict()))
        elif found := _SUM.match(line):
            self.sums.append((found["group"], number))
        elif found := _DISK.match(line):
            self.disks.append(_numbers(found))
        elif not (self._is_open() and _taken(self.jobs[-1], line)) and not _KNOWN.match(line):
            self.around += [line.strip()] if line.strip() else []

    def _is_open(self) -> bool:
        """Whether a line may still be of the last job: the sums stand below all of them."""
        return bool(self.jobs) and not (self.sums and self.sums[-1][1] > self.jobs[-1].line)


@dataclass
class _Job:
    """One block of the output, while its lines are read."""

    line: int
    head: dict[str, str]
    flows: dict[str, Json] = field(default_factory=dict)
    ways: list[str] = field(default_factory=list)
    more: Json = field(default_factory=dict)
    issued: dict[str, int] | None = None
    percentiles: dict[str, int] | None = None
    scale: int = 1


def is_normal(text: str) -> bool:
    """Whether a text is, or begins as, fio's normal output."""
    return ": (g=" in text and any(map(_SECTION.match, text.splitlines()))


def ended(text: str) -> str | None:
    """When the last job ended, as printed; None where no job did."""
    times = [found["time"] for line in text.splitlines() if (found := _JOB.match(line))]
    return times[-1] if times else None


def decode(text: str, path: Path | str) -> list[FioOutput]:
    """Each run's output as a document of fio's JSON, and the lines that are none of a result's.

    Raises ParseError with the line: no version or several, blocks of several sizes, or numbers that
    do not agree.
    """
    return [_decoded(run, path) for run in _runs(text)]


def _decoded(run: _Output, path: Path | str) -> FioOutput:
    jobs = run.last_jobs(path)
    version = run.versions[0]
    in_us = version.startswith("fio-2.") and not version.startswith("fio-2.99")
    document = {
        "fio version": version,
        PRINTED: "normal",
        "time": jobs[-1].head["time"],
        "jobs": [_row(job, _of(job, run.sections, jobs), in_us=in_us, path=path) for job in jobs],
        "disk_util": run.disks,
    }
    every = len(run.jobs) // len(jobs)
    return FioOutput((document,) * every, tuple(run.around), (run.first,) * every)


def _runs(text: str) -> list[_Output]:
    """What each run printed: it begins with what its jobs were to do, and then has its version."""
    runs = [_Output()]
    # a terminal's progress overwrites itself in its line
    for number, line in enumerate(re.sub(r"\r(?!\n)", "\n", text).splitlines(), 1):
        if runs[-1].versions and _SECTION.match(line):
            runs.append(_Output(number))
        runs[-1].add(number, line)
    # a run that stands there twice was done once
    return list({tuple(str(job.head) for job in run.jobs): run for run in runs}.values())


def _numbers(found: re.Match[str]) -> Json:
    """The groups of a match; those that are numbers as such."""
    return {
        name: (float(value) if "." in value else int(value))
        if re.fullmatch(r"\d+(\.\d+)?", value) and name != "name"
        else value
        for name, value in found.groupdict().items()
    }


def _taken(job: _Job, line: str) -> bool:
    """Whether a line is one of the job's from which something is taken."""
    if found := next(filter(None, (form.match(line) for form in _FLOW)), None):
        job.ways.append(found["way"])
        job.flows[found["way"]] = {"printed": found.groupdict()}
    elif found := _CPU.match(line):
        job.more |= _numbers(found)
    elif found := _ISSUED.match(line):
        job.issued = {way: int(count) for way, count in found.groupdict().items() if count}
    else:
        return _taken_of_latency(job, line)
    return True


def _taken_of_latency(job: _Job, line: str) -> bool:
    """Likewise of the lines of latencies, which are of the direction above them."""
    if found := _LATENCY.match(line):
        scale = _NS[found["unit"]]
        told = {name: _scaled(found[name]) * scale for name in ("min", "max", "mean", "stddev")}
        if found["kind"] == "sync":
            job.more["sync"] = {"lat": told}
        elif job.ways:
            job.flows[job.ways[-1]][found["kind"]] = told
    elif found := _PERCENTILES.match(line):
        job.scale = _NS[found["unit"]]
        kept = job.flows[job.ways[-1]].get(found["kind"]) if job.ways else None
        job.percentiles = None if kept is None else kept.setdefault("percentile", {})
    elif line.lstrip().startswith("|") and job.percentiles is not None:
        job.percentiles |= {
            percent: int(value) * job.scale
            for percent, value in _PERCENTILE.findall(line)
            if int(value) >= LEAST_DIGITS or job.scale == 1
        }
    else:
        return False
    return True


def _scaled(text: str) -> float:
    """A number with its letter for thousands, "3904.5k"."""
    number = text.rstrip("kKMG")
    return float(number) * _MANY[text[len(number) :]]


def _of(
    job: _Job, sections: Sequence[re.Match[str]], jobs: Sequence[_Job]
) -> dict[str, str] | None:
    """The options of a job that the output states, and its blocks; None of no known section.

    With group_reporting several sections are one block, by the name of the first: ``name`` is then
    that of the last, as in fio's JSON.
    """
    group = job.head["group"]
    inside = [found for found in sections if found["group"] == group]
    named = [found for found in inside if found["name"] == job.head["name"]]
    if not named:
        return None
    section = named[0]
    rows = Counter((row.head["group"], row.head["name"]) for row in jobs)
    several = {found["name"] for found in inside}
    shown = {name for at, name in rows if at == group}
    processes = max(rows[(group, job.head["name"])], int(job.head["jobs"]))
    options = {
        "rw": section["rw"],
        "ioengine": section["engine"],
        "iodepth": section["depth"],
        **{f"bs_{way}": section[way] for way in ("read", "write")},
        **{f"bs_{way}_to": section[f"{way}_to"] for way in ("read", "write")},
    }
    if processes > 1:
        options["numjobs"] = str(processes)
    return options | ({"name": inside[-1]["name"]} if several - shown else {})


def _row(job: _Job, stated: dict[str, str] | None, *, in_us: bool, path: Path | str) -> Json:
    """A job as fio's JSON has it."""
    if stated is None:
        raise ParseError(path, f"no line says what job {job.head['name']!r} was to do", job.line)
    flows = {
        way: _flow(job, way, stated, in_us=in_us, path=path) for way in ("read", "write", "trim")
    }
    blocks = {str(stated.get(f"bs_{way}")) for way, told in flows.items() if told["total_ios"]}
    options = {name: value for name, value in stated.items() if not name.startswith("bs_")}
    if len(blocks) == 1:
        options["bs"] = str(_size(blocks.pop()))
    more = dict(job.more)
    if "sync" in more:
        more["sync"] = dict(_latencies(more["sync"], in_us=in_us)) | _synced_by(job.issued)
    return {
        "jobname": job.head["name"],
        "groupid": int(job.head["group"]),
        "error": int(job.head["error"]),
        "job options": options,
        **flows,
        **more,
    }


def _synced_by(issued: dict[str, int] | None) -> Json:
    """Which calls synced: those of fsync stand among the I/Os issued, and others do not."""
    if issued is None or "sync" not in issued:
        return {}
    return {SYNCED_BY: "fsync" if issued["sync"] else "syncs other than fsync"}


def _flow(job: _Job, way: str, stated: dict[str, str], *, in_us: bool, path: Path | str) -> Json:
    """One direction: its I/Os and time as printed, bytes and rates by the block size."""
    found = job.flows.get(way)
    if found is None and job.issued and job.issued[way]:
        raise ParseError(
            path, f"job {job.head['name']!r}: no line of its {way}s is known", job.line
        )
    if found is None:
        return {"io_bytes": 0, "io_kbytes": 0, "runtime": 0, "total_ios": 0, "iops": 0.0, "bw": 0}
    where = f"job {job.head['name']!r}, {way}"
    if job.issued is None:
        raise ParseError(path, f"{where}: how many I/Os were issued is missing: cut off", job.line)
    printed, ios = found["printed"], job.issued[way]
    block, most = stated.get(f"bs_{way}"), stated.get(f"bs_{way}_to")
    if block is None or block != most:
        raise ParseError(
            path, f"{where}: blocks of several sizes, and its bytes are rounded; {CURE}", job.line
        )
    io_bytes, runtime = ios * _size(block), int(printed["ms"])
    if not runtime:
        raise ParseError(path, f"{where}: it ran for no time", job.line)
    iops = ios * MS_PER_S / runtime
    number = printed["iops"].rstrip("kKMG")
    # it is cut to a whole number before it is rounded
    whole = int(iops) / _MANY[printed["iops"][len(number) :]]
    rate = io_bytes * MS_PER_S / runtime
    # fio 2 prints some of them wrongly (5462.04 MB as 5462.4MB): one that agrees will do
    witnesses = (
        (printed["bw"], rate / _BYTES[printed["bw_unit"]]),
        (printed["io"], io_bytes / _BYTES[printed["io_unit"]]),
        (printed.get("alt", ""), rate / _DECIMAL.get(printed.get("alt_unit", ""), 1)),
    )
    if not _agrees(number, whole) or not any(_agrees(text, value) for text, value in witnesses):
        raise ParseError(
            path,
            f"{where}: {ios:,} I/Os of {block} in {runtime} ms are not the IOPS and bandwidth "
            f"printed ({printed['iops']}, {printed['bw']}{printed['bw_unit']}/s), and those are "
            f"rounded; {CURE}",
            job.line,
        )
    return {
        "io_bytes": io_bytes,
        "io_kbytes": io_bytes // KIB,
        "runtime": runtime,
        "total_ios": ios,
        "iops": iops,
        "bw": rate / KIB,
        **dict(_latencies(found, in_us=in_us)),
    }


def _latencies(found: Json, *, in_us: bool) -> Iterator[tuple[str, Json]]:
    """The latencies in the unit and under the names of the version."""
    for kind in ("slat", "clat", "lat"):
        if kind not in found:
            continue
        told = dict(found[kind])
        percentiles = told.pop("percentile", None)
        scale = _NS["usec"] if in_us else 1
        own: Json = {name: value / scale for name, value in told.items()}
        if percentiles:
            own["percentile"] = {key: int(value / scale) for key, value in percentiles.items()}
        yield (kind if in_us else f"{kind}_ns"), own


def _size(text: str) -> int:
    """A block size as printed, in bytes."""
    found = re.fullmatch(r"([\d.]+)(\D*)", text)
    return round(float(found[1]) * _BYTES[found[2]]) if found else 0


def _agrees(printed: str, value: float) -> bool:
    """Whether a number is the one printed, to its last digit.

    fio may lose the carry: 26.99 thousand IOPS are printed as 26.0k (seen of 3.7).
    """
    decimals = printed.partition(".")[2]
    digit = 1.001 * 10 ** -len(decimals)
    lost = decimals and not int(decimals) and 0 <= float(printed) + 1 - value <= digit
    return bool(printed) and (bool(lost) or abs(value - float(printed)) <= digit)
