"""Histograms of waits: the parts a report prints become one."""

from perfkit.analysis.awr.histograms import buckets

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


def test_parts_that_do_not_add_up_are_not_put_together():
    """A part of other waits: the range "all" stands alone."""
    rows = [row("all", 0.0, 512 * US, 0.5), row("all", 512 * US, None, 0.5),
            row("up to 32 ms", 512 * US, 1 * MS, 0.2)]  # fmt: skip
    assert [item.waits_ratio for item in buckets(rows)] == [0.5, 0.5]
