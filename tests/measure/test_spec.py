"""The sweep spec: what it refuses, by field, and how loads and rates are divided."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from perfkit.core.errors import UsageError
from perfkit.measure.division import readers_and_writers, split_rate, stream_bytes
from perfkit.measure.parts import ramp_targets
from perfkit.measure.points import planned_points
from perfkit.measure.spec import SweepSpec
from perfkit.measure.workloads import WORKLOADS, named_workload, sweep_spec


def test_the_named_workloads_are_those_of_the_page_on_measuring():
    """A row for each; what a workload is stands nowhere else for a user."""
    page = (ROOT / "docs/measuring.md").read_text()
    [table] = re.findall(r"^## Named workloads\n\n(.*?)\n\n", page, re.M | re.S)
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.M) == list(WORKLOADS)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"fill_block": "3k", "file_size": "1 GiB"},
            "fill_block: the file_size is not a whole number",
        ),
        (
            {"fill_block": 100, "file_size": 100 * 8192},
            "fill_block: direct I/O needs a multiple of",
        ),
        ({"fill_block": "0"}, "fill_block: "),
        ({"until_steady": "p99"}, "until_steady: "),
        ({"until_steady": "iops", "control": 1}, "until_steady: a round is a repeat of each load"),
        ({"until_steady": "iops", "order": "shuffled"}, "until_steady: a round is a repeat of"),
        ({"until_steady": "iops", "search": {"latency": "1ms"}}, "until_steady: a round is a rep"),
    ],
)
def test_fills_and_rounds_that_do_not_fit_are_refused_by_field(fields, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        named_workload("oltp-select", **{"load": {"iodepth": [1]}, **fields})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("oltp-select", (100, 8192, 8192, "random", "iodepth")),
        ("oltp-mixed", (80, 8192, 8192, "random", "iodepth")),
        ("oltp-update", (50, 8192, 8192, "random", "iodepth")),
        ("sas-sequential", (50, 262144, 1048576, "sequential", "numjobs")),
        ("iris-ranread", (100, 8192, 8192, "random", "numjobs")),
        ("epic-like", (100, 8192, 8192, "random", "rate_iops")),
    ],
)
def test_each_named_workload_has_its_mix_block_and_load(name, expected):
    spec = named_workload(name)
    blocks = (spec.block_size, spec.largest_block)
    assert (spec.read_percent, *blocks, spec.pattern, spec.load.kind) == expected


def test_epic_like_says_that_it_is_not_genio_and_plans_five_cycles():
    spec = named_workload("epic-like")
    assert spec.label == "GenIO-like, not GenIO"
    assert (spec.cycles, spec.drain.period_s) == (5, 80)


def test_a_run_of_a_study_file_is_understood_as_people_write_it():
    spec = sweep_spec(
        {
            "workload": "oltp-select",
            "load": {"iodepth": [1, 2, 4]},
            "runtime": "2s",
            "ramp": "500 ms",
            "file_size": "1 GiB",
        }
    )
    assert (spec.runtime_s, spec.ramp_s, spec.file_size) == (2.0, 0.5, 1073741824)
    assert (spec.load.kind, spec.load.points) == ("iodepth", (1, 2, 4))


def test_one_load_point_needs_no_list():
    assert named_workload("oltp-select", load={"iodepth": 4}).load.points == (4,)


def test_a_paced_job_may_have_many_ios_in_flight_unless_it_waits_for_each():
    for engine, depth in (("libaio", 32), ("psync", 1)):
        spec = named_workload("oltp-select", load={"rate_iops": 100}, ioengine=engine)
        assert planned_points(spec)[0].iodepth(spec) == depth


def test_a_sweep_of_ones_own_needs_no_named_workload():
    spec = sweep_spec(
        {"workload": "mine", "block_size": "4k", "file_size": "1m", "load": {"numjobs": [2]}}
    )
    assert (spec.workload, spec.block_size, spec.read_percent) == ("mine", 4096, 100)


def test_another_kind_of_load_replaces_what_the_workload_had_fixed():
    """sas-sequential has iodepth 4; a sweep over iodepth has no fixed depth."""
    spec = named_workload("sas-sequential", load={"iodepth": [1, 2]}, numjobs=4)
    assert spec.iodepth is None


def test_a_part_of_the_drain_can_be_given_alone():
    drain = named_workload("epic-like", drain={"blocks": 7}).drain
    assert (drain.blocks, drain.period_s) == (7, 80)


def test_the_json_form_gives_the_same_sweep_again():
    for name in WORKLOADS:
        spec = named_workload(name)
        again = SweepSpec.model_validate(spec.record())
        assert again == spec
        assert again.sha256() == spec.sha256()


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"ioengine": "psync"}, "iodepth: psync keeps one I/O in flight per job"),
        ({"direct": False}, "iodepth: libaio submits buffered I/O one at a time"),
        ({"block_size": 1000}, "block_size: 1000 is not a multiple of 512"),
        ({"block_size": "4x"}, "block_size: '4x' is not a size"),
        ({"file_size": "4k"}, "file_size: 4 KiB is smaller than one block of 8 KiB"),
        ({"file_size": 12288}, "file_size: 12 KiB is not a whole number of blocks"),
        ({"iodepth": 4}, "iodepth: it is what the load raises"),
        ({"load": {"iodepth": [1, 1]}}, "load.points: a load point is listed twice"),
        ({"load": {"iodepth": []}}, "load.points"),
        ({"load": {"iodepth": [0]}}, "load.points.0"),
        ({"load": {"depth": [1]}}, "load.kind: Input should be 'iodepth'"),
        ({"load": {"rate_iops": {"min": 5}}}, "load: a ramp of rates is written"),
        ({"ioengine": "libaoi"}, "ioengine: Input should be 'libaio'"),
        ({"runtime": "2x"}, "runtime_s: '2x' is not a time"),
        ({"runtime": 0}, "runtime_s"),
        ({"runtime": "inf"}, "runtime_s"),
        ({"read_percent": 101}, "read_percent"),
        ({"repeats": 0}, "repeats"),
        ({"repeat": 3}, "repeat: no such field; did you mean 'repeats'?"),
        ({"rate_process": "poisson"}, "rate_process: the load is not paced"),
        ({"block_size_max": 4096}, "block_size_max: it is smaller than block_size"),
        ({"block_size_max": 20480}, "block_size_max: it is not a multiple"),
        ({"drain": {"blocks": 5}}, "drain: it needs paced reads"),
        ({"pattern": "sequential", "numjobs": 3, "read_percent": 50}, "numjobs: 3 sequential"),
        ({"pattern": "sequential", "load": {"rate_iops": [9]}}, "load: sequential streams"),
        ({"pattern": "sequential", "numjobs": 4, "file_size": 16384}, "file_size: too small"),
    ],
)
def test_what_does_not_fit_is_refused_by_field(overrides, said):
    """A combination that fio would turn into another measurement is refused, in one line."""
    with pytest.raises(UsageError) as refused:
        named_workload("oltp-select", **overrides)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_epic_like_run_without_a_whole_period_is_refused():
    with pytest.raises(UsageError, match=r"runtime: it is shorter than one drain period"):
        named_workload("epic-like", runtime="79s")


def test_an_unknown_workload_is_refused_with_a_suggestion():
    with pytest.raises(UsageError, match="did you mean 'oltp-select'"):
        named_workload("oltp-selekt")


def test_a_ramp_follows_the_published_rule():
    """Run i of n offers min + (max - min) * i / n: ten runs from 75,000 begin above it."""
    targets = ramp_targets(75_000, 150_000, 10)
    assert targets[0] == 82_500
    assert targets[-1] == 150_000
    assert ramp_targets(75_000, 110_000, 10)[5] == 96_000


@pytest.mark.parametrize(("low", "high", "runs"), [(5, 5, 1), (9, 5, 1), (-1, 5, 1), (1, 5, 0)])
def test_a_ramp_that_does_not_rise_is_refused(low, high, runs):
    with pytest.raises(ValueError, match="ramp"):
        ramp_targets(low, high, runs)


def test_the_order_of_points():
    def names(order):
        spec = named_workload("oltp-select", load={"iodepth": [1, 2]}, repeats=2, order=order)
        return [point.name for point in planned_points(spec)]

    assert names("interleaved") == ["iodepth-1-r1", "iodepth-2-r1", "iodepth-1-r2", "iodepth-2-r2"]
    assert names("sequential") == ["iodepth-1-r1", "iodepth-1-r2", "iodepth-2-r1", "iodepth-2-r2"]
    assert sorted(names("shuffled")) == sorted(names("sequential"))
    assert names("shuffled") == names("shuffled")


def test_every_point_has_its_own_seed_and_keeps_it():
    spec = named_workload("oltp-select")
    seeds = [point.seed(spec) for point in planned_points(spec)]
    assert len(set(seeds)) == len(seeds)
    assert seeds == [point.seed(spec) for point in planned_points(spec)]


@given(total=st.integers(1, 10**7), jobs=st.integers(1, 300), percent=st.integers(0, 100))
def test_a_divided_rate_adds_up_exactly_or_is_refused(total, jobs, percent):
    """The sum over jobs and directions is the total; no wanted direction gets 0 ("no limit")."""
    try:
        groups = split_rate(total, jobs, percent)
    except ValueError:
        reads = round(total * percent / 100)
        too_few = (percent and reads < jobs) or (percent < 100 and total - reads < jobs)
        assert too_few or abs(reads / total - percent / 100) > 0.01
        return
    assert sum(count for count, _, _ in groups) == jobs
    assert sum(count * (reads + writes) for count, reads, writes in groups) == total
    reads = [reads for _, reads, _ in groups]
    writes = [writes for _, _, writes in groups]
    assert max(reads) - min(reads) <= 1
    assert max(writes) - min(writes) <= 1
    assert all(bool(value) == bool(percent) for value in reads)
    assert all(bool(value) == bool(100 - percent) for value in writes)
    whole = sum(count * reads for count, reads, _ in groups)
    assert abs(whole / total - percent / 100) <= 0.01


def test_a_divided_rate_by_example():
    assert split_rate(1003, 4, 100) == ((3, 251, 0), (1, 250, 0))
    assert split_rate(1000, 4, 75) == ((2, 188, 62), (2, 187, 63))


@given(streams=st.integers(1, 64), percent=st.integers(0, 100))
def test_streams_are_whole_readers_and_writers_or_refused(streams, percent):
    try:
        readers, writers = readers_and_writers(streams, percent)
    except ValueError:
        assert streams * percent % 100
        return
    assert readers + writers == streams
    assert readers * 100 == streams * percent


@given(blocks=st.integers(64, 10_000), streams=st.sampled_from([2, 4, 6, 10, 64]))
def test_streams_do_not_share_a_byte(blocks, streams):
    spec = named_workload("sas-sequential", file_size=blocks * 1048576, load={"numjobs": [streams]})
    own = stream_bytes(spec.file_size, spec.largest_block, streams)
    assert own % 1048576 == 0
    assert 0 < own * streams <= spec.file_size


def test_the_shuffle_leaves_the_global_random_state_alone():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    planned_points(named_workload("oltp-select", order="shuffled"))
    assert random.random() == expected


@pytest.mark.parametrize(
    ("fields", "reads"),
    [
        ({"read_percent": 100}, True),
        ({"read_percent": 99}, False),
        ({"read_percent": 0}, False),
        ({"load": {"rate_iops": [100]}, "drain": {"blocks": 10}, "runtime": "100s"}, False),
    ],
)
def test_every_mix_below_all_reads_and_every_drain_writes(fields, reads):
    assert named_workload("oltp-select", **fields).read_only is reads
