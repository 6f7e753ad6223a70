"""Histograms of waits: the parts a report prints become one, and say where a percentile lies."""

import math

import pytest

from perfkit.analysis.awr.histograms import Band, buckets, percentile

US, MS = 1e-6, 1e-3


def row(range_, lower, upper, share, below=False):
    return {
        "range": range_, "lower_s": lower, "upper_s": upper, "waits_ratio": share, "below": below,
    }  # fmt: skip


READS = [
    row("all", 128 * US, 256 * US, 0.010), row("all", 256 * US, 512 * US, 0.047),
    row("all", 512 * US, None, 0.943),
    row("up to 32 ms", 0.0, 512 * US, 0.057), row("up to 32 ms", 512 * US, 1 * MS, 0.533),
    row("up to 32 ms", 1 * MS, 2 * MS, 0.338), row("up to 32 ms", 2 * MS, 4 * MS, 0.050),
    row("up to 32 ms", 4 * MS, 8 * MS, 0.016), row("up to 32 ms", 8 * MS, 16 * MS, 0.004),
    row("up to 32 ms", 16 * MS, 32 * MS, 0.001), row("up to 32 ms", 32 * MS, None, 0.001),
    row("up to 2 sec", 0.0, 32 * MS, 0.999), row("up to 2 sec", 32 * MS, 64 * MS, 0.0),
]  # fmt: skip
"""Three parts of one event as 19c prints them."""


def test_the_finest_part_counts_in_each_place():
    """Half a millisecond finely, then doubling: what a coarser part repeats is left out."""
    found = buckets(READS)
    assert [(item.lower_s, item.waits_ratio) for item in found] == [
        (128 * US, 0.010), (256 * US, 0.047), (512 * US, 0.533), (1 * MS, 0.338), (2 * MS, 0.050),
        (4 * MS, 0.016), (8 * MS, 0.004), (16 * MS, 0.001), (32 * MS, 0.0),
    ]  # fmt: skip
    assert found[-1].upper_s == 64 * MS


@pytest.mark.parametrize(
    ("percent", "lower", "upper"),
    [(50, 512 * US, 1 * MS), (95, 2 * MS, 4 * MS), (99, 4 * MS, 8 * MS)],
)
def test_a_percentile_lies_in_one_bucket(percent, lower, upper):
    """Cumulative: 59.0% below 1 ms, 92.8% below 2, 97.8% below 4, 99.4% below 8."""
    assert percentile(buckets(READS), percent) == Band(lower, upper)


def test_rounding_that_leaves_two_buckets_open_gives_both():
    """98.95% to 99.05% below 4 ms: the 99th percentile may lie on either side."""
    rows = [row("all", 0.0, 4 * MS, 0.990), row("all", 4 * MS, 8 * MS, 0.010)]
    assert percentile(buckets(rows), 99) == Band(0.0, 8 * MS)
    assert percentile(buckets(rows), 95) == Band(0.0, 4 * MS)


def test_a_median_that_half_of_the_waits_may_lie_below_is_not_surely_above():
    """24.85% to 24.95%, and 25.05% to 25.15%: below 2 ms lies half of them at most."""
    shares = (0.249, 0.25, 0.25, 0.251)
    rows = [row("all", 0.0 if place == 0 else 2**(place - 1) * MS, 2**place * MS, share)
            for place, share in enumerate(shares)]  # fmt: skip
    assert percentile(buckets(rows), 50) == Band(1 * MS, 4 * MS)


def test_the_last_bucket_has_no_end():
    """11.2 prints "> 1 s": no number stands in for its end."""
    rows = [row("all", 0.0, 1.0, 0.9), row("all", 1.0, None, 0.1)]
    assert percentile(buckets(rows), 99) == Band(1.0, math.inf)


def test_a_share_below_the_last_digit_is_a_bound():
    """ "< 0.01" is anything from nothing to that."""
    rows = [row("all", 0.0, 1 * MS, 0.99), row("all", 1 * MS, 2 * MS, 0.01, below=True)]
    assert (buckets(rows)[1].low, buckets(rows)[1].high) == (0.0, 0.01)


def test_parts_that_do_not_add_up_are_not_put_together():
    """A part of other waits: the range "all" stands alone, and says nothing of a percentile."""
    rows = [row("all", 0.0, 512 * US, 0.5), row("all", 512 * US, None, 0.5),
            row("up to 32 ms", 512 * US, 1 * MS, 0.2)]  # fmt: skip
    assert [item.waits_ratio for item in buckets(rows)] == [0.5, 0.5]
    lacking = [row("all", 0.0, 1 * MS, 0.5)]
    assert percentile(buckets(lacking), 50) is None
    assert percentile([], 50) is None
