"""Curves of different block sizes or mixes do not stand in one range without its saying so."""

import pytest

import perfkit as pk
from perfkit.analysis.curves.differences import mean_io_bytes, read_ratio

KIB = 1024


def flow(workload, direction, iops, size):
    return {"workload": workload, "direction": direction, "iops": iops, "load": 1,
            "bw_bytes_per_s": iops * size, "lat_mean_s": 1e-3}  # fmt: skip


def curve(workload, reads=0.0, writes=0.0, size=4 * KIB, write_size=None):
    """One load point: what it read and wrote, and both together."""
    written = write_size or size
    of_all = reads + writes
    mean = (reads * size + writes * written) / of_all
    own = [("read", reads, size), ("write", writes, written), ("total", of_all, mean)]
    return [flow(workload, name, iops, each) for name, iops, each in own if iops]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"reads": 5e4}, {"reads": 1e3}, ""),
        ({"reads": 5e4}, {"reads": 1e3, "size": 4 * KIB * 1.01}, ""),
        ({"reads": 5e4}, {"reads": 1e3, "size": 1024 * KIB},
         "mean I/O sizes from 4.00 KiB to 1.00 MiB"),
        ({"reads": 5e4}, {"writes": 1e3}, "0% to 100% reads"),
        ({"reads": 7e4, "writes": 3e4}, {"writes": 1e3, "size": 8 * KIB},
         "mean I/O sizes from 4.00 KiB to 8.00 KiB and 0% to 70% reads"),
        # reads and writes of unlike sizes have no size together, though the mean here is 8 KiB too
        ({"reads": 5e4, "writes": 5e4, "size": 8 * KIB},
         {"reads": 500, "writes": 500, "write_size": 12 * KIB},
         "mean read sizes from 4.00 KiB to 8.00 KiB and mean write sizes from 8.00 KiB to "
         "12.0 KiB"),
        ({"reads": 5e4, "writes": 5e4},
         {"reads": 500, "writes": 500, "write_size": 64 * KIB},
         "mean write sizes from 4.00 KiB to 64.0 KiB"),
        ({"reads": 5e4, "writes": 5e4, "write_size": 64 * KIB},
         {"reads": 500, "writes": 500, "write_size": 64 * KIB}, ""),
    ],
)  # fmt: skip
def test_curves_are_told_apart_by_what_they_differ_in(table, first, second, said):
    points = table([*curve("one", **first), *curve("two", **second)])
    (found,) = pk.finding(pk.peak(points), "peak_iops")
    assert found.headline.startswith("The peaks of both curves are at least 1,000 IOPS (")
    assert found.text == (f"The curves have {said}." if said else "")
    three = table([*curve("one", **first), *curve("two", **second), *curve("three", **second)])
    if said.startswith("mean I/O sizes"):
        found = [item.headline for item in pk.finding(pk.peak(three), "peak_iops")]
        assert sorted(item.partition(" at least ")[0] for item in found) == [
            "The peaks of both curves of "
            f"{'1.00 MiB' if '1.00 MiB' in said else '8.00 KiB'} I/Os are",
            "one gives",
        ]
        return
    (found,) = pk.finding(pk.peak(three), "peak_iops")
    start = (
        f"The peaks of all 3 curves{f', with {said},' if said else ''} range from at least 1,000 "
    )
    assert found.headline.startswith(start)


def test_sizes_that_print_alike_are_no_range(table):
    """It read "of mean I/O sizes from 4.00 KiB to 4.00 KiB": the third curve has no answer."""
    slow = [{**row, "lat_mean_s": 1.0} for row in curve("three", reads=1e3, size=1024 * KIB)]
    near = curve("two", reads=1e3, size=4 * KIB * 1.0001)
    points = table([*curve("one", reads=5e4), *near, *slow])
    found, none = pk.finding(pk.iops_at_latency(points, 2e-3), "most_iops_within_latency")
    assert "both curves of 4.00 KiB I/Os gave" in found.headline
    assert found.text == ""
    assert none.headline == "three does not stay within a mean latency of 2 ms at any load."
    assert "1.00 s" in none.text


def of_systems(workload, *iops, **more):
    """A curve of one load point for each system."""
    return [
        {**row, "system": system}
        for system, rate in zip("ABC", iops, strict=False)
        for row in curve(workload, **more, reads=rate)
    ]


def test_workloads_that_differ_in_size_have_a_finding_each(table):
    """ "The peaks of all 270 curves range from 0.6 to 113,000 IOPS" compared unlike I/O."""
    large = of_systems("large", 500, 400, 450, size=1024 * KIB)
    points = table([*of_systems("small", 5e4, 4e4), *large])
    first, second = pk.finding(pk.peak(points), "peak_iops")
    assert first.headline == (
        "The peaks of both curves of small are at least 40,000 IOPS (B) and at least 50,000 IOPS "
        "(A)."
    )
    assert second.headline == (
        "The peaks of all 3 curves of large range from at least 400 IOPS to at least 500 IOPS."
    )
    assert second.text == "At least 400 IOPS: B; at least 500 IOPS: A."
    (none,) = pk.finding(pk.iops_at_latency(points, 0.5e-3), "most_iops_within_latency")
    assert none.text == "Within a mean latency of 500 µs, none of 5 curves gives an answer."


def test_of_more_findings_than_a_page_has_room_for_each_question_counts_its_own(table):
    """ "4 more such findings" stood below IOPS within a latency; three were lowest latencies."""
    sizes = [(f"w{n}", 4096 * 2**n) for n in range(3)]
    points = table([row for name, size in sizes for row in of_systems(name, 5e4, 4e4, size=size)])
    within = pk.iops_at_latency(points, 2e-3)
    shown = pk.findings(
        pk.finding(pk.peak(points), "peak_iops"),
        pk.finding(within, "most_iops_within_latency"),
        pk.finding(pk.lowest_latency(points), "lowest_latency"),
    )
    assert [item.id for item in shown.items] == [
        *["peak-iops"] * 3, *["most-iops-within-latency"] * 2,
    ]  # fmt: skip
    assert shown.items[-1].text.endswith("1 more such finding is not listed here.")


def test_that_no_curve_has_iops_within_a_latency_says_that_none_has_any_at_it(table):
    points = table([*of_systems("one", 5e4, 4e4)])
    none = pk.iops_at_latency(points, 0.5e-3)
    asked = [pk.finding(none, name) for name in ("most_iops_within_latency", "iops_at_latency")]
    shown = pk.findings(pk.finding(pk.peak(points), "peak_iops"), *asked)
    assert [item.text for item in shown.unanswered] == [
        "Within a mean latency of 500 µs, neither curve gives an answer."
    ]
    assert len(pk.findings(pk.finding(pk.peak(points), "peak_iops"), asked[1]).unanswered) == 1


def test_workloads_of_the_same_size_have_one_range(table):
    alike = table([*of_systems("one", 5e4, 4e4), *of_systems("two", 500, 400)])
    assert len(pk.finding(pk.peak(alike), "peak_iops")) == 1


def mixes(*sizes):
    """A read, a write and a mix of each size, which is more than a page has room for."""
    return [
        row
        for size in sizes
        for name, reads, writes in (("r", 9e7, 0), ("w", 0, 4e7), ("m", 5e7, 2e7))
        for row in curve(f"{name}-{size}", reads / size, writes / size, size * KIB)
    ]


def test_more_workloads_have_a_range_for_each_size_never_over_sizes(table):
    """ "The peaks of all 12 curves range from 1,220 IOPS to 55,400 IOPS": of 1 MiB and 4 KiB."""
    found = [item.headline for item in pk.finding(pk.peak(table(mixes(4, 1024))), "peak_iops")]
    assert found == [
        "The peaks of all 3 curves of 4.00 KiB I/Os, with 0% to 100% reads, range from at least "
        "10.0M IOPS to at least 22.5M IOPS.",
        "The peaks of all 3 curves of 1.00 MiB I/Os, with 0% to 100% reads, range from at least "
        "39,100 IOPS to at least 87,900 IOPS.",
    ]


def test_one_curve_of_a_size_says_which(table):
    points = table([*mixes(1024), *curve("own", reads=5e4)])
    small, large = pk.finding(pk.peak(points), "peak_iops")
    assert small.headline == "own gives at least 50,000 IOPS: its peak may lie higher."
    assert small.text.endswith(" Its I/Os are of 4.00 KiB.")
    assert "of 1.00 MiB I/Os" in large.headline


def test_of_many_sizes_the_smallest_and_the_largest_are_told_and_the_others_counted(table):
    points = table(mixes(4, 1024, 16, 64, 256))
    shown = pk.findings(pk.finding(pk.peak(points), "peak_iops"))
    assert [item.headline.partition(" I/Os")[0][-8:] for item in shown.items] == [
        "4.00 KiB", "1.00 MiB",
    ]  # fmt: skip
    assert shown.items[-1].text.endswith("3 more such findings are not listed here.")
    # a caution counts the curves of those, too: "6 curves were measured once" says others were not
    once = [of for item in shown.items for one in item.cautions if one.name == "one_repeat"
            for of in [one.of]]  # fmt: skip
    assert len(set(once)) == 15


def test_what_the_curves_agree_in_is_no_part_of_their_answers(table):
    """So that an answer is the same whatever else the evidence has."""
    alike = table([*curve("one", reads=5e4), *curve("two", reads=1e3)])
    alone = table(curve("one", reads=5e4))
    columns = ["conditions", "key"]
    first = pk.peak(alike).frame.filter(workload="one").select(columns)
    assert first.equals(pk.peak(alone).frame.select(columns))


READS, WRITES = ("read", 300.0, 300 * 4096.0), ("write", 100.0, 100 * 8192.0)


@pytest.mark.parametrize(
    ("points", "size", "ratio"),
    [
        ([("total", 100.0, 819_200.0)], 8192.0, None),
        ([READS, WRITES, ("total", 400.0, 1.0)], 5120.0, 0.75),  # the total is both once more
        ([READS, ("total", 400.0, 1.0)], 4096.0, 1.0),
        ([READS, ("write", 0.0, 0.0)], 4096.0, 1.0),
        ([("trim", 100.0, 819_200.0)], None, None),
        ([READS, ("write", 100.0, None)], None, 0.75),
        ([("total", 0.0, 0.0)], None, None),
    ],
)  # fmt: skip
def test_the_mean_size_of_an_io_and_the_share_of_reads(points, size, ratio):
    rows = [dict(zip(("direction", "iops", "bw_bytes_per_s"), one, strict=True)) for one in points]
    assert (mean_io_bytes(rows), read_ratio(rows)) == (size, ratio)
