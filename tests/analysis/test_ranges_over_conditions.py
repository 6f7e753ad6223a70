"""Curves of different block sizes or mixes do not stand in one range without its saying so."""

import pytest

import perfkit as pk

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
    (found,) = pk.finding(pk.peak(three), "peak_iops")
    start = (
        f"The peaks of all 3 curves{f', with {said},' if said else ''} range from at least 1,000 "
    )
    assert found.headline.startswith(start)


def test_what_the_curves_agree_in_is_no_part_of_their_answers(table):
    """So that an answer is the same whatever else the evidence has."""
    alike = table([*curve("one", reads=5e4), *curve("two", reads=1e3)])
    alone = table(curve("one", reads=5e4))
    columns = ["conditions", "key"]
    first = pk.peak(alike).frame.filter(workload="one").select(columns)
    assert first.equals(pk.peak(alone).frame.select(columns))
