"""fio's normal output: what the JSON of the same run says, and nothing that is rounded."""

from __future__ import annotations

import subprocess

import pytest
from places import TESTS

import perfkit as pk
from perfkit.core.cautions import from_json
from perfkit.core.errors import ParseError
from perfkit.sources import kind_of

OF_FIO_3 = """\
mix: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 8192B-8192B, (T) 4096B-4096B, ioengine=libaio, iodepth=16
fio-3.7
Starting 1 process

mix: (groupid=0, jobs=1): err= 0: pid=61398: Mon Aug 17 16:20:59 2026
   read: IOPS=1000, BW=4000KiB/s (4096kB/s)(38.0MiB/10000msec)
    slat (nsec): min=1351, max=220652, avg=13200.65, stdev=18965.61
    clat (usec): min=154, max=2801.8k, avg=6044.18, stdev=6755.02
     lat (usec): min=174, max=2802.0k, avg=6057.74, stdev=6755.00
    clat percentiles (msec):
     |  1.00th=[    3],  5.00th=[    3], 50.00th=[    5], 99.00th=[  130], 99.90th=[  199]
  write: IOPS=26.0k, BW=211MiB/s (221MB/s)(2109MiB/10000msec)
    clat (usec): min=204, max=910, avg=312.05, stdev=15.02
     lat (usec): min=207, max=915, avg=314.10, stdev=15.00
    clat percentiles (usec):
     |  1.00th=[   99], 50.00th=[  310], 99.00th=[  420]
   bw (  KiB/s): min= 1894, max= 8354, per=94.51%, avg=4988.20, stdev=1473.66, samples=59
  lat (usec)   : 250=0.01%, 500=35.40%
  cpu          : usr=0.75%, sys=1.66%, ctx=32307, majf=0, minf=10
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=100.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.1%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=10000,269900,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=16

Run status group 0 (all jobs):
   READ: bw=4000KiB/s (4096kB/s), 4000KiB/s-4000KiB/s (4096kB/s-4096kB/s), io=38.0MiB (40.0MB), run=10000-10000msec

Disk stats (read/write):
  sdb: ios=9990/269000, merge=0/2, ticks=6044/31205, in_queue=37249, util=99.61%
"""  # noqa: E501 - as fio prints it
"""Made by us after fio 3.7's forms: 26,990 IOPS are printed as 26.0k, 39.06 MiB as 38.0MiB."""

OF_FIO_2 = """\
wr: (g=0): rw=write, bs=64K-64K/64K-64K/64K-64K, ioengine=sync, iodepth=1
...
fio-2.2.10
Starting 2 processes

wr: (groupid=0, jobs=2): err= 0: pid=2619: Mon Apr 23 15:41:29 2026
  write: io=5462.4MB, bw=279664KB/s, iops=4369, runt= 20000msec
    clat (usec): min=95, max=5067.3K, avg=436.36, stdev=703.40
     lat (usec): min=96, max=5067.4K, avg=437.09, stdev=703.42
    clat percentiles (usec):
     |  1.00th=[  105], 50.00th=[  436], 99.00th=[  892]
    bw (KB  /s): min=    5, max=147752, per=38.28%, avg=105880.61, stdev=17621.58
  cpu          : usr=0.13%, sys=0.21%, ctx=10053, majf=0, minf=199
     issued    : total=r=0/w=87395/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0

Run status group 0 (all jobs):
  WRITE: io=5462.4MB, aggrb=279664KB/s, minb=279664KB/s, maxb=279664KB/s, mint=20000msec, maxt=20000msec
"""  # noqa: E501 - as fio prints it
"""Made by us after fio 2.2's forms: 5462.19 MB are printed with another decimal, as it does."""


@pytest.fixture
def read(tmp_path):
    def of(text, name="result.txt"):
        (tmp_path / name).write_text(text)
        return pk.read(tmp_path / name)

    return of


def test_the_numbers_that_are_exact_are_read_and_what_is_rounded_follows_from_them(read):
    found = read(OF_FIO_3)
    points = found.load_points.frame
    assert points["direction"].to_list() == ["read", "write", "total"]
    assert points["iops"].to_list() == pytest.approx([1000.0, 26990.0, 27990.0])
    assert points["lat_mean_s"].to_list()[:2] == pytest.approx([6057.74e-6, 314.10e-6])
    assert points["bw_bytes_per_s"].to_list()[:2] == pytest.approx([1000 * 4096, 26990 * 8192])
    assert points["ios"].to_list() == [10000, 269900, 279900]
    assert set(points["load_kind"]) == {"iodepth"}
    assert set(points["load"]) == {16.0}
    (disk,) = found.disk_util.frame.to_dicts()
    assert (disk["device"], disk["write_ios"]) == ("sdb", 269000)


def test_a_percentile_rounded_by_more_than_one_percent_is_not_read(read):
    rows = read(OF_FIO_3).percentiles.frame
    told = {
        way: dict(rows.filter(direction=way).select("percentile", "value_s").rows())
        for way in ("read", "write")
    }
    assert told["read"] == {99.0: pytest.approx(0.130), 99.9: pytest.approx(0.199)}
    assert told["write"] == {50.0: pytest.approx(310e-6), 99.0: pytest.approx(420e-6)}


def test_what_it_does_not_state_is_null_and_told(read):
    found = read(OF_FIO_3)
    assert found.load_points.frame["in_flight"].to_list() == [None] * 3
    (warning,) = [text for text in found.evidence.warnings if "normal output" in text]
    assert "states neither rate limits nor direct I/O" in warning
    told = {item.name for text in found.load_points.frame["cautions"] for item in from_json(text)}
    assert told == {"normal_output"}


def test_fio_2_prints_in_its_own_way(read):
    found = read(OF_FIO_2)
    (row,) = found.load_points.frame.filter(direction="total").to_dicts()
    assert row["iops"] == pytest.approx(87395 / 20)
    assert row["lat_mean_s"] == pytest.approx(437.09e-6)
    assert row["bw_bytes_per_s"] == pytest.approx(87395 * 65536 / 20)
    assert (row["load_kind"], row["load"]) == ("numjobs", 2.0)
    assert found.summary.frame["lat_max_s"].to_list() == [pytest.approx(5.0674)]


def test_the_processor_time_of_the_jobs_is_a_share(read):
    found = read(OF_FIO_3).summary.frame
    assert found["fio_usr_ratio"].to_list() == pytest.approx([0.0075] * found.height)
    assert found["fio_sys_ratio"].to_list() == pytest.approx([0.0166] * found.height)


def test_output_cut_off_between_two_processes_is_refused(read):
    """Two of four processes would give half of the IOPS, at half of the jobs."""
    head, block = OF_FIO_3.split("\nmix: (groupid", 1)
    one = "\nmix: (groupid" + block[: block.index("\nRun status")]
    two = one + one.replace("pid=61398", "pid=61399")
    with pytest.raises(ParseError, match="cut off: not every group of jobs has its sum"):
        read(head + two)
    whole = read(head + two + block[block.index("\nRun status") :])
    assert whole.load_points.frame["ios"].to_list() == [20000, 539800, 559800]
    assert set(whole.load_points.frame["held"]) == {2.0}
    interim = head + two + block[block.index("\nRun status") :] + one
    with pytest.raises(ParseError, match="cut off"):
        read(interim)


def test_fio_2_0_sets_its_commas_apart(read):
    text = OF_FIO_2.replace("min=96, max=5067.4K,", "min=96 , max=5067.4K ,")
    assert text != OF_FIO_2
    found = read(text.replace("fio-2.2.10", "fio-2.0.15").replace("  write: io", "  write : io"))
    assert found.load_points.frame["lat_mean_s"].to_list() == [pytest.approx(437.09e-6)] * 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("fio-3.7\n", "", "without its version"),
        ("fio-3.7\n", "fio-3.7\nfio-3.7\n", "results of several runs"),
        ("4096B-4096B, (W) 8192B-8192B", "512B-64.0KiB, (W) 8192B-8192B", "of several sizes"),
        ("total=10000,", "total=11000,", r"11,000 I/Os .* are not the IOPS and bandwidth printed"),
        ("4096B-4096B, (W)", "8192B-8192B, (W)", "are not the IOPS and bandwidth printed"),
        ("   read: IOPS", "   mixed: IOPS", "no line of its reads is known"),
        ("     issued", "     cut", "how many I/Os were issued is missing"),
        ("err= 0", "err= 5 (file:io_u.c:1820, func=io_u error)", "reports error 5"),
        ("\nmix: (groupid", "\n<host-a> mix: (groupid", "of a client, which names hosts"),
        ("mix: (groupid", "other: (groupid", "no line says what job 'other' was to do"),
        ("Starting 1 process\n", "fio: terminating on signal 2\n", "stopped by signal 2"),
        ("min=174, max=2802.0k", "min=174, max=180", "is not between min"),
    ],
)  # fmt: skip
def test_what_is_no_whole_result_is_refused_by_place(read, old, new, said):
    assert old in OF_FIO_3
    with pytest.raises(ParseError, match=said):
        read(OF_FIO_3.replace(old, new, 1))


@pytest.mark.parametrize("end", range(0, len(OF_FIO_3), 97))
def test_output_cut_off_anywhere_is_refused_or_whole(read, tmp_path, end):
    """A cut may take what is not read; never a number of what is."""
    (tmp_path / "cut.txt").write_text(OF_FIO_3[:end])
    try:
        found = pk.read(tmp_path / "cut.txt", kind="fio")
    except ParseError:
        return
    assert found.load_points.frame["ios"].to_list() == [10000, 269900, 279900]


def test_sections_that_are_one_block_have_no_load(read):
    text = OF_FIO_2.replace("...\n", OF_FIO_2.splitlines()[0].replace("wr:", "log:") + "\n")
    row = read(text).load_points.frame.row(0, named=True)
    assert (row["load_kind"], row["load"]) == (None, None)


def test_of_interim_results_the_last_counts_and_no_process_counts_twice(read):
    """With --status-interval fio prints every process again and again, under one version."""
    head, block = OF_FIO_3.split("\nmix: (groupid", 1)
    interim = (
        ("\nmix: (groupid" + block)
        .replace("10000msec", "5000msec")
        .replace("total=10000,269900", "total=5000,134950")
    )
    found = read(head + interim + "\nmix: (groupid" + block)
    points = found.load_points.frame
    assert points["ios"].to_list() == [10000, 269900, 279900]
    assert set(points["load"]) == {16.0}
    assert any("1 interim results before the last one" in t for t in found.evidence.warnings)


def run_of(depth, *, rw="randread", block="4096B", size=4096, ios=10_000, pid=1, version="3.7"):
    """One run of a job, as a script appends it to a file."""
    rate = ios * size / 10 / 1024
    way = "write" if "write" in rw else "read"
    counts = f"0,{ios}" if way == "write" else f"{ios},0"
    return f"""\
== iodepth {depth}
scan: (g=0): rw={rw}, bs=(R) {block}-{block}, (W) {block}-{block}, (T) {block}-{block}, \
ioengine=libaio, iodepth={depth}
fio-{version}
Starting 1 process

scan: (groupid=0, jobs=1): err= 0: pid={pid}: Mon Aug 17 16:{pid + 10}:59 2026
  {way}: IOPS={ios // 10}, BW={int(rate)}KiB/s ({rate * 1.024:.0f}kB/s)(1MiB/10000msec)
     lat (usec): min=17, max=2802, avg=600.00, stdev=6.00
     issued rwts: total={counts},0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
   {way.upper()}: bw=1KiB/s
"""


def curves(found):
    frame = found.load_points.filter(direction="total").frame
    return frame.select("workload", "load", "iops").rows()


def test_runs_that_were_appended_to_one_file_are_results_each(read):
    """They were refused: "put each into a file of its own" is what nobody does with ">>"."""
    several = run_of(1, ios=8_000, pid=1) + run_of(4, ios=20_000, pid=2) + run_of(8, pid=3)
    found = read("fio-3.7\n" + several)  # a script may print the version first
    assert curves(found) == [("scan", 1, 800), ("scan", 4, 2000), ("scan", 8, 1000)]
    assert found.job_options.frame["groupid"].unique().to_list() == [0, 1, 2]
    assert any("4 lines of text around the result" in t for t in found.evidence.warnings)


def test_of_several_runs_no_disk_counters_are_kept(read):
    """Each run prints those of one disk, and a row of them says nothing of the run."""
    disk = (
        "\nDisk stats (read/write):\n  sda: ios=8/0, merge=0/0, ticks=1/0, in_queue=1, util=9.0%\n"
    )
    assert read(run_of(1, pid=1) + disk).disk_util.frame["device"].to_list() == ["sda"]
    assert not len(read(run_of(1, pid=1) + disk + run_of(4, pid=2) + disk).disk_util)


def test_a_counter_of_a_disk_that_ran_over_without_a_sign_is_null(read):
    """The whole result was refused: "disk_util[0].in_queue: 18446744069569556509 is impossible"."""
    found = read(OF_FIO_3.replace("in_queue=37249", "in_queue=18446744069569556509"))
    assert found.disk_util.frame.select("read_ticks_s", "in_queue_s").rows() == [(6.044, None)]
    assert any("a counter of the disk ran over" in told for told in found.evidence.warnings)
    assert found.load_points.frame["ios"].to_list() == [10000, 269900, 279900]


def test_runs_of_one_name_are_told_apart_by_mode_and_block_size(read):
    small, large, write = (
        run_of(1, pid=1),
        run_of(1, block="64.0KiB", size=65536, pid=2),
        run_of(1, rw="randwrite", pid=3),
    )
    assert curves(read(small + large)) == [
        ("scan, 4 KiB blocks", 1, 1000), ("scan, 64 KiB blocks", 1, 1000),
    ]  # fmt: skip
    names = [name for name, *_ in curves(read(small + large + write))]
    assert names == [
        "scan, randread, 4 KiB blocks", "scan, randread, 64 KiB blocks",
        "scan, randwrite, 4 KiB blocks",
    ]  # fmt: skip


def test_runs_of_one_job_are_its_repeats(read):
    found = read(run_of(4, pid=1) + run_of(4, pid=2, ios=9000) + run_of(8, pid=3))
    frame = found.load_points.filter(direction="total").frame
    assert frame.select("load", "repeat", "iops").rows() == [
        (4, 1, 1000), (4, 2, 900), (8, None, 1000),
    ]  # fmt: skip


SYNCS = "  fsync/fdatasync/sync_file_range:\n    sync (usec): min=7, max=576, avg=12.4, stdev=2.5\n"


def synced(run, calls):
    """A run whose syncs fio printed: those of fsync it counts among the I/Os issued."""
    with_latency = run.replace("     issued", f"{SYNCS}     issued")
    return with_latency.replace("0,0 short", f"0,{calls} short")


def test_runs_that_synced_are_no_repeats_of_runs_that_did_not(read):
    """Their mean stood as one result: 35,700 IOPS without fsync and 493 with it were 18,300."""
    kinds = [lambda run: run, lambda run: synced(run, 9999), lambda run: synced(run, 0)]
    runs = [kind(run_of(1, pid=1 + n + 2 * i)) for i, kind in enumerate(kinds) for n in range(2)]
    frame = read("".join(runs)).load_points.filter(direction="total").frame
    assert frame.select("workload", "repeat").rows() == [
        (f"scan, {how}", repeat)
        for how in ("no sync", "fsync", "syncs other than fsync")
        for repeat in (1, 2)
    ]


def test_that_the_time_of_syncs_is_in_no_latency_is_told(read):
    """ "Within a mean latency of 1 ms, redo gives 689 IOPS" was of a job that did one I/O after
    another: 547 µs for the write, and as long again for its sync."""
    runs = run_of(1, pid=1), synced(run_of(1, pid=2), 9999)
    told = [
        "syncs_apart" in {one.name for one in from_json(text)}
        for text in read("".join(runs)).load_points.filter(direction="total").frame["cautions"]
    ]
    assert told == [False, True]


def test_what_a_script_printed_of_the_runs_below_them_is_of_none(read):
    """`grep IOPS` of the file, appended to it: the last run lost its latency to these lines."""
    runs = run_of(1, pid=1) + run_of(2, pid=2)
    again = "".join(f"{line}\n" for line in runs.splitlines() if "IOPS=" in line)
    points = [read(text).load_points.frame for text in (runs, runs + again, runs + again[:60])]
    assert points[0].equals(points[1])
    assert points[0].equals(points[2])
    assert points[0]["lat_mean_s"].null_count() == 0


def test_a_run_that_stands_there_twice_was_done_once(read):
    found = read(run_of(1, pid=1) + run_of(2, pid=2) + run_of(2, pid=2))
    assert curves(found) == [("scan", 1, 1000), ("scan", 2, 1000)]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (run_of(2).split("Run status")[0], r"result.txt:14: .* is cut off: not every group"),
        (run_of(2).split("scan: (groupid")[0], r"result.txt:14: .* is cut off: no job has ended"),
        (run_of(2, version="3.8"), "several versions of fio"),
        (
            run_of(2, pid=2).replace("pid=2", "pid=9"),
            r"result.txt:14: .* done at the same time as that of line 1",
        ),
    ],
)
def test_one_of_several_runs_that_is_no_result_is_refused_by_its_line(read, second, said):
    with pytest.raises(ParseError, match=said):
        read(run_of(1, pid=2) + second)


def test_a_progress_line_does_not_hide_what_follows_it(read):
    text = OF_FIO_3.replace("\nmix: (gro", "\nJobs: 1 (f=1): [m(1)][50.0%]\rJobs: 1\rmix: (gro")
    assert read(text).load_points.frame.height == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ["--name=a", "--rw=randrw", "--bs=4k", "--ioengine=libaio", "--iodepth=4"],
        ["--name=a", "--rw=randread", "--bs=16k", "--ioengine=psync", "--numjobs=3",
         "--group_reporting"],
        ["--name=a", "--rw=write", "--bs=1M", "--ioengine=psync", "--numjobs=2"],
        ["--rw=read", "--bs=64k", "--ioengine=libaio", "--iodepth=2", "--name=a",
         "--name=b", "--stonewall", "--rw=randwrite", "--bs=8k"],
        ["--name=a", "--rw=write", "--bs=4k", "--ioengine=psync", "--iodepth=1",
         "--fsync=8"],
    ],
)  # fmt: skip
def test_it_says_what_the_json_of_the_same_run_says(tmp_path, options):
    """Of a real fio, which writes both forms of one run."""
    subprocess.run(
        # the output first: fio prints what it reads of a job before it knows where to
        ["fio", "--output=both.txt", "--output-format=json+,normal", "--size=2M",
         # as long for every process: of one that ends early the load is rightly not known
         "--time_based", "--runtime=1", *options],
        cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    text = (tmp_path / "both.txt").read_text()
    begin, end = text.index("\n{") + 1, text.index("\n}") + 3
    (tmp_path / "result.json").write_text(text[begin:end])
    (tmp_path / "result.txt").write_text(text[:begin] + text[end:])
    assert kind_of(tmp_path / "result.txt") == "fio"
    json, normal = (pk.read(tmp_path / f"result.{name}") for name in ("json", "txt"))
    rows = [found.load_points.frame.to_dicts() for found in (json, normal)]
    keys = ("workload", "load_kind", "load", "held_kind", "held", "direction", "ios", "io_bytes")
    assert [[row.get(key) for key in keys] for row in rows[0]] == [
        [row.get(key) for key in keys] for row in rows[1]
    ]
    for told, own in zip(*rows, strict=True):
        assert own["iops"] == pytest.approx(told["iops"], rel=1e-6)
        assert own["bw_bytes_per_s"] == pytest.approx(told["bw_bytes_per_s"], rel=1e-3)
        # printed to 0.01 of a microsecond: of 3.1646 us half of that is more than a thousandth
        assert own["lat_mean_s"] == pytest.approx(told["lat_mean_s"], rel=1e-3, abs=5e-9)
        if own["lat_p99_s"] is not None:
            assert own["lat_p99_s"] == pytest.approx(told["lat_p99_s"], rel=0.011)
    for name in ("majf", "context_switches"):
        if name in normal.summary.frame.columns:
            assert normal.summary.frame[name].to_list() == json.summary.frame[name].to_list()
    assert normal.sync.frame.height == json.sync.frame.height


def test_a_recorded_output_is_read(read):
    """tests/data/fio/README.md says how it was made."""
    found = read((TESTS / "data/fio/other/rw75.normal.txt").read_text())
    assert found.load_points.frame["direction"].to_list() == ["read", "write", "total"]
    assert found.evidence.tool_version == "3.33"
