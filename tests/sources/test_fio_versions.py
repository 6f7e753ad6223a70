"""Results of fio 2 and of 3.0 to 3.17: their own units, and null for what they do not say."""

import pytest
from forges.fio_results import Flow, Job, document, text

from perfkit.core.cautions import from_json, in_words
from perfkit.core.errors import ParseError
from perfkit.sources import kind_of
from perfkit.sources.fio.read import read_fio

OLD = [(2, 1), (2, 2), (2, 8), (2, 18), (2, 21), (2, 99), (3, 0), (3, 1), (3, 3), (3, 7), (3, 12)]
NEW = [(3, 16), (3, 17), (3, 18), (3, 33)]
ONE = {"ioengine": "libaio", "direct": "1", "iodepth": "8", "bs": "4k", "rw": "randread"}


@pytest.fixture
def reading(tmp_path):
    """A forged result as perfkit reads it."""

    def make(version, *jobs, before="", name="result.json", change=None):
        made = document(version, jobs)
        if change:
            change(made)
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(before + text(made))
        return read_fio(path, root=tmp_path)

    return make


def job(**options):
    # 120,000 I/Os of 4 KiB in 60 s: 2,000/s and 8,192,000 bytes/s
    return Job("j", {"read": Flow(120_000, 4096, 60_000)}, {**ONE, **options})


def total(found):
    return found.load_points.filter(direction="total").frame.row(0, named=True)


@pytest.mark.parametrize("version", OLD + NEW)
def test_every_version_gives_the_same_numbers_in_si_units(reading, version):
    row = total(reading(version, job()))
    assert row["iops"] == 2000
    assert row["bw_bytes_per_s"] == 2000 * 4096
    assert row["lat_mean_s"] == pytest.approx(200e-6, rel=1e-12)
    assert row["lat_max_s"] == pytest.approx(4040e-6, rel=1e-12)
    assert row["lat_p50_s"] == pytest.approx(180e-6, rel=1e-12)
    assert row["lat_p999_s"] == pytest.approx(900e-6, rel=1e-12)
    assert row["percentiles_of"] == "clat"
    assert row["ios"] == (120_000 if version >= (2, 2) else None)


@pytest.mark.parametrize("version", OLD + NEW)
def test_the_number_of_samples_is_null_before_it_was_told(reading, version):
    summary = reading(version, job())["summary"].frame.row(0, named=True)
    samples = reading(version, job())["percentiles"].frame["samples"].unique().to_list()
    told = 120_000 if version >= (3, 18) else None
    assert (summary["clat_n"], summary["lat_n"], samples) == (told, told, [told])
    assert summary["io_bytes"] == 120_000 * 4096


@pytest.mark.parametrize("version", [(2, 18), (3, 1), (3, 3)])
def test_padding_is_no_percentile(reading, version):
    found = reading(version, job())["percentiles"].frame["percentile"].to_list()
    assert found == [1.0, 50.0, 95.0, 99.0, 99.9, 99.99]


def test_a_percentile_of_0_with_a_value_is_an_error(reading):
    def damage(made):
        made["jobs"][0]["read"]["clat_ns"]["percentile"] = {"0.00": 5}

    with pytest.raises(ParseError, match=r"clat_ns.percentile.0.00: is not a percentage"):
        reading((3, 1), job(), change=damage)


@pytest.mark.parametrize("version", [(3, 1), (3, 12), (3, 16), (3, 17)])
def test_percentiles_are_of_the_latency_that_was_asked_for(reading, version):
    """Up to 3.12 fio writes those of the whole latency under the completion latency."""
    found = reading(version, job(lat_percentiles="1"))
    assert set(found["percentiles"].frame["kind"]) == {"lat"}
    assert total(found)["percentiles_of"] == "lat"


def test_latency_of_nothing_is_null_where_no_count_says_so(reading):
    """``disable_slat`` leaves zeros, which are not a latency of 0."""

    def disable(made):
        made["jobs"][0]["read"]["slat_ns"] = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0}

    summary = reading((3, 1), job(), change=disable)["summary"].frame.row(0, named=True)
    assert (summary["slat_mean_s"], summary["slat_max_s"]) == (None, None)
    assert summary["clat_mean_s"] == pytest.approx(190e-6)


def test_jobs_without_counts_of_samples_are_pooled_by_their_ios(reading):
    slow = Flow(40_000, 4096, 60_000, clat_us=(90, 9000, 990))
    jobs = [
        Job("a", {"read": Flow(120_000, 4096, 60_000)}, ONE),
        Job("b", {"read": slow}, ONE),
    ]
    row = total(reading((3, 1), *jobs))
    assert row["iops"] == pytest.approx(160_000 / 60)
    assert row["lat_mean_s"] == pytest.approx((120_000 * 200e-6 + 40_000 * 1000e-6) / 160_000)
    assert row["lat_max_s"] == pytest.approx(9040e-6)
    assert row["lat_p99_s"] is None  # of two jobs there is no histogram: never averaged


def test_reads_and_writes_of_a_mixed_load_have_percentiles_of_their_own(reading):
    flows = {
        "read": Flow(75_000, 4096, 60_000),
        "write": Flow(25_000, 4096, 60_000, percentiles_us=(10, 20, 30, 40, 50, 60)),
    }
    points = reading((3, 16), Job("m", flows, ONE)).load_points.frame
    p99 = dict(points.select("direction", "lat_p99_s").rows())
    assert p99 == {"read": pytest.approx(400e-6), "write": pytest.approx(40e-6), "total": None}


DAMAGE = [
    ((2, 18), ("io_bytes",), 120_000 * 4096, r"bw: 8000 KiB/s are not"),  # bytes, not KiB
    ((3, 1), ("io_bytes",), 120_000 * 4, r"bw: 8000 KiB/s are not"),
    ((3, 16), ("bw_bytes",), 8_300_000, r"bw_bytes: 8300000 does not agree with 491520000 in"),
    ((3, 1), ("iops",), 3000.0, r"iops: 3000.0 does not agree"),
    ((2, 18), ("iops",), 3000.0, r"iops: 3000.0 does not agree"),
    ((3, 1), ("lat_ns", "mean"), 100.0, r"mean: 100.0 is not between"),
    ((3, 1), ("clat_ns", "mean"), 300_000.0, r"lat_ns: a mean of 200000.0 is below"),
    ((2, 18), ("lat", "max"), None, r"lat.max: is missing"),
    ((3, 18), ("lat_ns", "N"), None, r"lat_ns.N: is missing"),
    ((2, 18), ("clat_ns",), {"min": 1}, r"clat_ns: is of another version of fio"),
    ((3, 1), ("clat",), {"min": 1}, r"clat: is of another version of fio"),
]


@pytest.mark.parametrize(("version", "place", "value", "message"), DAMAGE)
def test_numbers_that_disagree_are_an_error(reading, version, place, value, message):
    def damage(made):
        node = made["jobs"][0]["read"]
        for key in place[:-1]:
            node = node[key]
        node[place[-1]] = value

    with pytest.raises(ParseError, match=message):
        reading(version, job(), change=damage)


@pytest.mark.parametrize(("bw_bytes", "agrees"), [(65, True), (66, True), (64, True), (67, False)])
def test_a_low_rate_agrees_within_a_whole_byte_per_second(reading, bw_bytes, agrees):
    """One I/O of 3900 bytes in 60 s: 65 bytes/s, of which a thousandth is less than fio prints."""

    def change(made):
        made["jobs"][0]["read"]["bw_bytes"] = bw_bytes

    low = Job("j", {"read": Flow(1, 3900, 60_000)}, ONE)
    if agrees:
        assert total(reading((3, 16), low, change=change))["bw_bytes_per_s"] == bw_bytes
    else:
        with pytest.raises(ParseError, match="bw_bytes: 67 does not agree with 3900 in 60000 ms"):
            reading((3, 16), low, change=change)


def test_fio_1_is_refused(reading):
    with pytest.raises(ParseError, match=r"written by fio-1.57: fio writes JSON since version 2"):
        reading((1, 57), job())


def test_errors_longer_than_what_is_looked_at_do_not_hide_the_result(reading, tmp_path):
    line = "fio: io_u error on file /dev/sdb: Input/output error: read offset=4096, buflen=4096\n"
    found = reading((3, 7), job(), before=line * 2000)
    assert (tmp_path / "result.json").stat().st_size > 64 * 1024 + len(text(document((3, 7), [])))
    assert kind_of(tmp_path / "result.json") == "fio"
    assert total(found)["iops"] == 2000
    assert "2000 lines of text around the JSON were not read" in found.evidence.warnings


def test_a_counter_of_the_disk_that_ran_over_is_null_and_told(reading):
    """Of the kernel's 32 bits: the time is lost, and the result beside it is not."""

    def run_over(made):
        times = {"read_ticks": 5000, "write_ticks": -4248817015, "in_queue": -4142558828}
        made["disk_util"] = [{"name": "sda", **times, "util": 99.5}]

    found = reading((3, 33), job(), change=run_over)
    disk = found["disk_util"].frame.row(0, named=True)
    assert (disk["read_ticks_s"], disk["write_ticks_s"], disk["in_queue_s"]) == (5, None, None)
    assert "a counter of the disk ran over while fio ran: its time is null" in (
        found.evidence.warnings
    )
    assert total(found)["cautions"] is None
    times = dict.fromkeys(("read_ticks", "write_ticks", "in_queue"), 0)
    idle = reading(
        (3, 33), job(), change=lambda made: made.update(disk_util=[{"name": "sda", **times}])
    )
    assert idle["disk_util"].frame["write_ticks_s"].to_list() == [0]
    assert idle.evidence.warnings == ()


# ---- the load: of one number, of two, and of several jobs


def load(found):
    row = total(found)
    return row["load_kind"], row["load"], row["held_kind"], row["held"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"iodepth": "8"}, ("iodepth", 8, None, None)),
        ({"iodepth": "8", "numjobs": "1"}, ("iodepth", 8, None, None)),
        ({"iodepth": "1", "numjobs": "4"}, ("numjobs", 4, None, None)),
        ({"iodepth": "8", "numjobs": "4"}, ("iodepth", 8, "numjobs", 4)),
    ],
)
@pytest.mark.parametrize("version", [(2, 18), (3, 1), (3, 33)])
def test_the_load_is_what_the_options_say(reading, version, options, expected):
    one = job(**options, group_reporting="1")
    one.processes = int(options.get("numjobs", "1"))
    found = reading(version, one)
    assert load(found) == expected
    assert total(found)["in_flight"] == int(options["iodepth"]) * one.processes


@pytest.mark.parametrize("left_out", [{"iodepth"}, {"iodepth", "ioengine"}])
def test_a_depth_that_is_not_given_is_that_of_fio(reading, left_out):
    """Two results of `fio --rw=randread --bs=4k` could not be compared: "no load point says its
    load"; that one I/O was in flight was known."""
    options = {name: value for name, value in ONE.items() if name not in left_out}
    flows = {"read": Flow(120_000, 4096, 60_000)}
    found = reading((3, 33), Job("j", flows, options))
    assert load(found) == ("iodepth", 1, None, None)
    assert total(found)["in_flight"] == 1
    assert load(reading((3, 33), Job("j", flows, {}))) == (None,) * 4  # it states no option at all


@pytest.mark.parametrize(("levels", "known"), [({"1": 100.0}, 1), ({"1": 0.1, "16": 99.9}, None)])
def test_a_depth_that_is_not_given_is_not_1_where_fio_counted_others(reading, levels, known):
    """It was set where the file does not print it."""
    options = {name: value for name, value in ONE.items() if name != "iodepth"}

    def count(made):
        made["jobs"][0]["iodepth_level"] = {"2": 0.0, "4": 0.0, ">=64": 0.0, **levels}

    job = Job("j", {"read": Flow(120_000, 4096, 60_000)}, options)
    found = reading((3, 33), job, change=count)
    assert load(found) == ("iodepth" if known else None, known, None, None)
    assert total(found)["in_flight"] == known


def test_jobs_of_another_block_size_or_depth_are_load_points_of_their_own(reading):
    """They ran at the same time: what each gave stands for itself, with a caution."""
    jobs = [
        Job("small", {"read": Flow(120_000, 4096, 60_000)}, ONE),
        Job("large", {"read": Flow(600, 1 << 20, 60_000)}, {**ONE, "bs": "1m"}),
        Job("deep", {"read": Flow(60_000, 4096, 60_000)}, {**ONE, "iodepth": "32"}),
    ]
    points = reading((3, 16), *jobs).load_points.filter(direction="total").frame
    assert points.select("workload", "load", "iops").rows() == [
        ("small", 8, 2000), ("large", 8, 10), ("deep", 32, 1000),
    ]  # fmt: skip
    (told,) = in_words(one for text in points["cautions"] for one in from_json(text))
    assert told.startswith("in ")
    assert told.endswith(
        "jobs of different block sizes or depths ran at the same time (small, large, deep): each "
        "slows the others, and their rates are not added up"
    )


def test_jobs_alike_in_one_group_are_one_load_point_and_groups_are_not(reading):
    alike = [Job(name, {"read": Flow(60_000, 4096, 60_000)}, ONE) for name in "ab"]
    apart = Job("c", {"read": Flow(30_000, 4096, 60_000)}, ONE, group=1)
    points = reading((3, 16), *alike, apart).load_points.filter(direction="total").frame
    assert points.select("workload", "iops", "cautions").rows() == [
        ("a + b", 2000, None), ("c", 500, None),
    ]  # fmt: skip


def test_jobs_that_were_to_do_the_same_and_did_not_are_told(reading):
    """One did less than half of what another did: their sum is not that of equal jobs."""

    def cautions(*jobs):
        made = [Job(name, {"read": Flow(ios, 4096, 60_000)}, own) for name, ios, own in jobs]
        found = reading((3, 16), *made).load_points.filter(direction="total").frame
        return in_words(from_json(found["cautions"][0]))

    several = {**ONE, "numjobs": "3"}
    (told,) = cautions(("a", 60_000, several), ("a", 60_000, several), ("a", 24_000, several))
    assert "the 3 jobs of a in " in told
    assert told.endswith("did not: the slowest did 400 IOPS, the fastest 1,000")
    (told,) = cautions(
        ("a", 60_000, {**ONE, "filename": "/dev/b"}), ("b", 24_000, {**ONE, "filename": "/dev/c"})
    )
    assert "the 2 jobs of a + b in " in told
    # not the same: one writes atomically
    assert not cautions(
        ("a", 60_000, {**ONE, "atomic": "0"}), ("b", 24_000, {**ONE, "atomic": "1"})
    )
    assert not cautions(("a", 60_000, ONE), ("a", 30_000, ONE))  # half is not less than half
    assert not cautions(("a", 60_000, ONE), ("b", 600, {**ONE, "rate_iops": "10"}))


@pytest.mark.parametrize("option", ["rate", "thinktime", "latency_target"])
def test_a_limit_that_a_job_was_given_is_told(reading, option):
    """Its peak stood on the first page beside those of jobs that did all they could."""

    def cautions(**more):
        one = Job("log", {"write": Flow(60_000, 4096, 60_000)}, {**ONE, **more})
        found = reading((3, 16), one).load_points.filter(direction="total").frame
        return in_words(from_json(found["cautions"][0]))

    (told,) = cautions(**{option: "120m"})
    assert told.startswith("log of ")
    assert told.endswith(
        f"had a limit set ({option}): the rate need not be the most that the storage can do"
    )
    assert not cautions(**{option: "0"})
    assert not cautions(rate_iops="1000")  # that is the load


def test_sections_of_one_name_are_told_apart_by_their_syncs(reading):
    jobs = [
        Job("log", {"write": Flow(60_000, 4096, 60_000)}, {**ONE, **more}, group=number)
        for number, more in enumerate(({}, {"fsync": "1"}, {"fdatasync": "4"}))
    ]
    points = reading((3, 16), *jobs).load_points.filter(direction="total").frame
    assert points["workload"].to_list() == ["log, no sync", "log, fsync=1", "log, fdatasync=4"]


@pytest.mark.parametrize(
    ("one", "other"),
    [({"bs": "4k"}, {"bs": "4096"}), ({}, {"bs": "4k"}), ({"iodepth": "1"}, {}), ({}, {})],
)
def test_the_same_block_size_and_depth_in_other_words_is_one_load(reading, one, other):
    """4 KiB and a depth of 1 are fio's defaults."""
    jobs = [
        Job(name, {"read": Flow(60_000, 4096, 60_000)}, {"ioengine": "psync", **options})
        for name, options in (("a", one), ("b", other))
    ]
    points = reading((3, 16), *jobs).load_points.filter(direction="total").frame
    assert points.select("workload", "iops", "cautions").rows() == [("a + b", 2000, None)]


# ---- what names say


@pytest.mark.parametrize(
    "name",
    ["randread-iodepth-8-numjobs-4.json", "randread-8-4.json", "randread-4-8.json", "x.json",
     "iodepth-008/numjobs-4/result.json", "4k_randread_qd8_nj4.json"],
)  # fmt: skip
def test_a_name_that_agrees_or_says_nothing_is_no_matter(reading, name):
    row = total(reading((3, 1), job(numjobs="4"), name=name))
    assert (row["load"], row["held"], row["cautions"]) == (8, 4, None)


@pytest.mark.parametrize(
    "name", ["randread-iodepth-16-numjobs-4.json", "randread-8-2.json", "iodepth-1/result.json"]
)
def test_a_name_that_disagrees_is_a_caution_and_the_file_counts(reading, name):
    row = total(reading((3, 1), job(numjobs="4"), name=name))
    assert (row["load"], row["held"]) == (8, 4)
    assert '"name_disagrees"' in row["cautions"]


def test_a_name_gives_the_load_of_a_version_that_does_not_state_it(reading):
    """fio 2.2 writes no options. A bare pair of numbers is not guessed at."""
    found = reading((2, 2), job(), name="randread-iodepth-8-numjobs-4.json")
    assert load(found) == ("iodepth", 8, "numjobs", 4)
    assert '"load_from_name"' in total(found)["cautions"]
    assert load(reading((2, 2), job(), name="randread-8-4.json")) == (None,) * 4
    assert load(reading((2, 2), job(), name="total_iodepth-8.json")) == (None,) * 4


def section(depth, jobs, name, ios, group):
    options = {**ONE, "iodepth": str(depth), "numjobs": str(jobs), "stonewall": ""}
    flow = Flow(ios, 4096, 10_000)
    return Job(name, {"read": flow}, options, group=group, processes=jobs)


def rows_of(found):
    points = found.load_points.filter(direction="total").frame
    return points.select("workload", "load_kind", "load", "held_kind", "held", "iops").rows()


def test_a_file_of_many_sections_is_one_grid(reading):
    """Their names hold their own loads, which is not part of a workload's name."""
    pairs = [(1, 1), (1, 4), (8, 1), (8, 4)]
    jobs = [
        section(d, j, f"4k-randread-qd{d}-nj{j}", d * j * 1000, n) for n, (d, j) in enumerate(pairs)
    ]
    assert rows_of(reading((3, 39), *jobs)) == [
        ("4k-randread", "iodepth", d, "numjobs", j, d * j * 100) for d, j in pairs
    ]


@pytest.mark.parametrize(
    "names", [("a-qd1", "a-qd2"), ("qd8", "qd9"), ("x-qd8", "x-iodepth8"), ("x", "y")]
)
def test_a_name_that_does_not_hold_the_own_load_stays(reading, names):
    """Neither another number, nor all of a name, nor one that leaves two of one name."""
    jobs = [section(8, 1, name, 1000, n) for n, name in enumerate(names)]
    assert [row[0] for row in rows_of(reading((3, 39), *jobs))] == list(names)


def test_a_rate_agrees_within_a_thousandth(reading):
    def told(iops):
        def change(made):
            made["jobs"][0]["read"]["iops"] = iops

        return total(reading((3, 1), job(), change=change))["iops"]

    assert told(2001.9) == 2001.9
    with pytest.raises(ParseError, match=r"2002\.1 does not agree"):
        told(2002.1)
